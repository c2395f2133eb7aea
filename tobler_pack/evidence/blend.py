"""The channels, standardized and summed: one score per chunk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from tobler_pack.evidence.ranking import coherence
from tobler_pack.weighing.weights import Floats, standardize

BLEND = "questions-1"
"""Names the channels and weights below in the stamp; raised when either changes."""

CEILING = 12.0
"""A channel that only one chunk of 30,000 answers stands at 170 σ; above this many it would silence all others."""


SPELT_OUT = "definition"
"""The channel that noise does not damp: who asks for a name wants it wherever it is defined."""


@dataclass(frozen=True)
class Blend:
    """What each channel counts. `coherence` is the weight of the file's share, added after the others; noise shares
    are raised to the power `noise` (0: noise is not damped).
    """

    weights: Mapping[str, float]
    coherence: float
    noise: float


NATURAL = Blend(
    MappingProxyType(
        {"semantic": 1.5, "lexical": 1.0, "path": 0.65, "definition": 0.5, "documentation": 0.15, "names": 0.1}
    ),
    coherence=0.5,
    noise=0.5,
)
SYMBOL = Blend(
    MappingProxyType(
        {"semantic": 0.3, "lexical": 1.0, "path": 0.25, "definition": 1.5, "documentation": 0.0, "names": 0.3}
    ),
    coherence=0.3,
    noise=1.0,
)


def combine(channels: Mapping[str, Floats], blend: Blend, chunk_file: npt.NDArray[np.int32], keep: Floats) -> Floats:
    """Σ weight · min(standardized channel, CEILING), then the file's coherence; noise keeps only its share of what
    stands above the mean. `keep` has one share (0…1) for each file.
    """
    total = np.zeros(len(chunk_file))
    for name in sorted(set(channels) - {SPELT_OUT}):
        total += blend.weights[name] * np.minimum(standardize(channels[name]), CEILING)
    total = _damp(total, keep[chunk_file] ** blend.noise)
    total += blend.weights[SPELT_OUT] * np.minimum(standardize(channels[SPELT_OUT]), CEILING)
    together = standardize(coherence(total, chunk_file, len(keep)))
    return total + blend.coherence * np.minimum(together, CEILING)


def _damp(standing: Floats, keep: Floats) -> Floats:
    return np.where(standing > 0, standing * keep, standing)

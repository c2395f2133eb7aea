"""The channels, standardized and summed: one score per chunk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from tobler_pack.evidence.ranking import coherence
from tobler_pack.weighing.weights import Floats, standardize

BLEND = "questions-3"
"""Names the channels and weights below in the stamp; raised when either changes."""

KNEE = 4.0
"""From about this many σ on, a channel's voice grows like a logarithm: one that only one chunk of 30,000 answers
stands at 170 σ and would silence all others. A hard ceiling at 12 σ makes ties and ranks a little worse."""

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
        {"lexical": 2.2, "semantic": 1.1, "path": 0.65, "definition": 0.5, "documentation": 0.15, "names": 0.15}
    ),
    coherence=0.6,
    noise=0.7,
)
SYMBOL = Blend(
    MappingProxyType(
        {"lexical": 1.0, "semantic": 0.35, "path": 0.25, "definition": 1.45, "documentation": 0.05, "names": 0.3}
    ),
    coherence=0.3,
    noise=1.0,
)


def combine(channels: Mapping[str, Floats], blend: Blend, chunk_file: npt.NDArray[np.int32], keep: Floats) -> Floats:
    """Σ weight · voice(channel), then the file's coherence; noise keeps only its share of what
    stands above the mean. `keep` has one share (0…1) for each file.
    """
    total = np.zeros(len(chunk_file))
    for name in sorted(set(channels) - {SPELT_OUT}):
        total += blend.weights[name] * voice(channels[name])
    total = _damp(total, keep[chunk_file] ** blend.noise)
    total += blend.weights[SPELT_OUT] * voice(channels[SPELT_OUT])
    return total + blend.coherence * voice(coherence(total, chunk_file, len(keep)))


def voice(channel: Floats) -> Floats:
    """A channel as it is summed: standardized, what stands above the mean compressed to KNEE · ln(1 + s̃ / KNEE)."""
    standing = standardize(channel)
    above = standing > 0
    standing[above] = KNEE * np.log1p(standing[above] / KNEE)
    return standing


def _damp(standing: Floats, keep: Floats) -> Floats:
    return np.where(standing > 0, standing * keep, standing)

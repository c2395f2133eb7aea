"""Ranking signals: what a file's name and its other chunks say about a chunk. Shape (N,), float64."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tobler_pack.weighing.weights import Floats

# Files that mention everything and answer little. Each row: what it is, how its path looks, which share of a chunk's
# standing remains. The kinds and shares are those of semble's ranking.
_NOISE: tuple[tuple[str, re.Pattern[str], float], ...] = (
    ("tests", re.compile(r"(^|/)(tests?|__tests__|spec|specs|testing|testdata|fixtures)/"), 0.3),
    (
        "test file",
        re.compile(
            r"(^|/)(test_[^/]*|[^/]*_test|[^/]*_spec|conftest|test_helpers?[^/]*)\.\w+$"
            r"|\.(test|spec)\.[cm]?[jt]sx?$|(Tests?|Spec|Suite)\.(java|kt|scala|swift|cs|php)$"
        ),
        0.3,
    ),
    ("compatibility", re.compile(r"(^|/)(compat|_compat|legacy|deprecated)(/|\.\w+$)"), 0.3),
    ("examples", re.compile(r"(^|/)(_?examples?|docs?_src|samples?|benchmarks?|bench)/"), 0.3),
    ("re-exports", re.compile(r"(^|/)(__init__\.py|package-info\.java)$"), 0.5),
    ("declarations", re.compile(r"\.d\.[cm]?ts$|\.pyi$"), 0.7),
)


@lru_cache(maxsize=1 << 16)
def noise_share(path: str) -> float:
    """The share of its standing that a chunk of this file keeps: 1 for ordinary code, less for tests and such."""
    share = 1.0
    kinds: set[float] = set()
    for _, pattern, factor in _NOISE:
        if pattern.search(path):
            kinds.add(factor)
    for factor in sorted(kinds):
        share *= factor
    return share


def noise_shares(paths: Sequence[str]) -> Floats:
    """`noise_share` of each path."""
    return np.array([noise_share(path) for path in paths], dtype=np.float64)


def coherence(standing: Floats, chunk_file: npt.NDArray[np.int32], files: int) -> Floats:
    """How much of the evidence a chunk's file holds together: the sum of its chunks' positive standing."""
    total = np.bincount(chunk_file, weights=np.maximum(standing, 0.0), minlength=files)
    return np.asarray(total[chunk_file])

"""Step 7: questions that follow each other share what they have in common.

Pure functions over float64 arrays of shape (N,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tobler_pack.weighing.weights import Floats, standardize

LAMBDA_MAX = 1.0
"""The share that memory can take when a question asks just what the last one asked."""


@dataclass(frozen=True)
class Memory:
    """What a session carries from turn to turn: the standardized scores so far, and λ of the last turn."""

    scores: Floats
    share: float = 0.0


def correlation(first: Floats, second: Floats) -> float:
    """Pearson's r of two vectors, −1 … 1; 0 where either is constant."""
    a, b = standardize(first), standardize(second)
    return float(np.clip((a * b).mean(), -1.0, 1.0)) if a.size else 0.0


def remember(memory: Memory | None, scores: Floats, lambda_max: float = LAMBDA_MAX) -> Memory:
    """m_t = λ·m_{t−1} + (1 − λ)·s̃_t with λ = λ_max · max(0, corr(s̃_t, m_{t−1})), standardized again.

    A pivot has a correlation near 0, so memory vanishes by itself. A question without signal (constant scores) leaves
    the memory as it was and is answered by it alone: λ = 1.
    """
    fresh = standardize(scores)
    if memory is None:
        return Memory(fresh)
    if not fresh.any():
        return Memory(memory.scores, 1.0 if memory.scores.any() else 0.0)
    share = lambda_max * max(0.0, correlation(fresh, memory.scores))
    return Memory(standardize(share * memory.scores + (1.0 - share) * fresh), share)

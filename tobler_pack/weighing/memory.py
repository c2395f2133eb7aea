"""Step 7: questions that follow each other share what they have in common.

The formula's own gate, λ = λ_max · max(0, corr(s̃_t, m_{t−1})), knows two cases well: a question that repeats the last
one (λ = 1) and one about something else (λ = 0). "What are its arguments" is neither. It says nothing by itself, but
its scores are no constant vector: they are noise, which correlates with nothing, so the gate would forget just where
the memory is wanted. Here the gate goes beyond the plain formula in two ways, both of which leave its two cases as
they are:

- A question has a *signal* between 0 and 1 (`evidence.signal`): how far its evidence stands on its own feet. What is
  missing of it is left to the memory: λ = λ_max · (1 − signal · (1 − max(0, corr))). With a signal of 1 that is the
  plain formula; with none it is λ_max: the rule that a question without signal must not wipe the memory, made
  continuous.
- The correlation is that of what stands out (s̃ above `STANDS_OUT`, the rest cut to that level). Over all scores two
  questions that have nothing to do with each other correlate by about .1, since tests and examples are damped for
  both; that alone harmed one pivot in twenty-five, now it is one in fifty.

Pure functions over float64 arrays of shape (N,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tobler_pack.weighing.weights import Floats, standardize

LAMBDA_MAX = 1.0
"""The share that memory can take when a question asks just what the last one asked."""

STANDS_OUT = 1.0
"""In σ: chunks below are the background that all questions share."""


@dataclass(frozen=True)
class Memory:
    """What a session carries from turn to turn: the standardized scores so far, and λ of the last turn."""

    scores: Floats
    share: float = 0.0


def correlation(first: Floats, second: Floats) -> float:
    """Pearson's r of two vectors, −1 … 1; 0 where either is constant."""
    a, b = standardize(first), standardize(second)
    return float(np.clip((a * b).mean(), -1.0, 1.0)) if a.size else 0.0


def standing_out(scores: Floats) -> Floats:
    """How far each chunk stands above the background, 0 for all that do not."""
    return np.maximum(standardize(scores) - STANDS_OUT, 0.0)


def remember(memory: Memory | None, scores: Floats, signal: float = 1.0, lambda_max: float = LAMBDA_MAX) -> Memory:
    """m_t = λ·m_{t−1} + (1 − λ)·s̃_t, standardized again, with λ = λ_max · (1 − signal · (1 − max(0, corr))).

    A pivot has a signal and stands out elsewhere, so memory vanishes by itself. A question without any (constant
    scores) leaves the memory as it was and is answered by it alone: λ = 1.
    """
    fresh = standardize(scores)
    if memory is None:
        return Memory(fresh)
    if not fresh.any():
        return Memory(memory.scores, 1.0 if memory.scores.any() else 0.0)
    if not memory.scores.any():
        return Memory(fresh)
    agreement = max(0.0, correlation(standing_out(fresh), standing_out(memory.scores)))
    share = lambda_max * (1.0 - signal * (1.0 - agreement))
    return Memory(standardize(share * memory.scores + (1.0 - share) * fresh), share)

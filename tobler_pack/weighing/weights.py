"""Steps 1 to 5: from raw scores to the chunks that matter and the mass that is left out.

All functions are pure, take and return float64 arrays of shape (N,), and leave their arguments as they are. N may be 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MASS = 0.9
"""p: the share of the weight that the nucleus holds (Holtzman et al. 2020, "The Curious Case of Neural Text
Degeneration", top-p), as in the predecessor."""

K_MIN = 5
"""The nucleus never has fewer chunks (where there are as many): a sharp distribution may still be sharply wrong."""

EPSILON_NOTE = 0.15
"""Above this share of unseen mass a pack says in words that it is a truncated map."""

_LIKELY = 512  # most nuclei are smaller, so most sorts can be

_FLAT = 1e-12  # a spread this small against the size of the scores is rounding noise: no signal


def standardize(scores: Floats) -> Floats:
    """Step 1: (s − mean) / σ, with the population's σ; a constant vector becomes zeros."""
    if scores.size == 0:
        return scores.astype(np.float64)
    exponent = np.frexp(np.abs(scores).max())[1]
    scaled = np.ldexp(scores, -exponent)  # by a power of two: exact, and no square leaves the range
    centred = scaled - scaled.mean()
    spread = float(np.sqrt(np.square(centred).mean()))
    if spread <= _FLAT:
        return np.zeros(scores.shape)
    return np.asarray(centred / spread)


def soften(standardized: Floats, tau: float) -> Floats:
    """Step 2: softmax(s̃ / τ), shifted by the maximum so that nothing overflows. Sums to 1. τ > 0."""
    if standardized.size == 0:
        return standardized.astype(np.float64)
    raised = np.exp((standardized - standardized.max()) / tau)
    return np.asarray(raised / raised.sum())


def effective_number(weights: Floats) -> float:
    """Step 3: N_eff = 1 / Σ ŵ², the participation ratio (inverse Simpson index, Simpson 1949): 1 … N, 0 for none."""
    total = float(np.square(weights).sum())
    return 1.0 / total if total > 0 else 0.0


@dataclass(frozen=True)
class Nucleus:
    """Positions of the chunks that matter, heaviest first, and the mass of all others."""

    members: npt.NDArray[np.int64]
    epsilon: float


def nucleus(weights: Floats, mass: float = MASS, k_min: int = K_MIN) -> Nucleus:
    """Steps 4 and 5: the smallest set with at least `mass` of the weight, never fewer than `k_min`, and ε = 1 − Σ_S ŵ.

    Chunks must stand in the order (path, first line): a stable sort then breaks ties as design asks,
    by (−weight, path, first line). What weighs nothing is no member: a question's `paths` may leave less than `k_min`.
    """
    most = max(_LIKELY, k_min)
    while True:
        order = heaviest(weights, most)
        reached = np.cumsum(weights[order])
        if most >= len(weights) or reached[-1] >= mass:
            break
        most *= 8
    count = int(np.searchsorted(reached, mass * (1 - _FLAT), side="left")) + 1
    members = order[: min(max(count, k_min), np.count_nonzero(weights))]
    return Nucleus(members, max(0.0, 1.0 - float(weights[members].sum())) if len(members) else 0.0)


def heaviest(weights: Floats, most: int) -> npt.NDArray[np.int64]:
    """The positions of the `most` largest weights, largest first, equal ones in the order of their positions.

    The same as a stable sort of all, without sorting the many that do not matter.
    """
    if most >= len(weights):
        return np.argsort(-weights, kind="stable")
    least = np.partition(weights, len(weights) - most)[len(weights) - most]
    candidates = np.flatnonzero(weights >= least)
    return candidates[np.argsort(-weights[candidates], kind="stable")][:most]

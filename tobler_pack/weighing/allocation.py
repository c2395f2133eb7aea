"""Step 6: a hard budget, spent on blocks by their weight.

Pure functions over arrays of shape (n,), one item per block, heaviest first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tobler_pack.weighing.weights import Floats

HIDDEN, STUB, SIGNATURE, FULL = 0, 1, 2, 3
"""How much of a block is shown, as whole numbers that can be compared."""

MAP_SHARE = 0.15
"""The part of the budget that is kept for signatures and stubs while bodies are handed out."""

Tiers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Costs:
    """Tokens of each block at each tier; infinity where a block has no such tier."""

    stub: Floats
    signature: Floats
    full: Floats

    def at(self, tiers: Tiers) -> Floats:
        """The cost of each block at its tier."""
        return np.choose(tiers, [np.zeros(len(tiers)), self.stub, self.signature, self.full])


@dataclass(frozen=True)
class Round:
    """One round of the repair: blocks are lifted to `tier` as long as no more than `share` of the budget is spent.
    With `heads` only the heaviest block of each file.
    """

    tier: int
    share: float
    heads: bool = False


@dataclass(frozen=True)
class Plan:
    """The rounds of the repair. `by_share` tells whether blocks whose own share pays for their body get it before."""

    rounds: tuple[Round, ...]
    by_share: bool = True


DEPTH_FIRST = Plan((Round(FULL, 1 - MAP_SHARE), Round(STUB, 1), Round(SIGNATURE, 1), Round(FULL, 1)))
"""For a question: the heaviest block is lifted all the way to `FULL` before the next one is looked at, as far as
(1 − MAP_SHARE) of the budget goes; then stubs for all, then signatures, and what remains lifts further blocks. Lifting
everything by one tier at a time, as the predecessor did, shows many names and few bodies."""

BREADTH_FIRST = Plan(
    (
        Round(SIGNATURE, 0.6, heads=True),
        Round(FULL, 1 - MAP_SHARE),
        Round(STUB, 1, heads=True),
        Round(STUB, 1),
        Round(SIGNATURE, 1),
        Round(FULL, 1),
    ),
    by_share=False,
)
"""For a change, whose reader asks where else to look: the signature of each file's heaviest block, then bodies."""


def first_tiers(weights: Floats, costs: Costs, budget: float) -> Tiers:
    """b_i = B·ŵ_i / Σ ŵ: a block whose own share pays for its body gets it, all others wait for the repair.

    Handing out signatures and stubs by share as well would spend, on what is shown in part, the tokens that bodies of
    heavier blocks need: with 1,000 tokens .84 of the lines asked for are shown then, and .86 this way.
    """
    total = float(weights.sum())
    share = budget * weights / total if total > 0 else np.zeros(len(weights))
    return np.where(share >= costs.full, FULL, HIDDEN)


def allocate(
    weights: Floats, costs: Costs, budget: float, plan: Plan = DEPTH_FIRST, heads: npt.NDArray[np.bool_] | None = None
) -> Tiers:
    """First tiers by weight, then repair: what is left rolls down by weight, one round of the plan after the other.

    `heads` marks the heaviest block of each file (None: all blocks). Never spends more than `budget`.
    """
    every = np.ones(len(weights), dtype=bool)
    tiers = first_tiers(weights, costs, budget) if plan.by_share else np.zeros(len(weights), dtype=np.int64)
    for one in plan.rounds:
        among = heads if one.heads and heads is not None else every
        tiers = _lift(tiers, costs, one.tier, budget * one.share, among)
    return tiers


def _lift(tiers: Tiers, costs: Costs, target: int, room: float, among: npt.NDArray[np.bool_]) -> Tiers:
    """Lift blocks to a tier in order, each where what is left of `room` pays for it."""
    lifted = tiers.copy()
    wanted = {STUB: costs.stub, SIGNATURE: costs.signature, FULL: costs.full}[target]
    current = costs.at(tiers)
    spent = float(current.sum())
    for at in np.flatnonzero((tiers < target) & among):
        more = float(wanted[at] - current[at])
        if spent + more <= room:
            lifted[at] = target
            spent += more
    return lifted

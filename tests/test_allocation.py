"""Step 6: the budget holds, and is spent depth first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tobler_pack.weighing.allocation import (
    DEPTH_FIRST,
    FULL,
    HIDDEN,
    MAP_SHARE,
    SIGNATURE,
    STUB,
    Costs,
    Plan,
    Round,
    allocate,
    first_tiers,
)
from tobler_pack.weighing.weights import Floats

INF = float("inf")
tolerant = settings(max_examples=100, deadline=None)

Row = tuple[float, float, float]

cost = st.integers(0, 400).map(float) | st.just(INF)
any_costs = st.tuples(cost, cost, cost)
rising_costs = st.tuples(st.integers(5, 30), st.integers(0, 60) | st.none(), st.integers(0, 300) | st.none()).map(
    lambda row: (
        float(row[0]),
        INF if row[1] is None else float(row[0] + row[1]),
        INF if row[2] is None else float(row[0] + (row[1] or 0) + row[2]),
    )
)


def table(rows: Sequence[Row]) -> Costs:
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return Costs(*columns)


@st.composite
def problems(draw: st.DrawFn, row: st.SearchStrategy[Row] = any_costs) -> tuple[Floats, Costs, int]:
    """Weights that fall, costs of whole tokens, and a budget."""
    rows = draw(st.lists(row, max_size=25))
    weights = draw(st.lists(st.floats(0, 1), min_size=len(rows), max_size=len(rows)))
    return np.sort(np.array(weights))[::-1].copy(), table(rows), draw(st.integers(0, 3000))


@tolerant
@given(problems())
def test_never_over_budget(problem: tuple[Floats, Costs, int]) -> None:
    weights, costs, budget = problem
    tiers = allocate(weights, costs, budget)
    assert costs.at(tiers).sum() <= budget
    assert set(tiers.tolist()) <= {HIDDEN, STUB, SIGNATURE, FULL}


@tolerant
@given(problems())
def test_repair_never_takes_away(problem: tuple[Floats, Costs, int]) -> None:
    weights, costs, budget = problem
    assert (allocate(weights, costs, budget) >= first_tiers(weights, costs, budget)).all()


@tolerant
@given(problems(rising_costs))
def test_nothing_that_fits_is_left(problem: tuple[Floats, Costs, int]) -> None:
    weights, costs, budget = problem
    tiers = allocate(weights, costs, budget)
    spent = costs.at(tiers)
    left = budget - spent.sum()
    assert not ((tiers == HIDDEN) & (costs.stub <= left)).any()
    assert not ((tiers < SIGNATURE) & (costs.signature - spent <= left)).any()
    assert not ((tiers < FULL) & (costs.full - spent <= left)).any()


@tolerant
@given(problems(rising_costs))
def test_bodies_are_handed_out_from_the_heaviest_down(problem: tuple[Floats, Costs, int]) -> None:
    """Until the map's share begins, a body is passed over only if those before it leave too little room."""
    weights, costs, budget = problem
    tiers = first_tiers(weights, costs, budget)
    room = budget * (1 - MAP_SHARE) - costs.at(tiers).sum()
    final = allocate(weights, costs, budget)
    for at in range(len(weights)):
        more = costs.full[at] - costs.at(tiers)[at]
        if tiers[at] < FULL and more <= room:
            room -= more
            assert final[at] == FULL


def flat(blocks: int, row: Row, budget: int, map_share: float = MAP_SHARE) -> list[int]:
    """The tiers of equal blocks, so many that none pays for its stub alone."""
    plan = Plan((Round(FULL, 1 - map_share), *DEPTH_FIRST.rounds[1:]))
    tiers = allocate(np.full(blocks, 1 / blocks), table([row] * blocks), budget, plan)
    return [tier for tier in tiers.tolist() if tier != HIDDEN]


def test_heaviest_body_before_any_map() -> None:
    assert flat(30, (10, 20, 40), 100) == [FULL, FULL, STUB, STUB]


def test_a_body_too_long_gives_way_to_the_next() -> None:
    weights = np.array([0.6, 0.4])
    assert allocate(weights, table([(10, 20, 500), (10, 20, 60)]), 100).tolist() == [SIGNATURE, FULL]


def test_the_map_keeps_its_share() -> None:
    """The second body would take from the map's share, and waits until every block that fits has its stub."""
    assert flat(30, (5, INF, 45), 100) == [FULL] + [STUB] * 11
    assert flat(30, (5, INF, 45), 100, map_share=0.0) == [FULL, FULL, STUB, STUB]


def test_what_the_map_does_not_need_goes_to_bodies() -> None:
    weights = np.array([0.5, 0.5])
    assert allocate(weights, table([(5, INF, 50), (5, INF, 50)]), 100).tolist() == [FULL, FULL]


def test_a_block_whose_share_pays_for_its_body_gets_it_and_others_wait() -> None:
    weights = np.array([0.7, 0.2, 0.1])
    costs = table([(10, 30, 70), (10, 20, 80), (10, 20, 80)])
    assert first_tiers(weights, costs, 100).tolist() == [FULL, HIDDEN, HIDDEN]


@pytest.mark.parametrize(
    ("weights", "rows", "budget", "expected"),
    [
        pytest.param([], [], 100, [], id="no block"),
        pytest.param([1.0], [(10, 20, 30)], 0, [HIDDEN], id="no budget"),
        pytest.param([1.0], [(10, 20, 30)], 9, [HIDDEN], id="too little for a stub"),
        pytest.param([1.0], [(10, 20, 30)], 10, [STUB], id="just a stub"),
        pytest.param([1.0], [(10, 20, 30)], 29, [SIGNATURE], id="just a signature"),
        pytest.param([1.0], [(10, 20, 30)], 30, [FULL], id="just the body"),
        pytest.param([1.0], [(10, INF, 30)], 29, [STUB], id="no signature"),
        pytest.param([1.0], [(10, INF, INF)], 500, [STUB], id="nothing but a stub"),
        pytest.param([1.0], [(INF, INF, INF)], 500, [HIDDEN], id="nothing at all"),
        pytest.param([1.0], [(INF, INF, 30)], 500, [FULL], id="nothing but a body"),
        pytest.param([0.0, 0.0], [(10, 20, 30)] * 2, 45, [FULL, STUB], id="no weight at all"),
        pytest.param([1.0, 0.0], [(10, 20, 30)] * 2, 100, [FULL, FULL], id="a block without weight"),
    ],
)
def test_allocate(weights: list[float], rows: list[Row], budget: int, expected: list[int]) -> None:
    assert allocate(np.array(weights), table(rows), budget).tolist() == expected


@tolerant
@given(problems(rising_costs))
def test_enough_budget_shows_everything_in_full(problem: tuple[Floats, Costs, int]) -> None:
    weights, costs, _ = problem
    best = np.where(np.isfinite(costs.full), FULL, np.where(np.isfinite(costs.signature), SIGNATURE, STUB)).astype(
        np.int64
    )
    enough = costs.at(best).sum() / (1 - MAP_SHARE) + 1
    assert (allocate(weights, costs, enough) == best).all()


@given(st.integers(1, 30), st.integers(0, 1500))
@tolerant
def test_equal_blocks_are_served_in_their_order(blocks: int, budget: int) -> None:
    tiers = allocate(np.full(blocks, 1 / blocks), table([(10.0, 25.0, 70.0)] * blocks), budget)
    assert tiers.tolist() == sorted(tiers.tolist(), reverse=True)


def test_more_budget_can_show_fewer_blocks() -> None:
    """Depth first: the token that pays for one more body takes the stubs of lighter blocks with it."""
    assert flat(30, (5, INF, 85), 99) == [STUB] * 19
    assert flat(30, (5, INF, 85), 100) == [FULL, STUB, STUB, STUB]


def test_nothing_is_written_to() -> None:
    weights = np.array([0.6, 0.4])
    costs = table([(10, 20, 70), (10, 20, 70)])
    for values in (weights, costs.stub, costs.signature, costs.full):
        values.setflags(write=False)
    allocate(weights, costs, 100)

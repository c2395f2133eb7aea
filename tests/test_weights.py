"""Steps 1 to 5: what holds for every vector of scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tobler_pack.weighing.weights import (
    K_MIN,
    MASS,
    Floats,
    effective_number,
    heaviest,
    nucleus,
    soften,
    standardize,
)

plain = st.lists(st.floats(-1e3, 1e3), max_size=60).map(lambda values: np.array(values, dtype=np.float64))
extreme = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30).map(
    lambda values: np.array(values, dtype=np.float64)
)
taus = st.floats(1e-3, 50.0)
tolerant = settings(max_examples=150, deadline=None)


def locked(values: Floats) -> Floats:
    """The same vector, which refuses to be written to."""
    values.setflags(write=False)
    return values


def weights_of(values: Floats, tau: float = 1.0) -> Floats:
    return soften(standardize(values), tau)


# step 1


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param([], [], id="no chunk"),
        pytest.param([7.0], [0.0], id="one chunk"),
        pytest.param([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], id="all zero"),
        pytest.param([0.1, 0.1, 0.1], [0.0, 0.0, 0.0], id="constant"),
        pytest.param([0.3, 0.1 + 0.2, 0.3], [0.0, 0.0, 0.0], id="constant but for rounding"),
        pytest.param([-5e300, -5e300], [0.0, 0.0], id="constant and huge"),
        pytest.param([1.0, 3.0], [-1.0, 1.0], id="two chunks"),
        pytest.param([1e200, 3e200], [-1.0, 1.0], id="squares too large"),
        pytest.param([1.7e308, -1.7e308], [1.0, -1.0], id="sum too large"),
        pytest.param([1e-200, 3e-200], [-1.0, 1.0], id="squares too small"),
        pytest.param([5e-324, 0.0], [1.0, -1.0], id="the smallest number there is"),
        pytest.param([1e-13, 3e-13], [-1.0, 1.0], id="small but not noise"),
        pytest.param([1.0, 1.0, 1.0, 5.0], [-1 / math.sqrt(3)] * 3 + [math.sqrt(3)], id="one stands out"),
    ],
)
def test_standardize(scores: list[float], expected: list[float]) -> None:
    np.testing.assert_allclose(standardize(locked(np.array(scores))), expected, atol=1e-12)


@tolerant
@given(plain, st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_standardize_knows_neither_scale_nor_shift(scores: Floats, scale: float, shift: float) -> None:
    assume(scores.size == 0 or scores.std() > 1e-3)
    expected = standardize(scores)
    np.testing.assert_allclose(standardize(scores * scale), expected, atol=1e-8)
    np.testing.assert_allclose(standardize(scores + shift), expected, atol=1e-8)


@tolerant
@given(plain, st.integers(-300, 300))
def test_a_power_of_two_changes_no_bit(scores: Floats, exponent: int) -> None:
    scores = np.round(scores, 3)
    assert (standardize(np.ldexp(scores, exponent)) == standardize(scores)).all()


@tolerant
@given(extreme)
def test_standardized_scores_have_mean_0_and_spread_1_or_are_zeros(scores: Floats) -> None:
    before = scores.copy()
    found = standardize(locked(scores))
    assert found.shape == scores.shape
    assert found.dtype == np.float64
    assert np.isfinite(found).all()
    assert (scores == before).all()
    if found.any():
        assert abs(found.mean()) < 1e-6
        assert found.std() == pytest.approx(1.0)


# step 2


@tolerant
@given(extreme, taus)
def test_softened_scores_are_shares_of_one(scores: Floats, tau: float) -> None:
    standing = locked(standardize(scores))
    weights = soften(standing, tau)
    assert weights.shape == scores.shape
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    if weights.size:
        assert weights.sum() == pytest.approx(1.0)
        assert weights[standing.argmax()] == weights.max()


@tolerant
@given(plain, taus)
def test_softening_keeps_the_order(scores: Floats, tau: float) -> None:
    standing = standardize(scores)
    order = np.argsort(standing, kind="stable")
    assert (np.diff(soften(standing, tau)[order]) >= 0).all()


def test_softmax_is_the_formula() -> None:
    standing, tau = np.array([-1.0, 0.0, 0.5, 2.0]), 0.7
    raised = [math.exp(value / tau) for value in standing]
    np.testing.assert_allclose(soften(standing, tau), np.array(raised) / sum(raised), rtol=1e-12)


@pytest.mark.parametrize("tau", [1e-3, 1e-2, 1.0])
def test_softmax_of_a_lone_hit_among_many_does_not_overflow(tau: float) -> None:
    scores = np.zeros(50_000)
    scores[123] = 1.0
    weights = weights_of(scores, tau)
    assert weights[123] == pytest.approx(1.0)
    assert weights.sum() == pytest.approx(1.0)


def test_a_higher_temperature_spreads_the_weight() -> None:
    scores = np.random.default_rng(1).normal(size=200)
    numbers = [effective_number(weights_of(scores, tau)) for tau in (0.1, 0.3, 1.0, 3.0, 10.0)]
    assert numbers == sorted(numbers)


# step 3


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        pytest.param([], 0.0, id="no chunk"),
        pytest.param([0.0, 0.0], 0.0, id="no weight"),
        pytest.param([1.0], 1.0, id="one chunk"),
        pytest.param([0.0, 1.0, 0.0], 1.0, id="all on one"),
        pytest.param([0.25] * 4, 4.0, id="all alike"),
        pytest.param([0.5, 0.25, 0.25], 8 / 3, id="half on one"),
    ],
)
def test_effective_number(weights: list[float], expected: float) -> None:
    assert effective_number(np.array(weights)) == pytest.approx(expected)


@tolerant
@given(extreme, taus)
def test_effective_number_lies_between_one_and_all(scores: Floats, tau: float) -> None:
    number = effective_number(weights_of(scores, tau))
    assert (1 - 1e-9) * min(1, scores.size) <= number <= scores.size * (1 + 1e-9)


# steps 4 and 5


@tolerant
@given(extreme, taus, st.floats(0.05, 1.0), st.integers(0, 12))
def test_the_nucleus_is_the_smallest_set_with_its_mass(scores: Floats, tau: float, mass: float, k_min: int) -> None:
    weights = locked(weights_of(scores, tau))
    found = nucleus(weights, mass, k_min)
    held = weights[found.members]
    assert len(set(found.members.tolist())) == len(found.members)
    if not weights.size:
        assert found.epsilon == 0.0
        return
    assert held.sum() >= mass - 1e-9
    assert found.epsilon + held.sum() == pytest.approx(1.0)
    assert found.epsilon >= 0.0
    assert len(held) >= min(k_min, int(np.count_nonzero(weights)))
    if len(held) > max(1, k_min):
        assert held[:-1].sum() < mass
    others = np.delete(weights, found.members)
    assert others.max(initial=0.0) <= held.min()


@tolerant
@given(extreme, taus)
def test_members_stand_heaviest_first_and_ties_by_position(scores: Floats, tau: float) -> None:
    weights = weights_of(np.clip(scores, -3, 3).round(), tau)
    members = nucleus(weights).members.tolist()
    assert members == sorted(members, key=lambda at: (-weights[at], at))


def test_ties_are_broken_by_position() -> None:
    assert nucleus(np.full(20, 1 / 20), mass=0.5, k_min=1).members.tolist() == list(range(10))
    assert nucleus(np.array([0.2, 0.3, 0.2, 0.3]), mass=0.7, k_min=1).members.tolist() == [1, 3, 0]


def test_mass_that_is_reached_just_so_is_enough() -> None:
    assert len(nucleus(np.full(10, 0.1), mass=0.9, k_min=1).members) == 9
    assert len(nucleus(np.full(1000, 1 / 1000), mass=0.9, k_min=1).members) == 900


@pytest.mark.parametrize(
    ("weights", "k_min", "expected"),
    [
        pytest.param([0.96, 0.01, 0.01, 0.01, 0.01], 1, 1, id="sharp"),
        pytest.param([0.96, 0.01, 0.01, 0.01, 0.01], 3, 3, id="sharp, at least three"),
        pytest.param([0.5, 0.5], 5, 2, id="fewer than asked for"),
        pytest.param([1.0], 5, 1, id="one chunk"),
        pytest.param([], 5, 0, id="no chunk"),
        pytest.param([0.0] * 8, 5, 0, id="nothing may be looked at"),
        pytest.param([0.0, 0.7, 0.0, 0.3, 0.0, 0.0], 5, 2, id="few may be looked at"),
    ],
)
def test_the_least_number_of_members(weights: list[float], k_min: int, expected: int) -> None:
    assert len(nucleus(np.array(weights), 0.9, k_min).members) == expected


@tolerant
@given(plain, st.integers(1, 80))
def test_heaviest_is_a_stable_sort_cut_short(scores: Floats, most: int) -> None:
    weights = locked(np.round(np.abs(scores) / 200))  # with many ties
    expected = np.argsort(-weights, kind="stable")[:most]
    assert heaviest(weights, most).tolist() == expected.tolist()


@pytest.mark.parametrize("k_min", [5, 700])
@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 8.0])
def test_a_nucleus_among_many_chunks_is_that_of_a_full_sort(spread: float, k_min: int) -> None:
    weights = soften(np.round(np.random.default_rng(3).normal(size=20_000), 1) * spread, 1.0)
    order = np.argsort(-weights, kind="stable")
    reached = np.cumsum(weights[order])
    count = int((reached < MASS * (1 - 1e-12)).sum()) + 1
    found = nucleus(weights, MASS, k_min)
    assert found.members.tolist() == order[: max(count, k_min)].tolist()
    assert found.epsilon == pytest.approx(1 - weights[found.members].sum())


def test_the_shipped_numbers_are_those_of_the_design() -> None:
    assert (MASS, K_MIN) == (0.9, 5)


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(standardize, id="standardize"),
        pytest.param(lambda values: soften(values, 1.2), id="soften"),
        pytest.param(effective_number, id="effective number"),
        pytest.param(nucleus, id="nucleus"),
    ],
)
def test_fifty_thousand_chunks_take_milliseconds(step: Callable[[Floats], object]) -> None:
    weights = weights_of(np.random.default_rng(0).normal(size=50_000))
    times = []
    for _ in range(7):
        before = perf_counter()
        step(weights)
        times.append(perf_counter() - before)
    assert median(times) < 0.05

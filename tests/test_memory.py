"""Step 7: what a session carries from one question to the next."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tobler_pack.weighing.memory import LAMBDA_MAX, STANDS_OUT, Memory, correlation, remember, standing_out
from tobler_pack.weighing.weights import Floats, standardize

vectors = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=40))
tolerant = settings(max_examples=100, deadline=None)


def other(scores: Floats) -> Floats:
    """A vector of the same spread that stands out nowhere where this one does."""
    out = standing_out(scores) > 0
    second = np.sin(np.arange(scores.size) ** 2.0)
    second[out] = second[~out].min()
    return standardize(second)


@tolerant
@given(vectors)
def test_the_first_turn_has_no_memory(scores: Floats) -> None:
    turn = remember(None, scores)
    assert turn.share == 0.0
    assert (turn.scores == standardize(scores)).all()


@tolerant
@given(vectors, vectors, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_each_turn_is_the_formula(before: Floats, scores: Floats, signal: float, lambda_max: float) -> None:
    memory = Memory(standardize(before))
    fresh = standardize(scores)
    first, second = (np.where(one > STANDS_OUT, one, STANDS_OUT) for one in (memory.scores, fresh))
    share = lambda_max * (1 - signal * (1 - max(0.0, float(np.corrcoef(first, second)[0, 1]))))
    turn = remember(memory, scores, signal, lambda_max)
    assert turn.share == pytest.approx(share, abs=1e-9)
    expected = standardize(share * memory.scores + (1 - share) * fresh)
    np.testing.assert_allclose(turn.scores, expected, atol=1e-9)


def test_the_whole_memory_may_count_unless_told_otherwise() -> None:
    assert LAMBDA_MAX == 1.0
    scores = np.arange(9.0)
    assert remember(remember(None, scores), scores).share == pytest.approx(1.0)


@tolerant
@given(vectors, st.floats(0.1, 1.0))
def test_the_same_question_again_changes_nothing(scores: Floats, lambda_max: float) -> None:
    first = remember(None, scores)
    second = remember(first, scores * 3 + 2, lambda_max=lambda_max)
    assert second.share == pytest.approx(lambda_max)
    np.testing.assert_allclose(second.scores, first.scores, atol=1e-9)


@tolerant
@given(vectors)
def test_a_pivot_forgets(scores: Floats) -> None:
    pivot = other(scores)
    turn = remember(remember(None, scores), pivot)
    assert turn.share == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(turn.scores, pivot, atol=1e-6)


@tolerant
@given(vectors, st.floats(0.0, 1.0))
def test_what_a_question_does_not_say_is_left_to_the_memory(scores: Floats, signal: float) -> None:
    turn = remember(remember(None, scores), other(scores), signal)
    assert turn.share == pytest.approx(1 - signal, abs=1e-9)


@tolerant
@given(vectors, vectors)
def test_a_question_that_says_nothing_leaves_the_memory_as_it_is(before: Floats, scores: Floats) -> None:
    memory = remember(None, before)
    turn = remember(memory, scores, signal=0.0)
    assert turn.share == 1.0
    np.testing.assert_allclose(turn.scores, memory.scores, atol=1e-12)


@tolerant
@given(vectors, vectors, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_signal_never_means_more_memory(before: Floats, scores: Floats, one: float, two: float) -> None:
    memory = remember(None, before)
    shares = [remember(memory, scores, signal).share for signal in sorted((one, two))]
    assert shares[0] >= shares[1]


def test_what_does_not_stand_out_does_not_count() -> None:
    """Two questions whose background is the same, as tests and examples are for all, share nothing by that alone."""
    background = -np.arange(40.0)
    first, second = background + np.eye(40)[3] * 200, background + np.eye(40)[9] * 200
    assert correlation(first, second) > 0
    assert remember(remember(None, first), second).share == 0.0


@tolerant
@given(vectors)
def test_an_opposite_question_forgets(scores: Floats) -> None:
    turn = remember(remember(None, scores), -scores)
    assert turn.share == 0.0
    np.testing.assert_allclose(turn.scores, -standardize(scores), atol=1e-12)


@tolerant
@given(vectors, st.floats(-5, 5))
def test_a_question_without_signal_keeps_the_memory(scores: Floats, level: float) -> None:
    memory = remember(None, scores)
    turn = remember(memory, np.full(scores.size, level))
    assert turn.share == 1.0
    assert (turn.scores == memory.scores).all()
    assert remember(turn, scores).share == pytest.approx(1.0)


def test_no_signal_ever_is_no_memory() -> None:
    silent = np.zeros(6)
    turn = remember(remember(None, silent), silent)
    assert turn.share == 0.0
    assert not turn.scores.any()


def test_a_signal_after_silence_stands_alone() -> None:
    scores = np.array([1.0, 2.0, 4.0])
    turn = remember(remember(None, np.zeros(3)), scores, signal=0.3)
    assert turn.share == 0.0
    np.testing.assert_allclose(turn.scores, standardize(scores), atol=1e-12)


def test_a_follow_up_leans_on_what_was_asked() -> None:
    """The second question favours chunk 1 by a hair; both together favour chunk 0, which the first was about."""
    first = np.array([5.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    second = np.array([2.0, 2.2, 0.0, 0.0, 0.0, 0.0])
    turn = remember(remember(None, first), second)
    assert 0 < turn.share < 1
    assert turn.scores.argmax() == 0
    assert standardize(second).argmax() == 1


@tolerant
@given(st.lists(vectors, min_size=1, max_size=8))
def test_a_long_session_stays_standardized(turns: list[Floats]) -> None:
    memory: Memory | None = None
    for scores in turns:
        memory = remember(memory, scores)
        assert 0.0 <= memory.share <= 1.0
        assert memory.scores.mean() == pytest.approx(0.0, abs=1e-9)
        assert memory.scores.std() == pytest.approx(1.0)


def test_nothing_is_written_to() -> None:
    memory = remember(None, np.arange(4.0))
    scores = np.array([3.0, 1.0, 2.0, 9.0])
    for values in (memory.scores, scores):
        values.setflags(write=False)
    remember(memory, scores)
    standing_out(scores)


def test_an_empty_tree_has_an_empty_memory() -> None:
    turn = remember(remember(None, np.zeros(0)), np.zeros(0))
    assert turn.share == 0.0
    assert turn.scores.shape == (0,)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], 1.0, id="same direction"),
        pytest.param([1.0, 2.0, 3.0], [3.0, 2.0, 1.0], -1.0, id="opposite"),
        pytest.param([1.0, 2.0, 1.0, 2.0], [1.0, 1.0, 2.0, 2.0], 0.0, id="nothing in common"),
        pytest.param([1.0, 2.0], [4.0, 4.0], 0.0, id="one is constant"),
        pytest.param([], [], 0.0, id="empty"),
    ],
)
def test_correlation(first: list[float], second: list[float], expected: float) -> None:
    assert correlation(np.array(first), np.array(second)) == pytest.approx(expected, abs=1e-12)


@tolerant
@given(vectors, vectors)
def test_correlation_is_symmetric_and_bounded(first: Floats, second: Floats) -> None:
    found = correlation(first, second)
    assert -1.0 <= found <= 1.0
    assert found == correlation(second, first)
    assert found == pytest.approx(float(np.corrcoef(first, second)[0, 1]), abs=1e-9)

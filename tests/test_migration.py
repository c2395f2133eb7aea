"""The arithmetic of carrying a floor over: the share that it admits is kept, and doubts come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from test_telemetry import STAMP, call
from tobler_pack.sources.config import Config
from tobler_pack.surfaces.calibration import GRID, as_csv, as_svg, curve, drawn
from tobler_pack.surfaces.migration import FEW_CALLS, Findings, admitting, carried, summary
from tobler_pack.surfaces.registry import Dial, Registry
from tobler_pack.surfaces.telemetry import quantiles
from tobler_pack.surfaces.tuning import parse
from tobler_pack.weighing.weights import Floats

RANDOM = np.random.default_rng(3)
THEN = RANDOM.normal(0.15, 0.1, 1000)


def dial(stamp: dict[str, str], now: dict[str, str], floor: float = 0.2) -> Dial:
    text = f'{{"when": "2026-01-01", "surface": "batch", "dial": "floor", "set": {floor}, "reason": "so"}}'
    history = parse(text)
    (move,) = history.moves
    stamped = type(move)(**{**move.as_json(), "stamp": stamp})
    return Registry(Config(), type(history)((stamped,)), now).dials("batch").floor


def logged(count: int, cosines: Floats, **changes: Any) -> list[dict[str, Any]]:
    facts = {"chunks": len(cosines), "cosines": quantiles(cosines), "floor": 0.0, **changes}
    return [call(query=f"question {number}", **facts) for number in range(count)]


def find(
    now: Floats, calls: Sequence[dict[str, Any]], stamp: dict[str, str] | None = None, silent: float = 0.0
) -> Findings:
    changed = stamp or STAMP | {"model": "local:b"}
    return carried("batch", dial(STAMP, changed), calls, now, silent)


@pytest.mark.parametrize(
    "to", [lambda x: x, lambda x: 0.5 * x, lambda x: 2 * x, lambda x: x + 0.3, lambda x: x**3], ids=range(5)
)
def test_the_share_is_kept_whatever_the_scale(to: Any) -> None:
    calls = logged(FEW_CALLS, THEN)
    found = find(np.tile(to(THEN), FEW_CALLS), calls)
    assert found.proposal is not None
    assert found.before == pytest.approx((THEN >= 0.2).mean(), abs=0.01)
    assert abs(found.before - found.after) <= 0.02
    assert found.proposal == pytest.approx(to(0.2), abs=0.02)
    assert found.looks_like == "a change of scale"
    assert found.notes == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200, unique=True), st.floats(0, 1))
def test_a_floor_that_admits_a_share(cosines: list[float], share: float) -> None:
    values = np.round(np.array(cosines), 3)
    floor = admitting(values, share)
    assert 0 <= floor <= 1
    kept = (values >= floor).mean() if floor > 0 else 1.0
    ties = max(np.unique(values, return_counts=True)[1]) / len(values)
    assert abs(kept - share) <= 0.5 / len(values) + ties + 1e-9 or floor in (0.0, 1.0)


@pytest.mark.parametrize(
    ("now", "calls", "stamp", "silent", "said"),
    [
        (np.tile(THEN, 3), logged(3, THEN), None, 0.0, "only 3 calls were logged"),
        (np.tile(THEN[:300], 30), logged(30, THEN), None, 0.0, "the index does not cover the tree"),
        (np.tile(THEN[:300], 30), logged(30, THEN), STAMP | {"chunking": "x"}, 0.0, "does not cover the tree"),
        (np.tile(THEN + 5, 30), logged(30, THEN), None, 0.0, "the score ranges do not overlap"),
        (np.tile(THEN, 30), logged(30, THEN), None, 0.3, "30% of the chunks have no token"),
        (np.full(30_000, 0.4), logged(30, THEN), None, 0.0, "no floor keeps the share"),
    ],
    ids=["few calls", "uncovered", "uncovered, other shape", "apart", "silent", "equal scores"],
)
def test_doubts_come_before_the_proposal(
    now: Floats, calls: list[dict[str, Any]], stamp: dict[str, str] | None, silent: float, said: str
) -> None:
    lines = list(summary(find(now, calls, stamp, silent)))
    doubts = [line for line in lines if line.startswith("note: ")]
    assert any(said in line for line in doubts)
    assert lines[: len(doubts)] == doubts
    assert lines[-1].startswith("batch floor 0.2 → ")


def test_another_shape_may_have_other_numbers_of_chunks() -> None:
    found = find(np.tile(THEN[:500], 30), logged(30, THEN), STAMP | {"chunking": "x"})
    assert found.looks_like == "a change of scale"
    assert find(np.tile(THEN[:500], 30), logged(30, THEN)).looks_like == "an unfinished index or another tree"


# ---- τ --------------------------------------------------------------------------------------------------------------


def swept(questions: int, peak: float) -> Floats:
    """N_eff whose logarithm varies most at one τ."""
    spread = np.exp(-((np.array(GRID) - peak) ** 2))
    return np.asarray(np.exp(3 + np.linspace(-1, 1, questions)[:, None] * spread[None, :]))


def test_the_peak_is_proposed() -> None:
    found = curve(swept(30, 1.3), 1.0)
    assert (found.peak, found.notes, found.questions) == (1.3, (), 30)
    rows = list(drawn(found))
    assert rows[0] == "var(log N_eff) of 30 questions"
    assert [row.split()[0] for row in rows if row.endswith("← peak")] == ["τ=1.3"]
    assert [row.split()[0] for row in rows if row.endswith("← in force")] == ["τ=1.0"]
    assert as_csv(found).splitlines()[0] == "tau,variance,n_eff_p10,n_eff_p50,n_eff_p90"
    assert "peak 1.3" in as_svg(found)


@pytest.mark.parametrize(
    ("n_eff", "said"),
    [
        (swept(30, 9.0), "there is no peak"),
        (swept(30, 0.0), "there is no peak"),
        (swept(1, 1.0), "one question has no spread"),
        (swept(0, 1.0), "there is no question in words"),
    ],
)
def test_no_proposal_without_a_peak(n_eff: Floats, said: str) -> None:
    found = curve(n_eff, 1.0)
    assert found.peak is None
    assert any(said in note for note in found.notes)


def test_few_questions_are_said() -> None:
    assert curve(swept(5, 1.3), 1.0).notes == (
        "only 5 questions: the peak may wander by several steps; 20 or more are wanted",
    )

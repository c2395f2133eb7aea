"""The tuning history: a replay that does not depend on the order of its lines, and reasons that can be checked."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tobler_pack.errors import UsageError
from tobler_pack.surfaces.dials import BUDGET, FLOOR, read_value
from tobler_pack.surfaces.stamp import compare, same_scale
from tobler_pack.surfaces.tuning import PLACE, History, Move, append, checked_reason, moment, parse, read, written

NOW = {"model": "embedded:a", "chunking": "c1", "blend": "b1"}


def move(when: str = "2026-01-02T03:04:05Z", value: float = 0.1, surface: str = "batch") -> Move:
    return Move(when, surface, "floor", 0.0, value, value, False, "what was read and what it showed", "human", NOW)


MOVES = st.builds(
    move,
    st.datetimes().map(written),
    st.floats(0, 1),
    st.sampled_from(["batch", "commit"]),
)


@given(st.lists(MOVES, max_size=8), st.randoms(use_true_random=False))
def test_the_replay_does_not_depend_on_the_order_of_lines(moves: list[Move], chance: random.Random) -> None:
    lines = [one.line() for one in moves]
    shuffled = lines + chance.sample(lines, len(lines) // 2)  # a merge may bring lines twice
    chance.shuffle(shuffled)
    first, second = parse("\n".join(lines)), parse("\n".join(shuffled) + "\n")
    assert first == second
    assert not first.unreadable
    assert first.in_force == second.in_force
    for (surface, _), last in first.in_force.items():
        assert moment(last.when) == max(moment(one.when) for one in moves if one.surface == surface)


def test_a_move_is_never_earlier_than_the_last(tmp_path: Path) -> None:
    history = History((move("2999-01-01T00:00:00Z"),))
    later = append(tmp_path, history, move(value=0.3))
    assert moment(later.when) > moment("2999-01-01T00:00:00Z")
    assert read(tmp_path).moves == (later,)


def test_appending_touches_no_line_that_is_there(tmp_path: Path) -> None:
    place = tmp_path / PLACE
    place.parent.mkdir()
    place.write_bytes(b'{"half"')
    append(tmp_path, History(), move())
    append(tmp_path, History(), move(value=0.2))
    assert place.read_bytes().split(b"\n")[0] == b'{"half"'
    found = parse(place.read_text(encoding="utf-8"))
    assert [one.set for one in found.moves] == [0.1, 0.2]
    assert found.unreadable == ((1, "is no line of JSON"),)


@pytest.mark.parametrize(
    "reason",
    [
        "",
        " ",
        "\n\t",
        "x",
        "noise",
        "....",
        "aaaa aaaa aaaa",
        "- - - -",
        "xxxxxxxxxxxxxxxx",
        "noise Noise NOISE",
        "ok ok",
    ],
)
def test_reasons_that_say_nothing(reason: str) -> None:
    with pytest.raises(UsageError, match="open them, decide"):
        checked_reason(reason)


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("near misses were noise", "near misses were noise"),
        ("  read six\nof eight \x1b near misses ", "read six of eight near misses"),
        ("六つの近い候補を読んだが無関係だった", "六つの近い候補を読んだが無関係だった"),
    ],
)
def test_reasons_that_can_be_checked(reason: str, kept: str) -> None:
    assert checked_reason(reason) == kept


@pytest.mark.parametrize(
    ("measured", "flags"),
    [
        (NOW, {"stale": False}),
        (NOW | {"model": "local:a"}, {"stale": False}),
        (NOW | {"model": "embedded:b"}, {"stale": True, "model_changed": True}),
        (NOW | {"chunking": "c2"}, {"stale": True, "shape_changed": True}),
        (NOW | {"model": "x:b", "chunking": "c2"}, {"stale": True, "model_changed": True, "shape_changed": True}),
        (NOW | {"blend": "b2"}, {"stale": False}),
        (None, {"stale": None, "source": "unstamped"}),
        ({}, {"stale": None, "source": "unstamped"}),
        ({"model": "embedded:b"}, {"stale": None, "source": "unstamped"}),
    ],
)
def test_staleness(measured: dict[str, str] | None, flags: dict[str, object]) -> None:
    found = compare(measured, NOW)
    assert found.as_json() == flags
    assert bool(found.in_words()) == (found.stale is not False)
    assert measured is None or same_scale(measured, NOW) == (found.stale is False)


def test_the_blend_matters_to_the_temperature_alone() -> None:
    assert compare(NOW | {"blend": "b2"}, NOW, with_blend=True).as_json() == {"stale": True, "blend_changed": True}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_clamping(value: float) -> None:
    assert FLOOR.holds(FLOOR.clamp(value))
    assert FLOOR.clamp(value) == value or not 0 <= value <= 1


@pytest.mark.parametrize(("text", "value"), [("300", 300), ("1e3", 1000), ("300.0", 300)])
def test_whole_numbers(text: str, value: int) -> None:
    assert read_value(BUDGET, text) == value
    assert isinstance(read_value(BUDGET, text), int)

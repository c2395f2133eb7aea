"""Small results in the cache: served while what they rest on stays, made anew otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tobler_pack.corpus.kept import kept
from tobler_pack.errors import UsageError


def never() -> str:
    raise AssertionError("it was worked out again")


def test_what_was_worked_out_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "below" / "it"
    assert kept(place, ["a", "b"], lambda: {"ä": [1, None]}) == {"ä": [1, None]}
    assert kept(place, ["a", "b"], never) == {"ä": [1, None]}


def test_other_ground_makes_it_anew(tmp_path: Path) -> None:
    kept(tmp_path / "it", ["a"], lambda: "old")
    assert kept(tmp_path / "it", ["b"], lambda: "new") == "new"
    assert kept(tmp_path / "it", ["b"], never) == "new"


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda text: text[:-2], id="cut off"),
        pytest.param(lambda text: text.replace("old", "odd"), id="changed"),
        pytest.param(lambda text: "", id="empty"),
    ],
)
def test_a_damaged_file_counts_as_none(tmp_path: Path, harm: Callable[[str], str]) -> None:
    place = tmp_path / "it"
    kept(place, ["a"], lambda: "old")
    place.write_text(harm(place.read_text(encoding="utf-8")), encoding="utf-8")
    assert kept(place, ["a"], lambda: "new") == "new"


def test_a_place_that_cannot_be_written_to_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert kept(tmp_path / "file" / "it", ["a"], lambda: "made") == "made"


def test_what_cannot_be_worked_out_is_not_kept(tmp_path: Path) -> None:
    def fail() -> str:
        raise UsageError("no")

    with pytest.raises(UsageError):
        kept(tmp_path / "it", ["a"], fail)
    assert list(tmp_path.iterdir()) == []

"""Files are the old ones or the new ones, whole; and only our own are ever taken for leftovers."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from samples import heading
from tobler_pack.errors import EnvironmentProblem
from tobler_pack.packs.writer import leftovers, read_if_there, replace

PACK = "# `old`\nRegenerate with `tobler-pack build --only old`\n\nN_eff=1.0\n"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "er" / "auth.md"
    replace(place, "ä\n你好\r\n")
    assert place.read_bytes() == "ä\n你好\r\n".encode()
    assert names(place.parent) == ["auth.md"]


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_is_as_open_as_any_other(tmp_path: Path, mask: int, expected: int) -> None:
    before = os.umask(mask)
    try:
        replace(tmp_path / "a.md", "new\n")
    finally:
        assert os.umask(before) == mask
    assert mode(tmp_path / "a.md") == expected


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o644, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, kept: int) -> None:
    place = tmp_path / "a.md"
    place.write_text("old")
    place.chmod(kept)
    replace(place, "new\n")
    assert place.read_text() == "new\n"
    assert mode(place) == kept


def test_a_reader_keeps_the_file_that_it_has_open(tmp_path: Path) -> None:
    place = tmp_path / "a.md"
    place.write_text("old")
    with place.open() as reader:
        replace(place, "new\n")
        assert reader.read() == "old"


class Stop(BaseException):
    """Something like Ctrl-C."""


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("step", ["chmod", "replace"])
@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), Stop()], ids=["disk", "stop"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, step: str, *, there: bool
) -> None:
    place = tmp_path / "a.md"
    if there:
        place.write_text("old")

    def fail(*arguments: object) -> None:
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, fail)
        expected = Stop if isinstance(failure, Stop) else EnvironmentProblem
        with pytest.raises(expected):
            replace(place, "new\n")
    assert names(tmp_path) == (["a.md"] if there else [])
    assert not there or place.read_text() == "old"


def test_a_failure_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a.md"
    place.write_text("old")
    real = os.fdopen

    class Full:
        """A file on a full disk."""

        def __init__(self, handle: int, mode: str) -> None:
            self._file = real(handle, mode)

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *exception: object) -> None:
            self._file.close()

        def write(self, data: bytes) -> None:
            """Half of it, then no more."""
            self._file.write(data[:2])
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", Full)
        with pytest.raises(EnvironmentProblem, match=r"cannot write .*a\.md: No space left on device; .* --out"):
            replace(place, "new\n")
    assert names(tmp_path) == ["a.md"]
    assert place.read_text() == "old"


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblem, match=r"cannot write .*a\.md: .*; check the folder or choose another --out"):
        replace(tmp_path / "file" / "a.md", "new\n")


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    with pytest.raises(EnvironmentProblem):
        replace(tmp_path / "a.md", "new\n")
    assert names(tmp_path) == ["a.md"]


# reading


def test_reading(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("ä\r\n".encode())
    (tmp_path / "b.md").write_bytes(b"\xff\xfe")
    assert read_if_there(tmp_path / "a.md") == "ä\r\n"
    assert read_if_there(tmp_path / "b.md") is None
    assert read_if_there(tmp_path / "c.md") is None
    assert read_if_there(tmp_path) is None


# leftovers


@pytest.mark.parametrize(
    ("name", "content", "ours"),
    [
        pytest.param("old.md", PACK, True, id="a pack whose question is gone"),
        pytest.param("keep.md", PACK, False, id="a pack that is asked for"),
        pytest.param("old.txt", PACK, False, id="another ending"),
        pytest.param("README.md", "# About\n\nThese are packs.\n", False, id="somebody's file"),
        pytest.param("a.md", "# a\nRegenerate with `make a`\n", False, id="somebody's command"),
        pytest.param("b.md", f"\n{PACK}", False, id="mark on another line"),
        pytest.param("c.md", "", False, id="an empty file"),
        pytest.param("d.md", "# one line", False, id="one line"),
        pytest.param("e.md", "# `q`\nRegenerate with `tobler-pack query how`\n", False, id="an answer that was kept"),
    ],
)
def test_leftovers(tmp_path: Path, name: str, content: str, *, ours: bool) -> None:
    (tmp_path / name).write_text(content)
    assert leftovers(tmp_path, ["keep", "other"]) == ([tmp_path / name] if ours else [])


def test_our_own_heading_is_recognized(tmp_path: Path) -> None:
    """What a pack of a configuration really begins with."""
    replace(tmp_path / "flow.md", heading().text(100, 0.1))
    assert leftovers(tmp_path, []) == [tmp_path / "flow.md"]


def test_leftovers_of_a_strange_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "binary.md").write_bytes(b"\xff\n\xfe")
    for name in ("b.md", "a.md"):
        (tmp_path / name).write_text(PACK)
    assert leftovers(tmp_path, []) == [tmp_path / "a.md", tmp_path / "b.md"]
    assert leftovers(tmp_path / "nothing", []) == []

"""Unpacking several grammars in one reading leaves just what semble-grammars would unpack itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tobler_pack.corpus.grammars import unpack

LANGUAGES = {"python", "html", "vue", "terraform", "no such language"}


def files(folder: Path) -> dict[str, bytes]:
    return {place.name: place.read_bytes() for place in folder.rglob("*") if place.is_file()}


def unpacked_by_the_package(folder: Path) -> dict[str, bytes]:
    program = "import semble_grammars as g; [g.get_parser(n) for n in ('python', 'html', 'typescript', 'hcl')]"
    subprocess.run([sys.executable, "-c", program], env={"SEMBLE_GRAMMARS_CACHE_DIR": str(folder)}, check=True)
    return files(folder)


def test_the_same_files_as_the_package_unpacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", str(tmp_path / "ours"))
    unpack(LANGUAGES)
    assert files(tmp_path / "ours") == unpacked_by_the_package(tmp_path / "theirs")


def test_what_is_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", str(tmp_path))
    unpack(LANGUAGES)
    first = {place: place.stat().st_mtime_ns for place in tmp_path.rglob("*.*")}
    unpack(LANGUAGES | {"css", "json"})
    assert {place: place.stat().st_mtime_ns for place in first} == first
    assert len(files(tmp_path)) == len([place for place in first if place.is_file()]) + 2


def test_without_room_it_is_left_to_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", str(blocked))
    unpack(LANGUAGES)
    assert blocked.read_text() == "in the way"

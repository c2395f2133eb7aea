"""What differs between two trees: paths, kinds of change, and the lines of each hunk on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tobler_pack.corpus.tree import SUBMODULE_MODE, SYMLINK_MODE, Comparer, Snapshot

# Each setting that could come from somewhere else is given here, so that the same trees give the same hunks.
_OPTIONS = (
    "--raw",
    "--patch",
    "-z",
    "--no-abbrev",
    "--unified=0",
    "--inter-hunk-context=0",
    "--find-renames=50%",
    "--find-copies=50%",
    "--no-rename-empty",  # one empty file is not another one under a new name
    "-l1000",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--ignore-submodules=none",
    "--submodule=short",
)
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)


class Status(StrEnum):
    """What became of a file."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    RENAMED = "renamed"
    COPIED = "copied"


class Kind(StrEnum):
    """What a change is of. Only text asks a question."""

    TEXT = "text"
    BINARY = "binary"
    SUBMODULE = "submodule"
    LINK = "symbolic link"
    MODE = "mode"
    NAME = "name only"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that were taken away and lines that stand there instead: (first line, how many), counted from 1.

    Where there are none, the first line is the one after which they would stand.
    """

    old: tuple[int, int]
    new: tuple[int, int]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file. `path` is where it is now (for a removed one: was), `old_path` where it was before."""

    status: Status
    kind: Kind
    path: str
    old_path: str
    old_blob: str
    new_blob: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class _Raw:
    status: str
    modes: tuple[int, int]
    blobs: tuple[str, str]
    old_path: str
    path: str


def changes(comparer: Comparer, before: Snapshot | str, after: Snapshot | str) -> list[FileChange]:
    """The changed files between two snapshots or commits, in the order of their new paths.

    Renames and copies are recognized where half of a file is still the same, as `git diff` does by default.
    """
    told = comparer.differences(before, after, *_OPTIONS)
    raw, _, patch = told.partition(b"\0\0")
    sections = _SECTION.split(patch)[1:]
    found: list[FileChange] = []
    at = 0
    for one in _read_raw(raw):
        count = 2 if one.status == "T" else 1  # another type: a removal and an addition
        found.append(_change(one, sections[at : at + count]))
        at += count
    return sorted(found, key=lambda change: (change.path.encode("utf-8", "surrogateescape"), change.status))


def _read_raw(text: bytes) -> Iterator[_Raw]:
    fields = iter(text.split(b"\0"))
    for head in fields:
        if not head.startswith(b":"):
            continue
        old_mode, new_mode, old_blob, new_blob, status = head[1:].decode().split(" ")
        old_path = path = _text(next(fields))
        if status[0] in "RC":
            path = _text(next(fields))
        yield _Raw(status[0], (int(old_mode, 8), int(new_mode, 8)), (old_blob, new_blob), old_path, path)


def _change(raw: _Raw, sections: Sequence[bytes]) -> FileChange:
    statuses = {"A": Status.ADDED, "D": Status.REMOVED, "R": Status.RENAMED, "C": Status.COPIED}
    hunks = tuple(_hunk(found) for section in sections for found in _HUNK.finditer(section))
    status = statuses.get(raw.status, Status.CHANGED)
    return FileChange(status, _kind(raw, sections, hunks), raw.path, raw.old_path, *raw.blobs, hunks)


def _kind(raw: _Raw, sections: Sequence[bytes], hunks: Sequence[Hunk]) -> Kind:
    if SUBMODULE_MODE in raw.modes:
        return Kind.SUBMODULE
    if SYMLINK_MODE in raw.modes:
        return Kind.LINK
    if raw.blobs[0] == raw.blobs[1]:
        return Kind.MODE if raw.old_path == raw.path else Kind.NAME
    if not hunks and any(b"\nBinary files " in section for section in sections):
        return Kind.BINARY
    return Kind.TEXT


def _hunk(found: re.Match[bytes]) -> Hunk:
    old, old_count, new, new_count = (None if part is None else int(part) for part in found.groups())
    assert old is not None
    assert new is not None
    return Hunk((old, 1 if old_count is None else old_count), (new, 1 if new_count is None else new_count))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")

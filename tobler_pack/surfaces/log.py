"""What each pack's floor and budget did: one line of JSON for each pack, in the folder of git and never in the tree.

Nothing here may fail a run or reach a pack. A line is written with one call, so parallel runs do not tear each other's
lines; a file that has grown is put aside under a name of its own, so none is lost either. What the numbers mean is
worked out in `telemetry`; writing down those of a pack that the cache served loads nothing of that.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tobler_pack.packs import writer
from tobler_pack.surfaces.tuning import append_line, moment, now
from tobler_pack.workspace import Workspace

FOLDER = "tobler-pack"
CURRENT = "telemetry.jsonl"
_PUT_ASIDE = "telemetry-*.jsonl"

VERSION = 1
SEGMENT_BYTES = 4_000_000
KEPT_BYTES = 20_000_000

QUANTILES = 101
"""Points of a call's cosine distribution, from its smallest to its largest: a share can be read off within a point."""

LONGEST_QUERY = 8_000

Record = dict[str, Any]
"""One line of the log."""


def record(
    workspace: Workspace,
    what: Mapping[str, Any],
    *,
    surface: str | None,
    name: str | None,
    query: str,
    paths: Sequence[str] = (),
    texts: Sequence[str] = (),
    cached: bool = False,
) -> None:
    """Note one pack, unless the configuration says `telemetry: false`. Whatever goes wrong, the run goes on.

    `what` comes from `telemetry.figures`; of a pack that the cache served it lies beside the pack, so this costs one
    write. It is noted whole: a fresh clone with the cache of another run has no other line of this pack. `texts` are
    what asked where that was not the query, as for a change.
    """
    if not workspace.config.telemetry:
        return
    with suppress(Exception):
        line = {
            "version": VERSION,
            "at": now(),
            "surface": surface,
            "id": name,
            "query": query[:LONGEST_QUERY],
            "paths": list(paths),
            "tree": workspace.snapshot.tree_id,
            "stamp": workspace.stamp,
            "cached": cached,
            **({"texts": list(texts)} if texts else {}),
            **what,
        }
        write(folder_of(workspace.repository.common_dir), line)


def folder_of(common_dir: Path) -> Path:
    """Where the log of a repository lies."""
    return common_dir / FOLDER


def write(folder: Path, line: Record) -> None:
    """Append one line; put the file aside once it has grown."""
    folder.mkdir(parents=True, exist_ok=True)
    current = folder / CURRENT
    append_line(current, json.dumps(line, ensure_ascii=False, separators=(",", ":")))
    with suppress(OSError):  # another run may have put it aside just now
        if current.stat().st_size >= SEGMENT_BYTES:
            _rotate(folder, current)


def _rotate(folder: Path, current: Path) -> None:
    """Two runs may do this at once: each puts aside what it finds, under a name that nobody else takes."""
    with suppress(OSError):
        current.rename(folder / f"telemetry-{time.time_ns():020d}-{os.getpid()}.jsonl")
    room = KEPT_BYTES
    for old in sorted(folder.glob(_PUT_ASIDE), reverse=True):
        with suppress(OSError):
            room -= old.stat().st_size
            if room < 0:
                old.unlink()


def copy(folder: Path, to: Path) -> int:
    """Copy a log to another folder; how many files it has.

    Raises EnvironmentProblem if that folder cannot be written to.
    """
    files = files_of(folder)
    for path in files:
        writer.replace_bytes(to / path.name, path.read_bytes())
    return len(files)


@dataclass(frozen=True)
class Log:
    """The lines of a log, oldest first, and how many could not be read."""

    records: tuple[Record, ...] = ()
    unreadable: int = 0


def files_of(folder: Path) -> list[Path]:
    """The files of a log below a folder: one's own, or the downloaded ones of several runs."""
    with suppress(OSError):
        return sorted(path for path in folder.rglob("*.jsonl") if path.name.startswith("telemetry") and path.is_file())
    return []


def read(folder: Path, days: int | None = None) -> Log:
    """The log in a folder, and in the folders below it; with `days` only what is no older."""
    oldest = None if days is None else datetime.now(UTC) - timedelta(days=days)
    found: list[tuple[datetime, Record]] = []
    unreadable = 0
    for path in files_of(folder):
        with suppress(OSError):
            for line in path.read_bytes().split(b"\n"):
                if line.strip():
                    try:
                        found.append(_checked(line))
                    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
                        unreadable += 1
    ordered = sorted(found, key=lambda pair: pair[0])
    return Log(tuple(one for at, one in ordered if oldest is None or at >= oldest), unreadable)


_COUNTS = ("chunks", "admitted", "carried", "budget", "tokens", "k")
_REALS = ("floor", "epsilon", "n_eff", "tau")


def _checked(line: bytes) -> tuple[datetime, Record]:
    row = json.loads(line)
    kinds = {**dict.fromkeys(_COUNTS, (int,)), **dict.fromkeys(_REALS, (int, float)), "query": (str,), "stamp": (dict,)}
    for key, kind in kinds.items():
        if not isinstance(row[key], kind):
            raise TypeError(key)
    cosines, near = row.setdefault("cosines", []), row.setdefault("near", [])
    if cosines and (len(cosines) != QUANTILES or not all(isinstance(one, int | float) for one in cosines)):
        raise ValueError("cosines")
    for score, path, first, last in near:
        if not (isinstance(score, int | float) and isinstance(path, str) and first <= last):
            raise ValueError("near")
    if not all(isinstance(text, str) for text in row.get("texts", [])):
        raise TypeError("texts")
    if not isinstance(row.setdefault("surface", None), str | None):
        raise TypeError("surface")
    return moment(row["at"]), row

"""What each pack's floor and budget did: one line of JSON for each pack, in the folder of git and never in the tree.

Nothing here may fail a run or reach a pack. A line is written with one call, so parallel runs do not tear each other's
lines; a file that has grown is put aside under a name of its own, so none is lost either.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from tobler_pack.evidence.floor import Sieve
from tobler_pack.packs import writer
from tobler_pack.packs.pack import Pack
from tobler_pack.pipeline import Library
from tobler_pack.surfaces.tuning import append_line, moment, now
from tobler_pack.weighing.weights import Floats
from tobler_pack.workspace import Workspace

FOLDER = "tobler-pack"
CURRENT = "telemetry.jsonl"
_PUT_ASIDE = "telemetry-*.jsonl"

VERSION = 1
SEGMENT_BYTES = 4_000_000
KEPT_BYTES = 20_000_000

NEAR_MISSES = 8
"""Refused chunks that a line names: the best ones."""

QUANTILES = 101
"""Points of a call's cosine distribution, from its smallest to its largest: a share can be read off within a point."""

LONGEST_QUERY = 8_000
_DIGITS = 4

Record = dict[str, Any]
"""One line of the log."""


def figures(library: Library, pack: Pack, sieve: Sieve) -> Record:
    """What is kept of one finished pack, beside its manifest entry. A pure function of what the pack depends on."""
    heading = pack.heading
    inside = sieve.cosines[sieve.inside]
    return {
        "floor": sieve.floor,
        "budget": heading.budget,
        "tau": heading.tau,
        "chunks": int(sieve.inside.sum()),
        "admitted": int(sieve.admitted.sum()),
        "carried": int(sieve.carried.sum()),
        "n_eff": round(heading.n_eff, 2),
        "k": heading.k,
        "epsilon": round(pack.epsilon, _DIGITS),
        "tokens": pack.tokens,
        "cosines": quantiles(inside),
        "near": near_misses(library, sieve),
    }


def quantiles(cosines: Floats) -> list[float]:
    """A distribution in `QUANTILES` numbers; none for no chunk."""
    if not len(cosines):
        return []
    return [round(one, _DIGITS) for one in np.quantile(cosines, np.linspace(0, 1, QUANTILES)).tolist()]


def near_misses(library: Library, sieve: Sieve) -> list[list[Any]]:
    """The best refused chunks: cosine, path, first and last line; ties in the order of the tree."""
    refused = np.flatnonzero(sieve.refused)
    best = refused[np.argsort(-sieve.cosines[refused], kind="stable")[:NEAR_MISSES]]
    index = library.index
    return [
        [
            round(float(sieve.cosines[at]), _DIGITS),
            index.files[int(index.chunk_file[at])].path,
            *index.tables.chunk_lines[at].tolist(),
        ]
        for at in best.tolist()
    ]


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

    `what` comes from `figures`; of a pack that the cache served it lies beside the pack, so this costs one write. It
    is noted whole: a fresh clone with the cache of another run has no other line of this pack. `texts` are what asked
    where that was not the query, as for a change.
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


def share_at(one: Record, floor: float) -> float:
    """Which share of a call's chunks a floor admits: counted where this floor was in force, else read off its
    distribution.
    """
    if floor <= 0:
        return 1.0
    if one["floor"] == floor and one["chunks"]:
        return float((one["admitted"] - one["carried"]) / one["chunks"])
    return 1.0 - float(np.interp(floor, one["cosines"], np.linspace(0, 1, len(one["cosines"])), left=0.0, right=1.0))


def asked(one: Record) -> list[Any]:
    """What tells two questions apart."""
    return [one["query"], one.get("paths"), one.get("texts")]


def distinct(records: Iterable[Record]) -> list[Record]:
    """Calls that tell a distribution, the last one of each question under each floor and stamp, oldest first."""
    last: dict[str, Record] = {}
    for one in records:
        if one["cosines"]:
            key = json.dumps([one["surface"], asked(one), one["floor"], one["stamp"]])
            last.pop(key, None)
            last[key] = one
    return list(last.values())


def report(log: Log, samples: int) -> list[dict[str, Any]]:
    """For each surface what its floor and budget did."""
    surfaces: dict[str | None, list[Record]] = {}
    for one in log.records:
        surfaces.setdefault(one["surface"], []).append(one)
    return [_of_surface(name, surfaces[name], samples) for name in sorted(surfaces, key=lambda name: name or "")]


def _of_surface(name: str | None, calls: Sequence[Record], samples: int) -> dict[str, Any]:
    made = distinct(calls)
    near = sorted(_misses(made), key=lambda one: (-one["score"], one["path"], one["lines"], one["query"]))
    scores = [one["score"] for one in near]
    chunks = sum(one["chunks"] for one in calls)
    return {
        "surface": name,
        "calls": len(calls),
        "from_cache": sum(bool(one.get("cached")) for one in calls),
        "floors": sorted({one["floor"] for one in calls}),
        "admitted": sum(one["admitted"] for one in calls) / chunks if chunks else None,
        "carried": sum(one["carried"] for one in calls),
        "near_misses": {
            "count": len(scores),
            "p50": _percentile(scores, 50),
            "p90": _percentile(scores, 90),
            "samples": _spread(near, samples),
        },
        "would_admit": {f"{floor:g}": _would_admit(made, floor) for floor in _TRIED},
        "budget": {
            "budgets": sorted({one["budget"] for one in calls}),
            "tokens_p50": _percentile([one["tokens"] for one in calls], 50),
            "epsilon_p50": _percentile([one["epsilon"] for one in calls], 50),
            "epsilon_p90": _percentile([one["epsilon"] for one in calls], 90),
            "n_eff_p50": _percentile([one["n_eff"] for one in calls], 50),
        },
    }


_TRIED = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


def _would_admit(made: Sequence[Record], floor: float) -> float | None:
    chunks = sum(one["chunks"] for one in made)
    return sum(share_at(one, floor) * one["chunks"] for one in made) / chunks if chunks else None


def _misses(made: Iterable[Record]) -> Iterator[dict[str, Any]]:
    for one in made:
        for score, path, first, last in one["near"]:
            yield {"score": score, "path": path, "lines": [first, last], "query": one["query"], "id": one.get("id")}


def _spread(near: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The best of each question in turn, so that one question does not fill the list."""
    turns: dict[str, int] = {}
    ranked: list[tuple[int, int]] = []
    for at, one in enumerate(near):
        turns[one["query"]] = turns.get(one["query"], 0) + 1
        ranked.append((turns[one["query"]], at))
    return [near[at] for _, at in sorted(ranked)[:most]]


def _percentile(values: Sequence[float], percent: float) -> float | None:
    return round(float(np.percentile(values, percent)), _DIGITS) if values else None

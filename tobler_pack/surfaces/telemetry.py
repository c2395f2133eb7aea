"""What each pack's floor and budget did, as numbers for the log, and what a log of them tells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tobler_pack.evidence.floor import Sieve
from tobler_pack.packs.pack import Pack
from tobler_pack.pipeline import Library
from tobler_pack.surfaces.log import QUANTILES, Log, Record
from tobler_pack.weighing.weights import Floats

NEAR_MISSES = 8
"""Refused chunks that a line of the log names: the best ones."""

_DIGITS = 4


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
    # `np.quantile` says the same, but loads numpy.ma for it, which takes longer than all the rest of a line.
    points = np.interp(np.linspace(0, len(cosines) - 1, QUANTILES), np.arange(len(cosines)), np.sort(cosines))
    return [round(one, _DIGITS) for one in points.tolist()]


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

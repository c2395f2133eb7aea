"""The cases: questions with known answers, read from a folder of JSON files. The format is described in README.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tobler_pack.types import LineRange

NAME, DOC = "name", "doc"
"""The kinds of symbol cases: the question names the definition, or describes it without its name."""

PUBLISHED = (
    "abseil-cpp", "aiohttp", "alamofire", "axum", "cats", "chi", "cobra", "commons-lang", "ecto", "exposed", "express",
    "fastapi", "fmtlib", "gin", "gson", "kotlinx-coroutines", "rack", "requests", "serde", "sinatra", "vitest", "zod",
)  # fmt: skip
"""The repositories of semble's benchmark whose pinned commits can still be had and whose annotations fit them."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an answer must hold: a file, or some of its lines."""

    path: str
    lines: LineRange | None = None


@dataclass(frozen=True, slots=True)
class SymbolCase:
    """One definition that is asked for."""

    repository: str
    commit: str
    query: str
    path: str
    lines: LineRange
    symbol: str
    kind: str

    @property
    def target(self) -> Target:
        """The definition as a target."""
        return Target(self.path, self.lines)


@dataclass(frozen=True, slots=True)
class RankingCase:
    """One question whose files are known."""

    query: str
    targets: tuple[Target, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Pinned:
    """Where a repository of the ranking cases comes from, its commit, and the folder that is searched ("": all)."""

    name: str
    url: str
    commit: str
    folder: str


@dataclass(frozen=True, slots=True)
class RankingSet:
    """The ranking cases of one repository."""

    pinned: Pinned
    cases: tuple[RankingCase, ...]


def symbol_cases(folder: Path) -> dict[str, list[SymbolCase]]:
    """All cases of the files symbols-*.jsonl, by repository."""
    found: dict[str, list[SymbolCase]] = {}
    for file in sorted(folder.glob("symbols-*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip():
                case = _symbol_case(json.loads(line))
                found.setdefault(case.repository, []).append(case)
    return found


def _symbol_case(row: dict[str, Any]) -> SymbolCase:
    lines = (row["line"], row["end"])
    return SymbolCase(row["repo"], row["commit"], row["query"], row["path"], lines, row["symbol"], row["kind"])


def ranking_sets(folder: Path, only: Sequence[str] | None = PUBLISHED) -> list[RankingSet]:
    """The cases of the files ndcg/*.json with what repos.json says of their repositories; `only` None takes all."""
    if not (folder / "repos.json").is_file():
        return []
    pinned = _pinned(json.loads((folder / "repos.json").read_text(encoding="utf-8")))
    sets: list[RankingSet] = []
    for file in sorted((folder / "ndcg").glob("*.json")):
        if file.stem in pinned and (only is None or file.stem in only):
            rows = json.loads(file.read_text(encoding="utf-8"))
            sets.append(RankingSet(pinned[file.stem], tuple(map(_ranking_case, rows))))
    return sets


def _pinned(table: dict[str, Any]) -> dict[str, Pinned]:
    rows = {name: row for name, row in table.items() if not name.startswith("_")}
    return {name: Pinned(name, row[0], row[1], row[2] or "") for name, row in rows.items()}


def _ranking_case(row: dict[str, Any]) -> RankingCase:
    targets = tuple(_target(one) for one in [*row["relevant"], *row.get("secondary", [])])
    return RankingCase(row["query"], targets, row.get("category") or "none")


def _target(value: str | dict[str, Any]) -> Target:
    if isinstance(value, str):
        return Target(value)
    path = value.get("path") or value["file_path"]
    return Target(path, (value["start_line"], value["end_line"]) if "start_line" in value else None)

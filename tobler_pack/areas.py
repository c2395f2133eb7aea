"""A large change cut into areas, one pack each: by top-level folder or by package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from tobler_pack.change import Change
from tobler_pack.corpus.changes import FileChange
from tobler_pack.evidence.change import shares
from tobler_pack.evidence.changed import ChangedDefinition

TOP_LEVEL, PACKAGE = "top-level", "package"
WAYS = (TOP_LEVEL, PACKAGE)
"""The ways to cut a change."""

_MOST_AREAS = 8
_LEAST_BUDGET = 400  # tokens of a pack that still shows something
_REST = "rest"
_ROOT = "root"
_PACKAGE_FILES = frozenset(
    {
        "pyproject.toml", "setup.py", "setup.cfg", "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
        "build.gradle.kts", "composer.json", "mix.exs", "Package.swift", "pubspec.yaml", "CMakeLists.txt", "build.sbt",
    }
)  # fmt: skip
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.]+")


@dataclass(frozen=True)
class Area:
    """A part of a change with its share of the budget. `name` is empty for the whole; it can stand in a file name."""

    name: str
    files: tuple[FileChange, ...]
    definitions: tuple[ChangedDefinition, ...]
    budget: int


def areas(change: Change, way: str | None, tracked: Sequence[str], budget: int) -> list[Area]:
    """The areas of a change in the order of their names; one without a name if it is not to be cut or has but one.

    Each gets a share of the budget by its changed lines (as `shares` counts them), though never less than a pack needs
    to show something; where the budget does not pay for so many packs, the smallest areas go together as ``rest``.
    """
    whole = Area("", change.files, change.definitions, budget)
    if way is None:
        return [whole]
    folders = _packages(tracked) if way == PACKAGE else None
    named = {file.path: _area(file.path, folders) for file in change.files}
    weights: dict[str, float] = dict.fromkeys(sorted(set(named.values())), 0.0)
    for one, share in zip(change.definitions, shares(change.definitions).tolist(), strict=True):
        weights[named[one.path]] += share
    kept = sorted(weights, key=lambda name: (-weights[name], name))
    most = max(1, min(_MOST_AREAS, budget // _LEAST_BUDGET))
    if len(kept) > most:
        kept = kept[: most - 1]
        named = {path: name if name in kept else _REST for path, name in named.items()}
    groups = sorted(set(named.values()))
    if len(groups) < 2:
        return [whole]
    sums = {group: sum(weights[name] for name in weights if _group(name, kept) == group) for group in groups}
    spare = budget - _LEAST_BUDGET * len(groups)
    total = sum(sums.values()) or 1.0
    names = _file_names(groups)
    return [
        Area(
            names[group],
            tuple(file for file in change.files if named[file.path] == group),
            tuple(one for one in change.definitions if named[one.path] == group),
            _LEAST_BUDGET + int(spare * sums[group] / total),
        )
        for group in groups
    ]


def _file_names(groups: Sequence[str]) -> dict[str, str]:
    """For each group a name that can stand in a file name, and that no other one has on any file system."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for group in groups:
        plain = _NOT_IN_NAMES.sub("-", group).strip("-.") or _ROOT
        tries = (plain if at == 1 else f"{plain}-{at}" for at in count(1))
        names[group] = next(name for name in tries if name.casefold() not in taken)
        taken.add(names[group].casefold())
    return names


def _group(name: str, kept: Sequence[str]) -> str:
    return name if name in kept else _REST


def _area(path: str, packages: frozenset[str] | None) -> str:
    *folders, _ = path.split("/")
    if packages is None:
        return folders[0] if folders else _ROOT
    for depth in range(len(folders), 0, -1):
        if "/".join(folders[:depth]) in packages:
            return "/".join(folders[:depth])
    return _ROOT


def _packages(tracked: Sequence[str]) -> frozenset[str]:
    """The folders that hold a file which only the root of a package has."""
    return frozenset(folder for folder, _, name in (path.rpartition("/") for path in tracked) if name in _PACKAGE_FILES)

"""What a run was asked to do, and what all commands need for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cases import PUBLISHED, RankingSet, SymbolCase, ranking_sets, symbol_cases
from benchmarks.checkouts import Checkout, find
from tobler_pack.corpus.place import VARIABLE

QUICK_CASES = 5
QUICK_REPOSITORIES = 3


@dataclass(frozen=True)
class Settings:
    """The options of one run. `work` is the folder for indexes and laid out trees; whatever is in it may be lost.

    `skipped` gathers the repositories that no clone was found for.
    """

    repos: tuple[Path, ...]
    cases: Path
    work: Path
    budgets: tuple[int, ...] = (2000,)
    only: tuple[str, ...] = ()
    every: bool = False
    peers: bool = True
    quick: bool = False
    skipped: set[str] = field(default_factory=set)

    def symbols(self) -> Iterator[tuple[Checkout, list[SymbolCase]]]:
        """Each repository of the symbol cases that there is a clone of."""
        found = 0
        for name, cases in symbol_cases(self.cases).items():
            checkout = self._find(name, cases[0].commit, "")
            if checkout is not None and self._wanted(found):
                found += 1
                yield checkout, [case for case in cases[self.few] if case.commit == checkout.commit]

    def rankings(self) -> Iterator[tuple[Checkout, RankingSet]]:
        """Each repository of the ranking cases that there is a clone of."""
        found = 0
        for one in ranking_sets(self.cases, None if self.every else PUBLISHED):
            checkout = self._find(one.pinned.name, one.pinned.commit, one.pinned.folder)
            if checkout is not None and self._wanted(found):
                found += 1
                yield checkout, RankingSet(one.pinned, one.cases[self.few])

    def clone_of(self, name: str, commit: str) -> Checkout | None:
        """The clone of a repository of co-change cases."""
        return self._find(name, commit, "")

    def _find(self, name: str, commit: str, folder: str) -> Checkout | None:
        if self.only and name not in self.only:
            return None
        checkout = find(name, commit, folder, self.repos)
        if checkout is None:
            self.skipped.add(f"{name} at {commit[:12]}")
        return checkout

    def _wanted(self, found: int) -> bool:
        return not self.quick or found < QUICK_REPOSITORIES

    @property
    def few(self) -> slice:
        """Which of the cases of a repository a run takes."""
        return slice(QUICK_CASES if self.quick else None)


def prepare(work: Path) -> None:
    """Keep what a run writes in its work folder, unless the user has a cache folder set."""
    work.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault(VARIABLE, str(work / "tobler-pack"))


def tell(text: str) -> None:
    """Progress, on standard error: standard output is for tables."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()

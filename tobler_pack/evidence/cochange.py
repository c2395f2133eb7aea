"""Files that changed together before."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tobler_pack.weighing.weights import Floats

MOST_FILES = 40
"""A commit that touches more files says nothing about any two of them: it reformats, renames or releases."""

HALF_LIFE = 400.0
"""After so many commits a joint change counts half."""

_RARE = 1.5  # added to the number of changes of a file, so that one accident is not a rule


@dataclass(frozen=True, slots=True)
class Companion:
    """How often a file changed together with one of the given ones, of how many changes of that one."""

    given: str
    together: int
    changes: int


def cochange(
    paths: Sequence[str], given: Mapping[str, float], commits: Sequence[Sequence[str]]
) -> tuple[Floats, Mapping[str, Companion]]:
    """For each of F paths how strongly it went with the given files (path: what it counts), 0 and up, and its best
    companion among them.

    Each commit of n files gives a pair 1 / √(n − 1), damped by its age: what a large commit says about any two of its
    files is little (after the weighting of co-change graphs in Beyer & Noack 2005, "Clustering Software Artifacts Based
    on Frequent Common Changes", which has n − 1). The sum is put in proportion to how often the given file changes.
    """
    pasts = {one: _Past() for one in given}
    for age, files in enumerate(commits):
        inside = [one for one in files if one in pasts]
        together = frozenset(files) if inside else frozenset()
        for one in inside:
            pasts[one].add(one, together, 0.5 ** (age / HALF_LIFE))
    position = {path: at for at, path in enumerate(paths)}
    scores = np.zeros(len(paths))
    best: dict[str, str] = {}
    strongest: dict[str, float] = {}
    for one, counts in given.items():
        for other, vote in sorted(pasts[one].votes.items()):
            if other in position:
                share = counts * vote / (pasts[one].mass + _RARE)
                scores[position[other]] += share
                if share > strongest.get(other, 0.0):
                    strongest[other] = share
                    best[other] = one
    return scores, {other: pasts[one].companion(other, one) for other, one in best.items()}


class _Past:
    """The commits that touched one given file."""

    def __init__(self) -> None:
        self.commits: list[frozenset[str]] = []
        self.mass = 0.0
        self.votes: defaultdict[str, float] = defaultdict(float)

    def add(self, given: str, files: frozenset[str], fresh: float) -> None:
        """Count one more; one of too many files says nothing about any two of them."""
        self.commits.append(files)
        if len(files) > MOST_FILES:
            return
        self.mass += fresh
        for other in files - {given}:
            self.votes[other] += fresh / math.sqrt(len(files) - 1)

    def companion(self, other: str, given: str) -> Companion:
        """How often, as a reader of the log counts: over all commits of the given file, large ones too."""
        return Companion(given, sum(other in files for files in self.commits), len(self.commits))

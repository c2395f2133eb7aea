"""Files that changed together before."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
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

    Each commit of n files gives a pair 1 / (n − 1), damped by its age: n − 1 pairs of a file share one vote
    (the weighting of co-change graphs in Beyer & Noack 2005, "Clustering Software Artifacts Based on Frequent Common
    Changes"). The sum is put in proportion to how often the given file changes at all.
    """
    votes: dict[str, defaultdict[str, float]] = {one: defaultdict(float) for one in given}
    totals: Counter[str] = Counter()
    masses: defaultdict[str, float] = defaultdict(float)
    pairs: Counter[tuple[str, str]] = Counter()
    for age, files in enumerate(commits):
        inside = [one for one in files if one in votes]
        if not inside or len(files) > MOST_FILES:
            continue
        fresh = 0.5 ** (age / HALF_LIFE)
        for one in inside:
            totals[one] += 1
            masses[one] += fresh
            for other in files:
                if other != one:
                    votes[one][other] += fresh / math.sqrt(len(files) - 1)
                    pairs[one, other] += 1
    position = {path: at for at, path in enumerate(paths)}
    scores = np.zeros(len(paths))
    best: dict[str, Companion] = {}
    strongest: dict[str, float] = {}
    for one, counts in given.items():
        for other, vote in votes[one].items():
            if other in position:
                share = counts * vote / (masses[one] + _RARE)
                scores[position[other]] += share
                if share > strongest.get(other, 0.0):
                    strongest[other] = share
                    best[other] = Companion(one, pairs[one, other], totals[one])
    return scores, best

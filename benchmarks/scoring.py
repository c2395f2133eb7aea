"""How answers are scored: pure functions over what an answer shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from benchmarks.cases import Target
from tobler_pack.types import LineRange

FIRST_LINES = 40
"""Of a long definition only so many lines are asked for."""

BODY = 0.5
"""From this share of its lines on a definition counts as shown with its body."""

RANKS = 10
"""The k of NDCG@k."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One piece of an answer: where it comes from, and which of its lines stand there word for word."""

    path: str
    span: LineRange
    lines: tuple[LineRange, ...]


def overlap(first: LineRange, second: LineRange) -> bool:
    """Whether two ranges share a line."""
    return first[0] <= second[1] and second[0] <= first[1]


def hits(shown: Iterable[Shown], target: Target) -> bool:
    """Whether a piece of any kind lies in the target."""
    return any(_matches(one, target) for one in shown)


def _matches(one: Shown, target: Target) -> bool:
    return one.path == target.path and (target.lines is None or overlap(one.span, target.lines))


def share_of_lines(shown: Iterable[Shown], target: Target, most: int = FIRST_LINES) -> float:
    """The share of the target's first lines that stand in the answer word for word."""
    if target.lines is None:
        raise ValueError(f"{target.path}: a target without lines has no share of them")
    first, last = target.lines
    wanted = set(range(first, min(last, first + most - 1) + 1))
    ranges = [range_ for one in shown if one.path == target.path for range_ in one.lines]
    found = {line for start, end in ranges for line in range(max(start, first), min(end, last) + 1)}
    return len(found & wanted) / len(wanted)


def ndcg(results: Sequence[Shown], targets: Sequence[Target], ranks: int = RANKS) -> float:
    """Normalized discounted cumulative gain: each target has gain 1 at the rank of the first result that matches it."""
    places = (next((at for at, one in enumerate(results[:ranks]) if _matches(one, target)), None) for target in targets)
    gained = sum(_discount(at) for at in places if at is not None)
    ideal = sum(_discount(at) for at in range(min(ranks, len(targets))))
    return gained / ideal if ideal else 0.0


def _discount(at: int) -> float:
    return 1.0 / math.log2(at + 2)


def by_file(results: Iterable[Shown]) -> list[Shown]:
    """The first result of each file."""
    first: dict[str, Shown] = {}
    for one in results:
        first.setdefault(one.path, one)
    return list(first.values())


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean of paired differences and its standard error."""

    mean: float
    error: float


def paired(ours: Sequence[float], theirs: Sequence[float]) -> Difference:
    """How much higher ours are, pair by pair."""
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    if not differences:
        return Difference(0.0, 0.0)
    error = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return Difference(fmean(differences), error)


def mean(values: Iterable[float]) -> float:
    """The mean; 0 of nothing."""
    kept = list(values)
    return fmean(kept) if kept else 0.0


def mean_of_means(groups: Mapping[str, Sequence[float]]) -> float:
    """The mean over groups of the mean in each: a repository with many questions counts no more than others."""
    return mean(mean(values) for values in groups.values())

"""What a pack may show: blocks with their names, lines and weights."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from types import MappingProxyType

from tobler_pack.types import Definition, LineRange, qualified

_NAMES_SHOWN = 4  # of a block that covers several definitions
_SIGNATURE_DOC_LINES = 6
_ENCLOSING_LINES = 3
_SPAN = attrgetter("span")  # by which definitions stand in order; `(line,)` comes before all that begin on that line


@dataclass(frozen=True, slots=True)
class Candidate:
    """One block of one file. `weight` is the sum of its chunks' weights.

    `full` and `signature` are the ranges that those tiers print word for word, in order and without overlap.
    `signature` is empty where a block has no declaration to show.
    """

    file: int
    path: str
    language: str
    lines: LineRange
    symbol: str
    weight: float
    full: tuple[LineRange, ...]
    signature: tuple[LineRange, ...]
    is_core: bool = True
    """Whether it belongs to the nucleus."""
    why: str = ""
    """Why it is there, in a few words of finished markdown; empty where the question itself is the reason."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may be shown, heaviest first and the nucleus before all others, and how many blocks the nucleus has."""

    found: Sequence[Candidate]
    in_nucleus: int


@dataclass(slots=True)
class Piece:
    """Lines of a file that no other piece has, and the weight that they carry."""

    file: int
    lines: LineRange
    weight: float
    is_core: bool


class Spread:
    """Blocks laid over files so that no line is covered twice and no weight is lost: what a block shares with an
    earlier (heavier) one goes to that one, with the share of its weight that lies there. Of lines that are `hidden`,
    by file, nothing is shown: a block's weight is that of its other lines.
    """

    def __init__(self, hidden: Mapping[int, Sequence[LineRange]] = MappingProxyType({})) -> None:
        self._pieces: dict[int, list[Piece]] = {}
        self._hidden = hidden

    def add(self, file: int, lines: LineRange, weight: float, *, is_core: bool) -> None:
        """Lay one block."""
        there = self._pieces.setdefault(file, [])
        start, end = lines
        hidden = self._hidden.get(file, ())
        visible = _uncovered(lines, hidden) if hidden else [lines]
        length = max(1, sum(last - first + 1 for first, last in visible))
        met: list[LineRange] = []
        for piece in there:
            first, last = piece.lines
            if first <= end and last >= start:
                piece.weight += weight * (min(end, last) - max(start, first) + 1) / length
                met.append(piece.lines)
        free = [part for seen in visible for part in _uncovered(seen, met)] if met else visible
        there += [Piece(file, part, weight * (part[1] - part[0] + 1) / length, is_core) for part in free]

    def __len__(self) -> int:
        return sum(map(len, self._pieces.values()))

    def by_weight(self) -> list[Piece]:
        """All pieces, the nucleus first, heaviest first, then in the order of files and lines."""
        pieces = [piece for there in self._pieces.values() for piece in there]
        return sorted(pieces, key=lambda piece: (not piece.is_core, -piece.weight, piece.file, piece.lines))


def _uncovered(lines: LineRange, covered: Sequence[LineRange]) -> list[LineRange]:
    """What is left of a range outside of others."""
    free: list[LineRange] = []
    start = lines[0]
    for first, last in sorted(covered):
        if last < start or first > lines[1]:
            continue
        if first > start:
            free.append((start, first - 1))
        start = max(start, last + 1)
    return [*free, (start, lines[1])] if start <= lines[1] else free


Description = tuple[str, tuple[LineRange, ...], tuple[LineRange, ...]]
"""The name of a block, and what its `full` and `signature` tiers print."""


def describe(lines: LineRange, definitions: Sequence[Definition]) -> Description:
    """What a block is called and what it can show.

    A block that begins inside a function is shown under that function's declaration.
    """
    inside = _inside(lines, definitions)
    outermost = _outermost(inside, definitions)
    if outermost:
        names = [qualified(at, definitions) for at in outermost[:_NAMES_SHOWN]]
        more = len(outermost) - len(names)
        symbol = ", ".join(names) + (f" and {more} more" if more else "")
        return symbol, (lines,), _signatures(outermost, inside, definitions)
    enclosing = _enclosing(lines, definitions)
    if enclosing is None:
        return "", (lines,), ()
    first, last = definitions[enclosing].declaration
    header = (first, min(last, first + _ENCLOSING_LINES - 1))
    full = (header, lines) if header[1] < lines[0] else (lines,)
    return qualified(enclosing, definitions), full, (header,)


def split(lines: LineRange, definitions: Sequence[Definition]) -> list[LineRange]:
    """A block cut behind each of its outermost definitions but the last: what is too large together may fit apart."""
    inside = _inside(lines, definitions)
    ends = [definitions[at].span[1] for at in _outermost(inside, definitions)]
    borders = [lines[0] - 1, *ends[:-1], lines[1]]
    return [(before + 1, end) for before, end in pairwise(borders) if before < end]


def _inside(lines: LineRange, definitions: Sequence[Definition]) -> list[int]:
    """The positions of the definitions that lie whole in a range."""
    first = bisect_left(definitions, (lines[0],), key=_SPAN)
    last = bisect_left(definitions, (lines[1] + 1,), key=_SPAN)
    return [at for at in range(first, last) if definitions[at].span[1] <= lines[1]]


def _outermost(inside: Sequence[int], definitions: Sequence[Definition]) -> list[int]:
    """Those of some definitions that lie in none of the others."""
    others = set(inside)
    return [at for at in inside if definitions[at].parent not in others]


def _enclosing(lines: LineRange, definitions: Sequence[Definition]) -> int | None:
    """The position of the innermost definition that holds a range and more; definitions nest, so it is an ancestor of
    the last one that begins before the range, or that one itself.
    """
    at: int | None = bisect_left(definitions, (lines[0] + 1,), key=_SPAN) - 1
    at = None if at == -1 else at
    while at is not None and (definitions[at].span == lines or not _contains(definitions[at].span, lines)):
        at = definitions[at].parent
    return at


def _signatures(
    outermost: Sequence[int], inside: Sequence[int], definitions: Sequence[Definition]
) -> tuple[LineRange, ...]:
    """Declarations with the beginning of their documentation; for one class those of its members too."""
    shown = inside if len(outermost) == 1 else outermost
    ranges: list[LineRange] = []
    for at in shown:
        one = definitions[at]
        ranges.append(one.declaration)
        if one.documentation is not None and at in outermost:
            first, last = one.documentation
            ranges.append((first, min(last, first + _SIGNATURE_DOC_LINES - 1)))
    return merge(ranges)


def first_lines(ranges: Sequence[LineRange], most: int) -> tuple[LineRange, ...]:
    """The first lines of some ranges, no more than `most` together."""
    kept: list[LineRange] = []
    for first, last in ranges:
        if most <= 0:
            break
        kept.append((first, min(last, first + most - 1)))
        most -= kept[-1][1] - first + 1
    return tuple(kept)


def merge(ranges: Sequence[LineRange]) -> tuple[LineRange, ...]:
    """The same lines as ranges in order that neither overlap nor touch."""
    merged: list[LineRange] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _contains(outer: LineRange, inner: LineRange) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]

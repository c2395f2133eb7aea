"""What a pack may show: blocks with their names, lines and weights."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tobler_pack.types import Definition, LineRange

_NAMES_SHOWN = 4  # of a block that covers several definitions
_SIGNATURE_DOC_LINES = 6
_ENCLOSING_LINES = 3


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


def describe(
    lines: LineRange, definitions: Sequence[Definition]
) -> tuple[str, tuple[LineRange, ...], tuple[LineRange, ...]]:
    """The name of a block, and what its `full` and `signature` tiers print.

    A block that begins inside a function is shown under that function's declaration.
    """
    inside = _inside(lines, definitions)
    outermost = [at for at in inside if definitions[at].parent not in inside]
    enclosing = _enclosing(lines, definitions)
    if outermost:
        names = [qualified(at, definitions) for at in outermost[:_NAMES_SHOWN]]
        more = len(outermost) - len(names)
        symbol = ", ".join(names) + (f" and {more} more" if more else "")
        return symbol, (lines,), _signatures(outermost, inside, definitions)
    if enclosing is None:
        return "", (lines,), ()
    first, last = definitions[enclosing].declaration
    header = (first, min(last, first + _ENCLOSING_LINES - 1))
    full = (header, lines) if header[1] < lines[0] else (lines,)
    return qualified(enclosing, definitions), full, (header,)


def split(lines: LineRange, definitions: Sequence[Definition]) -> list[LineRange]:
    """A block cut behind each of its outermost definitions but the last: what is too large together may fit apart."""
    inside = _inside(lines, definitions)
    ends = [definitions[at].span[1] for at in inside if definitions[at].parent not in inside]
    borders = [lines[0] - 1, *ends[:-1], lines[1]]
    return [(before + 1, end) for before, end in pairwise(borders) if before < end]


def _inside(lines: LineRange, definitions: Sequence[Definition]) -> list[int]:
    """The positions of the definitions that lie whole in a range."""
    first = bisect_left(definitions, lines[0], key=_first_line)
    last = bisect_right(definitions, lines[1], key=_first_line)
    return [at for at in range(first, last) if definitions[at].span[1] <= lines[1]]


def _enclosing(lines: LineRange, definitions: Sequence[Definition]) -> int | None:
    """The position of the innermost definition that holds a range and more; definitions nest, so it is an ancestor of
    the last one that begins before the range, or that one itself.
    """
    at: int | None = bisect_right(definitions, lines[0], key=_first_line) - 1
    at = None if at == -1 else at
    while at is not None and (definitions[at].span == lines or not _contains(definitions[at].span, lines)):
        at = definitions[at].parent
    return at


def _first_line(definition: Definition) -> int:
    return definition.span[0]


def qualified(at: int, definitions: Sequence[Definition]) -> str:
    """The name of a definition with those of the definitions around it, outermost first."""
    names: list[str] = []
    here: int | None = at
    while here is not None:
        names.append(definitions[here].name)
        here = definitions[here].parent
    return ".".join(reversed(names))


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

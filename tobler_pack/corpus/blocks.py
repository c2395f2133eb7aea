"""From chunks and definitions to blocks: what a pack shows when a chunk is worth showing.

A chunk is a stretch of about 750 characters; a reader wants whole definitions. So each chunk is mapped, once at index
time, to one block:

- it lies (mostly) in one definition of moderate size, or covers most of several: those definitions, whole;
- it lies in a definition too large for that: the chunk's own lines.

Mapping a chunk to the innermost definition at its middle loses its small neighbours, which was measured to be much
worse.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from tobler_pack.types import Definition, LineRange

SIZES = (100, 50, 25)
"""How many lines a definition of moderate size has at most, for large and ever smaller budgets: with some ten tokens to
a line, a block then fits 1,000, 500 or 250 tokens. Each chunk has one block for each size."""

_STRETCH = 0.6
"""Of a chunk inside a larger definition (a documentation string of 200 lines is one chunk) this share of a moderate
definition's lines is shown."""

_MOSTLY = 0.5

Atom = tuple[LineRange, int]
"""A definition of moderate size that lies in no other such: its lines and its position."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of one file. `definition` is the position of the one definition it shows, None for several or
    none.
    """

    lines: LineRange
    definition: int | None


def align(chunks: Sequence[LineRange], definitions: Sequence[Definition]) -> list[LineRange]:
    """Chunks whose borders do not part a declaration from what it declares.

    A syntax tree is cut between siblings: the short nodes of a declaration join the chunk before, its long body
    begins the next. The name of a definition would then count for its neighbour. So a border in or right behind a
    declaration moves up to the first line of the definition; a chunk that has no lines left joins the one after it.
    """
    heads: dict[int, int] = {}
    for definition in definitions:
        first, last = definition.span[0], _head_end(definition)
        if last < definition.span[1]:
            heads.update(dict.fromkeys(range(first + 1, last + 2), first))
    aligned: list[LineRange] = []
    start = chunks[0][0] if chunks else 1
    for (_, last), (following, _) in pairwise(chunks):
        border = following
        while border in heads:
            border = heads[border]
        if border > start:
            aligned.append((start, min(border - 1, last)))
            start = border
    return [*aligned, (start, chunks[-1][1])] if chunks else []


def _head_end(definition: Definition) -> int:
    """The last line of a declaration, or of the quotes that open its docstring: a tree may be cut behind them."""
    documentation = definition.documentation or (0, 0)
    return max(definition.declaration[1], documentation[0])


def map_chunks(
    chunks: Sequence[LineRange],
    definitions: Sequence[Definition],
    is_blank: Callable[[int], bool] = lambda line: False,
) -> tuple[list[Block], list[tuple[int, ...]]]:
    """The blocks of one file in order of their first line, and for each chunk the positions of its blocks, one a size.

    `is_blank` tells of a line whether nothing stands on it: a block neither begins nor ends with one.
    """
    found = [
        [_trimmed(_block(chunk, *parts, size), is_blank) for chunk in chunks]
        for size in SIZES
        for parts in [(_atoms(definitions, size), _large(definitions, size))]
    ]
    blocks = sorted({block for column in found for block in column}, key=_place)
    position = {block: at for at, block in enumerate(blocks)}
    return blocks, list(zip(*([position[block] for block in column] for column in found), strict=True))


def _large(definitions: Sequence[Definition], moderate: int) -> list[LineRange]:
    """The spans of the definitions that are too long to be shown whole."""
    return [one.span for one in definitions if one.span[1] - one.span[0] >= moderate]


def _place(block: Block) -> tuple[LineRange, int]:
    return block.lines, -1 if block.definition is None else block.definition


def _atoms(definitions: Sequence[Definition], moderate: int) -> list[Atom]:
    """The outermost definitions of moderate size, in order, without overlap."""
    inside_atom: list[bool] = []
    atoms: list[Atom] = []
    for at, definition in enumerate(definitions):
        covered = definition.parent is not None and inside_atom[definition.parent]
        start, end = definition.span
        fits = end - start < moderate
        inside_atom.append(covered or fits)
        if covered or not fits:
            continue
        if atoms and start <= atoms[-1][0][1]:  # two definitions on one line: one atom, named after the first
            (first, last), named = atoms[-1]
            atoms[-1] = ((first, max(last, end)), named)
        else:
            atoms.append(((start, end), at))
    return atoms


def _block(chunk: LineRange, atoms: Sequence[Atom], large: Sequence[LineRange], moderate: int) -> Block:
    """The chunk's lines, grown to the ends of definitions that it mostly covers and cut back from the others."""
    start, end = chunk
    kept: list[int] = []
    for (first, last), definition in takewhile(lambda atom: atom[0][0] <= chunk[1], _from(atoms, chunk[0])):
        overlap = min(end, last) - max(start, first) + 1
        if overlap >= _MOSTLY * (last - first + 1) or overlap >= _MOSTLY * (chunk[1] - chunk[0] + 1):
            kept.append(definition)
            start, end = min(start, first), max(end, last)
        elif first <= chunk[0]:
            start = max(start, last + 1)
        else:
            end = min(end, first - 1)
    if start > end:
        start, end = chunk
    stretch = int(_STRETCH * moderate)
    if not kept:
        end = min(end, start + stretch - 1)
    head = next((span for span in large if start <= span[0] <= end), None)
    if head is not None:
        end = max(end, _head_end_of_large(head, end, stretch, atoms))
        kept = []
    return Block((start, end), kept[0] if len(kept) == 1 else None)


def _head_end_of_large(span: LineRange, end: int, stretch: int, atoms: Sequence[Atom]) -> int:
    """How far the head of a large definition is shown, which is what somebody sees who opens it: of a function a
    stretch, of a class down to the last member within a stretch.
    """
    furthest = min(span[0] + stretch - 1, span[1])
    members = [last for (_, last), _ in takewhile(lambda atom: atom[0][0] <= furthest, _from(atoms, end + 1))]
    return max((last for last in members if last <= furthest), default=end if members else furthest)


def _from(atoms: Sequence[Atom], line: int) -> Iterator[Atom]:
    """The definitions that end on a line or below it."""
    return islice(atoms, bisect_left(atoms, line, key=_last_line), None)


def _last_line(atom: Atom) -> int:
    return atom[0][1]


def _trimmed(block: Block, is_blank: Callable[[int], bool]) -> Block:
    start, end = block.lines
    while start < end and is_blank(start):
        start += 1
    while start < end and is_blank(end):
        end -= 1
    return Block((start, end), block.definition)

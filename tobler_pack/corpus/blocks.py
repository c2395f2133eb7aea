"""From chunks and definitions to blocks: what a pack shows when a chunk is worth showing.

A chunk is a stretch of about 750 characters; a reader wants whole definitions. So each chunk is mapped, once at index
time, to one block:

- it lies (mostly) in one definition of moderate size, or covers most of several: those definitions, whole;
- it lies in a definition too large for that: the chunk's own lines.

Mapping a chunk to the innermost definition at its middle loses its small neighbours, which was measured to be much worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tobler_pack.types import Definition, LineRange

MODERATE_LINES = 100
"""A definition up to this long is shown whole. About 1,000 tokens: half of the default budget."""

_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of one file. `definition` is the position of the one definition it shows, None for several or none."""

    lines: LineRange
    definition: int | None


def map_chunks(chunks: Sequence[LineRange], definitions: Sequence[Definition]) -> tuple[list[Block], list[int]]:
    """The blocks of one file in order of their first line, and for each chunk the position of its block."""
    atoms = _atoms(definitions)
    found = [_block(chunk, atoms) for chunk in chunks]
    blocks = sorted(set(found), key=lambda block: (block.lines, -1 if block.definition is None else block.definition))
    position = {block: at for at, block in enumerate(blocks)}
    return blocks, [position[block] for block in found]


def _atoms(definitions: Sequence[Definition]) -> list[tuple[LineRange, int]]:
    """The outermost definitions of moderate size, in order, without overlap."""
    inside_atom: list[bool] = []
    atoms: list[tuple[LineRange, int]] = []
    for at, definition in enumerate(definitions):
        covered = definition.parent is not None and inside_atom[definition.parent]
        start, end = definition.span
        fits = end - start < MODERATE_LINES
        inside_atom.append(covered or fits)
        if covered or not fits:
            continue
        if atoms and start <= atoms[-1][0][1]:  # two definitions on one line: one atom, named after the first
            (first, last), named = atoms[-1]
            atoms[-1] = ((first, max(last, end)), named)
        else:
            atoms.append(((start, end), at))
    return atoms


def _block(chunk: LineRange, atoms: Sequence[tuple[LineRange, int]]) -> Block:
    """The chunk's lines, grown to the ends of definitions that it mostly covers and cut back from the others."""
    start, end = chunk
    kept: list[int] = []
    for (first, last), definition in atoms:
        overlap = min(end, last) - max(start, first) + 1
        if overlap <= 0:
            continue
        if overlap >= _MOSTLY * (last - first + 1) or overlap >= _MOSTLY * (chunk[1] - chunk[0] + 1):
            kept.append(definition)
            start, end = min(start, first), max(end, last)
        elif first <= chunk[0]:
            start = max(start, last + 1)
        else:
            end = min(end, first - 1)
    if start > end:
        return Block(chunk, None)
    return Block((start, end), kept[0] if len(kept) == 1 else None)

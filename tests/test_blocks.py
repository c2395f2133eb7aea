"""From chunks to blocks: whole definitions where they fit, and no name that counts for its neighbour."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tobler_pack.corpus.blocks import SIZES, Block, align, map_chunks
from tobler_pack.types import Definition, LineRange

LARGE = 0  # the column of the largest size


def definition(first: int, last: int, *, parent: int | None = None, head: int = 1, name: str = "f") -> Definition:
    """A definition whose declaration takes its first `head` lines."""
    return Definition(name, "function", (first, last), (first, first + head - 1), None, parent)


def blocks_of(
    chunks: list[LineRange], definitions: list[Definition], size: int = LARGE
) -> list[tuple[LineRange, int | None]]:
    """The block of each chunk at one size."""
    blocks, chunk_blocks = map_chunks(chunks, definitions)
    return [(blocks[row[size]].lines, blocks[row[size]].definition) for row in chunk_blocks]


@pytest.mark.parametrize(
    ("chunks", "definitions", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param([(1, 9)], [], [((1, 9), None)], id="no definition"),
        pytest.param([(1, 9)], [definition(1, 9)], [((1, 9), 0)], id="just one"),
        pytest.param([(3, 5)], [definition(1, 9)], [((1, 9), 0)], id="inside one"),
        pytest.param([(1, 5), (6, 9)], [definition(1, 9)], [((1, 9), 0), ((1, 9), 0)], id="two chunks of one"),
        pytest.param([(1, 9)], [definition(2, 4), definition(6, 8)], [((1, 9), None)], id="two small ones and more"),
        pytest.param([(1, 9)], [definition(3, 5)], [((1, 9), 0)], id="one among plain lines"),
        pytest.param(
            [(1, 10)], [definition(1, 8), definition(9, 30)], [((1, 8), 0)], id="the beginning of the next is cut off"
        ),
        pytest.param(
            [(28, 40)], [definition(1, 29), definition(31, 40)], [((30, 40), 1)], id="the end of the last is cut off"
        ),
        pytest.param(
            [(5, 25)], [definition(1, 20), definition(21, 40)], [((1, 20), 0)], id="mostly one, a little of the next"
        ),
        pytest.param(
            [(1, 30)],
            [definition(1, 30), definition(2, 10, parent=0), definition(11, 30, parent=0)],
            [((1, 30), 0)],
            id="a class of moderate size with its methods",
        ),
        pytest.param(
            [(2, 10), (11, 40)],
            [definition(1, 400), definition(2, 10, parent=0), definition(11, 40, parent=0)],
            [((2, 10), 1), ((11, 40), 2)],
            id="methods of a very large class",
        ),
        pytest.param([(100, 120)], [definition(1, 400)], [((100, 120), None)], id="inside a very large function"),
        pytest.param([(1, 1)], [definition(1, 1), definition(1, 1, name="g")], [((1, 1), 0)], id="two on one line"),
    ],
)
def test_blocks(
    chunks: list[LineRange], definitions: list[Definition], expected: list[tuple[LineRange, int | None]]
) -> None:
    assert blocks_of(chunks, definitions) == expected


def test_a_long_stretch_without_definitions_is_cut() -> None:
    (((first, last), named),) = blocks_of([(1, 1000)], [definition(1, 1000)])
    assert (first, named) == (1, None)
    assert last < SIZES[LARGE]


def test_a_definition_is_moderate_for_large_budgets_and_not_for_small_ones() -> None:
    lines = SIZES[0]
    columns = [blocks_of([(10, 20)], [definition(1, lines)], size) for size in range(len(SIZES))]
    assert columns[0] == [((1, lines), 0)]
    assert columns[-1] == [((10, 20), None)]


def test_blank_lines_at_the_ends_are_not_shown() -> None:
    blocks, _ = map_chunks([(1, 10)], [], lambda line: line not in (4, 6))
    assert {block.lines for block in blocks} == {(4, 6)}


@pytest.mark.parametrize(
    ("chunks", "definitions", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param([(1, 9)], [definition(3, 9)], [(1, 9)], id="one chunk stays"),
        pytest.param([(1, 4), (5, 9)], [definition(5, 9)], [(1, 4), (5, 9)], id="a border at a declaration stays"),
        pytest.param(
            [(1, 5), (6, 9)], [definition(5, 9)], [(1, 4), (5, 9)], id="a border behind a declaration moves up"
        ),
        pytest.param([(1, 6), (7, 9)], [definition(5, 9, head=3)], [(1, 4), (5, 9)], id="a border inside one moves up"),
        pytest.param([(1, 7), (8, 9)], [definition(5, 9)], [(1, 7), (8, 9)], id="a border in a body stays"),
        pytest.param([(5, 5), (6, 9)], [definition(5, 9)], [(5, 9)], id="a chunk without lines joins the next"),
        pytest.param(
            [(1, 3), (4, 9)],
            [definition(2, 9), definition(3, 9, parent=0)],
            [(1, 1), (2, 9)],
            id="a border behind two declarations moves over both",
        ),
        pytest.param([(1, 5), (6, 9)], [definition(5, 5)], [(1, 5), (6, 9)], id="a definition of one line stays"),
    ],
)
def test_borders_do_not_part_a_declaration_from_its_body(
    chunks: list[LineRange], definitions: list[Definition], expected: list[LineRange]
) -> None:
    assert align(chunks, definitions) == expected


@st.composite
def files(draw: st.DrawFn) -> tuple[list[LineRange], list[Definition]]:
    """Chunks and definitions, nested at most once, of a file."""
    cuts = sorted(draw(st.sets(st.integers(2, 300), max_size=30)))
    chunks = [(first, last - 1) for first, last in zip([1, *cuts], [*cuts, 301], strict=True)]
    found: list[Definition] = []
    line = 1
    for size, inner in draw(st.lists(st.tuples(st.integers(1, 120), st.booleans()), max_size=8)):
        if line + size > 300:
            break
        found.append(definition(line, line + size - 1))
        if inner and size > 4:
            found.append(definition(line + 1, line + size - 2, parent=len(found) - 1))
        line += size + draw(st.integers(0, 5))
    return chunks, found


@given(files())
def test_aligned_chunks_are_the_same_lines(file: tuple[list[LineRange], list[Definition]]) -> None:
    chunks, definitions = file
    aligned = align(chunks, definitions)
    assert all(first <= last for first, last in aligned)
    assert aligned[0][0] == 1
    assert aligned[-1][1] == 300
    assert all(end + 1 == start for (_, end), (start, _) in pairwise(aligned))


@given(files())
def test_every_chunk_has_a_block_that_touches_it_at_each_size(file: tuple[list[LineRange], list[Definition]]) -> None:
    chunks, definitions = file
    blocks, chunk_blocks = map_chunks(chunks, definitions)
    assert blocks == sorted(set(blocks), key=lambda one: (one.lines, -1 if one.definition is None else one.definition))
    for (first, last), row in zip(chunks, chunk_blocks, strict=True):
        assert len(row) == len(SIZES)
        for at in row:
            start, end = blocks[at].lines
            assert start <= last
            assert end >= first


@given(files())
def test_a_block_that_is_named_holds_its_definition_whole(file: tuple[list[LineRange], list[Definition]]) -> None:
    chunks, definitions = file
    for block in map_chunks(chunks, definitions)[0]:
        if block.definition is not None:
            span = definitions[block.definition].span
            assert block.lines[0] <= span[0]
            assert span[1] <= block.lines[1]


def test_blocks_are_plain_records() -> None:
    assert Block((1, 2), None) == Block((1, 2), None)

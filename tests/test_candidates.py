"""What a block is called, and which of its lines each tier shows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tobler_pack.packs.candidates import Spread, describe, merge, split
from tobler_pack.types import Definition, LineRange, qualified

tolerant = settings(max_examples=150, deadline=None)


def definition(
    name: str,
    span: LineRange,
    declaration: LineRange | None = None,
    documentation: LineRange | None = None,
    parent: int | None = None,
) -> Definition:
    """A definition that is declared on its first line unless told otherwise."""
    return Definition(name, "function", span, declaration or (span[0], span[0]), documentation, parent)


# A file with a short function, a class of two methods, and a function of 500 lines that has another one inside.
FILE = (
    definition("helper", (3, 6), (3, 4), (5, 5)),
    definition("Store", (10, 40), (10, 11), (12, 30)),
    definition("get", (32, 35), (32, 32), (33, 33), parent=1),
    definition("put", (37, 40), (37, 38), parent=1),
    definition("main", (50, 549), (50, 58)),
    definition("inner", (100, 300), (100, 101), parent=4),
    definition("leaf", (120, 122), (120, 120), parent=5),
    definition("one", (560, 561)),
    definition("two", (562, 563)),
    definition("three", (564, 565)),
    definition("four", (566, 567)),
    definition("five", (568, 569)),
    definition("six", (570, 571)),
)


@pytest.mark.parametrize(
    ("lines", "symbol", "full", "signature"),
    [
        pytest.param((3, 6), "helper", [(3, 6)], [(3, 5)], id="a function, just so"),
        pytest.param((1, 8), "helper", [(1, 8)], [(3, 5)], id="a function and what is around it"),
        pytest.param((32, 35), "Store.get", [(32, 35)], [(32, 33)], id="a method in a class"),
        pytest.param((37, 40), "Store.put", [(37, 40)], [(37, 38)], id="a method without documentation"),
        pytest.param((32, 40), "Store.get, Store.put", [(32, 40)], [(32, 33), (37, 38)], id="several methods"),
        pytest.param(
            (10, 40), "Store", [(10, 40)], [(10, 17), (32, 32), (37, 38)], id="a class with those of its members"
        ),
        pytest.param((1, 40), "helper, Store", [(1, 40)], [(3, 5), (10, 17)], id="a function and a class"),
        pytest.param((560, 563), "one, two", [(560, 563)], [(560, 560), (562, 562)], id="small definitions"),
        pytest.param(
            (560, 571),
            "one, two, three, four and 2 more",
            [(560, 571)],
            [(560, 560), (562, 562), (564, 564), (566, 566), (568, 568), (570, 570)],
            id="more than can be named",
        ),
        pytest.param((400, 450), "main", [(50, 52), (400, 450)], [(50, 52)], id="a stretch of a large function"),
        pytest.param((200, 250), "main.inner", [(100, 101), (200, 250)], [(100, 101)], id="a stretch further in"),
        pytest.param((50, 90), "main", [(50, 90)], [(50, 52)], id="the beginning of a large function"),
        pytest.param((52, 90), "main", [(52, 90)], [(50, 52)], id="from the middle of a declaration"),
        pytest.param((53, 90), "main", [(50, 52), (53, 90)], [(50, 52)], id="from behind what is shown of it"),
        pytest.param((110, 140), "main.inner.leaf", [(110, 140)], [(120, 120)], id="a function deep inside"),
        pytest.param((41, 45), "", [(41, 45)], [], id="nothing around"),
        pytest.param((1, 2), "", [(1, 2)], [], id="before everything"),
        pytest.param((600, 610), "", [(600, 610)], [], id="behind everything"),
        pytest.param((5, 9), "", [(5, 9)], [], id="the end of a function and more"),
        pytest.param((38, 60), "", [(38, 60)], [], id="from one into the next"),
    ],
)  # fmt: skip
def test_describe(lines: LineRange, symbol: str, full: list[LineRange], signature: list[LineRange]) -> None:
    assert describe(lines, FILE) == (symbol, tuple(full), tuple(signature))


def test_a_file_without_definitions() -> None:
    assert describe((1, 20), ()) == ("", ((1, 20),), ())


def test_long_documentation_is_cut() -> None:
    one = definition("f", (1, 40), (1, 2), (3, 30))
    assert describe((1, 40), [one])[2] == ((1, 8),)


def test_documentation_before_the_declaration() -> None:
    one = definition("f", (1, 20), (9, 10), (1, 8))
    assert describe((1, 20), [one])[2] == ((1, 6), (9, 10))


def test_two_definitions_on_one_line() -> None:
    both = [definition("f", (1, 1)), definition("g", (1, 1))]
    assert describe((1, 1), both) == ("f, g", ((1, 1),), ((1, 1),))


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        pytest.param(0, "helper", id="outermost"),
        pytest.param(2, "Store.get", id="method"),
        pytest.param(6, "main.inner.leaf", id="two levels"),
    ],
)
def test_qualified(at: int, expected: str) -> None:
    assert qualified(at, FILE) == expected


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param([(1, 2), (4, 5)], [(1, 2), (4, 5)], id="apart"),
        pytest.param([(1, 2), (3, 5)], [(1, 5)], id="touching"),
        pytest.param([(1, 4), (3, 5)], [(1, 5)], id="overlapping"),
        pytest.param([(1, 9), (3, 5)], [(1, 9)], id="one in another"),
        pytest.param([(7, 8), (1, 2)], [(1, 2), (7, 8)], id="out of order"),
    ],
)
def test_merge(ranges: list[LineRange], expected: list[LineRange]) -> None:
    assert merge(ranges) == tuple(expected)


ranges = st.tuples(st.integers(1, 40), st.integers(0, 9)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def lines_of(some: list[LineRange] | tuple[LineRange, ...]) -> set[int]:
    return {line for first, last in some for line in range(first, last + 1)}


@tolerant
@given(st.lists(ranges, max_size=8))
def test_merged_ranges_hold_the_same_lines_and_keep_apart(some: list[LineRange]) -> None:
    merged = merge(some)
    assert lines_of(merged) == lines_of(some)
    assert all(before[1] + 1 < after[0] for before, after in pairwise(merged))


@st.composite
def nested(draw: st.DrawFn, first: int = 1, last: int = 60, parent: int | None = None) -> list[Definition]:
    """Definitions as an outline gives them: in the order of their lines, parents before children."""
    found: list[Definition] = []

    def fill(first: int, last: int, parent: int | None, depth: int) -> None:
        line = first
        while line <= last and draw(st.booleans()):
            start = draw(st.integers(line, last))
            end = draw(st.integers(start, last))
            declared = draw(st.integers(start, end))
            found.append(definition(f"d{len(found)}", (start, end), (start, declared), parent=parent))
            if depth < 3:
                fill(start + 1, end, len(found) - 1, depth + 1)
            line = end + 1

    fill(first, last, parent, 0)
    return found


@tolerant
@given(nested(), st.tuples(st.integers(1, 60), st.integers(0, 40)).map(lambda pair: (pair[0], pair[0] + pair[1])))
def test_whatever_is_shown_of_a_block_belongs_to_it(definitions: list[Definition], lines: LineRange) -> None:
    symbol, full, signature = describe(lines, definitions)
    assert lines_of(full) >= lines_of((lines,))
    assert all(before[1] < after[0] for before, after in pairwise(full))
    assert all(before[1] < after[0] for before, after in pairwise(signature))
    inside = [one for one in definitions if lines[0] <= one.span[0] and one.span[1] <= lines[1]]
    around = [one for one in definitions if one.span[0] <= lines[0] and lines[1] <= one.span[1] and one not in inside]
    declared = lines_of([one.declaration for one in inside or around[-1:]])
    assert lines_of(signature) <= declared
    assert bool(symbol) == bool(signature) == bool(inside or around)
    if inside:
        assert full == (lines,)
        assert symbol.split(", ")[0].split(".")[-1] == inside[0].name or " and " in symbol
    elif around:
        assert symbol.split(".")[-1] == around[-1].name
        assert lines_of(full) - lines_of((lines,)) <= declared


# blocks that share lines


RANGE = st.tuples(st.integers(1, 40), st.integers(0, 15)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(blocks=st.lists(st.tuples(st.integers(0, 1), RANGE, st.floats(0.001, 1)), max_size=12))
def test_no_line_is_covered_twice_and_no_weight_is_lost(blocks: list[tuple[int, LineRange, float]]) -> None:
    spread = Spread()
    for file, lines, weight in blocks:
        spread.add(file, lines, weight, is_core=True)
    pieces = spread.by_weight()
    covered = [(piece.file, line) for piece in pieces for line in range(piece.lines[0], piece.lines[1] + 1)]
    assert len(covered) == len(set(covered))
    asked = {(file, line) for file, (first, last), _ in blocks for line in range(first, last + 1)}
    assert set(covered) == asked
    assert sum(piece.weight for piece in pieces) == pytest.approx(sum(weight for _, _, weight in blocks))


def test_shared_lines_go_to_the_block_that_came_first_with_their_share_of_the_weight() -> None:
    spread = Spread()
    spread.add(0, (11, 20), 0.6, is_core=True)
    spread.add(0, (1, 20), 0.2, is_core=True)
    assert [(piece.lines, round(piece.weight, 3)) for piece in spread.by_weight()] == [((11, 20), 0.7), ((1, 10), 0.1)]


def test_the_nucleus_comes_before_heavier_names() -> None:
    spread = Spread()
    spread.add(0, (1, 5), 0.3, is_core=False)
    spread.add(1, (1, 5), 0.2, is_core=True)
    assert [piece.is_core for piece in spread.by_weight()] == [True, False]


def test_a_block_is_parted_behind_its_definitions() -> None:
    found = [
        Definition("a", "function", (2, 4), (2, 2), None, None),
        Definition("inner", "function", (3, 4), (3, 3), None, 0),
        Definition("b", "function", (7, 9), (7, 7), None, None),
    ]
    assert split((1, 10), found) == [(1, 4), (5, 10)]
    assert split((1, 10), found[:2]) == [(1, 10)]
    assert split((1, 10), []) == [(1, 10)]

"""The definitions of one file, by tree-sitter: their names, lines, declarations and documentation.

The only module that talks to tree-sitter. One query per language (`grammar_table`) finds the units in C; what
is left here is arithmetic on the few nodes that it answers with. Nothing recurses, so nesting has no limit.
Inside this module rows count from 0, as tree-sitter has them; lines in a `Definition` count from 1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tobler_pack.corpus.grammar_table import (
    ALIASES,
    CLAUSE_LANGUAGES,
    HEADING_LANGUAGES,
    QUERIES,
    SCRIPT_LANGUAGES,
    SHALLOW_LANGUAGES,
)
from tobler_pack.errors import EnvironmentProblem
from tobler_pack.types import Definition, LineRange

if TYPE_CHECKING:
    # The ban on these imports is for every other module; this one is the owner.
    from tree_sitter import Language, Node, Parser, Query, Tree  # noqa: TID251

Captures = dict[str, "list[Node]"]
Rows = tuple[int, int]

KINDS = (
    "function",
    "method",
    "class",
    "impl",
    "module",
    "type",
    "constant",
    "macro",
    "section",
    "prototype",
)
"""What a query can call a unit. `prototype` never leaves this module."""

_TYPE_KINDS = frozenset({"class", "impl"})  # a function directly inside is a method
_CALLABLE_KINDS = frozenset({"function", "method"})  # a value directly inside is a local
_SHORT_KINDS = frozenset({"constant", "type", "macro"})

_SHORT_DECLARATION = 3
"""Lines of a value that tell how it is used; the rest of a long table or template is its content."""

# Fields and wrappers between a declarator and its identifier, as in `int **(*f)(int)`, `A::B<T>::f`, `A<T>`.
_NAME_FIELDS = ("declarator", "name", "type")
_NAME_WRAPPERS = frozenset(
    {
        "parenthesized_declarator",
        "pointer_declarator",
        "reference_declarator",
        "signature",
        "typed_expression",
        "where_expression",
        "call_expression",
        "type_head",
        "parametrized_type_expression",
        "binary_expression",
    }
)

# Comments that speak about the file, not about what stands below them.
_FILE_COMMENTS = (b"#!", b"//!", b"/*!")

_QUOTES = "\"'"
_SCRIPT_TAG = re.compile(rb"<script\b[^>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_NOT_NEWLINE = re.compile(rb"[^\n]")
_PATTERN_BORDER = re.compile(r"\n(?=\()")
_STATEMENT_BORDER = re.compile(rb"[{};]")
_SETEXT_LEVELS = {"=": 1, "-": 2}


class _Lead(NamedTuple):
    """A comment or attribute that stands alone on its lines; the dictionary key is its last row."""

    first: int
    is_comment: bool


class _PartialQuery(NamedTuple):
    query: Query
    numbers: tuple[int, ...]  # of its patterns in the language's whole query
    max_depth: int | None  # of the node where a pattern starts; the root has depth 0


class _Unit(NamedTuple):
    """One definition before it knows its parent: byte range for nesting, rows for everything else."""

    name: str
    kind: str
    start: int
    end: int
    span: Rows
    declaration: Rows
    documentation: Rows | None


@dataclass(slots=True)
class _Matches:
    """A query's answers, sorted by what they are for. Nodes go by their id, names by their first byte."""

    units: dict[int, tuple[int, str, Captures]] = field(default_factory=dict)
    bodies: dict[int, Node] = field(default_factory=dict)
    docs: dict[int, Node] = field(default_factory=dict)
    wrappers: dict[int, Node] = field(default_factory=dict)
    leads: dict[int, _Lead] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)


def parse(source: bytes, language: str) -> Tree | None:
    """The syntax tree of one file, or None where there is no grammar for its language or this platform.

    Parsers are kept for the process and not shared between threads' calls: parse from one thread at a time.
    """
    parser = _parser(SCRIPT_LANGUAGES.get(language, language))
    if parser is None:
        return None
    return parser.parse(_scripts_only(source) if language in SCRIPT_LANGUAGES else source)


def definitions(tree: Tree, source: bytes, language: str) -> tuple[Definition, ...]:
    """The file's definitions in order of their first line, parents before children.

    `tree` comes from `parse` with the same source and language. Empty for languages outside the table.
    """
    queries = _queries(SCRIPT_LANGUAGES.get(language, language))
    if not queries:
        return ()
    lines = source.split(b"\n")
    matches = _collect(_answers(queries, tree), lines)
    units = _units(matches, lines)
    if language in HEADING_LANGUAGES:
        units = _sections(units, lines, _SETEXT_LEVELS if language == "markdown" else {})
    if language in CLAUSE_LANGUAGES:
        units = _join_clauses(units)
    return _nest(units)


@cache
def _parser(language: str) -> Parser | None:
    from semble_grammars import (  # noqa: TID251
        GrammarLoadError,
        LanguageNotFoundError,
        UnsupportedPlatformError,
        get_parser,
    )

    try:
        parser: Parser = get_parser(language)
    except (LanguageNotFoundError, UnsupportedPlatformError):
        return None
    except GrammarLoadError as error:  # cut by lines, the file would give another pack than on the next machine
        raise EnvironmentProblem(
            f"the grammar for {language} cannot be loaded: {error} ({error.__cause__}); remove the folder "
            f"{os.environ.get('SEMBLE_GRAMMARS_CACHE_DIR', 'of semble-grammars')}, or set TOBLER_PACK_CACHE to one "
            "with room, from which libraries may be loaded"
        ) from None
    return parser


@cache
def _queries(language: str) -> tuple[_PartialQuery, ...]:
    """The language's query in two parts: patterns that start at the root, and those that start anywhere.

    A root pattern inside the general query stays alive until the file ends and is compared with every node;
    run apart, without looking for starts below the root, it costs next to nothing.
    """
    text = QUERIES.get(ALIASES.get(language, language))
    parser = _parser(language)
    if text is None or parser is None or parser.language is None:
        return ()
    root = parser.parse(b"").root_node.type
    numbered = list(enumerate(_PATTERN_BORDER.split(text.strip())))
    at_root = [entry for entry in numbered if entry[1].startswith(f"({root} ")]
    anywhere = [entry for entry in numbered if not entry[1].startswith(f"({root} ")]
    parts = ((at_root, 0), (anywhere, SHALLOW_LANGUAGES.get(language)))
    return tuple(_partial(parser.language, part, depth) for part, depth in parts if part)


def _partial(language: Language, numbered: list[tuple[int, str]], max_depth: int | None) -> _PartialQuery:
    """One compiled query of several patterns, without those that this grammar has no nodes for.

    Dialects (Starlark of Python) and other versions of a grammar lack some: their other definitions must still be
    found.
    """
    known = numbered
    query = _compiled(language, known)
    if query is None:
        known = [entry for entry in numbered if _compiled(language, [entry]) is not None]
        query = _compiled(language, known)
    assert query is not None
    return _PartialQuery(query, tuple(number for number, _ in known), max_depth)


def _compiled(language: Language, numbered: list[tuple[int, str]]) -> Query | None:
    from tree_sitter import Query, QueryError  # noqa: TID251

    try:
        return Query(language, "\n".join(pattern for _, pattern in numbered))
    except QueryError:
        return None


def _answers(queries: Iterable[_PartialQuery], tree: Tree) -> Iterator[tuple[int, Captures]]:
    """Every match with its pattern's place in the language's whole query."""
    from tree_sitter import QueryCursor  # noqa: TID251

    for query, numbers, max_depth in queries:
        cursor = QueryCursor(query)
        if max_depth is not None:
            cursor.set_max_start_depth(max_depth)
        for pattern, captures in cursor.matches(tree.root_node):
            yield numbers[pattern], captures


def _scripts_only(source: bytes) -> bytes:
    """The source with everything outside `<script>` blanked, so that offsets and lines stay what they are."""
    kept = bytearray(_NOT_NEWLINE.sub(b" ", source))
    for script in _SCRIPT_TAG.finditer(source):
        kept[script.start(1) : script.end(1)] = script[1]
    return bytes(kept)


def _collect(answers: Iterable[tuple[int, Captures]], lines: list[bytes]) -> _Matches:
    found = _Matches()
    for pattern, captures in answers:
        if "comment" in captures:
            _add_lead(found.leads, captures["comment"][0], lines, is_comment=True)
        elif "name" in captures:
            _add_unit(found.units, pattern, captures)
        elif "mark" in captures:
            _add_lead(found.leads, captures["mark"][0], lines, is_comment=False)
        else:
            _add_remark(found, captures)
    return found


def _add_lead(leads: dict[int, _Lead], node: Node, lines: list[bytes], *, is_comment: bool) -> None:
    row, column = node.start_point
    line = lines[row]
    # What follows code on its line speaks about that code.
    if line[:column].strip() or (is_comment and line.startswith(_FILE_COMMENTS, column)):
        return
    leads[_last_row(node)] = _Lead(row, is_comment)


def _add_unit(units: dict[int, tuple[int, str, Captures]], pattern: int, captures: Captures) -> None:
    place = captures["name"][0].start_byte
    known = units.get(place)
    if known is None or pattern < known[0]:
        kind = next(kind for kind in captures if kind in KINDS)
        units[place] = (pattern, kind, captures)


def _add_remark(found: _Matches, captures: Captures) -> None:
    if "owner" in captures:
        owner = captures["owner"][0].id
        if "body" in captures:
            found.bodies.setdefault(owner, captures["body"][0])
        if "doc" in captures:
            found.docs.setdefault(owner, captures["doc"][0])
    elif "outer" in captures:
        found.wrappers[captures["inner"][0].id] = captures["outer"][0]
    elif "skip" in captures:
        found.skipped.add(captures["skip"][0].start_byte)


def _units(matches: _Matches, lines: list[bytes]) -> list[_Unit]:
    """Every named unit, ordered so that whatever encloses another comes before it."""
    made = (
        _unit(kind, captures, matches, lines)
        for place, (_, kind, captures) in matches.units.items()
        if place not in matches.skipped
    )
    return sorted((unit for unit in made if unit.name), key=lambda unit: (unit.start, -unit.end))


def _unit(kind: str, captures: Captures, matches: _Matches, lines: list[bytes]) -> _Unit:
    node = captures[kind][0]
    body = _body(node, captures, matches)
    outer = _outermost(node, matches.wrappers)
    first, last = outer.start_point.row, _last_row(outer)
    if body is not None and body.end_byte > node.end_byte:
        last = max(last, _last_row(body))
    last = _without_blank_end(last, first, lines)
    top, declared_from, above = first, first, None
    if first - 1 in matches.leads and _begins_line(outer, lines):
        top, declared_from, above = _leading(first, matches.leads)
    inside = _inner_documentation(node, matches.docs)
    if inside is not None and inside[0] == first:  # a description in front of the keyword
        declared_from = min(inside[1] + 1, last)
    declared_to = _declared_to(kind, node, body, matches.leads, lines)
    return _Unit(
        name=_name(captures["name"][0]),
        kind=kind,
        start=node.start_byte,
        end=max(node.end_byte, body.end_byte if body is not None else 0),
        span=(top, last),
        declaration=(declared_from, max(declared_from, min(declared_to, last))),
        documentation=inside or above,
    )


def _body(node: Node, captures: Captures, matches: _Matches) -> Node | None:
    if "body" in captures:
        return captures["body"][0]
    return matches.bodies.get(node.id) or node.child_by_field_name("body")


def _outermost(node: Node, wrappers: dict[int, Node]) -> Node:
    while (wrapper := wrappers.get(node.id)) is not None:
        node = wrapper
    return node


def _leading(first: int, leads: dict[int, _Lead]) -> tuple[int, int, Rows | None]:
    """From the lines above `first`: first row of all, first row of the declaration, rows of documentation."""
    row = declared_from = first
    documentation: Rows | None = None
    while (lead := leads.get(row - 1)) is not None:
        if lead.is_comment:
            documentation = (lead.first, documentation[1] if documentation else row - 1)
        else:
            declared_from = lead.first
        row = lead.first
    return row, declared_from, documentation


def _begins_line(node: Node, lines: list[bytes]) -> bool:
    """Whether no other statement stands before the node on its line; keywords such as `const` may."""
    row, column = node.start_point
    return not _STATEMENT_BORDER.search(lines[row], 0, column)


def _inner_documentation(node: Node, docs: dict[int, Node]) -> Rows | None:
    doc = docs.get(node.id)
    return None if doc is None else (doc.start_point.row, _last_row(doc))


def _declared_to(kind: str, node: Node, body: Node | None, leads: dict[int, _Lead], lines: list[bytes]) -> int:
    """Last row of the declaration: the one with the opening brace, or the last with text before the body."""
    first = node.start_point.row
    if body is None:
        last = _last_row(node)
        return min(last, first + _SHORT_DECLARATION - 1) if kind in _SHORT_KINDS else last
    row, column = body.start_point
    line = lines[row]
    if line.startswith(b"{", column) or line[:column].strip():
        return row
    row -= 1
    while row > first and (not lines[row].strip() or row in leads):
        row = leads[row].first - 1 if row in leads else row - 1
    return max(row, first)


def _name(node: Node) -> str:
    node = _identifier(node)
    text = (node.text or b"").decode(errors="replace")
    if node.type == "operator_cast":
        text = text.partition("(")[0]
    if node.type == "simple_symbol":
        text = text.removeprefix(":")
    return _unquoted(" ".join(text.split()))


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 2 and text[0] in _QUOTES and text[0] == text[-1]
    return text[1:-1] if is_quoted else text


def _identifier(node: Node) -> Node:
    """The identifier inside a declarator or a qualified name."""
    while node.named_child_count > 0 and node.type != "operator_cast":
        inner = _inner_name(node)
        if inner is None:
            break
        node = inner
    return node


def _inner_name(node: Node) -> Node | None:
    for name in _NAME_FIELDS:
        if (inner := node.child_by_field_name(name)) is not None:
            return inner
    if node.type == "field_expression":  # Julia's `Base.show`
        return node.named_child(node.named_child_count - 1)
    return node.named_child(0) if node.type in _NAME_WRAPPERS else None


def _last_row(node: Node) -> int:
    """Last row that holds a byte of the node; some grammars end a node behind its newline."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row


def _without_blank_end(last: int, first: int, lines: list[bytes]) -> int:
    last = min(last, len(lines) - 1)
    while last > first and not lines[last].strip():
        last -= 1
    return last


def _sections(headings: list[_Unit], lines: list[bytes], ranks: dict[str, int]) -> list[_Unit]:
    """Headings stretched to the line before the next heading of the same or a higher level."""
    starts = _line_starts(lines)
    levels = _levels(headings, lines, ranks)
    sections = []
    for place, heading in enumerate(headings):
        following = (after for after in range(place + 1, len(headings)) if levels[after] <= levels[place])
        after = next(following, None)
        end_row = len(lines) if after is None else headings[after].span[0]
        last = _without_blank_end(end_row - 1, heading.span[1], lines)
        sections.append(
            heading._replace(
                name=heading.name.rstrip("#").rstrip() or heading.name,
                end=starts[end_row],
                span=(heading.span[0], last),
            )
        )
    return sections


def _line_starts(lines: list[bytes]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _levels(headings: list[_Unit], lines: list[bytes], ranks: dict[str, int]) -> list[int]:
    """1 for the highest. An underline without a rank gets the next: reStructuredText ranks by first use."""
    ranks = dict(ranks)
    levels = []
    for heading in headings:
        first, last = (lines[row].strip().decode(errors="replace") for row in heading.span)
        if first.startswith("#"):
            levels.append(len(first) - len(first.lstrip("#")))
        else:
            style = last[:1] * (2 if first == last else 1)  # a line above as well makes a style of its own
            levels.append(ranks.setdefault(style, len(ranks) + 1))
    return levels


def _join_clauses(units: list[_Unit]) -> list[_Unit]:
    """Neighbouring equations of one function, and its type signature, made one unit."""
    joined: list[_Unit] = []
    for unit in units:
        before = joined[-1] if joined else None
        if before is not None and _continues(before, unit):
            span = (before.span[0], unit.span[1])
            joined[-1] = before._replace(end=unit.end, span=span)
        else:
            joined.append(unit)
    return joined


def _continues(before: _Unit, unit: _Unit) -> bool:
    return before.name == unit.name and before.kind == unit.kind and before.end <= unit.start


def _nest(units: list[_Unit]) -> tuple[Definition, ...]:
    """Units with their parents, without locals and without prototypes of what the file defines."""
    defined = {unit.name for unit in units if unit.kind in _CALLABLE_KINDS}
    kept: list[Definition] = []
    open_units: list[tuple[int, int, int]] = []  # start, end, position in `kept`
    for unit in units:
        while open_units and not _encloses(open_units[-1], unit):
            open_units.pop()
        parent = open_units[-1][2] if open_units else None
        parent_kind = "" if parent is None else kept[parent].kind
        if _is_dropped(unit, parent_kind, defined):
            continue
        open_units.append((unit.start, unit.end, len(kept)))
        kept.append(_definition(unit, parent, parent_kind))
    return tuple(kept)


def _encloses(outer: tuple[int, int, int], unit: _Unit) -> bool:
    """Whether the unit lies inside; two names of one statement share its bytes and are neighbours."""
    start, end, _ = outer
    return unit.end <= end and (start, end) != (unit.start, unit.end)


def _is_dropped(unit: _Unit, parent_kind: str, defined: set[str]) -> bool:
    if unit.kind == "prototype":
        repeated = unit.name in defined and parent_kind not in _TYPE_KINDS
        return repeated or parent_kind in _CALLABLE_KINDS
    return unit.kind == "constant" and parent_kind in _CALLABLE_KINDS


def _definition(unit: _Unit, parent: int | None, parent_kind: str) -> Definition:
    return Definition(
        name=unit.name,
        kind=_final_kind(unit.kind, parent_kind),
        span=_lines(unit.span),
        declaration=_lines(unit.declaration),
        documentation=None if unit.documentation is None else _lines(unit.documentation),
        parent=parent,
    )


def _final_kind(kind: str, parent_kind: str) -> str:
    if kind not in ("function", "prototype"):
        return kind
    return "method" if parent_kind in _TYPE_KINDS else "function"


def _lines(rows: Rows) -> LineRange:
    return rows[0] + 1, rows[1] + 1

"""What one file contributes to the index: a pure function of its path, bytes and language."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tobler_pack.corpus.blocks import Block, align, map_chunks
from tobler_pack.corpus.outline import definitions, parse
from tobler_pack.corpus.semble_bridge import chunk_ranges
from tobler_pack.corpus.terms import FIELDS, count_hashes, field_bits, term_hash
from tobler_pack.corpus.text import Cause, read_text, split_lines
from tobler_pack.types import Definition, LineRange

_STEM_WEIGHT = 2  # semble counts a file's stem twice in each of its chunks, and the last three folders once
_FOLDERS = 3
_QUALIFIER = re.compile(r".*(\.|::|\\|#|/)(?=.)")  # `Ecto.Query` is asked for as `Query` too
_MAX_COUNT = 65_535  # of a term in a chunk: what 16 bits hold


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One analyzed file. Either `cause` tells why it is left out, or the rest is filled.

    `texts`, `term_ids`, `counts` and `lengths` have one item for each chunk; `lengths` counts terms by field.
    """

    cause: Cause | None
    line_count: int
    chunks: Sequence[LineRange]
    chunk_blocks: Sequence[tuple[int, ...]]
    blocks: Sequence[Block]
    definitions: Sequence[Definition]
    texts: Sequence[str]
    term_ids: Sequence[array[int]]
    counts: Sequence[array[int]]
    lengths: Sequence[tuple[int, ...]]


def analyze(path: str, data: bytes, language: str) -> FileRecord:
    """Cut a file into chunks, find its definitions and blocks, count its terms."""
    text = read_text(data)
    if isinstance(text, Cause):
        return FileRecord(text, 0, (), (), (), (), (), (), (), ())
    source = text.encode()
    tree = parse(source, language)
    found = definitions(tree, source, language) if tree is not None else ()
    chunks = align(chunk_ranges(text, source, tree), found)
    lines = split_lines(text)
    blocks, chunk_blocks = map_chunks(chunks, found, lambda line: line > len(lines) or not lines[line - 1].strip())
    texts = ["\n".join(lines[first - 1 : last]) for first, last in chunks]
    named = _defined_in(chunks, found)
    documented = _documented_lines(found)
    path_hashes = _path_hashes(path)
    fields = [
        _fields(path_hashes, part, [found[at].name for at in defined], _text_of(_within(documented, chunk), lines))
        for part, chunk, defined in zip(texts, chunks, named, strict=True)
    ]
    ids, counts = zip(*map(_postings, fields), strict=True) if fields else ((), ())
    lengths = [tuple(sum(field[name].values()) for name in FIELDS) for field in fields]
    return FileRecord(None, len(lines), chunks, chunk_blocks, blocks, found, texts, ids, counts, lengths)


def _defined_in(chunks: Sequence[LineRange], found: Sequence[Definition]) -> list[list[int]]:
    """For each chunk the definitions whose declaration begins in it; chunks are in order and share no line."""
    named: list[list[int]] = [[] for _ in chunks]
    at = 0
    for position, definition in sorted(enumerate(found), key=lambda pair: _name_line(pair[1])):
        line = _name_line(definition)
        while at < len(chunks) and chunks[at][1] < line:
            at += 1
        if at < len(chunks) and chunks[at][0] <= line:
            named[at].append(position)
    return named


def _name_line(definition: Definition) -> int:
    """The last line of a declaration: decorators stand before the name, and chunks may cut between them."""
    return definition.declaration[1]


def _documented_lines(found: Iterable[Definition]) -> list[int]:
    """The lines of a file that document a definition, in order."""
    ranges = [definition.documentation for definition in found if definition.documentation is not None]
    return sorted({line for first, last in ranges for line in range(first, last + 1)})


def _within(some: Sequence[int], lines: LineRange) -> Sequence[int]:
    """The part of ascending line numbers that falls into a range."""
    return some[bisect_left(some, lines[0]) : bisect_right(some, lines[1])]


def _text_of(numbers: Iterable[int], lines: Sequence[str]) -> str:
    return "\n".join(lines[number - 1] for number in numbers if number <= len(lines))


def _path_hashes(path: str) -> tuple[dict[int, int], dict[int, int]]:
    """What a path adds to the text of each chunk, and the terms of the whole path."""
    *folders, name = path.split("/")
    stem = name.rsplit(".", 1)[0]
    added = " ".join([stem] * _STEM_WEIGHT + folders[-_FOLDERS:])
    return count_hashes(added), count_hashes(" ".join([*folders, stem]))


def _fields(
    path_hashes: tuple[dict[int, int], dict[int, int]], text: str, names: Sequence[str], documentation: str
) -> dict[str, dict[int, int]]:
    """The counted terms of one chunk, by field and `term_hash`."""
    body = count_hashes(text)
    for hashed, times in path_hashes[0].items():
        body[hashed] = body.get(hashed, 0) + times
    return {
        "body": body,
        "name": count_hashes(" ".join(sorted(set(names)))),
        "doc": count_hashes(documentation),
        "path": path_hashes[1],
        "exact": {term_hash(spelt): 1 for name in names for spelt in (name, _QUALIFIER.sub("", name))},
    }


def _postings(fields: Mapping[str, Mapping[int, int]]) -> tuple[array[int], array[int]]:
    """Term ids and their counts, field by field, in the order in which the terms first occur."""
    ids: array[int] = array("Q")
    counts: array[int] = array("H")
    for field, counted in fields.items():
        bits = field_bits(field)
        ids.extend([bits | hashed for hashed in counted])
        counts.extend([min(count, _MAX_COUNT) for count in counted.values()])
    return ids, counts

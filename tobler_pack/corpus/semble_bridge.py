"""The only module that talks to semble: which files hold what language, and where a file is cut into chunks.

semble's public search does not tell the scores of all chunks, and its index is keyed by absolute path and file time,
which no fresh checkout keeps. So the parts below it are used: its table of languages and its chunking of a syntax
tree. Some of them are private; each is looked up by name on first use, and a version that lacks one is refused by
name.
"""

from __future__ import annotations

import importlib
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from tobler_pack.errors import EnvironmentProblem
from tobler_pack.types import Content, LineRange

if TYPE_CHECKING:
    from tree_sitter import Tree  # noqa: TID251 - a type only

SUPPORTED = ">=0.7,<0.8"


@dataclass(frozen=True, slots=True)
class Language:
    """What semble makes of a file name's ending."""

    name: str
    content: Content | None
    """None for data (JSON, CSV), which semble does not index."""


@cache
def semble_version() -> str:
    """The installed version, part of the stamp; reading it does not import semble."""
    try:
        return version("semble")
    except PackageNotFoundError:
        raise EnvironmentProblem(f"semble is not installed; type: pip install 'semble{SUPPORTED}'") from None


@cache
def _part(module: str, name: str) -> Any:  # noqa: ANN401 - whatever stands there under that name
    """One part of semble, or EnvironmentProblem if the installed version does not have it."""
    try:
        return getattr(importlib.import_module(f"semble.{module}"), name)
    except (ImportError, AttributeError):
        raise EnvironmentProblem(
            f"semble {semble_version()} has no {module}.{name}; tobler-pack works with semble{SUPPORTED}, "
            f"type: pip install 'semble{SUPPORTED}'"
        ) from None


def languages() -> dict[str, Language]:
    """File name endings (lower case, with the dot) and what they hold."""
    table: dict[str, str] = _part("index.files", "_EXTENSION_TO_LANGUAGE")
    extensions_of = _part("index.files", "get_extensions")
    kinds = _part("types", "ContentType")
    content_of = {extension: content for content in Content for extension in extensions_of([kinds(content.value)])}
    return {extension: Language(name, content_of.get(extension)) for extension, name in sorted(table.items())}


def chunk_ranges(text: str, source: bytes, tree: Tree | None) -> list[LineRange]:
    """Where semble cuts a file: the line range of each chunk, in order.

    `source` is `text` as UTF-8 and `tree` its syntax tree; without a tree (no grammar) the cut is by lines, as in
    semble. Parsing is the dear part and the outline needs the same tree, so it is handed in instead of made twice.
    """
    if not text.strip():
        return []
    length = _part("chunking.chunking", "_DESIRED_CHUNK_LENGTH_CHARS")
    if tree is None:
        cut = _part("chunking.core", "chunk_lines")(text, length)
        borders = [(len(text[: one.start].encode()), len(text[: one.end].encode())) for one in cut]
    else:
        merged = _part("chunking.core", "_merge_node")(tree.root_node, length)
        borders = [(one.start, one.end) for one in merged]
    return _with_all_lines(_line_ranges(borders, source), source)


def _line_ranges(borders: list[tuple[int, int]], source: bytes) -> list[LineRange]:
    """Byte ranges as line ranges that share no line: one that two chunks share belongs to the one with more of it."""
    ranges: list[LineRange] = []
    line, seen = 1, 0
    total = source.count(b"\n") + (not source.endswith(b"\n"))  # a node may reach over the last line end
    for start, end in borders:
        line += source.count(b"\n", seen, start)
        seen = start
        first = line if _has_most_of_line(source, start) else line + 1
        last = min(total, line + source.count(b"\n", start, max(end - 1, start)))
        if ranges and first <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], first - 1)
            if ranges[-1][0] >= first:
                ranges.pop()
        if first <= last:
            ranges.append((first, last))
    return ranges


def _with_all_lines(ranges: list[LineRange], source: bytes) -> list[LineRange]:
    """Lines that semble leaves out, because their text is no node (most of a long markdown paragraph): they go to the
    chunk before, the first ones to the chunk behind.
    """
    filled = [number for number, line in enumerate(source.split(b"\n"), 1) if line.strip()]
    first, last = ranges[0] if ranges else (filled[0], filled[-1])
    ranges = [(min(first, filled[0]), last), *ranges[1:]]
    borders = [start for start, _ in ranges[1:]] + [filled[-1] + 1]
    ends = [filled[max(0, bisect_left(filled, border) - 1)] for border in borders]
    return [(start, max(last, end)) for (start, last), end in zip(ranges, ends, strict=True)]


def _has_most_of_line(source: bytes, start: int) -> bool:
    """Whether the text from `start` to the end of its line is longer than what stands before it on that line."""
    line_start = source.rfind(b"\n", 0, start) + 1
    line_end = source.find(b"\n", start)
    rest = source[start : line_end if line_end >= 0 else len(source)]
    return len(source[line_start:start].strip()) <= len(rest.strip())

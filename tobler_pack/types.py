"""The words that the modules share: frozen records, and how a definition is called.

Lines are counted from 1 and ranges include both ends, as editors and git show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

LineRange = tuple[int, int]
"""First and last line, both included."""


class Content(StrEnum):
    """What kind of files a pack looks at."""

    CODE = "code"
    DOCS = "docs"
    CONFIG = "config"


class Tier(StrEnum):
    """How much of a block a pack shows, most first."""

    FULL = "full"
    SIGNATURE = "signature"
    STUB = "stub"


@dataclass(frozen=True, slots=True)
class Definition:
    """A named unit of one file, found by tree-sitter.

    `span` runs from the first line that belongs to it (its documentation comment, decorator or attribute)
    to its last line. `declaration` is the part that tells how it is used: decorators, name, parameters, result.
    `documentation` is its docstring or documentation comment, wherever that stands. `parent` is the position of
    the enclosing definition in the file's tuple of definitions; parents stand before their children.
    """

    name: str
    kind: str
    span: LineRange
    declaration: LineRange
    documentation: LineRange | None
    parent: int | None


def qualified(at: int, definitions: Sequence[Definition]) -> str:
    """The name of a definition with those of the definitions around it, outermost first."""
    names: list[str] = []
    here: int | None = at
    while here is not None:
        names.append(definitions[here].name)
        here = definitions[here].parent
    return ".".join(reversed(names))

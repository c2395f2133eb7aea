"""A mistake in the configuration file: where it stands, its key, what is wrong and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tobler_pack.errors import UsageError

KeyPath = tuple[str | int, ...]
"""The way from the top of the file to a value: keys, and positions in lists counted from 0."""

MOST_MISTAKES = 100
"""More lines than this help nobody; the rest is counted."""

LONGEST_QUOTE = 60
"""Characters of the user's text that a message repeats."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake. `line` counts from 1; `key` is empty when the mistake concerns the file as a whole."""

    line: int
    key: str
    text: str


def quoted(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Text from the file as one short printable piece, without line breaks and control characters."""
    shortened = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in shortened)


def key_name(path: KeyPath) -> str:
    """The path as people write it, for example `queries[0].budget`."""
    return "".join(map(_step, path)).removeprefix(".")


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{quoted(step)}" if step and step == step.strip() else f'."{quoted(step)}"'


def as_usage_error(mistakes: Iterable[Mistake], file: str) -> UsageError:
    """All mistakes as one error, a line for each, in the order of the file; of one place the first counts."""
    first: dict[tuple[int, str], Mistake] = {}
    for mistake in mistakes:
        first.setdefault((mistake.line, mistake.key), mistake)
    lines = [_line(mistake, file) for mistake in sorted(first.values(), key=lambda mistake: mistake.line)]
    hidden = len(lines) - MOST_MISTAKES
    rest = [f"{file}: and {hidden} more mistakes; mend these first"] if hidden > 0 else []
    return UsageError("\n".join(lines[:MOST_MISTAKES] + rest))


def _line(mistake: Mistake, file: str) -> str:
    where = f"{file}:{mistake.line}: "
    return where + (f"{mistake.key}: " if mistake.key else "") + mistake.text

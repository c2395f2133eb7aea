"""Words for what the schema finds: what is wrong with a value and what would be right."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tobler_pack.sources.mistakes import LONGEST_QUOTE, KeyPath, quoted
from tobler_pack.sources.rules import COUNTERS, LARGEST_BUDGET, SMALLEST_BUDGET

_BUDGET = ("a whole number of tokens", "budget: 2000")

EXPECTED: Mapping[str, tuple[str, str]] = {
    "": ("a group of keys", "version: 1"),
    "version": ("the number 1", "version: 1"),
    "out": ("the name of a folder", "out: context"),
    "budget": _BUDGET,
    "model": ("the name of a model", "model: embedded"),
    "tokens": ("the name of a counter", f"tokens: {COUNTERS[0]}"),
    "content": ("a list of content types", "content: [code]"),
    "content[]": ("code, docs or config", "content: [code]"),
    "exclude": ("a list of patterns", 'exclude: ["vendor/**"]'),
    "exclude[]": ("a pattern", '"vendor/**"'),
    "queries": ("a list of questions", "queries: [{id: auth-flow, ask: how is a request authenticated}]"),
    "queries[]": ("a question (a group of keys)", "- id: auth-flow"),
    "queries[].id": ("a name", "id: auth-flow"),
    "queries[].ask": ("a question in words", "ask: how is a request authenticated"),
    "queries[].budget": _BUDGET,
    "queries[].paths": ("a list of patterns", 'paths: ["src/**"]'),
    "queries[].paths[]": ("a pattern", '"src/**"'),
    "queries[].session": ("a short text", "session: auth"),
    "queries[].surface": ("the name of a surface", "surface: batch"),
    "surfaces": ("a group of surfaces by name", "pull-request: {budget: 6000}"),
    "surfaces.*": ("the dials of a surface (a group of keys)", "{budget: 6000}"),
    "surfaces.*.asks": ("a short text", "asks: questions about the manual"),
    "surfaces.*.over": ("code, docs or config", "over: docs"),
    "surfaces.*.fires": ("a short text", "fires: nightly"),
    "surfaces.*.floor": ("a number from 0 to 1", "floor: 0.15"),
    "surfaces.*.budget": _BUDGET,
    "telemetry": ("true or false", "telemetry: false"),
}
"""For each place: what is expected there, and how that is written."""

_OTHER_WORDS = {
    "question": "ask",
    "query": "ask",
    "prompt": "ask",
    "name": "id",
    "title": "id",
    "questions": "queries",
    "output": "out",
    "folder": "out",
    "max_tokens": "budget",
    "limit": "budget",
    "tokenizer": "tokens",
    "counter": "tokens",
    "include": "paths",
    "files": "paths",
    "ignore": "exclude",
    "threshold": "floor",
    "corpus": "over",
}
"""What people write for a key of ours because other tools call it so."""


MOST_NAMES = 12
"""Known names that a message lists."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the schema found: its own name for the kind of fault, where, and the value.

    `written` is the value as it stands in the file, for single values.
    """

    kind: str
    path: KeyPath
    value: object
    written: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict)


def place(path: KeyPath) -> str:
    """The path without positions and chosen names: `queries[0].id` is at `queries[].id`."""
    steps = ["*" if position == 1 and path[0] == "surfaces" else step for position, step in enumerate(path)]
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def explain(finding: Finding, known_keys: Mapping[str, Sequence[str]]) -> str:
    """One line: what is wrong; what would be right."""
    if finding.kind == "extra_forbidden":
        known = known_keys.get(place(finding.path[:-1]), ())
        return with_suggestion("unknown key", str(finding.path[-1]), known)
    if finding.kind == "missing":
        return f"this key is missing; write `{_example(finding)}`"
    if finding.kind == "value_error":
        return _broken_rule(finding)
    if finding.value is None:
        return f"has no value; write `{_example(finding)}`, or remove the key"
    if finding.kind == "literal_error" and isinstance(finding.value, str):
        return _unknown_choice(finding)
    if finding.kind in ("greater_than_equal", "less_than_equal", "finite_number"):
        return _out_of_range(finding)
    return _wrong_type(finding)


def _broken_rule(finding: Finding) -> str:
    """The rule's own words after the value, where the value is short enough to be of help."""
    words = str(finding.context["error"])
    is_short = isinstance(finding.value, str) and finding.value.strip() and len(finding.value) <= LONGEST_QUOTE
    return f"`{quoted(str(finding.value))}` {words}" if is_short else words


def with_suggestion(fault: str, name: str, known: Sequence[str]) -> str:
    """The fault of an unknown name, and the nearest known one, or else what is known."""
    suggestion = _nearest(name, known)
    if suggestion is not None:
        return f"{fault}; did you mean `{quoted(suggestion)}`?"
    more = ", …" if len(known) > MOST_NAMES else ""
    return f"{fault}; known are {', '.join(map(quoted, known[:MOST_NAMES]))}{more}"


def _nearest(name: str, known: Sequence[str]) -> str | None:
    meant = _OTHER_WORDS.get(name.lower())
    if meant in known:
        return meant
    return next(iter(difflib.get_close_matches(name.lower()[:LONGEST_QUOTE], known, n=1)), None)


def _unknown_choice(finding: Finding) -> str:
    what = {"tokens": "counter"}.get(place(finding.path), "content type")
    known = COUNTERS if what == "counter" else ("code", "docs", "config")
    name = str(finding.value)
    return with_suggestion(f"unknown {what} `{quoted(name)}`", name, known)


def _out_of_range(finding: Finding) -> str:
    number = quoted(_as_written(finding))
    if place(finding.path).endswith("floor"):
        return f"{number} is not a cosine similarity; write a number from 0 to 1, such as 0.15"
    fault = "is below what a pack's header needs" if finding.kind == "greater_than_equal" else "is too large"
    return f"{number} {fault}; write a number from {SMALLEST_BUDGET} to {LARGEST_BUDGET}"


def _wrong_type(finding: Finding) -> str:
    what, example = EXPECTED.get(place(finding.path), ("something else", ""))
    found = f"expected {what}, found {_kind(finding.value)}"
    if finding.kind == "string_type" and finding.written is not None:
        written = quoted(finding.written)
        return f'{found} (so YAML reads `{written}`); put quotes around it: "{written}"'
    return f"{found}; write `{example}`"


def _kind(value: object) -> str:
    kinds: list[tuple[type, str]] = [
        (bool, "true or false"),
        (int, "a number"),
        (float, "a number with a decimal point"),
        (datetime.date, "a date"),
        (str, "a text"),
        (list, "a list"),
        (dict, "a group of keys"),
    ]
    return next((words for kind, words in kinds if isinstance(value, kind)), "nothing")


def _example(finding: Finding) -> str:
    return EXPECTED.get(place(finding.path), ("", "key: value"))[1]


def _as_written(finding: Finding) -> str:
    return finding.written if finding.written is not None else str(finding.value)

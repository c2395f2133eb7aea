"""The inputs of the action: texts in environment variables, read strictly, every mistake at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from tobler_pack.errors import UsageError
from tobler_pack.sources.rules import LARGEST_BUDGET, SMALLEST_BUDGET

PREFIX = "TOBLER_PACK_INPUT_"
DEFAULT_ARTIFACT = "tobler-packs"
_LONGEST_RETENTION = 400  # days; what GitHub lets an enterprise set
_LONGEST_TEXT = 1_000

T = TypeVar("T")


class Mode(StrEnum):
    """What the action makes."""

    AUTO = "auto"
    DIFF = "diff"
    BUILD = "build"


class Reason(StrEnum):
    """What may turn the job red besides a mistake in its inputs or configuration."""

    STALE = "stale"
    TRUNCATED = "truncated"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The action's inputs. Empty texts, no budget and no days mean the default of what they are handed to."""

    mode: Mode = Mode.AUTO
    config: str = ""
    base: str = ""
    head: str = ""
    budget: int | None = None
    comment: bool = True
    summary: bool = True
    artifact_name: str = DEFAULT_ARTIFACT
    retention_days: int = 0
    cache: bool = True
    comment_id: str = "packs"
    fail_on: frozenset[Reason] = frozenset()


def read_inputs(variables: Mapping[str, str]) -> Inputs:
    """The inputs from the environment.

    Raises UsageError with every mistake, one per line.
    """
    mistakes: list[str] = []

    def read(name: str, parse: Callable[[str], T], otherwise: T) -> T:
        text = variables.get(PREFIX + name.replace("-", "_").upper())
        try:
            return otherwise if text is None else parse(text.strip())
        except ValueError as error:
            mistakes.append(f"input {name}: {shortened(text or '')!r} {error}")
            return otherwise

    plain = Inputs()
    found = Inputs(
        mode=read("mode", _mode, plain.mode),
        config=read("config", _text, plain.config),
        base=read("base", _revision, plain.base),
        head=read("head", _revision, plain.head),
        budget=read("budget", _budget, plain.budget),
        comment=read("comment", _switch, plain.comment),
        summary=read("summary", _switch, plain.summary),
        artifact_name=read("artifact-name", artifact_name, plain.artifact_name),
        retention_days=read("retention-days", _days, plain.retention_days),
        cache=read("cache", _switch, plain.cache),
        comment_id=read("comment-id", comment_id, plain.comment_id),
        fail_on=read("fail-on", _reasons, plain.fail_on),
    )
    if mistakes:
        raise UsageError("\n".join(mistakes))
    return found


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text, with a sign where it goes on."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _mode(text: str) -> Mode:
    try:
        return Mode(text)
    except ValueError:
        raise ValueError(f"is none of {', '.join(Mode)}") from None


def _switch(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("is neither true nor false")
    return text == "true"


def _text(text: str) -> str:
    if len(text) > _LONGEST_TEXT or re.search(r"[\x00-\x1f\x7f]", text):
        raise ValueError("is too long or contains control characters")
    return text


def _revision(text: str) -> str:
    if text.startswith("-") or re.search(r"[\s~^:?*\[\\]|\.\.|@\{", _text(text)):
        raise ValueError("is no name of a branch, tag or commit")
    return text


def _budget(text: str) -> int | None:
    if not text:
        return None
    return _number(text, SMALLEST_BUDGET, LARGEST_BUDGET, "tokens")


def _days(text: str) -> int:
    return _number(text, 0, _LONGEST_RETENTION, "days, 0 for what the repository is set to")


def _number(text: str, least: int, most: int, what: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text) or not least <= int(text) <= most:
        raise ValueError(f"is not a number from {least} to {most} ({what})")
    return int(text)


def artifact_name(text: str) -> str:
    """The name of an artifact, which the upload would refuse otherwise."""
    if not re.fullmatch(r"[^\x00-\x1f\x7f\":<>|*?\\/]{1,200}", text):
        raise ValueError('is no name of an artifact; leave out " : < > | * ? \\ /')
    return text


def comment_id(text: str) -> str:
    """A word that tells the comments of several uses apart; it stands in a hidden mark and in a folder's name."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", text) or "--" in text or text.endswith(("-", ".")):
        raise ValueError("is no word of letters, digits, single dashes, dots and underscores")
    return text


def _reasons(text: str) -> frozenset[Reason]:
    words = [word.strip() for word in text.split(",")]
    if words == ["none"]:
        return frozenset()
    try:
        return frozenset(map(Reason, words))
    except ValueError:
        raise ValueError(f"is neither none nor a list of {', '.join(Reason)}") from None

"""The tuning history: one line of JSON for each move of a dial, only ever appended to. Today's dials are its replay.

The file is committed and merged line by line (`merge=union`), so lines may stand in any order, and twice. The replay
goes by the time in each line, then by its text, and never by its place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from tobler_pack.errors import EnvironmentProblem, UsageError
from tobler_pack.surfaces.dials import KINDS, Value

PLACE = ".tobler-pack/tuning.jsonl"
"""Where it lies, from the root of the repository."""

ATTRIBUTE = f"{PLACE} merge=union"
"""The line of `.gitattributes` that lets git keep the lines of both sides."""

HUMAN, MODEL, MIGRATION = "human", "model", "migration"
ACTORS = (HUMAN, MODEL, MIGRATION)

LONGEST_REASON = 2_000
MOST_SHOWN = 200
_FEWEST_WORDS = 3
_FEWEST_LETTERS = 4
_UNSPACED = 0x2E80
"""From here on come the scripts of East Asia, which do not part words by spaces."""

_PROCEDURE = (
    "read the near misses (type: tobler-pack telemetry), open them, decide whether they should have been ranked, then "
    "move the dial and say what you read and what it showed"
)


@dataclass(frozen=True, slots=True)
class Move:
    """One move of one dial. `stamp` is None for a line that somebody wrote by hand."""

    when: str
    surface: str
    dial: str
    old: Value | None
    asked: Value
    set: Value
    clamped: bool
    reason: str
    actor: str
    stamp: Mapping[str, str] | None

    def as_json(self) -> dict[str, Any]:
        """For programs, and for the file."""
        return asdict(self)

    def line(self) -> str:
        """As it stands in the file, without the line end."""
        return json.dumps(self.as_json(), ensure_ascii=False)


@dataclass(frozen=True)
class History:
    """All moves, oldest first, and the lines that cannot be read: number and what is wrong."""

    moves: tuple[Move, ...] = ()
    unreadable: tuple[tuple[int, str], ...] = ()

    def complaint(self) -> str:
        """Names the lines that cannot be read; empty if all can."""
        named = [f"{PLACE}:{number}: {why}" for number, why in self.unreadable[:3]]
        more = len(self.unreadable) - len(named)
        return "; ".join(named) + (f" and {more} more" if more > 0 else "")

    @cached_property
    def in_force(self) -> dict[tuple[str, str], Move]:
        """The last move of each dial of each surface."""
        return {(move.surface, move.dial): move for move in self.moves}


def parse(text: str) -> History:
    """Read a history, whatever the order of its lines."""
    moves: dict[str, Move] = {}
    unreadable: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                move = _move(json.loads(line))
                moves[move.line()] = move
            except (ValueError, RecursionError) as error:
                unreadable.append((number, _why(error)))
    ordered = sorted(moves.items(), key=lambda item: (moment(item[1].when), item[0]))
    return History(tuple(move for _, move in ordered), tuple(unreadable))


def _why(error: Exception) -> str:
    return str(error) if type(error) is ValueError else "is no line of JSON"


def read(root: Path | None) -> History:
    """The history of a repository; an empty one if there is none.

    Raises EnvironmentProblem if it is there and cannot be read.
    """
    if root is None:
        return History()
    try:
        return parse((root / PLACE).read_bytes().decode("utf-8", "replace").removeprefix("\ufeff"))
    except (FileNotFoundError, NotADirectoryError):
        return History()
    except OSError as error:
        raise EnvironmentProblem(f"{PLACE} cannot be read ({error.strerror}); check its permissions") from None


def read_whole(root: Path | None) -> History:
    """The history, for whoever wants to add to it.

    Raises UsageError that names each line which cannot be read: what is added must not rest on a part of the truth.
    """
    history = read(root)
    if history.unreadable:
        raise UsageError(f"{history.complaint()}; mend or remove the line before a dial is moved")
    return history


def append(root: Path | None, history: History, move: Move) -> Move:
    """Add a move, no earlier than the last one there: a clock that is behind must not undo what was just read."""
    if root is None:
        raise EnvironmentProblem("a bare repository has no work tree to keep a tuning history in; use a clone")
    place = root / PLACE
    if not place.resolve().is_relative_to(root.resolve()):
        raise EnvironmentProblem(f"{PLACE} leads out of the repository through a symbolic link; make it a plain file")
    if history.moves:
        soonest = moment(history.moves[-1].when) + timedelta(microseconds=1)
        move = _later(move, soonest)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        append_line(place, move.line(), mend=True)
    except OSError as error:
        raise EnvironmentProblem(f"cannot write {place}: {error.strerror}; check the folder's permissions") from None
    return move


def _later(move: Move, soonest: datetime) -> Move:
    if moment(move.when) >= soonest:
        return move
    return Move(**{**asdict(move), "when": written(soonest)})


def append_line(place: Path, line: str, *, mend: bool = False) -> None:
    """Append one line with a single write, which the system does not mix with those of others.

    With `mend` a last line without its end, as editors leave it, is ended first.
    """
    flags = os.O_APPEND | os.O_CREAT | (os.O_RDWR if mend else os.O_WRONLY) | getattr(os, "O_BINARY", 0)
    data = line.encode("utf-8", "backslashreplace") + b"\n"
    handle = os.open(place, flags, 0o666)
    try:
        size = os.fstat(handle).st_size
        if mend and size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            data = data if os.read(handle, 1) == b"\n" else b"\n" + data
        if os.write(handle, data) < len(data):  # the disk is full: end the line, so that the next one stands alone
            with suppress(OSError):
                os.write(handle, b"\n")
            raise OSError(28, "no space left on the device")
    finally:
        os.close(handle)


def now() -> str:
    """The present moment as it is written."""
    return written(datetime.now(UTC))


def written(when: datetime) -> str:
    """A moment in UTC, to the microsecond."""
    return when.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def moment(text: str) -> datetime:
    """The moment that a text names; without a zone it is UTC."""
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def checked_reason(text: str) -> str:
    """A reason on one line.

    Raises UsageError if it says nothing that a reviewer could check.
    """
    reason = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    words = {word.casefold() for word in reason.split() if any(c.isalnum() for c in word)}
    letters = {c.casefold() for c in reason if c.isalnum()}
    if not reason:
        raise UsageError(f"--reason is empty; {_PROCEDURE}")
    is_spaced = not any(ord(c) >= _UNSPACED for c in reason)
    if (is_spaced and len(words) < _FEWEST_WORDS) or len(letters) < _FEWEST_LETTERS:
        raise UsageError(f"--reason {reason[:60]!r} says nothing that a reviewer could check; {_PROCEDURE}")
    if len(reason) > LONGEST_REASON:
        raise UsageError(f"--reason has {len(reason)} characters; {LONGEST_REASON} are the most")
    return reason


def _move(row: object) -> Move:
    """A checked line. Raises ValueError that says what is wrong with it."""
    if not isinstance(row, dict):
        raise ValueError("is no JSON object")  # noqa: TRY004 - one kind of failure for one kind of line
    texts = {name: _text(row, name) for name in ("when", "surface", "dial", "reason")}
    try:
        moment(texts["when"])
    except (ValueError, OverflowError):
        raise ValueError("`when` is no time such as 2026-01-31T12:00:00Z") from None
    value = _number(row, "set")
    kind = KINDS.get(texts["dial"])
    if kind is None:
        raise ValueError(f"`dial` is none of {', '.join(KINDS)}")
    if not kind.holds(value):
        raise ValueError(f"`set` does not fit; take {kind.range()}")
    value = int(value) if kind.whole else value
    actor = row.get("actor", HUMAN)
    if actor not in ACTORS:
        raise ValueError(f"`actor` is none of {', '.join(ACTORS)}")
    return Move(
        **texts,
        old=None if row.get("old") is None else _number(row, "old"),
        asked=_number(row, "asked") if "asked" in row else value,
        set=value,
        clamped=row.get("clamped") is True,
        actor=actor,
        stamp=_stamp(row.get("stamp")),
    )


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"`{name}` is missing or no text")
    return value


def _number(row: Mapping[str, Any], name: str) -> Value:
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        raise ValueError(f"`{name}` is missing or no number")
    return value


def _stamp(value: object) -> dict[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise ValueError("`stamp` is no object of texts")
    return dict(value)


def newest(history: History, surface: str | None, limit: int) -> Sequence[Move]:
    """The last moves, newest first, of one surface or of all."""
    return [move for move in reversed(history.moves) if surface in (None, move.surface)][:limit]

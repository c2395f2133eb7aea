"""What a change is about: the definitions that its hunks lie in, on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.changes import FileChange, Hunk, Status
from tobler_pack.types import Definition, LineRange, qualified

_SAME_LINES = 0.5  # of a definition's lines: from this share on it is the same one under another name


@dataclass(frozen=True, slots=True)
class Side:
    """A file before or after the change; without lines where it did not exist or is no text."""

    lines: Sequence[str] = ()
    definitions: Sequence[Definition] = ()


@dataclass(frozen=True, slots=True)
class ChangedDefinition:
    """A definition with the lines of it that changed. `symbol` is empty for lines outside of any.

    `lines` is its place after the change, None if it is gone. `names` are what it is and was called, `is_declared_anew`
    tells that those who use it may have to change too: its declaration changed, or it is gone.
    """

    path: str
    symbol: str
    status: Status
    names: tuple[str, ...]
    lines: LineRange | None
    added: tuple[str, ...]
    removed: tuple[str, ...]
    is_declared_anew: bool
    is_searched: bool = True
    """Whether its file is of the content that packs look at; a change of other files says less."""
    holds_others: bool = False
    """Whether other definitions stand inside: a changed line of a class leaves its methods as they were."""

    @property
    def size(self) -> int:
        """How many lines were added and removed."""
        return len(self.added) + len(self.removed)


def changed_definitions(change: FileChange, old: Side, new: Side) -> list[ChangedDefinition]:
    """The changed definitions of one file, in the order of their first changed line."""
    before, after = _Owners(old), _Owners(new)
    for hunk in change.hunks:
        before.touch(hunk.old)
        after.touch(hunk.new)
        if not hunk.new[1]:  # lines that only vanished still changed the definition that they stood in
            after.touch((hunk.new[0], 1), silently=True)
    partners = _renamed(before, after)
    symbols = _in_order(change.hunks, before, after, partners)
    return [_definition(change, symbol, partners.get(symbol, symbol), before, after) for symbol in symbols]


class _Owners:
    """For each line of a side the innermost definition around it, and which lines of which definition changed."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.owner: npt.NDArray[np.int32] = np.full(len(side.lines) + 2, -1, dtype=np.int32)
        for at, one in enumerate(side.definitions):  # parents stand before their children
            self.owner[one.span[0] : one.span[1] + 1] = at
        self.names = [qualified(at, side.definitions) for at in range(len(side.definitions))]
        self.at = {name: at for at, name in reversed(list(enumerate(self.names)))}
        self.touched: dict[str, list[int]] = {}

    def symbol(self, line: int) -> str:
        """The definition that a line belongs to, empty for none."""
        owner = int(self.owner[line]) if 0 < line < len(self.owner) else -1
        return self.names[owner] if owner >= 0 else ""

    def touch(self, lines: tuple[int, int], *, silently: bool = False) -> None:
        """Note changed lines, or with `silently` only that their definition changed."""
        for line in range(lines[0], lines[0] + lines[1]):
            if line <= len(self.side.lines):
                there = self.touched.setdefault(self.symbol(line), [])
                if not silently:
                    there.append(line)

    def changed_text(self, symbol: str) -> tuple[str, ...]:
        """The changed lines of a definition."""
        return tuple(self.side.lines[line - 1] for line in self.touched.get(symbol, ()))

    def find(self, symbol: str) -> Definition | None:
        """A definition by its qualified name."""
        at = self.at.get(symbol)
        return None if at is None else self.side.definitions[at]

    def declares(self, symbol: str) -> bool:
        """Whether the declaration itself of a definition changed."""
        one = self.find(symbol)
        return one is not None and any(
            one.declaration[0] <= line <= one.declaration[1] for line in self.touched.get(symbol, ())
        )

    def holds_others(self, symbol: str) -> bool:
        """Whether a definition has others inside."""
        at = self.at.get(symbol)
        return at is not None and any(one.parent == at for one in self.side.definitions)

    def body(self, symbol: str) -> Counter[str]:
        """The lines of a definition that say something, and how often each does."""
        one = self.find(symbol)
        lines = () if one is None else self.side.lines[one.declaration[1] : one.span[1]]
        return Counter(stripped for line in lines if len(stripped := line.strip()) > 1)


def _renamed(before: _Owners, after: _Owners) -> dict[str, str]:
    """For each definition that got a new name its old one: the vanished one that most lines are the same as."""
    gone = [name for name in before.touched if name and name not in after.at]
    come = [name for name in after.touched if name and name not in before.at]
    partners: dict[str, str] = {}
    for new in come:
        body = after.body(new)
        shares = [(_common(body, before.body(old)), old) for old in gone if old not in partners.values()]
        best = max(shares, key=lambda pair: pair[0], default=(0.0, ""))
        if best[0] >= _SAME_LINES:
            partners[new] = best[1]
    return partners


def _common(first: Counter[str], second: Counter[str]) -> float:
    most = max(first.total(), second.total())
    return (first & second).total() / most if most else 0.0


def _in_order(hunks: Iterable[Hunk], before: _Owners, after: _Owners, partners: dict[str, str]) -> list[str]:
    """The symbols that changed, each once, a renamed one by its new name, in the order of the hunks."""
    new_names = {old: new for new, old in partners.items()}
    seen: dict[str, None] = {}
    for hunk in hunks:
        for line in range(hunk.old[0], hunk.old[0] + hunk.old[1]):
            symbol = before.symbol(line)
            seen.setdefault(new_names.get(symbol, symbol))
        for line in range(hunk.new[0], hunk.new[0] + hunk.new[1]):
            seen.setdefault(after.symbol(line))
    return [name for name in seen if name in before.touched or name in after.touched or name in partners]


def _definition(change: FileChange, symbol: str, old_symbol: str, before: _Owners, after: _Owners) -> ChangedDefinition:
    was, now = before.find(old_symbol), after.find(symbol)
    touched = after.touched.get("") or []
    lines = (min(touched), max(touched)) if touched else None
    if symbol:
        lines = None if now is None else now.span
    names = dict.fromkeys(one.name for one in (now, was) if one is not None)
    return ChangedDefinition(
        path=change.path,
        symbol=symbol,
        status=_status(symbol, old_symbol, was, now) if symbol else _of_file(change.status),
        names=tuple(names),
        lines=lines,
        added=after.changed_text(symbol),
        removed=before.changed_text(old_symbol),
        is_declared_anew=now is None or before.declares(old_symbol) or after.declares(symbol),
        holds_others=after.holds_others(symbol),
    )


def _of_file(status: Status) -> Status:
    return status if status in (Status.ADDED, Status.REMOVED) else Status.CHANGED


def _status(symbol: str, old_symbol: str, was: Definition | None, now: Definition | None) -> Status:
    if now is None:
        return Status.REMOVED
    if was is None:
        return Status.ADDED
    return Status.CHANGED if symbol == old_symbol else Status.RENAMED

"""The part of a pack that names what the change itself touches: stubs only, since its reader has the diff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tobler_pack.packs.markdown import code_span
from tobler_pack.types import LineRange

SHARE = 0.15
"""Of the budget, for this part at most."""


@dataclass(frozen=True, slots=True)
class Touched:
    """One changed definition, or the changed lines of a file outside of any. `lines` is None where it is gone."""

    path: str
    lines: LineRange | None
    symbol: str
    status: str


def changed_here(
    touched: Sequence[Touched], quiet: Sequence[tuple[str, str]], count: Callable[[str], int], budget: int
) -> str:
    """The section, as much of it as its share of a budget pays for. `quiet` has paths that asked nothing and why."""
    if not touched and not quiet:
        return ""
    room = int(budget * SHARE)
    rows = [_row(one) for one in touched]
    line = _quiet(quiet) if quiet else ""
    if 2 * count(line) > room and quiet:
        line = _quiet(quiet, 0)
    for shown in range(len(rows), -1, -1) if len(rows) <= 8 else _halves(len(rows)):
        text = _section(rows[:shown], len(rows) - shown, line)
        if count(text) <= room:
            break
    return text


def _section(rows: Sequence[str], more: int, line: str) -> str:
    rest = f"- and {more} more\n" if more else ""
    return "## Changed here\n\n" + "".join(rows) + rest + ("\n" if rows or rest else "") + (f"{line}\n" if line else "")


def _halves(rows: int) -> list[int]:
    """From all rows to none in steps that get smaller: a count for each would take long for a large change."""
    steps = [rows]
    while steps[-1] > 0:
        steps.append(int(steps[-1] * 0.85))
    return steps


def _row(one: Touched) -> str:
    place = one.path
    if one.lines is not None:
        first, last = one.lines
        place += f":{first}-{last}" if last > first else f":{first}"
    symbol = f" {code_span(one.symbol)}" if one.symbol else ""
    status = "" if one.status == "changed" else f" {one.status}"
    return f"- {code_span(place)}{symbol}{status}\n"


def _quiet(quiet: Sequence[tuple[str, str]], most: int = 3) -> str:
    """The files that asked nothing, by name or, where names take too much room, by number."""
    if not most:
        return f"Changed too, but not asked about: {len(quiet)} file{'s' if len(quiet) > 1 else ''}.\n"
    named = ", ".join(f"{code_span(path)} ({why})" for path, why in quiet[:most])
    more = f" and {len(quiet) - most} more" if len(quiet) > most else ""
    return f"Changed too, but not asked about: {named}{more}.\n"

"""The dials: what each is called, which values it takes, where it stands before anybody moved it."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass

from tobler_pack.errors import UsageError
from tobler_pack.sources import rules
from tobler_pack.weighing import temperature

Value = float | int


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of dial: its range, whether only whole numbers fit, its shipped starting point."""

    name: str
    low: Value
    high: Value
    shipped: Value
    whole: bool = False

    def range(self) -> str:
        """For a person."""
        return f"{self.low:,} to {self.high:,}"

    def holds(self, value: Value) -> bool:
        """Whether a value can stand on this dial."""
        return self.low <= value <= self.high and (not self.whole or float(value).is_integer())

    def clamp(self, value: Value) -> Value:
        """The nearest value in the range."""
        return min(max(value, self.low), self.high)


FLOOR = Kind("floor", 0.0, 1.0, 0.0)
"""A cosine; shipped at 0: everything is worth ranking."""

BUDGET = Kind("budget", rules.SMALLEST_BUDGET, rules.LARGEST_BUDGET, 2000, whole=True)
"""Tokens for each pack."""

TAU = Kind("tau", 0.1, 10.0, temperature.TAU)
"""The temperature, one for the whole repository; its starting point is the calibrated constant."""

KINDS = {kind.name: kind for kind in (FLOOR, BUDGET, TAU)}
OF_SURFACES = (FLOOR, BUDGET)

EVERYWHERE = "all"
"""Stands in for a surface where a dial belongs to the whole repository."""


def kind_of(surface: str, dial: str) -> Kind:
    """The kind of dial of that name.

    Raises UsageError if this surface has none of that name.
    """
    known = [TAU.name] if surface == EVERYWHERE else [kind.name for kind in OF_SURFACES]
    if dial not in known:
        raise UsageError(f"unknown dial {dial!r}{_nearest(dial, known)}; {surface} has {' and '.join(known)}")
    return KINDS[dial]


def check_surface(name: str, known: Iterable[str]) -> None:
    """Raises UsageError for a surface that nobody described; names the nearest one."""
    names = list(known)
    if name not in names:
        raise UsageError(
            f"unknown surface {name!r}{_nearest(name, names)}; known: {', '.join(names)}. "
            "A surface of your own is described under `surfaces` in .tobler-pack.yaml"
        )


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def read_value(kind: Kind, text: str) -> Value:
    """The number that somebody typed, whatever its size.

    Raises UsageError if it is none, or broken where the dial takes whole numbers.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{kind.name} {text!r} is no number; take {kind.range()}")
    if not kind.whole:
        return value
    if not value.is_integer():
        raise UsageError(f"{kind.name} {text!r} is no whole number; take {kind.range()}")
    return int(value)

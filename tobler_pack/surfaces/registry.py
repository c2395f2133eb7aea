"""Which surfaces there are, and which value of each dial is in force: command line, tuning history, configuration,
shipped starting point, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from tobler_pack.errors import UsageError
from tobler_pack.sources.config import Config, Surface
from tobler_pack.sources.rules import SHIPPED_SURFACES
from tobler_pack.surfaces import tuning
from tobler_pack.surfaces.dials import BUDGET, EVERYWHERE, FLOOR, TAU, Kind, Value, check_surface, kind_of
from tobler_pack.surfaces.stamp import FRESH, UNKNOWN, Calibration, compare
from tobler_pack.surfaces.tuning import History, Move
from tobler_pack.types import Content
from tobler_pack.workspace import Workspace, say

_SHIPPED = {
    "pull-request": ("what else matters for this change", "on each push to a pull request"),
    "commit": ("the named questions, of the tree that is being committed", "on each commit"),
    "batch": ("the named questions", "on each push, and nightly"),
}
assert tuple(_SHIPPED) == SHIPPED_SURFACES


class Source(StrEnum):
    """Where a value comes from, the strongest first."""

    OPTION = "option"
    TUNING = "tuning"
    CONFIGURATION = "configuration"
    SHIPPED = "shipped"


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, where it comes from, and the move that set it, if it was moved."""

    value: Value
    source: Source
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class Dial:
    """One dial of one surface: the settings that apply to it, the one in force first."""

    surface: str
    kind: Kind
    settings: tuple[Setting, ...]
    calibration: Calibration

    @property
    def value(self) -> Value:
        """The value in force."""
        return self.settings[0].value

    @property
    def source(self) -> Source:
        """Where it comes from."""
        return self.settings[0].source

    @property
    def move(self) -> Move | None:
        """The move that set it."""
        return self.settings[0].move

    def as_json(self) -> dict[str, Any]:
        """For programs; the reason is absent while the dial stands where nobody moved it."""
        move = self.move
        moved = {} if move is None else {"reason": move.reason, "actor": move.actor, "when": move.when}
        return {
            "value": self.value,
            "source": self.source.value,
            **moved,
            "calibration": self.calibration.as_json(),
            "overrides": [{"value": one.value, "source": one.source.value} for one in self.settings[1:]],
        }


@dataclass(frozen=True, slots=True)
class Dials:
    """A surface with what is in force on it."""

    name: str
    asks: str
    over: tuple[Content, ...]
    fires: str
    floor: Dial
    budget: Dial

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "surface": self.name,
            "asks": self.asks,
            "over": [content.value for content in self.over],
            "fires": self.fires,
            "floor": self.floor.as_json(),
            "budget": self.budget.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Options:
    """Dials that the command line sets for one run."""

    floor: float | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        """A value outside of the range is a mistake here: nothing is kept, so there is nobody to read of a clamp."""
        for kind, value in ((FLOOR, self.floor), (BUDGET, self.budget)):
            if value is not None and not kind.holds(value):
                raise UsageError(f"--{kind.name} {value:g}: out of range; take {kind.range()}")


@dataclass(frozen=True)
class Registry:
    """The surfaces of one repository."""

    config: Config
    history: History
    stamp: Mapping[str, str]
    options: Options = field(default_factory=Options)

    def names(self) -> list[str]:
        """All surfaces: the shipped ones, then the user's own in the order of the file."""
        own = [one.name for one in self.config.surfaces if one.name not in SHIPPED_SURFACES]
        return [*SHIPPED_SURFACES, *own]

    def dials(self, name: str) -> Dials:
        """One surface with what is in force on it.

        Raises UsageError for one that nobody described.
        """
        check_surface(name, self.names())
        entry = next((one for one in self.config.surfaces if one.name == name), Surface(name))
        asks, fires = _SHIPPED.get(name, ("", ""))
        budget = self.config.budget if self.config.budget != BUDGET.shipped else None
        return Dials(
            name,
            entry.asks or asks,
            (entry.over,) if entry.over is not None else self.config.content,
            entry.fires or fires,
            self._dial(name, FLOOR, self.options.floor, entry.floor),
            self._dial(name, BUDGET, self.options.budget, entry.budget if entry.budget is not None else budget),
        )

    def dial(self, name: str, kind: Kind) -> Dial:
        """One dial of a surface."""
        dials = self.dials(name)
        return dials.floor if kind is FLOOR else dials.budget

    def tau(self) -> Dial:
        """The temperature in force."""
        return self._dial(EVERYWHERE, TAU, None, None)

    def _dial(self, surface: str, kind: Kind, option: Value | None, configured: Value | None) -> Dial:
        move = self.history.in_force.get((surface, kind.name))
        settings = (
            *([] if option is None else [Setting(option, Source.OPTION)]),
            *([] if move is None else [Setting(move.set, Source.TUNING, move)]),
            *([] if configured is None else [Setting(configured, Source.CONFIGURATION)]),
            Setting(kind.shipped, Source.SHIPPED),
        )
        return Dial(surface, kind, settings, self._calibration(settings[0], kind))

    def _calibration(self, setting: Setting, kind: Kind) -> Calibration:
        """A shipped value was measured for this release and an option is meant now; what stands in the configuration
        was written by hand, without a stamp.
        """
        if setting.source is Source.TUNING and setting.move is not None:
            return compare(setting.move.stamp, self.stamp, with_blend=kind is TAU)
        return UNKNOWN if setting.source is Source.CONFIGURATION else FRESH


def open_registry(
    workspace: Workspace,
    options: Options | None = None,
    warn: Callable[[str], None] = say,
    history: History | None = None,
) -> Registry:
    """The surfaces of a workspace. Of a tuning history that cannot be read whole, the readable part counts, and one
    line says so.
    """
    if history is None:
        history = tuning.read(workspace.repository.root)
        if history.unreadable:
            warn(f"{history.complaint()}; its other lines are used")
    return Registry(workspace.config, history, workspace.stamp, options or Options())


def in_force(workspace: Workspace, surface: str, options: Options | None = None) -> Dials:
    """Which floor and budget are in force for a surface, with reason, provenance and staleness."""
    return open_registry(workspace, options).dials(surface)


def stale(dials: Iterable[Dial]) -> list[Dial]:
    """Those that were measured with something else, each once."""
    found = {(dial.surface, dial.kind.name): dial for dial in dials if dial.calibration.stale}
    return list(found.values())


def stale_line(dials: Iterable[Dial]) -> str:
    """One line about all dials in force that are stale; empty if none is."""
    found = stale(dials)
    if not found:
        return ""
    flags = [
        flag
        for flag in ("model_changed", "shape_changed", "blend_changed")
        if any(getattr(dial.calibration, flag) for dial in found)
    ]
    named = ", ".join(f"{dial.kind.name} of {dial.surface}" for dial in found)
    return f"stale ({', '.join(flags)}): {named}; {_next_step(found)}"


def _next_step(found: list[Dial]) -> str:
    floors = [dial.surface for dial in found if dial.kind is FLOOR]
    if floors:
        return f"type: tobler-pack migrate {floors[0]}"
    if found[0].kind is TAU:
        return "type: tobler-pack calibrate"
    return f"look at its packs, then type: tobler-pack tune {found[0].surface} {found[0].kind.name} VALUE --reason TEXT"


def propose(registry: Registry, surface: str, dial: str, asked: Value, reason: str, actor: str) -> Move:
    """The move of a dial to a value, clamped to its range, measured with the stamp in force."""
    if surface != EVERYWHERE:
        check_surface(surface, registry.names())
    kind = kind_of(surface, dial)
    before = registry.tau() if kind is TAU else registry.dial(surface, kind)
    value = kind.clamp(asked)
    # What a run would use: an option of the command line is never part of the history.
    old = next(one.value for one in before.settings if one.source is not Source.OPTION)
    return Move(
        tuning.now(), surface, kind.name, old, asked, value, value != asked, reason, actor, dict(registry.stamp)
    )


def tune(workspace: Workspace, surface: str, dial: str, asked: Value, reason: str, actor: str) -> Move:
    """Move a dial and write it down.

    Raises UsageError for a surface or reason that cannot be, or if a line of the history cannot be read.
    """
    checked = tuning.checked_reason(reason)
    root = workspace.repository.root
    history = tuning.read_whole(root)
    registry = open_registry(workspace, history=history)
    return tuning.append(root, history, propose(registry, surface, dial, asked, checked, actor))


def used(registry: Registry, surfaces: Iterable[tuple[str, bool]]) -> Iterator[Dial]:
    """The dials that some packs depend on: surface, and whether a pack has a budget of its own."""
    for name, has_own_budget in dict.fromkeys(surfaces):
        dials = registry.dials(name)
        yield dials.floor
        if not has_own_budget or dials.budget.source is Source.OPTION:
            yield dials.budget


def searching(config: Config, content: Sequence[Content] | None, surface: str | None) -> Config:
    """The configuration with what one run searches: what was asked for, else what its surface asks over."""
    over = next((one.over for one in config.surfaces if one.name == surface and one.over is not None), None)
    wanted = tuple(dict.fromkeys(content or ([over] if over else config.content)))
    return replace(config, content=wanted, surfaces=tuple(replace(one, over=None) for one in config.surfaces))

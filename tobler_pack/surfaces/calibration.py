"""Which temperature fits this repository's own questions: the τ at which var(log N_eff) peaks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from tobler_pack.evidence.question import Question
from tobler_pack.pipeline import Request, apply_floor, evidence, soft_weights
from tobler_pack.surfaces.log import Log
from tobler_pack.surfaces.registry import Registry
from tobler_pack.types import Content
from tobler_pack.weighing.weights import Floats, effective_number
from tobler_pack.workspace import Workspace

GRID = tuple(round(0.1 * step, 1) for step in range(2, 41))
FEW = 20
"""With fewer questions the peak wanders by several steps of the grid."""

MOST = 300
_BAR = 40


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with where it is asked."""

    query: str
    paths: tuple[str, ...]
    surface: str | None


@dataclass(frozen=True)
class Curve:
    """The sweep: for each τ of the grid var(log N_eff), and the tenths of N_eff. `peak` is None where there is none."""

    questions: int
    in_force: float
    variance: tuple[float, ...]
    spread: tuple[tuple[float, float, float], ...]
    peak: float | None
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        points = [
            {"tau": tau, "variance": round(variance, 6), "n_eff": {"p10": low, "p50": middle, "p90": high}}
            for tau, variance, (low, middle, high) in zip(GRID, self.variance, self.spread, strict=True)
        ]
        return {
            "questions": self.questions,
            "in_force": self.in_force,
            "proposal": self.peak,
            "notes": list(self.notes),
            "points": points,
        }


def questions(registry: Registry, log: Log) -> list[Asked]:
    """The repository's own questions and the logged ones, each once; bare names are left out, which have one answer."""
    own = [Asked(one.ask, one.paths, one.surface) for one in registry.config.queries]
    known = set(registry.names())
    logged = [
        Asked(one["query"], tuple(one.get("paths") or ()), one["surface"] if one["surface"] in known else None)
        for one in log.records
        if not one.get("texts")  # a change asks with its code
    ]
    found = {(asked.query, asked.paths): asked for asked in [*reversed(logged), *own]}
    ordered = [*own, *(one for one in found.values() if one not in own)]
    return [one for one in dict.fromkeys(ordered) if not Question(one.query).is_symbol][:MOST]


def sweep(workspace: Workspace, registry: Registry, asked: Sequence[Asked]) -> Curve:
    """N_eff of all questions at each τ."""
    rows = [row for one in asked if (row := _row(workspace, registry, one)) is not None]
    return curve(np.array(rows).reshape(-1, len(GRID)), float(registry.tau().value))


def _row(workspace: Workspace, registry: Registry, asked: Asked) -> list[float] | None:
    """N_eff of one question at each τ; None where it has nothing to look at."""
    library = workspace.library
    floor, over = _reach(registry, asked)
    request = Request("", asked.query, "", 1, workspace.allowed(asked.paths, over), floor)
    found = evidence(library, asked.query)
    admitted = apply_floor(library, request, found.cosines).admitted
    row = [effective_number(soft_weights(found.standing, admitted, tau)) for tau in GRID]
    return row if row[0] > 0 else None


def _reach(registry: Registry, asked: Asked) -> tuple[float, tuple[Content, ...]]:
    if asked.surface is None:
        return 0.0, registry.config.content
    dials = registry.dials(asked.surface)
    return float(dials.floor.value), dials.over


def curve(n_eff: Floats, in_force: float) -> Curve:
    """The curve of N_eff of shape (questions, grid): where the questions differ most."""
    count = len(n_eff)
    if count < 2:
        told = "one question has no spread" if count else "there is no question in words"
        note = f"{told}; add some to `queries`, or log some: tobler-pack query"
        empty = tuple((0.0, 0.0, 0.0) for _ in GRID)
        return Curve(count, in_force, tuple(0.0 for _ in GRID), empty, None, (note,))
    variance = np.log(n_eff).var(axis=0)
    low, middle, high = (row.tolist() for row in np.round(np.percentile(n_eff, [10, 50, 90], axis=0), 2))
    best = int(variance.argmax())
    notes = [f"only {count} questions: the peak may wander by several steps; {FEW} or more are wanted"] * (count < FEW)
    at_end = best in (0, len(GRID) - 1)
    if at_end:
        notes.append(f"the variance still rises at the end of the grid (τ={GRID[best]:g}): there is no peak to propose")
    peak = None if at_end else GRID[best]
    return Curve(
        count, in_force, tuple(variance.tolist()), tuple(zip(low, middle, high, strict=True)), peak, tuple(notes)
    )


def drawn(found: Curve) -> Iterator[str]:
    """The curve for a terminal."""
    highest = max(found.variance) or 1.0
    yield f"var(log N_eff) of {found.questions} questions"
    for tau, variance, (low, middle, high) in zip(GRID, found.variance, found.spread, strict=True):
        bar = "█" * round(_BAR * variance / highest)
        marks = " ← peak" * (tau == found.peak) + " ← in force" * (abs(tau - found.in_force) < 0.05)
        yield f"τ={tau:.1f} {bar:<{_BAR}} {variance:.3f}  N_eff {low:,.1f} · {middle:,.1f} · {high:,.1f}{marks}"


def as_csv(found: Curve) -> str:
    """The curve for a plotting program."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["tau", "variance", "n_eff_p10", "n_eff_p50", "n_eff_p90"])
    for tau, variance, tenths in zip(GRID, found.variance, found.spread, strict=True):
        writer.writerow([tau, round(variance, 6), *tenths])
    return text.getvalue()


def as_svg(found: Curve) -> str:
    """The curve as a picture."""
    width, height, edge = 640, 320, 40
    highest = max(found.variance) or 1.0

    def x(tau: float) -> float:
        return round(edge + (tau - GRID[0]) / (GRID[-1] - GRID[0]) * (width - 2 * edge), 1)

    def y(variance: float) -> float:
        return round(height - edge - variance / highest * (height - 2 * edge), 1)

    def upright(tau: float | None, colour: str, name: str) -> str:
        if tau is None or not GRID[0] <= tau <= GRID[-1]:
            return ""
        return (
            f'<line x1="{x(tau)}" x2="{x(tau)}" y1="{edge}" y2="{height - edge}" stroke="{colour}"/>'
            f'<text x="{x(tau) + 4}" y="{edge + (0 if name == "peak" else 14)}" fill="{colour}">'
            f"{escape(name)} {tau:g}</text>"
        )

    points = " ".join(f"{x(tau)},{y(one)}" for tau, one in zip(GRID, found.variance, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f'<text x="{edge}" y="20">var(log N_eff) of {found.questions} questions, by τ</text>'
        f'<line x1="{edge}" x2="{width - edge}" y1="{height - edge}" y2="{height - edge}" stroke="black"/>'
        f'<text x="{edge}" y="{height - 20}">{GRID[0]:g}</text>'
        f'<text x="{width - edge}" y="{height - 20}">{GRID[-1]:g}</text>'
        f'<polyline points="{points}" fill="none" stroke="black"/>'
        f"{upright(found.peak, 'crimson', 'peak')}{upright(found.in_force, 'steelblue', 'in force')}</svg>\n"
    )

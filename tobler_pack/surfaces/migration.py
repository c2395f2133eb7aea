"""Carrying a floor across a change of model or chunking by its selectivity: the share of chunks that it admits."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tobler_pack.evidence.floor import among, nearest
from tobler_pack.surfaces import tuning
from tobler_pack.surfaces.dials import FLOOR
from tobler_pack.surfaces.log import Log, Record
from tobler_pack.surfaces.registry import Dial, Registry, open_registry, propose
from tobler_pack.surfaces.stamp import same_scale, weights_of
from tobler_pack.surfaces.telemetry import asked, share_at
from tobler_pack.surfaces.tuning import MIGRATION, Move
from tobler_pack.weighing.weights import Floats
from tobler_pack.workspace import Workspace

SAMPLE = 200

FEW_CALLS = 20
"""With fewer logged calls the share is a guess."""

_SAME_TREE = 1.25
"""With the chunking as it was, the number of chunks changes by no more than this between two states of a tree."""

_OTHER_SHAPE = 2.5
"""With another chunking it may change this much."""

_SILENT = 0.1
"""More chunks than this without one token that the model knows: the model does not speak this tree's language."""

_STEP = 1e-4  # floors are proposed to four digits, as scores are logged

Range = tuple[float, float]


@dataclass(frozen=True)
class Findings:
    """What can be said of carrying a floor over. `proposal` is None where there is nothing to rest one on.

    `before` is the share that the old floor admitted in the logged calls, `after` what the proposal admits now.
    """

    surface: str
    old: float
    notes: tuple[str, ...]
    proposal: float | None = None
    before: float = 0.0
    after: float = 0.0
    calls: int = 0
    chunks_then: int = 0
    chunks_now: int = 0
    range_then: Range = (0.0, 0.0)
    range_now: Range = (0.0, 0.0)
    looks_like: str = ""

    def arithmetic(self) -> str:
        """The reason of an applied migration."""
        return (
            f"selectivity kept: floor {self.old:g} admitted {self.before:.1%} of {self.chunks_then} chunks in "
            f"{self.calls} logged calls, scores {_range(self.range_then)}; the same queries scored again: "
            f"{self.proposal:g} admits {self.after:.1%} of {self.chunks_now} chunks, scores {_range(self.range_now)}"
        )

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "surface": self.surface,
            "dial": FLOOR.name,
            "old": self.old,
            "proposal": self.proposal,
            "admitted_before": round(self.before, 6),
            "admitted_after": round(self.after, 6),
            "calls": self.calls,
            "chunks_then": self.chunks_then,
            "chunks_now": self.chunks_now,
            "scores_then": list(self.range_then),
            "scores_now": list(self.range_now),
            "looks_like": self.looks_like,
            "notes": list(self.notes),
        }


def _range(one: Range) -> str:
    return f"{one[0]:.3f}…{one[1]:.3f}"


def find(workspace: Workspace, registry: Registry, surface: str, log: Log, sample: int) -> Findings:
    """Score the logged calls of a surface again and look for the floor that admits the same share."""
    dial = registry.dials(surface).floor
    old = float(dial.value)
    if reason := _nothing_to_carry(dial):
        return Findings(surface, old, (reason,))
    calls = _calls(log, surface, dial, registry, sample)
    if not calls:
        return Findings(surface, old, (_no_calls(dial, surface, log),))
    over = registry.dials(surface).over
    now = np.concatenate([_scores(workspace, over, call) for call in calls])
    if not len(now):
        return Findings(surface, old, ("the index is empty: it does not cover the tree; type: tobler-pack index",))
    return carried(surface, dial, calls, now, _silent_share(workspace))


def carried(surface: str, dial: Dial, calls: Sequence[Record], now: Floats, silent: float = 0.0) -> Findings:
    """The arithmetic: calls as they were logged against the cosines of the same questions now, all in one array."""
    old = float(dial.value)
    then = sum(call["chunks"] for call in calls)
    before = sum(share_at(call, old) * call["chunks"] for call in calls) / then
    proposal = admitting(now, before)
    after = float((now >= proposal).mean()) if proposal > 0 else 1.0
    range_then = (min(call["cosines"][0] for call in calls), max(call["cosines"][-1] for call in calls))
    range_now = (round(float(now.min()), 4), round(float(now.max()), 4))
    growth = max(len(now), then) / min(len(now), then)
    unfinished = growth > (_OTHER_SHAPE if dial.calibration.shape_changed else _SAME_TREE)
    notes = [
        *([_few(len(calls), before)] if len(calls) < FEW_CALLS else []),
        *([_uncovered(then, len(now))] if unfinished else []),
        *([f"{silent:.0%} of the chunks have no token that the model knows"] if silent > _SILENT else []),
        *([_apart(range_then, range_now)] if _are_apart(range_then, range_now) else []),
        *([_moved(before, after)] if abs(before - after) > 0.02 else []),
    ]
    looks = "an unfinished index or another tree" if unfinished else "a change of scale"
    return Findings(
        surface, old, tuple(notes), proposal, before, after, len(calls), then, len(now), range_then, range_now, looks
    )


def admitting(cosines: Floats, share: float) -> float:
    """The floor that admits this share of some cosines, to four digits, within the range of the dial."""
    count = round(share * len(cosines))
    if count >= len(cosines):
        return 0.0 if share >= 1 else FLOOR.clamp(_down(float(cosines.min())))
    ordered = np.sort(cosines)[::-1]
    if count == 0:
        return FLOOR.clamp(round(_down(float(ordered[0])) + _STEP, 4))
    # Between the last one in and the first one out, so that rounding moves neither over the border.
    middle = round(float(ordered[count - 1] + ordered[count]) / 2, 4)
    return FLOOR.clamp(middle if ordered[count] < middle <= ordered[count - 1] else _down(float(ordered[count - 1])))


def _down(value: float) -> float:
    return round(math.floor(value / _STEP) * _STEP, 4)


def apply(workspace: Workspace, findings: Findings) -> Move:
    """Write the proposal down as an ordinary move."""
    assert findings.proposal is not None
    root = workspace.repository.root
    history = tuning.read_whole(root)
    registry = open_registry(workspace, history=history)
    move = propose(registry, findings.surface, FLOOR.name, findings.proposal, findings.arithmetic(), MIGRATION)
    return tuning.append(root, history, move)


def _nothing_to_carry(dial: Dial) -> str:
    if dial.value <= 0:
        return "the floor is 0 and admits everything under any model: there is nothing to carry over"
    if dial.calibration.stale is False:
        return "the floor was measured with the model and the chunking in force: it is not stale, nothing to carry over"
    return ""


def _calls(log: Log, surface: str, dial: Dial, registry: Registry, sample: int) -> list[Record]:
    """The last calls that were scored as the floor was measured, each question once."""
    measured = dial.move.stamp if dial.move is not None else None
    of_surface = [one for one in log.records if one["surface"] == surface and one["cosines"] and one["chunks"]]
    if measured is None:  # nobody knows what it was measured with: most likely what was in use before
        others = [one["stamp"] for one in of_surface if not same_scale(one["stamp"], registry.stamp)]
        measured = others[-1] if others else None
    if measured is None:
        return []
    last: dict[str, Record] = {}
    for one in of_surface:
        if same_scale(one["stamp"], measured):
            key = json.dumps(asked(one))
            last.pop(key, None)
            last[key] = one
    return list(last.values())[-sample:]


def _no_calls(dial: Dial, surface: str, log: Log) -> str:
    logged = sum(one["surface"] == surface for one in log.records)
    with_what = ""
    if dial.move is not None and dial.move.stamp is not None:
        with_what = f" with the model {weights_of(dial.move.stamp['model'])}"
    return (
        f"no logged call of {surface} was scored as the floor was measured{with_what} ({logged} were logged in all): "
        "its share is unknown. Build once with the former model, or read the near misses and type: "
        f"tobler-pack tune {surface} floor VALUE --reason TEXT"
    )


def _scores(workspace: Workspace, over: Sequence[Any], call: Record) -> Floats:
    """The cosines of a logged question with all chunks that it may look at."""
    library = workspace.library
    cosines = nearest(library.index, call.get("texts") or [call["query"]], library.model)
    return np.asarray(cosines[among(library.index, workspace.allowed(_paths(call), over))])


def _paths(call: Record) -> list[str]:
    paths = call.get("paths")
    return [one for one in paths if isinstance(one, str)] if isinstance(paths, list) else []


def _silent_share(workspace: Workspace) -> float:
    norms = workspace.library.index.tables.chunk_norm
    return float((norms == 0).mean()) if len(norms) else 0.0


def _few(calls: int, share: float) -> str:
    spread = math.sqrt(max(share * (1 - share), 0.01) / calls)
    plural = "call was" if calls == 1 else "calls were"
    return f"only {calls} {plural} logged; the share is uncertain by about {spread:.0%}"


def _uncovered(then: int, now: int) -> str:
    return (
        f"the logged calls saw {then} chunks, the same questions see {now} now: the index does not cover the tree yet, "
        "or this is another tree; check with: tobler-pack index"
    )


def _are_apart(then: Range, now: Range) -> bool:
    return then[1] < now[0] or now[1] < then[0]


def _apart(then: Range, now: Range) -> str:
    return (
        f"the score ranges do not overlap: {_range(then)} then, {_range(now)} now; look at the near misses afterwards"
    )


def _moved(before: float, after: float) -> str:
    return (
        f"no floor keeps the share: {before:.1%} before, {after:.1%} after (many equal scores, or the end of the dial)"
    )


def summary(findings: Findings) -> Iterator[str]:
    """For a person, notes before the proposal."""
    yield from (f"note: {note}" for note in findings.notes)
    if findings.proposal is None:
        yield f"{findings.surface} floor stays {findings.old:g}: no proposal"
        return
    yield f"then: {findings.calls} logged calls, {findings.chunks_then} chunks, scores {_range(findings.range_then)}"
    yield f"now: the same questions, {findings.chunks_now} chunks, scores {_range(findings.range_now)}"
    yield f"the shift looks like {findings.looks_like}"
    yield (
        f"{findings.surface} floor {findings.old:g} → {findings.proposal:g}: admitted {findings.before:.1%} before, "
        f"{findings.after:.1%} after"
    )

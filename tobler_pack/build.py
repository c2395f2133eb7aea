"""The batch job: all packs of a configuration, each written only where its bytes change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tobler_pack.corpus.place import sealed, unsealed
from tobler_pack.errors import UsageError
from tobler_pack.packs import manifest, writer
from tobler_pack.revision import code_digest
from tobler_pack.sources.config import Config, Question
from tobler_pack.surfaces import log
from tobler_pack.surfaces import registry as surfaces
from tobler_pack.surfaces.registry import Registry, Source
from tobler_pack.workspace import Workspace, say

if TYPE_CHECKING:
    from tobler_pack.weighing.memory import Memory

WRITTEN, UNCHANGED, STALE = "written", "unchanged", "stale"


@dataclass(frozen=True, slots=True)
class Made:
    """A finished pack as the batch job sees it: its text, its manifest entry and, for telemetry, what its dials did."""

    text: str
    entry: manifest.Entry
    figures: log.Record
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question."""

    question: Question
    made: Made
    state: str


def budget_of(question: Question, registry: Registry) -> int:
    """The budget in force: the command line's, the question's own, its surface's. A question's own is no dial: it was
    written for this one pack.
    """
    dial = registry.dials(question.surface).budget
    if question.budget is not None and dial.source is not Source.OPTION:
        return question.budget
    return int(dial.value)


def floor_of(question: Question, registry: Registry) -> float:
    """The floor in force on its surface."""
    return float(registry.dials(question.surface).floor.value)


def dials_of(groups: Iterable[tuple[Question, ...]], registry: Registry) -> list[surfaces.Dial]:
    """The dials that the packs of some groups depend on."""
    asked = [(question.surface, question.budget is not None) for group in groups for question in group]
    return [*surfaces.used(registry, asked), registry.tau()]


def sessions(questions: Sequence[Question]) -> list[tuple[Question, ...]]:
    """Questions grouped by session, in the order of the file; one without a session stands alone."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        key = f"id {question.id}" if question.session is None else f"session {question.session}"
        groups.setdefault(key, []).append(question)
    return [tuple(group) for group in groups.values()]


def share(groups: Sequence[tuple[Question, ...]], shard: tuple[int, int]) -> list[tuple[Question, ...]]:
    """The groups of shard I of N (counted from 1): every N-th, so that sessions stay together."""
    number, shards = shard
    return [group for at, group in enumerate(groups) if at % shards == number - 1]


def choose(config: Config, only: Sequence[str], shard: tuple[int, int]) -> list[tuple[Question, ...]]:
    """The groups that a run has to look at.

    Raises UsageError for an id that the configuration does not have, or if it asks nothing at all.
    """
    known = [question.id for question in config.queries]
    if not known:
        raise UsageError(
            "the configuration has no `queries`; add one, for example: {id: overview, ask: how does it work}"
        )
    for name in only:
        if name not in known:
            raise UsageError(f"--only {name}: there is no such question; known: {', '.join(known)}")
    groups = share(sessions(config.queries), shard)
    return [group for group in groups if not only or any(question.id in only for question in group)]


def build(
    workspace: Workspace,
    groups: Iterable[tuple[Question, ...]],
    only: Sequence[str],
    folder: Path,
    registry: Registry,
    *,
    check: bool,
) -> list[Outcome]:
    """Make the packs of some groups and write those whose bytes change; with `check` nothing is written."""
    shelf = _Shelf(workspace.cache)
    outcomes: list[Outcome] = []
    for group in groups:
        for question, made in zip(group, _answer(workspace, group, shelf, registry), strict=True):
            if not only or question.id in only:
                _note(workspace, question, made)
                outcomes.append(Outcome(question, made, _deliver(made, folder / f"{question.id}.md", check=check)))
    workspace.counter.keep()
    return outcomes


def _note(workspace: Workspace, question: Question, made: Made) -> None:
    log.record(
        workspace,
        made.figures,
        surface=question.surface,
        name=question.id,
        query=question.ask,
        paths=question.paths,
        cached=made.cached,
    )


def _deliver(made: Made, place: Path, *, check: bool) -> str:
    if writer.read_if_there(place) == made.text:
        return UNCHANGED
    if check:
        return STALE
    writer.replace(place, made.text)
    return WRITTEN


def _answer(workspace: Workspace, group: Sequence[Question], shelf: _Shelf, registry: Registry) -> list[Made]:
    """The packs of one group: from the cache if all are there, otherwise all anew, since each needs the one before."""
    keys = [_key(workspace, group[: at + 1], registry) for at in range(len(group))]
    kept = [shelf.get(key) for key in keys]
    if all(made is not None for made in kept):
        return [made for made in kept if made is not None]
    memory: Memory | None = None
    answers: list[Made] = []
    for question, key in zip(group, keys, strict=True):
        made, memory = _make(workspace, question, memory, registry)
        shelf.put(key, made)
        answers.append(made)
    return answers


def _make(
    workspace: Workspace, question: Question, memory: Memory | None, registry: Registry
) -> tuple[Made, Memory | None]:
    # Only here: a job whose packs are all in the cache is done before these would be loaded.
    from tobler_pack.pipeline import Request, build_pack
    from tobler_pack.surfaces.telemetry import figures

    workspace.counter.prepare()
    request = Request(
        title=question.id,
        question=question.ask,
        command=f"tobler-pack build --only {question.id}{_as_typed(registry)}",
        budget=budget_of(question, registry),
        allowed=workspace.allowed(question.paths, registry.dials(question.surface).over),
        floor=floor_of(question, registry),
    )
    left_out = {cause.value: count for cause, count in workspace.corpus.left_out.items()}
    tau = float(registry.tau().value)
    answer = build_pack(workspace.library, request, workspace.counter, memory, left_out, tau)
    entry = manifest.entry(
        answer.pack, name=question.id, query=question.ask, surface=question.surface, mem=answer.memory.share
    )
    made = Made(answer.pack.text, entry, figures(workspace.library, answer.pack, answer.sieve))
    return made, answer.memory if question.session else None


def _as_typed(registry: Registry) -> str:
    """The dials that the command line set, as they have to be typed again."""
    floor, budget = registry.options.floor, registry.options.budget
    return (f" --floor {floor:g}" if floor is not None else "") + (f" --budget {budget}" if budget is not None else "")


def _key(workspace: Workspace, chain: Sequence[Question], registry: Registry) -> str:
    """Names everything that the last pack of a chain of questions depends on."""
    facts: list[Any] = [code_digest(), registry.tau().value, workspace.stamp, workspace.snapshot.tree_id]
    facts += [repr(workspace.scope), [[q.id, q.ask, q.paths, q.surface] for q in chain]]
    last = chain[-1]
    facts.append([budget_of(last, registry), floor_of(last, registry), _as_typed(registry)])
    facts.append(registry.dials(last.surface).over)
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()


class _Shelf:
    """Finished packs in the cache, under the name of everything they depend on."""

    _MOST = 2_000

    def __init__(self, cache: Path) -> None:
        self._folder = cache / "packs-3"

    def get(self, key: str) -> Made | None:
        """A finished pack, None if it is not there; of a damaged one it is said that it is made again."""
        place = self._folder / key
        try:
            kept = json.loads(unsealed(place.read_text(encoding="utf-8")))
            place.touch()  # those not used for the longest time go first
            return Made(kept["text"], kept["entry"], kept["figures"], cached=True)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            say(f"the cached pack {place} is damaged; making it again")
            return None

    def put(self, key: str, made: Made) -> None:
        """Keep a finished pack; without room for it the next run only takes longer."""
        with suppress(Exception):
            writer.replace(self._folder / key, sealed(json.dumps(asdict(made))))
            kept = sorted(self._folder.glob("[!.]*"), key=lambda path: path.stat().st_mtime_ns)
            for old in kept[: -self._MOST]:
                old.unlink(missing_ok=True)

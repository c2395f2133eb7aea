"""One question from the command line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tobler_pack.corpus.index import Index
from tobler_pack.corpus.selection import matching
from tobler_pack.corpus.tree import Repository
from tobler_pack.errors import UsageError
from tobler_pack.evidence.carry import carry
from tobler_pack.packs import manifest
from tobler_pack.packs.pack import Pack
from tobler_pack.pipeline import Request, build_pack
from tobler_pack.sources import rules
from tobler_pack.sources.config import Config
from tobler_pack.surfaces import log, telemetry
from tobler_pack.surfaces.registry import Dial, Options, open_registry, searching, used
from tobler_pack.types import Content
from tobler_pack.weighing.memory import Memory
from tobler_pack.workspace import Workspace

_LONGEST_IN_COMMAND = 80  # a longer question stands in the title already and would cost its tokens twice


@dataclass(frozen=True)
class Carried:
    """What a question leaves to the next one of its session, over which chunks, and what that rests on: with another
    model, chunking or scope it means nothing.
    """

    memory: Memory
    index: Index
    ground: str

    def over(self, index: Index, ground: str) -> Memory | None:
        """The memory over another index; None where it means nothing."""
        return carry(self.memory, self.index, index) if ground == self.ground else None


@dataclass(frozen=True)
class Answered:
    """The pack of one question, and the dials of the surface that it was asked for."""

    pack: Pack
    question: str
    surface: str | None
    dials: tuple[Dial, ...]
    carried: Carried

    @property
    def text(self) -> str:
        """The pack."""
        return self.pack.text

    def json(self) -> str:
        """Its manifest entry."""
        mem = self.carried.memory.share
        return manifest.to_json(
            manifest.entry(self.pack, name=None, query=self.question, surface=self.surface, mem=mem)
        )


def answer(
    repository: Repository,
    config: Config,
    tree: str,
    text: str,
    budget: int | None,
    content: Sequence[Content] | None,
    paths: Sequence[str] | None,
    surface: str | None = None,
    floor: float | None = None,
    before: Carried | None = None,
) -> Answered:
    """Answer one question over a tree, with the dials of a surface if one is named, and after what came `before`.

    Raises UsageError for a question, budget, floor, surface or pattern that cannot be.
    """
    asked = _checked("the question", rules.question, text)
    patterns = tuple(_checked(f"--paths {one}", rules.pattern, one) for one in paths or ())
    options = Options(floor, budget if budget is None else _budget(budget))
    workspace = Workspace.open(repository, searching(config, content, surface), tree)
    workspace.counter.prepare()
    registry = open_registry(workspace, options)
    dials = registry.dials(surface) if surface is not None else None
    tokens = options.budget or config.budget
    request = Request(
        title="",
        question=asked,
        command=f"tobler-pack query {shlex.quote(asked) if len(asked) <= _LONGEST_IN_COMMAND else '…'}",
        budget=tokens if dials is None else int(dials.budget.value),
        allowed=matching(workspace.corpus.index.files, patterns) if patterns else None,
        floor=(floor or 0.0) if dials is None else float(dials.floor.value),
    )
    left_out = {cause.value: count for cause, count in workspace.corpus.left_out.items()}
    ground = json.dumps([workspace.stamp, repr(workspace.scope)])
    memory = before.over(workspace.corpus.index, ground) if before is not None else None
    done = build_pack(workspace.library, request, workspace.counter, memory, left_out, float(registry.tau().value))
    workspace.counter.keep()
    what = telemetry.figures(workspace.library, done.pack, done.sieve)
    log.record(workspace, what, surface=surface, name=None, query=asked, paths=patterns)
    dials_used = (*used(registry, [(surface, False)] if surface else []), registry.tau())
    return Answered(done.pack, asked, surface, dials_used, Carried(done.memory, workspace.corpus.index, ground))


def _checked(what: str, rule: Callable[[str], str], text: str) -> str:
    try:
        return rule(text)
    except ValueError as error:
        raise UsageError(f"{what}: {error}") from None


def _budget(tokens: int) -> int:
    if not rules.SMALLEST_BUDGET <= tokens <= rules.LARGEST_BUDGET:
        raise UsageError(
            f"--budget {tokens}: out of range; take {rules.SMALLEST_BUDGET} to {rules.LARGEST_BUDGET} tokens"
        )
    return tokens

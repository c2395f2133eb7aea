"""One question from the command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tobler_pack.corpus.library import matching
from tobler_pack.corpus.tree import Repository
from tobler_pack.errors import UsageError
from tobler_pack.packs import manifest
from tobler_pack.packs.pack import Pack
from tobler_pack.pipeline import Request, build_pack
from tobler_pack.sources import rules
from tobler_pack.sources.config import Config
from tobler_pack.types import Content
from tobler_pack.workspace import Workspace

_LONGEST_IN_COMMAND = 80  # a longer question stands in the title already and would cost its tokens twice


@dataclass(frozen=True)
class Answered:
    """The pack of one question."""

    pack: Pack
    question: str

    @property
    def text(self) -> str:
        """The pack."""
        return self.pack.text

    def json(self) -> str:
        """Its manifest entry."""
        return manifest.to_json(manifest.entry(self.pack, name=None, query=self.question, surface=None, mem=0.0))


def answer(
    repository: Repository,
    config: Config,
    tree: str,
    text: str,
    budget: int | None,
    content: Sequence[Content] | None,
    paths: Sequence[str] | None,
) -> Answered:
    """Answer one question over a tree.

    Raises UsageError for a question, budget or pattern that cannot be.
    """
    asked = _checked("the question", rules.question, text)
    patterns = tuple(_checked(f"--paths {one}", rules.pattern, one) for one in paths or ())
    tokens = config.budget if budget is None else _budget(budget)
    if content:
        config = replace(config, content=tuple(dict.fromkeys(content)))
    workspace = Workspace.open(repository, config, tree)
    workspace.counter.prepare()
    request = Request(
        title="",
        question=asked,
        command=f"tobler-pack query {shlex.quote(asked) if len(asked) <= _LONGEST_IN_COMMAND else '…'}",
        budget=tokens,
        allowed=matching(workspace.corpus.index.files, patterns) if patterns else None,
    )
    left_out = {cause.value: count for cause, count in workspace.corpus.left_out.items()}
    pack = build_pack(workspace.library, request, workspace.counter, None, left_out).pack
    workspace.counter.keep()
    return Answered(pack, asked)


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

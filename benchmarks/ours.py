"""tobler-pack as the benchmarks ask it: through the same calls as its command line, with the constants in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.checkouts import Checkout
from benchmarks.scoring import Shown
from tobler_pack import pipeline
from tobler_pack.corpus.tree import Repository
from tobler_pack.packs import manifest
from tobler_pack.packs.tokens import TokenCounter
from tobler_pack.sources.config import Config
from tobler_pack.types import Content
from tobler_pack.weighing.memory import Memory
from tobler_pack.weighing.weights import Floats
from tobler_pack.workspace import Workspace


@dataclass(frozen=True)
class Asked:
    """A finished pack as its manifest tells it, and the memory for a question that follows."""

    text: str
    entry: dict[str, Any]
    memory: Memory
    prefix: str

    def shown(self) -> list[Shown]:
        """Its blocks in the order in which the pack shows them."""
        return [_shown(block, self.prefix) for block in self.entry["blocks"]]

    def by_weight(self) -> list[Shown]:
        """Its blocks, heaviest first."""
        return [_shown(block, self.prefix) for block in sorted(self.entry["blocks"], key=lambda one: -one["weight"])]


def _shown(block: dict[str, Any], prefix: str) -> Shown:
    lines = tuple((first, last) for first, last in block["lines"])
    return Shown(prefix + block["path"], (block["start_line"], block["end_line"]), lines)


@dataclass(frozen=True)
class Ours:
    """One checkout with its index."""

    workspace: Workspace
    prefix: str
    counter: TokenCounter

    def ask(self, question: str, budget: int, memory: Memory | None = None, tau: float = pipeline.TAU) -> Asked:
        """One pack."""
        request = pipeline.Request("", question, "tobler-pack query …", budget)
        left_out = {cause.value: count for cause, count in self.workspace.corpus.left_out.items()}
        answer = pipeline.build_pack(self.workspace.library, request, self.counter, memory, left_out, tau)
        entry = manifest.entry(answer.pack, name=None, query=question, surface=None, mem=answer.memory.share)
        return Asked(answer.pack.text, entry, answer.memory, self.prefix)

    def standing(self, question: str) -> Floats:
        """The blended evidence, one number for each chunk."""
        return self.evidence(question).standing

    def evidence(self, question: str) -> pipeline.Evidence:
        """The same with the question's signal."""
        return pipeline.evidence(self.workspace.library, question)

    def weights(self, scores: Floats, tau: float = pipeline.TAU) -> Floats:
        """Scores as weights of chunks."""
        return pipeline.weigh(self.workspace.library.index, scores, None, tau)

    def files(self, weights: Floats, most: int, budget: int) -> list[str]:
        """The files whose heaviest blocks weigh most: the order of a pack that had room for all of them."""
        index = self.workspace.library.index
        chunk_block = index.chunk_block[:, pipeline.block_size(budget)]
        blocks = np.bincount(chunk_block, weights=weights, minlength=len(index.block_file))
        heaviest = np.zeros(len(index.files))
        np.maximum.at(heaviest, index.block_file, blocks)
        return [self.prefix + index.files[at].path for at in np.argsort(-heaviest, kind="stable")[:most].tolist()]


def open_ours(checkout: Checkout, content: Sequence[Content] = (Content.CODE,)) -> Ours:
    """Index a checkout, or take its index from the cache; no folder of it counts as the folder of finished packs."""
    workspace = Workspace.open(Repository(checkout.clone), Config(content=tuple(content), out=""), checkout.tree)
    return Ours(workspace, checkout.prefix, workspace.counter)

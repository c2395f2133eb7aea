"""Indexes of real repositories, made in this process."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from tobler_pack.corpus.index import Index
from tobler_pack.corpus.library import Corpus, open_corpus
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.postings import Postings
from tobler_pack.corpus.selection import Scope
from tobler_pack.corpus.tables import Tables
from tobler_pack.corpus.tree import WORKTREE, Repository
from tobler_pack.types import Content

CODE = Scope((Content.CODE,))


class Told(list[str]):
    """Collects what a run wants to say."""

    def __call__(self, text: str) -> None:
        self.append(text)


def corpus(
    root: Path, cache: Path, model: StaticModel, *, scope: Scope = CODE, tree: str = WORKTREE, told: Told | None = None
) -> Corpus:
    """The corpus of a repository; what it says beside goes to `told`."""
    repository = Repository(root)
    cache.mkdir(parents=True, exist_ok=True)
    warn = Told() if told is None else told
    return open_corpus(
        repository, repository.snapshot(tree), scope, model, cache, warn, lambda files: lambda done: None
    )


def assert_same(first: Index, second: Index) -> None:
    """Two indexes are equal to the last bit."""
    assert first.files == second.files
    for kind, ours, theirs in ((Tables, first.tables, second.tables), (Postings, first.postings, second.postings)):
        for column in fields(kind):
            one, other = getattr(ours, column.name), getattr(theirs, column.name)
            assert (one.dtype, one.shape) == (other.dtype, other.shape), column.name
            assert np.array_equal(one, other), column.name

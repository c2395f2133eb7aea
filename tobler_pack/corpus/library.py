"""From a tree of a repository to its index: which index of the cache serves, what is built anew."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tobler_pack.corpus.cache import IndexCache
from tobler_pack.corpus.chunking import chunking_stamp
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.selection import Scope, SourceFile, known_languages, select
from tobler_pack.corpus.text import Cause
from tobler_pack.corpus.tree import Repository, Snapshot


@dataclass(frozen=True)
class Corpus:
    """A tree, its index and what was left out of it, by cause."""

    snapshot: Snapshot
    index: Index
    left_out: Mapping[Cause, int]


def open_corpus(
    repository: Repository,
    snapshot: Snapshot,
    scope: Scope,
    model: StaticModel,
    cache: Path,
    warn: Callable[[str], None],
    watch: Callable[[int], Callable[[int], None]],
) -> Corpus:
    """The index of a snapshot: the one in the cache, or a new one that starts from the nearest in the cache.

    `watch` is told the number of files before the work begins and answers with what wants to hear of progress.
    """
    os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] = str(cache / f"grammars-{version('semble-grammars')}")
    files, left_out = select(repository, snapshot, scope, known_languages(cache))
    shelf = IndexCache(cache, f"{chunking_stamp()}\0{model.identity}", warn)
    index = shelf.load(files)
    if index is None:
        # Only here: parsing, workers and archives of grammars are no business of a tree that is known already.
        from tobler_pack.corpus.building import build_index

        index = build_index(files, _reader(repository, snapshot), model, shelf.nearest(files), watch(len(files)))
        shelf.save(index)
    return Corpus(snapshot, index, left_out + Counter(index.left_out()))


def _reader(repository: Repository, snapshot: Snapshot) -> Callable[[SourceFile], bytes]:
    entries = {entry.path: entry for entry in snapshot.entries}
    return lambda file: repository.read(snapshot, entries[file.path])

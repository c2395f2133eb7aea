"""What one run works with: repository, tree, cache, model, counter, and the index once it is needed.

What needs numpy is imported where it is asked for: a run whose packs are all as they were asks for none of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tobler_pack import corpus as shipped
from tobler_pack.corpus.chunking import chunking_stamp
from tobler_pack.corpus.kept import kept
from tobler_pack.corpus.place import cache_folder, digest, signature
from tobler_pack.corpus.selection import Scope, matching, of_content
from tobler_pack.corpus.tree import Repository, Snapshot
from tobler_pack.corpus.tree import find_repository as find_repository
from tobler_pack.packs.tokens import TokenCounter
from tobler_pack.revision import code_digest
from tobler_pack.sources.config import Config
from tobler_pack.types import Content

if TYPE_CHECKING:
    from tobler_pack.corpus.library import Corpus
    from tobler_pack.corpus.model import StaticModel
    from tobler_pack.pipeline import Library


def say(text: str) -> None:
    """One line for a person, on standard error: standard output is for packs."""
    sys.stderr.write(f"tobler-pack: {text}\n")


@dataclass(frozen=True)
class Workspace:
    """One tree of one repository under one configuration. The model and the index are loaded when first asked for."""

    repository: Repository
    snapshot: Snapshot
    config: Config
    cache: Path
    counter: TokenCounter

    @classmethod
    def open(cls, repository: Repository, config: Config, tree: str) -> Workspace:
        """Take a snapshot of a tree; nothing of it is read yet."""
        cache = cache_folder(repository.root)
        return cls(repository, repository.snapshot(tree), config, cache, TokenCounter(config.tokens, cache, say))

    @property
    def scope(self) -> Scope:
        """Which files are looked at: those of `content` and what the surfaces of its questions ask over; without
        questions there are no packs, so no folder of them either.
        """
        asked = {question.surface for question in self.config.queries}
        over = [one.over for one in self.config.surfaces if one.over is not None and one.name in asked]
        content = tuple(dict.fromkeys([*self.config.content, *over]))
        return Scope(content, self.config.exclude, self.config.out if self.config.queries else None)

    def allowed(self, paths: Sequence[str], over: Sequence[Content]) -> list[bool] | None:
        """Which files a question may look at: those that match its paths and hold what is asked over; None for all."""
        files = self.corpus.index.files
        if set(over) >= set(self.scope.content):
            return matching(files, paths) if paths else None
        held = of_content(files, over, self.cache)
        return [one and other for one, other in zip(held, matching(files, paths), strict=True)]

    @cached_property
    def stamp(self) -> dict[str, str]:
        """What every number of a pack was made with. Names of model and blend are kept in the cache, since asking for
        them means loading numpy.
        """
        model, root = self.config.model, self.repository.root
        folders = Path(shipped.__file__).parent / model, (root or Path()) / model  # one of ours, or of the repository
        ground = [code_digest(), *map(signature, folders)]
        place = self.cache / "stamps" / digest("\0".join([model, str(root)]))
        names: dict[str, str] = kept(place, ground, self._names)
        return {
            "model": names["model"],
            "chunking": chunking_stamp(),
            "blend": names["blend"],
            "counter": self.config.tokens,
        }

    def _names(self) -> dict[str, str]:
        from tobler_pack.corpus.model import model_identity
        from tobler_pack.evidence.blend import BLEND

        model = self.config.model
        return {"model": f"{_kind(model)}:{model_identity(model, self.repository.root)}", "blend": BLEND}

    @cached_property
    def model(self) -> StaticModel:
        """The embedding model."""
        from tobler_pack.corpus.model import load_model

        return load_model(self.config.model, self.repository.root)

    @cached_property
    def corpus(self) -> Corpus:
        """The index of the tree, from the cache or built now."""
        from tobler_pack.corpus.library import open_corpus

        with _Progress() as progress:
            return open_corpus(self.repository, self.snapshot, self.scope, self.model, self.cache, say, progress.begin)

    @cached_property
    def library(self) -> Library:
        """The index with what is needed to ask it."""
        from tobler_pack.pipeline import Library

        index = self.corpus.index
        entries = {entry.path: entry for entry in self.snapshot.entries}
        return Library(index, self.model, lambda at: self.repository.read(self.snapshot, entries[index.files[at].path]))


def _kind(model: str) -> str:
    """How the stamp calls a model: a local folder by that word alone, since where it lies is nobody's business."""
    from tobler_pack.corpus.model import EMBEDDED, HUB

    return model if model == EMBEDDED or model.startswith(HUB) else "local"


class _Progress:
    """A bar on standard error while files are indexed, on a terminal only."""

    def __init__(self) -> None:
        self._close: Callable[[], None] = lambda: None

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def begin(self, files: int) -> Callable[[int], None]:
        """Show a bar for this many files; the answer is told of each step."""
        if not sys.stderr.isatty():
            return lambda done: None
        from tqdm import tqdm

        bar = tqdm(total=files, desc="indexing", unit="file", leave=False, file=sys.stderr)
        self._close = bar.close

        def step(done: int) -> None:
            bar.update(done)

        return step

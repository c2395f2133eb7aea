"""The only benchmark module that talks to semble: its search, with our model, on the same files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tobler_pack
from benchmarks.checkouts import Checkout, lay_out
from benchmarks.scoring import Shown
from tobler_pack.packs.markdown import code_span, fence

MODEL = Path(tobler_pack.__file__).parent / "corpus" / "embedded"
_MORE_RESULTS = 30  # more chunks than any budget in use holds


@dataclass(frozen=True, slots=True)
class Chunk:
    """One result of a peer."""

    path: str
    first: int
    last: int
    content: str
    language: str

    @property
    def shown(self) -> Shown:
        """The result as scoring sees it: all its lines stand there."""
        return Shown(self.path, (self.first, self.last), ((self.first, self.last),))

    @property
    def markdown(self) -> str:
        """The result as it would be handed to a reader."""
        body = fence(self.content.split("\n"), self.language)
        return f"### {code_span(f'{self.path}:{self.first}-{self.last}')}\n{body}\n"


def document(query: str, chunks: list[Chunk]) -> str:
    """Results as one markdown file."""
    return f"# {code_span(query)}\n\n" + "".join(chunk.markdown for chunk in chunks)


class Semble:
    """semble's index of one checkout. What it writes of its own (cache, statistics) goes to the work folder."""

    def __init__(self, checkout: Checkout, work: Path) -> None:
        os.environ["SEMBLE_CACHE_LOCATION"] = str(work / "semble")
        from semble import SembleIndex  # noqa: TID251
        from semble.cache import save_index_to_cache  # noqa: TID251

        folder = lay_out(checkout, work)
        self._prefix = checkout.prefix
        self._index = SembleIndex.from_path(folder, model_path=str(MODEL))
        save_index_to_cache(self._index, str(folder))

    def search(self, query: str, results: int) -> list[Chunk]:
        """Its own search, in its own order."""
        found = [one.chunk for one in self._index.search(query, top_k=results)]
        return [
            Chunk(self._prefix + one.file_path, one.start_line, one.end_line, one.content, one.language or "")
            for one in found
        ]

    def fitting(self, query: str, fits: Callable[[str], bool]) -> list[Chunk]:
        """Its results in order, each that still fits beside those before it."""
        kept: list[Chunk] = []
        for chunk in self.search(query, _MORE_RESULTS):
            if fits(document(query, [*kept, chunk])):
                kept.append(chunk)
        return kept


def command_environment(work: Path) -> dict[str, str]:
    """The environment in which its command uses our model and leaves the user's folders alone."""
    return {
        "HOME": str(work / "home"),
        "SEMBLE_CACHE_LOCATION": str(work / "semble"),
        "SEMBLE_MODEL_NAME": str(MODEL),
    }

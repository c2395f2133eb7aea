"""What the hook remembers: which packs a tree had. By it a commit that cannot have changed one is told at once.

Nothing heavy is imported here: deciding that there is nothing to do must cost less than loading what could do it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tobler_pack.corpus.place import digest, sealed, signature, unsealed
from tobler_pack.corpus.tree import SUBMODULE_MODE, Entry
from tobler_pack.packs import writer
from tobler_pack.revision import code_digest

_FOLDER = "hook-1"
_MOST_TREES = 100
_LIBRARIES = ("semble", "semble-grammars", "tree-sitter", "tokenizers", "toktok-rs", "numpy", "pathspec")
"""What decides, besides our own code, what stands in a pack."""


@dataclass(frozen=True)
class Stamp:
    """What is known of one configuration: where its packs go, which files it looks at, the packs of some trees.

    `endings` are those of the files that it may show, lower case with their dot. `model` is a local folder with a
    signature of its files, empty for a model that cannot change under its name. `trees` has for each tree of relevant
    files the blob id of each pack, by its name.
    """

    out: str
    endings: frozenset[str]
    model: tuple[str, str]
    trees: Mapping[str, Mapping[str, str]]

    def relevant(self, entries: Iterable[Entry]) -> list[Entry]:
        """The entries that can reach a pack, and some more; never the packs themselves."""
        return relevant(entries, self.out, self.endings)

    def with_tree(self, tree: str, packs: Mapping[str, str]) -> Stamp:
        """One tree more; the oldest goes where there are too many."""
        kept = {name: known for name, known in self.trees.items() if name != tree}
        newest = dict([*kept.items()][-_MOST_TREES + 1 :])
        return Stamp(self.out, self.endings, self.model, {**newest, tree: packs})


def relevant(entries: Iterable[Entry], out: str, endings: frozenset[str]) -> list[Entry]:
    """The entries whose change may change a pack: files that are shown, attributes, submodules (which are counted)."""
    return [entry for entry in entries if _counts(entry, endings) and not _is_pack(entry.path, out)]


def _counts(entry: Entry, endings: frozenset[str]) -> bool:
    name = entry.path.rsplit("/", 1)[-1]
    ending = f".{name.rpartition('.')[2].lower()}"
    return ending in endings or name == ".gitattributes" or entry.mode == SUBMODULE_MODE


def _is_pack(path: str, out: str) -> bool:
    return path.startswith(f"{out}/") and path.endswith(".md")


def load(cache: Path, config: str, root: Path) -> Stamp | None:
    """What is known of a configuration, by its text; None where nothing is, or where its model has changed."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        kept = json.loads(unsealed(_place(cache, config).read_text(encoding="utf-8")))
        stamp = Stamp(kept["out"], frozenset(kept["endings"]), (kept["model"][0], kept["model"][1]), kept["trees"])
        if not stamp.model[0] or signature(root / stamp.model[0]) == stamp.model[1]:
            return stamp
    return None


def save(cache: Path, config: str, stamp: Stamp) -> None:
    """Keep what is known; without room for it the next run only takes longer."""
    kept: dict[str, Any] = {
        "out": stamp.out,
        "endings": sorted(stamp.endings),
        "model": list(stamp.model),
        "trees": {tree: dict(packs) for tree, packs in stamp.trees.items()},
    }
    with suppress(Exception):
        writer.replace(_place(cache, config), sealed(json.dumps(kept)))


def _place(cache: Path, config: str) -> Path:
    return cache / _FOLDER / digest("\0".join([code_digest(), *_versions(_LIBRARIES), config]))


def _versions(names: Sequence[str]) -> Iterable[str]:
    for name in names:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} missing"

"""Counting tokens with the named, real tokenizer, and remembering counts by content.

Loading a vocabulary takes over half a second, so it is loaded at the first text whose count is not remembered: a run
whose packs come out as before never loads it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

COUNTERS = ("o200k_base", "cl100k_base")
_REMEMBERED = 200_000  # counts; 12 bytes each on disk


class TokenCounter:
    """Counts as one tokenizer does. `folder` keeps what it counted; without one nothing is kept."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        if name not in COUNTERS:
            raise ValueError(f"unknown counter {name!r}; known: {', '.join(COUNTERS)}")
        self.name = name
        self._file = None if folder is None else folder / f"tokens-{name}.npy"
        self._known = self._recall()
        self._dirty = False

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text."""
        keys = [_key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            from toktok import batch_count  # loads the vocabulary

            self._known.update(zip(missing, batch_count(list(missing.values()), self.name), strict=True))
            self._dirty = True
        return [self._known[key] for key in keys]

    def keep(self) -> None:
        """Write the counts to the folder; a counter that cannot is only slower next time."""
        if self._file is None or not self._dirty:
            return
        newest = list(self._known.items())[-_REMEMBERED:]
        table = np.array(newest, dtype=np.uint64).reshape(-1, 2)
        with suppress(OSError):
            beside = self._file.with_suffix(f".{os.getpid()}")
            with beside.open("wb") as file:
                np.save(file, np.vstack([table, _seal(table)]), allow_pickle=False)
            beside.replace(self._file)
            self._dirty = False

    def _recall(self) -> dict[int, int]:
        if self._file is None:
            return {}
        with suppress(OSError, ValueError, EOFError):
            table = np.load(self._file, allow_pickle=False)
            if table.ndim == 2 and len(table) and (table[-1] == _seal(table[:-1])).all():
                return dict(table[:-1].tolist())
        return {}


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _seal(table: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A last row that tells whether the others are whole: a wrong count could break a budget."""
    digest = hashlib.blake2b(np.ascontiguousarray(table).tobytes(), digest_size=16).digest()
    return np.frombuffer(digest, dtype=np.uint64)

"""Counting tokens with the named, real tokenizer, and remembering counts by content.

Loading a vocabulary takes over half a second, so it is loaded at the first text whose count is not remembered: a run
whose packs come out as before never loads it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from tobler_pack.packs import vocabulary

COUNTERS = ("o200k_base", "cl100k_base")
_REMEMBERED = 200_000  # counts; 16 bytes each on disk
_SEAL_BYTES = 16


class TokenCounter:
    """Counts as one tokenizer does. `folder` keeps what it counted; without one nothing is kept."""

    def __init__(self, name: str, folder: Path | None = None, warn: Callable[[str], None] = lambda text: None) -> None:
        if name not in COUNTERS:
            raise ValueError(f"unknown counter {name!r}; known: {', '.join(COUNTERS)}")
        self.name = name
        self._file = None if folder is None else folder / f"tokens-{name}.counts"
        self._warn = warn
        self._dirty = False
        self._beside: vocabulary.Beside | None = None

    def prepare(self) -> None:
        """Begin to load the vocabulary beside other work."""
        self._beside = vocabulary.beside(self.name)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text."""
        keys = [_key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            self._known.update(zip(missing, self._counted(list(missing.values())), strict=True))
            self._dirty = True
        return [self._known[key] for key in keys]

    def _counted(self, texts: list[str]) -> list[int]:
        return self._beside.count(texts) if self._beside is not None else vocabulary.count(texts, self.name)

    def keep(self) -> None:
        """Write the counts to the folder; a counter that cannot is only slower next time."""
        if self._file is None or not self._dirty:
            return
        import numpy as np

        newest = list(self._known.items())[-_REMEMBERED:]
        table = np.array(newest, dtype="<u8").tobytes()
        beside = self._file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            try:
                beside.write_bytes(table + _seal(table))
                beside.replace(self._file)
                self._dirty = False
            finally:
                beside.unlink(missing_ok=True)

    @cached_property
    def _known(self) -> dict[int, int]:
        """What was counted before, read at the first text: a run that has nothing to count needs none of it."""
        if self._file is None:
            return {}
        with suppress(OSError):
            content = self._file.read_bytes()
            table, seal = content[:-_SEAL_BYTES], content[-_SEAL_BYTES:]
            if seal == _seal(table):
                import numpy as np

                return dict(np.frombuffer(table, dtype="<u8").reshape(-1, 2).tolist())
            self._warn(f"the remembered token counts in {self._file} are damaged; counting again")
        return {}


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _seal(table: bytes) -> bytes:
    """What ends the file and tells whether the rest is whole: a wrong count could break a budget."""
    return hashlib.blake2b(table, digest_size=_SEAL_BYTES).digest()

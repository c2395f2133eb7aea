"""What a session remembers, carried over to the index of a tree that was edited in between."""

from __future__ import annotations

import numpy as np

from tobler_pack.corpus.index import Index
from tobler_pack.weighing.memory import Memory
from tobler_pack.weighing.weights import standardize


def carry(memory: Memory, before: Index, after: Index) -> Memory:
    """The memory over the chunks of `after`: files that stayed the same keep theirs, nothing is remembered of others.

    Both indexes must be made with the same chunking, so that the same content has the same chunks.
    """
    if before.files == after.files:
        return memory
    kept = {(file.path, file.blob): rows for file, rows in zip(before.files, _rows(before), strict=True)}
    scores = np.zeros(len(after))
    for file, rows in zip(after.files, _rows(after), strict=True):
        old = kept.get((file.path, file.blob))
        if old is not None:
            scores[rows] = memory.scores[old]
    return Memory(standardize(scores), memory.share)


def _rows(index: Index) -> list[slice]:
    """For each file its chunks."""
    ends = np.cumsum(index.tables.file_chunks, dtype=np.int64).tolist()
    return [slice(end - count, end) for end, count in zip(ends, index.tables.file_chunks.tolist(), strict=True)]

"""Texts as bags of tokens: all that a static model sees of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from tokenizers import Tokenizer

_BATCH = 4096


@dataclass(frozen=True)
class Bags:
    """Token ids of texts, one after the other; text i has ``ids[starts[i]:starts[i + 1]]``."""

    ids: npt.NDArray[np.uint16]
    starts: npt.NDArray[np.int64]
    size: int
    """How many tokens the vocabulary has."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def matrix(self, rows: npt.NDArray[np.int64], keep: npt.NDArray[np.bool_] | None = None) -> sparse.csr_matrix:
        """Counts, shape (texts, tokens). `keep` drops some of the tokens, in the order of `positions`."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        ids = self.ids[self.positions(rows)].astype(np.int32)
        if keep is not None:
            owners = np.repeat(np.arange(len(rows)), lengths)[keep]
            ids = ids[keep]
            lengths = np.bincount(owners, minlength=len(rows))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return sparse.csr_matrix((np.ones(len(ids), np.float32), ids, starts), shape=(len(rows), self.size))

    def positions(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where the tokens of some texts stand in `ids`."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(lengths)
        shifts: npt.NDArray[np.int64] = np.repeat(self.starts[rows] - (ends - lengths), lengths)
        return np.arange(int(ends[-1]) if len(ends) else 0) + shifts


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> Bags:
    """Tokenize texts."""
    ids: list[npt.NDArray[np.uint16]] = []
    lengths = [0]
    for at in range(0, len(texts), _BATCH):
        for encoding in tokenizer.encode_batch_fast(list(texts[at : at + _BATCH]), add_special_tokens=False):
            ids.append(np.asarray(encoding.ids, dtype=np.uint16))
            lengths.append(len(encoding.ids))
    joined = np.concatenate(ids) if ids else np.empty(0, np.uint16)
    return Bags(joined, np.cumsum(lengths), tokenizer.get_vocab_size())

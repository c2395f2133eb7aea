"""The inverted index: for each term of each field the chunks that hold it, and how much it counts there.

BM25 (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", eq. 3.15): a term's part of a chunk's score
is idf · tf / (tf + k1·(1 − b + b·length/mean length)) with idf = ln(1 + (N − n + ½)/(n + ½)), the form that semble
uses. The second factor does not depend on the query; it is worked out once, when the index is laid out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.terms import field_of, term_id

K1 = 1.5
B = 0.75


@dataclass(frozen=True)
class Postings:
    """Rows sorted by term, then chunk. `terms` is ascending; term i's rows are offsets[i] … offsets[i + 1]."""

    terms: npt.NDArray[np.uint64]
    offsets: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int32]
    impacts: npt.NDArray[np.float32]

    def find(self, field: str, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """The chunks that hold a term in a field, ascending, and its impact in each (0…1)."""
        wanted = np.uint64(term_id(field, term))
        at = int(np.searchsorted(self.terms, wanted))
        if at == len(self.terms) or self.terms[at] != wanted:
            return self.chunks[:0], self.impacts[:0]
        rows = slice(int(self.offsets[at]), int(self.offsets[at + 1]))
        return self.chunks[rows], self.impacts[rows]

    def bm25(self, field: str, counted: Mapping[str, float], total: int) -> npt.NDArray[np.float64]:
        """The BM25 score of all `total` chunks for weighted query terms, in one field. Shape (total,), 0 and up."""
        scores = np.zeros(total)
        for term, weight in counted.items():
            chunks, impacts = self.find(field, term)
            if len(chunks):
                scores[chunks] += weight * idf(total, len(chunks)) * impacts
        return scores


def idf(total: int, holding: int) -> float:
    """How rare a term is: ln(1 + (N − n + ½)/(n + ½)), above 0 for every term."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def invert(
    term: npt.NDArray[np.uint64],
    count: npt.NDArray[np.uint16],
    per_chunk: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
) -> Postings:
    """Turn postings in chunk order into postings in term order.

    `per_chunk` has the number of postings of each chunk, shape (N,); `lengths` its number of terms by field, shape
    (N, fields).
    """
    chunk = np.repeat(np.arange(len(per_chunk), dtype=np.int32), per_chunk)
    order = np.argsort(term, kind="stable")
    sorted_terms, chunk, counts = term[order], chunk[order], count[order].astype(np.float64)
    starts = np.flatnonzero(np.concatenate([[True], sorted_terms[1:] != sorted_terms[:-1]])[: len(sorted_terms)])
    terms = sorted_terms[starts]
    impacts = counts / (counts + _saturation(lengths)[chunk, field_of(sorted_terms)])
    offsets = np.append(starts, len(sorted_terms)).astype(np.int64)
    return Postings(terms, offsets, chunk, impacts.astype(np.float32))


def _saturation(lengths: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """k1·(1 − b + b·length/mean length) for each chunk and field; the mean is over the chunks that have the field."""
    filled = np.maximum((lengths > 0).sum(axis=0), 1)
    means = np.maximum(lengths.sum(axis=0) / filled, 1.0)
    return np.asarray(K1 * (1 - B + B * lengths / means))

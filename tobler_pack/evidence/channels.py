"""The evidence channels: each gives one raw number to each of the N chunks for a question. Shape (N,), float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.postings import idf
from tobler_pack.evidence.question import Question, is_name_like
from tobler_pack.weighing.weights import Floats

_ROWS_AT_ONCE = 2048


def semantic(index: Index, question: Question, model: StaticModel) -> Floats:
    """Cosine of question and chunk, -1 … 1.

    A chunk without any known token has no direction; it gets the mean of the others, so that the channel says nothing
    about it. A question without one says nothing about any chunk.
    """
    vectors, norms = model.embed([question.text])
    products = _products(index.vectors, vectors[0].astype(np.float32))
    cosines = products.astype(np.float64) * index.tables.chunk_norm * float(norms[0])
    silent = index.tables.chunk_norm == 0
    if silent.any() and not silent.all():
        cosines[silent] = cosines[~silent].mean()
    return np.asarray(cosines)


def _products(rows: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The product of each row with a vector: whole numbers below 2^24, exact in any order.

    A few rows at a time: for a larger matrix a linear algebra library calls its threads together, which takes longer
    than the product, and a hundred times longer where another program has the processors.
    """
    pieces = [rows[at : at + _ROWS_AT_ONCE] @ vector for at in range(0, len(rows), _ROWS_AT_ONCE)]
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.float32)


def lexical(index: Index, question: Question) -> Floats:
    """BM25 of the question's terms in the chunks' text and path."""
    return index.postings.bm25("body", question.terms, len(index))


def names(index: Index, question: Question) -> Floats:
    """BM25 of the question's terms in the names that a chunk defines."""
    return index.postings.bm25("name", question.terms, len(index))


def documentation(index: Index, question: Question) -> Floats:
    """BM25 of the question's terms in the documentation of what a chunk defines."""
    return index.postings.bm25("doc", question.terms, len(index))


def path(index: Index, question: Question) -> Floats:
    """BM25 of the question's terms in the folders and the stem of the file."""
    return index.postings.bm25("path", question.terms, len(index))


def definition(index: Index, question: Question) -> Floats:
    """Whether a chunk defines a name that the question spells out, weighted by how few chunks define it.

    A word that looks like a name counts whole; a plain word, which may be one by accident, as its share of the
    question.
    """
    scores = np.zeros(len(index))
    for word in question.words:
        chunks, impacts = index.postings.find("exact", word)
        if len(chunks):
            certainty = 1.0 if is_name_like(word) else 1.0 / len(question.words)
            scores[chunks] += certainty * idf(len(index), len(chunks)) * impacts
    return scores


def raw_channels(index: Index, question: Question, model: StaticModel) -> Mapping[str, Floats]:
    """All channels by name."""
    of_index: Mapping[str, Callable[[Index, Question], Floats]] = {
        "lexical": lexical,
        "names": names,
        "documentation": documentation,
        "path": path,
        "definition": definition,
    }
    return {"semantic": semantic(index, question, model)} | {
        name: channel(index, question) for name, channel in of_index.items()
    }

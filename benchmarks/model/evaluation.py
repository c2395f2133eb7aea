"""How well do vectors find files? NDCG@10 by file, with the cosine alone and beside BM25.

Settings of the training are chosen by the questions of the held-out repositories (folder ``heldout``), never by the
annotated repositories that the figures of the model card are from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from benchmarks.cases import Target
from benchmarks.model.bags import Bags, encode
from benchmarks.model.sources import SourceText
from benchmarks.scoring import RANKS, Shown, ndcg
from tobler_pack.corpus.terms import terms
from tobler_pack.types import Content

Floats = npt.NDArray[np.float32]

_K1, _B = 1.2, 0.75  # of BM25, as usual


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the files that answer it."""

    text: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Searched:
    """The chunks of one repository and the questions about it. `lexical` has shape (questions, chunks)."""

    name: str
    paths: list[str]
    chunk_file: npt.NDArray[np.int64]
    texts: list[str]
    questions: list[Question]
    lexical: Floats


def searched(name: str, files: Sequence[SourceText], questions: Sequence[Question]) -> Searched:
    """Lay out the code of a repository, chunk by chunk."""
    code = [file for file in files if file.content is Content.CODE]
    owners = [at for at, file in enumerate(code) for _ in file.record.chunks]
    texts = [text for file in code for text in file.record.texts]
    paths = [file.path for file in code]
    lexical = _bm25(texts, [question.text for question in questions])
    return Searched(name, paths, np.array(owners), texts, list(questions), lexical)


def read_questions(file: Path) -> list[Question]:
    """Questions of a repository, one JSON object a line."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Question(row["q"], tuple(row["paths"])) for row in rows]


@dataclass(frozen=True, slots=True)
class Score:
    """Mean NDCG@10 of one repository's questions, for each of them the cosine's and the blend's."""

    raw: tuple[float, ...]
    blended: tuple[float, ...]


def tokenized(one: Searched, tokenizer: Tokenizer) -> tuple[Bags, Bags]:
    """Its questions and chunks as bags, once for all models of one tokenizer."""
    return encode(tokenizer, [question.text for question in one.questions]), encode(tokenizer, one.texts)


def score(one: Searched, bags: tuple[Bags, Bags], table: Floats) -> Score:
    """Rank with a table of weighted token vectors."""
    queries, chunks = (_directions(some, table) for some in bags)
    cosine = queries @ chunks.T
    blend = _standard(cosine) + _standard(one.lexical)
    raw, blended = ([_ndcg(one, at, row) for at, row in enumerate(scores)] for scores in (cosine, blend))
    return Score(tuple(raw), tuple(blended))


def lexical_score(one: Searched) -> tuple[float, ...]:
    """The same for BM25 alone."""
    return tuple(_ndcg(one, at, row) for at, row in enumerate(one.lexical))


def _directions(bags: Bags, table: Floats) -> Floats:
    sums: Floats = bags.matrix(np.arange(len(bags))) @ table
    lengths: Floats = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
    return np.asarray(sums / np.maximum(lengths, 1e-9))


def _standard(scores: Floats) -> Floats:
    spread: Floats = np.maximum(scores.std(axis=1, keepdims=True), 1e-9)
    return np.asarray((scores - scores.mean(axis=1, keepdims=True)) / spread)


def _ndcg(one: Searched, at: int, scores: Floats) -> float:
    best = np.full(len(one.paths), -np.inf)
    np.maximum.at(best, one.chunk_file, scores)
    order = np.argsort(-best, kind="stable")[:RANKS]
    shown = [Shown(one.paths[file], (1, 1), ()) for file in order]
    return ndcg(shown, tuple(Target(path) for path in one.questions[at].paths))


def _bm25(texts: Sequence[str], queries: Sequence[str]) -> Floats:
    """Scores of all chunks for some queries."""
    counted = [terms(text) for text in texts]
    lengths = np.array([sum(one.values()) for one in counted], dtype=float)
    asked = [set(terms(query)) for query in queries]
    columns: dict[str, list[tuple[int, int]]] = {term: [] for terms_of in asked for term in terms_of}
    for at, one in enumerate(counted):
        for term in one.keys() & columns.keys():
            columns[term].append((at, one[term]))
    shrink = _K1 * (1 - _B + _B * lengths / max(1.0, lengths.mean()))
    scores = np.zeros((len(queries), len(texts)), np.float32)
    for row, terms_of in enumerate(asked):
        for term in sorted(terms_of):
            if columns[term]:
                places, counts = (np.array(side) for side in zip(*columns[term], strict=True))
                idf = np.log1p((len(texts) - len(places) + 0.5) / (len(places) + 0.5))
                scores[row, places] += idf * counts * (_K1 + 1) / (counts + shrink[places])
    return scores

"""The inverted index: BM25 as the formula says, each field for itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tobler_pack.corpus.postings import K1, B, Postings, idf, invert
from tobler_pack.corpus.terms import FIELDS, term_id

Chunk = Mapping[str, Sequence[str]]
"""The terms of each field of a chunk."""

tolerant = settings(max_examples=100, deadline=None)

words = st.lists(st.sampled_from(["token", "budget", "pack", "tier", "run", "认证"]), max_size=12)
chunks = st.fixed_dictionaries(dict.fromkeys(FIELDS, words))


def laid_out(corpus: Sequence[Chunk]) -> Postings:
    """The postings of chunks, as the analysis of files hands them over: by chunk, then by term id."""
    rows = [
        sorted(
            (term_id(field, term), count) for field, terms in chunk.items() for term, count in Counter(terms).items()
        )
        for chunk in corpus
    ]
    flat = [row for chunk_rows in rows for row in chunk_rows]
    return invert(
        np.array([term for term, _ in flat], dtype=np.uint64),
        np.array([count for _, count in flat], dtype=np.uint16),
        np.array([len(chunk_rows) for chunk_rows in rows], dtype=np.int32),
        np.array([[len(chunk.get(field, ())) for field in FIELDS] for chunk in corpus], dtype=np.int32).reshape(
            -1, len(FIELDS)
        ),
    )


def slow_bm25(corpus: Sequence[Chunk], field: str, counted: Mapping[str, float]) -> list[float]:
    """The formula, chunk by chunk and term by term."""
    texts = [list(chunk.get(field, ())) for chunk in corpus]
    filled = [len(text) for text in texts if text]
    mean = max(1.0, sum(filled) / len(filled)) if filled else 1.0
    scores = []
    for text in texts:
        score = 0.0
        for term, weight in counted.items():
            holding = sum(term in other for other in texts)
            rarity = math.log(1 + (len(corpus) - holding + 0.5) / (holding + 0.5))
            tf = text.count(term)
            score += weight * rarity * tf / (tf + K1 * (1 - B + B * len(text) / mean))
        scores.append(score)
    return scores


@tolerant
@given(st.lists(chunks, max_size=8), st.sampled_from(FIELDS), words)
def test_bm25_is_the_formula(corpus: list[Chunk], field: str, asked: list[str]) -> None:
    counted = Counter(asked)
    found = laid_out(corpus).bm25(field, counted, len(corpus))
    assert found.shape == (len(corpus),)
    np.testing.assert_allclose(found, slow_bm25(corpus, field, counted), rtol=1e-5)


@tolerant
@given(st.lists(words.filter(bool), min_size=1, max_size=10), words)
def test_the_scores_of_a_text_are_those_of_semble(corpus: list[list[str]], asked: list[str]) -> None:
    from semble.index.bm25 import BM25  # noqa: TID251 - to compare with

    theirs = BM25.empty()
    names = [str(at) for at in range(len(corpus))]
    for name, text in zip(names, corpus, strict=True):
        theirs.add_document(name, text)
    theirs.set_doc_order(names)
    ours = laid_out([{"body": text} for text in corpus]).bm25("body", Counter(asked), len(corpus))
    np.testing.assert_allclose(ours, theirs.get_scores(asked), rtol=1e-4, atol=1e-6)


@tolerant
@given(st.lists(chunks, max_size=8), st.sampled_from(FIELDS), st.sampled_from(["token", "run", "认证", "never"]))
def test_find_gives_the_chunks_that_hold_a_term_in_order(corpus: list[Chunk], field: str, term: str) -> None:
    found, impacts = laid_out(corpus).find(field, term)
    assert found.tolist() == [at for at, chunk in enumerate(corpus) if term in chunk[field]]
    assert ((impacts > 0) & (impacts < 1)).all()


def test_fields_do_not_share_terms() -> None:
    corpus = [{"body": ["token"]}, {"name": ["token"]}, {"path": ["token"]}]
    postings = laid_out(corpus)
    assert [postings.find(field, "token")[0].tolist() for field in FIELDS] == [[0], [1], [], [2], []]


def test_the_length_of_one_field_does_not_count_for_another() -> None:
    """Without a second chunk of another length there would be nothing to see."""
    short: Chunk = {"body": ["a"], "name": ["x", "y"]}
    long: Chunk = {"body": ["a"], "name": ["x", *["z"] * 50]}
    postings = laid_out([short, long])
    body, name = (postings.bm25(field, {term: 1}, 2) for field, term in (("body", "a"), ("name", "x")))
    assert body[0] == body[1]
    assert name[0] > name[1]


def test_chunks_without_a_field_do_not_make_the_others_long() -> None:
    alone = laid_out([{"doc": ["a", "b"]}]).find("doc", "a")[1]
    among = laid_out([{"doc": ["a", "b"]}, *[{"body": ["x"]}] * 9]).find("doc", "a")[1]
    assert alone.tolist() == among.tolist()


def test_a_rare_term_counts_more() -> None:
    corpus = [{"body": ["rare", "common"]}, *[{"body": ["common", "other"]}] * 9]
    postings = laid_out(corpus)
    assert postings.bm25("body", {"rare": 1}, 10)[0] > postings.bm25("body", {"common": 1}, 10)[0] > 0


def test_weights_of_asked_terms_count() -> None:
    postings = laid_out([{"body": ["a", "b"]}, {"body": ["c"]}])
    once, twice = (postings.bm25("body", {"a": weight}, 2) for weight in (1, 2))
    np.testing.assert_allclose(twice, 2 * once)


@pytest.mark.parametrize("total", [1, 2, 10, 100_000])
def test_idf_is_above_zero_and_falls(total: int) -> None:
    values = [idf(total, holding) for holding in range(1, min(total, 50) + 1)]
    assert all(value > 0 for value in values)
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_chunks_without_any_term(count: int) -> None:
    postings = laid_out([{}] * count)
    assert len(postings.terms) == len(postings.chunks) == len(postings.impacts) == 0
    assert postings.offsets.tolist() == [0]
    assert [found.tolist() for found in postings.find("body", "a")] == [[], []]
    assert postings.bm25("body", {"a": 1}, count).tolist() == [0.0] * count


def test_the_rows_are_in_the_order_of_terms_then_chunks() -> None:
    postings = laid_out([{"body": ["b", "a"]}, {"body": ["a", "c"]}, {"body": ["a"]}])
    assert (np.diff(postings.terms.astype(object)) > 0).all()
    assert postings.offsets[0] == 0
    assert postings.offsets[-1] == len(postings.chunks) == len(postings.impacts) == 5
    for at in range(len(postings.terms)):
        rows = postings.chunks[postings.offsets[at] : postings.offsets[at + 1]].tolist()
        assert rows == sorted(set(rows)) != []

"""The evidence channels of a change: each gives one raw number to each of the N chunks. Shape (N,), float64."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.postings import idf
from tobler_pack.corpus.terms import terms, words
from tobler_pack.evidence.changed import ChangedDefinition
from tobler_pack.weighing.weights import Floats, standardize

MOST_DEFINITIONS = 200
"""So many changed definitions ask; of more, those with the most changed lines."""

ASIDE = 0.1
"""What a changed file that is not searched counts beside one that is."""

_MOST_TERMS = 40  # of one definition: its most telling ones
_LINES_EMBEDDED = 80  # of one definition; the vector of more is that of the language
_SHORTEST_NAME = 3

# They are logged, so that a floor can be carried over to another model: some 20 KB for the largest change.
_TEXTS_OF_FLOOR = 40
_LETTERS_OF_FLOOR = 500


def asking(changed: Sequence[ChangedDefinition]) -> list[ChangedDefinition]:
    """The definitions that ask, in their order: all, or the `MOST_DEFINITIONS` with the most changed lines."""
    if len(changed) <= MOST_DEFINITIONS:
        return list(changed)
    order = sorted(range(len(changed)), key=lambda at: (-changed[at].size, at))[:MOST_DEFINITIONS]
    return [changed[at] for at in sorted(order)]


def shares(changed: Sequence[ChangedDefinition]) -> Floats:
    """What each definition counts, summing to 1: files by the square root of their changed lines, so that a big one
    does not drown a small one, and definitions within their file's share in the same way. Files that are not searched
    (documentation, settings) count a tenth: what they say is mostly about something else.
    """
    lines: Counter[str] = Counter()
    roots: dict[str, float] = {}
    for one in changed:
        lines[one.path] += max(one.size, 1)
        roots[one.path] = roots.get(one.path, 0.0) + math.sqrt(max(one.size, 1))
    parts = [
        math.sqrt(max(one.size, 1)) / roots[one.path] * math.sqrt(lines[one.path]) * (1.0 if one.is_searched else ASIDE)
        for one in changed
    ]
    return np.array(parts) / (sum(parts) or 1.0)


def text_of(one: ChangedDefinition) -> str:
    """A changed definition as the content channels read it."""
    return "\n".join([one.symbol, *one.added[:_LINES_EMBEDDED], *one.removed[: _LINES_EMBEDDED // 2]])


def floor_texts(changed: Sequence[ChangedDefinition]) -> list[str]:
    """What the floor measures chunks against: the beginnings of the definitions with most changed lines, in order.

    Files that are not searched ask only where no other changed.
    """
    able = [one for one in changed if one.is_searched] or list(changed)
    order = sorted(range(len(able)), key=lambda at: (-able[at].size, at))[:_TEXTS_OF_FLOOR]
    return [text_of(able[at])[:_LETTERS_OF_FLOOR] for at in sorted(order)]


def semantic(index: Index, changed: Sequence[ChangedDefinition], model: StaticModel) -> Floats:
    """The cosine of changed code and chunk, each definition standardized over the chunks, by `shares`."""
    total = np.zeros(len(index))
    if not changed:
        return total
    vectors, norms = model.embed([text_of(one) for one in changed])
    products = (index.vectors @ vectors.astype(np.float32).T).astype(np.float64)  # whole numbers: exact in any order
    silent = index.tables.chunk_norm == 0
    for at, share in enumerate(shares(changed).tolist()):
        cosines = products[:, at] * index.tables.chunk_norm * float(norms[at])
        if silent.any() and not silent.all():
            cosines[silent] = cosines[~silent].mean()
        total += share * standardize(cosines)
    return total


def lexical(index: Index, changed: Sequence[ChangedDefinition]) -> Floats:
    """BM25 of the most telling terms of changed code, each definition standardized over the chunks, by `shares`."""
    total = np.zeros(len(index))
    for one, share in zip(changed, shares(changed).tolist(), strict=True):
        weights = _telling(index, terms(text_of(one)))
        total += share * standardize(index.postings.bm25("body", weights, len(index)))
    return total


def _telling(index: Index, counted: Counter[str]) -> dict[str, float]:
    """The terms of a text that say most here, with the logarithm of how often it has them."""
    size = len(index)
    found = {term: len(index.postings.find("body", term)[0]) for term in counted}
    worth = {term: (1 + math.log(counted[term])) * idf(size, holding) for term, holding in found.items() if holding}
    best = sorted(worth, key=lambda term: (-worth[term], term))[:_MOST_TERMS]
    return {term: 1 + math.log(counted[term]) for term in best}


def users(index: Index, changed: Sequence[ChangedDefinition]) -> tuple[Floats, Mapping[str, float]]:
    """Chunks that use a name which changed, and what each of these names weighs.

    A name counts by its rarity, less the more definitions share it, and half if only the body behind it changed.
    """
    asked: dict[str, float] = {}
    for one in filter(lambda each: each.is_searched, changed):
        strength = 1.0 if one.is_declared_anew else 0.5
        for name in one.names:
            asked[name] = max(asked.get(name, 0.0), strength)
    scores = np.zeros(len(index))
    weights: dict[str, float] = {}
    for name, strength in asked.items():
        if len(name) < _SHORTEST_NAME:
            continue
        holders, impacts = index.postings.find("body", name.lower())
        definers, _ = index.postings.find("exact", name)
        if len(holders):
            weights[name] = strength * idf(len(index), len(holders)) / math.sqrt(max(1, len(definers)))
            scores[holders] += weights[name] * np.sqrt(impacts)
    return scores, weights


def used(index: Index, changed: Sequence[ChangedDefinition]) -> tuple[Floats, Mapping[str, float]]:
    """Chunks that define a name which changed lines use, and what each of these names weighs."""
    scores = np.zeros(len(index))
    weights: dict[str, float] = {}
    for name, count in _named(changed).items():
        chunks, impacts = index.postings.find("exact", name)
        if len(chunks):
            weights[name] = (1 + math.log(count)) * idf(len(index), len(chunks)) / math.sqrt(len(chunks))
            scores[chunks] += weights[name] * impacts
    return scores, weights


def _named(changed: Iterable[ChangedDefinition]) -> Counter[str]:
    """The names in changed lines that are not defined by the change itself, and how often each stands there."""
    own = {name for one in changed for name in one.names}
    counted: Counter[str] = Counter()
    for one in filter(lambda each: each.is_searched, changed):
        for line in (*one.added, *one.removed):
            counted.update(word for word in words(line) if len(word) >= _SHORTEST_NAME and word not in own)
    return counted

"""From text to the terms that the lexical channel counts.

An identifier counts as itself and as its parts (``getHTTPResponse`` → ``gethttpresponse, get, http, response``), in
any script; a run of Chinese, Japanese or Korean characters, which knows no spaces, counts as its pairs of neighbours.
Terms are kept as 64-bit hashes: fixed-width arrays that can be searched without unpacking, and no source text in a
cache.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

FIELDS = ("body", "name", "doc", "path", "exact")
"""What terms are counted in: a chunk's text (with its path, as semble does), the names that it defines, the
documentation in it, the path of its file; and the defined names as they are written, whole and in their case."""

_FIELD_SHIFT = 60

_WORD = re.compile(r"\$?[^\W\d]\w*")
_SMALL = r"[^\W\d_A-Z]"  # a letter of any script that is no Latin capital: a word is not cut at its umlauts
_PART = re.compile(rf"[A-Z]+(?=[A-Z]{_SMALL})|[A-Z]?{_SMALL}+|[A-Z]+|[0-9]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_LONGEST_WORD = 120  # longer ones are encoded data, which nobody asks for by name


def words(text: str) -> list[str]:
    """The identifier-like words of a text as they stand there, in order."""
    return _WORD.findall(text)


@lru_cache(maxsize=1 << 16)
def parts(word: str) -> tuple[str, ...]:
    """The terms of one word: itself in lower case, then its parts where it has several."""
    if word[0] == "$":  # a variable's mark in PHP and shells, a habit in JavaScript
        return (word.lower(), *parts(word[1:]))
    whole = word.lower()
    if not whole.isascii() and _UNSPACED.search(whole):
        return tuple(_unspaced(whole))
    found = [part.lower() for piece in word.split("_") for part in _PART.findall(piece)]
    return (whole, *found) if len(found) > 1 else (whole,)


def _unspaced(word: str) -> list[str]:
    terms = _PART.findall(_UNSPACED.sub(" ", word))
    for run in _UNSPACED.findall(word):
        terms += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return terms


def terms(text: str) -> Counter[str]:
    """How often each term occurs in a text."""
    return terms_of_words(Counter(words(text)))


def terms_of_words(counted: Mapping[str, int]) -> Counter[str]:
    """How often each term occurs among words that were counted already."""
    total: Counter[str] = Counter()
    for word, times in counted.items():
        if len(word) <= _LONGEST_WORD:
            for term in parts(word):
                total[term] += times
    return total


def term_id(field: str, term: str) -> int:
    """A 64-bit number for a term of one field: the field in the upper four bits, a hash of the term in the others.

    Fields do not share terms. Two terms of one repository collide with a chance below 1 in 10 million.
    """
    return field_bits(field) | term_hash(term)


def field_bits(field: str) -> int:
    """The upper four bits of the ids of a field's terms."""
    return FIELDS.index(field) << _FIELD_SHIFT


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """The lower sixty bits of a term's ids."""
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 4


@lru_cache(maxsize=1 << 17)
def _part_hashes(word: str) -> tuple[int, ...]:
    return tuple(map(term_hash, parts(word)))


def count_hashes(text: str) -> dict[int, int]:
    """What `terms` counts, by `term_hash`: the form in which an index is made, where time matters."""
    total: dict[int, int] = {}
    for word, times in Counter(words(text)).items():
        if len(word) <= _LONGEST_WORD:
            for hashed in _part_hashes(word):
                total[hashed] = total.get(hashed, 0) + times
    return total


def field_of(ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The position in FIELDS of each term id."""
    return (ids >> np.uint64(_FIELD_SHIFT)).astype(np.int64)

"""A question as the channels read it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from tobler_pack.corpus.terms import terms_of_words, words

# Words that carry the form of a question and not its subject. In code they are rare, so BM25 would take them for the
# most telling ones.
_FORM = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "each",
        "else",
        "every",
        "for",
        "from",
        "get",
        "gets",
        "given",
        "had",
        "happen",
        "happens",
        "has",
        "have",
        "having",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "like",
        "made",
        "make",
        "makes",
        "may",
        "me",
        "might",
        "more",
        "most",
        "must",
        "my",
        "need",
        "no",
        "not",
        "of",
        "off",
        "on",
        "one",
        "only",
        "onto",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "per",
        "same",
        "shall",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "use",
        "used",
        "uses",
        "using",
        "very",
        "via",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "within",
        "without",
        "would",
        "you",
        "your",
    ]
)

# A name as programmers write it: has an underscore or a capital after the first letter, or parts joined by . :: -> \
_NAME_LIKE = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|(?:\.|::|->|\\)\w")
_NAME = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\\|#)[A-Za-z_$][\w$]*)*"
_BARE_NAME = re.compile(rf"{_NAME}(?:\(\))?")
_ABBREVIATION = re.compile(r"\b[A-Za-z](?:\.[A-Za-z])+\.?(?!\w)")  # e.g. and i.e. look like names with parts
_SPELT_OUT = re.compile(rf"({_NAME})(\(\))?")


def is_name_like(word: str) -> bool:
    """Whether a word is written as names in code are: ``parse_args``, ``getName``, ``HTTPServer``, not ``request``."""
    return _NAME_LIKE.search(word) is not None


@dataclass(frozen=True)
class Question:
    """A question in words, or a bare name."""

    text: str

    @cached_property
    def is_symbol(self) -> bool:
        """Whether the whole question is one name, such as ``Flask.run`` or ``parse_args``; a plain word is not."""
        stripped = self.text.strip()
        named = _BARE_NAME.fullmatch(stripped) is not None
        return named and (stripped[:1].isupper() or is_name_like(stripped))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that carry its subject, each once, as written; all words where none does."""
        every = tuple(dict.fromkeys(words(self.text)))
        telling = tuple(word for word in every if word.lower() not in _FORM)
        return telling or every

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The names of code that it spells out, each once, whole: ``parse_args``, ``Flask.run``, ``load`` of
        ``load()``; all of a question that is one name.
        """
        spelt = _SPELT_OUT.findall(_ABBREVIATION.sub(" ", self.text))
        return tuple(dict.fromkeys(name for name, call in spelt if call or self.is_symbol or is_name_like(name)))

    @cached_property
    def terms(self) -> Counter[str]:
        """The terms of these words, and how often each is asked for."""
        return terms_of_words(Counter(word for word in words(self.text) if word in set(self.words)))

"""What describes what in a repository: pairs of a description and the code that it is about.

Each kind of pair is one habit of programmers: they document a definition, name it, comment a step, title a test,
explain in a guide, sum up a change. All are found by rule; nobody labels anything.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.model.sources import CommitHunks, SourceText
from tobler_pack.corpus.terms import terms, words
from tobler_pack.types import Content, Definition, LineRange, qualified


class Kind(StrEnum):
    """Where a pair comes from."""

    DOCUMENTATION = "documentation"
    NAME = "name"
    COMMENT = "comment"
    PATH = "path"
    HEADER = "header"
    NEIGHBOUR = "neighbour"
    TEST = "test"
    GUIDE = "guide"
    COMMIT = "commit"
    TRANSLATION = "translation"
    QUESTION = "question"


MOST = {
    Kind.DOCUMENTATION: 2500,
    Kind.NAME: 2500,
    Kind.COMMENT: 1200,
    Kind.PATH: 800,
    Kind.HEADER: 400,
    Kind.NEIGHBOUR: 300,
    Kind.TEST: 1500,
    Kind.GUIDE: 800,
    Kind.COMMIT: 3000,
    Kind.TRANSLATION: 2000,
    Kind.QUESTION: 2000,
}
"""The most pairs of a kind from one repository, so that a large one does not drown the others."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A description and a text that it describes."""

    kind: Kind
    query: str
    text: str


_MOST_CHARACTERS = 2000  # a little more than semble's chunks
_MOST_WORDS = 48
_CHUNKS_OF_ANSWER = 2
_LEGAL = re.compile(r"copyright|licen[sc]e|spdx|all rights reserved", re.IGNORECASE)
_MARKS = re.compile(
    r"^\s*(/\*\*?|\*+/?|//[/!]?|#+!?|--+|;+|%+|\"\"\"|'''|@doc|@moduledoc|<!--|r?\"\"\")+", re.MULTILINE
)
_ENDS = re.compile(r"(\*/|\"\"\"|'''|-->)\s*$", re.MULTILINE)
_TAGS = re.compile(r"</?\w+[^>]*>|\{@\w+ ([^}]*)\}")
_SECTION = re.compile(
    r"^\s*([@\\]\w+|:\w+[^:]*:|#+ "
    r"|(Args|Arguments|Parameters|Params|Returns?|Raises|Example|Examples|Usage|Note|See)\b.{0,20}:?$)"
)
_TEST_PATH = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata)/"
    r"|(^|[/_.-])(test|tests|spec)([_.-][^/]*)?\.\w+$"
    r"|(Test|Tests|Spec|Suite)\.\w+$|_test\.\w+$",
    re.IGNORECASE,
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CHRONICLE = re.compile(r"(^|/)(change|history|news|release)[^/]*$", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*[*-] )")
_TEST_NAME = re.compile(r"^(test|should|it|spec)_?", re.IGNORECASE)
_TEST_TITLE = re.compile(
    r"""^\s*(?:it|test|describe|context|specify|should|TEST_CASE|SECTION|property)\b[^"'`\n]{0,30}(["'`])(.{12,140}?)\1"""
)
_COMMENT_LINE = re.compile(r"^\s*(//+|#|--|;;?|%)\s+([A-Za-z].{14,160})$")
_PREFIX = re.compile(r"^(\w+(\([^)]*\))?!?:|\[[^\]]*\])\s*")
_NUMBER = re.compile(r"\(?(#|gh-|GH-|refs? |closes? |fixe?s? )#?\d+\)?", re.IGNORECASE)
_DULL = re.compile(
    r"^(bump|release|version|merge|revert|prepare|update (changelog|version|dep)|v?\d+\.\d+|changelog"
    r"|typo|fix typo|wip|lint|format|chore\(deps)",
    re.IGNORECASE,
)
_CODE_WORD = re.compile(r"`+([^`\n]{3,60})`+")


def find(
    code: Sequence[SourceText], changes: Iterable[CommitHunks], translations: Iterable[str], seed: int
) -> list[Pair]:
    """All pairs of one repository, without repetition, at most `MOST` of each kind, in an order given by the seed."""
    found: dict[Kind, dict[tuple[str, str], None]] = defaultdict(dict)
    endings = {file.path.rpartition(".")[2] for file in code if file.content is Content.CODE}
    chance = random.Random(seed)
    for pair in _all(code, changes, translations, endings, chance):
        query = " ".join(pair.query.split())
        text = pair.text[:_MOST_CHARACTERS]
        if query and len(words(text)) >= 3 and not _LEGAL.search(query):
            found[pair.kind][query, text] = None
    kept: list[Pair] = []
    for kind in Kind:
        some = list(found[kind])
        if len(some) > MOST[kind]:
            some = chance.sample(some, MOST[kind])
        kept += [Pair(kind, query, text) for query, text in some]
    chance.shuffle(kept)
    return kept


def _all(
    code: Sequence[SourceText],
    changes: Iterable[CommitHunks],
    translations: Iterable[str],
    endings: set[str],
    chance: random.Random,
) -> Iterator[Pair]:
    named: dict[str, list[tuple[SourceText, Definition]]] = defaultdict(list)
    for file in code:
        if file.content is Content.CODE:
            yield from _of_file(file, chance)
            if not _TEST_PATH.search(file.path):
                for definition in file.record.definitions:
                    named[definition.name].append((file, definition))
    for file in code:
        if file.content is Content.DOCS:
            yield from _of_guide(file, named)
    for change in changes:
        yield from _of_commit(change, endings)
    for text in translations:
        yield from _of_translation(text)


def _of_file(file: SourceText, chance: random.Random) -> Iterator[Pair]:
    in_test = _TEST_PATH.search(file.path) is not None
    for at, definition in enumerate(file.record.definitions):
        yield from _of_definition(file, at, definition, in_test=in_test, chance=chance)
    yield from _of_titles(file)
    if in_test:
        return
    yield from _of_comments(file)
    chunks = [_lines(file, chunk) for chunk in file.record.chunks]
    if not chunks:
        return
    yield Pair(Kind.PATH, _path_words(file.path), chance.choice(chunks))
    header = _header(file.lines)
    if len(header.split()) >= 4:
        for chunk in chunks[1:4] or chunks:
            yield Pair(Kind.HEADER, header, chunk)
    if len(chunks) >= 2:
        one, other = chance.sample(chunks, 2)
        yield Pair(Kind.NEIGHBOUR, one, other)


def _of_definition(
    file: SourceText, at: int, definition: Definition, *, in_test: bool, chance: random.Random
) -> Iterator[Pair]:
    first, last = definition.span
    documented = _range(definition.documentation)
    body = "\n".join(file.lines[line - 1] for line in range(first, min(last, first + 79) + 1) if line not in documented)
    if in_test:
        if definition.kind in ("function", "method") and last - first >= 2 and len(_PART.findall(definition.name)) >= 3:
            yield Pair(Kind.TEST, _TEST_NAME.sub("", definition.name), body)
        return
    name = qualified(at, file.record.definitions)
    if documented:
        text = _prose([file.lines[line - 1] for line in documented if line <= len(file.lines)])
        if len(text.split()) >= 3:
            yield Pair(Kind.DOCUMENTATION, text, body)
    if last - first >= 2 and len(definition.name) >= 3:
        hidden = "\n".join(file.lines[definition.declaration[1] : min(last, first + 79)])
        yield Pair(Kind.NAME, name, hidden if chance.random() < 0.5 and len(hidden) > 40 else body)


def _of_titles(file: SourceText) -> Iterator[Pair]:
    for number, line in enumerate(file.lines):
        title = _TEST_TITLE.match(line)
        if title is not None and " " in title[2]:
            yield Pair(Kind.TEST, title[2], "\n".join(file.lines[number + 1 : number + 25]))


def _of_comments(file: SourceText) -> Iterator[Pair]:
    documented = {line for one in file.record.definitions for line in _range(one.documentation)}
    number = 0
    while number < len(file.lines):
        comment = _COMMENT_LINE.match(file.lines[number])
        if comment is None or number + 1 in documented:
            number += 1
            continue
        said = [comment[2]]
        while number + 1 < len(file.lines) and (more := _COMMENT_LINE.match(file.lines[number + 1])) and len(said) < 3:
            said.append(more[2])
            number += 1
        below = file.lines[number + 1 : number + 13]
        if len(" ".join(said).split()) >= 4 and number > 3:
            yield Pair(Kind.COMMENT, _first_words(" ".join(said)), "\n".join(below))
        number += 1


def _of_guide(file: SourceText, named: dict[str, list[tuple[SourceText, Definition]]]) -> Iterator[Pair]:
    """Paragraphs that name a definition that only one place has: what they say is about it."""
    heading = ""
    for paragraph in _PARAGRAPH.split("\n".join(file.lines)):
        if re.match(r"\s*#+ ", paragraph) and not _CHRONICLE.search(file.path):
            heading = paragraph.strip("# \n").split("\n")[0]
        said = set(_CODE_WORD.findall(paragraph))
        for code in sorted(said):
            name = re.split(r"[.:#(]+", code.rstrip("()"))[-1]
            places = named.get(name, ())
            if len(name) < 5 or len(places) != 1:
                continue
            file_of, definition = places[0]
            prose = _first_words(_TAGS.sub(" ", paragraph.replace("`", " ")))
            if len(prose.split()) >= 5:
                yield Pair(Kind.GUIDE, prose, _lines(file_of, definition.span))
            if heading and " " in heading:
                yield Pair(Kind.GUIDE, heading, _lines(file_of, definition.span))


def _of_commit(change: CommitHunks, endings: set[str]) -> Iterator[Pair]:
    subject = _NUMBER.sub("", _PREFIX.sub("", change.subject)).strip(" .()")
    if len(subject.split()) < 3 or _DULL.match(change.subject) or len(change.hunks) > 12:
        return
    wanted = [(path, text) for path, text in change.hunks if path.rpartition(".")[2] in endings]
    wanted = [pair for pair in wanted if not _TEST_PATH.search(pair[0])] or wanted
    for _, text in sorted(wanted, key=lambda pair: (-len(pair[1]), pair[0]))[:2]:
        yield Pair(Kind.COMMIT, subject, text)


def _of_translation(text: str) -> Iterator[Pair]:
    """The entries of a gettext catalogue: a sentence and the same sentence in another language."""
    for entry in re.finditer(r'^msgid ((?:".*"\s*\n)+)msgstr ((?:".*"\s*\n)+)', text, re.MULTILINE):
        original, translated = ("".join(re.findall(r'"(.*)"', part)) for part in entry.groups())
        original, translated = (re.sub(r"%\(\w+\)\w|%\w|\\n|\{\w*\}|&", " ", part) for part in (original, translated))
        if len(original) >= 3 and len(translated) >= 2 and original != translated:
            yield Pair(Kind.TRANSLATION, translated, original)


def of_questions(questions: Iterable[tuple[str, Sequence[str]]], code: Sequence[SourceText]) -> Iterator[Pair]:
    """Written questions with the chunks of their files that share the rarest words with them, two of each file.

    Of the chunks of a file that answers a question nobody has said which one does; the words are the best guess.
    """
    files = {file.path: file for file in code if file.content is Content.CODE}
    counted = {file.path: [Counter(terms(text)) for text in file.record.texts] for file in files.values()}
    spread = Counter(term for chunks in counted.values() for term in set().union(*chunks))
    for question, paths in questions:
        asked = terms(question)
        for path in paths:
            if path not in files:
                continue
            chunks = counted[path]
            worth = [sum(1 / spread[term] for term in asked if term in chunk) for chunk in chunks]
            for at in sorted(range(len(chunks)), key=lambda at: (-worth[at], at))[:_CHUNKS_OF_ANSWER]:
                yield Pair(Kind.QUESTION, question, files[path].record.texts[at])


def _lines(file: SourceText, lines: LineRange) -> str:
    return "\n".join(file.lines[lines[0] - 1 : lines[1]])


def _range(lines: LineRange | None) -> range:
    return range(lines[0], lines[1] + 1) if lines is not None else range(0)


def _prose(lines: Sequence[str]) -> str:
    """The first paragraph of a documentation comment, without its marks."""
    plain = _ENDS.sub("", _MARKS.sub("", "\n".join(lines)))
    said: list[str] = []
    for line in plain.split("\n"):
        line = _TAGS.sub(r" \1 ", line).strip()
        if (not line or _SECTION.match(line)) and said:
            break
        if line and not _SECTION.match(line):
            said.append(line)
    return _first_words(" ".join(said))


def _header(lines: Sequence[str]) -> str:
    """What a file says of itself before its first line of code."""
    said: list[str] = []
    for line in lines[:40]:
        if (
            _MARKS.match(line)
            or not line.strip()
            or (
                said
                and not re.match(r"\s*(import|from|package|use|#include)\b", line)
                and '"""' not in said[-1]
                and '"""' in said[0]
            )
        ):
            said.append(line)
        else:
            break
    text = "\n".join(said)
    return "" if _LEGAL.search(text) else _prose(said)


def _first_words(text: str) -> str:
    return " ".join(text.split()[:_MOST_WORDS])


def _path_words(path: str) -> str:
    stem = path.rpartition(".")[0] or path
    return " ".join(stem.split("/")[-3:])


def save(pairs: Iterable[Pair], file: Path) -> None:
    """Write pairs as compressed JSON lines, the same bytes each time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
        for pair in pairs:
            packed.write(json.dumps([pair.kind, pair.query, pair.text], ensure_ascii=False).encode() + b"\n")


def load(file: Path) -> list[Pair]:
    """Read pairs."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [Pair(Kind(row[0]), row[1], row[2]) for row in map(json.loads, lines)]

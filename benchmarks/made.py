"""Repositories and symbol cases out of Python source packages, where no clone of a public repository is at hand."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.cases import DOC, NAME
from benchmarks.checkouts import git
from tobler_pack.types import LineRange

CASES_OF_A_KIND = 20
FEWEST_LINES = 6
FEWEST_WORDS = 5

NAME_QUESTIONS = ("{}", "what does {} do", "where is {} defined", "how is {} implemented")

# The same files give the same commit everywhere.
_WHO = {
    f"GIT_{role}_{fact}": value
    for role in ("AUTHOR", "COMMITTER")
    for fact, value in (("NAME", "benchmark"), ("EMAIL", "benchmark@localhost"), ("DATE", "2000-01-01T00:00:00+0000"))
}
_ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

_TEST = re.compile(r"(^|/)(tests?|testing|docs?|examples?)/|(^|/)(test_[^/]*|conftest)\.py$")
_FIRST_SENTENCE = re.compile(r"(.+?[.!?])(\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Found:
    """A documented definition."""

    path: str
    name: str
    lines: LineRange
    sentence: str


def make(packages: Path, work: Path) -> tuple[Path, Path]:
    """A folder of repositories and a folder of cases, one of each for every package in `packages`: an unpacked one, or
    an archive as registries give it (.tar.gz).
    """
    repositories, cases = work / "made-repositories", work / "made-cases"
    for folder in (repositories, cases):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for package in sorted(packages.iterdir()):
        name = package.name.removesuffix(".tar.gz")
        if package.is_dir() or package.name.endswith(".tar.gz"):
            commit = _commit(package, repositories / name)
            rows = [json.dumps(row) for row in symbol_rows(repositories / name, name, commit)]
            (cases / f"symbols-{name}.jsonl").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return repositories, cases


def _commit(package: Path, place: Path) -> str:
    """Unpack or copy a package and commit all of it."""
    if package.is_dir():
        shutil.copytree(package, place, ignore=shutil.ignore_patterns(".git"))
    else:
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch, tarfile.open(package) as archive:
            archive.extractall(scratch, filter="data")
            inside = list(Path(scratch).iterdir())
            shutil.copytree(inside[0] if len(inside) == 1 and inside[0].is_dir() else scratch, place)
    git(place, "init", "--quiet", env=_ALONE)
    git(place, "add", "--all", "--force", env=_ALONE)
    git(place, "commit", "--quiet", "--message", "all files", env=_WHO | _ALONE)
    return git(place, "rev-parse", "HEAD")


def symbol_rows(repository: Path, name: str, commit: str) -> list[dict[str, Any]]:
    """Cases of both kinds, chosen by a hash, so that they are the same ones everywhere."""
    found = list(_documented(repository))
    names = Counter(one.name for one in found)
    unique = sorted((one for one in found if names[one.name] == 1), key=_lot)
    half = min(CASES_OF_A_KIND, len(unique) // 2)
    questions = cycle(NAME_QUESTIONS)
    named = [_row(name, commit, one, NAME, next(questions).format(one.name)) for one in unique[:half]]
    described = [_row(name, commit, one, DOC, one.sentence) for one in unique[half : 2 * half]]
    return [row for pair in zip(named, described, strict=True) for row in pair]


def _row(repository: str, commit: str, one: Found, kind: str, query: str) -> dict[str, Any]:
    first, last = one.lines
    place = {"repo": repository, "commit": commit, "path": one.path, "line": first, "end": last}
    return {**place, "query": query, "symbol": one.name, "kind": kind}


def _lot(one: Found) -> str:
    return hashlib.sha256(f"{one.path}\0{one.name}".encode()).hexdigest()


def _documented(repository: Path) -> Iterator[Found]:
    """Documented functions and classes outside tests, that a sentence describes without naming them."""
    for file in sorted(repository.rglob("*.py")):
        path = file.relative_to(repository).as_posix()
        if _TEST.search(path) or file.is_symlink():
            continue
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from _described(path, node)


def _described(path: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Sequence[Found]:
    sentence = _sentence(ast.get_docstring(node) or "", node.name)
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    last = node.end_lineno or first
    if len(sentence.split()) < FEWEST_WORDS or last - first + 1 < FEWEST_LINES or node.name.startswith("__"):
        return ()
    return (Found(path, node.name, (first, last), sentence),)


def _sentence(text: str, name: str) -> str:
    """The first sentence of a documentation, without the name of what it documents."""
    match = _FIRST_SENTENCE.match(text)
    sentence = match.group(1) if match else text.split("\n\n")[0]
    return " ".join(re.sub(rf"\W*\b{re.escape(name)}\b\W*", " ", sentence).split())

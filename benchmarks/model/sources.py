"""What the training looks at in one repository: its files with their chunks and definitions, and its commits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tobler_pack.corpus.analysis import FileRecord, analyze
from tobler_pack.corpus.selection import language_of
from tobler_pack.corpus.semble_bridge import languages
from tobler_pack.corpus.text import split_lines
from tobler_pack.corpus.tree import SYMLINK_MODE, Repository
from tobler_pack.errors import EnvironmentProblem
from tobler_pack.types import Content

COMMITS = 4000
"""The newest commits of a repository, merges left out; older ones tell less of the code as it is."""

_MOST_FILES = 3000  # of a very large repository the first ones by path hash would be no better
_HUNK_LINES = 60
_MOST_LINES = 4000  # of one commit; larger ones are moves and generated files
_SKIPPED = re.compile(r"(^|/)(node_modules|vendor|third_party|thirdparty|dist|\.yarn|external|deps)/", re.IGNORECASE)
_RECORD, _FIELD = "\x1e", "\x1f"


@dataclass(frozen=True)
class SourceText:
    """One file of code or documentation."""

    path: str
    content: Content
    lines: list[str]
    record: FileRecord


@dataclass(frozen=True, slots=True)
class CommitHunks:
    """A commit's subject and, for each file that it changed, the new side of its largest hunk."""

    subject: str
    hunks: tuple[tuple[str, str], ...]


def files(repository: Repository, commit: str) -> Iterator[SourceText]:
    """Code and documentation at a commit, in path order; vendored folders are left out."""
    snapshot = repository.snapshot(commit)
    table = languages()
    read = 0
    for entry in snapshot.entries:
        language = language_of(entry.path, table)
        if language is None or language.content not in (Content.CODE, Content.DOCS):
            continue
        if entry.mode == SYMLINK_MODE or _SKIPPED.search(entry.path) or read >= _MOST_FILES:
            continue
        try:
            data = repository.read(snapshot, entry)
        except EnvironmentProblem:
            continue  # a snapshot without its largest blobs; so large a file would be left out as well
        record = analyze(entry.path, data, language.name)
        if record.cause is None:
            read += language.content is Content.CODE
            yield SourceText(entry.path, language.content, split_lines(data.decode("utf-8", "replace")), record)


def texts(repository: Repository, commit: str, ending: str) -> Iterator[str]:
    """The files of one name ending, as text."""
    snapshot = repository.snapshot(commit)
    for entry in snapshot.entries:
        if entry.path.endswith(ending) and entry.mode != SYMLINK_MODE:
            yield repository.read(snapshot, entry).decode("utf-8", "replace")


def commits(clone: Path, commit: str) -> Iterator[CommitHunks]:
    """The newest commits, one after the other, as git streams them."""
    command = ["git", "-C", str(clone), "log", "--no-merges", f"--max-count={COMMITS}", "--patch", "--unified=4"]
    command += ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--diff-filter=AM"]
    command += [f"--format={_RECORD}%s{_FIELD}", commit]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", errors="replace") as process:
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            if line.startswith(_RECORD) and lines:
                yield _commit(lines)
                lines = []
            if len(lines) < _MOST_LINES:
                lines.append(line)
        if lines:
            yield _commit(lines)


def _commit(lines: list[str]) -> CommitHunks:
    subject = lines[0].strip(_RECORD + "\n").split(_FIELD)[0]
    largest: dict[str, list[str]] = {}
    path: str | None = None
    hunk: list[str] = []
    for line in lines[1:]:
        if line.startswith("diff --git "):
            path = None
        elif line.startswith("+++ b/"):
            path = line[6:].strip()
        elif line.startswith("@@ ") and path is not None:
            hunk = []
            _keep(largest, path, hunk)
        elif path is not None and line[:1] in (" ", "+") and not line.startswith("+++"):
            if len(hunk) < _HUNK_LINES:
                hunk.append(line[1:].rstrip("\n"))
            _keep(largest, path, hunk)
    return CommitHunks(subject, tuple((path, "\n".join(hunk)) for path, hunk in largest.items()))


def _keep(largest: dict[str, list[str]], path: str, hunk: list[str]) -> None:
    if len(hunk) >= len(largest.get(path, ())):
        largest[path] = hunk

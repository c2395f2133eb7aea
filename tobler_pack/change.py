"""A change as it is asked about: which files and definitions it touches, and what its commits say."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from tobler_pack.corpus.blocks import SIZES
from tobler_pack.corpus.changes import FileChange, Kind, Status, changes
from tobler_pack.corpus.history import Commit
from tobler_pack.corpus.outline import definitions, parse
from tobler_pack.corpus.selection import GENERATED_ATTRIBUTE, known_languages, language_of
from tobler_pack.corpus.semble_bridge import Language
from tobler_pack.corpus.text import Cause, read_text, split_lines
from tobler_pack.corpus.tree import Comparer, Snapshot
from tobler_pack.evidence.changed import ChangedDefinition, Side, changed_definitions
from tobler_pack.types import Content, LineRange
from tobler_pack.workspace import Workspace

_LOCK = re.compile(
    r"(?:^|/)(?:[^/]*[.-]lock(?:file)?(?:\.(?:json|ya?ml|toml))?|npm-shrinkwrap\.json|go\.(?:work\.)?sum|[^/]*\.lockb"
    r"|packages\.lock\.json|[^/]*\.min\.(?:js|css)|[^/]*\.map)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Change:
    """What differs between two trees. `quiet` has the files that ask nothing, with the reason in a word."""

    files: tuple[FileChange, ...]
    definitions: tuple[ChangedDefinition, ...]
    quiet: tuple[tuple[FileChange, str], ...]


def read_change(workspace: Workspace, comparer: Comparer, before: Snapshot) -> Change:
    """The change from `before` to the tree of the workspace."""
    repository, after = workspace.repository, workspace.snapshot
    files = changes(comparer, before, after)
    generated = repository.with_attribute(after, GENERATED_ATTRIBUTE)
    found: list[ChangedDefinition] = []
    quiet: list[tuple[FileChange, str]] = []
    sides = _Sides(workspace, before)
    for one in files:
        reason = _reason(one, generated)
        if reason is None:
            old, new = sides.old(one), sides.new(one)
            if isinstance(old, Cause) or isinstance(new, Cause):
                reason = (old if isinstance(old, Cause) else new).value  # type: ignore[union-attr]
            else:
                is_searched = sides.is_searched(one)
                found += [replace(each, is_searched=is_searched) for each in changed_definitions(one, old, new)]
        if reason is not None:
            quiet.append((one, reason))
    return Change(tuple(files), tuple(found), tuple(quiet))


def read_step(
    workspace: Workspace, comparer: Comparer, commit: Commit, paths: Container[str]
) -> list[ChangedDefinition]:
    """What one commit changed among some paths, one part for each file: a step on the way is not looked at closely."""
    repository = workspace.repository
    languages = known_languages(workspace.cache)
    found: list[ChangedDefinition] = []
    for one in changes(comparer, commit.parents[0], commit.id):
        if one.path not in paths or _reason(one, frozenset()) is not None:
            continue
        old = read_text(repository.read_blob(one.old_blob, one.old_path)) if _has(one.old_blob) else ""
        new = read_text(repository.read_blob(one.new_blob, one.path)) if _has(one.new_blob) else ""
        if isinstance(old, Cause) or isinstance(new, Cause):
            continue
        is_searched = _is_searched(one.path, languages, workspace.config.content)
        parts = changed_definitions(one, Side(split_lines(old)), Side(split_lines(new)))
        found += [replace(each, is_searched=is_searched) for each in parts]
    return found


def _has(blob: str) -> bool:
    """Whether a side of a change has a file: git names none by zeros."""
    return blob.strip("0") != ""


def _is_searched(path: str, languages: Mapping[str, Language], content: Sequence[Content]) -> bool:
    language = language_of(path, languages)
    return language is not None and language.content in content


def _reason(change: FileChange, generated: frozenset[str]) -> str | None:
    """Why a file asks nothing; None if it does."""
    if change.kind is not Kind.TEXT:
        return change.kind.value
    if change.path in generated:
        return Cause.GENERATED.value
    if any("\udc80" <= character <= "\udcff" for character in change.path):  # its name; no such file is searched
        return Cause.UNDECODABLE.value
    return "lock file" if _LOCK.search(change.path) else None


class _Sides:
    """Files before and after a change, with their definitions."""

    def __init__(self, workspace: Workspace, before: Snapshot) -> None:
        self._workspace = workspace
        self._before = before
        self._old_entries = {entry.path: entry for entry in before.entries}
        self._new_entries = {entry.path: entry for entry in workspace.snapshot.entries}
        self._languages = known_languages(workspace.cache)
        self._files = {file.path: at for at, file in enumerate(workspace.corpus.index.files)}

    def old(self, change: FileChange) -> Side | Cause:
        """The file before; empty if it is new."""
        entry = self._old_entries.get(change.old_path)
        if entry is None or not any(hunk.old[1] for hunk in change.hunks):
            return Side()
        return self._read(self._workspace.repository.read(self._before, entry), change.old_path)

    def new(self, change: FileChange) -> Side | Cause:
        """The file after; empty if it is gone."""
        entry = self._new_entries.get(change.path)
        if entry is None:
            return Side()
        at = self._files.get(change.path)
        if at is not None:
            text = read_text(self._workspace.repository.read(self._workspace.snapshot, entry))
            if isinstance(text, Cause):  # the index names files without text, too
                return text
            return Side(split_lines(text), self._workspace.library.definitions(at))
        return self._read(self._workspace.repository.read(self._workspace.snapshot, entry), change.path)

    def is_searched(self, change: FileChange) -> bool:
        """Whether a file is of the content that packs look at."""
        return _is_searched(change.path, self._languages, self._workspace.config.content)

    def _read(self, data: bytes, path: str) -> Side | Cause:
        text = read_text(data)
        if isinstance(text, Cause):
            return text
        language = language_of(path, self._languages)
        source = text.encode()
        is_searched = language is not None and language.content in self._workspace.config.content
        tree = parse(source, language.name) if language is not None and is_searched else None
        found = () if tree is None or language is None else definitions(tree, source, language.name)
        return Side(split_lines(text), found)


def hidden_lines(change: Change, files: Mapping[str, int]) -> dict[int, list[LineRange]]:
    """What a reader of the diff has before them already, by the position of the file: changed definitions of moderate
    size whole; of larger ones, of those that hold others, and outside of any the changed lines.
    """
    hidden: dict[int, list[LineRange]] = {}
    for one in change.definitions:
        is_whole = one.symbol and not one.holds_others
        if one.path in files and is_whole and one.lines is not None and _is_moderate(one.lines):
            hidden.setdefault(files[one.path], []).append(one.lines)
    for file in change.files:
        if file.path in files and file.status is not Status.REMOVED:
            rows = [(hunk.new[0], hunk.new[0] + hunk.new[1] - 1) for hunk in file.hunks if hunk.new[1]]
            hidden.setdefault(files[file.path], []).extend(rows)
    return hidden


def _is_moderate(lines: LineRange) -> bool:
    return lines[1] - lines[0] < SIZES[0]

"""A change as it is asked about: which files and definitions it touches, and what its commits say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tobler_pack.corpus.blocks import SIZES
from tobler_pack.corpus.changes import FileChange, Kind, Status, changes
from tobler_pack.corpus.library import GENERATED_ATTRIBUTE, known_languages, language_of
from tobler_pack.corpus.outline import definitions, parse
from tobler_pack.corpus.text import Cause, read_text, split_lines
from tobler_pack.corpus.tree import Entry, Snapshot
from tobler_pack.evidence.changed import ChangedDefinition, Side, changed_definitions
from tobler_pack.types import LineRange
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


class ChangeReader:
    """Reads changes that lie in the history of one workspace; the trees and files that they share are read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._snapshots: dict[str, Snapshot] = {}
        self._sides: dict[tuple[str, str], Side | Cause] = {}

    def snapshot(self, commit: str) -> Snapshot:
        """The tree of a commit."""
        if commit not in self._snapshots:
            self._snapshots[commit] = self._workspace.repository.snapshot(commit)
        return self._snapshots[commit]

    def read(self, before: Snapshot, after: Snapshot | None = None, only: frozenset[str] | None = None) -> Change:
        """The change from `before` to `after`, by default the tree of the workspace; of some files `only` (by their
        new or old path), of which those that are generated are known already.
        """
        repository, after = self._workspace.repository, after or self._workspace.snapshot
        files = changes(repository, before, after)
        generated: frozenset[str] = frozenset()
        if only is None:
            generated = repository.with_attribute(after, GENERATED_ATTRIBUTE)
        else:
            files = [one for one in files if one.path in only or one.old_path in only]
        found: list[ChangedDefinition] = []
        quiet: list[tuple[FileChange, str]] = []
        sides = _Sides(self._workspace, before, after, self._sides)
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

    def __init__(
        self, workspace: Workspace, before: Snapshot, after: Snapshot, known: dict[tuple[str, str], Side | Cause]
    ) -> None:
        self._workspace = workspace
        self._known = known
        self._before = before
        self._after = after
        self._old_entries = {entry.path: entry for entry in before.entries}
        self._new_entries = {entry.path: entry for entry in after.entries}
        self._languages = known_languages(workspace.cache)
        self._files = {file.path: at for at, file in enumerate(workspace.corpus.index.files)}

    def old(self, change: FileChange) -> Side | Cause:
        """The file before; empty if it is new."""
        entry = self._old_entries.get(change.old_path)
        if entry is None or not any(hunk.old[1] for hunk in change.hunks):
            return Side()
        return self._read(self._before, entry)

    def new(self, change: FileChange) -> Side | Cause:
        """The file after; empty if it is gone."""
        entry = self._new_entries.get(change.path)
        if entry is None:
            return Side()
        at = self._files.get(change.path)
        if at is not None and self._workspace.corpus.index.files[at].blob == entry.blob:
            text = read_text(self._workspace.repository.read(self._after, entry))  # the index names files without text
            return text if isinstance(text, Cause) else Side(split_lines(text), self._workspace.library.definitions(at))
        return self._read(self._after, entry)

    def is_searched(self, change: FileChange) -> bool:
        """Whether a file is of the content that packs look at."""
        language = language_of(change.path, self._languages)
        return language is not None and language.content in self._workspace.config.content

    def _read(self, snapshot: Snapshot, entry: Entry) -> Side | Cause:
        language = language_of(entry.path, self._languages)
        name = "" if language is None else language.name
        if (entry.blob, name) not in self._known:
            self._known[entry.blob, name] = _side(self._workspace.repository.read(snapshot, entry), name)
        return self._known[entry.blob, name]


def _side(data: bytes, language: str) -> Side | Cause:
    text = read_text(data)
    if isinstance(text, Cause):
        return text
    source = text.encode()
    tree = parse(source, language) if language else None
    return Side(split_lines(text), definitions(tree, source, language) if tree is not None else ())


def hidden_lines(change: Change, files: Mapping[str, int]) -> dict[int, list[LineRange]]:
    """What a reader of the diff has before them already, by the position of the file: changed definitions of moderate
    size whole, of larger ones and outside of any the changed lines.
    """
    hidden: dict[int, list[LineRange]] = {}
    for one in change.definitions:
        if one.path in files and one.symbol and one.lines is not None and _is_moderate(one.lines):
            hidden.setdefault(files[one.path], []).append(one.lines)
    for file in change.files:
        if file.path in files and file.status is not Status.REMOVED:
            rows = [(hunk.new[0], hunk.new[0] + hunk.new[1] - 1) for hunk in file.hunks if hunk.new[1]]
            hidden.setdefault(files[file.path], []).extend(rows)
    return hidden


def _is_moderate(lines: LineRange) -> bool:
    return lines[1] - lines[0] < SIZES[0]

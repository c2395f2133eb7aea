"""Which files of a tree are looked at, and which of those a question may see.

Cheap to import, unlike the indexes themselves: a run whose packs are all as they were needs no more than this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tobler_pack.corpus.kept import kept
from tobler_pack.corpus.semble_bridge import Language, languages, semble_version
from tobler_pack.corpus.text import Cause
from tobler_pack.corpus.tree import SUBMODULE_MODE, SYMLINK_MODE, Entry, Repository, Snapshot
from tobler_pack.types import Content

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GENERATED_ATTRIBUTE = "linguist-generated"


@dataclass(frozen=True)
class Scope:
    """Which tracked files are looked at. `out` is the folder of the packs, never looked at itself; None for none."""

    content: tuple[Content, ...]
    exclude: tuple[str, ...] = ()
    out: str | None = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A tracked file that is to be indexed."""

    path: str
    blob: str
    language: str


def known_languages(cache: Path) -> dict[str, Language]:
    """Semble's table of file name endings, kept in the cache: asking semble means importing it, a third of a second."""
    rows = kept(cache / "languages", [semble_version()], _language_rows)
    return {ending: Language(name, Content(content) if content else None) for ending, name, content in rows}


def _language_rows() -> list[tuple[str, str, str | None]]:
    return [(ending, one.name, one.content) for ending, one in languages().items()]


def select(
    repository: Repository, snapshot: Snapshot, scope: Scope, table: Mapping[str, Language]
) -> tuple[list[SourceFile], Counter[Cause]]:
    """The files of a snapshot that are to be indexed, in path order, and how many others each cause left out.

    Only files of the chosen content are counted: a picture is not something that a reader misses.
    """
    excluded = _patterns(scope.exclude)
    generated = repository.with_attribute(snapshot, GENERATED_ATTRIBUTE)
    files: list[SourceFile] = []
    left_out: Counter[Cause] = Counter()
    for entry in snapshot.entries:
        language = language_of(entry.path, table)
        if entry.mode == SUBMODULE_MODE:
            left_out[Cause.SUBMODULE] += 1
        elif language is None or language.content not in scope.content or _is_pack(entry.path, scope.out):
            continue
        elif (cause := _cause(entry, scope.out, excluded, generated)) is not None:
            left_out[cause] += 1
        else:
            files.append(SourceFile(entry.path, entry.blob, language.name))
    return files, left_out


def language_of(path: str, table: Mapping[str, Language]) -> Language | None:
    """The language of a path by its ending, None if it has none that is known."""
    name = path.rsplit("/", 1)[-1]
    stem, dot, ending = name.rpartition(".")
    return table.get(f".{ending.lower()}") if dot and stem else None


def _below(path: str, folder: str | None) -> bool:
    return folder is not None and path.startswith(f"{folder}/")


def _is_pack(path: str, folder: str | None) -> bool:
    """Whether this may be a pack of ours. Packs are not counted: writing one must not change what the others say."""
    return _below(path, folder) and path.endswith(".md")


def _cause(entry: Entry, out: str | None, excluded: GitIgnoreSpec | None, generated: frozenset[str]) -> Cause | None:
    if entry.mode == SYMLINK_MODE:
        return Cause.SYMLINK
    if _below(entry.path, out):
        return Cause.PACK_FOLDER
    if excluded is not None and excluded.match_file(entry.path):
        return Cause.EXCLUDED
    if entry.path in generated:
        return Cause.GENERATED
    return Cause.UNDECODABLE if not _is_text(entry.path) else None


def _is_text(path: str) -> bool:
    """Whether a path is UTF-8: others cannot be written down in a pack so that a reader could find them."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def matching(files: Iterable[SourceFile], patterns: Sequence[str]) -> list[bool]:
    """Which files a question's `paths` let through; all of them where it names none."""
    spec = _patterns(patterns)
    return [spec is None or spec.match_file(file.path) for file in files]


def of_content(files: Iterable[SourceFile], content: Sequence[Content], cache: Path) -> list[bool]:
    """Which files hold one of some kinds of content."""
    table = known_languages(cache)
    found = (language_of(file.path, table) for file in files)
    return [language is not None and language.content in content for language in found]


def _patterns(lines: Sequence[str]) -> GitIgnoreSpec | None:
    """Patterns as git reads them; None for none, which spares an import."""
    if not lines:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)

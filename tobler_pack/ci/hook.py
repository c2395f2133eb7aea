"""The git hook: the packs of the tree that is about to be committed.

It never stages anything and never asks. What counts for a tracked pack is what is staged, since that is what gets
committed; for any other pack it is the file on disk.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tobler_pack.ci import stamp as stamps
from tobler_pack.ci.stamp import Stamp
from tobler_pack.corpus.place import cache_folder, signature
from tobler_pack.corpus.tree import INDEX, Entry, Repository, Snapshot
from tobler_pack.errors import EnvironmentProblem, UsageError
from tobler_pack.packs import writer
from tobler_pack.sources.config import DEFAULT_NAME, resolve_out

TUNING = ".tobler-pack/tuning.jsonl"
"""Where dials are moved; `surfaces.tuning` has this name too, but is too heavy to be asked for it here."""

CREATED, REFRESHED, STALE, NOT_STAGED = "created", "refreshed", "stale", "refreshed, the staged copy is an older one"


@dataclass(frozen=True, slots=True)
class Finding:
    """A pack that is not as it should be in this commit."""

    path: str
    state: str
    is_tracked: bool


@dataclass(frozen=True, slots=True)
class Visit:
    """What the hook works on."""

    repository: Repository
    root: Path
    snapshot: Snapshot
    staged: Mapping[str, Entry]
    config: str
    config_name: str
    tuning: str

    @property
    def settings(self) -> str:
        """All that packs depend on besides the tree."""
        return f"{self.config}\0{self.tuning}"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for."""

    check: bool
    config: Path | None


def plain_options(arguments: Sequence[str]) -> Options | None:
    """The options where they are nothing but these; None for what takes a command line that can help and complain."""
    check, config, rest = False, None, list(arguments)
    while rest:
        first = rest.pop(0)
        if first == "--check":
            check = True
        elif first == "--config" and rest:
            config = Path(rest.pop(0))
        else:
            return None
    return Options(check, config)


def main(options: Options) -> int:
    """Do what the hook does and say so; the exit code."""
    findings = run(Repository(Path.cwd()), options.config, check=options.check)
    sys.stdout.write(message(findings, check=options.check))
    return 1 if findings else 0


def run(repository: Repository, named: Path | None, *, check: bool) -> list[Finding]:
    """Bring the packs in line with the staged tree and tell which were not; with `check` write none."""
    visit = _visit(repository, named)
    cache = cache_folder(visit.root)
    known = stamps.load(cache, visit.settings, visit.root)
    if known is not None and _is_settled(visit, known):
        return []
    out, texts = _made(visit, cache, known)
    folder = resolve_out(visit.root, out)
    findings = [_settle(visit, out, folder, name, text, check=check) for name, text in texts.items()]
    return [finding for finding in findings if finding is not None]


def message(findings: Sequence[Finding], *, check: bool) -> str:
    """What to say, one line for each pack and one that says what to do; empty if all is well."""
    if not findings:
        return ""
    lines = [f"{finding.path}: {finding.state}" for finding in findings]
    folder = shlex.quote(os.path.dirname(findings[0].path))  # noqa: PTH120 - a path inside git, always with /
    packs = f"{len(findings)} pack{'s' if len(findings) > 1 else ''}"
    if check:
        lines.append(f"{packs} not up to date; type: tobler-pack hook && git add {folder}")
    elif any(finding.is_tracked for finding in findings):
        lines.append(f"{packs} refreshed for this commit; stage and commit again: git add {folder}")
    else:
        lines.append(f"{packs} written; commit again (before it, if packs are to be committed: git add {folder})")
    return "\n".join(lines) + "\n"


def _visit(repository: Repository, named: Path | None) -> Visit:
    if repository.root is None:
        raise EnvironmentProblem("a bare repository has no index; the hook works in a clone with a work tree")
    snapshot = repository.snapshot(INDEX)
    staged = {entry.path: entry for entry in snapshot.entries}
    text, name = _config_text(repository, repository.root, snapshot, staged, named)
    tuning = _tuning_text(repository, repository.root, snapshot, staged)
    return Visit(repository, repository.root, snapshot, staged, text, name, tuning)


def _tuning_text(repository: Repository, root: Path, snapshot: Snapshot, staged: Mapping[str, Entry]) -> str:
    """The history of the dials as it is staged, or as it lies on disk where it is not tracked; empty for none."""
    entry = staged.get(TUNING)
    try:
        data = repository.read(snapshot, entry) if entry is not None else (root / TUNING).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise EnvironmentProblem(f"{TUNING} cannot be read ({error.strerror}); check its permissions") from None
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _config_text(
    repository: Repository, root: Path, snapshot: Snapshot, staged: Mapping[str, Entry], named: Path | None
) -> tuple[str, str]:
    """The configuration as it is staged, or as it lies on disk where it is not tracked."""
    place = (root / DEFAULT_NAME) if named is None else named.absolute()
    name = DEFAULT_NAME if named is None else str(named)
    inside = place.relative_to(root).as_posix() if place.is_relative_to(root) else ""
    entry = staged.get(inside)
    try:
        data = repository.read(snapshot, entry) if entry is not None else place.read_bytes()
        return data.decode("utf-8-sig"), name
    except FileNotFoundError:
        raise UsageError(f"{name}: there is no such file; type `tobler-pack init` to write a first one") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not UTF-8 text; save the file as UTF-8") from None
    except OSError as error:
        raise EnvironmentProblem(f"{name}: cannot be read ({error.strerror}); check its permissions") from None


def _is_settled(visit: Visit, known: Stamp) -> bool:
    """Whether nothing that a pack depends on differs from a tree whose packs are known, and these are there."""
    packs = known.trees.get(visit.repository.tree_id(known.relevant(visit.snapshot.entries)))
    if packs is None:
        return False
    folder = resolve_out(visit.root, known.out)
    return all(_state(visit, known.out, folder, name, blob) is None for name, blob in packs.items())


def _state(visit: Visit, out: str, folder: Path, name: str, blob: str) -> str | None:
    """What is wrong with a pack; None if nothing is."""
    staged = visit.staged.get(f"{out}/{name}")
    try:
        data = (folder / name).read_bytes()
    except OSError:
        return CREATED
    if visit.repository.blob_id(data) != blob:
        return REFRESHED
    return NOT_STAGED if staged is not None and staged.blob != blob else None


def _settle(visit: Visit, out: str, folder: Path, name: str, text: str, *, check: bool) -> Finding | None:
    state = _state(visit, out, folder, name, visit.repository.blob_id(text.encode()))
    if state is None:
        return None
    if not check and state != NOT_STAGED:
        writer.replace(folder / name, text)
    path = f"{out}/{name}"
    return Finding(path, STALE if check else state, path in visit.staged)


def _made(visit: Visit, cache: Path, known: Stamp | None) -> tuple[str, dict[str, str]]:
    """The folder for the packs of the staged tree and their texts by name. Here everything heavy is loaded."""
    from tobler_pack import build as job
    from tobler_pack.corpus.selection import known_languages
    from tobler_pack.sources.config import read_config
    from tobler_pack.surfaces import tuning
    from tobler_pack.surfaces.registry import open_registry
    from tobler_pack.workspace import Workspace

    config = read_config(visit.config, visit.config_name)
    groups = job.choose(config, (), (1, 1))
    folder = resolve_out(visit.root, config.out)
    workspace = Workspace.open(visit.repository, config, INDEX)
    registry = open_registry(workspace, history=tuning.parse(visit.tuning))
    made = {one.question.id: one.made for one in job.build(workspace, groups, (), folder, registry, check=True)}
    texts = {f"{name}.md": one.text for name, one in made.items()}
    if known is None:
        table = known_languages(cache)
        endings = frozenset(end for end, language in table.items() if language.content in workspace.scope.content)
        local = config.model if _is_local(config.model) else ""
        known = Stamp(config.out, endings, (local, signature(visit.root / local) if local else ""), {})
    tree = visit.repository.tree_id(stamps.relevant(workspace.snapshot.entries, known.out, known.endings))
    blobs = {name: visit.repository.blob_id(text.encode()) for name, text in texts.items()}
    stamps.save(cache, visit.settings, known.with_tree(tree, blobs))
    return config.out, texts


def _is_local(model: str) -> bool:
    from tobler_pack.corpus.model import EMBEDDED, HUB

    return model != EMBEDDED and not model.startswith(HUB)

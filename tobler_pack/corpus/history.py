"""Commits: how names become ids, where two lines of work parted, what their messages say, what changed together before.

Only git's plumbing is asked, with every setting given, so that a user's configuration does not reach a pack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tobler_pack.corpus.tree import Repository

_DEFAULT_BRANCHES = ("main", "master", "trunk", "develop")
_FIELDS = ("%H", "%T", "%P", "%s", "%b", "")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit; ids as full hexadecimal names."""

    id: str
    tree: str
    parents: tuple[str, ...]
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class History:
    """What changed together, newest first: for each commit the files that it touched, by their names of today.

    `is_cut` tells that this clone is shallow and its history ends before the number of commits that was asked for,
    `lacks_contents` that it is partial, so that only files that were renamed without a change are followed.
    """

    commits: tuple[tuple[str, ...], ...]
    is_cut: bool
    lacks_contents: bool = False


def resolve(repository: Repository, name: str) -> str | None:
    """The id of the commit that a name means in this clone, also of a branch that only the remote has; else None."""
    if not name.strip() or name.startswith("-") or "\0" in name:
        return None
    for candidate in (name, f"refs/remotes/origin/{name.removeprefix('refs/heads/')}"):
        told = repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{candidate}^{{commit}}")
        if told is not None:
            return told.decode().split()[-1]
    return None


def default_branch(repository: Repository) -> str | None:
    """The branch that work starts from: the one that the remote calls its own, else one with a usual name."""
    told = repository.ask("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    names = [told.decode().strip()] if told is not None else []
    names += [f"refs/remotes/origin/{name}" for name in _DEFAULT_BRANCHES]
    names += [f"refs/heads/{name}" for name in _DEFAULT_BRANCHES]
    return next((name for name in names if resolve(repository, name) is not None), None)


def merge_base(repository: Repository, first: str, second: str) -> str | None:
    """The commit at which two lines of work parted, None where this clone knows of none."""
    told = repository.ask("merge-base", first, second)
    return told.decode().split()[0] if told else None


def commits_between(repository: Repository, base: str, head: str, most: int) -> list[Commit]:
    """The commits that `head` has and `base` has not, oldest first, merges left out; the newest `most` of them."""
    options = ("--no-merges", "--topo-order", f"--max-count={most}", "--encoding=UTF-8")
    told = repository.ask("rev-list", *options, f"--format={'%x00'.join(_FIELDS)}", head, f"^{base}")
    fields = (told or b"").decode("utf-8", "replace").split("\0")
    rows = zip(*[iter(fields)] * (len(_FIELDS) - 1), strict=False)
    return [_commit(*row) for row in rows][::-1]


def _commit(id_: str, tree: str, parents: str, subject: str, body: str) -> Commit:
    """One record; rev-list writes a line ``commit ID`` before each."""
    return Commit(id_.split()[-1], tree, tuple(parents.split()), subject.strip(), body.strip())


def past(repository: Repository, commit: str, most: int) -> History:
    """The last `most` commits that can be reached from a commit, merges left out.

    The oldest commits of a shallow clone seem to add every file, so they do not count.
    """
    told = repository.ask("rev-list", "--no-merges", f"--max-count={most}", commit) or b""
    ids = told.split()
    cut = _boundary(repository) if repository.is_shallow else frozenset()
    wanted = [one for one in ids if one not in cut]
    listed = _listed(repository, wanted, "--find-renames=50%")
    lacks = listed is None
    listed = _listed(repository, wanted, "--find-renames=100%") if lacks else listed
    return History(tuple(_touched(listed or b"", frozenset(wanted))), len(ids) < most and bool(cut), lacks)


def _listed(repository: Repository, ids: Sequence[bytes], renames: str) -> bytes | None:
    """The files of some commits as git lists them; None if it lacks what it needs for that."""
    options = ("--stdin", "--root", "-r", "-z", "--name-status", "--no-rename-empty", renames, "-l400")
    return repository.ask("diff-tree", *options, given=b"\n".join(ids) + b"\n") if ids else b""


def _boundary(repository: Repository) -> frozenset[bytes]:
    """The commits whose parents this shallow clone does not have."""
    told = repository.ask("rev-parse", "--git-path", "shallow")
    place = Path((told or b"").decode().removesuffix("\n"))
    place = place if place.is_absolute() or repository.root is None else repository.root / place
    return frozenset(place.read_bytes().split()) if place.is_file() else frozenset()


def _touched(listed: bytes, ids: frozenset[bytes]) -> list[tuple[str, ...]]:
    """The files of each commit; a file that was renamed later goes by its later name."""
    today: dict[str, str] = {}
    commits: list[tuple[str, ...]] = []
    renames: list[tuple[str, str]] = []
    files: list[str] | None = None
    fields: Sequence[bytes] = listed.split(b"\0")
    at = 0
    while at < len(fields):
        field = fields[at]
        if field in ids:
            _close(commits, files, renames, today)
            files, renames, at = [], [], at + 1
        elif field[:1] in (b"R", b"C"):
            old, new = _text(fields[at + 1]), _text(fields[at + 2])
            if field[:1] == b"R":
                renames.append((old, new))
            if files is not None:
                files.append(today.get(new, new))
            at += 3
        elif field:
            if files is not None:
                path = _text(fields[at + 1])
                files.append(today.get(path, path))
            at += 2
        else:
            at += 1
    _close(commits, files, renames, today)
    return commits


def _close(
    commits: list[tuple[str, ...]], files: list[str] | None, renames: list[tuple[str, str]], today: dict[str, str]
) -> None:
    if files is not None:
        commits.append(tuple(dict.fromkeys(files)))
    for old, new in renames:
        today[old] = today.get(new, new)


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")

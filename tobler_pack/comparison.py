"""Which two trees a change lies between: names become commits, or one message with the cure."""

from __future__ import annotations

from dataclasses import dataclass

from tobler_pack.corpus.history import default_branch, merge_base, resolve
from tobler_pack.corpus.tree import INDEX, WORKTREE, Repository
from tobler_pack.errors import EnvironmentProblem, UsageError

# A clone of one branch fetches another one only to FETCH_HEAD, where no name finds it.
_EVERYTHING = "--tags origin '+refs/heads/*:refs/remotes/origin/*'"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A change from a commit to a tree (``worktree``, ``index`` or a commit). `head` is the last commit of the change.

    `note` tells what could not be done as asked, empty where all could. `shown` is how a person would write it.
    """

    base: str
    tree: str
    head: str
    shown: str
    note: str = ""


def compare(repository: Repository, base: str | None, head: str | None, *, staged: bool) -> Comparison:
    """What to compare: with `staged` the index and HEAD; else `head` (by default the work tree) and the commit where
    it left `base` (by default the default branch), as a pull request is read.

    Raises UsageError for options that contradict each other, EnvironmentProblem if this clone lacks what is needed.
    """
    if repository.root is None and (staged or head is None):
        raise EnvironmentProblem("a bare repository has no work tree; name the last commit of the change: --head REF")
    if staged:
        if base is not None or head is not None:
            raise UsageError("--staged compares the index with HEAD; leave out --base and --head")
        last = _head(repository)
        return Comparison(last, INDEX, last, "staged")
    last = _head(repository) if head is None else _commit(repository, "--head", head)
    start = base if base is not None else _default(repository)
    first = _commit(repository, "--base", start)
    tree = WORKTREE if head is None else last
    named = start.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    shown = f"{named}...{head or WORKTREE}"
    parted = merge_base(repository, first, last)
    if parted is not None:
        return Comparison(parted, tree, last, shown)
    if not repository.is_shallow:
        raise EnvironmentProblem(
            f"{named} and {head or 'HEAD'} have no commit in common, so there is no change to read; name another --base"
        )
    note = (
        f"Compared with {named} directly: this shallow clone does not hold the commit where the two parted, so what "
        "the base gained since then shows as taken away (fetch-depth: 0 cures this)."
    )
    return Comparison(first, tree, last, f"{named}..{head or WORKTREE}", note)


def _head(repository: Repository) -> str:
    found = resolve(repository, "HEAD")
    if found is None:
        raise EnvironmentProblem(
            "this branch has no commit yet, so there is nothing to compare with; make a first one: git commit"
        )
    return found


def _default(repository: Repository) -> str:
    found = default_branch(repository)
    if found is None:
        told = repository.ask("symbolic-ref", "--quiet", "HEAD")
        where = "HEAD is detached and no" if told is None else "no"
        raise EnvironmentProblem(
            f"{where} default branch is known in this clone (neither origin/HEAD nor main or master); "
            "name the commit to compare with: tobler-pack diff --base REF"
        )
    return found


def _commit(repository: Repository, option: str, name: str) -> str:
    found = resolve(repository, name)
    if found is not None:
        return found
    if not name.strip() or name.startswith("-") or any(ord(character) < 32 for character in name):
        raise UsageError(f"{option} {name!r} is no name of a commit; write a branch, a tag or a commit id")
    if repository.is_shallow:
        raise EnvironmentProblem(
            f"{option} {name}: this shallow clone does not hold that commit; let the checkout fetch the whole history "
            f"(fetch-depth: 0), or type: git fetch --unshallow {_EVERYTHING}"
        )
    raise EnvironmentProblem(
        f"{option} {name}: there is no such commit in this clone; check the name, or type: git fetch {_EVERYTHING}"
    )

"""Which two trees a change lies between, and one message with the cure where this clone cannot tell."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from repositories import commit, create, git, write
from tobler_pack.comparison import Comparison, compare
from tobler_pack.corpus.tree import INDEX, WORKTREE, Repository
from tobler_pack.errors import EnvironmentProblem, UsageError


def at(root: Path, name: str = "HEAD") -> str:
    return git(root, "rev-parse", name)


def compared(root: Path, base: str | None = None, head: str | None = None, *, staged: bool = False) -> Comparison:
    return compare(Repository(root), base, head, staged=staged)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A main line that advanced by three commits after a branch left it; the branch, and both merged."""
    root = create(tmp_path_factory.mktemp("comparison") / "origin", {"a.py": "a = 0\n"})
    git(root, "tag", "parted")
    git(root, "switch", "--quiet", "-c", "work")
    for number in range(3):
        commit(root, {"work.py": f"work = {number}\n"})
    git(root, "switch", "--quiet", "main")
    for number in range(3):
        commit(root, {"a.py": f"a = {number + 1}\n"})
        if number == 0:
            git(root, "switch", "--quiet", "--detach")
            git(root, "merge", "--quiet", "--no-ff", "-m", "merge", "work")
            git(root, "branch", "merged")  # what a checkout of a pull request gets: made when main had one commit more
            git(root, "switch", "--quiet", "main")
    git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    return root


def clone(origin: Path, tmp_path: Path, *options: str, branch: str = "work") -> Path:
    tmp_path.mkdir(exist_ok=True)
    git(tmp_path, "clone", "--quiet", "--branch", branch, *options, origin.as_uri(), "clone")
    return tmp_path / "clone"


def test_a_pull_request_is_read_from_where_it_left_the_base(origin: Path, tmp_path: Path) -> None:
    root = clone(origin, tmp_path)
    found = compared(root, "origin/main", "HEAD")
    assert found == Comparison(at(root, "parted"), at(root), at(root), "origin/main...HEAD")


@pytest.mark.parametrize("base", ["main", "origin/main", "refs/remotes/origin/main", "remotes/origin/main"])
def test_the_base_may_be_a_branch_that_only_the_remote_has(origin: Path, tmp_path: Path, base: str) -> None:
    root = clone(origin, tmp_path)
    assert compared(root, base, "work").base == at(root, "parted")


def test_without_options_the_work_tree_since_it_left_the_default_branch(origin: Path, tmp_path: Path) -> None:
    root = clone(origin, tmp_path)
    git(root, "remote", "set-head", "origin", "main")
    assert compared(root) == Comparison(at(root, "parted"), WORKTREE, at(root), "origin/main...worktree")


def test_the_work_tree_against_a_base(origin: Path, tmp_path: Path) -> None:
    root = clone(origin, tmp_path)
    assert compared(root, "HEAD~1") == Comparison(at(root, "HEAD~1"), WORKTREE, at(root), "HEAD~1...worktree")


def test_what_is_staged_is_compared_with_head(origin: Path, tmp_path: Path) -> None:
    root = clone(origin, tmp_path)
    assert compared(root, staged=True) == Comparison(at(root), INDEX, at(root), "staged")


@pytest.mark.parametrize(("base", "head"), [("main", None), (None, "HEAD"), ("main", "HEAD")])
def test_staged_takes_no_commits(origin: Path, base: str | None, head: str | None) -> None:
    with pytest.raises(UsageError, match="--staged compares the index with HEAD; leave out --base and --head"):
        compared(origin, base, head, staged=True)


def test_a_detached_head_has_a_base_all_the_same(origin: Path, tmp_path: Path) -> None:
    root = clone(origin, tmp_path)
    git(root, "switch", "--quiet", "--detach")
    assert compared(root, "origin/main").base == at(root, "parted")


def test_a_merge_checkout_whose_base_advanced(origin: Path, tmp_path: Path) -> None:
    """The merge was made with main as it was then: what main gained later is no part of the change."""
    root = clone(origin, tmp_path, branch="merged")
    assert compared(root, "origin/main", "HEAD").base == at(root, "HEAD^1") != at(root, "origin/main")
    assert compared(root, "HEAD^1", "HEAD").base == at(root, "HEAD^1")


def test_a_base_that_is_ahead_of_the_head_or_the_head_itself(origin: Path) -> None:
    assert compared(origin, "main", "main~2").base == at(origin, "main~2")
    assert compared(origin, "main", "main").base == at(origin, "main")


# ---- shallow clones -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["main", "origin/main", "refs/heads/main", "HEAD^1", "main~1", "parted"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--depth", "1"), "this shallow clone does not hold that commit; .*fetch-depth: 0"),
        (("--single-branch", "--no-tags"), "there is no such commit in this clone; check the name"),
    ],
    ids=["depth 1", "one branch"],
)
def test_the_cure_for_a_base_that_is_not_there(
    origin: Path, tmp_path: Path, options: tuple[str, ...], message: str, base: str
) -> None:
    """What the message says is typed as it stands there; then the comparison is what a full clone gives."""
    root = clone(origin, tmp_path, *options)
    if base == "HEAD^1" and "--depth" not in options:
        return
    with pytest.raises(EnvironmentProblem, match=message) as error:
        compared(root, base, "HEAD")
    assert f"--base {base}: " in str(error.value)
    git(root, *shlex.split(str(error.value).split("type: git ", 1)[1]))
    whole = clone(origin, tmp_path / "whole")
    assert compared(root, base, "HEAD") == compared(whole, base, "HEAD")


def test_a_shallow_clone_without_the_merge_base_is_compared_directly_with_a_note(origin: Path, tmp_path: Path) -> None:
    root = clone(origin, tmp_path, "--depth", "1")
    git(root, "fetch", "--quiet", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    found = compared(root, "origin/main", "HEAD")
    assert (found.base, found.shown) == (at(root, "origin/main"), "origin/main..HEAD")
    assert "Compared with origin/main directly" in found.note
    assert "fetch-depth: 0" in found.note


def test_a_later_shallow_fetch_that_destroys_the_merge_base(origin: Path, tmp_path: Path) -> None:
    root = clone(origin, tmp_path)
    assert compared(root, "origin/main", "HEAD").note == ""
    commit(origin, {"late.py": "late = 1\n"})
    git(root, "fetch", "--quiet", "--depth", "1", "origin", "+main:refs/remotes/origin/main")
    found = compared(root, "origin/main", "HEAD")
    assert "Compared with origin/main directly" in found.note
    assert found.base == at(origin, "main")


# ---- what has no answer ---------------------------------------------------------------------------------------------


def unborn(root: Path) -> None:
    git(root, "switch", "--quiet", "--orphan", "fresh")


def elsewhere(root: Path) -> None:
    git(root, "branch", "--quiet", "--move", "main", "mine")
    git(root, "switch", "--quiet", "-c", "other")


def detached(root: Path) -> None:
    git(root, "branch", "--quiet", "--move", "main", "mine")
    git(root, "switch", "--quiet", "--detach")


def unrelated(root: Path) -> None:
    git(root, "switch", "--quiet", "--orphan", "alone")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "alone")


def nothing(root: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("prepare", "arguments", "error", "message"),
    [
        (unborn, (None, None, False), EnvironmentProblem, "this branch has no commit yet"),
        (unborn, (None, None, True), EnvironmentProblem, "this branch has no commit yet"),
        (unborn, ("main", None, False), EnvironmentProblem, "this branch has no commit yet"),
        (elsewhere, (None, None, False), EnvironmentProblem, "^no default branch is known in this clone"),
        (detached, (None, None, False), EnvironmentProblem, "HEAD is detached and no default branch is known"),
        (unrelated, ("main", None, False), EnvironmentProblem, "main and HEAD have no commit in common"),
        (unrelated, ("main", "alone", False), EnvironmentProblem, "main and alone have no commit in common"),
        (nothing, ("nowhere", None, False), EnvironmentProblem, "no such commit in this clone.*git fetch --tags"),
        (nothing, ("main", "gone", False), EnvironmentProblem, "--head gone: there is no such commit"),
        (nothing, ("main^{tree}", None, False), EnvironmentProblem, "no such commit"),
        (nothing, ("", None, False), UsageError, "--base '' is no name of a commit"),
        (nothing, (" ", None, False), UsageError, "--base ' ' is no name of a commit"),
        (nothing, ("main", "", False), UsageError, "--head '' is no name of a commit"),
        (nothing, ("--all", None, False), UsageError, "--base '--all' is no name of a commit"),
        (nothing, ("a\nb", None, False), UsageError, r"--base 'a\\nb' is no name of a commit"),
    ],
)  # fmt: skip
def test_one_message_with_the_cure(
    tmp_path: Path,
    prepare: Callable[[Path], None],
    arguments: tuple[str | None, str | None, bool],
    error: type[Exception],
    message: str,
) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n"})
    prepare(root)
    base, head, staged = arguments
    with pytest.raises(error, match=message):
        compared(root, base, head, staged=staged)


def test_head_may_be_named_where_the_branch_has_no_commit(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n"})
    commit(root, {"a.py": "a = 2\n"})
    unborn(root)
    assert compared(root, "main~1", "main").base == at(root, "main~1")


def test_a_name_cannot_run_a_command(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n"})
    write(root, {})
    for name in ('x"; touch PWNED; echo "', "$(touch PWNED)", "`touch PWNED`", "--upload-pack=touch PWNED", "@{-1}"):
        with pytest.raises((EnvironmentProblem, UsageError)):
            compared(root, name)
    assert not (root / "PWNED").exists()

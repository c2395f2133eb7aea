"""Commits: names, the point where two lines of work parted, messages, and which files changed together."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit, create, git, write
from tobler_pack.corpus.history import History, commits_between, default_branch, merge_base, past, resolve
from tobler_pack.corpus.tree import Repository

LATER = "2002-02-03T04:05:06Z"


def text(word: str) -> str:
    return "".join(f"{word}{at} = '{word * 4}'\n" for at in range(10))


def say(root: Path, message: str, files: dict[str, str]) -> str:
    """A commit with a message, a minute after the one before."""
    write(root, files)
    git(root, "add", "--all")
    at = int(git(root, "log", "-1", "--format=%ct")) + 60
    variables = {"GIT_COMMITTER_DATE": f"{at} +0000"}
    git(root, "commit", "--quiet", "--allow-empty", "--file=-", given=message.encode(), **variables)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A line of work with renames, a merge, and names that git quotes."""
    root = create(tmp_path_factory.mktemp("history") / "r", {"a.py": text("a"), "b.py": text("b")})
    git(root, "tag", "first")
    say(root, "both", {"a.py": text("a") + "1\n", "b.py": text("b") + "1\n"})
    git(root, "mv", "a.py", "moved.py")
    say(root, "move", {})
    say(root, "a new one under the old name", {"a.py": text("new"), "b.py": text("b") + "2\n"})
    git(root, "mv", "moved.py", "Größe\n\t.py")
    say(root, "move again", {"b.py": text("b") + "3\n"})
    say(root, "nothing", {})
    git(root, "switch", "--quiet", "-c", "side", "first")
    say(root, "side: work\n\nWith a body.\nIn two lines.", {"side.py": text("side"), "b2.py": text("c")})
    git(root, "switch", "--quiet", "main")
    git(root, "merge", "--quiet", "--no-ff", "-m", "merge of side", "side", GIT_COMMITTER_DATE=LATER)
    return root


def sets(history: History) -> list[set[str]]:
    return [set(commit) for commit in history.commits]


def test_the_past_knows_files_by_their_names_of_today(root: Path) -> None:
    today = "Größe\n\t.py"
    found = sets(past(Repository(root), "HEAD", 100))
    assert {"side.py", "b2.py"} in found
    found.remove({"side.py", "b2.py"})
    assert found == [{today, "b.py"}, {"a.py", "b.py"}, {today}, {today, "b.py"}, {today, "b.py"}]


def test_the_past_ends_where_it_is_asked_to(root: Path) -> None:
    assert len(past(Repository(root), "HEAD", 2).commits) <= 2
    assert past(Repository(root), "first", 100) == History((("a.py", "b.py"),), False)


def test_no_setting_reaches_the_past(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = past(Repository(root), "HEAD", 100), commits_between(Repository(root), "first", "HEAD", 100)
    config = tmp_path / "config"
    config.write_text(
        "[diff]\nrenames = false\nrenameLimit = 1\nnoprefix = true\nexternal = false\norderFile = order\n"
        "relative = true\n[log]\nshowSignature = true\ndate = relative\nfollow = true\nmailmap = true\n"
        "[color]\nui = always\n[i18n]\nlogOutputEncoding = latin1\n"
        "[format]\npretty = oneline\n[core]\nquotePath = true\n"
    )
    (root / "order").write_text("b.py\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert (past(Repository(root), "HEAD", 100), commits_between(Repository(root), "first", "HEAD", 100)) == expected
    (root / "order").unlink()


def test_a_shallow_clone_leaves_out_its_oldest_commits_and_says_so(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth", "5", root.as_uri(), "c")
    repository = Repository(tmp_path / "c")
    history = past(repository, "HEAD", 100)
    assert history.is_cut
    assert {"Größe\n\t.py", "b.py"} in sets(history)
    assert len(history.commits) < len(past(Repository(root), "HEAD", 100).commits)
    assert all(commit_ in sets(past(Repository(root), "HEAD", 100)) for commit_ in sets(history))


def test_a_clone_of_depth_one_has_no_past(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth", "1", root.as_uri(), "c")
    assert past(Repository(tmp_path / "c"), "HEAD", 100) == History((), True)


def test_a_worktree_of_a_shallow_clone_knows_where_it_ends(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth", "1", root.as_uri(), "c")
    git(tmp_path / "c", "worktree", "add", "--quiet", "--detach", str(tmp_path / "w"))
    (tmp_path / "w/sub").mkdir()
    assert past(Repository(tmp_path / "w/sub"), "HEAD", 100) == History((), True)


def test_a_clone_without_old_blobs_still_knows_what_changed_together(tmp_path: Path) -> None:
    """Git needs old content to find files that were renamed and changed at once; the others it sees all the same."""
    root = create(tmp_path / "r", {"a.py": text("a"), "b.py": text("b")})
    git(root, "config", "uploadpack.allowFilter", "true")
    git(root, "mv", "a.py", "c.py")
    say(root, "rename and change", {"c.py": text("a") + "1\n", "b.py": text("b") + "1\n"})
    say(root, "both", {"c.py": text("a") + "2\n", "b.py": text("b") + "2\n"})
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", root.as_uri(), "c")
    assert {"c.py", "b.py"} in sets(past(Repository(tmp_path / "c"), "HEAD", 100))


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_both_kinds_of_ids(tmp_path: Path, object_format: str) -> None:
    root = create(tmp_path / "r", {"a.py": "a\n"}, object_format)
    commit(root, {"a.py": "b\n", "c.py": "c\n"})
    assert sets(past(Repository(root), "HEAD", 9)) == [{"a.py", "c.py"}, {"a.py"}]
    assert len(resolve(Repository(root), "HEAD") or "") == {"sha1": 40, "sha256": 64}[object_format]


def test_a_file_that_is_called_like_a_commit(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {"a.py": "a\n"})
    name = git(root, "rev-parse", "HEAD")
    commit(root, {name: "x\n", "R100": "y\n"})
    assert sets(past(Repository(root), "HEAD", 9)) == [{name, "R100"}, {"a.py"}]


# ---- messages -------------------------------------------------------------------------------------------------------


def test_commits_of_a_range_stand_oldest_first_without_merges(root: Path) -> None:
    found = commits_between(Repository(root), "first", "main", 100)
    assert [one.subject for one in found if one.subject != "side: work"] == [
        "both", "move", "a new one under the old name", "move again", "nothing",
    ]  # fmt: skip
    side = next(one for one in found if one.subject == "side: work")
    assert side.body == "With a body.\nIn two lines."
    assert side.parents == (git(root, "rev-parse", "first"),)
    assert side.tree == git(root, "rev-parse", "side^{tree}")
    assert side.id == git(root, "rev-parse", "side")


def test_the_newest_commits_of_a_long_range(root: Path) -> None:
    every = commits_between(Repository(root), "first", "main", 100)
    assert commits_between(Repository(root), "first", "main", 2) == every[-2:]
    assert commits_between(Repository(root), "main", "main", 9) == []


MESSAGES = {
    "plain": ("subject", "subject", ""),
    "no body": ("one line\n\n", "one line", ""),
    "two lines before the blank one": ("first\nsecond\n\nbody", "first second", "body"),
    "umlauts and CJK": ("Größe 日本\n\nÄ", "Größe 日本", "Ä"),
    "looks like the record before": ("commit 0123\n\ncommit 4567\n", "commit 0123", "commit 4567"),
    "empty": ("", "", ""),
    "a tab and a mention": ("\tfix @everyone <!-- x -->", "fix @everyone <!-- x -->", ""),
}


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    root = create(tmp_path_factory.mktemp("messages") / "r")
    for message, _, _ in MESSAGES.values():
        options = ("--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "--file=-")
        git(root, "commit", "--quiet", *options, given=message.encode())
    found = commits_between(Repository(root), git(root, "rev-list", "--max-parents=0", "HEAD"), "HEAD", 100)
    return {name: (one.subject, one.body) for name, one in zip(MESSAGES, found, strict=True)}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages(messages: dict[str, tuple[str, str]], name: str) -> None:
    assert messages[name] == MESSAGES[name][1:]


def test_a_message_that_is_no_utf8(tmp_path: Path) -> None:
    root = create(tmp_path / "r")
    git(root, "-c", "i18n.commitEncoding=latin1", "commit", "--quiet", "--allow-empty", "-F-", given=b"gr\xf6\xdfe")
    raw = f"tree {git(root, 'rev-parse', 'HEAD^{tree}')}\nparent {git(root, 'rev-parse', 'HEAD')}\n".encode()
    raw += b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nbr\xf6ken\n"
    broken = git(root, "hash-object", "-t", "commit", "-w", "--stdin", given=raw)
    first, second = commits_between(Repository(root), "HEAD~1", broken, 9)
    assert first.subject == "größe"
    assert second.subject == "br\ufffdken"


# ---- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["HEAD", "main", "refs/heads/main", "first", "annotated", "main~0", "@"])
def test_names_of_commits(root: Path, name: str) -> None:
    git(root, "tag", "--force", "--annotate", "-m", "t", "annotated", "HEAD")
    expected = git(root, "rev-parse", f"{name}^{{commit}}")
    assert resolve(Repository(root), name) == expected


@pytest.mark.parametrize(
    "name", ["", " ", "nowhere", "-n", "--all", "a\0b", "HEAD:a.py", "HEAD^{tree}", "HEAD..main", "0" * 40, "$(id)"]
)
def test_names_of_no_commit(root: Path, name: str) -> None:
    assert resolve(Repository(root), name) is None


def test_a_branch_that_only_the_remote_has(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(root), "c")
    assert resolve(Repository(tmp_path / "c"), "side") == git(root, "rev-parse", "side")


@pytest.mark.parametrize("branch", ["main", "master", "trunk", "develop"])
def test_usual_names_of_default_branches(tmp_path: Path, branch: str) -> None:
    root = create(tmp_path / "r")
    git(root, "branch", "--quiet", "--move", branch)
    git(root, "switch", "--quiet", "-c", "work")
    assert default_branch(Repository(root)) == f"refs/heads/{branch}"


def test_the_branch_that_the_remote_calls_its_own_goes_first(tmp_path: Path) -> None:
    root = create(tmp_path / "r")
    git(root, "branch", "--quiet", "--move", "main", "stable")
    git(tmp_path, "clone", "--quiet", str(root), "c")
    git(tmp_path / "c", "branch", "main")
    assert default_branch(Repository(tmp_path / "c")) == "refs/remotes/origin/stable"
    git(tmp_path / "c", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert default_branch(Repository(tmp_path / "c")) == "refs/heads/main"


def test_no_default_branch(tmp_path: Path) -> None:
    root = create(tmp_path / "r")
    git(root, "branch", "--quiet", "--move", "mine")
    assert default_branch(Repository(root)) is None


def test_where_two_lines_of_work_parted(root: Path, tmp_path: Path) -> None:
    repository = Repository(root)
    first = git(root, "rev-parse", "first")
    assert merge_base(repository, git(root, "rev-parse", "main^1"), git(root, "rev-parse", "side")) == first
    git(root, "switch", "--quiet", "--orphan", "alone")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "alone", GIT_COMMITTER_DATE=LATER)
    assert merge_base(repository, git(root, "rev-parse", "alone"), first) is None
    git(root, "switch", "--quiet", "main")

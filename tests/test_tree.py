"""Trees: what git says is there, and nothing else, whatever state the checkout is in."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repositories import commit, create, git, tree_of, write
from tobler_pack.corpus.tree import INDEX, WORKTREE, Repository, Snapshot
from tobler_pack.errors import EnvironmentProblem, UsageError

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="names and links that Windows does not have")

ODD_NAMES = {
    "Aufträge/Größe.py": "umlauts = 1\n",
    "日本/日本 a.py": "cjk = 1\n",
    "a\tb.py": "tab = 1\n",
    "a\nb.py": "newline = 1\n",
    "-leading.py": "dash = 1\n",
    "--tree/-x.py": "dash = 2\n",
    "with space/ a .py": "space = 1\n",
    '"quoted" \\ name.py': "quotes = 1\n",
    os.fsdecode(b"latin-\xe4.py"): "no_utf8 = 1\n",
    "foo.py": "file = 1\n",
    "foo/bar.py": "sorts = 'behind foo.py'\n",
    "foo-.py": "sorts = 'before foo/'\n",
}


def snapshot(root: Path, tree: str = WORKTREE) -> Snapshot:
    return Repository(root).snapshot(tree)


def contents(root: Path, tree: str = WORKTREE) -> dict[str, bytes]:
    """Every file of a tree with its bytes."""
    repository = Repository(root)
    taken = repository.snapshot(tree)
    return {entry.path: repository.read(taken, entry) for entry in taken.entries if entry.mode != 0o160000}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with three files in it."""
    return create(tmp_path / "small", {"a.py": "a = 1\n", "b.py": "b = 1\n", "sub/c.py": "c = 1\n"})


# ---- the same tree by every way -------------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", [WORKTREE, INDEX, "HEAD", "main", "HEAD^{tree}"])
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_clean_checkout_has_the_tree_id_that_git_gives_it(tmp_path: Path, tree: str, object_format: str) -> None:
    root = create(tmp_path / "r", {"a.py": "a\n", "d/b.py": "b\n", "d.c": "sorts before d/\n"}, object_format)
    assert snapshot(root, tree).tree_id == tree_of(root)


@POSIX
@pytest.mark.parametrize("tree", [WORKTREE, INDEX, "HEAD"])
def test_odd_names_come_through_whole(tmp_path: Path, tree: str) -> None:
    root = create(tmp_path / "r", ODD_NAMES)
    assert contents(root, tree) == {name: text.encode() for name, text in ODD_NAMES.items()}
    assert snapshot(root, tree).tree_id == tree_of(root)


@POSIX
@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_change_of_an_odd_name_is_seen(tmp_path: Path, name: str) -> None:
    root = create(tmp_path / "r", ODD_NAMES)
    write(root, {name: "changed\n"})
    assert contents(root)[name] == b"changed\n"
    assert snapshot(root).tree_id != tree_of(root)
    commit(root)
    assert snapshot(root).tree_id == tree_of(root)


@POSIX
def test_names_do_not_depend_on_the_locale(tmp_path: Path) -> None:
    root = create(tmp_path / "r", ODD_NAMES)
    write(root, dict.fromkeys(ODD_NAMES, "changed\n"))
    program = (
        "import sys; from pathlib import Path; from tobler_pack.corpus.tree import Repository;"
        "print(Repository(Path(sys.argv[1])).snapshot('worktree').tree_id)"
    )
    told = [
        subprocess.run([sys.executable, "-c", program, root], env=os.environ | locale, check=True, capture_output=True)
        for locale in (
            {"LC_ALL": "C.UTF-8"},
            {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        )
    ]
    assert told[0].stdout == told[1].stdout


def test_entries_stand_in_the_order_of_their_path_bytes(tmp_path: Path) -> None:
    root = create(tmp_path / "r", ODD_NAMES if sys.platform != "win32" else {"b.py": "", "a.py": ""})
    paths = [os.fsencode(entry.path) for entry in snapshot(root).entries]
    assert paths == sorted(paths)


def test_a_file_with_a_new_time_stamp_is_the_same_file(small: Path) -> None:
    later = time.time() + 100
    for path in small.rglob("*.py"):
        os.utime(path, (later, later))
    assert snapshot(small).tree_id == tree_of(small)


# ---- staged, on disk, untracked -------------------------------------------------------------------------------------


def test_staged_and_work_tree_content_are_told_apart(small: Path) -> None:
    write(small, {"a.py": "staged\n"})
    git(small, "add", "a.py")
    write(small, {"a.py": "on disk\n"})
    assert contents(small, INDEX)["a.py"] == b"staged\n"
    assert contents(small, WORKTREE)["a.py"] == b"on disk\n"
    assert contents(small, "HEAD")["a.py"] == b"a = 1\n"
    assert snapshot(small, INDEX).tree_id == git(small, "write-tree")


@pytest.mark.parametrize("tree", [WORKTREE, INDEX, "HEAD"])
def test_untracked_and_ignored_files_are_never_seen(small: Path, tree: str) -> None:
    commit(small, {".gitignore": "ignored.py\n"})
    write(small, {"untracked.py": "x\n", "ignored.py": "x\n", "new/untracked.py": "x\n"})
    assert set(contents(small, tree)) == {".gitignore", "a.py", "b.py", "sub/c.py"}


@pytest.mark.parametrize("tree", [WORKTREE, INDEX, "HEAD"])
def test_an_allow_list_in_gitignore_hides_no_tracked_file(tmp_path: Path, tree: str) -> None:
    root = create(tmp_path / "r")
    write(root, {".gitignore": "*\n!*/\n!*.go\n", "a.go": "package a\n", "deep/b.go": "package b\n", "c.py": "c = 1\n"})
    git(root, "add", "a.go", "deep/b.go")
    git(root, "add", "--force", "c.py")
    git(root, "commit", "--quiet", "--message", "allow list")
    assert set(contents(root, tree)) == {"a.go", "deep/b.go", "c.py"}


def test_intended_to_add_is_tracked_on_disk_and_not_staged(small: Path) -> None:
    write(small, {"soon.py": "soon = 1\n"})
    git(small, "add", "--intent-to-add", "soon.py")
    assert contents(small, WORKTREE)["soon.py"] == b"soon = 1\n"
    assert snapshot(small, INDEX).tree_id == tree_of(small)


def test_deleted_on_disk(small: Path) -> None:
    (small / "a.py").unlink()
    assert set(contents(small, WORKTREE)) == {"b.py", "sub/c.py"}
    assert set(contents(small, INDEX)) == {"a.py", "b.py", "sub/c.py"}


def test_removed_from_the_index_but_left_on_disk(small: Path) -> None:
    git(small, "rm", "--cached", "--quiet", "a.py")
    assert "a.py" not in contents(small, WORKTREE)
    assert "a.py" not in contents(small, INDEX)


def test_a_file_of_three_megabytes_changed_on_disk(small: Path) -> None:
    write(small, {"a.py": b"x = 1\n" * 500_000})
    (entry,) = [one for one in snapshot(small).entries if one.path == "a.py"]
    assert entry.blob == git(small, "hash-object", "a.py")
    assert len(contents(small)["a.py"]) > 1_000_000  # enough to be told as too large


def test_looking_does_not_write_to_the_repository(small: Path) -> None:
    commit(small, {".gitattributes": "a.py linguist-generated\n"})
    write(small, {"a.py": "changed\n"})
    before = {path: path.stat().st_mtime_ns for path in small.rglob("*")}
    repository = Repository(small)
    repository.with_attribute(repository.snapshot(WORKTREE), "linguist-generated")
    assert {path: path.stat().st_mtime_ns for path in small.rglob("*")} == before


# ---- unusual states -------------------------------------------------------------------------------------------------


@pytest.fixture
def conflict(small: Path) -> Path:
    """A merge that stopped: a.py changed on both sides, b.py changed by us and deleted by them."""
    git(small, "checkout", "--quiet", "-b", "theirs")
    (small / "b.py").unlink()
    commit(small, {"a.py": "theirs\n"})
    git(small, "checkout", "--quiet", "main")
    commit(small, {"a.py": "ours\n", "b.py": "ours\n"})
    with pytest.raises(AssertionError, match="merge"):
        git(small, "merge", "theirs")
    return small


def test_an_unresolved_merge_shows_our_side_of_the_index(conflict: Path) -> None:
    assert contents(conflict, INDEX) == {"a.py": b"ours\n", "b.py": b"ours\n", "sub/c.py": b"c = 1\n"}


def test_an_unresolved_merge_shows_the_work_tree_as_it_lies_there(conflict: Path) -> None:
    assert contents(conflict, WORKTREE)["a.py"] == (conflict / "a.py").read_bytes()
    assert len(contents(conflict, WORKTREE)) == 3


def test_submodules_are_entries_and_are_never_entered(tmp_path: Path, small: Path) -> None:
    other = create(tmp_path / "other", {"inside.py": "inside = 1\n"})
    git(small, "submodule", "--quiet", "add", str(other), "lib")
    commit(small)
    for tree in (WORKTREE, INDEX, "HEAD"):
        taken = snapshot(small, tree)
        assert {e.path: e.mode for e in taken.entries}["lib"] == 0o160000
        assert not any(entry.path.startswith("lib/") for entry in taken.entries)
        assert taken.tree_id == tree_of(small)


def test_a_submodule_with_changes_inside_leaves_the_tree_alone(tmp_path: Path, small: Path) -> None:
    other = create(tmp_path / "other", {"inside.py": "inside = 1\n"})
    git(small, "submodule", "--quiet", "add", str(other), "lib")
    commit(small)
    write(small / "lib", {"inside.py": "changed\n"})
    assert snapshot(small).tree_id == tree_of(small)


@POSIX
def test_a_symbolic_link_is_its_target_text(small: Path) -> None:
    (small / "link.py").symlink_to("a.py")
    commit(small)
    for tree in (WORKTREE, INDEX, "HEAD"):
        assert contents(small, tree)["link.py"] == b"a.py"
        assert snapshot(small, tree).tree_id == tree_of(small)


@POSIX
def test_a_symbolic_link_in_place_of_a_file_is_not_followed(tmp_path: Path, small: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("secret = 1\n")
    (small / "a.py").unlink()
    (small / "a.py").symlink_to(secret)
    (entry,) = [one for one in snapshot(small).entries if one.path == "a.py"]
    assert entry.mode == 0o120000
    assert contents(small)["a.py"] == os.fsencode(secret)


@POSIX
def test_a_symbolic_link_in_place_of_a_folder_is_not_followed(tmp_path: Path, small: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"c.py": "secret = 1\n"})
    (small / "sub/c.py").unlink()
    (small / "sub").rmdir()
    (small / "sub").symlink_to(elsewhere)
    assert "sub/c.py" not in contents(small)


@POSIX
def test_a_file_in_place_of_a_folder(small: Path) -> None:
    (small / "sub/c.py").unlink()
    (small / "sub").rmdir()
    write(small, {"sub": "a file now\n"})
    assert set(contents(small)) == {"a.py", "b.py"}


def test_a_folder_in_place_of_a_file(small: Path) -> None:
    (small / "a.py").unlink()
    write(small, {"a.py/inside.py": "untracked\n"})
    assert set(contents(small)) == {"b.py", "sub/c.py"}


@POSIX
def test_a_pipe_in_place_of_a_file_does_not_hang(small: Path) -> None:
    (small / "a.py").unlink()
    os.mkfifo(small / "a.py")
    assert set(contents(small)) == {"b.py", "sub/c.py"}


@POSIX
def test_a_folder_of_a_commit_is_a_tree(small: Path) -> None:
    write(small, {"inner/deep/b.py": "b = 1\n"})
    commit(small)
    snapshot = Repository(small).snapshot("HEAD:inner")
    assert [entry.path for entry in snapshot.entries] == ["deep/b.py"]
    assert snapshot.tree_id == git(small, "rev-parse", "HEAD:inner")


def test_the_executable_bit_is_part_of_the_tree(small: Path) -> None:
    before = snapshot(small).tree_id
    (small / "a.py").chmod(0o755)
    assert snapshot(small).tree_id != before
    commit(small)
    assert snapshot(small).tree_id == tree_of(small)
    assert stat.S_IMODE((small / "a.py").stat().st_mode) == 0o755


def test_a_sparse_checkout_still_has_the_whole_tree(small: Path) -> None:
    git(small, "sparse-checkout", "set", "sub")
    git(small, "sparse-checkout", "set", "--no-cone", "/sub/")
    assert not (small / "a.py").exists()
    assert snapshot(small).tree_id == tree_of(small)
    assert contents(small)["a.py"] == b"a = 1\n"


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_a_file_that_git_does_not_look_at_is_taken_from_the_index(small: Path, flag: str) -> None:
    git(small, "update-index", flag, "a.py")
    write(small, {"a.py": "private change\n"})
    assert snapshot(small).tree_id == tree_of(small)


def test_a_shallow_clone_has_the_same_tree(tmp_path: Path, small: Path) -> None:
    commit(small, {"a.py": "later\n"})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", small.as_uri(), str(clone))
    for tree in (WORKTREE, INDEX, "HEAD"):
        assert snapshot(clone, tree).tree_id == tree_of(small)


def test_a_commit_beyond_the_depth_of_the_clone_is_named(tmp_path: Path, small: Path) -> None:
    first = git(small, "rev-parse", "HEAD")
    commit(small, {"a.py": "later\n"})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", small.as_uri(), str(clone))
    with pytest.raises(EnvironmentProblem, match=f"there is no commit '{first}' in this clone.*git fetch origin"):
        snapshot(clone, first)


def test_a_partial_clone_is_not_filled_behind_our_back(tmp_path: Path, small: Path) -> None:
    git(small, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", "--no-checkout", small.as_uri(), str(clone))
    with pytest.raises(EnvironmentProblem, match="not in this clone; a partial clone needs it fetched first"):
        contents(clone, "HEAD")


def test_a_linked_work_tree(tmp_path: Path, small: Path) -> None:
    linked = tmp_path / "linked"
    git(small, "worktree", "add", "--quiet", str(linked), "-b", "side")
    write(linked, {"a.py": "in the linked work tree\n"})
    assert contents(linked)["a.py"] == b"in the linked work tree\n"
    assert contents(small)["a.py"] == b"a = 1\n"
    assert Repository(linked).root == linked.resolve()


def test_a_sub_folder_means_the_whole_repository(small: Path) -> None:
    for tree in (WORKTREE, INDEX, "HEAD"):
        assert snapshot(small / "sub", tree).tree_id == tree_of(small)


def test_a_bare_repository(tmp_path: Path, small: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(small), str(bare))
    assert snapshot(bare, "HEAD").tree_id == tree_of(small)
    assert contents(bare, "HEAD")["a.py"] == b"a = 1\n"
    assert Repository(bare).root is None
    with pytest.raises(EnvironmentProblem, match="a bare repository has no work tree; name a commit: --tree HEAD"):
        snapshot(bare, WORKTREE)


def test_an_unborn_branch_with_staged_files(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    write(tmp_path, {"a.py": "a = 1\n"})
    git(tmp_path, "add", "a.py")
    assert set(contents(tmp_path, INDEX)) == set(contents(tmp_path, WORKTREE)) == {"a.py"}
    with pytest.raises(EnvironmentProblem, match="there is no commit 'HEAD'"):
        snapshot(tmp_path, "HEAD")


def test_an_empty_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    assert snapshot(tmp_path, WORKTREE) == snapshot(tmp_path, INDEX) == Snapshot(EMPTY_TREE, ())


# ---- variables that git hands to hooks ------------------------------------------------------------------------------


def test_a_hook_sees_the_index_of_its_commit(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = small / ".git/next-index"
    git(small, "read-tree", "HEAD", GIT_INDEX_FILE=str(other))
    write(small, {"a.py": "to be committed\n"})
    git(small, "add", "a.py", GIT_INDEX_FILE=str(other))
    assert contents(small, INDEX)["a.py"] == b"a = 1\n"
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.chdir(small)
    assert contents(Path.cwd(), INDEX)["a.py"] == b"to be committed\n"


def test_a_real_commit_with_all_changes_shows_its_hook_what_is_committed(small: Path) -> None:
    hook = small / ".git/hooks/pre-commit"
    program = (
        "from pathlib import Path; from tobler_pack.corpus.tree import Repository;"
        "r = Repository(Path.cwd()); s = r.snapshot('index');"
        "r.with_attribute(s, 'linguist-generated'); Path('.git/seen').write_text(s.tree_id)"
    )
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}"\n')
    hook.chmod(0o755)
    write(small, {"a.py": "all of it\n", ".gitattributes": "a.py linguist-generated\n"})
    git(small, "add", ".gitattributes")
    git(small, "commit", "--quiet", "--all", "--message", "with hook")
    assert (small / ".git/seen").read_text() == tree_of(small)


def test_a_commit_in_a_linked_work_tree_shows_its_hook_what_is_committed(tmp_path: Path, small: Path) -> None:
    linked = tmp_path / "linked"
    git(small, "worktree", "add", "--quiet", str(linked), "-b", "side")
    program = (
        "import sys; from pathlib import Path; from tobler_pack.corpus.tree import Repository;"
        "Path(sys.argv[1]).write_text(Repository(Path.cwd()).snapshot('index').tree_id)"
    )
    hook = small / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}" "{tmp_path}/seen"\n')
    hook.chmod(0o755)
    write(linked, {"a.py": "linked\n"})
    git(linked, "commit", "--quiet", "--all", "--message", "with hook")
    assert (tmp_path / "seen").read_text() == tree_of(linked)


# ---- raw content ----------------------------------------------------------------------------------------------------


def test_no_filter_changes_the_content_of_a_commit(small: Path) -> None:
    commit(small, {".gitattributes": "*.py filter=shout text eol=crlf\n"})
    git(small, "config", "filter.shout.smudge", "tr a-z A-Z")
    git(small, "config", "core.autocrlf", "true")
    for tree in (INDEX, "HEAD"):
        assert contents(small, tree)["a.py"] == b"a = 1\n"


def test_line_end_conversion_on_checkout_does_not_change_the_tree(tmp_path: Path, small: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "-c", "core.autocrlf=true", str(small), str(clone))
    assert (clone / "a.py").read_bytes() == b"a = 1\r\n"
    assert snapshot(clone).tree_id == tree_of(small)
    assert contents(clone)["a.py"] == b"a = 1\n"


def test_replacement_objects_are_ignored(small: Path) -> None:
    blob = git(small, "rev-parse", "HEAD:a.py")
    other = git(small, "hash-object", "-w", "--stdin", given=b"replaced\n")
    git(small, "replace", blob, other)
    for tree in (WORKTREE, INDEX, "HEAD"):
        assert contents(small, tree)["a.py"] == b"a = 1\n"


# ---- attributes -----------------------------------------------------------------------------------------------------


def generated(root: Path, tree: str = WORKTREE) -> set[str]:
    repository = Repository(root)
    return set(repository.with_attribute(repository.snapshot(tree), "linguist-generated"))


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_generated_files_follow_the_attributes_of_the_tree(tmp_path: Path, object_format: str) -> None:
    root = create(
        tmp_path / "r",
        {
            ".gitattributes": "gen/** linguist-generated\ngen/hand.py -linguist-generated\n"
            "*.pb.py linguist-generated=true\n",
            "gen/a.py": "",
            "gen/deep/b.py": "",
            "gen/hand.py": "",
            "x.pb.py": "",
            "own.py": "",
            "sub/.gitattributes": "*.py linguist-generated\nno.py linguist-generated=false\n"
            "open.py !linguist-generated\n",
            "sub/c.py": "",
            "sub/no.py": "",
            "sub/open.py": "",
        },
        object_format,
    )
    for tree in (WORKTREE, INDEX, "HEAD"):
        assert generated(root, tree) == {"gen/a.py", "gen/deep/b.py", "x.pb.py", "sub/c.py"}


def test_attributes_come_from_the_tree_that_is_asked_for(small: Path) -> None:
    commit(small, {".gitattributes": "a.py linguist-generated\n"})
    write(small, {".gitattributes": "b.py linguist-generated\n"})
    git(small, "add", ".gitattributes")
    write(small, {".gitattributes": "sub/c.py linguist-generated\n"})
    assert generated(small, "HEAD") == {"a.py"}
    assert generated(small, INDEX) == {"b.py"}
    assert generated(small, WORKTREE) == {"sub/c.py"}


def test_attributes_of_the_user_do_not_reach_a_pack(tmp_path: Path, small: Path) -> None:
    commit(small, {".gitattributes": "a.py linguist-generated\n"})
    mine = tmp_path / "mine"
    mine.write_text("b.py linguist-generated\n")
    git(small, "config", "core.attributesFile", str(mine))
    write(small, {".git/info/attributes": "sub/c.py linguist-generated\na.py -linguist-generated\n"})
    assert git(small, "check-attr", "linguist-generated", "sub/c.py").endswith(": set")
    for tree in (WORKTREE, INDEX, "HEAD"):
        assert generated(small, tree) == {"a.py"}


def test_attributes_of_the_user_do_not_reach_a_pack_through_the_environment(
    tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(small, {".gitattributes": "a.py linguist-generated\n"})
    mine = tmp_path / "gitconfig"
    (tmp_path / "attributes").write_text("* linguist-generated\n")
    mine.write_text(f"[core]\n\tattributesFile = {tmp_path / 'attributes'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(mine))
    write(tmp_path / "xdg", {"git/attributes": "* linguist-generated\n"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert generated(small) == {"a.py"}


@POSIX
def test_attributes_of_odd_names(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {**ODD_NAMES, ".gitattributes": "*.py linguist-generated\n"})
    assert generated(root) == set(ODD_NAMES)


# ---- what cannot be -------------------------------------------------------------------------------------------------


def test_not_a_repository(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"is not inside a git repository .*--repo, or type: git init"):
        Repository(tmp_path)


def test_not_a_folder(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="is not a folder"):
        Repository(tmp_path / "nowhere")


@pytest.mark.parametrize("where", [".git", ".git/refs"])
def test_inside_the_folder_of_git_itself(small: Path, where: str) -> None:
    with pytest.raises(EnvironmentProblem, match="folder of git itself"):
        Repository(small / where)


@POSIX
@pytest.mark.parametrize("name", ["line\nend", "line\u2028end", "über\x85"], ids=["newline", "separator", "C1"])
def test_a_repository_in_a_folder_with_a_line_end_in_its_name(tmp_path: Path, name: str) -> None:
    root = create(tmp_path / name, {"a.py": "a = 1\n"})
    assert Repository(root).root == root.resolve()
    assert contents(root) == {"a.py": b"a = 1\n"}


def test_git_is_not_installed(tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(EnvironmentProblem, match="git is not installed or not on PATH"):
        Repository(small)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_somebody_else(small: Path) -> None:
    for path in (small, small / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(EnvironmentProblem, match=r"type: git config --global --add safe\.directory"):
        Repository(small)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        pytest.param("-x", UsageError, id="an option"),
        pytest.param("--output=/tmp/x", UsageError, id="a long option"),
        pytest.param("", UsageError, id="nothing"),
        pytest.param(" ", UsageError, id="a blank"),
        pytest.param("a\0b", UsageError, id="a NUL byte"),
        pytest.param("no-such-branch", EnvironmentProblem, id="no such branch"),
        pytest.param("0" * 40, EnvironmentProblem, id="no such object"),
        pytest.param("HEAD:a.py", EnvironmentProblem, id="a file"),
        pytest.param("HEAD~5", EnvironmentProblem, id="before the first commit"),
    ],
)
def test_names_that_are_no_commit(small: Path, name: str, problem: type[Exception]) -> None:
    with pytest.raises(problem):
        snapshot(small, name)


def test_a_branch_that_is_called_worktree_can_be_reached(small: Path) -> None:
    commit(small, {"a.py": "second\n"})
    git(small, "branch", "worktree", "HEAD~1")
    assert contents(small, "refs/heads/worktree")["a.py"] == b"a = 1\n"


@pytest.mark.parametrize("size", [0, 1, 2_000_000, 2_000_001, 2_000_002, 3_048_577, 9_000_000])
def test_of_a_huge_blob_no_more_than_its_beginning_is_held(tmp_path: Path, size: int) -> None:
    import tracemalloc

    root = create(tmp_path / "r", {"dump.sql": b"x" * size, "z.py": "z = 1\n"})
    repository = Repository(root)
    snapshot = repository.snapshot("HEAD")
    entries = {entry.path: entry for entry in snapshot.entries}
    repository.read(snapshot, entries["z.py"])
    tracemalloc.start()
    data = repository.read(snapshot, entries["dump.sql"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert data == b"x" * min(size, 2_000_001)
    assert peak < 5_000_000
    assert repository.read(snapshot, entries["z.py"]) == b"z = 1\n"

"""What differs between two trees: every kind of change, whatever git is told and whatever a file is called."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from repositories import commit, create, git, write
from tobler_pack.corpus.changes import FileChange, Hunk, Kind, Status, changes
from tobler_pack.corpus.tree import INDEX, WORKTREE, Repository

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and names that Windows does not have")


def body(word: str, count: int = 12) -> str:
    """A text that is like no other one."""
    return "".join(f"{word}_{at} = '{word * 3} {at}'\n" for at in range(count))


ODD_NAMES = (
    "odd/Aufträge/Größe.py", "odd/日本/日本 a.py", "odd/a\tb.py", "odd/a\nb.py", "-odd leading.py", "--odd/-x.py",
    "odd/ a .py", 'odd/"quoted" \\ name.py', os.fsdecode(b"odd/latin-\xe4.py"), "odd/diff --git a/x b/x",
)  # fmt: skip

BEFORE: dict[str, str | bytes] = {
    "changed.py": body("changed"),
    "removed.py": body("removed"),
    "old_name.py": body("named"),
    "old_line.py": body("lined"),
    "copied_from.py": body("copied"),
    "mode.sh": body("mode"),
    "to_link.py": body("link"),
    "image.bin": b"\0\1\2" * 50,
    "vanishing.bin": b"\0\3\4" * 50,
    "no_end.py": "a = 1\nb = 2",
    "no_end_same.py": "only = 1",
    "end_lost.py": "first = 1\nlast = 2\n",
    "was_empty.py": "",
    "gets_empty.py": "one = 1\ntwo = 2\n",
    "crlf.py": "a = 1\r\nb = 2\r\nc = 3\r\n",
    "to_crlf.py": "a = 4\nb = 5\n",
    "stays.py": body("stays"),
    "tricks.py": "x = 1\n",
    "several.py": body("several", 40),
    **dict.fromkeys(ODD_NAMES, "before = 1\n"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two commits that differ in every way there is."""
    root = create(tmp_path_factory.mktemp("changes") / "r", BEFORE)
    (root / "link").symlink_to("changed.py")
    (root / "from_link").symlink_to("stays.py")
    inner = create(root.parent / "inner", {"i.py": "i = 1\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "vendor/inner")
    commit(root)
    lines = str(BEFORE["changed.py"]).splitlines(keepends=True)
    several = str(BEFORE["several.py"]).splitlines(keepends=True)
    write(
        root,
        {
            "changed.py": "".join([*lines[:3], "new = 1\n", "newer = 2\n", *lines[4:]]),
            "added.py": body("added"),
            "added_empty.py": "",
            "copied_to.py": body("copied"),
            "copied_from.py": body("copied") + "more = 1\n",  # git looks for copies of changed files only
            "image.bin": b"\0\1\2" * 40,
            "new.bin": b"\0\7" * 50,
            "no_end.py": "a = 1\nb = 3",
            "no_end_same.py": "only = 1\n",
            "end_lost.py": "first = 1\nlast = 2",
            "was_empty.py": "one = 1\n",
            "gets_empty.py": "",
            "crlf.py": "a = 1\r\nb = 7\r\nc = 3\r\n",
            "to_crlf.py": "a = 4\r\nb = 5\r\n",
            "tricks.py": "x = 1\ndiff --git a/x b/x\n@@ -1 +1 @@\n-- a\n++ b\nBinary files a and b differ\n",
            "several.py": "".join([*several[1:20], *several[21:30], "put = 1\n", *several[30:]]),
            "new_name.py": body("named"),
            "deep/new_line.py": body("lined") + "plus = 1\n",
            **dict.fromkeys(ODD_NAMES, "before = 1\nafter = 2\n"),
        },
    )
    for name in ("removed.py", "old_name.py", "old_line.py", "to_link.py", "vanishing.bin", "link", "from_link"):
        (root / name).unlink()
    (root / "to_link.py").symlink_to("changed.py")
    (root / "link").symlink_to("added.py")
    write(root, {"from_link": body("solid")})
    (root / "mode.sh").chmod(0o755)
    commit(root / "vendor/inner", {"i.py": "i = 2\n"})
    commit(root)
    return root


def between(root: Path, before: str = "HEAD~1", after: str = "HEAD") -> dict[str, FileChange]:
    """The changes between two trees by path."""
    repository = Repository(root)
    with repository.comparing() as comparer:
        found = changes(comparer, repository.snapshot(before), repository.snapshot(after))
    assert len({one.path for one in found}) == len(found)
    return {one.path: one for one in found}


@pytest.fixture(scope="module")
def found(root: Path) -> dict[str, FileChange]:
    """The changes of the one big commit."""
    return between(root)


def hunks(*pairs: tuple[tuple[int, int], tuple[int, int]]) -> tuple[Hunk, ...]:
    return tuple(Hunk(old, new) for old, new in pairs)


@POSIX
@pytest.mark.parametrize(
    ("path", "status", "kind", "old_path", "expected"),
    [
        ("changed.py", "changed", "text", None, hunks(((4, 1), (4, 2)))),
        ("added.py", "added", "text", None, hunks(((0, 0), (1, 12)))),
        ("removed.py", "removed", "text", None, hunks(((1, 12), (0, 0)))),
        ("new_name.py", "renamed", "name only", "old_name.py", ()),
        ("deep/new_line.py", "renamed", "text", "old_line.py", hunks(((12, 0), (13, 1)))),
        ("copied_to.py", "copied", "name only", "copied_from.py", ()),
        ("mode.sh", "changed", "mode", None, ()),
        ("to_link.py", "changed", "symbolic link", None, hunks(((1, 12), (0, 0)), ((0, 0), (1, 1)))),
        ("from_link", "changed", "symbolic link", None, hunks(((1, 1), (0, 0)), ((0, 0), (1, 12)))),
        ("link", "changed", "symbolic link", None, hunks(((1, 1), (1, 1)))),
        ("image.bin", "changed", "binary", None, ()),
        ("new.bin", "added", "binary", None, ()),
        ("vanishing.bin", "removed", "binary", None, ()),
        ("vendor/inner", "changed", "submodule", None, hunks(((1, 1), (1, 1)))),
        ("no_end.py", "changed", "text", None, hunks(((2, 1), (2, 1)))),
        ("no_end_same.py", "changed", "text", None, hunks(((1, 1), (1, 1)))),
        ("end_lost.py", "changed", "text", None, hunks(((2, 1), (2, 1)))),
        ("added_empty.py", "added", "text", None, ()),
        ("was_empty.py", "changed", "text", None, hunks(((0, 0), (1, 1)))),
        ("gets_empty.py", "changed", "text", None, hunks(((1, 2), (0, 0)))),
        ("crlf.py", "changed", "text", None, hunks(((2, 1), (2, 1)))),
        ("to_crlf.py", "changed", "text", None, hunks(((1, 2), (1, 2)))),
        ("tricks.py", "changed", "text", None, hunks(((1, 0), (2, 5)))),
        ("several.py", "changed", "text", None, hunks(((1, 1), (0, 0)), ((21, 1), (19, 0)), ((30, 0), (29, 1)))),
    ],
)
def test_what_became_of_a_file(
    found: dict[str, FileChange], path: str, status: str, kind: str, old_path: str | None, expected: tuple[Hunk, ...]
) -> None:
    one = found[path]
    assert (one.status, one.kind, one.old_path) == (Status(status), Kind(kind), old_path or path)
    assert one.hunks == expected


@POSIX
@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_keep_their_hunks(found: dict[str, FileChange], name: str) -> None:
    assert found[name].old_path == name
    assert found[name].hunks == hunks(((1, 0), (2, 1)))


def test_files_stand_in_the_order_of_their_names(found: dict[str, FileChange]) -> None:
    names = [os.fsencode(path) for path in found]
    assert names == sorted(names)
    assert "stays.py" not in found


@POSIX
def test_blobs_are_those_of_git(root: Path, found: dict[str, FileChange]) -> None:
    one = found["deep/new_line.py"]
    assert one.old_blob == git(root, "rev-parse", "HEAD~1:old_line.py")
    assert one.new_blob == git(root, "rev-parse", "HEAD:deep/new_line.py")


# ---- no setting of the user reaches it ------------------------------------------------------------------------------

SETTINGS = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.external": "false",
    "diff.orderFile": "order",
    "diff.algorithm": "patience",
    "diff.renames": "false",
    "diff.renameLimit": "1",
    "diff.context": "7",
    "diff.interHunkContext": "50",
    "diff.indentHeuristic": "false",
    "diff.ignoreSubmodules": "all",
    "diff.submodule": "log",
    "diff.suppressBlankEmpty": "true",
    "diff.colorMoved": "zebra",
    "diff.wsErrorHighlight": "all",
    "diff.py.textconv": "tr a-z b",
    "diff.py.binary": "true",
    "color.ui": "always",
    "color.diff": "always",
    "core.quotePath": "true",
    "core.pager": "false",
    "core.autocrlf": "true",
    "core.whitespace": "cr-at-eol",
    "core.attributesFile": "ATTRIBUTES",
    "core.bigFileThreshold": "1",
    "log.showSignature": "true",
    "i18n.logOutputEncoding": "latin1",
}
HOSTILE_ATTRIBUTES = "*.py diff=py\n*.bin diff text\nchanged.py binary\n"


def hostile(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "attributes").write_text(HOSTILE_ATTRIBUTES)
    (tmp_path / "order").write_text("several.py\nchanged.py\n*\n")
    places = {"ATTRIBUTES": str(tmp_path / "attributes"), "order": str(tmp_path / "order")}
    return {name: places.get(value, value) for name, value in SETTINGS.items()}


def in_the_repository(root: Path, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    clone = root.parent / "configured"
    git(root.parent, "clone", "--quiet", "--no-local", str(root), str(clone))
    for name, value in settings.items():
        git(clone, "config", name, value)
    (clone / ".git/info").mkdir(exist_ok=True)
    (clone / ".git/info/attributes").write_text(HOSTILE_ATTRIBUTES)
    return clone


def in_the_home(root: Path, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    home = Path(settings["core.attributesFile"]).parent / "home"
    (home / "git").mkdir(parents=True)
    (home / "git/attributes").write_text(HOSTILE_ATTRIBUTES)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "config"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    for name, value in settings.items():
        if name != "core.attributesFile":  # its default is in the same folder
            git(root, "config", "--global", name, value)
    return root


def in_the_environment(root: Path, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """As `git -c name=value commit` hands it to a hook."""
    for at, (name, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{at}", name)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{at}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    attributes = settings["core.attributesFile"]
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.attributesFile'='{attributes}' 'diff.py.binary'='true'")
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=9")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    return root


@POSIX
@pytest.mark.parametrize("where", [in_the_repository, in_the_home, in_the_environment])
def test_no_setting_reaches_the_changes(
    root: Path, found: dict[str, FileChange], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: object
) -> None:
    assert callable(where)
    assert between(where(root, hostile(tmp_path), monkeypatch)) == found


@POSIX
def test_attributes_of_the_tree_itself_do_not_make_text_binary(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {".gitattributes": "*.py binary\n*.md -diff\n", "a.py": "a = 1\n", "b.md": "b\n"})
    commit(root, {"a.py": "a = 2\n", "b.md": "c\n"})
    assert [one.hunks for one in between(root).values()] == [hunks(((1, 1), (1, 1)))] * 2


# ---- every tree and every kind of clone -----------------------------------------------------------------------------


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("tree", [WORKTREE, INDEX, "commit"])
def test_every_kind_of_head(tmp_path: Path, tree: str, object_format: str) -> None:
    root = create(tmp_path / "r", {"a.py": body("a"), "b.py": body("b"), "c.py": body("c")}, object_format)
    (root / "b.py").unlink()
    (root / "c.py").rename(root / "d.py")
    write(root, {"a.py": body("a") + "z = 1\n"})
    if tree == INDEX:
        git(root, "add", "--all")
        write(root, {"a.py": "not = 'staged'\n"})
    elif tree == WORKTREE:
        git(root, "add", "--intent-to-add", "d.py")
        write(root, {"untracked.py": "u = 1\n"})
    else:
        commit(root)
    found = between(root, "HEAD~1" if tree == "commit" else "HEAD", "HEAD" if tree == "commit" else tree)
    assert {path: (one.status.value, one.hunks) for path, one in found.items()} == {
        "a.py": ("changed", hunks(((12, 0), (13, 1)))),
        "b.py": ("removed", hunks(((1, 12), (0, 0)))),
        "d.py": ("renamed", ()),
    }


def test_the_same_tree_differs_in_nothing(root: Path) -> None:
    assert between(root, "HEAD", "HEAD") == {}
    assert between(root, "HEAD", "HEAD^{tree}") == {}


def test_a_large_file_that_only_got_a_new_time_stamp_is_no_change(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n", "large.bin": b"\0large" * 500_000})
    write(root, {"a.py": "a = 2\n"})
    os.utime(root / "large.bin", (1, 1))
    assert list(between(root, "HEAD", WORKTREE)) == ["a.py"]
    write(root, {"large.bin": b"\0Large" * 500_000})
    assert between(root, "HEAD", WORKTREE)["large.bin"].kind is Kind.BINARY


@POSIX
@pytest.mark.parametrize("name", ["co:lon", 'c:"\\o', 'quo"te', '"', "new\nline", "Größe 日本", "-dash"])
def test_a_repository_may_lie_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    root = create(tmp_path / name / name, {"a.py": "a = 1\n"})
    write(root, {"a.py": "a = 2\n"})
    assert list(between(root, "HEAD", WORKTREE)) == ["a.py"]


def test_objects_that_are_borrowed_are_found(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n"})
    git(tmp_path, "clone", "--quiet", "--shared", str(root), "borrower")
    git(tmp_path, "clone", "--quiet", "--shared", "borrower", "second")
    git(tmp_path / "second", "worktree", "add", "--quiet", "../beside", "-b", "side")
    write(tmp_path / "beside", {"a.py": "a = 2\n"})
    assert list(between(tmp_path / "beside", "HEAD", WORKTREE)) == ["a.py"]


def test_nothing_is_written_to_the_repository(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n"})
    write(root, {"a.py": "a = 2\n"})
    before = sorted((path, path.stat().st_mtime_ns) for path in (root / ".git").rglob("*"))
    assert between(root, "HEAD", WORKTREE)
    assert sorted((path, path.stat().st_mtime_ns) for path in (root / ".git").rglob("*")) == before

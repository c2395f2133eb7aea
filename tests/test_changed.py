"""Which definitions a change touches: on both sides, deleted, renamed, and outside of any."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repositories import commit, create
from tobler_pack.change import Change, hidden_lines, read_change
from tobler_pack.corpus.changes import FileChange, Hunk, Kind, Status
from tobler_pack.corpus.outline import definitions, parse
from tobler_pack.corpus.tree import Repository
from tobler_pack.evidence.changed import ChangedDefinition, Side, changed_definitions
from tobler_pack.sources.config import Config
from tobler_pack.workspace import Workspace

BEFORE = '''"""Tools."""

import os

SIZE = 3


@cached(1)
def load(path):
    """Read it."""
    data = open(path)
    return data.read()


class Store:
    """Keeps things."""

    limit = 5

    def put(self, key, value):
        """Keep one."""
        self.items[key] = value
        self.count += 1

    def get(self, key):
        return self.items[key]


def outer():
    def inner():
        return 1

    return inner


def last(one, two):
    first = one + two
    second = one - two
    return first * second
'''


def side(text: str) -> Side:
    source = text.encode()
    tree = parse(source, "python")
    assert tree is not None
    return Side(text.splitlines(), definitions(tree, source, "python"))


def hunks_between(old: list[str], new: list[str]) -> tuple[Hunk, ...]:
    """The hunks that git would give, by the standard library."""
    from difflib import SequenceMatcher

    found = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(Hunk((a + (b > a), b - a), (c + (d > c), d - c)))
    return tuple(found)


def changed(new: str, old: str = BEFORE, status: Status = Status.CHANGED) -> list[ChangedDefinition]:
    hunks = hunks_between(old.splitlines(), new.splitlines())
    change = FileChange(status, Kind.TEXT, "a.py", "a.py", "1", "2", hunks)
    return changed_definitions(change, side(old), side(new))


def told(new: str, old: str = BEFORE) -> list[tuple[str, str]]:
    return [(one.symbol, one.status.value) for one in changed(new, old)]


def without(text: str, first: str, last: str) -> str:
    """A text without the lines from one to another."""
    lines = text.splitlines(keepends=True)
    start = next(at for at, line in enumerate(lines) if first in line)
    end = next(at for at, line in enumerate(lines) if at >= start and last in line)
    return "".join(lines[:start] + lines[end + 1 :])


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(BEFORE.replace("data.read()", "data.read(1)"), [("load", "changed")], id="a body"),
        pytest.param(BEFORE.replace("cached(1)", "cached(2)"), [("load", "changed")], id="a decorator"),
        pytest.param(BEFORE.replace("Read it", "Read all"), [("load", "changed")], id="a docstring"),
        pytest.param(BEFORE.replace("SIZE = 3", "SIZE = 4"), [("SIZE", "changed")], id="a constant"),
        pytest.param(BEFORE.replace("import os", "import sys"), [("", "changed")], id="outside of any"),
        pytest.param(BEFORE.replace("limit = 5", "limit = 6"), [("Store.limit", "changed")], id="a field"),
        pytest.param(BEFORE.replace("+= 1", "+= 2"), [("Store.put", "changed")], id="a method"),
        pytest.param(BEFORE.replace("return 1", "return 2"), [("outer.inner", "changed")], id="inside another"),
        pytest.param(BEFORE.replace("    return inner\n", "    return inner()\n"), [("outer", "changed")], id="outer"),
        pytest.param(BEFORE.replace("        self.count += 1\n", ""), [("Store.put", "changed")], id="less lines"),
        pytest.param(BEFORE + "\n\ndef new():\n    pass\n", [("", "changed"), ("new", "added")], id="one more"),
        pytest.param(without(BEFORE, "def get", "return self.items"), [("Store.get", "removed")], id="one less"),
        pytest.param(BEFORE.replace("def last", "def final"), [("final", "renamed")], id="another name"),
        pytest.param(
            BEFORE.replace("def last", "def final").replace("one - two", "two - one"), [("final", "renamed")],
            id="another name and a changed line",
        ),
        pytest.param(
            BEFORE.replace("class Store", "class Shelf"),
            [("Shelf", "renamed")], id="a class of another name",
        ),
        pytest.param(
            BEFORE.replace("+= 1", "+= 2").replace("data.read()", "1"), [("load", "changed"), ("Store.put", "changed")],
            id="two, in their order",
        ),
        pytest.param(BEFORE, [], id="nothing"),
    ],
)  # fmt: skip
def test_the_definition_around_each_hunk(new: str, expected: list[tuple[str, str]]) -> None:
    assert [pair for pair in told(new) if pair != ("", "changed") or pair in expected] == expected


def test_a_definition_that_is_gone_has_no_place_but_its_lines() -> None:
    (one,) = [each for each in changed(without(BEFORE, "def get", "return self.items")) if each.symbol]
    assert (one.lines, one.names, one.added, one.is_declared_anew) == (None, ("get",), (), True)
    assert "    def get(self, key):" in one.removed


def test_a_renamed_definition_has_both_names_and_both_texts() -> None:
    (one,) = changed(BEFORE.replace("def last", "def final"))
    assert (one.names, one.added, one.removed) == (
        ("final", "last"), ("def final(one, two):",), ("def last(one, two):",),
    )  # fmt: skip
    assert one.lines == (36, 39)
    assert one.is_declared_anew


def test_another_name_with_another_body_is_another_definition() -> None:
    new = without(BEFORE, "def last", "first * second") + "def final(x):\n    a = 7\n    b = 8\n    return a * b * x\n"
    assert {("last", "removed"), ("final", "added")} <= set(told(new))


@pytest.mark.parametrize(
    ("new", "anew"),
    [
        (BEFORE.replace("def put(self, key, value)", "def put(self, key, value=None)"), True),
        (BEFORE.replace("cached(1)", "cached(2)"), True),
        (BEFORE.replace("+= 1", "+= 2"), False),
    ],
)
def test_whether_those_who_use_it_may_have_to_change(new: str, anew: bool) -> None:
    assert [one.is_declared_anew for one in changed(new)] == [anew]


def test_added_and_removed_files() -> None:
    added = changed(BEFORE, "", Status.ADDED)
    assert {one.status for one in added} == {Status.ADDED}
    assert {one.symbol for one in added} >= {"load", "Store", "Store.put", "Store.get", "outer.inner", "last", ""}
    gone = changed("", BEFORE, Status.REMOVED)
    assert {one.status for one in gone} == {Status.REMOVED}
    assert {one.lines for one in gone} == {None}
    assert sum(one.size for one in gone) == len(BEFORE.splitlines())


def test_a_huge_class_is_told_by_its_method() -> None:
    methods = "".join(f"    def m{at}(self):\n        return {at}\n\n" for at in range(400))
    old = f"class Huge:\n{methods}"
    assert told(old.replace("return 273\n", "return 274\n"), old) == [("Huge.m273", "changed")]


def test_a_definition_that_stands_there_twice() -> None:
    old = "def one():\n    return 1\n\n\ndef one():\n    return 2\n"
    assert told(old.replace("return 2", "return 3"), old) == [("one", "changed")]
    assert told(old.replace("return 1", "return 3"), old) == [("one", "changed")]


LINES = (
    "def a():",
    "    return 1",
    "    x = 2",
    "",
    "class B:",
    "    def c(self):",
    "        pass",
    "y = 3",
    "@d",
    "# e",
)
texts = st.lists(st.sampled_from(LINES), max_size=25).map(lambda lines: "".join(f"{line}\n" for line in lines))


@settings(max_examples=150, deadline=None)
@given(texts, texts)
def test_every_changed_line_belongs_to_one_definition(old: str, new: str) -> None:
    found = changed(new, old)
    hunks = hunks_between(old.splitlines(), new.splitlines())
    assert sum(len(one.added) for one in found) == sum(hunk.new[1] for hunk in hunks)
    assert sum(len(one.removed) for one in found) == sum(hunk.old[1] for hunk in hunks)
    assert len({one.symbol for one in found}) == len(found)
    for one in found:
        if one.lines is not None:
            assert 1 <= one.lines[0] <= one.lines[1] <= len(new.splitlines())


# ---- what a reader of the diff has before them ----------------------------------------------------------------------


def opened(root: Path) -> Workspace:
    return Workspace.open(Repository(root), Config(out=""), "HEAD")


def since(workspace: Workspace, commit_name: str) -> Change:
    with workspace.repository.comparing() as comparer:
        return read_change(workspace, comparer, workspace.repository.snapshot(commit_name))


def test_lines_that_stand_in_the_diff(tmp_path: Path) -> None:
    huge = "class Huge:\n" + "".join(f"    a{at} = {at}\n" for at in range(200))
    small = BEFORE.replace("+= 1", "+= 2").replace("import os", "import sys")
    kind = "class Kind:\n    old = 1\n\n    def stays(self):\n        return 1\n"
    root = create(tmp_path / "r", {"small.py": BEFORE, "huge.py": huge, "gone.py": "a = 1\n", "kind.py": kind})
    (root / "gone.py").unlink()
    commit(
        root,
        {"small.py": small, "huge.py": huge.replace("a90 = 90", "a90 = 91"), "kind.py": kind.replace("old", "new")},
    )
    workspace = opened(root)
    change = since(workspace, "HEAD~1")
    hidden = hidden_lines(change, {"small.py": 0, "huge.py": 1, "gone.py": 2, "kind.py": 3})
    assert {at: sorted(set(ranges)) for at, ranges in hidden.items()} == {
        0: [(3, 3), (20, 23), (23, 23)],  # the method whole, the import alone
        1: [(92, 92)],  # of a large class only what changed
        3: [(2, 2)],  # and of a small one: its methods do not stand in the diff
    }


def test_sides_that_cannot_be_read_ask_nothing(tmp_path: Path) -> None:
    root = create(
        tmp_path / "r", {"latin.py": b"a = '\xe4'\n", "big.py": "a = 1\n", "lfs.py": "a = 1\n", "ok.py": "a = 1\n"}
    )
    commit(
        root,
        {
            "latin.py": b"a = '\xf6'\n", "big.py": "a = 1\n" * 200_000, "ok.py": "a = 2\n",
            "lfs.py": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        },
    )  # fmt: skip
    workspace = opened(root)
    change = since(workspace, "HEAD~1")
    assert {(one.path, why) for one, why in change.quiet} == {
        ("latin.py", "undecodable"), ("big.py", "too large"), ("lfs.py", "LFS pointer"),
    }  # fmt: skip
    assert [one.path for one in change.definitions] == ["ok.py"]


@pytest.mark.parametrize(
    ("path", "is_lock"),
    [
        ("poetry.lock", True), ("Cargo.lock", True), ("web/package-lock.json", True), ("pnpm-lock.yaml", True),
        ("yarn.lock", True), ("go.sum", True), ("go.work.sum", True), ("npm-shrinkwrap.json", True),
        ("bun.lockb", True), ("packages.lock.json", True), ("dist/app.min.js", True), ("dist/app.js.map", True),
        ("gradle.lockfile", True), ("lock.py", False), ("src/lock.rs", False), ("blocklist.json", False),
        ("clock.py", False), ("src/file_lock.py", False), ("admin.js", False), ("map.py", False), ("a.md", False),
    ],
)  # fmt: skip
def test_lock_files(path: str, is_lock: bool) -> None:
    from tobler_pack.change import _LOCK

    assert (_LOCK.search(path) is not None) is is_lock

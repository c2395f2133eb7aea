"""The index: the same arrays however it was reached, and only as much work as there is change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing import assert_same, corpus
from repositories import SHOP, commit, create, git, write
from tobler_pack.corpus.building import build_index
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import Norms, StaticModel, Vectors
from tobler_pack.corpus.selection import SourceFile
from tobler_pack.corpus.text import Cause

POOL = [str(SHOP[name]) for name in ("src/auth.py", "src/storage.py", "tests/test_auth.py")] + [
    "",
    "\n\n",
    "x = 1\n",
    "def f():\n    return 1\n",
    "def broken(:\n    '''never closed\n",
    "# größe 日本語\nwert = 'ü'\n",
    "\0binary\n",
    "class A:\n    def a(self): pass\n\n    def b(self): pass\n" * 30,
]
"""What a file may hold, as positions."""

Tree = dict[str, int]
trees = st.dictionaries(
    st.sampled_from(["a.py", "b.py", "c.py", "d/a.py", "e.py", "z.py"]), st.integers(0, len(POOL) - 1)
)


def source_files(tree: Tree) -> list[SourceFile]:
    return [SourceFile(path, f"blob{tree[path]}", "python") for path in sorted(tree)]


def read(file: SourceFile) -> bytes:
    return POOL[int(file.blob.removeprefix("blob"))].encode()


@settings(max_examples=60, deadline=None)
@given(history=st.lists(trees, min_size=1, max_size=5))
def test_an_index_that_grew_over_changes_equals_one_from_nothing(model: StaticModel, history: list[Tree]) -> None:
    grown: Index | None = None
    for tree in history:
        grown = build_index(source_files(tree), read, model, grown)
    assert grown is not None
    assert_same(grown, build_index(source_files(history[-1]), read, model))


@settings(max_examples=40, deadline=None)
@given(before=trees, after=trees)
def test_only_what_changed_is_read(model: StaticModel, before: Tree, after: Tree) -> None:
    earlier = build_index(source_files(before), read, model)
    asked: list[str] = []

    def noting(file: SourceFile) -> bytes:
        asked.append(file.path)
        return read(file)

    index = build_index(source_files(after), noting, model, earlier)
    assert asked == [path for path in sorted(after) if before.get(path) != after[path]]
    same = [path for path in after if before.get(path) == after[path]]
    chunks = {file.path: int(count) for file, count in zip(index.files, index.tables.file_chunks, strict=True)}
    assert index.reused == sum(chunks[path] for path in same)


@dataclass(frozen=True)
class Noting(StaticModel):
    """The model, with what it was asked to embed."""

    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> tuple[Vectors, Norms]:
        self.asked.extend(texts)
        return super().embed(texts)


def test_chunks_that_a_changed_file_did_not_change_keep_their_vectors(model: StaticModel) -> None:
    functions = [f"def function_{at}():\n" + f"    call_{at}()\n" * 60 for at in range(4)]
    changed = [*functions[:3], functions[3].replace("call_3", "other_3")]
    noting = Noting(**{column.name: getattr(model, column.name) for column in fields(StaticModel)})

    def indexed(parts: list[str], earlier: Index | None) -> Index:
        text = "\n".join(parts)
        return build_index([SourceFile("a.py", text, "python")], lambda file: text.encode(), noting, earlier)

    before = indexed(functions, None)
    assert "call_0" in "".join(noting.asked)
    noting.asked.clear()
    after = indexed(changed, before)
    assert "other_3" in "".join(noting.asked)
    assert "call_0" not in "".join(noting.asked)
    assert_same(after, indexed(changed, None))


def test_progress_adds_up_to_the_number_of_files(model: StaticModel) -> None:
    earlier = build_index(source_files({"a.py": 0, "b.py": 1}), read, model)
    steps: list[int] = []
    build_index(source_files({"a.py": 0, "b.py": 2, "c.py": 3}), read, model, earlier, steps.append)
    assert sum(steps) == 3


def test_many_files_at_once_equal_few_at_a_time(model: StaticModel) -> None:
    files = [SourceFile(f"m{at:03}.py", f"blob{at % len(POOL)}", "python") for at in range(400)]
    few = build_index(files[:10], read, model)
    assert_same(build_index(files, read, model), build_index(files, read, model, few))


def test_an_index_of_nothing(model: StaticModel) -> None:
    index = build_index([], read, model)
    assert (len(index), index.files, index.left_out()) == (0, (), {})


def test_files_that_hold_no_text_are_left_out_by_cause(model: StaticModel) -> None:
    held = {"a.py": b"\0", "b.py": b"\xff", "c.py": b"x = 1\n", "d.py": b"y" * 1_000_001, "e.js": b"var a=1;" * 10_000}
    files = [SourceFile(path, path, "python") for path in sorted(held)]
    index = build_index(files, lambda file: held[file.path], model)
    causes = {Cause.BINARY: 1, Cause.UNDECODABLE: 1, Cause.TOO_LARGE: 1, Cause.MINIFIED: 1}
    assert index.left_out() == causes
    assert set(index.chunk_file.tolist()) == {2}


def test_definitions_come_back_as_they_went_in(model: StaticModel) -> None:
    text = "# ü\n@decorated\ndef größe(a):\n    '''Doc.'''\n    return a\n\n\nclass B:\n    def c(self): pass\n"
    files = [SourceFile("a.py", "1", "python"), SourceFile("b.py", "2", "python")]
    index = build_index(files, lambda file: text.encode() if file.path == "b.py" else b"", model)
    found = {one.name: one for one in index.definitions(1)}
    assert index.definitions(0) == ()
    assert set(found) == {"größe", "B", "c"}
    assert found["größe"].span[1] == 5
    assert found["größe"].documentation == (4, 4)
    assert index.definitions(1)[found["c"].parent or 0].name == "B"


# ---- on real repositories -------------------------------------------------------------------------------------------


def edit(root: Path) -> None:
    write(root, {"src/auth.py": "def authenticate():\n    return 'anew'\n"})


def rename(root: Path) -> None:
    git(root, "mv", "src/auth.py", "src/login.py")


def rename_a_folder(root: Path) -> None:
    git(root, "mv", "src", "lib")


def delete(root: Path) -> None:
    git(root, "rm", "--quiet", "src/storage.py")


def add(root: Path) -> None:
    write(root, {"src/aaa.py": "def first():\n    pass\n", "zzz.go": "package z\n\nfunc Z() {}\n"})
    git(root, "add", "--all")


def swap(root: Path) -> None:
    auth, storage = (root / "src/auth.py").read_bytes(), (root / "src/storage.py").read_bytes()
    write(root, {"src/auth.py": storage, "src/storage.py": auth})


def empty(root: Path) -> None:
    git(root, "rm", "-r", "--quiet", ".")


@pytest.mark.parametrize(
    "change", [edit, rename, rename_a_folder, delete, add, swap, empty], ids=lambda one: one.__name__
)
def test_after_a_change_the_index_equals_one_from_nothing(
    tmp_path: Path, model: StaticModel, change: Callable[[Path], None]
) -> None:
    root = create(tmp_path / "shop", SHOP)
    corpus(root, tmp_path / "cache", model)
    change(root)
    grown = corpus(root, tmp_path / "cache", model).index
    assert_same(grown, corpus(root, tmp_path / "fresh", model).index)


def test_a_fresh_clone_reuses_everything(tmp_path: Path, model: StaticModel) -> None:
    root = create(tmp_path / "shop", SHOP)
    first = corpus(root, tmp_path / "cache", model).index
    clone = tmp_path / "somewhere" / "else"
    git(tmp_path, "clone", "--quiet", str(root), str(clone))
    for path in clone.rglob("*.py"):
        path.touch()
    index = corpus(clone, tmp_path / "cache", model).index
    assert (first.reused, index.reused) == (0, len(index))
    assert len(index) > 5
    assert_same(index, first)


def test_one_changed_file_leaves_the_others_reused(tmp_path: Path, model: StaticModel) -> None:
    root = create(tmp_path / "shop", SHOP)
    before = corpus(root, tmp_path / "cache", model).index
    commit(root, {"src/auth.py": "def authenticate():\n    return 'anew'\n"})
    index = corpus(root, tmp_path / "cache", model).index
    changed = [file.path for file in before.files].index("src/auth.py")
    assert index.reused == len(before) - int(np.count_nonzero(before.chunk_file == changed))


def test_branches_find_their_indexes_again(tmp_path: Path, model: StaticModel) -> None:
    root = create(tmp_path / "shop", SHOP)
    git(root, "checkout", "--quiet", "-b", "side")
    commit(root, {"src/auth.py": "def authenticate():\n    return 'side'\n"})
    for tree in ("main", "side", "main", "side"):
        last = corpus(root, tmp_path / "cache", model, tree=tree).index
    assert last.reused == len(last)


def test_files_stand_in_the_order_of_their_paths(tmp_path: Path, model: StaticModel) -> None:
    root = create(tmp_path / "r", dict.fromkeys(("b.py", "a/z.py", "a.py", "a-b.py", "B.py", "ä.py"), "x = 1\n"))
    index = corpus(root, tmp_path / "cache", model).index
    assert [file.path for file in index.files] == ["B.py", "a-b.py", "a.py", "a/z.py", "b.py", "ä.py"]
    assert index.chunk_file.tolist() == sorted(index.chunk_file.tolist())

"""Which files of a tree are looked at, and what is said of the others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from indexing import CODE, Told, corpus
from repositories import SHOP, commit, create, git, write
from tobler_pack.corpus.chunking import chunking_stamp
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.selection import Scope, SourceFile, known_languages, matching, select
from tobler_pack.corpus.text import Cause
from tobler_pack.corpus.tree import Repository
from tobler_pack.types import Content

EVERYTHING = Scope(tuple(Content))


def selected(root: Path, scope: Scope, cache: Path) -> tuple[list[str], Counter[Cause]]:
    repository = Repository(root)
    cache.mkdir(exist_ok=True)
    files, left_out = select(repository, repository.snapshot("worktree"), scope, known_languages(cache))
    return [file.path for file in files], left_out


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A small repository."""
    return create(tmp_path / "shop", SHOP)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (Content.CODE, ["src/auth.py", "src/session.go", "src/storage.py", "tests/test_auth.py", "web/cart.ts"]),
        (Content.DOCS, ["README.md"]),
        (Content.CONFIG, [".tobler-pack.yaml", "settings.toml"]),
    ],
)
def test_content(shop: Path, tmp_path: Path, content: Content, expected: list[str]) -> None:
    assert selected(shop, Scope((content,)), tmp_path / "c") == (expected, Counter())


@pytest.mark.parametrize(
    ("exclude", "gone"),
    [
        pytest.param(("tests/",), {"tests/test_auth.py"}, id="folder"),
        pytest.param(("*.py",), {"src/auth.py", "src/storage.py", "tests/test_auth.py"}, id="ending"),
        pytest.param(("src/**", "!src/auth.py"), {"src/session.go", "src/storage.py"}, id="all but one"),
        pytest.param(("/auth.py",), set(), id="only at the root"),
        pytest.param(("auth.py",), {"src/auth.py"}, id="anywhere"),
    ],
)
def test_excluded_files_are_counted(shop: Path, tmp_path: Path, exclude: tuple[str, ...], gone: set[str]) -> None:
    everything, _ = selected(shop, CODE, tmp_path / "c")
    paths, left_out = selected(shop, Scope(CODE.content, exclude), tmp_path / "c")
    assert set(everything) - set(paths) == gone
    assert left_out[Cause.EXCLUDED] == len(gone)


def test_the_folder_of_packs_is_never_looked_at(shop: Path, tmp_path: Path) -> None:
    commit(shop, {"packs/a.md": "# a\n", "packs/deep/b.md": "# b\n", "packs2/c.md": "# c\n", "sub/packs/d.md": "# d\n"})
    paths, left_out = selected(shop, Scope((Content.DOCS,), out="packs"), tmp_path / "c")
    assert paths == ["README.md", "packs2/c.md", "sub/packs/d.md"]
    assert left_out == Counter()


@pytest.mark.parametrize(
    ("name", "language"),
    [("a.py", "python"), ("A.PY", "python"), ("x.tar.py", "python"), ("dir.go/b.rs", "rust"), ("ü.TS", "typescript")],
)
def test_a_file_is_known_by_the_ending_of_its_name(tmp_path: Path, name: str, language: str) -> None:
    root = create(tmp_path / "r", {name: "x\n"})
    repository = Repository(root)
    (tmp_path / "c").mkdir()
    files, _ = select(repository, repository.snapshot("HEAD"), CODE, known_languages(tmp_path / "c"))
    assert [(file.path, file.language) for file in files] == [(name, language)]


@pytest.mark.parametrize("name", ["py", ".py", "a.", "a.unknown", "Makefile.", ".gitignore", "a.py/readme", "a.png"])
def test_other_files_are_neither_indexed_nor_counted(tmp_path: Path, name: str) -> None:
    root = create(tmp_path / "r", {name: "x\n"})
    assert selected(root, CODE, tmp_path / "c") == ([], Counter())


def test_what_is_no_readable_source_is_counted_by_cause(tmp_path: Path, model: StaticModel) -> None:
    other = create(tmp_path / "other", {"o.py": "o = 1\n"})
    root = create(
        tmp_path / "r",
        {
            ".gitattributes": "gen/** linguist-generated\ngen/hand.py -linguist-generated\n",
            "gen/a.py": "a = 1\n",
            "gen/hand.py": "def by_hand():\n    pass\n",
            "pointer.py": b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n",
            "utf16.py": "\ufeffdef wide():\n    pass\n".encode("utf-16-le"),
            "sjis.py": "# 日本語\n".encode("shift-jis"),
            "app.min.js": "var hand=1;" * 100_000,
            "huge.sql": b"INSERT INTO t VALUES (1);\n" * 50_000,
            b"latin-\xe4.py".decode("utf-8", "surrogateescape"): "x = 1\n",
        },
    )
    (root / "link.py").symlink_to("gen/hand.py")
    git(root, "submodule", "--quiet", "add", str(other), "lib.py")
    commit(root)
    found = corpus(root, tmp_path / "c", model)
    assert found.left_out == {
        Cause.GENERATED: 1,
        Cause.LFS_POINTER: 1,
        Cause.UNDECODABLE: 2,
        Cause.TOO_LARGE: 2,
        Cause.SYMLINK: 1,
        Cause.SUBMODULE: 1,
    }
    chunks = dict(zip([file.path for file in found.index.files], found.index.tables.file_chunks.tolist(), strict=True))
    assert {path for path, count in chunks.items() if count} == {"gen/hand.py", "utf16.py"}


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ((), ["a.py", "src/a.py", "src/b.go"]),
        (("src/**",), ["src/a.py", "src/b.go"]),
        (("*.py",), ["a.py", "src/a.py"]),
        (("/a.py",), ["a.py"]),
        (("src/", "!src/b.go"), ["src/a.py"]),
        (("nowhere/",), []),
    ],
)
def test_paths_of_a_question(patterns: tuple[str, ...], expected: list[str]) -> None:
    files = [SourceFile(path, "1", "python") for path in ("a.py", "src/a.py", "src/b.go")]
    let_through = matching(files, patterns)
    assert [file.path for file, wanted in zip(files, let_through, strict=True) if wanted] == expected


def test_the_language_table_is_kept_and_equal(tmp_path: Path) -> None:
    first = known_languages(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    assert known_languages(tmp_path) == first == known_languages(tmp_path / "nowhere")


def test_the_stamp_names_what_cuts_and_counts() -> None:
    assert [part.partition("-")[0] for part in chunking_stamp().split()] == ["semble", "grammars", "analysis"]


def test_progress_is_told_of_every_file_once(shop: Path, tmp_path: Path, model: StaticModel) -> None:
    from tobler_pack.corpus.library import open_corpus

    repository = Repository(shop)
    (tmp_path / "c").mkdir()
    for change in ({}, {"src/auth.py": "x = 1\n"}):
        write(shop, change)
        expected: list[int] = []
        steps: list[int] = []

        def watch(files: int, expected: list[int] = expected, steps: list[int] = steps) -> object:
            expected.append(files)
            return steps.append

        open_corpus(repository, repository.snapshot("worktree"), CODE, model, tmp_path / "c", Told(), watch)  # type: ignore[arg-type]
        assert expected == [sum(steps)] == [5]

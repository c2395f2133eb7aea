"""The cache: whole or not there, and never more than a short cut."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from console import Console
from indexing import CODE, Told, assert_same, corpus
from repositories import SHOP, create, write
from tobler_pack.corpus import cache as module
from tobler_pack.corpus.cache import IndexCache
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.place import cache_folder
from tobler_pack.corpus.selection import Scope, SourceFile
from tobler_pack.errors import EnvironmentProblem


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A small repository."""
    return create(tmp_path / "shop", SHOP)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cold cache."""
    return tmp_path / "cache"


def place_of_index(cache: Path) -> Path:
    """The one index in a cache."""
    (meta,) = cache.glob("index-*/*/*/meta")
    return meta.parent


# ---- damage ---------------------------------------------------------------------------------------------------------


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x01
    path.write_bytes(data)


def truncate(place: Path) -> None:
    path = place / "chunk_vector.npy"
    path.write_bytes(path.read_bytes()[:-1])


def cut_to_nothing(place: Path) -> None:
    (place / "posting_term.npy").write_bytes(b"")


def flip_a_byte(place: Path) -> None:
    flip(place / "chunk_lines.npy", -1)


def flip_a_byte_of_the_shape(place: Path) -> None:
    path = place / "chunk_vector.npy"
    flip(path, path.read_bytes().index(b"'shape': (") + 10)


def delete_meta(place: Path) -> None:
    (place / "meta").unlink()


def delete_an_array(place: Path) -> None:
    (place / "block_lines.npy").unlink()


def garbage_meta(place: Path) -> None:
    (place / "meta").write_bytes(b"\xff\x00garbage")


def other_meta(place: Path) -> None:
    (place / "meta").write_text('{"files": [["a.py"]], "sums": {}}')


def list_meta(place: Path) -> None:
    (place / "meta").write_text("[]")


def flip_a_path(place: Path) -> None:
    path = place / "meta"
    flip(path, path.read_bytes().index(b"auth.py"))


def garbage_array(place: Path) -> None:
    (place / "chunk_norm.npy").write_bytes(os.urandom(500))


def pickled_array(place: Path) -> None:
    import pickle

    (place / "chunk_norm.npy").write_bytes(pickle.dumps([1, 2, 3]))


def a_file_in_its_place(place: Path) -> None:
    shutil.rmtree(place)
    place.write_text("no folder")


DAMAGES = [
    truncate, cut_to_nothing, flip_a_byte, flip_a_byte_of_the_shape, delete_meta, delete_an_array, garbage_meta,
    other_meta, list_meta, flip_a_path, garbage_array, pickled_array, a_file_in_its_place,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
def test_a_damaged_index_is_built_again_with_one_line_that_says_so(
    shop: Path, cache: Path, model: StaticModel, damage: Callable[[Path], None]
) -> None:
    whole = corpus(shop, cache, model).index
    place = place_of_index(cache)
    damage(place)
    told = Told()
    again = corpus(shop, cache, model, told=told).index
    assert told == [f"the cached index {place} is damaged; building it again"]
    assert again.reused == 0
    assert_same(again, whole)
    quiet = Told()
    assert corpus(shop, cache, model, told=quiet).index.reused == len(whole)
    assert quiet == []


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
def test_a_damaged_index_of_another_tree_is_no_start(
    shop: Path, cache: Path, model: StaticModel, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    corpus(shop, cache, model)
    damage(place_of_index(cache))
    write(shop, {"src/storage.py": "def save():\n    pass\n"})
    told = Told()
    index = corpus(shop, cache, model, told=told).index
    assert len(told) <= 1
    assert_same(index, corpus(shop, tmp_path / "fresh", model).index)


@pytest.mark.parametrize("data", [b"", b"garbage", b"\x93NUMPY"], ids=["empty", "garbage", "head"])
def test_damaged_fingerprints_do_no_harm(shop: Path, cache: Path, model: StaticModel, data: bytes) -> None:
    corpus(shop, cache, model)
    (place_of_index(cache) / "fingerprints.npy").write_bytes(data)
    write(shop, {"src/storage.py": "def save():\n    pass\n"})
    assert corpus(shop, cache, model).index.reused >= 0


def test_every_byte_of_the_meta_file_counts(shop: Path, cache: Path, model: StaticModel) -> None:
    whole = corpus(shop, cache, model).index
    original = (place_of_index(cache) / "meta").read_bytes()
    for at in range(0, len(original), 97):
        place = place_of_index(cache)
        flip(place / "meta", at)
        told = Told()
        assert_same(corpus(shop, cache, model, told=told).index, whole)
        assert len(told) == 1, original[at - 10 : at + 10]


@pytest.mark.parametrize("name", ["languages", "stamps/*", "configurations/*", "tokens-*", "packs-*/*"])
@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'[["", 1, 2]]', b"\xff\x00", b'{"entry": {}}', b"[{}]"])
def test_damage_beside_the_indexes_does_no_harm(
    shop: Path, cold_cache: Path, tobler: Console, name: str, data: bytes
) -> None:
    assert tobler("build", cwd=shop).code == 0
    before = {path.name: path.read_bytes() for path in (shop / "context").iterdir()}
    damaged = list(cold_cache.glob(name))
    assert damaged
    for path in damaged:
        path.write_bytes(data)
    assert tobler("build", cwd=shop).code == 0
    assert {path.name: path.read_bytes() for path in (shop / "context").iterdir()} == before


def test_every_number_in_a_kept_pack_is_true_or_made_again(shop: Path, cold_cache: Path, tobler: Console) -> None:
    tobler("build", "--manifest", "../before.json", cwd=shop)
    for path in cold_cache.glob("packs-*/*"):
        path.write_text(re.sub('"k": ([0-9]+)', r'"k": 1\1', path.read_text(encoding="utf-8")), encoding="utf-8")
    tobler("build", "--manifest", "../after.json", cwd=shop)
    assert (shop / "../after.json").read_bytes() == (shop / "../before.json").read_bytes()


def test_a_damaged_language_table_is_made_again(shop: Path, cold_cache: Path, model: StaticModel) -> None:
    whole = corpus(shop, cold_cache, model)
    (table,) = cold_cache.glob("languages")
    table.write_bytes(table.read_bytes().replace(b'".py", "python", "code"', b'".pz", "python", "code"'))
    assert_same(corpus(shop, cold_cache, model).index, whole.index)


def test_a_leftover_half_written_index_is_ignored(shop: Path, cache: Path, model: StaticModel) -> None:
    whole = corpus(shop, cache, model).index
    place = place_of_index(cache)
    shutil.copytree(place, place.parent / ".part-abc")
    (place.parent / ".part-abc/meta").unlink()
    shutil.rmtree(place)
    told = Told()
    index = corpus(shop, cache, model, told=told).index
    assert (told, index.reused) == ([], 0)
    assert_same(index, whole)


def test_a_damaged_index_on_the_command_line(shop: Path, cold_cache: Path, tobler: Console) -> None:
    tobler("index", cwd=shop)
    truncate(place_of_index(cold_cache))
    told = tobler("build", cwd=shop)
    assert told.code == 0
    assert told.err.startswith("tobler-pack: the cached index ")
    assert told.err.endswith(" is damaged; building it again\n")
    assert told.err.count("\n") == 1


# ---- where it lies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cache", ".git/cache", "deep/er/cache", ".", "src/../cache"])
def test_a_cache_folder_in_the_work_tree_is_refused(
    shop: Path, tobler: Console, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("TOBLER_PACK_CACHE", str(shop / name))
    told = tobler("build", cwd=shop)
    assert told.code == 3
    assert "lies inside the work tree; set TOBLER_PACK_CACHE to one outside" in told.err
    assert not (shop / "cache").exists()
    assert not (shop / "context").exists()


def test_a_link_into_the_work_tree_is_refused(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(shop)
    monkeypatch.setenv("TOBLER_PACK_CACHE", str(tmp_path / "link/cache"))
    with pytest.raises(EnvironmentProblem, match="inside the work tree"):
        cache_folder(shop)


def test_a_relative_cache_folder_means_the_folder_of_the_call(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOBLER_PACK_CACHE", "mine")
    assert cache_folder(shop) == tmp_path / "mine"


def test_without_a_variable_the_cache_lies_with_those_of_the_user(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOBLER_PACK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder(shop).name == "tobler-pack"


def test_a_cache_folder_that_cannot_be_made(shop: Path, tobler: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = shop.parent / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("TOBLER_PACK_CACHE", str(blocked / "cache"))
    told = tobler("build", cwd=shop)
    assert told.code == 3
    assert told.err.startswith(f"tobler-pack: cannot make the cache folder {blocked}/cache: ")
    assert told.err.endswith("; set TOBLER_PACK_CACHE\n")


def test_a_cache_that_is_a_file(shop: Path, tobler: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = shop.parent / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("TOBLER_PACK_CACHE", str(blocked))
    assert tobler("build", cwd=shop).code == 3


def test_an_index_that_cannot_be_kept_is_used_all_the_same(shop: Path, cache: Path, model: StaticModel) -> None:
    cache.mkdir()
    (cache / f"index-{module.FORMAT}").write_text("a file where the folder should be")
    told = Told()
    index = corpus(shop, cache, model, told=told).index
    assert len(index) > 0
    assert len(told) == 1
    assert told[0].startswith(f"the index was not kept in {cache}")


# ---- what shares an index, and what goes ----------------------------------------------------------------------------


def test_another_stamp_shares_nothing(shop: Path, cache: Path, model: StaticModel) -> None:
    index = corpus(shop, cache, model).index
    for stamp in ("one", "two"):
        shelf = IndexCache(cache, stamp, Told())
        assert shelf.load(index.files) is None
        assert shelf.nearest(index.files) is None
        shelf.save(index)
        assert shelf.load(index.files) is not None


def test_another_scope_is_another_index(shop: Path, cache: Path, model: StaticModel) -> None:
    everything = corpus(shop, cache, model).index
    less = corpus(shop, cache, model, scope=Scope(CODE.content, exclude=("tests/",))).index
    assert less.reused == len(less) < len(everything)


def small(index: Index, name: str) -> Index:
    """An index under another name."""
    return Index((SourceFile(name, "0", "python"),), index.tables, index.postings, 0)


def test_the_indexes_that_were_not_used_for_the_longest_time_go_first(
    shop: Path, cache: Path, model: StaticModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_INDEXES", 3)
    index = corpus(shop, tmp := cache / "own", model).index
    shelf = IndexCache(tmp, "stamp", Told())
    shutil.rmtree(tmp / f"index-{module.FORMAT}")
    kept = [small(index, name) for name in ("a.py", "b.py", "c.py")]
    for age, one in enumerate(kept):
        shelf.save(one)
        os.utime(shelf._place(one.files), (1000 + age, 1000 + age))
    assert shelf.load(kept[0].files) is not None  # used again just now
    shelf.save(small(index, "d.py"))
    there = [name for name in ("a.py", "b.py", "c.py", "d.py") if shelf.load((SourceFile(name, "0", "python"),))]
    assert there == ["a.py", "c.py", "d.py"]


def test_a_cache_that_grew_too_large_is_cut_back(
    shop: Path, cache: Path, model: StaticModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_BYTES", 1)
    index = corpus(shop, cache, model).index
    shelf = IndexCache(cache, "stamp", Told())
    for name in ("a.py", "b.py"):
        shelf.save(small(index, name))
    assert [place.parent.name for place in cache.glob("index-*/*/*/meta")] == [
        shelf._place((SourceFile("b.py", "0", "python"),)).name
    ]

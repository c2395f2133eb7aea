"""The batch job over several machines: what the shares make together is what one run makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from console import Console
from repositories import SHOP, commit, create, write

CONFIG = ".tobler-pack.yaml"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return create(tmp_path / "shop", SHOP)


def shares(shop: Path, tobler: Console, folder: Path, shards: int) -> list[Path]:
    """Do what the matrix job does; the manifests that it leaves."""
    told = tobler("plan", "--shards", str(shards), cwd=shop)
    assert (told.code, told.err) == (0, "")
    rows = json.loads(told.out)["include"]
    made = [folder / f"manifest-{row['number']}.json" for row in rows]
    for row, place in zip(rows, made, strict=True):
        out = ("--out", folder, "--manifest", place)
        assert tobler("build", "--shard", row["shard"], *out, cwd=shop).code == 0
    return made


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))


@pytest.mark.parametrize(("shards", "used"), [(1, 1), (2, 2), (3, 3), (9, 3)])
def test_the_matrix_never_has_an_empty_share(shop: Path, tobler: Console, shards: int, used: int) -> None:
    told = tobler("plan", "--shards", str(shards), cwd=shop)
    rows = [{"shard": f"{number}/{used}", "number": number} for number in range(1, used + 1)]
    assert told.out.count("\n") == 1  # it becomes a step's output, name=value on one line
    assert json.loads(told.out) == {"include": rows}


@pytest.mark.parametrize("shards", [1, 2, 9])
def test_shares_joined_are_what_one_run_makes(shop: Path, tobler: Console, tmp_path: Path, shards: int) -> None:
    tobler("build", "--out", tmp_path / "whole", "--manifest", tmp_path / "whole.json", cwd=shop)
    made = shares(shop, tobler, tmp_path / "parts", shards)
    told = tobler("merge", *reversed(made), "--manifest", tmp_path / "merged.json", cwd=shop)
    assert (told.code, told.err) == (0, "")
    assert (tmp_path / "merged.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    packs = {path.name: path.read_bytes() for path in (tmp_path / "parts").glob("*.md")}
    assert packs == {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}


def test_a_missing_share_is_named(shop: Path, tobler: Console, tmp_path: Path) -> None:
    made = shares(shop, tobler, tmp_path, 3)
    told = tobler("merge", made[0], made[2], "--manifest", tmp_path / "merged.json", cwd=shop)
    assert told.code == 1
    assert told.out.endswith("no pack of: roles, roles-check; name the manifest of every share\n")


@pytest.mark.parametrize(
    ("changes", "phrase"),
    [
        pytest.param({"tree": "0" * 40}, "another tree", id="tree"),
        pytest.param({"stamp": {"model": "x"}}, "another model, tokenizer or version", id="stamp"),
        pytest.param({"version": 2}, "is no manifest of this version", id="version"),
        pytest.param({"packs": {}}, "is no manifest of this version", id="packs"),
        pytest.param({"packs": [{"id": "auth-flow"}]}, "stands in another manifest too, and differs", id="twice"),
    ],
)
def test_parts_that_do_not_belong_together(
    shop: Path, tobler: Console, tmp_path: Path, changes: dict[str, Any], phrase: str
) -> None:
    made = shares(shop, tobler, tmp_path, 2)
    edit(made[1], **changes)
    told = tobler("merge", *made, "--manifest", tmp_path / "merged.json", cwd=shop)
    assert told.code == 2
    assert phrase in told.err
    assert not (tmp_path / "merged.json").exists()


@pytest.mark.parametrize("text", [None, "", "[]", "nonsense", "\x00"])
def test_files_that_are_no_manifests(shop: Path, tobler: Console, tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "m.json").write_text(text)
    told = tobler("merge", tmp_path / "m.json", "--manifest", tmp_path / "merged.json", cwd=shop)
    assert told.code == 2
    assert "Traceback" not in told.err


@pytest.mark.parametrize("shards", ["0", "-1", "257", "x", ""])
def test_shards_that_cannot_be(shop: Path, tobler: Console, shards: str) -> None:
    told = tobler("plan", "--shards", shards, cwd=shop)
    assert (told.code, told.out) == (2, "")


def test_nothing_to_plan(shop: Path, tobler: Console) -> None:
    write(shop, {CONFIG: "version: 1\n"})
    commit(shop)
    assert "has no `queries`" in tobler("plan", "--shards", "2", cwd=shop).err

"""The command line: what each command does, says, and exits with."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from console import Console, loaded, run
from repositories import SHOP, Content, commit, create, git, tree_of, write
from samples import independent_count

ALL = ["auth-flow", "roles", "roles-check", "storage"]
CONFIG = ".tobler-pack.yaml"
HEAVY = ("numpy", "semble", "pydantic_core", "yaml", "pathspec", "tokenizers", "toktok", "tree_sitter")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a configuration of four questions, two of them in one session."""
    return create(tmp_path / "shop", SHOP)


def packs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.md"))


def manifest(path: Path) -> Any:
    return json.loads(path.read_bytes())


# ---- build ----------------------------------------------------------------------------------------------------------


def test_a_build_whose_packs_are_all_as_they_were_loads_nothing_heavy(shop: Path, tobler: Console) -> None:
    assert tobler("build", cwd=shop).code == 0
    assert loaded("build", "--manifest", "../manifest.json", cwd=shop, among=HEAVY) == []
    assert loaded("build", "--check", "--strict", "--only", "roles-check", cwd=shop, among=HEAVY) == []


def test_a_configuration_that_has_changed_is_read_again(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    write(shop, {CONFIG: str(SHOP[CONFIG]).replace("version: 1", "version: 1\nbudget: none")})
    told = tobler("build", cwd=shop)
    assert (told.code, told.err.splitlines()[0][:40]) == (2, "tobler-pack: .tobler-pack.yaml:2: budget")


def test_build_writes_a_pack_for_each_question(shop: Path, tobler: Console) -> None:
    told = tobler("build", cwd=shop)
    assert (told.code, told.err) == (0, "")
    assert names(shop / "context") == ALL
    rows = told.out.splitlines()
    assert [row.split(": ")[0] for row in rows] == [f"context/{name}.md" for name in ALL]
    assert all(row.endswith(" written") and "N_eff=" in row and "tokens=" in row for row in rows)


def test_build_from_a_sub_folder_writes_to_the_same_place(shop: Path, tobler: Console) -> None:
    assert tobler("build", cwd=shop / "src").code == 0
    assert names(shop / "context") == ALL
    assert not (shop / "src/context").exists()


def test_packs_that_stay_the_same_are_not_touched(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    for path in (shop / "context").iterdir():
        os.utime(path, (1, 1))
    told = tobler("build", cwd=shop)
    assert all(row.endswith(" unchanged") for row in told.out.splitlines())
    assert {path.stat().st_mtime for path in (shop / "context").iterdir()} == {1}


def test_nothing_but_packs_lies_in_the_folder(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    assert set(packs(shop / "context")) == {f"{name}.md" for name in ALL}
    assert git(shop, "status", "--porcelain") == "?? context/"


def test_committed_packs_do_not_change_the_packs(shop: Path, tobler: Console) -> None:
    write(shop, {CONFIG: str(SHOP[CONFIG]).replace("version: 1", "version: 1\ncontent: [code, docs]")})
    commit(shop)
    tobler("build", cwd=shop)
    before = packs(shop / "context")
    commit(shop)
    told = tobler("build", cwd=shop)
    assert packs(shop / "context") == before
    assert "written" not in told.out


def test_check_of_fresh_packs(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    told = tobler("build", "--check", cwd=shop)
    assert (told.code, told.err) == (0, "")
    assert told.out.count(" unchanged\n") == 4


@pytest.mark.parametrize("text", [None, "", "other\n", b"\xff\xfe"], ids=["missing", "empty", "other", "no text"])
def test_check_finds_a_stale_pack_and_writes_nothing(shop: Path, tobler: Console, text: str | bytes | None) -> None:
    tobler("build", cwd=shop)
    (shop / "context/roles.md").unlink()
    if text is not None:
        write(shop, {"context/roles.md": text})
    before = packs(shop / "context")
    told = tobler("build", "--check", cwd=shop)
    assert told.code == 1
    assert [row.split()[-1] for row in told.out.splitlines()] == ["unchanged", "stale", "unchanged", "unchanged"]
    assert packs(shop / "context") == before


def test_check_before_the_first_build_makes_no_folder(shop: Path, tobler: Console) -> None:
    assert tobler("build", "--check", cwd=shop).code == 1
    assert not (shop / "context").exists()


def test_check_finds_what_a_change_of_the_code_made_stale(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    write(shop, {"src/auth.py": str(SHOP["src/auth.py"]).replace("authenticate", "identify")})
    assert tobler("build", "--check", cwd=shop).code == 1
    assert tobler("build", "--check", "--tree", "HEAD", cwd=shop).code == 0


def test_line_ends_of_another_system_make_a_pack_stale(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    place = shop / "context/roles.md"
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    assert tobler("build", "--check", cwd=shop).code == 1


def test_only_named_questions(shop: Path, tobler: Console) -> None:
    assert tobler("build", "--only", "storage", "--only", "auth-flow", cwd=shop).code == 0
    assert names(shop / "context") == ["auth-flow", "storage"]


def test_only_the_second_question_of_a_session_is_the_same_pack(shop: Path, tobler: Console, tmp_path: Path) -> None:
    tobler("build", cwd=shop)
    tobler("build", "--only", "roles-check", "--out", tmp_path / "alone", cwd=shop)
    assert packs(tmp_path / "alone") == {"roles-check.md": (shop / "context/roles-check.md").read_bytes()}


def test_only_an_unknown_question(shop: Path, tobler: Console) -> None:
    told = tobler("build", "--only", "rolls", cwd=shop)
    assert told.code == 2
    assert told.err == f"tobler-pack: --only rolls: there is no such question; known: {', '.join(ALL)}\n"


@pytest.mark.parametrize("shards", [1, 2, 3, 5])
def test_shards_together_are_everything_once(shop: Path, tobler: Console, tmp_path: Path, shards: int) -> None:
    tobler("build", cwd=shop)
    found: list[str] = []
    for number in range(1, shards + 1):
        out = tmp_path / f"shard{number}"
        assert tobler("build", "--shard", f"{number}/{shards}", "--out", out, cwd=shop).code == 0
        part = names(out) if out.exists() else []
        assert ("roles" in part) == ("roles-check" in part)
        assert all((out / f"{name}.md").read_bytes() == (shop / f"context/{name}.md").read_bytes() for name in part)
        found += part
    assert sorted(found) == ALL


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/", "/2", "a/b", "1/0", "-1/2", "1.0/2", ""])
def test_shards_that_cannot_be(shop: Path, tobler: Console, shard: str) -> None:
    told = tobler("build", "--shard", shard, cwd=shop)
    assert (told.code, told.out) == (2, "")
    assert told.err == f"tobler-pack: --shard {shard}: write I/N with I from 1 to N, for example 1/4\n"


def test_leftover_packs_are_named_and_pruned_only_on_demand(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    write(shop, {CONFIG: str(SHOP[CONFIG]).replace("id: storage", "id: orders")})
    gone = shop / "context/storage.md"
    told = tobler("build", cwd=shop)
    assert "context/storage.md: its question is gone; remove it with --prune\n" in told.out
    assert gone.exists()
    told = tobler("build", "--prune", cwd=shop)
    assert "context/storage.md: removed, its question is gone\n" in told.out
    assert names(shop / "context") == ["auth-flow", "orders", "roles", "roles-check"]


FOREIGN: dict[str, Content] = {
    "context/README.md": "# Packs\n\nMade by tobler-pack.\n",
    "context/notes.md": "# Notes\nRegenerate with care\n",
    "context/empty.md": "",
    "context/one-line.md": "Regenerate with `tobler-pack build --only x`",
    "context/binary.md": b"\xff\x00\n",
    "context/image.png": b"\x89PNG",
    "context/deeper/storage.md": "# x\nRegenerate with `tobler-pack build --only storage`\n",
}


@pytest.mark.parametrize("extra", [[], ["--only", "roles"], ["--shard", "1/4"]], ids=["all", "only", "shard"])
def test_prune_leaves_the_files_of_others_alone(shop: Path, tobler: Console, extra: list[str]) -> None:
    tobler("build", cwd=shop)
    write(shop, FOREIGN)
    (shop / "context/link.md").symlink_to("README.md")
    (shop / "context/folder.md").mkdir()
    before = set((shop / "context").rglob("*"))
    assert tobler("build", "--prune", *extra, cwd=shop).code == 0
    assert set((shop / "context").rglob("*")) == before


def test_prune_and_check_together_write_nothing(shop: Path, tobler: Console) -> None:
    tobler("build", cwd=shop)
    write(shop, {CONFIG: str(SHOP[CONFIG]).replace("id: storage", "id: orders")})
    before = packs(shop / "context")
    assert tobler("build", "--check", "--prune", cwd=shop).code == 1
    assert packs(shop / "context") == before


def test_out_elsewhere(shop: Path, tobler: Console, tmp_path: Path) -> None:
    told = tobler("build", "--out", "../elsewhere/deep", cwd=shop)
    assert told.code == 0
    assert names(tmp_path / "elsewhere/deep") == ALL
    assert not (shop / "context").exists()


def test_out_is_a_file(shop: Path, tobler: Console) -> None:
    told = tobler("build", "--out", "README.md", cwd=shop)
    assert (told.code, told.err) == (2, "tobler-pack: --out README.md is a file; name a folder\n")


def test_out_below_a_file(shop: Path, tobler: Console) -> None:
    told = tobler("build", "--out", "README.md/packs", cwd=shop)
    assert told.code == 3
    assert "cannot write README.md/packs/auth-flow.md" in told.err


def test_a_folder_in_the_place_of_a_pack(shop: Path, tobler: Console) -> None:
    (shop / "context/roles.md").mkdir(parents=True)
    told = tobler("build", cwd=shop)
    assert told.code == 3
    assert "cannot write" in told.err
    assert "roles.md" in told.err


def test_a_configuration_outside_the_repository(shop: Path, tobler: Console, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("version: 1\nout: packs\nqueries:\n  - {id: cart, ask: how is an item added to the cart}\n")
    assert tobler("build", "--config", mine, cwd=shop).code == 0
    assert names(shop / "packs") == ["cart"]


def test_a_bare_repository_needs_a_configuration_a_tree_and_a_folder(
    shop: Path, tobler: Console, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(shop), str(bare))
    assert tobler("build", cwd=bare).code == 3
    assert tobler("build", "--config", shop / CONFIG, cwd=bare).code == 3
    assert tobler("build", "--config", shop / CONFIG, "--out", tmp_path / "out", cwd=bare).code == 3
    told = tobler("build", "--config", shop / CONFIG, "--out", tmp_path / "out", "--tree", "HEAD", cwd=bare)
    assert told.code == 0
    tobler("build", cwd=shop)
    assert packs(tmp_path / "out") == packs(shop / "context")


def test_the_staged_tree(shop: Path, tobler: Console, tmp_path: Path) -> None:
    write(shop, {"src/auth.py": str(SHOP["src/auth.py"]).replace("Tell which user", "STAGED")})
    git(shop, "add", "src/auth.py")
    write(shop, {"src/auth.py": str(SHOP["src/auth.py"]).replace("Tell which user", "ON DISK")})
    found = {}
    for tree in ("worktree", "index", "HEAD"):
        out = tmp_path / tree
        assert tobler("build", "--tree", tree, "--only", "auth-flow", "--out", out, cwd=shop).code == 0
        text = (out / "auth-flow.md").read_text()
        found[tree] = [words for words in ("STAGED", "ON DISK", "Tell which user") if words in text]
    assert found == {"worktree": ["ON DISK"], "index": ["STAGED"], "HEAD": ["Tell which user"]}


def test_a_build_leaves_index_and_work_tree_as_they_were(shop: Path, tobler: Console) -> None:
    write(shop, {"src/auth.py": "changed = 1\n"})
    before = (shop / ".git/index").read_bytes()
    assert tobler("build", "--tree", "index", cwd=shop).code == 0
    assert (shop / ".git/index").read_bytes() == before
    assert (shop / "src/auth.py").read_bytes() == b"changed = 1\n"


def test_a_budget_that_does_not_hold_the_heading(shop: Path, tobler: Console) -> None:
    long = "why " * 200 + "is a request authenticated"
    write(shop, {CONFIG: f"version: 1\nbudget: 200\nqueries:\n  - {{id: long, ask: {long}}}\n"})
    told = tobler("build", cwd=shop)
    assert told.code == 2
    assert "a budget of 200 tokens does not hold the heading of this pack" in told.err
    assert not (shop / "context").exists()


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        pytest.param("version: 1\n", "has no `queries`; add one", id="no questions"),
        pytest.param("version: 2\n", ".tobler-pack.yaml:1: version", id="unknown version"),
        pytest.param("version: 1\nqueris: []\n", "queries", id="nearest key"),
        pytest.param("version: [\n", ".tobler-pack.yaml:", id="no YAML"),
        pytest.param(b"version: 1\n# \xe4\n", "not UTF-8", id="no UTF-8"),
    ],
)
def test_a_wrong_configuration(shop: Path, tobler: Console, text: str | bytes, phrase: str) -> None:
    write(shop, {CONFIG: text})
    told = tobler("build", cwd=shop)
    assert (told.code, told.out) == (2, "")
    assert phrase in told.err


def test_no_configuration(tmp_path: Path, tobler: Console) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n"})
    told = tobler("build", cwd=root)
    assert told.code == 2
    assert told.err == (
        "tobler-pack: .tobler-pack.yaml: there is no such file; type `tobler-pack init` to write a first one\n"
    )


def test_a_question_whose_paths_match_nothing(shop: Path, tobler: Console) -> None:
    write(shop, {CONFIG: 'version: 1\nqueries:\n  - {id: none, ask: how, paths: ["nowhere/**"]}\n'})
    assert tobler("build", cwd=shop).code == 0
    assert "src/" not in (shop / "context/none.md").read_text()


def test_left_out_files_are_counted_by_cause(shop: Path, tobler: Console) -> None:
    write(
        shop,
        {
            ".gitattributes": "gen.py linguist-generated\n",
            "gen.py": "x = 1\n",
            "big.py": "x = 1\n" * 200_000,
            "min.js": "var a=1;" * 2_000,
            "binary.py": b"\0\1\2",
            "shift-jis.py": "# 日本語\n".encode("shift-jis"),
            "vendor/v.py": "v = 1\n",
            CONFIG: str(SHOP[CONFIG]).replace("version: 1", 'version: 1\nexclude: ["vendor/**"]'),
        },
    )
    commit(shop)
    tobler("build", cwd=shop)
    told = tobler("index", cwd=shop)
    causes = {"generated", "excluded", "too large", "minified", "binary", "undecodable"}
    assert {part.split(" ", 1)[1] for part in told.out.split("left out: ")[1].strip().split(", ")} == causes
    text = (shop / "context/auth-flow.md").read_text()
    assert all(f"1 {cause}" in text for cause in causes)


# ---- manifest -------------------------------------------------------------------------------------------------------

ENTRY_KEYS = {
    "id": str, "query": str, "surface": str, "file": str, "sha256": str, "n_eff": float, "k": int, "epsilon": float,
    "tau": float, "mem": float, "tokens": int, "budget": int, "blocks": list, "omitted": list,
}  # fmt: skip
BLOCK_KEYS = {
    "path": str, "start_line": int, "end_line": int, "symbol": str, "tier": str, "lines": list, "weight": float,
    "tokens": int,
}  # fmt: skip
OMITTED_KEYS = {"path": str, "start_line": int, "end_line": int, "symbol": str, "weight": float}


def assert_shape(record: dict[str, Any], keys: dict[str, type]) -> None:
    assert set(keys) <= set(record)
    assert {name: type(record[name]) for name in keys} == keys


@pytest.fixture
def told_manifest(shop: Path, tobler: Console, tmp_path: Path) -> Any:
    """The manifest of a build of the shop."""
    assert tobler("build", "--manifest", tmp_path / "out/manifest.json", cwd=shop).code == 0
    return manifest(tmp_path / "out/manifest.json")


def test_the_manifest_has_the_shape_that_programs_rely_on(shop: Path, told_manifest: Any) -> None:
    assert told_manifest["version"] == 1
    assert told_manifest["tree"] == tree_of(shop)
    assert set(told_manifest["stamp"]) == {"model", "chunking", "blend", "counter"}
    assert told_manifest["stamp"]["counter"] == "o200k_base"
    assert [entry["id"] for entry in told_manifest["packs"]] == ALL
    for entry in told_manifest["packs"]:
        assert_shape(entry, ENTRY_KEYS)
        for block in entry["blocks"]:
            assert_shape(block, BLOCK_KEYS)
        for omitted in entry["omitted"]:
            assert_shape(omitted, OMITTED_KEYS)


def test_the_manifest_names_the_bytes_of_each_file(shop: Path, told_manifest: Any) -> None:
    for entry in told_manifest["packs"]:
        assert hashlib.sha256((shop / "context" / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]


def test_the_manifest_counts_the_tokens_of_each_file(shop: Path, told_manifest: Any) -> None:
    count = independent_count("o200k_base")
    for entry in told_manifest["packs"]:
        text = (shop / "context" / entry["file"]).read_text()
        assert count(text) == entry["tokens"] <= entry["budget"]
        assert f"tokens={entry['tokens']}/{entry['budget']} (o200k_base)" in text


def test_the_lines_of_the_manifest_stand_in_the_pack_word_for_word(shop: Path, told_manifest: Any) -> None:
    tiers = set()
    for entry in told_manifest["packs"]:
        text = (shop / "context" / entry["file"]).read_text()
        at = 0
        for block in entry["blocks"]:
            tiers.add(block["tier"])
            place = f"`{block['path']}:{block['start_line']}-{block['end_line']}`"
            at = text.index(place, at) + len(place)
            lines = (shop / block["path"]).read_text().split("\n")
            for first, last in block["lines"]:
                at = text.index("\n".join(line.rstrip() for line in lines[first - 1 : last]), at)
            assert bool(block["lines"]) == (block["tier"] != "stub")
    assert {"full", "stub"} <= tiers


def test_epsilon_is_the_weight_that_no_tier_shows(told_manifest: Any) -> None:
    for entry in told_manifest["packs"]:
        shown = sum(block["weight"] for block in entry["blocks"])
        assert entry["epsilon"] == pytest.approx(1 - shown, abs=1e-4)


def test_the_second_question_of_a_session_remembers(shop: Path, told_manifest: Any) -> None:
    by_id = {entry["id"]: entry for entry in told_manifest["packs"]}
    assert by_id["roles-check"]["mem"] > 0
    assert f" mem={by_id['roles-check']['mem']:.2f} " in (shop / "context/roles-check.md").read_text()
    for first in ("roles", "storage", "auth-flow"):
        assert by_id[first]["mem"] == 0
        assert "mem=" not in (shop / f"context/{first}.md").read_text()


def test_the_manifest_of_a_check_and_of_a_second_run_is_the_same(shop: Path, tobler: Console, tmp_path: Path) -> None:
    for number, extra in enumerate(([], ["--check"], ["--tree", "HEAD"])):
        tobler("build", "--manifest", tmp_path / f"{number}.json", *extra, cwd=shop)
    assert len({(tmp_path / f"{number}.json").read_bytes() for number in range(3)}) == 1


def test_a_manifest_that_cannot_be_written(shop: Path, tobler: Console) -> None:
    told = tobler("build", "--manifest", "README.md/manifest.json", cwd=shop)
    assert told.code == 3
    assert "cannot write README.md/manifest.json" in told.err


# ---- query ----------------------------------------------------------------------------------------------------------


def test_query_prints_a_pack(shop: Path, tobler: Console) -> None:
    told = tobler("query", "how is a request authenticated", "--budget", "300", cwd=shop)
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("# `how is a request authenticated`\nRegenerate with `tobler-pack query ")
    assert "def authenticate(request, users):" in told.out
    assert told.out.endswith("\n")
    assert not told.out.endswith("\n\n")
    assert not (shop / "context").exists()


def test_query_as_json_is_the_manifest_entry_of_the_same_pack(shop: Path, tobler: Console) -> None:
    text = tobler("query", "authenticate", "--budget", "300", cwd=shop).out
    entry = json.loads(tobler("query", "authenticate", "--budget", "300", "--format", "json", cwd=shop).out)
    assert entry["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert (entry["id"], entry["file"], entry["query"], entry["budget"]) == (None, None, "authenticate", 300)
    assert "authenticate" in entry["blocks"][0]["symbol"]


def test_query_takes_exclusions_and_budget_from_the_configuration(shop: Path, tobler: Console) -> None:
    write(shop, {CONFIG: 'version: 1\nbudget: 250\nexclude: ["src/auth.py"]\n'})
    told = tobler("query", "how is a request authenticated", cwd=shop)
    assert "/250 (o200k_base)" in told.out
    assert "src/auth.py" not in told.out


def test_query_without_a_configuration(tmp_path: Path, tobler: Console) -> None:
    root = create(tmp_path / "r", {"a.py": "def f():\n    return 1\n"})
    told = tobler("query", "what does f do", cwd=root)
    assert told.code == 0
    assert "/2000 (o200k_base)" in told.out


def test_paths_restrict(shop: Path, tobler: Console) -> None:
    told = tobler("query", "how is a request authenticated", "--paths", "web/**", "--paths", "tests/", cwd=shop)
    paths = {block["path"] for block in _entry(shop, tobler, "--paths", "web/**", "--paths", "tests/")["blocks"]}
    assert paths == {"web/cart.ts", "tests/test_auth.py"}
    assert "src/" not in told.out


def _entry(shop: Path, tobler: Console, *extra: str) -> Any:
    told = tobler("query", "how is a request authenticated", "--format", "json", *extra, cwd=shop)
    assert told.code == 0
    return json.loads(told.out)


def test_content_restricts(shop: Path, tobler: Console) -> None:
    endings = {
        kind: {Path(block["path"]).suffix for block in _entry(shop, tobler, "--content", kind)["blocks"]}
        for kind in ("code", "docs", "config")
    }
    assert endings["docs"] == {".md"}
    assert ".toml" in endings["config"]
    assert endings["code"] == {".py", ".go", ".ts"}


def test_a_repository_that_is_named_instead_of_entered(
    shop: Path, tobler: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = create(tmp_path / "other", {"o.py": "def other():\n    pass\n"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    told = tobler("query", "authenticate", "--repo", shop, "--tree", "index", cwd=tmp_path)
    assert told.code == 0
    assert "src/auth.py" in told.out


@pytest.mark.parametrize("budget", ["0", "-1", "199", "200001", "99999999999999999999"])
def test_budgets_out_of_range(shop: Path, tobler: Console, budget: str) -> None:
    told = tobler("query", "authenticate", "--budget", budget, cwd=shop)
    assert (told.code, told.out) == (2, "")
    assert told.err == f"tobler-pack: --budget {budget}: out of range; take 200 to 200000 tokens\n"


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        pytest.param(["query", ""], "the question: the question is empty", id="empty question"),
        pytest.param(["query", " \n"], "the question is empty", id="blank question"),
        pytest.param(["query", "a\x1bb"], "control characters", id="escape sequence"),
        pytest.param(["query", "x" * 8001], "8001 characters; 8000 are the most", id="endless question"),
        pytest.param(["query", "x", "--paths", ""], "--paths : the pattern is empty", id="empty pattern"),
        pytest.param(["query", "x", "--paths", "../y"], "never matches", id="pattern upwards"),
        pytest.param(["query", "x", "--format", "xml"], "--format xml: unknown format; use md or json", id="format"),
        pytest.param(["query", "x", "--content", "art"], "'art' is not one of", id="content"),
        pytest.param(["query", "x", "--budget", "many"], "--budget", id="no number"),
        pytest.param(["query"], "Missing argument", id="no question"),
        pytest.param(["query", "x", "y"], "unexpected extra argument", id="two questions"),
        pytest.param(["query", "x", "--tree", "-x"], "'-x' is not a commit; use worktree, index", id="tree"),
        pytest.param(["build", "--chek"], "No such option: --chek", id="unknown option"),
        pytest.param(["bild"], "No such command 'bild'", id="unknown command"),
    ],
)
def test_wrong_usage(shop: Path, tobler: Console, arguments: list[str], phrase: str) -> None:
    told = tobler(*arguments, cwd=shop)
    assert (told.code, told.out) == (2, "")
    assert phrase in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize("question", ["日本語で", "?", "🙂", "the", "$" * 50, "`x` <!-- @me -->", "-- -x", "\tfoo\n"])
def test_odd_questions_get_an_answer(shop: Path, tobler: Console, question: str) -> None:
    told = tobler("query", "--budget", "300", "--", question, cwd=shop)
    assert (told.code, told.err) == (0, "")


# ---- environment ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["build"], ["query", "x"], ["index"], ["init"]], ids=" ".join)
def test_outside_of_any_repository(tmp_path: Path, tobler: Console, command: list[str]) -> None:
    told = tobler(*command, cwd=tmp_path)
    assert (told.code, told.out) == (3, "")
    assert told.err.startswith(f"tobler-pack: {tmp_path} is not inside a git repository")
    assert told.err.endswith("name one with --repo, or type: git init\n")


def test_a_commit_that_is_not_there(shop: Path, tobler: Console) -> None:
    told = tobler("build", "--tree", "v9", cwd=shop)
    assert told.code == 3
    assert "there is no commit 'v9' in this clone" in told.err
    assert not (shop / "context").exists()


def test_a_model_that_is_not_there(shop: Path, tobler: Console) -> None:
    write(shop, {CONFIG: str(SHOP[CONFIG]).replace("version: 1", "version: 1\nmodel: models/none")})
    told = tobler("build", cwd=shop)
    assert told.code == 3
    assert "model 'models/none' is not a model2vec folder" in told.err
    assert told.err.count("\n") == 1


def test_a_repository_without_files(tmp_path: Path, tobler: Console) -> None:
    git(tmp_path, "init", "--quiet")
    assert tobler("query", "anything at all", cwd=tmp_path).code == 0
    assert tobler("index", cwd=tmp_path).out.startswith("0 files, 0 chunks, 0 of them reused")


# ---- index, init, schema, help --------------------------------------------------------------------------------------


def test_index_tells_what_it_did(shop: Path, tobler: Console, cold_cache: Path) -> None:
    first = tobler("index", cwd=shop)
    assert (first.code, first.err) == (0, "")
    files, chunks, reused, *_ = (int(word) for word in first.out.replace(",", "").split() if word.isdigit())
    assert (files, reused) == (5, 0)
    again = tobler("index", cwd=shop).out
    assert again.startswith(f"{files} files, {chunks} chunks, {chunks} of them reused")
    assert cold_cache.is_dir()


def test_init_writes_a_configuration_that_builds(tmp_path: Path, tobler: Console) -> None:
    root = create(tmp_path / "r", {name: text for name, text in SHOP.items() if name != CONFIG})
    told = tobler("init", cwd=root / "src")
    assert (told.code, told.err) == (0, "")
    assert told.out == f"{root / CONFIG} written; next: edit its questions, then type: tobler-pack build\n"
    assert tobler("build", cwd=root).code == 0
    assert len(names(root / "context")) >= 3


def test_init_in_an_empty_repository_writes_a_configuration_that_builds(tmp_path: Path, tobler: Console) -> None:
    git(tmp_path, "init", "--quiet")
    assert tobler("init", cwd=tmp_path).code == 0
    assert tobler("build", cwd=tmp_path).code == 0


@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "folder"])
def test_init_never_overwrites(tmp_path: Path, tobler: Console, kind: str) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n"})
    place, elsewhere = root / CONFIG, tmp_path / "elsewhere"
    if kind == "file":
        place.write_text("mine")
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(elsewhere)
        if kind == "link":
            elsewhere.write_text("mine")
    told = tobler("init", cwd=root)
    assert told.code == 2
    assert told.err == f"tobler-pack: {place} is there already; edit it, or move it away to start anew\n"
    assert not elsewhere.exists() or elsewhere.read_text() == "mine"


def test_init_in_a_bare_repository(tmp_path: Path, tobler: Console) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "b.git")
    told = tobler("init", cwd=tmp_path / "b.git")
    assert told.code == 3
    assert "a bare repository has no work tree" in told.err


def test_schema_is_json(tmp_path: Path, tobler: Console) -> None:
    told = tobler("schema", cwd=tmp_path)
    assert told.code == 0
    assert "queries" in json.loads(told.out)["properties"]


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["build", "--help"], ["query", "-h"]], ids=" ".join)
def test_help(tmp_path: Path, tobler: Console, arguments: list[str]) -> None:
    told = tobler(*arguments, cwd=tmp_path)
    assert told.code == 0
    assert "Usage: tobler-pack" in told.out


def test_help_names_the_exit_codes(tmp_path: Path, tobler: Console) -> None:
    told = " ".join(tobler("--help", cwd=tmp_path).out.split())
    for code in ("0 fine", "1 the answer is no", "2 usage", "3 environment", "130 interrupted"):
        assert code in told


def test_version(tmp_path: Path, tobler: Console) -> None:
    from tobler_pack import __version__

    assert tobler("--version", cwd=tmp_path).out == f"tobler-pack {__version__}\n"


# ---- the console script itself --------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_output_that_knows_few_characters(shop: Path, encoding: str) -> None:
    told = run("build", cwd=shop, env={"PYTHONIOENCODING": encoding})
    assert (told.code, told.err) == (0, "")
    assert names(shop / "context") == ALL


def test_a_reader_that_has_seen_enough(shop: Path) -> None:
    import subprocess

    from console import environment, script

    write(shop, {f"gen/m{at}.py": f"def authenticate_{at}():\n" + "    x = 'request'\n" * 60 for at in range(300)})
    commit(shop)
    process = subprocess.Popen(
        [script(), "query", "authenticate request", "--budget", "200000"],
        cwd=shop, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(10).startswith(b"# `authent")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_the_module_runs_as_the_script_does(shop: Path) -> None:
    import subprocess
    import sys

    told = subprocess.run([sys.executable, "-m", "tobler_pack", "build", "--only", "x"], cwd=shop, capture_output=True)
    assert told.returncode == 2
    assert b"there is no such question" in told.stderr

"""Surfaces from the outside: a floor is seen, moved with a reason, goes stale with the model, is carried over."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file, save_file

import tobler_pack
from console import Answer, Console, run
from repositories import SHOP, commit, create, git, write
from tobler_pack.corpus import chunking
from tobler_pack.surfaces.tuning import ATTRIBUTE, PLACE

REASON = "read the eight near misses of the three questions: all were tests of other modules"

ASKED = {
    "floor": "which chunks are refused by the floor",
    "memory": "how are the questions of a session smoothed",
    "nucleus": "how is the nucleus of the weights cut",
    "tiers": "how does the budget decide which tier a block gets",
}


def configuration(floor: float | None = 0.12, model: str = "embedded", more: str = "") -> str:
    questions = "".join(f"  - {{id: {name}, ask: {ask}}}\n" for name, ask in ASKED.items())
    dials = "" if floor is None else f"surfaces:\n  batch: {{floor: {floor}}}\n"
    return f"version: 1\nmodel: {model}\n{more}queries:\n{questions}{dials}"


def sources() -> dict[str, str]:
    """The code of some packages of this very program: real code, and little enough to be indexed in a second."""
    package = Path(tobler_pack.__file__).parent
    folders = ("evidence", "weighing", "packs", "surfaces")
    found = [path for folder in folders for path in sorted((package / folder).glob("*.py"))]
    return {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in found}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A repository of real code with four questions and a floor of 0.12."""
    return create(tmp_path / "code", {**sources(), ".tobler-pack.yaml": configuration()})


def other_model(folder: Path) -> Path:
    """Another model: the embedded one without the second half of its dimensions."""
    embedded = Path(str(resources.files("tobler_pack.corpus") / "embedded"))
    folder.mkdir()
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(embedded / name, folder / name)
    tensors = load_file(embedded / "model.safetensors")
    table = tensors["embeddings"]
    half = table[:, : table.shape[1] // 2].copy()
    save_file({**tensors, "embeddings": half}, folder / "model.safetensors")
    return folder


def told_json(told: Answer) -> Any:
    return json.loads(told.out)


def batch(tobler: Console, code: Path) -> Any:
    listing = told_json(tobler("surfaces", "--format", "json", cwd=code))
    return next(one for one in listing["surfaces"] if one["surface"] == "batch")


def test_the_story(code: Path, tmp_path: Path, tobler: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    # Build, and look at what was refused.
    assert tobler("build", cwd=code).code == 0
    seen = told_json(tobler("telemetry", "--near-miss-samples", "4", "--format", "json", cwd=code))
    (surface,) = seen["surfaces"]
    near = surface["near_misses"]
    assert (surface["surface"], surface["calls"], surface["floors"]) == ("batch", 4, [0.12])
    assert 0 < surface["admitted"] < 1
    assert 0 < near["p50"] <= near["p90"] < 0.12
    assert {one["query"] for one in near["samples"]} == set(ASKED.values())
    for one in near["samples"]:
        first, last = one["lines"]
        assert 1 <= first <= last <= len((code / one["path"]).read_text(encoding="utf-8").splitlines())
    words = tobler("telemetry", cwd=code).out
    sample = near["samples"][0]
    assert f"{sample['path']}:{sample['lines'][0]}-{sample['lines'][1]}" in words
    assert "is not relevance" in words

    # A move needs a reason, and stays in the range.
    for reason in ("", "   ", "aaaa aaaa aaaa", "noise", "noise noise noise"):
        refused = tobler("tune", "batch", "floor", "0.2", "--reason", reason, cwd=code)
        assert refused.code == 2
        assert "open them" in refused.err
    assert not (code / PLACE).exists()
    clamped = tobler("tune", "batch", "floor", "1.5", "--reason", "a floor beyond the end of its range", cwd=code)
    assert clamped.code == 0
    assert "0.12 → 1 (asked for 1.5; clamped" in clamped.out
    assert ATTRIBUTE in clamped.out  # this repository was not set up by init
    moved = tobler("tune", "batch", "floor", "0.2", "--reason", REASON, "--actor", "model", cwd=code)
    assert (moved.code, moved.err) == (0, "")
    history = told_json(tobler("history", "batch", "--format", "json", cwd=code))["moves"]
    assert [(one["set"], one["clamped"], one["actor"]) for one in history] == [
        (0.2, False, "model"),
        (1.0, True, "human"),
    ]
    floor = batch(tobler, code)["floor"]
    assert (floor["value"], floor["source"], floor["reason"]) == (0.2, "tuning", REASON)
    assert floor["calibration"] == {"stale": False}
    assert [one["source"] for one in floor["overrides"]] == ["configuration", "shipped"]

    # In force, and logged.
    assert tobler("build", "--strict", cwd=code).err == ""

    # The model is exchanged.
    other_model(tmp_path / "other")
    write(code, {".tobler-pack.yaml": configuration(model="../other")})
    assert batch(tobler, code)["floor"]["calibration"] == {"stale": True, "model_changed": True}
    assert "model_changed" in tobler("surfaces", cwd=code).out
    warned = tobler("build", cwd=code)
    assert warned.code == 0
    assert re.fullmatch(
        r"tobler-pack: stale \(model_changed\): floor of batch; type: tobler-pack migrate batch\n", warned.err
    )
    assert tobler("build", "--strict", cwd=code).code == 1

    # Carried over by its selectivity.
    before = (code / PLACE).read_bytes()
    dry = told_json(tobler("migrate", "batch", "--format", "json", cwd=code))
    assert (code / PLACE).read_bytes() == before
    assert (dry["old"], dry["calls"], dry["applied"]) == (0.2, 4, None)
    assert 0.01 < dry["admitted_before"] < 0.9
    assert abs(dry["admitted_before"] - dry["admitted_after"]) <= 0.02
    assert dry["looks_like"] == "a change of scale"
    assert any("only 4 calls" in note for note in dry["notes"])
    applied = tobler("migrate", "batch", "--apply", cwd=code)
    assert applied.code == 0
    assert applied.out.index("note: only 4 calls") < applied.out.index("→")
    (newest, *_) = told_json(tobler("history", "--format", "json", cwd=code))["moves"]
    assert (newest["actor"], newest["old"], newest["set"]) == ("migration", 0.2, dry["proposal"])
    assert newest["reason"].startswith("selectivity kept: floor 0.2 admitted ")
    assert batch(tobler, code)["floor"]["calibration"] == {"stale": False}
    assert tobler("build", "--strict", cwd=code).err == ""
    assert tobler("migrate", "batch", cwd=code).code == 1

    # And undone by another move.
    undo = ("tune", "batch", "floor", "0.2", "--reason", "the migrated floor refused the class that was asked for")
    assert tobler(*undo, cwd=code).code == 0
    assert batch(tobler, code)["floor"]["value"] == 0.2
    assert len((code / PLACE).read_text(encoding="utf-8").splitlines()) == 4

    # Only the shape of chunks changes.
    monkeypatch.setattr(chunking, "_ANALYSIS", chunking._ANALYSIS + 1)
    assert batch(tobler, code)["floor"]["calibration"] == {"stale": True, "shape_changed": True}


def test_a_dial_that_was_written_by_hand_is_unstamped(code: Path, tobler: Console) -> None:
    unknown = {"stale": None, "source": "unstamped"}
    assert batch(tobler, code)["floor"]["calibration"] == unknown
    line = {
        "when": "2026-01-02T03:04:05Z",
        "surface": "batch",
        "dial": "floor",
        "set": 0.3,
        "reason": "by hand, long ago",
    }
    write(code, {PLACE: json.dumps(line)})  # no line end either
    floor = batch(tobler, code)["floor"]
    assert (floor["value"], floor["calibration"]) == (0.3, unknown)
    assert tobler("build", "--strict", cwd=code).code == 0  # unknown is not stale
    assert tobler("tune", "batch", "budget", "900", "--reason", REASON, cwd=code).code == 0
    assert batch(tobler, code)["floor"]["value"] == 0.3
    assert batch(tobler, code)["budget"]["value"] == 900


@pytest.mark.parametrize(
    ("dial", "asked", "told"),
    [
        ("floor", "-0.5", "batch floor 0.12 → 0 (asked for -0.5; clamped"),
        ("budget", "5", "batch budget 2,000 → 200 (asked for 5; clamped"),
        ("budget", "5000000", "batch budget 2,000 → 200,000 (asked for 5,000,000; clamped"),
    ],
)
def test_a_value_out_of_range_is_clamped(code: Path, tobler: Console, dial: str, asked: str, told: str) -> None:
    answer = tobler("tune", "batch", dial, asked, "--reason", REASON, cwd=code)
    assert answer.code == 0
    assert answer.out.startswith(told)


def test_the_order_of_precedence(code: Path, tobler: Console) -> None:
    def used(*options: str) -> tuple[float, int]:
        told = tobler("build", "--only", "floor", "--manifest", code / "m.json", *options, cwd=code)
        assert told.code == 0, told.err
        (entry,) = json.loads((code / "m.json").read_bytes())["packs"]
        return entry.get("floor", 0.0), entry["budget"]

    write(code, {".tobler-pack.yaml": configuration(None)})
    assert used() == (0.0, 2000)
    write(code, {".tobler-pack.yaml": configuration(0.1, more="budget: 1800\n")})
    assert used() == (0.1, 1800)
    tobler("tune", "batch", "floor", "0.15", "--reason", REASON, cwd=code)
    tobler("tune", "batch", "budget", "1500", "--reason", REASON, cwd=code)
    assert used() == (0.15, 1500)
    assert used("--floor", "0.25", "--budget", "1000") == (0.25, 1000)
    second_line = (code / "context/floor.md").read_text(encoding="utf-8").splitlines()[1]
    assert second_line == "Regenerate with `tobler-pack build --only floor --floor 0.25 --budget 1000`"
    assert used() == (0.15, 1500)  # an option leaves nothing behind


def test_a_floor_refuses_and_says_so(code: Path, tobler: Console) -> None:
    tobler("build", "--manifest", code / "m.json", cwd=code)
    entries = json.loads((code / "m.json").read_bytes())["packs"]
    assert all(entry["floor"] == 0.12 and entry["refused"] > 0 and entry["ranked"] > 0 for entry in entries)
    text = (code / "context/floor.md").read_text(encoding="utf-8")
    (entry,) = [one for one in entries if one["id"] == "floor"]
    chunks = entry["refused"] + entry["ranked"]
    assert f"Not ranked: {entry['refused']} of {chunks} chunks, under the floor of 0.12." in text


def test_without_a_floor_nothing_changes(code: Path, tobler: Console) -> None:
    write(code, {".tobler-pack.yaml": configuration(None)})
    tobler("build", "--manifest", code / "m.json", cwd=code)
    before = packs(code)
    tobler("tune", "batch", "floor", "0", "--reason", REASON, cwd=code)
    tobler("build", "--manifest", code / "n.json", cwd=code)
    assert packs(code) == before
    assert (code / "m.json").read_bytes() == (code / "n.json").read_bytes()
    assert "refused" not in json.loads((code / "m.json").read_bytes())["packs"][0]


def packs(code: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((code / "context").glob("*.md"))}


def test_telemetry_reaches_no_pack_and_no_tree(code: Path, tobler: Console) -> None:
    tobler("build", cwd=code)
    first = packs(code)
    shutil.rmtree(code / ".git/tobler-pack")
    shutil.rmtree(code / "context")
    write(code, {".tobler-pack.yaml": "telemetry: off\n" + configuration()})
    tobler("build", cwd=code)
    assert packs(code) == first
    assert not (code / ".git/tobler-pack").exists()
    assert tobler("telemetry", cwd=code).out.startswith("no call is logged")


def test_eight_builds_at_once_lose_no_line(tmp_path: Path) -> None:
    root = create(tmp_path / "shop", SHOP)
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda number: run("build", "--out", tmp_path / f"out{number}", cwd=root), range(8)))
    assert [one.code for one in told] == [0] * 8
    lines = (root / ".git/tobler-pack/telemetry.jsonl").read_text(encoding="utf-8").splitlines()
    found = Counter(json.loads(line)["id"] for line in lines)
    assert found == dict.fromkeys(["auth-flow", "roles", "roles-check", "storage"], 8)


@pytest.mark.parametrize("in_the_way", ["a file", "a folder"])
def test_telemetry_that_cannot_be_written_fails_nothing(code: Path, tobler: Console, in_the_way: str) -> None:
    if in_the_way == "a file":
        write(code, {".git/tobler-pack": "in the way"})
    else:
        (code / ".git/tobler-pack/telemetry.jsonl").mkdir(parents=True)
    told = tobler("build", cwd=code)
    assert (told.code, told.err) == (0, "")


@pytest.mark.usefixtures("cold_cache")
def test_packs_from_the_cache_are_logged_too(code: Path, tobler: Console) -> None:
    tobler("build", cwd=code)
    tobler("build", cwd=code)
    (surface,) = told_json(tobler("telemetry", "--format", "json", cwd=code))["surfaces"]
    assert (surface["calls"], surface["from_cache"]) == (8, 4)
    lines = (code / ".git/tobler-pack/telemetry.jsonl").read_text(encoding="utf-8").splitlines()
    first, last = json.loads(lines[3]), json.loads(lines[7])
    assert (first["cached"], last["cached"]) == (False, True)
    assert all(first[key] == last[key] for key in first if key not in ("at", "cached"))


def test_logs_of_several_runs_are_read_together(code: Path, tmp_path: Path, tobler: Console) -> None:
    tobler("build", cwd=code)
    for name in ("one", "two"):
        assert tobler("telemetry", "--to", tmp_path / "artifacts" / name, cwd=code).code == 0
    with (tmp_path / "artifacts/two/telemetry.jsonl").open("a", encoding="utf-8") as log:
        log.write('{"torn')
    told = told_json(tobler("telemetry", "--from", tmp_path / "artifacts", "--format", "json", cwd=tmp_path))
    assert told["surfaces"][0]["calls"] == 8
    assert told["unreadable"] == 1
    assert tobler("telemetry", "--from", tmp_path / "nowhere", cwd=code).code == 3


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "is no line of JSON"),
        ("[]", "is no JSON object"),
        ("<<<<<<< HEAD", "is no line of JSON"),
        ('{"when": "x"}', "`surface` is missing"),
        ('{"when": "x", "surface": "batch", "dial": "floor", "set": 0.1, "reason": "a"}', "`when` is no time"),
        ('{"when": "2026-01-01", "surface": "batch", "dial": "floor", "set": 7, "reason": "a"}', "`set` does not fit"),
        ('{"when": "2026-01-01", "surface": "batch", "dial": "flor", "set": 0, "reason": "a"}', "`dial` is none of"),
        ('{"when": "2026-01-01", "surface": "batch", "dial": "floor", "set": "0", "reason": "a"}', "no number"),
    ],
)
def test_a_line_that_cannot_be_read(code: Path, tobler: Console, line: str, why: str) -> None:
    tobler("tune", "batch", "floor", "0.15", "--reason", REASON, cwd=code)
    with (code / PLACE).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    built = tobler("build", "--only", "floor", "--manifest", code / "m.json", cwd=code)
    assert built.code == 0
    assert f"{PLACE}:2: " in built.err
    assert why in built.err
    assert built.err.count("\n") == 1
    assert json.loads((code / "m.json").read_bytes())["packs"][0]["floor"] == 0.15
    before = (code / PLACE).read_bytes()
    refused = tobler("tune", "batch", "floor", "0.2", "--reason", REASON, cwd=code)
    assert refused.code == 2
    assert f"{PLACE}:2: " in refused.err
    assert (code / PLACE).read_bytes() == before


def test_a_floor_of_the_configuration_is_carried_over_too(code: Path, tmp_path: Path, tobler: Console) -> None:
    tobler("build", cwd=code)
    nothing = tobler("migrate", "batch", cwd=code)  # nobody knows what it was meant for; all calls are of today
    assert (nothing.code, "no logged call" in nothing.out) == (1, True)
    other_model(tmp_path / "other")
    write(code, {".tobler-pack.yaml": configuration(model="../other")})
    found = told_json(tobler("migrate", "batch", "--apply", "--format", "json", cwd=code))
    assert abs(found["admitted_before"] - found["admitted_after"]) <= 0.02
    floor = batch(tobler, code)["floor"]
    assert (floor["value"], floor["source"], floor["calibration"]) == (found["proposal"], "tuning", {"stale": False})


# ---- the pack of a change -------------------------------------------------------------------------------------------


def test_a_change_stands_under_the_dials_of_its_surface(code: Path, tmp_path: Path, tobler: Console) -> None:
    dials = "surfaces:\n  pull-request: {floor: 0.3, budget: 1500}\n"
    write(code, {".tobler-pack.yaml": f"version: 1\n{dials}"})
    commit(code)
    changed = sources()["weighing/weights.py"].replace("K_MIN = 5", "K_MIN = 6").replace("MASS = 0.9", "MASS = 0.8")
    write(code, {"weighing/weights.py": changed})

    def packed(*options: str) -> Any:
        told = tobler("diff", "--base", "HEAD", "--format", "json", *options, cwd=code)
        assert told.code == 0, told.err
        return told_json(told)["packs"][0]

    entry = packed()
    assert (entry["floor"], entry["budget"]) == (0.3, 1500)
    assert entry["refused"] > 0 < entry["ranked"]
    # Whatever its cosine is, a chunk that uses a changed name is looked at.
    assert "uses" in json.dumps([block["why"] for block in packed("--floor", "1")["blocks"]])
    assert "refused" not in packed("--floor", "0")
    assert packed("--budget", "900")["budget"] == 900
    tobler("tune", "pull-request", "floor", "0.25", "--reason", REASON, cwd=code)
    assert packed()["floor"] == 0.25

    (surface,) = told_json(tobler("telemetry", "--format", "json", cwd=code))["surfaces"]
    assert (surface["surface"], surface["calls"]) == ("pull-request", 5)
    assert surface["near_misses"]["samples"]

    other_model(tmp_path / "other")
    write(code, {".tobler-pack.yaml": f"version: 1\nmodel: ../other\n{dials}"})
    told = tobler("diff", "--base", "HEAD", "--strict", cwd=code)
    assert (told.code, told.err.count("\n")) == (1, 1)
    assert "stale (model_changed): floor of pull-request" in told.err
    assert told.out.startswith("# `pull-request`")
    found = told_json(tobler("migrate", "pull-request", "--format", "json", cwd=code))
    assert abs(found["admitted_before"] - found["admitted_after"]) <= 0.02


# ---- merging --------------------------------------------------------------------------------------------------------


def test_two_branches_merge_to_the_same_dials_in_either_order(tmp_path: Path, tobler: Console) -> None:
    root = create(tmp_path / "shop", {name: text for name, text in SHOP.items() if name != ".tobler-pack.yaml"})
    assert tobler("init", cwd=root).code == 0
    assert (root / ".gitattributes").read_text(encoding="utf-8") == f"{ATTRIBUTE}\n"
    tobler("tune", "batch", "floor", "0.05", "--reason", "the first move before both branches", cwd=root)
    commit(root)
    moves = (("left", "batch", "floor", "0.1"), ("right", "batch", "floor", "0.2"), ("left", "commit", "budget", "900"))
    for branch in ("left", "right"):
        git(root, "branch", branch)
    for branch, surface, dial, value in moves:
        git(root, "checkout", "--quiet", branch)
        tobler("tune", surface, dial, value, "--reason", f"what the near misses on {branch} showed", cwd=root)
        commit(root)

    def merged(first: str, second: str) -> tuple[str, Any]:
        git(root, "checkout", "--quiet", "-B", "both", first)
        git(root, "merge", "--quiet", "--no-edit", second)
        assert git(root, "status", "--porcelain") == ""
        told = tobler("surfaces", "--format", "json", cwd=root)
        assert told.err == ""
        return (root / PLACE).read_text(encoding="utf-8"), told_json(told)

    one, other = merged("left", "right"), merged("right", "left")
    assert one[0] != other[0]  # the lines do stand in another order
    assert sorted(one[0].splitlines()) == sorted(other[0].splitlines())
    assert one[1] == other[1]
    dials = {row["surface"]: row for row in one[1]["surfaces"]}
    assert (dials["batch"]["floor"]["value"], dials["commit"]["budget"]["value"]) == (0.2, 900)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"{ATTRIBUTE}\n"),
        ("", f"{ATTRIBUTE}\n"),
        ("*.png binary", f"*.png binary\n{ATTRIBUTE}\n"),
        ("*.png binary\r\n", f"*.png binary\r\n{ATTRIBUTE}\r\n"),
        (f"# ours\n{PLACE} merge=ours\n*.x text\n", f"# ours\n{PLACE} merge=ours\n*.x text\n"),
        (f"/{ATTRIBUTE}\n", f"/{ATTRIBUTE}\n"),
    ],
)
def test_init_touches_nothing_else_of_gitattributes(
    tmp_path: Path, tobler: Console, before: str | None, after: str
) -> None:
    root = create(tmp_path / "new", {"a.py": "x = 1\n"})
    if before is not None:
        write(root, {".gitattributes": before})
    assert tobler("init", cwd=root).code == 0
    assert (root / ".gitattributes").read_bytes() == after.encode()


# ---- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tune", "bach", "floor", "0.1"), "did you mean batch?"),
        (("tune", "batch", "flour", "0.1"), "did you mean floor?"),
        (("tune", "batch", "tau", "1"), "unknown dial"),
        (("tune", "batch", "floor", "high"), "is no number"),
        (("tune", "batch", "floor", "nan"), "is no number"),
        (("tune", "batch", "budget", "900.5"), "is no whole number"),
        (("tune", "batch", "floor", "0.1", "--actor", "migration"), "take human or model"),
        (("history", "nope"), "unknown surface"),
        (("migrate", "nope"), "unknown surface"),
        (("history", "--limit", "201"), "201 is not in the range"),
        (("surfaces", "--format", "xml"), "use text or json"),
        (("build", "--floor", "1.5"), "--floor 1.5: out of range"),
        (("calibrate", "--apply"), "--reason is empty"),
        (("calibrate", "--curve", "curve.png"), ".svg or .csv"),
        (("query", "x", "--surface", "nope"), "unknown surface"),
    ],
)
def test_mistakes(tmp_path: Path, tobler: Console, arguments: tuple[str, ...], said: str) -> None:
    root = create(tmp_path / "shop", SHOP)
    given = ("--reason", REASON) if arguments[0] == "tune" else ()
    told = tobler(*arguments, *given, cwd=root)
    assert told.code == 2
    assert said in told.err
    assert not (root / PLACE).exists()


def test_a_history_behind_a_link_is_not_written_to(tmp_path: Path, tobler: Console) -> None:
    root = create(tmp_path / "shop", SHOP)
    (tmp_path / "elsewhere").mkdir()
    (root / ".tobler-pack").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert tobler("tune", "batch", "floor", "0.1", "--reason", REASON, cwd=root).code == 3
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_migrating_what_cannot_be_migrated(code: Path, tmp_path: Path, tobler: Console) -> None:
    nothing = tobler("migrate", "commit", cwd=code)
    assert (nothing.code, "there is nothing to carry over" in nothing.out) == (1, True)
    tobler("tune", "batch", "floor", "0.2", "--reason", REASON, cwd=code)
    other_model(tmp_path / "other")
    write(code, {".tobler-pack.yaml": configuration(model="../other")})
    unlogged = tobler("migrate", "batch", "--apply", cwd=code)
    assert unlogged.code == 1
    assert "no logged call of batch was scored as the floor was measured" in unlogged.out
    assert "no proposal" in unlogged.out


# ---- content and τ --------------------------------------------------------------------------------------------------


def test_a_surface_asks_over_its_own_content(tmp_path: Path, tobler: Console) -> None:
    config = (
        "version: 1\nqueries:\n  - {id: manual, ask: what does a customer have, surface: docs-questions}\n"
        "  - {id: code, ask: what does a customer have}\nsurfaces:\n"
        "  docs-questions: {asks: questions about the manual, over: docs, fires: nightly, floor: 0.01, budget: 1500}\n"
    )
    root = create(tmp_path / "shop", {**SHOP, ".tobler-pack.yaml": config})
    assert tobler("build", "--manifest", root / "m.json", cwd=root).code == 0
    shown = {
        one["id"]: {block["path"] for block in one["blocks"]}
        for one in json.loads((root / "m.json").read_bytes())["packs"]
    }
    assert shown["manual"] == {"README.md"}
    assert shown["code"]
    assert "README.md" not in shown["code"]
    listed = told_json(tobler("surfaces", "--format", "json", cwd=root))["surfaces"][-1]
    assert (listed["surface"], listed["over"], listed["fires"]) == ("docs-questions", ["docs"], "nightly")
    asked = told_json(
        tobler("query", "what does a customer have", "--surface", "docs-questions", "--format", "json", cwd=root)
    )
    assert (asked["surface"], asked["budget"], {block["path"] for block in asked["blocks"]}) == (
        "docs-questions",
        1500,
        {"README.md"},
    )


@pytest.mark.parametrize("suffix", ["svg", "csv"])
def test_calibration_proposes_and_writes_only_when_told(code: Path, tobler: Console, suffix: str) -> None:
    curve = code / f"curve.{suffix}"
    told = tobler("calibrate", "--curve", curve, cwd=code)
    assert told.code == 0, told.out
    assert told.out.count("τ=") >= 39
    assert "only 4 questions" in told.out
    assert "in force: τ=1" in told.out
    assert not (code / PLACE).exists()
    text = curve.read_text(encoding="utf-8")
    assert text.startswith("<svg") if suffix == "svg" else text.count("\n") == 40
    found = told_json(tobler("calibrate", "--apply", "--reason", REASON, "--format", "json", cwd=code))
    assert found["applied"]["set"] == found["proposal"]
    assert max(found["points"], key=lambda point: point["variance"])["tau"] == found["proposal"]
    tobler("build", "--manifest", code / "m.json", cwd=code)
    assert {one["tau"] for one in json.loads((code / "m.json").read_bytes())["packs"]} == {found["proposal"]}
    assert tobler("tune", "all", "tau", "1", "--reason", "back to the calibrated constant", cwd=code).code == 0

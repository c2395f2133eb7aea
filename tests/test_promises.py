"""The promises, kept by the installed console script on real repositories: same inputs, same bytes, nothing else."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from console import Answer, environment, run, script
from repositories import SHOP, commit, create, git, write
from tobler_pack.corpus import building

UMLAUTS = {
    "src/größe/Maß nehmen.py": 'def measure_größe(request):\n    """Wie groß ist das? 日本語"""\n    return request\n'
}
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS")
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
QUOTING = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.quotePath", "GIT_CONFIG_VALUE_0": "true"}
NOBODY: dict[str, str | Path | None] = dict.fromkeys(("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TOBLER_PACK_CACHE"))
SECRET = "tok3n-9f1d77c0"  # stands in no tracked file


def packs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def build(root: Path, out: Path, *extra: str, **variables: str | Path | None) -> dict[str, bytes]:
    """The packs of a build, and its manifest."""
    told = run("build", "--out", out, "--manifest", out / "manifest.json", *extra, cwd=root, env=variables)
    assert (told.code, told.err) == (0, "")
    return packs(out)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with some history."""
    root = create(tmp_path_factory.mktemp("promises") / "shop", SHOP)
    commit(root, {"src/auth.py": str(SHOP["src/auth.py"]) + "\n\ndef logout(request):\n    request.user = None\n"})
    commit(root, UMLAUTS)
    return root


@pytest.fixture(scope="module")
def expected(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The packs of the shop and their manifest."""
    return build(shop, tmp_path_factory.mktemp("expected"))


def can_unshare() -> bool:
    """Whether this machine lets us start a process without network."""
    tool = shutil.which("unshare")
    return tool is not None and subprocess.run([tool, "-rn", "true"], capture_output=True, check=False).returncode == 0


# ---- the same bytes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({"PYTHONHASHSEED": "0", **dict.fromkeys(THREADS, "1")}, id="hash seed 0, one thread"),
        pytest.param({"PYTHONHASHSEED": "1", **dict.fromkeys(THREADS, "4")}, id="hash seed 1, four threads"),
        pytest.param(
            {"PYTHONHASHSEED": "random", "OPENBLAS_CORETYPE": "Prescott"}, id="hash seed random, other kernels"
        ),
        pytest.param(
            {"LC_ALL": "C", "TZ": "Asia/Tokyo", "COLUMNS": "40", "NO_COLOR": "1"}, id="C locale, other terminal"
        ),
        pytest.param(ASCII | QUOTING, id="ASCII file names, quoting git"),
    ],
)
def test_the_environment_does_not_reach_a_pack(
    shop: Path, expected: dict[str, bytes], tmp_path: Path, variables: dict[str, str]
) -> None:
    assert build(shop, tmp_path / "out", TOBLER_PACK_CACHE=tmp_path / "cache", **variables) == expected


def test_the_expected_packs_show_what_has_an_odd_name(expected: dict[str, bytes]) -> None:
    assert any("src/größe/Maß nehmen.py".encode() in text for name, text in expected.items() if name != "manifest.json")


def test_a_warm_cache_gives_the_same_bytes(shop: Path, expected: dict[str, bytes], tmp_path: Path) -> None:
    for number in range(2):
        assert build(shop, tmp_path / str(number), TOBLER_PACK_CACHE=tmp_path / "cache") == expected


def test_an_index_from_another_tree_gives_the_same_bytes(
    shop: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    assert build(shop, tmp_path / "before", "--tree", "HEAD~2", TOBLER_PACK_CACHE=cache) != expected
    assert build(shop, tmp_path / "after", TOBLER_PACK_CACHE=cache) == expected


@pytest.mark.parametrize("depth", [None, "1"], ids=["whole", "depth 1"])
def test_another_clone_gives_the_same_bytes(
    shop: Path, expected: dict[str, bytes], tmp_path: Path, depth: str | None
) -> None:
    clone = tmp_path / "another" / "place to be"
    git(tmp_path, "clone", "--quiet", *(["--depth", depth] if depth else []), shop.as_uri(), str(clone))
    assert build(clone, tmp_path / "out", TOBLER_PACK_CACHE=tmp_path / "cache") == expected


@pytest.mark.parametrize("tree", ["index", "HEAD", "main^{tree}"])
def test_every_way_to_the_same_tree_gives_the_same_bytes(
    shop: Path, expected: dict[str, bytes], tmp_path: Path, tree: str
) -> None:
    assert build(shop, tmp_path, "--tree", tree) == expected


def test_another_folder_to_start_from_gives_the_same_bytes(
    shop: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    assert build(shop / "src", tmp_path / "below") == expected
    assert build(tmp_path, tmp_path / "outside", "--repo", str(shop), "--tree", "worktree") == expected


def test_files_that_were_written_in_another_order_give_the_same_bytes(
    expected: dict[str, bytes], shop: Path, tmp_path: Path
) -> None:
    paths = [path for path in git(shop, "ls-files", "-z").split("\0") if path]
    backwards = {path: (shop / path).read_bytes() for path in reversed(paths)}
    root = create(tmp_path / "backwards", backwards)
    assert build(root, tmp_path / "out", TOBLER_PACK_CACHE=tmp_path / "cache") == expected


def test_workers_do_not_change_a_byte(tmp_path: Path) -> None:
    root = create(tmp_path / "r", SHOP | many_files(250))
    by_workers = build(root, tmp_path / "many", TOBLER_PACK_CACHE=tmp_path / "cache1")
    alone = run_alone(root, tmp_path / "one", tmp_path / "cache2")
    assert alone.code == 0
    assert packs(tmp_path / "one") == {name: text for name, text in by_workers.items() if name != "manifest.json"}


def run_alone(root: Path, out: Path, cache: Path) -> Answer:
    """A build on one processor: no worker is started."""
    program = "import os; os.cpu_count = lambda: 1; from tobler_pack.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "build", "--out", out],
        cwd=root, env=environment({"TOBLER_PACK_CACHE": cache}), capture_output=True, check=False,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def many_files(count: int) -> dict[str, str]:
    """Generated modules, each long enough for several chunks, together enough that workers are started."""
    body = '    """Part {at} of request {n}."""\n' + "    total = items[{at}] + request\n" * 40 + "    return total\n"
    files = {
        f"gen/m{n}.py": "".join(f"def step_{n}_{at}(request, items):\n{body.format(at=at, n=n)}\n\n" for at in range(5))
        for n in range(count)
    }
    assert sum(map(len, files.values())) > building._BYTES_WORTH_WORKERS
    return files


# ---- no network -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not can_unshare(), reason="needs unshare to take the network away")
def test_no_network_is_needed_with_an_empty_home(shop: Path, expected: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    told = run(
        "build", "--out", tmp_path / "out", "--manifest", tmp_path / "out/manifest.json", cwd=shop,
        prefix=("unshare", "-rn"), env=NOBODY | {"HOME": tmp_path / "home"},
    )  # fmt: skip
    assert (told.code, told.err) == (0, "")
    assert packs(tmp_path / "out") == expected


def test_the_only_trace_in_a_home_is_our_own_cache(shop: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for command in (["build", "--out", str(tmp_path / "out")], ["query", "authenticate"], ["index"]):
        told = run(*command, cwd=shop, env=NOBODY | {"HOME": home})
        assert told.code == 0
    left = {path.relative_to(home).as_posix() for path in home.rglob("*")}
    assert not [name for name in left if name.endswith("savings.jsonl")]
    assert {name.split("/tobler-pack")[0] for name in left} <= {".cache", "Library", "Library/Caches"}
    assert not list(home.rglob("*semble"))


# ---- only tracked content -------------------------------------------------------------------------------------------


def everything(*folders: Path) -> bytes:
    return b"\0".join(path.read_bytes() for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())


def test_untracked_and_ignored_content_reaches_neither_pack_nor_cache(tmp_path: Path) -> None:
    root = create(tmp_path / "r", {**SHOP, ".gitignore": ".env\nprivate/\n"})
    private = f"def authenticate_request_{SECRET.replace('-', '_')}():\n    return '{SECRET}'\n"
    write(
        root,
        {
            "secret_draft.py": private,
            ".env": f"KEY={SECRET}",
            ".git/info/exclude": "src/auth_draft.py\n",
            "private/p.py": private,
            "src/auth_draft.py": private,
        },
    )
    cache, out = tmp_path / "cache", tmp_path / "out"
    for number, tree in enumerate(("worktree", "index", "HEAD")):
        build(root, out / str(number), "--tree", tree, TOBLER_PACK_CACHE=cache)
    asked = run("query", "authenticate request secret draft", cwd=root, env={"TOBLER_PACK_CACHE": cache})
    kept = everything(cache, out) + asked.out.encode()
    assert b"def authenticate" in kept
    for word in (SECRET, SECRET.replace("-", "_"), "secret_draft", "auth_draft"):
        assert word.encode() not in kept


def test_an_environment_variable_reaches_nothing(shop: Path, tmp_path: Path) -> None:
    sentinel = {
        "API_TOKEN": SECRET,
        "GITHUB_TOKEN": SECRET,
        "GIT_AUTHOR_NAME": SECRET,
        "USER": SECRET,
        "HOSTNAME": SECRET,
    }
    cache, out, temporary = tmp_path / "cache", tmp_path / "out", tmp_path / "tmp"
    temporary.mkdir()
    texts = []
    for arguments in (["build", "--out", str(out)], ["query", "API_TOKEN"], ["index"], ["build", "--tree", "nowhere"]):
        told = run(*arguments, cwd=shop, env={"TOBLER_PACK_CACHE": cache, "TMPDIR": temporary, **sentinel})
        texts.append(told.out + told.err)
    assert SECRET.encode() not in everything(cache, out, temporary) + "".join(texts).encode()


def test_the_cache_holds_no_source_text_of_code_that_no_pack_shows(shop: Path, tmp_path: Path) -> None:
    assert run("index", cwd=shop, env={"TOBLER_PACK_CACHE": tmp_path / "cache"}).code == 0
    assert b"raise PermissionError" not in everything(tmp_path / "cache")


def test_nothing_is_left_in_the_folder_for_temporary_files(shop: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    build(shop, tmp_path / "out", TMPDIR=temporary, TOBLER_PACK_CACHE=tmp_path / "cache")
    assert list(temporary.iterdir()) == []


def test_no_path_date_or_commit_stands_in_a_pack(shop: Path, expected: dict[str, bytes]) -> None:
    text = b"\n".join(expected.values()).decode()
    for commit_id in git(shop, "rev-list", "--all").split():
        assert commit_id[:7] not in text
    assert str(shop) not in text
    assert str(Path.home()) not in text
    assert re.search(r"\b20\d\d-\d\d-\d\d\b|\b\d\d:\d\d:\d\d\b", text) is None
    assert os.uname().nodename not in text or len(os.uname().nodename) < 4


def test_packs_are_clean_text(expected: dict[str, bytes]) -> None:
    for name, data in expected.items():
        assert b"\r" not in data
        assert data.endswith(b"\n")
        assert not data.endswith(b"\n\n")
        assert name == "manifest.json" or re.search(rb"[ \t]\n", data) is None


# ---- whole or not at all --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that takes a few seconds to index, and uses workers."""
    return create(tmp_path_factory.mktemp("large") / "large", SHOP | many_files(500))


@pytest.fixture
def started(large: Path, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A build of the large repository with a cold cache, as a process group of its own, as a terminal makes it."""
    process = subprocess.Popen(
        [script(), "build", "--out", tmp_path / "out"],
        cwd=large, env=environment({"TOBLER_PACK_CACHE": tmp_path / "cache", "TMPDIR": tmp_path}),
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def has_workers(group: int) -> bool:
    """Whether a process group has a worker already."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if b"spawn_main" in place.read_bytes() and os.getpgid(int(place.parent.name)) == group:
                return True
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
@pytest.mark.parametrize("whom", ["process", "group"])
@pytest.mark.parametrize(
    ("sign", "after"),
    [("cache", 0.0), ("workers", 0.1), ("workers", 1.0)],
    ids=["first", "workers start", "workers work"],
)
def test_an_interrupted_run_leaves_nothing_half_written(
    started: subprocess.Popen[bytes], tmp_path: Path, whom: str, sign: str, after: float
) -> None:
    deadline = time.monotonic() + 10
    seen = has_workers if sign == "workers" else lambda group: (tmp_path / "cache").exists()
    while not seen(started.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(after)
    if whom == "process":
        started.send_signal(signal.SIGINT)
    else:
        os.killpg(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, b"")
    assert err == b"tobler-pack: interrupted; nothing half-written is left\n"
    assert not (tmp_path / "out").exists()
    assert not list((tmp_path / "cache").rglob(".part-*"))
    assert not list((tmp_path / "cache").rglob("meta"))
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("cache", "out")] == []


def test_after_an_interrupted_run_the_next_one_is_whole(
    started: subprocess.Popen[bytes], large: Path, tmp_path: Path
) -> None:
    time.sleep(1.5)
    os.killpg(started.pid, signal.SIGKILL)
    started.communicate()
    told = run("build", "--out", tmp_path / "next", cwd=large, env={"TOBLER_PACK_CACHE": tmp_path / "cache"})
    assert (told.code, told.err) == (0, "")
    fresh = run("build", "--out", tmp_path / "fresh", cwd=large, env={"TOBLER_PACK_CACHE": tmp_path / "fresh-cache"})
    assert (fresh.code, packs(tmp_path / "next")) == (0, packs(tmp_path / "fresh"))


def test_four_runs_at_once_do_not_harm_each_other(shop: Path, expected: dict[str, bytes], tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [script(), "build", "--out", tmp_path / "out", "--manifest", tmp_path / "out/manifest.json"],
            cwd=shop, env=environment({"TOBLER_PACK_CACHE": tmp_path / "cache"}), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]  # fmt: skip
    told = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert [err for _, err in told] == [b"", b"", b"", b""]
    assert packs(tmp_path / "out") == expected
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.name.startswith(".part-")]


@pytest.mark.parametrize("damage", ["empty", "blocked"])
def test_a_grammar_that_cannot_be_loaded_is_no_reason_for_another_pack(shop: Path, tmp_path: Path, damage: str) -> None:
    cache = tmp_path / "cache"
    assert run("index", cwd=shop, env={"TOBLER_PACK_CACHE": cache}).code == 0
    (folder,) = cache.glob("grammars-*")
    shutil.rmtree(next(cache.glob("index-*")))
    if damage == "empty":
        (library,) = folder.rglob("*python*")
        library.write_bytes(b"")
    else:
        shutil.rmtree(folder)
        folder.write_text("a file where the folder should be")
    told = run("build", "--out", tmp_path / "out", cwd=shop, env={"TOBLER_PACK_CACHE": cache})
    assert (told.code, told.out) == (3, "")
    assert told.err.startswith("tobler-pack: the grammar for ")
    assert f"remove the folder {folder}" in told.err
    assert not (tmp_path / "out").exists()

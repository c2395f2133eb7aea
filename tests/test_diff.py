"""The pack of a change, from the command line to the last byte, on real repositories."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from console import Console, Variables, environment, run
from repositories import SHOP, commit, create, git, write
from samples import independent_count, parsed
from tobler_pack.evidence.change_blend import CHANGES

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="hooks and names that Windows does not have")
AUTH, STORAGE = str(SHOP["src/auth.py"]), str(SHOP["src/storage.py"])
PAGES = '''"""Pages that ask who is there."""

from auth import authenticate, hash_password


def login_page(request, users):
    """Show the page for a known user."""
    user = authenticate(request, users)
    return f"hello {user.name}"


def register(request, users):
    """Keep a new user with the hash of the password."""
    users[request.name] = User(request.name, hash_password(request.password))


def about():
    """What this shop is."""
    return "a shop"
'''
LEDGER = '''"""The book of all orders."""


def book(order, ledger):
    """Write down an order."""
    ledger.append(order["number"])


def close(ledger):
    """Count what was written down."""
    return len(ledger)
'''
BUDGETS = (200, 300, 500, 1200, 5000)


def step(root: Path, message: str, files: dict[str, str]) -> str:
    """A commit with a message, a minute after the one before."""
    write(root, files)
    git(root, "add", "--all")
    at = int(git(root, "log", "-1", "--format=%ct")) + 60
    git(root, "commit", "--quiet", "-m", message, GIT_COMMITTER_DATE=f"{at} +0000")
    return git(root, "rev-parse", "HEAD")


def many(count: int) -> dict[str, str]:
    """Files that have nothing to do with the shop."""
    topics = ("planet", "river", "engine", "garden", "violin", "harbour", "glacier", "lantern")
    return {
        f"other/{topic}{at}.py": "".join(
            f"def {topic}_{at}_{part}(x):\n    '''Turn the {topic}.'''\n    return x * {part}\n\n\n"
            for part in range(4)
        )
        for at in range(count)
        for topic in topics
    }


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop with a past, in which auth.py and ledger.py changed together, and a branch of five commits."""
    files = {**SHOP, "src/pages.py": PAGES, "src/ledger.py": LEDGER, **many(3)}
    del files[".tobler-pack.yaml"]
    root = create(tmp_path_factory.mktemp("diff") / "shop", files)
    auth, ledger = AUTH, LEDGER
    for number in range(5):
        auth, ledger = auth + f"\nLIMIT_{number} = {number}\n", ledger + f"\nPAGE_{number} = {number}\n"
        step(root, f"limits {number}", {"src/auth.py": auth, "src/ledger.py": ledger})
    step(root, "a page", {"src/auth.py": auth + "\nLAST = 9\n"})
    git(root, "switch", "--quiet", "-c", "work")
    auth += "\nLAST = 9\n"
    auth = auth.replace("return hashlib.sha256(SALT + password", "return hashlib.sha512(SALT + password")
    step(root, "hash passwords with sha512", {"src/auth.py": auth})
    step(root, "round prices down", {"src/storage.py": STORAGE.replace("round(net * 1.19, 2)", "int(net * 1.19)")})
    step(root, 'Revert "round prices down"', {"src/storage.py": STORAGE})
    auth = auth.replace("user = users[request.name]", "user = users.get(request.name)")
    step(root, "a user that nobody knows", {"src/auth.py": auth})
    step(root, "text", {"README.md": str(SHOP["README.md"]).replace("one account", "an account")})
    return root


def diff(tobler: Console, root: Path, *arguments: str | Path) -> str:
    """The pack of a run that must be fine."""
    told = tobler("diff", *arguments, cwd=root)
    assert (told.code, told.err) == (0, "")
    return told.out


def entries(tobler: Console, root: Path, *arguments: str | Path) -> list[dict[str, Any]]:
    packs = json.loads(diff(tobler, root, *arguments, "--format", "json"))["packs"]
    assert isinstance(packs, list)
    return packs


def why(entry: dict[str, Any], path: str) -> set[str]:
    return {block["why"] for block in entry["blocks"] if block["path"] == path}


def changed_lines(root: Path, base: str, head: str, path: str) -> set[int]:
    """What git says was added to a file."""
    told = git(root, "diff", "--unified=0", base, head, "--", path)
    found: set[int] = set()
    for first, count in re.findall(r"^@@ \S+ \+(\d+)(?:,(\d+))? @@", told, re.MULTILINE):
        found |= set(range(int(first), int(first) + int(count or 1)))
    return found


# ---- what stands in it ----------------------------------------------------------------------------------------------


def test_what_the_pack_of_a_branch_holds(shop: Path, tobler: Console) -> None:
    text = diff(tobler, shop, "--base", "main", "--head", "work")
    rows = text.splitlines()
    assert rows[0] == "# `pull-request`"
    assert rows[1] == "Regenerate with `tobler-pack diff --base main --head work`"
    assert rows[3] == "Question: `what else matters for the change main...work (3 definitions in 2 files)`"
    assert re.match(r"N_eff=\S+ k=\d+ ε=\S+ τ=0.75 mem=\S+ tokens=\d+/2000 \(o200k_base\)$", rows[5])
    changed = text.split("## Changed here\n\n", 1)[1].split("\n\n", 1)[0].splitlines()
    assert [re.sub(r":[\d-]+", "", row) for row in changed] == [
        "- `src/auth.py` `hash_password`", "- `src/auth.py` `authenticate`", "- `README.md`",
    ]  # fmt: skip


def test_each_block_says_why_it_is_there(shop: Path, tobler: Console) -> None:
    (entry,) = entries(tobler, shop, "--base", "main", "--head", "work", "--budget", "6000")
    assert why(entry, "src/pages.py") <= {
        "uses `authenticate`, changed here", "uses `hash_password`, changed here",
    }  # fmt: skip
    assert why(entry, "src/pages.py")
    assert why(entry, "src/ledger.py") == {"changed together with `auth.py` in 6 of its last 7 commits"}
    assert why(entry, "tests/test_auth.py") == {"test of `auth.py`"}
    assert all(block["why"] for block in entry["blocks"] + entry["omitted"])


def test_a_reason_with_a_name_is_true(shop: Path, tobler: Console) -> None:
    (entry,) = entries(tobler, shop, "--base", "main", "--head", "work", "--budget", "9000")
    for block in entry["blocks"]:
        lines = git(shop, "show", f"work:{block['path']}").split("\n")[block["start_line"] - 1 : block["end_line"]]
        name = re.match(r"(?:uses|defines) `(\w+)`", block["why"])
        assert name is None or re.search(rf"\b{name[1]}\b", "\n".join(lines)), block


def test_the_manifest_names_what_changed(shop: Path, tobler: Console, tmp_path: Path) -> None:
    text = diff(tobler, shop, "--base", "main", "--head", "work", "--manifest", tmp_path / "m.json")
    told = json.loads((tmp_path / "m.json").read_text())
    assert told["tree"] == git(shop, "rev-parse", "work^{tree}")
    assert told["stamp"]["blend"].startswith(f"{CHANGES} ")
    (entry,) = told["packs"]
    assert (entry["id"], entry["surface"], entry["file"]) == ("pull-request", "pull-request", "pull-request.md")
    assert entry["changed"] == [
        {"path": "README.md", "symbol": "", "status": "changed"},
        {"path": "src/auth.py", "symbol": "hash_password", "status": "changed"},
        {"path": "src/auth.py", "symbol": "authenticate", "status": "changed"},
    ]
    assert entry["mem"] > 0
    assert entry["tokens"] == independent_count("o200k_base")(text)
    assert f"tokens={entry['tokens']}/2000" in text


@pytest.mark.parametrize("budget", BUDGETS)
def test_never_over_its_budget(shop: Path, tobler: Console, budget: int) -> None:
    text = diff(tobler, shop, "--base", "main", "--head", "work", "--budget", str(budget))
    assert independent_count("o200k_base")(text) <= budget


@pytest.mark.parametrize("budget", BUDGETS[1:])
def test_lines_are_those_of_the_head_none_twice_and_none_of_the_diff(shop: Path, tobler: Console, budget: int) -> None:
    (entry,) = entries(tobler, shop, "--base", "main", "--head", "work", "--budget", str(budget))
    text = diff(tobler, shop, "--base", "main", "--head", "work", "--budget", str(budget))
    seen: set[tuple[str, int]] = set()
    for block in entry["blocks"]:
        path = block["path"]
        lines = git(shop, "show", f"work:{path}").split("\n")
        shown = [at for first, last in block["lines"] for at in range(first, last + 1)]
        for first, last in block["lines"]:
            assert "\n".join(line.rstrip() for line in lines[first - 1 : last]) in text
        changed = changed_lines(shop, "main", "work", path)
        assert not set(shown) & changed
        assert not seen & {(path, at) for at in shown}
        seen |= {(path, at) for at in shown}
    assert seen


def test_a_budget_that_does_not_hold_the_heading(shop: Path, tobler: Console, tmp_path: Path) -> None:
    git(shop, "branch", "--force", "鬱" * 80, "main")
    told = tobler("diff", "--base", "鬱" * 80, "--head", "work", "--budget", "200", "--out", tmp_path / "o", cwd=shop)
    git(shop, "branch", "--delete", "--force", "鬱" * 80)
    assert (told.code, told.out) == (2, "")
    assert "does not hold the heading" in told.err
    assert not (tmp_path / "o").exists()


# ---- a pull request is a session ------------------------------------------------------------------------------------


def test_a_commit_that_was_taken_back_does_not_shape_the_pack(shop: Path, tobler: Console, tmp_path: Path) -> None:
    root = tmp_path / "r"
    git(tmp_path, "clone", "--quiet", str(shop), str(root))
    git(root, "switch", "--quiet", "-c", "straight", "origin/main")
    picked = git(root, "rev-list", "--reverse", "origin/main..origin/work").split()
    for one in (picked[0], picked[3], picked[4]):
        git(root, "cherry-pick", one)
    git(root, "branch", "--quiet", "--force", "work", "origin/work")
    packs = [entries(tobler, root, "--base", "origin/main", "--head", name)[0] for name in ("straight", "work")]
    assert packs[0]["blocks"] == packs[1]["blocks"]
    assert packs[0]["mem"] == packs[1]["mem"] > 0


def test_a_change_of_one_commit_has_no_memory(shop: Path, tobler: Console) -> None:
    text = diff(tobler, shop, "--base", "main", "--head", "main~0~0", "--base", "main~1")
    assert " mem=" not in text


# ---- exit codes and messages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", [(), ("--format", "json"), ("--out", "o"), ("--split-by", "package", "--out", "o")])
def test_nothing_differs(shop: Path, tobler: Console, tmp_path: Path, extra: tuple[str, ...]) -> None:
    extra = tuple(str(tmp_path / "o") if word == "o" else word for word in extra)
    told = tobler("diff", "--base", "main", "--head", "main", *extra, cwd=shop)
    assert (told.code, told.err) == (0, "tobler-pack: nothing differs in main...main, so there is no pack\n")
    assert json.loads(told.out)["packs"] == [] if "json" in extra else told.out == ""
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--staged", "--base", "main"), 2, "--staged compares the index with HEAD"),
        (("--base", "nowhere"), 3, "--base nowhere: there is no such commit in this clone"),
        (("--base", ""), 2, "is no name of a commit"),
        (("--format", "html"), 2, "--format html: unknown format; use md or json"),
        (("--split-by", "file", "--out", "o"), 2, "use top-level or package"),
        (("--split-by", "package"), 2, "name a folder for them with --out"),
        (("--budget", "0"), 2, "--budget 0: out of range"),
        (("--out", "README.md"), 2, "--out README.md is a file; name a folder"),
        (("--config", "gone.yaml"), 2, "gone.yaml"),
        (("--repo", "gone"), 3, "gone is not a folder"),
        (("--base", 'x"; touch PWNED; echo "'), 3, "there is no such commit"),
        (("--base", "$(touch PWNED)"), 3, "there is no such commit"),
    ],
)
def test_one_message_and_no_traceback(
    shop: Path, tobler: Console, arguments: tuple[str, ...], code: int, message: str
) -> None:
    told = tobler("diff", *arguments, cwd=shop)
    assert (told.code, told.out) == (code, "")
    assert message in told.err
    assert told.err.startswith("tobler-pack: ")
    assert told.err.count("\n") == 1
    assert not (shop / "PWNED").exists()


def test_a_depth_one_checkout(shop: Path, tobler: Console, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth", "1", "--branch", "work", shop.as_uri(), "c")
    told = tobler("diff", "--base", "origin/main", cwd=tmp_path / "c")
    assert (told.code, told.out) == (3, "")
    assert "fetch-depth: 0" in told.err
    git(tmp_path / "c", "fetch", "--quiet", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    told = tobler("diff", "--base", "origin/main", cwd=tmp_path / "c")
    assert told.code == 0
    assert told.err.startswith("tobler-pack: Compared with origin/main directly: this shallow clone")
    assert "Compared with origin/main directly" in told.out
    assert "This shallow clone holds no history" in told.out
    assert "changed together with" not in told.out
    assert "uses `hash_password`, changed here" in told.out


def test_a_partial_clone_says_what_it_lacks(shop: Path, tobler: Console, tmp_path: Path) -> None:
    git(shop, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", "--branch", "work", shop.as_uri(), "c")
    git(tmp_path / "c", "remote", "set-url", "origin", str(tmp_path / "gone"))
    told = tobler("diff", "--base", "origin/main", "--head", "HEAD", cwd=tmp_path / "c")
    assert (told.code, told.out) == (3, "")
    assert "git fetch --refetch --no-filter" in told.err
    git(tmp_path / "c", "remote", "set-url", "origin", shop.as_uri())
    git(tmp_path / "c", "fetch", "--quiet", "--refetch", "--no-filter")
    assert tobler("diff", "--base", "origin/main", "--head", "HEAD", cwd=tmp_path / "c").code == 0


def test_a_bare_repository(shop: Path, tobler: Console, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(shop), "bare")
    expected = diff(tobler, shop, "--base", "main", "--head", "work")
    assert diff(tobler, tmp_path, "--base", "main", "--head", "work", "--repo", tmp_path / "bare") == expected
    told = tobler("diff", "--base", "main", "--repo", tmp_path / "bare", cwd=tmp_path)
    assert told.code == 3
    assert told.err.startswith(
        "tobler-pack: a bare repository has no work tree; name the last commit of the change: --head"
    )


# ---- the same bytes, and nothing else in them -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(shop: Path) -> str:
    told = run("diff", "--base", "main", "--head", "work", cwd=shop)
    assert (told.code, told.err) == (0, "")
    return told.out


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_same_bytes_under_any_seed_with_a_fresh_cache(shop: Path, expected: str, tmp_path: Path, seed: str) -> None:
    hostile = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "diff.noprefix", "GIT_CONFIG_VALUE_0": "true"}
    variables: Variables = {
        "PYTHONHASHSEED": seed,
        "TOBLER_PACK_CACHE": tmp_path / "c",
        "OMP_NUM_THREADS": "1",
        "LC_ALL": "C",
    }
    told = run("diff", "--base", "main", "--head", "work", cwd=shop, env={**variables, **hostile})
    assert (told.code, told.err, told.out) == (0, "", expected)


def test_the_same_bytes_in_another_clone(shop: Path, expected: str, tobler: Console, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--mirror", str(shop), "an other place/.git")
    root = tmp_path / "an other place"
    git(root, "config", "core.bare", "false")
    git(root, "reset", "--quiet", "--hard")
    (root / "src").mkdir(exist_ok=True)
    assert diff(tobler, root / "src", "--base", "main", "--head", "work") == expected


def test_what_is_not_tracked_does_not_matter(shop: Path, expected: str, tobler: Console, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--no-local", str(shop), "c")
    root = tmp_path / "c"
    git(root, "branch", "--quiet", "main", "origin/main")
    write(root, {"src/authenticate.py": "SECRET = 'tok3n'\n", ".git/info/exclude": "*.tmp\n", "x.tmp": "authenticate"})
    assert diff(tobler, root, "--base", "main", "--head", "work") == expected
    assert "tok3n" not in diff(tobler, root, "--base", "main")


def test_no_variable_path_date_or_id_stands_in_it(shop: Path, tmp_path: Path) -> None:
    secret = {"API_TOKEN": "tok3n-9f1d77c0", "GITHUB_TOKEN": "tok3n-9f1d77c0"}
    cache = tmp_path / "cache"
    told = run(
        "diff", "--base", "main", "--head", "work", "--manifest", tmp_path / "m.json", "--out", tmp_path / "o",
        cwd=shop, env=secret | {"TOBLER_PACK_CACHE": cache, "TMPDIR": tmp_path},
    )  # fmt: skip
    assert told.code == 0
    pack = (tmp_path / "o/pull-request.md").read_text()
    for id_ in git(shop, "rev-list", "--all").split():
        assert id_[:8] not in pack
    assert str(shop) not in pack
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"tok3n" not in everything
    assert {path.name for path in tmp_path.iterdir()} == {"cache", "m.json", "o"}


# ---- the work tree, the index, hooks --------------------------------------------------------------------------------


@pytest.fixture
def own(shop: Path, tmp_path: Path) -> Path:
    """A clone of the shop that a test may change."""
    git(tmp_path, "clone", "--quiet", "--branch", "main", str(shop), "own")
    git(tmp_path / "own", "remote", "set-head", "origin", "main")
    return tmp_path / "own"


def test_without_options_the_work_tree_since_the_branch_began(own: Path, tobler: Console) -> None:
    git(own, "switch", "--quiet", "-c", "mine")
    text = (own / "src/ledger.py").read_text()
    step(own, "ledger", {"src/ledger.py": text.replace("len(ledger)", "len(ledger) + 1")})
    write(own, {"src/pages.py": PAGES.replace("a shop", "our shop"), "src/untracked.py": "x = 1\n"})
    (own / "web/cart.ts").unlink()
    (entry,) = entries(tobler, own)
    assert {one["path"] for one in entry["changed"]} == {"src/ledger.py", "src/pages.py", "web/cart.ts"}
    assert {one["path"] for one in entry["changed"] if one["status"] == "removed"} == {"web/cart.ts"}
    assert entry["query"].startswith("what else matters for the change origin/main...worktree (")


def test_what_is_staged(own: Path, tobler: Console) -> None:
    write(own, {"src/pages.py": PAGES.replace("a shop", "our shop")})
    git(own, "add", "--all")
    write(own, {"src/pages.py": PAGES, "src/auth.py": "x = 1\n"})
    (entry,) = entries(tobler, own, "--staged")
    assert [(one["path"], one["symbol"]) for one in entry["changed"]] == [("src/pages.py", "about")]
    assert entry["surface"] == "commit"
    git(own, "reset", "--quiet")
    assert tobler("diff", "--staged", cwd=own).err == "tobler-pack: nothing differs in staged, so there is no pack\n"


HOOK = """#!/bin/sh
"{python}" -m tobler_pack diff --staged --out "{out}" || exit 1
"""


def hook(root: Path, out: Path) -> None:
    hooks = Path(git(root, "rev-parse", "--path-format=absolute", "--git-path", "hooks"))
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text(HOOK.format(python=sys.executable, out=out))
    (hooks / "pre-commit").chmod(0o755)


@POSIX
@pytest.mark.parametrize(
    ("place", "way"),
    [("checkout", "-a"), ("worktree", "-a"), ("sub-folder", "path"), ("checkout", "index"), ("worktree", "path")],
)
def test_a_hook_sees_what_is_committed(own: Path, tmp_path: Path, place: str, way: str) -> None:
    """`git commit -a` and `git commit PATH` hand a temporary index to the hook; nothing of it may get lost."""
    root = own
    if place == "worktree":
        git(own, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "tree"))
        root = tmp_path / "tree"
    hook(root, tmp_path / "out")
    write(root, {"src/pages.py": PAGES.replace("a shop", "our shop")})
    if way == "index":
        git(root, "add", "src/pages.py")
        write(root, {"src/auth.py": "not = 'staged'\n"})
    elif way == "path":
        write(root, {"src/auth.py": "staged = 'but not committed'\n"})
        git(root, "add", "src/auth.py")
    where = root / "src" if place == "sub-folder" else root
    named = {"-a": ["-a"], "index": [], "path": ["pages.py" if place == "sub-folder" else "src/pages.py"]}[way]
    git(where, "-c", "diff.noprefix=true", "commit", "--quiet", "-m", "about", *named)
    text = (tmp_path / "out/commit.md").read_text()
    assert re.findall(r"^- `(.*?):[\d-]+` `(\w+)`$", text, re.MULTILINE)[0] == ("src/pages.py", "about")
    assert "(1 definition in 1 file)" in text
    assert git(root, "show", "--format=", "--name-only", "HEAD") == "src/pages.py"
    assert git(root, "status", "--porcelain", "--untracked-files=no") == {
        "-a": "", "index": " M src/auth.py", "path": "M  src/auth.py",
    }[way]  # fmt: skip


def test_a_sub_folder_of_a_repository_with_submodules(own: Path, tobler: Console, tmp_path: Path) -> None:
    inner = create(tmp_path / "inner", {"i.py": "def inner_part():\n    return 1\n"})
    git(own, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "vendor/inner")
    commit(own)
    commit(own / "vendor/inner", {"i.py": "def inner_part():\n    return 2\n"})
    git(own, "add", "vendor/inner")
    write(own, {"src/pages.py": PAGES.replace("a shop", "our shop")})
    begun = perf_counter()
    text = diff(tobler, own / "src", "--base", "HEAD")
    assert perf_counter() - begun < 60
    assert "Changed too, but not asked about: `vendor/inner` (submodule)." in text
    assert "inner_part" not in text
    assert "about" in text


# ---- names and text that want to be something else ------------------------------------------------------------------

ODD = [
    "Aufträge/日本 a.py", "Aufträge/Größe.py", "a\tb.py", "a\nb.py", "-leading.py", "--tree/-x.py", " space .py",
    '"quoted" \\ name.py', os.fsdecode(b"latin-\xe4.py"), "<!-- @everyone -->.py", "@octocat.py", "`tick``s`.py",
    "[a](http://b).py", "# head.py", "- item.py", "::add-mask::x.py", "<details>.py", "\u202eyp.a\u202c.py",
]  # fmt: skip


@POSIX
def test_names_that_git_quotes_or_markdown_reads(tobler: Console, tmp_path: Path) -> None:
    before = {name: f"def part_{at}(x):\n    return x + shared_helper(x)\n" for at, name in enumerate(ODD)}
    others = {f"twins/{name}": text.replace("part", "twin") for name, text in before.items()}
    root = create(tmp_path / "r", {**before, **others, "helper.py": "def shared_helper(x):\n    return x\n"})
    commit(root, {name: text.replace("return x", "return 2 * x") for name, text in before.items()})
    for budget in ("700", "1500", "6000"):
        (entry,) = entries(tobler, root, "--base", "HEAD~1", "--head", "HEAD", "--budget", budget)
        text = diff(tobler, root, "--base", "HEAD~1", "--head", "HEAD", "--budget", budget)
        assert len(entry["changed"]) == len(ODD) - 1
        assert r"`latin-\xe4.py` (undecodable)" in text
        assert independent_count("o200k_base")(text) <= int(budget)
        plain_of(text)
    assert "Aufträge/日本 a.py" in text


def plain_of(text: str) -> str:
    """What a reader sees outside of code; it must be ours alone."""
    found = parsed(text)
    assert {kind for kind, _ in found} <= {
        "text", "softbreak", "code_inline", "fence", "h1", "h2", "h3", "p", "ul", "li",
    }  # fmt: skip
    plain = "\n".join(content for kind, content in found if kind == "text")
    assert "@" not in plain
    assert "<" not in plain
    return plain


@POSIX
def test_text_of_the_repository_never_becomes_markup(tobler: Console, tmp_path: Path) -> None:
    docs = "# One @octocat\n\nText.\n\n## <!-- tobler-pack --> ` [x](y)\n\nMore.\n\n"
    docs += "## ::add-mask::`` ``` </details>\n\nEnd.\n"
    files = {
        "README.md": docs,
        "@octocat.py": "def part(x):\n    return x\n",
        "use.py": "part(1)\n",
        "test_@octocat.py": "part(2)\n",
    }
    root = create(tmp_path / "r", files)
    git(root, "branch", "@everyone")
    git(root, "branch", "a`b<!--")
    step(
        root,
        "@octocat <!-- x --> `part`",
        {"README.md": docs.replace(".", "!"), "@octocat.py": "def part(x):\n    return 2 * x\n"},
    )
    for base in ("@everyone", "a`b<!--"):
        text = diff(tobler, root, "--base", base, "--head", "main")
        plain_of(text)
        assert "part" in text


def test_a_pack_ends_as_a_text_should(expected: str) -> None:
    assert expected.endswith("\n")
    assert not expected.endswith("\n\n")
    assert not re.search(r"[ \t]$|\r", expected, re.MULTILINE)


# ---- what asks nothing ----------------------------------------------------------------------------------------------


@POSIX
def test_changes_that_ask_nothing_are_named(tobler: Console, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".gitattributes": "gen/** linguist-generated\ngen/hand.py -linguist-generated\n",
        "gen/made.py": "def made():\n    return 1\n", "gen/hand.py": "def hand():\n    return 1\n",
        "poetry.lock": "a\n", "go.sum": "a\n", "web/package-lock.json": "{}\n", "app.min.js": "var a=1\n",
        "run.sh": "echo run\n", "a.bin": b"\0a", "old.py": "def old():\n    return 1\n",
        "keep.py": "def keep():\n    pass\n",
    }  # fmt: skip
    root = create(tmp_path / "r", files)
    write(
        root, {name: str(text) + "# more\n" for name, text in files.items() if name not in ("a.bin", ".gitattributes")}
    )
    write(
        root,
        {"a.bin": b"\0b", "run.sh": "echo run\n", "old.py": str(files["old.py"]), "keep.py": str(files["keep.py"])},
    )
    (root / "run.sh").chmod(0o755)
    (root / "old.py").rename(root / "new.py")
    git(root, "add", "--all")
    (entry,) = entries(tobler, root, "--staged", "--budget", "2000")
    assert [one["path"] for one in entry["changed"]] == ["gen/hand.py"]
    assert "(1 definition in 9 files)" in entry["query"]
    text = diff(tobler, root, "--staged", "--budget", "2000")
    assert (
        "Changed too, but not asked about: `a.bin` (binary), `app.min.js` (lock file), `gen/made.py` (generated)"
        in text
    )
    assert "and 5 more." in text


@POSIX
def test_a_change_of_nothing_but_such_files_has_a_pack_that_says_so(tobler: Console, own: Path) -> None:
    (own / "src/pages.py").chmod(0o755)
    git(own, "mv", "src/ledger.py", "src/book.py")
    text = diff(tobler, own, "--base", "HEAD", "--budget", "600")
    assert "(0 definitions in 2 files)" in text
    assert "`src/book.py` (name only), `src/pages.py` (mode)" in text
    assert "nan" not in text


def test_deleted_and_renamed_files_do_not_break_a_reader(tobler: Console, own: Path) -> None:
    (own / "src/pages.py").unlink()
    git(own, "mv", "src/auth.py", "src/access.py")
    auth = (own / "src/access.py").read_text()
    write(own, {"src/access.py": auth.replace("def authenticate(", "def identify(")})
    git(own, "add", "--all")
    (entry,) = entries(tobler, own, "--staged", "--budget", "3000")
    changed = {(one["path"], one["symbol"]): one["status"] for one in entry["changed"]}
    assert changed["src/access.py", "identify"] == "renamed"
    assert changed["src/pages.py", "login_page"] == "removed"
    assert any(block["path"] == "src/ledger.py" for block in entry["blocks"])  # by the past under the old name


# ---- large changes --------------------------------------------------------------------------------------------------


def functions(word: str, count: int, lines: int = 6) -> str:
    body = "".join(f"    total += request[{at}] * {at}\n" for at in range(lines))
    return "".join(f"def {word}_{at}(request, total=0):\n{body}    return total\n\n\n" for at in range(count))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """350 files that changed, of 25,000 lines, in four top-level folders and two packages."""
    places = [f"{'abcd'[at % 4]}/{'pkg' if at % 8 < 4 else 'rest'}/part_{at}.py" for at in range(350)]
    files = {place: functions(f"part_{at}", 8) for at, place in enumerate(places)}
    files |= {
        "a/pkg/pyproject.toml": "[project]\n",
        "b/pkg/package.json": "{}\n",
        "d/one.py": functions("one", 700, 30),
    }
    root = create(tmp_path_factory.mktemp("large") / "r", files | {"caller.py": "part_7_3(1)\n"})
    changed = {name: text.replace("total +=", "total -=") for name, text in files.items()}
    commit(root, changed)
    assert len(git(root, "diff", "--name-only", "HEAD~1").splitlines()) == 351
    assert int(git(root, "diff", "--shortstat", "HEAD~1").split(",")[1].split()[0]) > 20_000
    return root


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read as Linux tells it")
def test_a_change_of_350_files_and_20000_lines(large: Path, tmp_path: Path) -> None:
    """Peak memory and time of the real command, index included."""
    program = (
        "import sys; from tobler_pack.__main__ import main\n"
        "try: main()\n"
        # Not ru_maxrss: that begins with what the process was that started this one.
        "finally: print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')],"
        " file=sys.stderr)"
    )
    begun = os.times()
    done = subprocess.run(
        [sys.executable, "-c", program, "diff", "--base", "HEAD~1", "--head", "HEAD", "--budget", "3000"],
        cwd=large, env=environment({"TOBLER_PACK_CACHE": tmp_path / "cache"}), capture_output=True, check=False,
    )  # fmt: skip
    ended = os.times()
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert independent_count("o200k_base")(text) <= 3000
    assert "(3500 definitions in 351 files)" in text
    assert "Only the 200 most changed definitions asked, 3300 did not." in text
    assert re.search(r"^- and \d+ more$", text, re.MULTILINE)
    assert int(done.stderr.split()[-1]) < 600_000  # KB
    assert ended.children_user - begun.children_user < 40


@pytest.mark.parametrize(
    ("way", "expected_names"),
    [
        ("top-level", ["pull-request-a", "pull-request-b", "pull-request-c", "pull-request-d"]),
        ("package", ["pull-request-a-pkg", "pull-request-b-pkg", "pull-request-root"]),
    ],
)
def test_a_large_change_by_area(
    large: Path, tobler: Console, tmp_path: Path, way: str, expected_names: list[str]
) -> None:
    told = tobler(
        "diff",
        "--base",
        "HEAD~1",
        "--head",
        "HEAD",
        "--budget",
        "4000",
        "--split-by",
        way,
        "--out",
        tmp_path,
        cwd=large,
    )
    assert (told.code, told.err) == (0, "")
    packs = {path.stem: path.read_text() for path in sorted(tmp_path.iterdir())}
    assert list(packs) == expected_names
    assert len(told.out.splitlines()) == len(packs)
    count = independent_count("o200k_base")
    budgets = [int(re.search(r"tokens=\d+/(\d+)", text)[1]) for text in packs.values()]  # type: ignore[index]
    assert sum(budgets) <= 4000
    assert all(count(text) <= budget for text, budget in zip(packs.values(), budgets, strict=True))

"""The commits of a pull request in checkouts as actions/checkout makes them."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from repositories import commit, create, git
from tobler_pack.ci.event import Pull
from tobler_pack.ci.history import ends_of, token_for_git

SERVER = "https://github.com"


class Origin:
    """A repository with a pull request whose base has moved on since."""

    def __init__(self, root: Path) -> None:
        self.root = create(root, {"a.py": "a = 1\n"})
        for at in range(5):
            self.fork_point = commit(self.root, {"b.py": f"b = {at}\n"})
        self.event_base = self.fork_point
        git(self.root, "checkout", "--quiet", "-b", "change")
        commit(self.root, {"c.py": "c = 1\n"})
        self.head = commit(self.root, {"c.py": "c = 2\n"})
        git(self.root, "checkout", "--quiet", "main")
        for at in range(3):
            self.base = commit(self.root, {"d.py": f"d = {at}\n"})
        git(self.root, "checkout", "--quiet", "--detach")
        git(self.root, "merge", "--quiet", "--no-ff", "-m", "merge", self.head)
        git(self.root, "update-ref", "refs/pull/7/merge", "HEAD")
        git(self.root, "update-ref", "refs/pull/7/head", self.head)
        git(self.root, "checkout", "--quiet", "main")
        git(self.root, "branch", "--quiet", "-D", "change")

    @property
    def pull(self) -> Pull:
        return Pull(7, "main", self.event_base, self.head, is_fork=False)

    def checkout(self, where: Path, *options: str, ref: str = "refs/pull/7/merge") -> Path:
        where.mkdir()
        git(where, "init", "--quiet")
        git(where, "remote", "add", "origin", f"file://{self.root}")
        git(where, "fetch", "--quiet", "--no-tags", *options, "origin", f"+{ref}:refs/remotes/pull/7/merge")
        git(where, "checkout", "--quiet", "--force", "refs/remotes/pull/7/merge")
        return where


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path / "origin")


def changed(where: Path, base: str, head: str) -> list[str]:
    return git(where, "diff", "--name-only", f"{base}...{head}").splitlines()


def test_the_usual_checkout_of_one_commit(origin: Origin, tmp_path: Path) -> None:
    where = origin.checkout(tmp_path / "w", "--depth=1")
    ends = ends_of(where, origin.pull, "", SERVER)
    assert (ends.base, ends.head, ends.problem) == (origin.base, origin.head, "")
    assert changed(where, ends.base, ends.head) == ["c.py"]


def test_a_checkout_with_all_history_is_asked_nothing(origin: Origin, tmp_path: Path) -> None:
    where = tmp_path / "w"
    git(tmp_path, "clone", "--quiet", f"file://{origin.root}", str(where))
    git(where, "fetch", "--quiet", "origin", "refs/pull/7/head")
    git(where, "remote", "set-url", "origin", "file:///nowhere")
    ends = ends_of(where, origin.pull, "", SERVER)
    assert (ends.base, ends.head, ends.problem) == (origin.base, origin.head, "")


def test_a_full_checkout_that_somebody_made_shallow_again(origin: Origin, tmp_path: Path) -> None:
    where = tmp_path / "w"
    git(tmp_path, "clone", "--quiet", f"file://{origin.root}", str(where))
    git(where, "fetch", "--quiet", "--depth=1", "origin", "main", "refs/pull/7/head")
    ends = ends_of(where, origin.pull, "", SERVER)
    assert ends.problem == ""
    assert changed(where, ends.base, ends.head) == ["c.py"]


def test_a_full_clone_stays_full(origin: Origin, tmp_path: Path) -> None:
    where = tmp_path / "w"
    git(tmp_path, "clone", "--quiet", f"file://{origin.root}", str(where))
    assert ends_of(where, origin.pull, "", SERVER).problem == ""
    assert git(where, "rev-parse", "--is-shallow-repository") == "false"


def test_a_history_deeper_than_the_first_step(origin: Origin, tmp_path: Path) -> None:
    blobs = "".join(
        f"commit refs/heads/main\ncommitter a <a@b> {at} +0000\ndata 1\nx\n"
        + (f"from {origin.base}\n" if at == 1 else "")
        + f"M 100644 inline e.py\ndata <<E\n{at}\nE\n"
        for at in range(1, 71)
    )
    git(origin.root, "fast-import", "--quiet", "--force", given=blobs.encode())
    where = origin.checkout(tmp_path / "w", "--depth=1")
    ends = ends_of(where, origin.pull, "", SERVER)
    assert ends.problem == ""
    assert changed(where, ends.base, ends.head) == ["c.py"]


def test_a_clone_that_cannot_fetch(origin: Origin, tmp_path: Path) -> None:
    where = origin.checkout(tmp_path / "w", "--depth=1")
    git(where, "remote", "set-url", "origin", "file:///nowhere")
    ends = ends_of(where, origin.pull, "", SERVER)
    assert "cannot be fetched (" in ends.problem
    assert ends.problem.endswith("give actions/checkout `fetch-depth: 0`")


def test_branches_without_a_common_commit(origin: Origin, tmp_path: Path) -> None:
    git(origin.root, "checkout", "--quiet", "--orphan", "other")
    head = commit(origin.root, {"z.py": "z = 1\n"})
    git(origin.root, "update-ref", "refs/pull/8/head", head)
    where = origin.checkout(tmp_path / "w", "--depth=1", ref="refs/pull/8/head")
    ends = ends_of(where, Pull(8, "main", origin.base, head, is_fork=True), "", SERVER)
    assert (ends.base, ends.head, ends.problem) == (origin.base, head, "")  # the command says it


def test_a_shallow_clone_that_cannot_fetch_but_has_both_ends(origin: Origin, tmp_path: Path) -> None:
    where = origin.checkout(tmp_path / "w", "--depth=1")
    git(where, "fetch", "--quiet", "--depth=1", "origin", "refs/pull/7/head", "+main:refs/remotes/origin/main")
    git(where, "remote", "set-url", "origin", "file:///nowhere")
    ends = ends_of(where, origin.pull, "", SERVER)
    assert (ends.base, ends.head, ends.problem) == (origin.base, origin.head, "")


def test_a_base_branch_whose_name_is_an_option(origin: Origin, tmp_path: Path) -> None:
    where = origin.checkout(tmp_path / "w", "--depth=1")
    pull = Pull(7, "--upload-pack=touch PWNED;", origin.event_base, origin.head, is_fork=True)
    ends_of(where, pull, "", SERVER)
    assert not [*tmp_path.rglob("PWNED")]


def test_the_token_goes_by_environment_and_is_not_kept(origin: Origin, tmp_path: Path) -> None:
    where = origin.checkout(tmp_path / "w", "--depth=1")
    ends_of(where, origin.pull, "ghs_secret", SERVER)
    assert "ghs_secret" not in (where / ".git/config").read_text()
    assert "extraheader" not in (where / ".git/config").read_text()


def test_of_two_tokens_git_sends_ours_alone(tmp_path: Path) -> None:
    """A server refuses two of these headers, and actions/checkout may have left one."""
    sent: list[list[str]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            pass

        def do_GET(self) -> None:
            sent.append(self.headers.get_all("Authorization") or [])
            self.send_error(404)

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    where = create(tmp_path / "w")
    address = f"http://127.0.0.1:{server.server_port}"
    git(where, "config", f"http.{address}/.extraheader", "AUTHORIZATION: basic theirs")
    ours = {name: value.replace(SERVER, address) for name, value in token_for_git("ours", SERVER).items()}
    env = os.environ | ours | {"GIT_ALLOW_PROTOCOL": "http"}
    subprocess.run(["git", "fetch", "--quiet", f"{address}/r"], cwd=where, env=env, capture_output=True)
    thread.join()
    server.server_close()
    assert sent == [["basic " + base64.b64encode(b"x-access-token:ours").decode()]]

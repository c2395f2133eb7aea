"""The commits that a diff needs, in a checkout that may have only one: fetched step by step, by the action alone.

The rest of the program never fetches. Here it is the only way to a pull request's diff: the usual checkout has the
depth of one commit, which is a merge whose parents are missing.
"""

from __future__ import annotations

import base64
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tobler_pack.ci.event import Pull
from tobler_pack.ci.run import small_environment

_BASE, _HEAD = "refs/tobler-pack/base", "refs/tobler-pack/head"
_DEPTHS = (60, 600, 6_000)
_ALL = f"--depth={2**31 - 1}"  # to git this means without end, also where nothing is missing
_SECONDS = 300


@dataclass(frozen=True)
class Ends:
    """The two commits to compare. `problem` says why one of them is not here, empty if both are."""

    base: str
    head: str
    problem: str = ""


def ends_of(folder: Path, pull: Pull, token: str, server: str) -> Ends:
    """The tip of the base branch and the head of a pull request, with the history down to where they parted.

    The event's own base commit is as old as the last push; the branch itself is what the change will be merged into.
    Where history stays short of that, the command that compares them says what it does instead.
    """
    clone = _Clone(folder, token, server)
    ends = Ends(clone.first_of(f"refs/remotes/origin/{pull.base_ref}", pull.base_sha), pull.head_sha)
    if clone.have_met(ends):
        return ends
    said = ""
    for depth in clone.depths():
        said = clone.fetch(pull, depth)
        if said:
            break
        ends = Ends(clone.first_of(_BASE, pull.base_sha), pull.head_sha)
        if clone.have_met(ends):
            return ends
    if all(clone.has(end) for end in (ends.base, ends.head)):
        return ends
    reason = f"cannot be fetched ({said})" if said else "are not there any more"
    problem = f"commits of this pull request {reason}; give actions/checkout `fetch-depth: 0`"
    return Ends(ends.base, ends.head, problem)


class _Clone:
    """The checkout, asked by git itself."""

    def __init__(self, folder: Path, token: str, server: str) -> None:
        self._folder = folder
        self._environment = small_environment(os.environ) | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        self._secret = token_for_git(token, server)

    def first_of(self, *names: str) -> str:
        """The first of some names that is a commit here, else the last name."""
        return next(filter(None, map(self._commit, names)), names[-1])

    def has(self, name: str) -> bool:
        """Whether this is a commit here."""
        return bool(self._commit(name))

    def _commit(self, name: str) -> str:
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return self._git(*asked).stdout.decode().strip()

    def have_met(self, ends: Ends) -> bool:
        """Whether both commits are here with one that both come from."""
        return self._git("merge-base", ends.base, ends.head).returncode == 0

    def depths(self) -> list[str]:
        """How to fetch, step by step. A clone with all of its history is never made shallow."""
        if self._git("rev-parse", "--is-shallow-repository").stdout.strip() != b"true":
            return [""]
        return [*(f"--depth={max(depth, self._depth())}" for depth in _DEPTHS), _ALL]

    def fetch(self, pull: Pull, depth: str) -> str:
        """Fetch both ends; what git said if it could not."""
        wanted = [f"+refs/heads/{pull.base_ref}:{_BASE}", f"+refs/pull/{pull.number}/head:{_HEAD}"]
        how = [depth] if depth else []
        options = ["--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", *how]
        try:
            done = self._git("fetch", *options, "origin", *wanted, env=self._secret)
        except subprocess.TimeoutExpired:
            return f"no answer in {_SECONDS} seconds"
        return "" if done.returncode == 0 else _last_line(done.stderr)

    def _depth(self) -> int:
        counted = self._git("rev-list", "--count", "--first-parent", "HEAD").stdout.strip()
        return int(counted) if counted.isdigit() else 1

    def _git(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603 - no shell; refs are given in full, so none can be an option
            ["git", *arguments],  # noqa: S607 - the git of the job
            cwd=self._folder,
            env=self._environment | (env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )


def token_for_git(token: str, server: str) -> dict[str, str]:
    """The token for git, by environment: an argument could be read by every process of the machine.

    The empty value takes away the header that actions/checkout may have left: two of them are refused by the server.
    """
    if not token or urlsplit(server).scheme != "https":
        return {}
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    key = f"http.{server}/.extraheader"
    return {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": key,
        "GIT_CONFIG_VALUE_0": "",
        "GIT_CONFIG_KEY_1": key,
        "GIT_CONFIG_VALUE_1": f"AUTHORIZATION: basic {secret}",
    }


def _last_line(said: bytes) -> str:
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else "git gave no reason"

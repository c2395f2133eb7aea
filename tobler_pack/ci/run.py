"""Runs `tobler-pack` as a command of its own, in a small environment: no token and no secret of the job reaches it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tobler_pack.corpus.place import VARIABLE

_PASSED_ON = (
    *("PATH", "HOME", "USERPROFILE", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH"),
    *("HF_HOME", "HF_ENDPOINT", "HF_HUB_OFFLINE", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"),
)


@dataclass(frozen=True, slots=True)
class Done:
    """How a run ended and what it said."""

    code: int
    out: str
    err: str


def tobler_pack(arguments: Sequence[str], folder: Path, cache: Path) -> Done:
    """Run a command of this very program in a folder. The folder's own modules are never imported (`-I`)."""
    command = [sys.executable, "-I", "-m", "tobler_pack", *arguments]
    done = subprocess.run(  # noqa: S603 - no shell, our own interpreter
        command,
        cwd=folder,
        env=small_environment(os.environ) | {VARIABLE: str(cache)},
        capture_output=True,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def small_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """What a child needs to work, and nothing else."""
    return {name: variables[name] for name in _PASSED_ON if name in variables}

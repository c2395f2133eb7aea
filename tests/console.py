"""The command line as tests run it: in this process, or as the installed console script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tobler_pack.__main__ import main


@dataclass(frozen=True)
class Answer:
    """What a run said."""

    code: int
    out: str
    err: str


class Console:
    """Runs `tobler-pack` in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]) -> None:
        self._monkeypatch = monkeypatch
        self._capture = capture

    def __call__(self, *arguments: str | Path, cwd: Path) -> Answer:
        self._monkeypatch.chdir(cwd)
        self._monkeypatch.setattr(sys, "argv", ["tobler-pack", *map(str, arguments)])
        self._capture.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        told = self._capture.readouterr()
        assert isinstance(end.value.code, int)
        return Answer(end.value.code, told.out.decode(), told.err.decode())


def script() -> str:
    """The installed console script that belongs to this interpreter."""
    found = shutil.which("tobler-pack", path=str(Path(sys.executable).parent))
    assert found is not None, "tobler-pack is not installed beside this Python; type: pip install -e ."
    return found


Variables = Mapping[str, "str | Path | None"]
"""Changes of the environment; None takes a variable away."""


def run(*arguments: str | Path, cwd: Path, prefix: tuple[str, ...] = (), env: Variables = {}) -> Answer:  # noqa: B006
    """Run the console script."""
    command = [*prefix, script(), *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment(env), capture_output=True, timeout=120, check=False)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def environment(changes: Variables = {}) -> dict[str, str]:  # noqa: B006
    """The environment with some changes."""
    changed = {name: str(value) for name, value in changes.items() if value is not None}
    return {name: value for name, value in (os.environ | changed).items() if changes.get(name, "") is not None}


def loaded(*arguments: str, cwd: Path, among: Sequence[str]) -> list[str]:
    """Which of some modules a run in a process of its own had imported when it ended well."""
    program = (
        f"import json, sys; sys.argv = {['tobler-pack', *arguments]!r}\n"
        "from tobler_pack.__main__ import _run\n"
        f"print(json.dumps([_run(), [name for name in {list(among)!r} if name in sys.modules]]))"
    )
    told = subprocess.run([sys.executable, "-c", program], cwd=cwd, env=environment(), capture_output=True, text=True)
    code, names = json.loads(told.stdout.splitlines()[-1])
    assert code == 0, told.stdout + told.stderr
    return list(names)

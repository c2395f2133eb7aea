"""Every test runs away from the user's home, caches, git configuration and network; whoever strays fails loudly."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from console import Console
from repositories import IDENTITY
from tobler_pack.corpus.model import EMBEDDED, StaticModel, load_model

_REAL_HOME = Path.home()
_FORBIDDEN = tuple(
    str(_REAL_HOME / name)
    for name in (".cache/tobler-pack", ".cache/semble", ".cache/huggingface", ".gitconfig", ".config/git")
)
_LOOKS_AT_FILES = ("open", "os.mkdir", "os.rename", "os.remove", "os.listdir", "os.scandir")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Strayed(BaseException):
    """A test touched what is the user's. No test may catch it by accident, so it is no Exception."""


def _trap(event: str, arguments: tuple[object, ...]) -> None:
    if event in _LOOKS_AT_FILES and isinstance(arguments[0], str | os.PathLike):
        path = os.fspath(arguments[0])
        if isinstance(path, str) and path.startswith(_FORBIDDEN):
            raise Strayed(f"{event} {path}: a test touches the user's own files")
    elif event == "socket.connect":
        address = arguments[1]
        if isinstance(address, tuple) and address[0] not in _LOOPBACK:
            raise Strayed(f"a test talks to {address}")


def pytest_configure() -> None:
    """Before any test module is imported: a throw-away home, and git as on a machine where nobody configured it."""
    away = Path(tempfile.mkdtemp(prefix="tobler-pack-tests-"))
    home = away / "home"
    home.mkdir()
    for variable in [name for name in os.environ if name.startswith(("GIT_", "XDG_", "HF_", "LC_", "TOBLER_"))]:
        del os.environ[variable]
    os.environ |= IDENTITY | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "TOBLER_PACK_CACHE": str(away / "cache"),  # one for all tests: grammars are unpacked once
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_TEMPLATE_DIR": str(away),
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
    sys.addaudithook(_trap)


@pytest.fixture
def tobler(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Iterator[Console]:
    """The command line in this process: a hundred times faster than a new one, and the same `main`."""
    before = dict(os.environ)
    yield Console(monkeypatch, capfdbinary)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def cold_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder of this test's own."""
    folder = tmp_path / "own-cache"
    monkeypatch.setenv("TOBLER_PACK_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def model() -> StaticModel:
    """The embedded model."""
    return load_model(EMBEDDED, None)

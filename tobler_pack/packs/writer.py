"""Writing files so that a reader finds the old one or the new one, whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tobler_pack import interruption
from tobler_pack.errors import EnvironmentProblem

MARK = "Regenerate with `tobler-pack build --only "
"""How the second line of a pack of a configuration begins: by it leftovers are told from other people's files."""


def read_if_there(path: Path) -> str | None:
    """The text of a file, None if there is none or it is no text of ours."""
    with suppress(OSError, UnicodeDecodeError):
        return path.read_bytes().decode()
    return None


def replace(path: Path, text: str) -> None:
    """Write a text beside, then replace; after a Ctrl-C not at all.

    Raises EnvironmentProblem if the folder cannot be written to.
    """
    replace_bytes(path, text.encode())


def replace_bytes(path: Path, data: bytes) -> None:
    """Write bytes beside, then replace, as `replace` does."""
    interruption.check()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(mode)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise EnvironmentProblem(
            f"cannot write {path}: {error.strerror}; check the folder or choose another --out"
        ) from None


def leftovers(folder: Path, wanted: Iterable[str]) -> list[Path]:
    """Packs in a folder whose question is gone, by name."""
    names = {f"{name}.md" for name in wanted}
    with suppress(OSError):
        return [path for path in sorted(folder.glob("*.md")) if path.name not in names and _is_pack(path)]
    return []


def _is_pack(path: Path) -> bool:
    text = read_if_there(path) or ""
    return text.split("\n", 2)[1:2] != [] and text.split("\n", 2)[1].startswith(MARK)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current

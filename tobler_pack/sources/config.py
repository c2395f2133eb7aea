"""The configuration as the program sees it: plain frozen records, read from `.tobler-pack.yaml`.

Importing this module is cheap; what reads and checks the file is loaded when a file is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tobler_pack.errors import EnvironmentProblem, UsageError
from tobler_pack.types import Content

DEFAULT_NAME = ".tobler-pack.yaml"
"""The file's name at the root of a repository."""


@dataclass(frozen=True, slots=True)
class Question:
    """One named question; its pack is `<out>/<id>.md`.

    `budget` is None where the file gives none for this question. Without `paths` the whole
    repository is searched.
    """

    id: str
    ask: str
    budget: int | None = None
    paths: tuple[str, ...] = ()
    session: str | None = None
    surface: str = "batch"


@dataclass(frozen=True, slots=True)
class Surface:
    """What the file says of a surface; empty and None where it says nothing."""

    name: str
    asks: str = ""
    over: Content | None = None
    fires: str = ""
    floor: float | None = None
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """The whole file; a record without arguments is what a file with nothing but its version says.

    `out` is relative to the root of the repository, with `/` between folders. Questions keep the
    order of the file.
    """

    version: int = 1
    out: str = "context"
    budget: int = 2000
    model: str = "embedded"
    tokens: str = "o200k_base"
    content: tuple[Content, ...] = (Content.CODE,)
    exclude: tuple[str, ...] = ()
    queries: tuple[Question, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    telemetry: bool = True


Values = dict[str, Any]
"""What a checked file says, as plain data with every key: JSON can hold it."""

Remember = Callable[[str, Callable[[], Values]], Values]
"""Knows the values of a text that was checked before, or has them checked now."""


def read_config(text: str, name: str = DEFAULT_NAME, remember: Remember = lambda text, check: check()) -> Config:
    """The configuration in `text`; `name` is what messages call the file.

    Raises UsageError with every mistake, one per line.
    """
    return _config(remember(text, lambda: _checked(text, name)))


def _checked(text: str, name: str) -> Values:
    from tobler_pack.sources.validation import validated

    return validated(text, name).model_dump()


def load_config(path: Path, name: str | None = None, remember: Remember = lambda text, check: check()) -> Config:
    """The configuration in a file; `name` is what messages call it, by default the path as given."""
    shown = name or str(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{shown}: there is no such file; type `tobler-pack init` to write a first one") from None
    except IsADirectoryError:
        raise UsageError(f"{shown}: is a folder; name the configuration file inside it") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{shown}:{line}: not UTF-8 text; save the file as UTF-8") from None
    except OSError as error:
        raise EnvironmentProblem(f"{shown}: cannot be read ({error.strerror}); check its permissions") from None
    return read_config(text, shown, remember)


def json_schema() -> dict[str, Any]:
    """The JSON schema of the file, for editors."""
    from tobler_pack.sources import schema

    return schema.json_schema()


def resolve_out(root: Path, out: str) -> Path:
    """The folder for packs on this disk, links followed; `out` is `Config.out`.

    Raises UsageError when a symbolic link leads it out of the repository or into git's own folder, or when a
    file is in the way.
    """
    top = root.resolve()
    folder = _resolved(top / out)
    if folder is None:
        raise UsageError(f"out: {out} runs in a circle of symbolic links; choose another folder")
    inside = folder.relative_to(top).parts if folder.is_relative_to(top) else ()
    if not inside or ".git" in [step.casefold() for step in inside]:
        raise UsageError(
            f"out: {out} leads out of the repository's files through a symbolic link; choose another folder"
        )
    for step in (folder, *folder.parents[: len(inside) - 1]):
        if step.exists() and not step.is_dir():
            raise UsageError(
                f"out: {step.relative_to(top).as_posix()} is a file; move it away or choose another folder"
            )
    return folder


def _resolved(path: Path) -> Path | None:
    """The path with its links followed; None for a circle of links, whichever way this Python reports one."""
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError):  # Python 3.12 and before
        return None
    is_circle = any(step.is_symlink() for step in (resolved, *resolved.parents))  # Python 3.13 and later
    return None if is_circle else resolved


def _config(values: Values) -> Config:
    return Config(
        version=values["version"],
        out=values["out"],
        budget=values["budget"],
        model=values["model"],
        tokens=values["tokens"],
        content=tuple(map(Content, values["content"])),
        exclude=tuple(values["exclude"]),
        queries=tuple(map(_question, values["queries"])),
        surfaces=tuple(_surface(name, entry) for name, entry in values["surfaces"].items()),
        telemetry=values["telemetry"],
    )


def _question(entry: Values) -> Question:
    return Question(**{**entry, "paths": tuple(entry["paths"] or ())})


def _surface(name: str, entry: Values) -> Surface:
    return Surface(
        name,
        entry["asks"] or "",
        Content(entry["over"]) if entry["over"] else None,
        entry["fires"] or "",
        entry["floor"],
        entry["budget"],
    )

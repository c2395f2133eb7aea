"""The line of `.gitattributes` by which git merges the tuning histories of two branches."""

from __future__ import annotations

from pathlib import Path

from tobler_pack.errors import EnvironmentProblem
from tobler_pack.packs import writer
from tobler_pack.surfaces.tuning import ATTRIBUTE, PLACE

NAME = ".gitattributes"


def keep_both_sides(root: Path) -> bool:
    """Add the line unless one for this file is there; nothing else of the file is touched. Tells whether it did.

    Raises EnvironmentProblem if the file cannot be read or written.
    """
    place = root / NAME
    if place.is_symlink():  # git does not follow one, so there is nothing to write to
        return False
    before = _text(place)
    if _names_history(before):
        return False
    end = "\r\n" if "\r\n" in before else "\n"
    gap = "" if not before or before.endswith("\n") else end
    writer.replace_bytes(place, f"{before}{gap}{ATTRIBUTE}{end}".encode("utf-8", "surrogateescape"))
    return True


def is_kept(root: Path) -> bool:
    """Whether the repository has a line for the tuning history."""
    return _names_history(_text(root / NAME))


def _text(place: Path) -> str:
    try:
        return place.read_bytes().decode("utf-8", "surrogateescape") if place.exists() else ""
    except OSError as error:
        raise EnvironmentProblem(f"cannot read {place}: {error.strerror}; check its permissions") from None


def _names_history(text: str) -> bool:
    return any(line.split()[:1] in ([PLACE], [f"/{PLACE}"]) for line in text.splitlines())

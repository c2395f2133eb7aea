"""Where the cache lies, and how small things in it are named and sealed.

Cheap to import, unlike the indexes themselves: a hook that has nothing to do needs no more than this.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from tobler_pack.errors import EnvironmentProblem

VARIABLE = "TOBLER_PACK_CACHE"


class Damaged(ValueError):  # noqa: N818 - a signal between cache and caller, not an error for the user
    """Something in the cache that cannot be used as it lies there."""


def cache_folder(work_tree: Path | None) -> Path:
    """The folder for everything that may be lost: TOBLER_PACK_CACHE, or the platform's user cache folder.

    Raises EnvironmentProblem if it lies in the work tree (it would be searched, and committed) or cannot be made.
    """
    named = os.environ.get(VARIABLE)
    folder = Path(named).expanduser().absolute() if named else user_cache_path("tobler-pack")
    if work_tree is not None and folder.resolve().is_relative_to(work_tree.resolve()):
        raise EnvironmentProblem(f"the cache folder {folder} lies inside the work tree; set {VARIABLE} to one outside")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentProblem(f"cannot make the cache folder {folder}: {error.strerror}; set {VARIABLE}") from None
    return folder


def digest(text: str) -> str:
    """A short name for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def signature(folder: Path) -> str:
    """What tells that the files of a folder are still the same, without reading them."""
    with suppress(OSError):
        files = sorted(path for path in folder.iterdir() if path.is_file())
        return digest("\0".join(f"{f.name} {f.stat().st_size} {f.stat().st_mtime_ns}" for f in files))
    return "not there"


def sealed(text: str) -> str:
    """A text under a first line that tells whether it is whole."""
    return f"{digest(text)}\n{text}"


def unsealed(text: str) -> str:
    """The text under a seal. Raises Damaged if it is not whole."""
    seal, _, content = text.partition("\n")
    if seal != digest(content):
        raise Damaged
    return content

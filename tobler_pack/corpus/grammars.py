"""Unpack the grammars of several languages at once.

semble-grammars unpacks a grammar when it is first asked for, and reads its whole archive for each: a quarter of a
second a language, in every worker process. Here all that a tree needs come out of one reading. Where anything is not as
expected nothing is done, and semble-grammars unpacks each by itself as it always does.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from tobler_pack.corpus.grammar_table import SCRIPT_LANGUAGES


def unpack(languages: Iterable[str]) -> None:
    """Put the libraries of these languages where semble-grammars looks for them, those that are not there yet."""
    with suppress(Exception):  # another layout of the package, no room, no right to write: not ours to report
        loader = import_module("semble_grammars.loader")
        manifest = loader._platform_manifest()
        folder = loader.cache_dir() / manifest["platform"]
        names = {SCRIPT_LANGUAGES.get(language, language) for language in languages}
        entries = [manifest["languages"].get(loader._ALIASES.get(name, name)) for name in names]
        wanted = {one["file"]: one["sha256"] for one in entries if one and not (folder / one["file"]).exists()}
        if len(wanted) > 1:
            folder.mkdir(parents=True, exist_ok=True)
            _unpack(_archive(manifest), wanted, folder)


def _archive(manifest: Mapping[str, Any]) -> Path:
    return Path(str(resources.files("semble_grammars") / "grammars" / manifest["platform"] / manifest["archive"]))


def _unpack(archive: Path, wanted: Mapping[str, str], folder: Path) -> None:
    """Read the archive once, as far as needed; each file is written beside, compared with its sum, and renamed."""
    left = set(wanted)
    with tarfile.open(archive, "r|gz") as stream:
        for member in stream:
            source = stream.extractfile(member) if member.name in left else None
            if source is not None:
                content = source.read()
                if hashlib.sha256(content).hexdigest() == wanted[member.name]:
                    _place(content, folder / member.name)
                left.remove(member.name)
            if not left:
                return


def _place(content: bytes, place: Path) -> None:
    handle, beside = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(beside).chmod(0o755)
        Path(beside).replace(place)
    finally:
        Path(beside).unlink(missing_ok=True)

"""Which repositories the model is trained on: a commit and a licence each, the licence read from the repository."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.checkouts import git

MANIFEST = Path(__file__).parent / "manifest.json"

_FILE = re.compile(r"(\w+-)?(licen[cs]e|copying|copyright|unlicense)([.-][\w.-]*)?", re.IGNORECASE)
_READ = 20_000  # characters of a licence file: what tells the licences apart stands near its beginning


class Part(StrEnum):
    """What a repository is for. No pair of a held-out repository is trained on; settings are chosen by them."""

    TRAIN = "train"
    HELD_OUT = "held-out"


@dataclass(frozen=True, slots=True)
class Source:
    """One repository. `name` is ``owner/name``, `licences` the SPDX names of the licences that it gives."""

    name: str
    commit: str
    licences: tuple[str, ...]
    part: Part = Part.TRAIN

    @property
    def folder(self) -> str:
        """The name of its clone among the others."""
        return self.name.replace("/", "+")


# Sentences that no other licence has. The order matters where one licence contains the words of another.
_SENTENCES = (
    ("GPL", r"gnu (lesser |affero |library )?general public license\s+version"),
    ("MPL-2.0", r"mozilla public license"),
    ("EPL-2.0", r"eclipse public license"),
    ("SSPL", r"server side public license"),
    ("BUSL-1.1", r"business source license"),
    ("Apache-2.0", r"apache license,?\s+version 2\.0"),
    ("BSL-1.0", r"boost software license"),
    ("Unlicense", r"this is free and unencumbered software"),
    ("CC0-1.0", r"cc0 1\.0 universal"),
    ("Zlib", r"altered source versions must be plainly marked"),
    ("PostgreSQL", r"without a written agreement is hereby granted"),
    ("curl", r"the name of a copyright holder shall not be used in advertising"),
    ("MIT", r"permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("ISC", r"permission to use, copy, modify,? and( or)? distribute this software"),
    ("BSD-3-Clause", r"neither the names?\b.{0,200}\bmay be used to endorse"),
    ("BSD-2-Clause", r"redistributions of source code must retain the above copyright"),
)

PERMISSIVE = frozenset(
    {"Apache-2.0", "BSL-1.0", "Unlicense", "CC0-1.0", "Zlib", "PostgreSQL", "curl", "MIT", "ISC"}
    | {"BSD-3-Clause", "BSD-2-Clause"}
)

EXCLUDED = frozenset({"numpy", "ripgrep", "flask", "zod", "gson", "gin"})
"""Repositories that benchmarks ask about, beside those of the ranking cases."""


def licence_of(text: str) -> str | None:
    """The SPDX name of the licence that a text gives; None if it gives none that is known."""
    plain = re.sub(r"[\s*#/;]+", " ", text).lower()
    found = [name for name, sentence in _SENTENCES if re.search(sentence, plain)]
    if "BSD-3-Clause" in found and "BSD-2-Clause" in found:
        found.remove("BSD-2-Clause")
    return found[0] if found else None


def licences(clone: Path, commit: str) -> tuple[str, ...]:
    """The licences that the files at the top of a commit give, in the order of their names."""
    names = [name for name in git(clone, "ls-tree", "--name-only", commit).splitlines() if _FILE.fullmatch(name)]
    texts = [git(clone, "show", f"{commit}:{name}")[:_READ] for name in names if _is_file(clone, commit, name)]
    return tuple(dict.fromkeys(found for text in texts if (found := licence_of(text)) is not None))


def _is_file(clone: Path, commit: str, name: str) -> bool:
    return git(clone, "cat-file", "-t", f"{commit}:{name}") == "blob"


def describe(clones: Path, held_out: Sequence[str], excluded: frozenset[str]) -> tuple[list[Source], dict[str, str]]:
    """The clones ``owner+name`` of a folder that may be used, by name, and why the others may not."""
    sources: list[Source] = []
    refused: dict[str, str] = {}
    for clone in sorted(clones.iterdir(), key=lambda path: path.name.lower()):
        name = clone.name.replace("+", "/", 1)
        if clone.name.rpartition("+")[2].lower() in excluded:
            refused[name] = "a benchmark asks about it"
            continue
        commit = git(clone, "rev-parse", "HEAD")
        given = licences(clone, commit)
        if not given or not PERMISSIVE.issuperset(given):
            refused[name] = f"its licence is not known to be permissive: {', '.join(given) or 'none found'}"
            continue
        sources.append(Source(name, commit, given, Part.HELD_OUT if name in held_out else Part.TRAIN))
    return sources, refused


def save(sources: Sequence[Source], file: Path = MANIFEST) -> None:
    """Write a manifest, one line for each repository."""
    rows = ",\n".join(f"  {json.dumps(asdict(source))}" for source in sources)
    file.write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def load(file: Path = MANIFEST) -> list[Source]:
    """Read a manifest."""
    rows = json.loads(file.read_text(encoding="utf-8"))
    return [Source(row["name"], row["commit"], tuple(row["licences"]), Part(row["part"])) for row in rows]

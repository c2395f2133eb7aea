"""What the commands share: their options, and the small steps between an option and a record."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tobler_pack.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from tobler_pack.corpus.tree import Repository
    from tobler_pack.sources.config import Config, Remember, Values

Repo = Annotated[
    Path | None, typer.Option("--repo", help="The repository; by default the one around the current folder.")
]
Tree = Annotated[
    str,
    typer.Option(
        "--tree", help="What is searched: worktree (tracked files as they lie on disk), index (staged) or a commit."
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", help="The configuration; by default .tobler-pack.yaml at the repository's root."),
]
Floor = Annotated[
    float | None, typer.Option("--floor", help="Cosine under which a chunk is not ranked, instead of the dial.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 if a dial in force is stale.")]
ManifestFile = Annotated[Path | None, typer.Option("--manifest", help="Write the manifest to this file.")]


def load(repository: Repository, named: Path | None) -> Config:
    """The configuration that --config names, else the one at the root of the repository."""
    from tobler_pack.sources.config import DEFAULT_NAME, load_config

    if named is not None:
        return load_config(named, remember=_checked_before(repository, named))
    if repository.root is None:
        raise EnvironmentProblem("a bare repository has no work tree; name the configuration with --config")
    place = repository.root / DEFAULT_NAME
    return load_config(place, DEFAULT_NAME, _checked_before(repository, place))


def _checked_before(repository: Repository, place: Path) -> Remember:
    """Remembers in the cache what was last read at a place: pydantic and the reader of YAML take a tenth of a second
    to load, which is most of what a run with nothing to do costs.
    """
    from importlib.metadata import version

    from tobler_pack.corpus.kept import kept
    from tobler_pack.corpus.place import cache_folder, digest
    from tobler_pack.revision import code_digest

    def remember(text: str, check: Callable[[], Values]) -> Values:
        ground = [code_digest(), version("pydantic"), version("pyyaml"), digest(text)]
        values: Values = kept(folder / digest(str(place.absolute())), ground, check)
        return values

    folder = cache_folder(repository.root) / "configurations"
    return remember


def config_or_default(repository: Repository) -> Config:
    """The repository's configuration where it has one: its excludes and model count for a single question too."""
    from tobler_pack.sources.config import DEFAULT_NAME, Config

    there = repository.root is not None and (repository.root / DEFAULT_NAME).is_file()
    return load(repository, None) if there else Config()


def out_folder(repository: Repository, config: Config, named: Path | None) -> Path:
    """The folder for packs: the one that --out names, else the one of the configuration."""
    from tobler_pack.sources.config import resolve_out

    if named is not None:
        if named.exists() and not named.is_dir():
            raise UsageError(f"--out {named} is a file; name a folder")
        return named
    if repository.root is None:
        raise EnvironmentProblem("a bare repository has no work tree to write packs to; name a folder with --out")
    return resolve_out(repository.root, config.out)


def shown(path: Path) -> str:
    """A path as a person would type it: relative to the current folder where it lies below it."""
    absolute, here = path.absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else path)


def print_text(text: str) -> None:
    """Write text as UTF-8 whatever the terminal's encoding is: the bytes of a pack do not depend on it."""
    sys.stdout.buffer.write(text.encode())
    sys.stdout.flush()


def told_budget(tokens: int | None) -> int | None:
    """The number of --budget, where it can be one; None where none was given."""
    from tobler_pack.sources.rules import LARGEST_BUDGET, SMALLEST_BUDGET

    if tokens is not None and not SMALLEST_BUDGET <= tokens <= LARGEST_BUDGET:
        raise UsageError(f"--budget {tokens}: out of range; take {SMALLEST_BUDGET} to {LARGEST_BUDGET} tokens")
    return tokens

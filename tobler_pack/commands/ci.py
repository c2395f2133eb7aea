"""The commands for hooks and CI: hook, plan, merge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tobler_pack.commands.options import ConfigFile, Repo, load, print_text, shown


def hook(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a pack is stale.")] = False,
    config: ConfigFile = None,
) -> None:
    """For git hooks: refresh the packs of the staged tree, never stage them; exit 1 if one was not up to date."""
    from tobler_pack.ci.hook import Options, main

    raise typer.Exit(main(Options(check, config)))


def plan(
    shards: Annotated[int, typer.Option("--shards", help="The most jobs to spread the questions over.")],
    config: ConfigFile = None,
    repo: Repo = None,
) -> None:
    """Print the matrix of a batch job as one line of JSON; a session is never divided, no job is empty."""
    from tobler_pack import build as job
    from tobler_pack.ci.shards import checked_shards
    from tobler_pack.ci.shards import plan as matrix
    from tobler_pack.workspace import find_repository

    wanted = checked_shards(shards)
    print_text(matrix(len(job.choose(load(find_repository(repo), config), (), (1, 1))), wanted))


def merge(
    manifests: Annotated[list[Path], typer.Argument(help="The manifests of all shares.")],
    manifest: Annotated[Path, typer.Option("--manifest", help="Write the joined manifest to this file.")],
    config: ConfigFile = None,
    repo: Repo = None,
) -> None:
    """Join the manifests of all shares of a batch job; exit 1 if a question has no pack in any of them."""
    from tobler_pack import build as job
    from tobler_pack.ci import shards
    from tobler_pack.packs import writer
    from tobler_pack.packs.manifest import to_json
    from tobler_pack.workspace import find_repository

    groups = job.choose(load(find_repository(repo), config), (), (1, 1))
    order = [question.id for group in groups for question in group]
    merged, missing = shards.merge({path: shards.read_manifest(path) for path in manifests}, order)
    writer.replace(manifest, to_json(merged))
    typer.echo(f"{shown(manifest)}: {len(merged['packs'])} packs from {len(manifests)} manifests")
    if missing:
        typer.echo(f"no pack of: {', '.join(missing)}; name the manifest of every share")
        raise typer.Exit(1)

"""The command that makes the pack of a change."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tobler_pack.commands.options import (
    ConfigFile,
    Floor,
    ManifestFile,
    Repo,
    Strict,
    config_or_default,
    load,
    print_text,
    shown,
    told_budget,
)
from tobler_pack.errors import UsageError

if TYPE_CHECKING:
    from tobler_pack.diff import Made

PULL_REQUEST, COMMIT = "pull-request", "commit"
"""The surfaces of a change: on a branch, and about to be committed."""


def diff(
    base: Annotated[
        str | None,
        typer.Option("--base", help="Where the change begins: the commit at which it left this branch, tag or commit."),
    ] = None,
    head: Annotated[str | None, typer.Option("--head", help="Where it ends; by default the work tree.")] = None,
    staged: Annotated[bool, typer.Option("--staged", help="What is staged, compared with HEAD.")] = False,
    budget: Annotated[int | None, typer.Option("--budget", help="Tokens, the whole file included.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the pack to this folder instead of standard output.")
    ] = None,
    manifest: ManifestFile = None,
    split_by: Annotated[
        str | None, typer.Option("--split-by", help="One pack for each area of a large change: top-level or package.")
    ] = None,
    floor: Floor = None,
    strict: Strict = False,
    format_: Annotated[str, typer.Option("--format", help="md, or json for the manifest entries.")] = "md",
    config: ConfigFile = None,
    repo: Repo = None,
) -> None:
    """Make the pack of a change: what else matters for it. Without options: of the work tree since it left the default
    branch.
    """
    from tobler_pack import diff as job
    from tobler_pack.comparison import compare
    from tobler_pack.packs import writer
    from tobler_pack.packs.manifest import manifest as whole
    from tobler_pack.packs.manifest import to_json
    from tobler_pack.surfaces.registry import Options, open_registry, searching, stale_line, used
    from tobler_pack.workspace import Workspace, find_repository, say

    _check_options(out, format_, split_by)
    options = Options(floor, told_budget(budget))
    repository = find_repository(repo)
    loaded = load(repository, config) if config is not None else config_or_default(repository)
    comparison = compare(repository, base, head, staged=staged)
    if comparison.note:
        say(comparison.note)
    surface = COMMIT if staged else PULL_REQUEST
    workspace = Workspace.open(repository, searching(loaded, None, surface), comparison.tree)
    registry = open_registry(workspace, options)
    if warning := stale_line(used(registry, [(surface, False)])):
        say(warning)
    command = command_line(base, head, split_by, floor, staged=staged)
    made = job.make(workspace, comparison, registry, surface, command, split_by)
    if not made:
        say(f"nothing differs in {comparison.shown}, so there is no pack")
    if out is not None:
        for one in made:
            writer.replace(out / one.entry["file"], one.pack.text)
            typer.echo(_summary(one, out / one.entry["file"]))
    elif format_ == "md":
        print_text("".join(one.pack.text for one in made))
    stamp = workspace.stamp | {"blend": job.blend_stamp(workspace)}
    complete = to_json(whole(workspace.snapshot.tree_id, stamp, [one.entry for one in made]))
    if manifest is not None:
        writer.replace(manifest, complete)
    if format_ == "json":
        print_text(complete)
    if strict and warning:
        raise typer.Exit(1)


def _check_options(out: Path | None, format_: str, split_by: str | None) -> None:
    from tobler_pack.areas import WAYS

    if format_ not in ("md", "json"):
        raise UsageError(f"--format {format_}: unknown format; use md or json")
    if split_by is not None and split_by not in WAYS:
        raise UsageError(f"--split-by {split_by}: unknown way to cut a change; use {' or '.join(WAYS)}")
    if split_by is not None and out is None and format_ == "md":
        raise UsageError("--split-by makes several packs; name a folder for them with --out")
    if out is not None and out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file; name a folder")


def command_line(base: str | None, head: str | None, split_by: str | None, floor: float | None, *, staged: bool) -> str:
    """The command that makes the same pack again."""
    floored = None if floor is None else f"{floor:g}"
    options = [("--base", base), ("--head", head), ("--split-by", split_by), ("--floor", floored)]
    words = [word for option, value in options if value is not None for word in (option, shlex.quote(value))]
    return " ".join(["tobler-pack diff", *words, *(["--staged"] if staged else [])])


def _summary(made: Made, place: Path) -> str:
    entry = made.entry
    return (
        f"{shown(place)}: N_eff={entry['n_eff']:.1f} k={entry['k']} ε={entry['epsilon']:.2f} "
        f"tokens={entry['tokens']}/{entry['budget']} written"
    )

"""The commands that make packs: init, query, build, index, schema.

Whatever is heavy (numpy, git, yaml) is imported inside the commands, so that ``--help`` costs next to nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tobler_pack.commands.options import (
    ConfigFile,
    Floor,
    ManifestFile,
    Repo,
    Strict,
    Tree,
    config_or_default,
    load,
    out_folder,
    print_text,
    shown,
)
from tobler_pack.errors import EnvironmentProblem, UsageError
from tobler_pack.types import Content

if TYPE_CHECKING:
    from tobler_pack.build import Outcome
    from tobler_pack.sources.config import Config


def init(
    agents: Annotated[
        bool, typer.Option("--agents", help="Instead: list the packs in AGENTS.md and CLAUDE.md, in a marked section.")
    ] = False,
    file: Annotated[
        list[Path] | None, typer.Option("--file", help="With --agents: another file; repeat for several.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="With --agents: take the section away.")] = False,
    repo: Repo = None,
) -> None:
    """Write a commented starter configuration with questions that fit the repository; never overwrites."""
    if agents or file or remove:
        _tell_agents(agents, file or [], remove, repo)
        return
    from tobler_pack.corpus.tree import WORKTREE
    from tobler_pack.packs import writer
    from tobler_pack.sources.config import DEFAULT_NAME
    from tobler_pack.sources.starter import starter_config
    from tobler_pack.surfaces.attributes import keep_both_sides
    from tobler_pack.workspace import find_repository

    repository = find_repository(repo)
    if repository.root is None:
        raise EnvironmentProblem("a bare repository has no work tree to write a configuration to; use a clone")
    place = repository.root / DEFAULT_NAME
    if place.exists() or place.is_symlink():
        raise UsageError(f"{place} is there already; edit it, or move it away to start anew")
    paths = [entry.path for entry in repository.snapshot(WORKTREE).entries]
    writer.replace(place, starter_config(paths))
    keep_both_sides(repository.root)
    typer.echo(f"{shown(place)} written; next: edit its questions, then type: tobler-pack build")


def _tell_agents(agents: bool, files: list[Path], remove: bool, repo: Path | None) -> None:
    from tobler_pack.ci.agents import update
    from tobler_pack.workspace import find_repository

    if not agents:
        raise UsageError("--file and --remove belong to --agents; type: tobler-pack init --agents")
    repository = find_repository(repo)
    if repository.root is None:
        raise EnvironmentProblem("a bare repository has no work tree with files for agents; use a clone")
    done = update(repository.root, load(repository, None), files, remove=remove)
    for place, what in done:
        typer.echo(f"{shown(place)}: {what}")
    if not done:
        typer.echo("there is no file for agents; nothing to remove")


def query(
    text: Annotated[str, typer.Argument(help="The question in words, or a name.")],
    budget: Annotated[int | None, typer.Option("--budget", help="Tokens, the whole text included.")] = None,
    content: Annotated[
        list[Content] | None, typer.Option("--content", help="What to search; repeat for several.")
    ] = None,
    paths: Annotated[
        list[str] | None,
        typer.Option("--paths", help="Search only paths that match, for example src/**; repeat for several."),
    ] = None,
    surface: Annotated[
        str | None, typer.Option("--surface", help="Ask as this surface does: its floor, budget and content.")
    ] = None,
    floor: Floor = None,
    format_: Annotated[str, typer.Option("--format", help="md, or json for the manifest entry.")] = "md",
    tree: Tree = "worktree",
    repo: Repo = None,
) -> None:
    """Answer one question with one pack on standard output."""
    from tobler_pack.corpus.tree import find_repository
    from tobler_pack.packs import vocabulary

    if format_ not in ("md", "json"):
        raise UsageError(f"--format {format_}: unknown format; use md or json")
    repository = find_repository(repo)
    config = config_or_default(repository)
    vocabulary.beside(config.tokens)  # half a second, beside the imports of all that follows

    from tobler_pack.query import answer
    from tobler_pack.surfaces.registry import stale_line
    from tobler_pack.workspace import say

    made = answer(repository, config, tree, text, budget, content, paths, surface, floor)
    if warning := stale_line(made.dials):
        say(warning)
    print_text(made.text if format_ == "md" else made.json())


def build(
    config: ConfigFile = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only the question with this id; repeat for several.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the packs to this folder instead.")] = None,
    tree: Tree = "worktree",
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a pack is stale.")] = False,
    shard: Annotated[
        str | None, typer.Option("--shard", help="I/N: only the I-th of N shares of the questions.")
    ] = None,
    manifest: ManifestFile = None,
    prune: Annotated[bool, typer.Option("--prune", help="Remove packs whose question is gone.")] = False,
    floor: Floor = None,
    budget: Annotated[
        int | None, typer.Option("--budget", help="Tokens for each pack, instead of what the dials say.")
    ] = None,
    strict: Strict = False,
    repo: Repo = None,
) -> None:
    """Make all packs of the configuration; files whose bytes stay the same are not touched."""
    from tobler_pack import build as job
    from tobler_pack.packs import writer
    from tobler_pack.packs.manifest import manifest as whole
    from tobler_pack.packs.manifest import to_json
    from tobler_pack.surfaces.registry import Options, open_registry, stale_line
    from tobler_pack.workspace import Workspace, find_repository, say

    options = Options(floor, budget)
    repository = find_repository(repo)
    loaded = load(repository, config)
    groups = job.choose(loaded, only or [], _shard(shard))
    folder = out_folder(repository, loaded, out)
    workspace = Workspace.open(repository, loaded, tree)
    registry = open_registry(workspace, options)
    if warning := stale_line(job.dials_of(groups, registry)):
        say(warning)
    outcomes = job.build(workspace, groups, only or [], folder, registry, check=check)
    for outcome in outcomes:
        typer.echo(_summary(outcome, folder))
    if manifest is not None:
        entries = [outcome.made.entry for outcome in outcomes]
        writer.replace(manifest, to_json(whole(workspace.snapshot.tree_id, workspace.stamp, entries)))
    _leftovers(folder, loaded, prune=prune and not check)
    if any(outcome.state == job.STALE for outcome in outcomes) or (strict and warning):
        raise typer.Exit(1)


def index(tree: Tree = "worktree", config: ConfigFile = None, repo: Repo = None) -> None:
    """Build or warm the index; say how many chunks it has, how many were reused, how long it took."""
    from time import perf_counter

    from tobler_pack.workspace import Workspace, find_repository

    begun = perf_counter()
    repository = find_repository(repo)
    loaded = load(repository, config) if config is not None else config_or_default(repository)
    corpus = Workspace.open(repository, loaded, tree).corpus
    files, chunks, reused = len(corpus.index.files), len(corpus.index), corpus.index.reused
    typer.echo(f"{files} files, {chunks} chunks, {reused} of them reused, {perf_counter() - begun:.1f} s")
    if corpus.left_out:
        typer.echo("left out: " + ", ".join(f"{count} {cause}" for cause, count in corpus.left_out.items()))


def schema() -> None:
    """Print the JSON schema of .tobler-pack.yaml, for editors."""
    from tobler_pack.packs.manifest import to_json
    from tobler_pack.sources.config import json_schema

    print_text(to_json(json_schema()))


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    number, slash, shards = text.partition("/")
    if not (slash and number.isdecimal() and shards.isdecimal() and 1 <= int(number) <= int(shards)):
        raise UsageError(f"--shard {text}: write I/N with I from 1 to N, for example 1/4")
    return int(number), int(shards)


def _summary(outcome: Outcome, folder: Path) -> str:
    entry = outcome.made.entry
    return (
        f"{shown(folder / entry['file'])}: N_eff={entry['n_eff']:.1f} k={entry['k']} ε={entry['epsilon']:.2f} "
        f"tokens={entry['tokens']}/{entry['budget']} {outcome.state}"
    )


def _leftovers(folder: Path, config: Config, *, prune: bool) -> None:
    from tobler_pack.packs import writer

    for path in writer.leftovers(folder, [question.id for question in config.queries]):
        if prune:
            path.unlink(missing_ok=True)
            typer.echo(f"{shown(path)}: removed, its question is gone")
        else:
            typer.echo(f"{shown(path)}: its question is gone; remove it with --prune")

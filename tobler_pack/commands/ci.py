"""The commands for hooks and CI: hook, plan, merge."""

from __future__ import annotations

from typing import Annotated

import typer

from tobler_pack.commands.options import ConfigFile


def hook(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a pack is stale.")] = False,
    config: ConfigFile = None,
) -> None:
    """For git hooks: refresh the packs of the staged tree, never stage them; exit 1 if one was not up to date."""
    from tobler_pack.ci.hook import Options, main

    raise typer.Exit(main(Options(check, config)))

"""The command line: its common options and the list of its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from tobler_pack import __version__
from tobler_pack.commands import ci, packs, surfaces
from tobler_pack.commands.diff import diff
from tobler_pack.serve.command import mcp

EPILOG = (
    "Exit codes: 0 fine; 1 the answer is no (--check found a stale pack, --strict a stale dial, "
    "the hook refreshed a pack); 2 usage or configuration; 3 environment (no repository, commit or model not there, "
    "folder not writable); 130 interrupted."
)

app = typer.Typer(
    name="tobler-pack",
    help="Context packs: the code of a git repository that matters for one question, inside a hard token budget.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tobler-pack {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Common options."""


DIALS = (surfaces.surfaces, surfaces.history, surfaces.telemetry, surfaces.migrate, surfaces.calibrate)
HOOKS = (ci.hook, ci.plan, ci.merge)

for command in (packs.init, packs.query, packs.build, diff, packs.index, packs.schema, *DIALS, *HOOKS, mcp):
    app.command()(command)
app.command(context_settings={"ignore_unknown_options": True})(surfaces.tune)  # -0.5 is a value, to be clamped

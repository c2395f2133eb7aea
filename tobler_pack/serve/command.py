"""The command that serves: mcp."""

from __future__ import annotations

from tobler_pack.commands.options import Repo
from tobler_pack.errors import EnvironmentProblem


def mcp(repo: Repo = None) -> None:
    """Serve search, diff_context and the dials as MCP tools over standard input and output."""
    try:
        from tobler_pack.serve.server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise EnvironmentProblem("the MCP library is not installed; type: pip install 'tobler-pack[mcp]'") from None
    make_server(repo).run("stdio")

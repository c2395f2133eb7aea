"""The only module that talks to the MCP library: names, parameters and descriptions of the tools."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tobler_pack import __version__
from tobler_pack.errors import ToblerError
from tobler_pack.serve.tools import Tools
from tobler_pack.types import Content

_INSTRUCTIONS = """\
Code of a git repository that matters for one question or change, inside a hard token budget. In the line of figures
N_eff counts the chunks that really matter (near 1: one place; hundreds: the question is too broad), k the chunks that
hold nine tenths of the weight, ε the share of the weight that is not shown (above 0.15: a truncated map), mem the share
that earlier questions of the session had in the answer."""

Repo = Annotated[str, Field(description="Path of the repository; empty for the one the server was started in.")]
Budget = Annotated[int | None, Field(description="Tokens for the whole pack, 200 to 200000.")]


@contextmanager
def _told() -> Iterator[None]:
    """An expected failure becomes a message that says what to do next."""
    try:
        yield
    except ToblerError as error:
        raise ToolError(str(error)) from None


def make_server(home: Path | None) -> MCPServer:
    """A server with all tools."""
    server = MCPServer("tobler-pack", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")
    tools = Tools(home)
    _add_packs(server, tools)
    _add_dials(server, tools)
    return server


def _add_packs(server: MCPServer, tools: Tools) -> None:
    @server.tool(structured_output=False)
    def search(
        query: Annotated[str, Field(description="A question in words, or a name.")],
        repo: Repo = "",
        budget: Budget = None,
        content: Annotated[
            list[Content] | None, Field(description="What to search: code, docs, config. By default as configured.")
        ] = None,
        fresh: Annotated[bool, Field(description="Forget the questions before: a new topic.")] = False,
    ) -> str:
        """The code that matters for a question, as one pack of markdown. Questions about the same repository and
        content form a session: "what are its arguments" means what came before.
        """
        with _told():
            return tools.search(query, repo, budget, content, fresh)

    @server.tool(structured_output=False)
    def diff_context(
        base: Annotated[str, Field(description="The branch or commit that the change left.")],
        head: Annotated[str, Field(description="The commit that it leads to; empty for the work tree.")] = "",
        repo: Repo = "",
        budget: Budget = None,
    ) -> str:
        """What else matters for a change, as one pack of markdown: callers, tests and files that change together."""
        with _told():
            return tools.diff_context(base, head, repo, budget)


def _add_dials(server: MCPServer, tools: Tools) -> None:
    @server.tool()
    def retrieval_surfaces(repo: Repo = "") -> dict[str, Any]:
        """The places where packs are pushed: what each asks, its floor and budget, why they stand so, whether stale."""
        with _told():
            return tools.surfaces(repo)

    @server.tool()
    def retrieval_telemetry(repo: Repo = "", days: int | None = None, near_miss_samples: int = 5) -> dict[str, Any]:
        """What each surface's floor and budget did: calls, admitted share, near misses to open before tuning."""
        with _told():
            return tools.telemetry(repo, days, near_miss_samples)

    @server.tool()
    def tune_retrieval(
        surface: str,
        dial: Annotated[str, Field(description="floor (0 to 1) or budget (200 to 200000 tokens).")],
        value: float,
        reason: Annotated[str, Field(description="Which near misses were opened, and what they showed.")],
        repo: Repo = "",
    ) -> dict[str, Any]:
        """Move a dial. It is written to the tuning history, which is committed and reviewed."""
        with _told():
            return tools.tune(surface, dial, value, reason, repo)

    @server.tool()
    def retrieval_tuning_history(repo: Repo = "", surface: str = "", limit: int = 20) -> dict[str, Any]:
        """Who moved which dial and why, newest first."""
        with _told():
            return tools.history(repo, surface, limit)

    @server.tool()
    def migrate_retrieval_floor(
        surface: str, repo: Repo = "", sample: int = 200, apply: bool = False
    ) -> dict[str, Any]:
        """Carry a floor across a change of model by keeping the share that it admits; a dry run unless `apply`."""
        with _told():
            return tools.migrate(surface, repo, sample, apply)

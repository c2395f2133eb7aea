"""The tools for agents, driven by the library's own client over standard input and output."""

from __future__ import annotations

import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from console import Console, environment
from repositories import SHOP, commit, create, git, write
from test_surfaces import REASON
from tobler_pack.serve import command

QUESTION = "how is a request authenticated"
FOLLOW_UP = "what does it raise if the password is wrong"
PIVOT = "how is an order saved to its file"


class Agent:
    """A connected client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def told(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Whether a call went well, and its text."""
        result = await self._client.call_tool(tool, arguments)
        return not result.is_error, "".join(getattr(part, "text", "") for part in result.content)

    async def structured(self, tool: str, **arguments: Any) -> Any:
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def mem(self, query: str, **arguments: Any) -> float:
        """The share that memory had in a pack, as its header tells."""
        well, text = await self.told("search", query=query, **arguments)
        assert well, text
        found = re.search(r" mem=([\d.]+) ", text)
        return float(found.group(1)) if found else 0.0


def drive(home: Path, story: Callable[[Agent], Awaitable[None]]) -> None:
    """Tell a story to a server that was started in a repository."""
    arguments = ["-m", "tobler_pack", "mcp", "--repo", str(home)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment())

    async def run() -> None:
        async with Client(server, read_timeout_seconds=100) as client:
            await story(Agent(client))

    anyio.run(run)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return create(tmp_path / "shop", SHOP)


def test_each_tool(shop: Path) -> None:
    async def story(agent: Agent) -> None:
        assert await agent.tools() == [
            "search",
            "diff_context",
            "retrieval_surfaces",
            "retrieval_telemetry",
            "tune_retrieval",
            "retrieval_tuning_history",
            "migrate_retrieval_floor",
        ]
        well, pack = await agent.told("search", query=QUESTION, budget=600)
        assert well
        assert "authenticate" in pack
        assert "/600 (o200k_base)" in pack

        well, said = await agent.told("tune_retrieval", surface="batch", dial="floor", value=0.1, reason="x")
        assert not well
        assert "open them" in said
        moved = await agent.structured("tune_retrieval", surface="batch", dial="floor", value=1.5, reason=REASON)
        assert (moved["set"], moved["clamped"], moved["actor"]) == (1.0, True, "model")
        history = await agent.structured("retrieval_tuning_history", surface="batch")
        assert [one["reason"] for one in history["moves"]] == [REASON]
        listed = await agent.structured("retrieval_surfaces")
        assert {one["surface"]: one["floor"]["value"] for one in listed["surfaces"]}["batch"] == 1.0
        seen = await agent.structured("retrieval_telemetry")
        assert [(one["surface"], one["calls"]) for one in seen["surfaces"]] == [(None, 1)]
        assert "not relevance" in seen["note"]
        carried = await agent.structured("migrate_retrieval_floor", surface="batch")
        assert (carried["proposal"], carried["applied"]) == (None, None)
        assert "not stale" in carried["notes"][0]

        for wrong in ({"query": ""}, {"query": "x", "budget": 5}, {"query": "x", "repo": str(shop / "nowhere")}):
            well, said = await agent.told("search", **wrong)
            assert not well
            assert "Traceback" not in said

    drive(shop, story)


def test_sessions(shop: Path, tmp_path: Path) -> None:
    other = create(tmp_path / "other", SHOP)

    async def story(agent: Agent) -> None:
        assert await agent.mem(QUESTION) == 0
        assert await agent.mem(FOLLOW_UP) > 0.2
        assert await agent.mem(PIVOT) < 0.05
        assert await agent.mem(PIVOT + " again") > 0.2
        assert await agent.mem(PIVOT, fresh=True) == 0
        # Another repository and another content are other sessions.
        assert await agent.mem(PIVOT, repo=str(other)) == 0
        assert await agent.mem(PIVOT, content=["docs"]) == 0
        assert await agent.mem(PIVOT, content=["code"]) > 0.2
        # What is edited in between is forgotten, the rest is not.
        write(shop, {"src/auth.py": "def authenticate():\n    return 1\n"})
        assert await agent.mem(PIVOT) > 0.2
        await agent.mem(QUESTION, fresh=True)
        write(shop, dict.fromkeys(("src/storage.py", "src/session.go", "web/cart.ts"), ""))
        assert (await agent.told("search", query=FOLLOW_UP))[0]

    drive(shop, story)


def test_calls_at_once_do_not_mix_sessions(shop: Path, tmp_path: Path) -> None:
    """Each repository is asked the same twice: whatever the order of calls, the second answer is about the first."""
    homes = [shop, *(create(tmp_path / f"shop{number}", SHOP) for number in range(3))]
    questions = [QUESTION, PIVOT, "how are roles granted to a user", "what is the size of the cart"]

    async def story(agent: Agent) -> None:
        told: dict[int, list[float]] = {}

        async def ask(number: int) -> None:
            told[number] = [await agent.mem(questions[number], repo=str(homes[number])) for _ in range(2)]

        async with anyio.create_task_group() as group:
            for number in range(len(homes)):
                group.start_soon(ask, number)
        assert [told[number] for number in range(len(homes))] == [[0.0, 1.0]] * len(homes)

    drive(shop, story)


def test_a_change(shop: Path) -> None:
    write(shop, {"src/auth.py": str(SHOP["src/auth.py"]).replace("pepper", "salt")})
    base = git(shop, "rev-parse", "HEAD")
    commit(shop)

    async def story(agent: Agent) -> None:
        well, said = await agent.told("diff_context", base=base, budget=2000)
        assert well, said
        assert "what else matters for the change" in said
        assert "src/auth.py" in said
        well, said = await agent.told("diff_context", base="nowhere")
        assert not well

    drive(shop, story)


def test_without_the_library(shop: Path, tobler: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "tobler_pack.serve.server", raising=False)
    told = tobler("mcp", cwd=shop)
    assert told.code == 3
    assert "pip install 'tobler-pack[mcp]'" in told.err
    assert command.__doc__

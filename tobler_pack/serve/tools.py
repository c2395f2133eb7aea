"""What the tools do, without the protocol: each calls what the command of the same purpose calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tobler_pack.commands import surfaces as commands
from tobler_pack.commands.diff import PULL_REQUEST, command_line
from tobler_pack.commands.options import config_or_default, told_budget
from tobler_pack.comparison import compare
from tobler_pack.diff import make
from tobler_pack.serve.sessions import Sessions
from tobler_pack.surfaces import migration, telemetry, tuning
from tobler_pack.surfaces.dials import kind_of, read_value
from tobler_pack.surfaces.registry import Options, open_registry, searching, tune
from tobler_pack.types import Content
from tobler_pack.workspace import Workspace, find_repository


class Tools:
    """The tools of one server. `home` is the repository that is meant where a call names none."""

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self._sessions = Sessions()

    def search(self, query: str, repo: str, budget: int | None, content: list[Content] | None, fresh: bool) -> str:
        """The pack of a question, smoothed with the questions before it."""
        return self._sessions.ask(query, self._repo(repo), budget, content or (), fresh=fresh).text

    def diff_context(self, base: str, head: str, repo: str, budget: int | None) -> str:
        """The pack of a change. A change is its own session: nothing of it is kept for the next call."""
        repository = find_repository(self._repo(repo))
        comparison = compare(repository, base, head or None, staged=False)
        config = searching(config_or_default(repository), None, PULL_REQUEST)
        workspace = Workspace.open(repository, config, comparison.tree)
        registry = open_registry(workspace, Options(None, told_budget(budget)))
        command = command_line(base, head or None, None, None, staged=False)
        made = make(workspace, comparison, registry, PULL_REQUEST, command)
        return made[0].pack.text if made else f"nothing differs in {comparison.shown}, so there is no pack"

    def surfaces(self, repo: str) -> dict[str, Any]:
        """All surfaces with their dials."""
        return commands.listing(open_registry(commands.open_workspace(self._repo(repo), None)))

    def telemetry(self, repo: str, days: int | None, samples: int) -> dict[str, Any]:
        """What the dials did."""
        log = commands.read_log(self._repo(repo), None, days)
        report = telemetry.report(log, max(0, min(samples, 100)))
        return {"note": commands.NOT_RELEVANCE, "unreadable": log.unreadable, "surfaces": report}

    def tune(self, surface: str, dial: str, value: float, reason: str, repo: str) -> dict[str, Any]:
        """Move a dial; the actor is the model that called."""
        asked = read_value(kind_of(surface, dial), repr(value))
        workspace = commands.open_workspace(self._repo(repo), None)
        return tune(workspace, surface, dial, asked, reason, tuning.MODEL).as_json()

    def history(self, repo: str, surface: str, limit: int) -> dict[str, Any]:
        """The last moves, newest first."""
        registry = open_registry(commands.open_workspace(self._repo(repo), None))
        moves = tuning.newest(registry.history, surface or None, max(1, min(limit, tuning.MOST_SHOWN)))
        return {"moves": [move.as_json() for move in moves]}

    def migrate(self, surface: str, repo: str, sample: int, apply: bool) -> dict[str, Any]:
        """A floor carried across a change of model."""
        workspace = commands.open_workspace(self._repo(repo), None)
        log = commands.read_log(self._repo(repo), None, None)
        findings = migration.find(workspace, open_registry(workspace), surface, log, max(1, sample))
        move = migration.apply(workspace, findings) if apply and findings.proposal is not None else None
        return {**findings.as_json(), "applied": None if move is None else move.as_json()}

    def _repo(self, named: str) -> Path | None:
        return Path(named).expanduser() if named else self._home

"""Questions of an agent: one smoothed session for each repository and content, however many calls run at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from tobler_pack.commands.options import config_or_default
from tobler_pack.query import Answered, Carried, answer
from tobler_pack.types import Content
from tobler_pack.workspace import find_repository

Key = tuple[str, tuple[Content, ...]]
"""A repository and what is searched in it."""


@dataclass
class _Session:
    """The turns of one session come one after the other: each holds the lock."""

    lock: Lock = field(default_factory=Lock)
    carried: Carried | None = None


class Sessions:
    """All sessions of one server."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: dict[Key, _Session] = {}

    def ask(
        self, query: str, repo: Path | None, budget: int | None, content: Sequence[Content], *, fresh: bool
    ) -> Answered:
        """Answer the next question of a session; a `fresh` one begins it anew."""
        repository = find_repository(repo)
        config = config_or_default(repository)
        wanted = tuple(dict.fromkeys(content)) or config.content
        session = self._of((str(repository.common_dir.resolve()), tuple(sorted(wanted))))
        with session.lock:
            before = None if fresh else session.carried
            answered = answer(repository, config, "worktree", query, budget, wanted, None, before=before)
            session.carried = answered.carried
        return answered

    def _of(self, key: Key) -> _Session:
        with self._lock:
            return self._sessions.setdefault(key, _Session())

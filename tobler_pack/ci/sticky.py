"""One comment that stays: found again by its mark and its author, rewritten where its text changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tobler_pack.ci.api import Api


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do: keep one comment (None: none is there yet), rewrite it or not, remove its twins."""

    kept: int | None
    is_unchanged: bool
    twins: tuple[int, ...]


def decide(comments: Sequence[Mapping[str, Any]], mark: str, login: str, body: str) -> Decision:
    """Look for our comments. Others may write our mark into theirs: without the author it counts for nothing."""
    ours = [one for one in comments if _begins(one.get("body"), mark) and _is_by(one.get("user"), login)]
    if not ours:
        return Decision(None, is_unchanged=False, twins=())
    first, *twins = sorted(ours, key=lambda one: int(one["id"]))
    return Decision(int(first["id"]), _same(first["body"], body), tuple(int(one["id"]) for one in twins))


def stick(api: Api, repository: str, number: int, mark: str, body: str, *, create: bool = True) -> int | None:
    """Bring the comment of a pull request up to date; its number, None where there is none and none is wanted.

    Raises ApiError if GitHub does not let us.
    """
    decision = decide(api.comments(repository, number), mark, api.login(), body)
    for twin in decision.twins:
        api.delete_comment(repository, twin)
    if decision.kept is None:
        return api.create_comment(repository, number, body) if create else None
    if not decision.is_unchanged:
        api.update_comment(repository, decision.kept, body)
    return decision.kept


def _begins(body: object, mark: str) -> bool:
    return isinstance(body, str) and body.splitlines()[:1] == [mark]


def _is_by(user: object, login: str) -> bool:
    """Whether a comment is by whom the token writes as. GraphQL may leave the ending of a bot's name away."""
    if not isinstance(user, Mapping):
        return False
    name = str(user.get("login", ""))
    return name == login or (user.get("type") == "Bot" and name == f"{login}[bot]")


def _same(old: object, new: str) -> bool:
    return isinstance(old, str) and old.replace("\r\n", "\n").strip() == new.strip()

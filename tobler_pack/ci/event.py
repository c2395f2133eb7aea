"""What GitHub tells a job about itself: environment variables and the payload of the event.

Everything here may be chosen by whoever opens a pull request. Values are checked for their shape and never become part
of a shell command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tobler_pack.errors import EnvironmentProblem

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request."""

    number: int
    base_ref: str
    base_sha: str
    head_sha: str
    is_fork: bool


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The run of another workflow that this one follows: which commit of whose branch it looked at."""

    head_sha: str
    head_branch: str
    head_owner: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Event:
    """The run and what started it."""

    name: str
    repository: str
    sha: str
    server: str
    run_id: str
    pull: Pull | None
    finished: FinishedRun | None

    def run_url(self, run_id: str) -> str:
        """The page of a run, where its artifacts are."""
        return f"{self.server}/{self.repository}/actions/runs/{run_id}"


def read_event(variables: Mapping[str, str]) -> Event:
    """The event of this run.

    Raises EnvironmentProblem if this is no job of GitHub Actions or its payload cannot be read.
    """
    repository, sha = variables.get("GITHUB_REPOSITORY", ""), variables.get("GITHUB_SHA", "")
    if not _REPOSITORY.fullmatch(repository):
        raise EnvironmentProblem("GITHUB_REPOSITORY is not set; this runs inside GitHub Actions only")
    payload = _payload(variables.get("GITHUB_EVENT_PATH", ""))
    name = variables.get("GITHUB_EVENT_NAME", "")
    return Event(
        name=name,
        repository=repository,
        sha=sha if _SHA.fullmatch(sha) else "",
        server=variables.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/"),
        run_id=re.sub("[^0-9]", "", variables.get("GITHUB_RUN_ID", "")),
        pull=_pull(payload.get("pull_request"), repository) if name.startswith("pull_request") else None,
        finished=_finished(payload.get("workflow_run")) if name == "workflow_run" else None,
    )


def _payload(path: str) -> dict[str, Any]:
    if not path:
        return {}
    try:
        found = json.loads(Path(path).read_bytes())
    except (OSError, ValueError):
        raise EnvironmentProblem("the payload of the event (GITHUB_EVENT_PATH) cannot be read") from None
    return found if isinstance(found, dict) else {}


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: object, *keys: str) -> str:
    found = _at(value, *keys)
    return found if isinstance(found, str) else ""


def _pull(payload: object, repository: str) -> Pull | None:
    number, head, base = _at(payload, "number"), _text(payload, "head", "sha"), _text(payload, "base", "sha")
    if not isinstance(number, int) or not _SHA.fullmatch(head) or not _SHA.fullmatch(base):
        return None
    is_fork = _text(payload, "head", "repo", "full_name") != repository
    return Pull(number, _text(payload, "base", "ref"), base, head, is_fork)


def _finished(payload: object) -> FinishedRun | None:
    sha = _text(payload, "head_sha")
    if not _SHA.fullmatch(sha) or _text(payload, "event") != "pull_request":
        return None
    number = _at(payload, "id")
    run_id = str(number) if isinstance(number, int) else ""
    owner = _text(payload, "head_repository", "owner", "login")
    return FinishedRun(sha, _text(payload, "head_branch"), owner, run_id)

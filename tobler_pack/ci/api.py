"""The only module that talks to GitHub's API: a few requests, with the patience that the server asks for."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

_TRIES = 4
_LONGEST_WAIT = 60.0
_TIMEOUT = 20.0
_PER_PAGE = 100
_MOST_PAGES = 500
_LONGEST_ANSWER = 50_000_000
_BUSY = (429, 500, 502, 503, 504)


class ApiError(Exception):
    """GitHub said no, or could not be reached. `status` is 0 where no answer came."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Refuse(HTTPRedirectHandler):
    """A redirect would carry the token along, perhaps to another host."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        return None


@dataclass(frozen=True)
class Api:
    """The API of one server with one token, which is never shown."""

    root: str
    token: str = field(repr=False)
    graphql: str = ""
    wait: Callable[[float], None] = time.sleep

    @classmethod
    def of_run(cls, variables: Mapping[str, str], token: str) -> Api:
        """The API that this run of GitHub Actions belongs to."""
        root = variables.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
        return cls(root, token, variables.get("GITHUB_GRAPHQL_URL", f"{root}/graphql"))

    def login(self) -> str:
        """The name under which this token writes."""
        try:
            answer = self._ask("POST", self.graphql, {"query": "query { viewer { login } }"})
            return str(answer["data"]["viewer"]["login"])
        except (ApiError, KeyError, TypeError):
            return "github-actions[bot]"

    def comments(self, repository: str, number: int) -> list[dict[str, Any]]:
        """All comments of an issue or pull request, oldest first."""
        found = self._pages(f"/repos/{repository}/issues/{number}/comments")
        return sorted(found, key=lambda one: int(one["id"]))

    def create_comment(self, repository: str, number: int, body: str) -> int:
        """Write a comment; its number."""
        path = f"/repos/{repository}/issues/{number}/comments"
        return int(self._ask("POST", self.root + path, {"body": body})["id"])

    def update_comment(self, repository: str, comment: int, body: str) -> None:
        """Give a comment another text."""
        self._ask("PATCH", f"{self.root}/repos/{repository}/issues/comments/{comment}", {"body": body})

    def delete_comment(self, repository: str, comment: int) -> None:
        """Remove a comment."""
        self._ask("DELETE", f"{self.root}/repos/{repository}/issues/comments/{comment}")

    def open_pulls(self, repository: str, owner: str, branch: str) -> list[dict[str, Any]]:
        """The open pull requests from a branch of somebody's copy of the repository."""
        head = quote(f"{owner}:{branch}", safe="")
        return self._pages(f"/repos/{repository}/pulls", f"state=open&head={head}&")

    def _pages(self, path: str, query: str = "") -> list[dict[str, Any]]:
        return [item for page in self._each_page(path, query) for item in page if isinstance(item, dict)]

    def _each_page(self, path: str, query: str) -> Iterator[list[Any]]:
        for number in range(1, _MOST_PAGES + 1):
            page = self._ask("GET", f"{self.root}{path}?{query}per_page={_PER_PAGE}&page={number}")
            if not isinstance(page, list):
                raise ApiError(0, "the answer is no list")
            yield page
            if len(page) < _PER_PAGE:
                return

    def _ask(self, method: str, address: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        for left in reversed(range(_TRIES)):
            try:
                return self._ask_once(method, address, body)
            except HTTPError as error:
                with error:
                    pause = _pause(error.code, error.headers, _TRIES - left)
                    if pause is None or not left:
                        raise ApiError(error.code, _reason(error)) from None
            except (URLError, OSError, HTTPException) as error:
                if not left:
                    raise ApiError(0, f"{urlsplit(address).netloc} cannot be reached ({error})") from None
                pause = float(_TRIES - left)
            self.wait(pause)
        raise AssertionError("the last try returns or raises")

    def _ask_once(self, method: str, address: str, body: object) -> Any:  # noqa: ANN401 - JSON
        if urlsplit(address).scheme not in ("https", "http"):
            raise ApiError(0, f"{address} is no address of an API")
        request = Request(address, method=method)  # noqa: S310 - checked above
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        request.add_header("User-Agent", "tobler-pack")
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            request.add_header("Content-Type", "application/json")
        with build_opener(_Refuse).open(request, data, timeout=_TIMEOUT) as answer:
            text = answer.read(_LONGEST_ANSWER)
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise ApiError(0, "the answer is no JSON") from None


def _pause(status: int, headers: Message, tries: int) -> float | None:
    """Seconds to wait before the next try; None where trying again is of no use."""
    asked = headers.get("Retry-After")
    is_limited = status == 403 and (asked is not None or headers.get("X-RateLimit-Remaining") == "0")
    if status not in _BUSY and not is_limited:
        return None
    if asked is not None and asked.strip().isdecimal():
        seconds = float(asked)
    elif headers.get("X-RateLimit-Remaining") == "0" and headers.get("X-RateLimit-Reset", "").isdecimal():
        seconds = float(headers["X-RateLimit-Reset"]) - time.time()
    else:
        seconds = 2.0**tries
    return None if seconds > _LONGEST_WAIT else max(0.0, seconds)


def _reason(error: HTTPError) -> str:
    try:
        said = json.loads(error.read(100_000))["message"]
    except (OSError, ValueError, KeyError, TypeError, HTTPException):
        said = error.reason
    return f"{error.code} {str(said)[:200]}"

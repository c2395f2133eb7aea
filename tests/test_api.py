"""The API of GitHub through a stand-in on this machine: one comment stays, and the server's wishes are obeyed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from runner import BOT, TOKEN, GitHub, serve
from tobler_pack.ci.api import Api, ApiError
from tobler_pack.ci.sticky import decide, stick

MARK = "<!-- tobler-pack:packs -->"
BODY = f"{MARK}\nnew\n"
SOMEBODY = {"login": "mallory", "type": "User"}


@pytest.fixture
def github() -> Iterator[GitHub]:
    with serve() as found:
        yield found


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def api(github: GitHub, waits: list[float]) -> Api:
    return Api(github.root, TOKEN, f"{github.root}/graphql", waits.append)


def bodies(github: GitHub) -> list[str]:
    return [one["body"] for one in github.comments]


def test_a_first_comment(api: Api, github: GitHub) -> None:
    number = stick(api, "ann/shop", 7, MARK, BODY)
    assert github.comments == [{"id": number, "body": BODY, "user": BOT}]
    assert github.tokens == {f"Bearer {TOKEN}"}


@pytest.mark.parametrize("others", [0, 35, 135, 199])
def test_our_comment_is_found_behind_those_of_others(api: Api, github: GitHub, others: int) -> None:
    for at in range(others):
        github.comment(f"comment {at}", SOMEBODY)
    ours = github.comment(f"{MARK}\nold\n")
    assert stick(api, "ann/shop", 7, MARK, BODY) == ours
    assert bodies(github)[-1] == BODY
    assert len(github.comments) == others + 1


def test_an_unchanged_comment_is_not_sent_again(api: Api, github: GitHub) -> None:
    ours = github.comment(BODY.replace("\n", "\r\n").strip())
    assert stick(api, "ann/shop", 7, MARK, BODY) == ours
    assert github.written == []


def test_the_mark_in_a_comment_of_somebody_else_counts_for_nothing(api: Api, github: GitHub) -> None:
    github.comment(f"{MARK}\nspoof\n", SOMEBODY)
    stick(api, "ann/shop", 7, MARK, BODY)
    assert bodies(github) == [f"{MARK}\nspoof\n", BODY]


def test_twins_are_removed_and_the_oldest_stays(api: Api, github: GitHub) -> None:
    first = github.comment(f"{MARK}\nold\n")
    github.comment("between", SOMEBODY)
    github.comment(f"{MARK}\nold\n")
    github.comment(BODY)
    assert stick(api, "ann/shop", 7, MARK, BODY) == first
    assert bodies(github) == [BODY, "between"]


def test_comments_of_other_uses_stay(api: Api, github: GitHub) -> None:
    github.comment("<!-- tobler-pack:packs-2 -->\nother use\n")
    github.comment(f"quoted\n{MARK}\n")
    stick(api, "ann/shop", 7, MARK, BODY)
    assert bodies(github) == ["<!-- tobler-pack:packs-2 -->\nother use\n", f"quoted\n{MARK}\n", BODY]


def test_nothing_is_created_where_nothing_is_wanted(api: Api, github: GitHub) -> None:
    assert stick(api, "ann/shop", 7, MARK, BODY, create=False) is None
    assert github.written == []


@pytest.mark.parametrize(
    ("user", "login", "is_ours"),
    [
        (BOT, "github-actions[bot]", True),
        (BOT, "github-actions", True),
        ({"login": "github-actions", "type": "User"}, "github-actions[bot]", False),
        ({"login": "app[bot]", "type": "User"}, "app", False),
        ({"login": "ann", "type": "User"}, "ann", True),
        (None, "ann", False),
    ],
)
def test_whose_comment_it_is(user: Any, login: str, is_ours: bool) -> None:
    found = decide([{"id": 1, "body": BODY, "user": user}], MARK, login, BODY)
    assert (found.kept == 1) is is_ours


@pytest.mark.parametrize(
    ("status", "headers", "pause"),
    [
        pytest.param(429, {"Retry-After": "7"}, 7.0, id="429 with a wait"),
        pytest.param(429, {}, 2.0, id="429 without"),
        pytest.param(502, {}, 2.0, id="502"),
        pytest.param(503, {"Retry-After": "1"}, 1.0, id="503"),
        pytest.param(403, {"Retry-After": "3"}, 3.0, id="403 for too many"),
        pytest.param(429, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, 0.0, id="reset has passed"),
    ],
)
def test_busy_servers_are_asked_again(
    api: Api, github: GitHub, waits: list[float], status: int, headers: dict[str, str], pause: float
) -> None:
    github.failures.append((status, headers))
    stick(api, "ann/shop", 7, MARK, BODY)
    assert waits == [pause]
    assert bodies(github) == [BODY]


@pytest.mark.parametrize(
    ("status", "headers", "tries"),
    [
        pytest.param(403, {}, 1, id="no right"),
        pytest.param(404, {}, 1, id="not there"),
        pytest.param(422, {}, 1, id="wrong"),
        pytest.param(429, {"Retry-After": "3600"}, 1, id="a wait too long"),
        pytest.param(302, {"Location": "http://127.0.0.1:9/"}, 1, id="elsewhere"),
        pytest.param(500, {}, 4, id="broken for good"),
    ],
)
def test_what_does_not_help_is_not_tried_again(
    api: Api, github: GitHub, status: int, headers: dict[str, str], tries: int
) -> None:
    github.failures += [(status, headers)] * 9
    with pytest.raises(ApiError) as error:
        api.comments("ann/shop", 7)
    assert error.value.status == status
    assert len(github.asked) == tries


def test_a_server_that_is_not_there(waits: list[float]) -> None:
    with pytest.raises(ApiError, match="cannot be reached") as error:
        Api("http://127.0.0.1:9", TOKEN, wait=waits.append).comments("ann/shop", 7)
    assert error.value.status == 0
    assert len(waits) == 3


@pytest.mark.parametrize("root", ["file:///etc", "ftp://127.0.0.1"])
def test_only_the_web_is_asked(root: str) -> None:
    with pytest.raises(ApiError, match="no address of an API"):
        Api(root, TOKEN).comments("ann/shop", 7)


def test_the_token_is_never_shown() -> None:
    assert TOKEN not in repr(Api("http://127.0.0.1:9", TOKEN))


def test_the_api_loads_nothing_of_ours_but_itself() -> None:
    program = (
        "import sys, tobler_pack.ci.sticky; print([n for n in ('numpy', 'git', 'yaml', 'typer') if n in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"

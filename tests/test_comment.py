"""The comment: for people, never too long, and nothing in it can act."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from manifests import HEAD, WHERE, block, manifest, pack, read
from tobler_pack.ci.comment import LONGEST, comment, inert, marker
from tobler_pack.ci.reading import read_manifest
from tobler_pack.errors import UsageError

NASTY = [
    "@ann",
    "#12",
    "GH-12",
    "<!-- tobler-pack:packs -->",
    "</details><script>alert(1)</script>",
    "![x](https://example.invalid/x.png)",
    "[x](javascript:alert(1))",
    "www.example.invalid",
    "https://example.invalid",
    "a|b",
    "a\\|b",
    "a`b",
    "``a``",
    "a\nb\n# c",
    "*a* _b_ ~~c~~",
    "&lt;b&gt;",
    "::error::x",
    "\u202etxt",
    "日本 ä",
    "deadbeefdeadbeef",
]


def render(text: str) -> str:
    """As GitHub would: tables, strike-through and links that link themselves."""
    return str(MarkdownIt("gfm-like", {"linkify": False}).render(text))


class Actors(HTMLParser):
    """Collects what acts in a page: links, pictures, scripts; and the text that stands outside of code."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.comments: list[str] = []
        self.plain = ""
        self._in_code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._in_code += tag == "code"
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_endtag(self, tag: str) -> None:
        self._in_code -= tag == "code"

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        if not self._in_code:
            self.plain += data


def actors(text: str) -> Actors:
    found = Actors()
    found.feed(render(text))
    return found


def test_what_else_to_look_at(tmp_path: Path) -> None:
    stub = block("src/roles.py", "Roles", "near", tier="stub", start_line=3, end_line=9)
    text = comment(read(tmp_path, pack(blocks=[pack()["blocks"][0], stub])), "packs", WHERE)
    assert text == (
        "<!-- tobler-pack:packs -->\n"
        "### What else to look at\n\n"
        "| where | what | why |\n| --- | --- | --- |\n"
        f"| [`src/auth.py:10-42`](https://github.com/ann/shop/blob/{HEAD}/src/auth.py#L10-L42) | `authenticate` "
        "| calls `parse_header`, changed here |\n\n"
        "<details><summary>1 more place</summary>\n\n"
        f"- [`src/roles.py:3-9`](https://github.com/ann/shop/blob/{HEAD}/src/roles.py#L3-L9) `Roles`\n\n"
        "</details>\n\n"
        "This is a truncated map: 21 % of the weight lies in places that are not shown (ε = 0.21).\n"
        "The whole pack (5,980 of 6,000 tokens by `o200k_base`) is in the artifact "
        "[`tobler-packs`](https://github.com/ann/shop/actions/runs/1/artifacts/5), for reviewers that are programs.\n"
    )


def test_changed_files_are_not_what_else_to_look_at(tmp_path: Path) -> None:
    text = comment(read(tmp_path, pack(blocks=[block("src/header.py")])), "packs", WHERE)
    assert "src/header.py" not in text
    assert "Nothing outside of the changed files stands out." in text


def test_a_change_without_a_pack(tmp_path: Path) -> None:
    text = comment(read(tmp_path), "packs", WHERE)
    assert text == "<!-- tobler-pack:packs -->\nThis change touches nothing that context packs look at.\n"


def test_packs_of_questions(tmp_path: Path) -> None:
    packs = [pack(id=name, surface="batch", query=f"where is {name}", changed=None) for name in ("a", "b")]
    text = comment(read(tmp_path, *packs), "other", WHERE)
    assert text.startswith("<!-- tobler-pack:other -->\n### Context packs\n")
    assert "| `a` | `where is a` | 5,980/6,000 | 0.21 |\n" in text


def test_names_with_odd_characters_are_linked(tmp_path: Path) -> None:
    text = comment(read(tmp_path, pack(blocks=[block("Aufträge/日本 (a)#?.py")])), "packs", WHERE)
    links = [link for link in actors(text).links if "/blob/" in link]
    assert links == [
        f"https://github.com/ann/shop/blob/{HEAD}/Auftr%C3%A4ge/%E6%97%A5%E6%9C%AC%20%28a%29%23%3F.py#L10-L42"
    ]


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("tier", ["full", "stub"])
def test_nothing_from_the_repository_acts(tmp_path: Path, text: str, tier: str) -> None:
    nasty = pack(blocks=[block(text, text, text, tier=tier), block("b.py", text, f"calls `{text}`", tier=tier)])
    check_inert(comment(read(tmp_path, nasty), "packs", WHERE), rows=2 if tier == "full" else 0)


@pytest.mark.parametrize("text", NASTY)
def test_nothing_from_a_question_acts(tmp_path: Path, text: str) -> None:
    packs = [pack(id=text, surface="batch", query=text) for _ in range(2)]
    check_inert(comment(read(tmp_path, *packs), "packs", WHERE), rows=2)


def check_inert(text: str, rows: int) -> None:
    found = actors(text)
    assert found.comments == [" tobler-pack:packs "]
    assert found.tags <= {
        "h3",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "code",
        "p",
        "ul",
        "li",
        "details",
        "summary",
    }
    assert all(link.startswith("https://github.com/ann/shop/") for link in found.links)
    assert not re.search(r"@|#[0-9]|GH-|www|://|[0-9a-f]{7}", found.plain)
    assert render(text).count("<tr>") == (rows + 1 if rows else 1)
    assert text.count("<!--") - len(re.findall(r"`[^`\n]*<!--[^`\n]*`", text)) <= 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.text(min_size=1, max_size=300),
    symbol=st.text(max_size=300),
    why=st.text(max_size=300),
    blocks=st.integers(0, 2000),
    tier=st.sampled_from(["full", "signature", "stub"]),
)
def test_never_too_long(tmp_path: Path, path: str, symbol: str, why: str, blocks: int, tier: str) -> None:
    found = pack(blocks=[block(path, symbol, why, tier=tier)] * blocks)
    text = comment(read(tmp_path, found), "packs", WHERE)
    assert len(text.encode("utf-16-le")) // 2 <= LONGEST
    assert text.count("<details>") == text.count("\n</details>")
    assert text.endswith("for reviewers that are programs.\n")


def test_a_long_list_is_cut_between_places_and_says_so(tmp_path: Path) -> None:
    places = [block(f"src/{'folder/' * 30}{number}.py", "x" * 150, tier="stub") for number in range(2000)]
    text = comment(read(tmp_path, pack(blocks=places)), "packs", WHERE)
    listed = text.count("\n- [")
    assert 50 < listed < 2000
    assert f"\n{2000 - listed} more stand in the pack.\n" in text
    assert all(line.endswith("`") for line in text.splitlines() if line.startswith("- ["))


def test_as_many_packs_as_there_is_room_for(tmp_path: Path) -> None:
    packs = [pack(id=f"p{at}", surface="batch", query="🙂" * 300) for at in range(1000)]
    text = comment(read(tmp_path, *packs), "packs", WHERE)
    assert len(text.encode("utf-16-le")) // 2 <= LONGEST
    assert "more packs are not listed here" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("calls `parse_header`, changed here", "calls `parse_header`, changed here"),
        ("changes together (3 of 4 commits)", "changes together (3 of 4 commits)"),
        ("calls `a", "``calls `a``"),
        ("see @ann", "`see @ann`"),
        ("see `x` and @ann", "``see `x` and @ann``"),
        ("commit deadbeef0", "`commit deadbeef0`"),
        ("empty `` span", "```empty `` span```"),
    ],
)
def test_short_texts_keep_their_code_spans_and_nothing_else(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_marks_of_several_uses_differ() -> None:
    assert marker("a") != marker("ab")
    assert "\n" not in marker("a")


# ---- manifests that a stranger may have made ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [
        pytest.param([], id="list"),
        pytest.param({}, id="empty"),
        pytest.param({"version": 2, "packs": []}, id="version"),
        pytest.param({"version": 1}, id="no packs"),
        pytest.param(manifest({"id": "x"}), id="half a pack"),
        pytest.param(manifest(pack(tokens="5")), id="text for a number"),
        pytest.param(manifest(pack(epsilon=-1)), id="negative"),
        pytest.param(manifest(pack(tokens=1e300)), id="huge"),
        pytest.param(manifest(pack(k=True)), id="boolean"),
        pytest.param(manifest(pack(query=["x"])), id="list for a text"),
        pytest.param(manifest(pack(query="x" * 20_000)), id="endless text"),
        pytest.param(manifest(pack(blocks=[3])), id="number for a block"),
        pytest.param(manifest(pack(blocks=[block(start_line="1")])), id="text for a line"),
        pytest.param(manifest(*[pack()] * 1001), id="too many packs"),
        pytest.param(manifest(pack(changed="x")), id="text for a list"),
    ],
)
def test_what_is_no_manifest(tmp_path: Path, found: Any) -> None:
    (tmp_path / "m.json").write_text(json.dumps(found))
    with pytest.raises(UsageError, match="is no manifest of tobler-pack"):
        read_manifest(tmp_path / "m.json")


@pytest.mark.parametrize("data", [b"", b"\xff", b"NaN", b"[" * 100_000, b'{"version": 1, "packs": [NaN]}'])
def test_files_that_are_no_manifest(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.json").write_bytes(data)
    with pytest.raises(UsageError):
        read_manifest(tmp_path / "m.json")


def test_a_link_is_no_manifest(tmp_path: Path) -> None:
    read(tmp_path, pack())
    (tmp_path / "link.json").symlink_to(tmp_path / "manifest.json")
    with pytest.raises(UsageError, match="no plain file"):
        read_manifest(tmp_path / "link.json")


def test_half_a_character_does_no_harm(tmp_path: Path) -> None:
    assert "a?.py" in comment(read(tmp_path, pack(blocks=[block("a\ud800.py")])), "packs", WHERE)

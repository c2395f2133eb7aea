"""Fences and code spans: whatever stands in them stays text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samples import HOSTILE, any_line, any_text, parsed
from tobler_pack.packs.markdown import code_span, fence, visible

tolerant = settings(max_examples=100, deadline=None)

EVERYTHING = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE1000), 0x10FFFF]))
ACTING = ("Cc", "Zl", "Zp")  # categories that no viewer shows as text
JOINERS = "\u200c\u200d"


def span_content(text: str) -> str:
    """What a code span is meant to hold."""
    return visible(text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r"))


# what is replaced, and what is not


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain text, äöü 你好 👩\u200d🚀", "plain text, äöü 你好 👩\u200d🚀", id="text stays"),
        pytest.param("\ta\n  b", "\ta\n  b", id="tabs and line ends stay"),
        pytest.param("a\x00b", "a␀b", id="NUL"),
        pytest.param("\x1b[31mred\x1b[0m", "␛[31mred␛[0m", id="terminal colours"),
        pytest.param("a\rb", "a␍b", id="lone CR"),
        pytest.param("\x07\x08\x0b\x0c\x1c", "␇␈␋␌␜", id="control characters"),
        pytest.param("\x7f", "␡", id="delete"),
        pytest.param("\x85\x9b31m", "\\x85\\x9b31m", id="upper control characters"),
        pytest.param("if\u202e x\u2066 y\u2069", "if\\u202e x\\u2066 y\\u2069", id="direction overrides"),
        pytest.param("\u200e\u200f\u061c", "\\u200e\\u200f\\u061c", id="direction marks"),
        pytest.param("a\u2028b\u2029c", "a\\u2028b\\u2029c", id="separators"),
        pytest.param("pass\u200bword\u2060\ufeff\u00ad", "pass\\u200bword\\u2060\\ufeff\\u00ad", id="no width"),
        pytest.param("ok\U000e0041\U000e007f", "ok\\U000e0041\\U000e007f", id="tag characters"),
        pytest.param("नमस्ते क्\u200dष می\u200cخواهم", "नमस्ते क्\u200dष می\u200cخواهم", id="joiners of scripts stay"),
        pytest.param("`code` <b> & | \\", "`code` <b> & | \\", id="markup stays"),
    ],
)
def test_visible(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_of_all_characters_only_those_that_act_are_replaced() -> None:
    shown = visible(EVERYTHING)
    left = set(shown)
    assert not {character for character in left if unicodedata.category(character) in ACTING} - set("\t\n")
    directing = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    assert not {character for character in left if unicodedata.bidirectional(character) in directing}
    replaced = {character for character in EVERYTHING if visible(character) != character}
    assert {unicodedata.category(character) for character in replaced} <= {*ACTING, "Cf", "Cn"}
    assert not replaced & set(JOINERS)


@tolerant
@given(any_text)
def test_visible_text_stays_as_it_is(text: str) -> None:
    once = visible(text)
    assert visible(once) == once


# code spans


@tolerant
@given(any_text)
@example("")
@example(" ")
@example("`")
@example(" ` ")
@example("a\r\nb")
def test_a_code_span_holds_its_text_and_nothing_else(text: str) -> None:
    """In each place where a pack has one."""
    span, content = code_span(text), span_content(text)
    assert "\n" not in span
    assert span == span.strip()
    expected = ("code_inline", content)
    blank = not content.strip(" ")

    def found(line: str) -> list[tuple[str, str]]:
        tokens = parsed(line)
        return [(kind, "" if blank and kind == "code_inline" else held) for kind, held in tokens]

    if blank:
        expected = ("code_inline", "")
    assert found(f"{span}\n") == [("p", ""), expected]
    assert found(f"### {span}\n") == [("h3", ""), expected]
    assert found(f"# {span}\nQuestion: {span}\n") == [
        ("h1", ""), expected, ("p", ""), ("text", "Question: "), expected,
    ]  # fmt: skip
    assert found(f"- {span} {span}\n- {span}\n") == [
        ("ul", ""), ("li", ""), ("p", ""), expected, ("text", " "), expected, ("li", ""), ("p", ""), expected,
    ]  # fmt: skip
    assert found(f"Not shown: {span}, {span} and 2 more.\n") == [
        ("p", ""), ("text", "Not shown: "), expected, ("text", ", "), expected, ("text", " and 2 more."),
    ]  # fmt: skip


@pytest.mark.parametrize("run", [1, 2, 3, 4, 7, 50])
@pytest.mark.parametrize("form", ["{}", "{}a", "a{}", "a{}b", "{} {}", " {} "])
def test_backticks_of_any_number(run: int, form: str) -> None:
    text = form.format("`" * run, "`" * (run + 1))
    assert parsed(code_span(text)) == [("p", ""), ("code_inline", text)]
    assert parsed(fence([text], "")) == [("fence", f"{text.rstrip()}\n")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("run", "`run`", id="plain"),
        pytest.param("a\tb\nc\rd", "`a\\tb\\nc\\rd`", id="line ends and tabs"),
        pytest.param("a`b", "``a`b``", id="a backtick"),
        pytest.param("`b`", "`` `b` ``", id="backticks at the ends"),
        pytest.param(" x ", "`  x  `", id="blanks at the ends"),
    ],
)
def test_code_span(text: str, expected: str) -> None:
    assert code_span(text) == expected


# fences


@tolerant
@given(st.lists(any_line, max_size=8), st.sampled_from(["", "python", "cpp"]))
@example(["```", "~~~"], "")
@example(["    ```", "\t```", "> ```", "- ```", "``````"], "python")
@example(["<!--", "-->"], "")
def test_a_fence_holds_its_lines_and_nothing_else(lines: list[str], language: str) -> None:
    text = fence(lines, language)
    content = "\n".join(visible(line).rstrip() for line in lines) + "\n"
    assert parsed(text) == [("fence", content)]
    assert parsed(f"### `a`\n{text}\n{text}\nmore\n") == [
        ("h3", ""), ("code_inline", "a"), ("fence", content), ("fence", content), ("p", ""), ("text", "more"),
    ]  # fmt: skip
    assert text.splitlines()[0].endswith(f"`{language}")
    assert text.count("\n") == max(1, len(lines)) + 2


@pytest.mark.parametrize("piece", HOSTILE, ids=ascii)
def test_each_hostile_piece_alone(piece: str) -> None:
    assert parsed(fence([piece], "")) == [("fence", f"{visible(piece).rstrip()}\n")]


@tolerant
@given(st.lists(any_line, max_size=8))
def test_a_fence_has_no_trailing_blanks_and_only_line_feeds(lines: list[str]) -> None:
    text = fence(lines, "python")
    assert text.splitlines() == text.split("\n")[:-1]
    assert all(line == line.rstrip() for line in text.split("\n"))


def test_fence() -> None:
    assert fence(["def f():  ", "", "\treturn 1\t"], "python") == "```python\ndef f():\n\n\treturn 1\n```\n"
    assert fence(["a ````` b"], "") == "``````\na ````` b\n``````\n"

"""What several tests build on: a tokenizer that is not ours, small candidates, text that wants to be markup."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from unicodedata import ucd_3_2_0

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tobler_pack.packs.candidates import Candidate
from tobler_pack.packs.render import Heading
from tobler_pack.types import LineRange


@cache
def independent_count(name: str) -> Callable[[str], int]:
    """How many tokens a text has by a tokenizer that shares no code with the one of the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it reads its vocabulary in an old way
        from bpe_openai import get_encoding

        encoding = get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))


def candidate(
    lines: LineRange = (1, 3),
    weight: float = 0.1,
    *,
    path: str = "src/tool.py",
    symbol: str = "run",
    full: tuple[LineRange, ...] | None = None,
    signature: tuple[LineRange, ...] | None = None,
    file: int = 0,
    language: str = "python",
) -> Candidate:
    """A block that shows all its lines, and its first one as signature."""
    return Candidate(
        file,
        path,
        language,
        lines,
        symbol,
        weight,
        (lines,) if full is None else full,
        ((lines[0], lines[0]),) if signature is None else signature,
    )


def heading(
    budget: int = 1000,
    *,
    title: str = "flow",
    question: str = "how does it flow",
    command: str = "tobler-pack build --only flow",
    mem: float | None = None,
    epsilon: float = 0.1,
    k: int = 5,
    counter: str = "o200k_base",
    left_out: dict[str, int] | None = None,
) -> Heading:
    """What stands above the blocks of a pack."""
    return Heading(title, question, command, 3.2, k, epsilon, 1.2, mem, budget, counter, left_out or {})


HOSTILE = (
    "`", "``", "```", "````", "`" * 9, "~~~", "<!-- ", " -->", "@everyone", "[a](http://b)", "![i](j)", "| a | b |",
    "|--|--|", "# ", "## Map", "- ", "> ", "1. ", "***", "_x_", "</details>", "<script>", "&lt;", "&#96;", "\\`", "\\",
    "https://a.b", "\x1b[31m", "\x00", "\x07", "\x0b", "\x0c", "\x1c", "\x7f", "\x85", "\x9b", "\r",
    "\u200b", "\u00ad", "\U000e0041",
    "\u2028", "\u2029", "\u202e", "\u2066", "\u200f", "\u061c", "\ufeff", "\u00a0", "\u3000", "\t", " ", "   ",
    "你好", "👩\u200d🚀", "e\u0301", "<|endoftext|>", "<|im_start|>", "return", "def f(x):", "    ", "=" * 60,
    "0123456789abcdef" * 4, "Not shown: ", "Regenerate with ",
)  # fmt: skip
"""Pieces of text that a viewer, a markdown parser or a tokenizer treats in a way of its own."""

# Tokenizers tell letters from signs by the table of characters that they were built with; on newer ones they differ.
settled = st.characters(exclude_categories=["Cs", "Cn"]).filter(lambda one: ucd_3_2_0.category(one) != "Cn")

any_text = st.lists(st.sampled_from((*HOSTILE, "\n")) | st.text(settled, max_size=8), max_size=5).map("".join)
"""A path, a symbol or a question: with line ends, too."""

any_line = any_text.map(lambda text: text.replace("\n", ""))
"""One line of a file: anything that can be decoded from UTF-8, without LF."""


def parsed(markdown: str) -> list[tuple[str, str]]:
    """What a CommonMark parser (that knows tables and strikethrough) makes of a text: kinds of tokens and content."""
    found: list[tuple[str, str]] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        for one in token.children if token.type == "inline" and token.children else [token]:
            if one.nesting == 0 and (one.type != "text" or one.content):
                found.append((one.type, one.content))
            elif one.nesting == 1:
                found.append((one.tag, ""))
    return found

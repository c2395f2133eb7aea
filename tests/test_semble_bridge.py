"""The bridge to semble: refuses what it cannot work with, and cuts files without losing a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repositories import SHOP
from tobler_pack.corpus import semble_bridge
from tobler_pack.corpus.outline import parse
from tobler_pack.corpus.semble_bridge import chunk_ranges, languages
from tobler_pack.corpus.text import split_lines
from tobler_pack.errors import EnvironmentProblem
from tobler_pack.types import Content

LANGUAGES = ("python", "go", "typescript", "rust", "c", "markdown", "no such language")


@pytest.fixture
def forgetful() -> Iterator[None]:
    """A bridge that looks up semble's parts anew; semble itself is loaded whole."""
    chunk_ranges("x = 1\n", b"x = 1\n", None)
    languages()
    semble_bridge._part.cache_clear()
    yield
    semble_bridge._part.cache_clear()


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("name", ["index.files", "types", "chunking.chunking", "chunking.core"])
def test_a_semble_that_lacks_a_part_is_refused_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, f"semble.{name}", ModuleType("empty"))
    with pytest.raises(EnvironmentProblem, match=rf"has no {name}\.\w+; tobler-pack works with semble>=0\.7,<0\.8"):
        if name.startswith(("index", "types")):
            languages()
        chunk_ranges("x = 1\n", b"x = 1\n", parse(b"x = 1\n", "python"))


@pytest.mark.usefixtures("forgetful")
def test_a_semble_that_lacks_a_module_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "semble.index.files", None)
    with pytest.raises(EnvironmentProblem, match=r"type: pip install 'semble>=0\.7,<0\.8'"):
        languages()


@pytest.mark.parametrize(
    ("ending", "name", "content"),
    [
        (".py", "python", Content.CODE),
        (".ts", "typescript", Content.CODE),
        (".go", "go", Content.CODE),
        (".md", "markdown", Content.DOCS),
        (".toml", "toml", Content.CONFIG),
        (".csv", "csv", None),
    ],
)
def test_endings_and_what_they_hold(ending: str, name: str, content: Content | None) -> None:
    found = languages()[ending]
    assert (found.name, found.content) == (name, content)


def check_ranges(text: str, language: str) -> None:
    source = text.encode()
    ranges = chunk_ranges(text, source, parse(source, language))
    lines = split_lines(text)
    assert all(first <= last for first, last in ranges)
    assert all(end < start for (_, end), (start, _) in pairwise(ranges))
    assert not ranges or (ranges[0][0] >= 1 and ranges[-1][1] <= len(lines))
    covered = {line for first, last in ranges for line in range(first, last + 1)}
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= covered


PIECES = st.sampled_from(
    [
        "def f(a):\n    return a\n",
        "class A:\n    x = 1\n\n    def m(self):\n        pass\n",
        "func F() {\n\treturn\n}\n",
        "export const f = (a) => { return a; }\n",
        "x = 1; y = 2; z = 3\n",
        "\n",
        "   \n",
        "# comment ü 日本語\n",
        "'''never closed\n",
        "}}}))\n",
        "a" * 900 + "\n",
        "long = [" + "1, " * 400 + "]\n",
        "no end of line",
        "\t\x0c\n",
        "`" * 5 + "\n",
        "# Title\n\ntext\n",
        "a\rb\n",
    ]
)


@settings(max_examples=150, deadline=None)
@given(pieces=st.lists(PIECES, max_size=40), language=st.sampled_from(LANGUAGES))
def test_chunks_cover_every_line_with_something_on_it_once(pieces: list[str], language: str) -> None:
    check_ranges("".join(pieces), language)


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet="ab \n\n(){}:;'\"#\tü日\x0c\r\\", max_size=300), language=st.sampled_from(LANGUAGES))
def test_chunks_of_noise_cover_every_line_with_something_on_it_once(text: str, language: str) -> None:
    check_ranges(text, language)


@pytest.mark.parametrize(
    "path", sorted(Path(semble_bridge.__file__).parents[1].rglob("*.py")), ids=lambda path: path.stem
)
def test_chunks_of_real_code(path: Path) -> None:
    check_ranges(path.read_text(encoding="utf-8"), "python")


@pytest.mark.parametrize("lines", [1, 3, 40])
def test_a_long_paragraph_is_not_lost(lines: int) -> None:
    paragraph = ("Words (with some aside) and `code`, " * 30 + "\n") * lines
    check_ranges(f"# Title\n\n{paragraph}\n## Next\n\n{paragraph}", "markdown")


@pytest.mark.parametrize("text", ["", "\n\n", "  \t\n"], ids=["empty", "line ends", "blanks"])
def test_no_chunk_of_nothing(text: str) -> None:
    assert chunk_ranges(text, text.encode(), parse(text.encode(), "python")) == []


def test_chunks_have_a_moderate_size() -> None:
    text = str(SHOP["src/auth.py"]) * 20
    source = text.encode()
    sizes = [last - first + 1 for first, last in chunk_ranges(text, source, parse(source, "python"))]
    assert len(sizes) > 10
    assert max(sizes) < 80

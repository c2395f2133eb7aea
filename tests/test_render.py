"""The pieces of a pack."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import any_line, any_text, candidate, heading, independent_count, parsed
from tobler_pack.packs import render
from tobler_pack.packs.tokens import COUNTERS
from tobler_pack.types import Tier
from tobler_pack.weighing.weights import EPSILON_NOTE

LINES = ["def run(flag):", '    """Run."""', "    go(flag)", "", "def stop():", "    halt()"]

tolerant = settings(max_examples=80, deadline=None)


def test_heading() -> None:
    assert heading(2000).text(1984, 0.08) == (
        "# `flow`\n"
        "Regenerate with `tobler-pack build --only flow`\n"
        "\n"
        "Question: `how does it flow`\n"
        "\n"
        "N_eff=3.2 k=5 ε=0.08 τ=1.20 tokens=1984/2000 (o200k_base)\n"
        "\n"
    )


def test_a_question_without_title_is_the_title() -> None:
    text = heading(title="").text(9, 0.08)
    assert text.startswith("# `how does it flow`\nRegenerate with ")
    assert "Question:" not in text


def test_the_command_stands_on_the_second_line() -> None:
    assert heading().text(9, 0.5).split("\n")[1] == "Regenerate with `tobler-pack build --only flow`"


@pytest.mark.parametrize(
    ("mem", "expected"),
    [
        pytest.param(None, "τ=1.20 tokens=", id="no memory"),
        pytest.param(0.456, "τ=1.20 mem=0.46 tokens=", id="some"),
        pytest.param(1.0, "τ=1.20 mem=1.00 tokens=", id="nothing but memory"),
    ],
)
def test_memory_is_named_where_it_shaped_the_pack(mem: float | None, expected: str) -> None:
    assert expected in heading(mem=mem).text(9, 0.1)


@pytest.mark.parametrize(
    ("epsilon", "left_out", "expected"),
    [
        pytest.param(0.1, {}, "", id="nothing to say"),
        pytest.param(EPSILON_NOTE, {}, "", id="just not truncated"),
        pytest.param(0.41, {}, "This is a truncated map: 41% of the weight is not shown.\n\n", id="truncated"),
        pytest.param(0.1, {"binary": 3}, "Files left out of the search: 3 binary.\n\n", id="files left out"),
        pytest.param(
            0.5,
            {"too large": 1, "submodule": 2},
            "This is a truncated map: 50% of the weight is not shown. "
            "Files left out of the search: 1 too large, 2 submodule.\n\n",
            id="both",
        ),
    ],
)
def test_notes(epsilon: float, left_out: dict[str, int], expected: str) -> None:
    assert heading(left_out=left_out).text(9, epsilon).split("(o200k_base)\n\n")[1] == expected


def test_body() -> None:
    assert render.body(candidate((1, 3)), LINES) == (
        '### `src/tool.py:1-3` `run`\n```python\ndef run(flag):\n    """Run."""\n    go(flag)\n```\n\n'
    )


def test_a_body_in_parts_shows_the_gap() -> None:
    shown = render.body(candidate((6, 6), full=((1, 1), (6, 6))), LINES)
    assert shown == "### `src/tool.py:6` `run`\n```python\ndef run(flag):\n…\n    halt()\n```\n\n"


def test_signature() -> None:
    shown = render.signature(candidate((1, 6), signature=((1, 2), (5, 5)), symbol="run, stop"), LINES)
    assert shown == (
        '### `src/tool.py:1-6` `run, stop`\n```python\ndef run(flag):\n    """Run."""\n…\ndef stop():\n```\n\n'
    )


def test_stub() -> None:
    assert render.stub(candidate((1, 3))) == "- `src/tool.py:1-3` `run`\n"
    assert render.stub(candidate((7, 7), symbol="")) == "- `src/tool.py:7`\n"


def test_sections() -> None:
    assert [render.section(tier) for tier in Tier] == ["", "## Signatures\n\n", "## Map\n\n"]


@pytest.mark.parametrize(
    ("language", "mark"),
    [
        pytest.param("python", "```python\n", id="a name"),
        pytest.param("c_sharp", "```c_sharp\n", id="a name with underscore"),
        pytest.param("", "```\n", id="none"),
        pytest.param("a b\n```", "```\n", id="no name"),
    ],
)
def test_the_language_of_a_fence(language: str, mark: str) -> None:
    assert mark in render.body(candidate(language=language), LINES)


# what did not fit


def not_shown(names: list[str], longest: int) -> str:
    hidden = [candidate(symbol=name, path=f"lib/{name}.py") for name in names]
    return render.not_shown(hidden, len(hidden), lambda line: len(line) <= longest)


@pytest.mark.parametrize(
    ("names", "longest", "expected"),
    [
        pytest.param([], 999, "", id="all shown"),
        pytest.param(["a"], 999, "Not shown: `a`.\n", id="one"),
        pytest.param(["a", "b", "c"], 999, "Not shown: `a`, `b`, `c`.\n", id="all named"),
        pytest.param(["a", "b", "c"], 28, "Not shown: `a` and 2 more.\n", id="one named"),
        pytest.param(["a", "b", "c", "d"], 33, "Not shown: `a`, `b` and 2 more.\n", id="two named"),
        pytest.param(["a", "b"], 5, "", id="no room for any"),
    ],
)
def test_not_shown(names: list[str], longest: int, expected: str) -> None:
    assert not_shown(names, longest) == expected


def test_more_may_be_missing_than_there_are_names_for() -> None:
    assert render.not_shown([candidate(symbol="a")], 40, lambda line: True) == "Not shown: `a` and 39 more.\n"


def test_a_block_without_a_name_goes_by_its_file() -> None:
    hidden = [candidate(symbol="", path="src/deep/setup.py"), candidate(symbol="", path="top.py")]
    assert render.not_shown(hidden, 2, lambda line: True) == "Not shown: `setup.py`, `top.py`.\n"


# hostile text


@tolerant
@given(any_text, any_text, any_text)
def test_the_heading_stays_a_heading(title: str, question: str, command: str) -> None:
    text = heading(title=title, question=question, command=command).text(10, 0.5)
    kinds = [kind for kind, _ in parsed(text)]
    spans = ["h1", "code_inline", "p", "text", "code_inline"] + ["p", "text", "code_inline"] * bool(title)
    assert kinds == [*spans, "p", "text", "p", "text"]
    assert sum(line.startswith("N_eff=") for line in text.split("\n")) == 1


@tolerant
@given(st.lists(any_line, min_size=1, max_size=6), any_text, any_text)
def test_blocks_stay_blocks(lines: list[str], path: str, symbol: str) -> None:
    one = candidate((1, len(lines)), path=path, symbol=symbol)
    text = render.body(one, lines) + render.signature(one, lines) + render.stub(one) + render.stub(one)
    spans = ["code_inline"] + ["text", "code_inline"] * bool(symbol)
    kinds = [kind for kind, _ in parsed(text)]
    assert kinds == ["h3", *spans, "fence", "h3", *spans, "fence", "ul"] + ["li", "p", *spans] * 2


@tolerant
@given(
    st.lists(
        st.tuples(st.sampled_from(["body", "signature", "stub"]), st.lists(any_line, min_size=1, max_size=4), any_text),
        max_size=6,
    ),
    any_text,
)
def test_the_count_of_the_whole_is_the_sum_of_its_pieces(pieces: list[tuple[str, list[str], str]], title: str) -> None:
    texts = [heading(title=title, question=title).text(123, 0.5), *map(render.section, Tier)]
    for kind, lines, symbol in pieces:
        one = candidate((1, len(lines)), symbol=symbol)
        texts.append(render.stub(one) if kind == "stub" else getattr(render, kind)(one, lines))
    texts.append("Not shown: `a`.\n")
    for name in COUNTERS:
        count = independent_count(name)
        assert count("".join(texts)) == sum(map(count, texts))

"""The summary of a job: a table first, then packs while there is room; nothing is left open."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifests import pack, read
from tobler_pack.ci.summary import LARGEST, cut, sections, summary

TEXT = "# `a`\nRegenerate\n\n### `a.py`\n```python\n# no heading\n## neither\n```\n\n## Map\n\n- `b`\n"


def test_the_table_comes_first_and_packs_are_folded(tmp_path: Path) -> None:
    found = summary(read(tmp_path, pack(id="a")), {"a": TEXT}, ["a"])
    first, _, folded = found.partition("<details>")
    assert first == (
        "### Context packs\n\n| pack | question | N_eff | k | ε | tokens | |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | --- |\n"
        "| `a` | `what a change touches` | 3.2 | 7 | 0.21 | 5,980/6,000 | committed copy is stale |\n\n"
        "Worst: This is a truncated map: 21 % of the weight lies in places that are not shown (ε = 0.21).\n\n"
    )
    assert folded == f"<summary>a</summary>\n\n{TEXT}\n</details>\n"


def test_no_packs_and_why(tmp_path: Path) -> None:
    assert summary(read(tmp_path), {}, [], "No pack could be made: `x`").endswith("No pack could be made: `x`\n")


def test_more_than_github_takes_is_cut_at_a_section(tmp_path: Path) -> None:
    long = "".join(f"### `f{at}`\n```\n{'x' * 5_000}\n```\n\n" for at in range(240))
    names = ["a", "b", "c"]
    found = summary(read(tmp_path, *(pack(id=name) for name in names)), dict.fromkeys(names, long), [])
    assert LARGEST - 20_000 < len(found.encode()) <= LARGEST
    assert found.count("\n```") % 2 == 0
    assert found.count("<details>") == found.count("</details>") == 1
    assert found.endswith("\nThe rest stands in the artifact.\n\n</details>\n")
    assert all(f"| `{name}` |" in found for name in names)


def test_sections_know_fences() -> None:
    assert [part.splitlines()[0] for part in sections(TEXT)] == ["# `a`", "### `a.py`", "## Map"]
    assert sections("# a\n````\n```\n# b\n````\n# c\n") == ["# a\n````\n```\n# b\n````\n", "# c\n"]


@given(st.lists(st.sampled_from(["# a\n", "```\n", "````\n", "text\n", "~~~\n", "\n", "ä"])), st.integers(0, 40))
def test_cutting_keeps_whole_sections_from_the_beginning(lines: list[str], room: int) -> None:
    text = "".join(lines)
    shown = cut(text, room)
    assert text.startswith(shown)
    assert len(shown.encode()) <= max(room, 0)
    assert "".join(sections(text)) == text
    assert "".join(sections(text)[: len(sections(shown))]) == shown


@pytest.mark.parametrize("name", ["<b>", "a|b", "`a`"])
def test_names_are_inert(tmp_path: Path, name: str) -> None:
    found = summary(read(tmp_path, pack(id=name, query=name)), {name: TEXT}, [])
    assert "<b>" not in found.replace("`<b>`", "")
    assert found.splitlines()[4].replace("\\|", "").count("|") == 8

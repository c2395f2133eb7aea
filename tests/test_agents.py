"""The section for agents: marked, kept up to date, removed on demand; the rest of the file is somebody else's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console import Console
from repositories import SHOP, create, write
from tobler_pack.ci.agents import BEGIN, END, section, with_section, without_section
from tobler_pack.errors import UsageError
from tobler_pack.sources.config import Config, Question

CONFIG = ".tobler-pack.yaml"
SECTION = section(Config(queries=(Question("a", "where is a"),)))
OTHER = section(Config(queries=(Question("b", "where is `b`\n\n<!-- x -->"),)))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return create(tmp_path / "shop", SHOP)


def test_what_the_section_says() -> None:
    assert (
        f"{BEGIN}\n## Context packs\n\n"
        "Read the pack that fits before searching; each holds the code that matters for one question.\n"
        "`tobler-pack build` refreshes them, `tobler-pack query TEXT` answers another question.\n\n"
        f"- `context/a.md`: `where is a`\n{END}\n"
    ) == SECTION
    assert "- `context/b.md`: ``where is `b` <!-- x -->``\n" in OTHER


TEXTS = st.text(st.sampled_from("ab \n\r\ufeffä#<!-"), max_size=40)


@given(TEXTS)
def test_the_file_comes_back_as_it_was(text: str) -> None:
    assert without_section(with_section(text, SECTION)) == text


@given(TEXTS, TEXTS)
def test_an_update_touches_nothing_else(before: str, after: str) -> None:
    text = with_section(before, SECTION) + after
    changed = with_section(text, OTHER)
    assert with_section(changed, SECTION) == with_section(text, SECTION)
    assert changed.partition(BEGIN)[0] == text.partition(BEGIN)[0]
    assert changed.endswith(after)


def test_line_ends_are_those_of_the_file() -> None:
    assert "\n" not in with_section("a\r\n", SECTION).replace("\r\n", "")


@pytest.mark.parametrize("text", [BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}", f"{BEGIN}{END}{END}"])
def test_marks_that_are_no_pair(text: str) -> None:
    with pytest.raises(UsageError, match="are not one pair"):
        with_section(text, SECTION)
    with pytest.raises(UsageError, match="are not one pair"):
        without_section(text)


def test_a_new_file_and_its_removal(shop: Path, tobler: Console) -> None:
    told = tobler("init", "--agents", cwd=shop)
    assert (told.code, told.out, told.err) == (0, "AGENTS.md: written\n", "")
    text = (shop / "AGENTS.md").read_text()
    assert text.count("\n- `context/") == 4
    assert tobler("init", "--agents", cwd=shop).out == "AGENTS.md: unchanged\n"
    assert tobler("init", "--agents", "--remove", cwd=shop).out == "AGENTS.md: removed, it held nothing else\n"
    assert not (shop / "AGENTS.md").exists()
    assert tobler("init", "--agents", "--remove", cwd=shop).code == 0


def test_a_changed_configuration_changes_the_section(shop: Path, tobler: Console) -> None:
    write(shop, {"CLAUDE.md": "# Mine\n"})
    tobler("init", "--agents", cwd=shop)
    write(shop, {CONFIG: str(SHOP[CONFIG]).replace("id: storage", "id: orders")})
    tobler("init", "--agents", cwd=shop)
    text = (shop / "CLAUDE.md").read_text()
    assert text.startswith(f"# Mine\n\n{BEGIN}\n")
    assert "context/orders.md" in text
    assert "context/storage.md" not in text
    assert not (shop / "AGENTS.md").exists()
    tobler("init", "--agents", "--remove", cwd=shop)
    assert (shop / "CLAUDE.md").read_text() == "# Mine\n"


def test_a_link_is_followed_and_written_once(shop: Path, tobler: Console) -> None:
    write(shop, {"AGENTS.md": "# Mine\n"})
    (shop / "CLAUDE.md").symlink_to("AGENTS.md")
    assert tobler("init", "--agents", cwd=shop).out == "AGENTS.md: written\n"
    assert (shop / "CLAUDE.md").is_symlink()


def test_named_files(shop: Path, tobler: Console) -> None:
    told = tobler("init", "--agents", "--file", ".github/copilot-instructions.md", cwd=shop)
    assert told.out == ".github/copilot-instructions.md: written\n"


@pytest.mark.parametrize("name", ["../x.md", ".git/config", ".", "src", "link.md"])
def test_files_that_are_not_touched(shop: Path, tobler: Console, tmp_path: Path, name: str) -> None:
    write(tmp_path, {"x.md": "mine\n"})
    (shop / "link.md").symlink_to(tmp_path / "x.md")
    told = tobler("init", "--agents", "--file", name, cwd=shop)
    assert told.code == 2
    assert "is no file inside of the repository" in told.err
    assert (tmp_path / "x.md").read_text() == "mine\n"


def test_a_file_that_is_no_text_and_half_a_mark_leave_all_files_alone(shop: Path, tobler: Console) -> None:
    write(shop, {"AGENTS.md": "# Mine\n", "CLAUDE.md": b"\xff\xfe"})
    assert tobler("init", "--agents", cwd=shop).code == 2
    write(shop, {"CLAUDE.md": f"{BEGIN}\n"})
    assert tobler("init", "--agents", cwd=shop).code == 2
    assert (shop / "AGENTS.md").read_text() == "# Mine\n"


@pytest.mark.parametrize("option", [["--remove"], ["--file", "x.md"]])
def test_options_that_belong_to_another(shop: Path, tobler: Console, option: list[str]) -> None:
    told = tobler("init", *option, cwd=shop)
    assert told.code == 2
    assert "belong to --agents" in told.err

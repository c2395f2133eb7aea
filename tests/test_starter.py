"""The starter configuration: it fits the repository, explains every key, and is accepted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from tobler_pack.sources.config import Config, read_config
from tobler_pack.sources.schema import KNOWN_KEYS
from tobler_pack.sources.starter import FEWEST_QUESTIONS, MOST_QUESTIONS, starter_config
from tobler_pack.types import Content

PYTHON_TOOL = [
    "setup.py",
    "src/tool/__main__.py",
    "src/tool/cli.py",
    "src/tool/errors.py",
    "tests/conftest.py",
    "tests/test_cli.py",
]
WEB_SERVICE = [
    "app/routes/users.ts",
    "app/auth/login.ts",
    "app/db/migrations/001.sql",
    "app/config.ts",
    "app/errors.ts",
    "bin/start.sh",
    "test/users.spec.ts",
]
GO_LIBRARY = ["parse.go", "parse_test.go", "doc.go", "README.md"]
DOCUMENTS = ["README.md", "guide/install.md", "guide/use.rst"]
HANDBOOK = ["README.md", "guide/install.md", "guide/use.rst", "render.py"]


def starter(paths: list[str]) -> Config:
    return read_config(starter_config(paths), "starter")


def ids(paths: list[str]) -> list[str]:
    return [question.id for question in starter(paths).queries]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        pytest.param([], ["entry-points", "errors", "testing"], id="no files"),
        pytest.param(PYTHON_TOOL, ["command-line", "errors", "build", "tests"], id="Python tool"),
        pytest.param(
            WEB_SERVICE,
            ["request-flow", "authentication", "database", "command-line", "tests"],
            id="web service",
        ),
        pytest.param(GO_LIBRARY, ["tests", "entry-points", "errors"], id="Go library"),
        pytest.param(DOCUMENTS, ["overview", "first-steps", "rules"], id="documents only"),
        pytest.param(HANDBOOK, ["entry-points", "errors", "testing"], id="documents and a little code"),
        pytest.param(["cmd/serve/main.go"], ["command-line", "entry-points", "errors"], id="Go command"),
        pytest.param(["src/main.rs", "src/error.rs"], ["command-line", "errors", "entry-points"], id="Rust command"),
        pytest.param(
            ["shop/urls.py", "shop/migrations/0001.py"],
            ["request-flow", "database", "entry-points"],
            id="Django",
        ),
        pytest.param(["src/Config.java", "src/ConfigTest.java"], ["configuration", "tests", "entry-points"], id="Java"),
    ],
)
def test_questions_fit_the_repository(paths: list[str], expected: list[str]) -> None:
    assert ids(paths) == expected


@pytest.mark.parametrize(
    ("path", "not_asked"),
    [
        pytest.param("tests/test_auth.py", "authentication", id="only a test"),
        pytest.param("docs/config.py", "configuration", id="only documentation"),
        pytest.param("vendor/x/auth/login.go", "authentication", id="only vendored"),
        pytest.param("src/author.py", "authentication", id="a longer word"),
        pytest.param("src/latest.py", "tests", id="ends like a test"),
        pytest.param("src/contest.go", "tests", id="ends like another test"),
        pytest.param("config/app.yaml", "configuration", id="no code"),
    ],
)
def test_what_only_looks_like_a_sign(path: str, not_asked: str) -> None:
    assert not_asked not in ids([path])


@pytest.mark.parametrize(
    ("paths", "out"),
    [
        pytest.param(["src/context.py"], "context", id="only a file of that name deeper down"),
        pytest.param(["context/a.go"], "context-packs", id="folder"),
        pytest.param(["Context/a.go"], "context-packs", id="folder in capitals"),
        pytest.param(["context"], "context-packs", id="file"),
        pytest.param(["context/a.go", "context-packs/x"], "context-packs-2", id="both"),
    ],
)
def test_out_is_a_name_that_is_free(paths: list[str], out: str) -> None:
    assert starter(paths).out == out
    assert f"#   {out}/*.md linguist-generated\n" in starter_config(paths)


@pytest.mark.parametrize(
    ("paths", "content"),
    [
        pytest.param(PYTHON_TOOL, (Content.CODE,), id="code"),
        pytest.param(["a.md", "a.py"], (Content.CODE,), id="as many"),
        pytest.param(HANDBOOK, (Content.CODE, Content.DOCS), id="more documents"),
    ],
)
def test_documents_are_searched_where_they_are_many(paths: list[str], content: tuple[Content, ...]) -> None:
    assert starter(paths).content == content


def test_what_others_wrote_is_excluded() -> None:
    paths = ["vendor/a/b.go", "ui/node_modules/x/y.js", "ui/lib.min.js"]
    exclude = starter([*paths, "ui/lib.js"]).exclude
    assert exclude == ("vendor/", "node_modules/", "*.min.js")
    assert list(GitIgnoreSpec.from_lines(exclude).match_files([*paths, "ui/lib.js"])) == paths


def test_everything_but_the_questions_stands_on_its_default() -> None:
    config = starter(PYTHON_TOOL)
    assert config == Config(queries=config.queries)


def test_every_key_is_explained() -> None:
    text = starter_config([])
    for key in (*KNOWN_KEYS[""], *KNOWN_KEYS["queries[]"], "floor"):
        assert f"{key}:" in text or f"{key} (" in text
    assert "tobler-pack build" in text


def test_lines_are_short_and_end_cleanly() -> None:
    text = starter_config(WEB_SERVICE)
    assert max(map(len, text.splitlines())) <= 80
    assert all(line == line.rstrip() for line in text.split("\n"))
    assert text.endswith("}\n")


STEPS = st.sampled_from(
    [
        "src",
        "context",
        "auth",
        "cli",
        "tests",
        "docs",
        "vendor",
        "a b",
        "ü",
        '"',
        "{x}",
        "routes",
        "db",
        "config",
    ]
)
ENDINGS = st.sampled_from(["", ".py", ".go", ".md", ".rs", ".min.js", "_test.go", "\n"])
PATHS = st.lists(
    st.builds(lambda steps, end: "/".join(steps) + end, st.lists(STEPS, min_size=1, max_size=4), ENDINGS)
    | st.text(min_size=1)
)


@settings(deadline=None)
@given(PATHS)
def test_any_repository_gets_a_valid_starter(paths: list[str]) -> None:
    text = starter_config(paths)
    config = read_config(text)
    assert FEWEST_QUESTIONS <= len(config.queries) <= MOST_QUESTIONS
    assert starter_config(paths[::-1]) == text
    assert not any(path.partition("/")[0] == config.out for path in paths)

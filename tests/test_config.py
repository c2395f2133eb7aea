"""The configuration file: what is accepted, and how each mistake is answered."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tobler_pack.errors import EnvironmentProblem, UsageError
from tobler_pack.sources import explain
from tobler_pack.sources.config import (
    Config,
    Question,
    Surface,
    json_schema,
    load_config,
    read_config,
    resolve_out,
)
from tobler_pack.sources.schema import KNOWN_KEYS
from tobler_pack.sources.yaml_text import LONGEST_TEXT, parse
from tobler_pack.types import Content

EXAMPLE = """\
version: 1
out: context                # where packs go; never indexed itself
budget: 2000                # tokens per pack: the whole file, header and fences included
model: embedded             # embedded | a local model2vec folder | hub:minishlab/potion-code-16M-v2@REVISION
tokens: o200k_base          # the counter; named in every pack
content: [code]             # code, docs, config
exclude: ["vendor/**"]
queries:
  - id: auth-flow           # becomes <out>/auth-flow.md
    ask: how is a request authenticated
    budget: 3000
    paths: ["src/**"]
  - id: auth-arguments
    ask: what are the arguments to that
    session: auth           # queries of one session are read in file order and smoothed
  - id: auth-roles
    ask: where are roles checked
    session: auth
surfaces:
  pull-request: {budget: 6000}
  docs-questions: {asks: "questions about the manual", over: docs, fires: nightly, floor: 0.15, budget: 1500}
"""


def mistakes(text: str) -> list[str]:
    """The lines with which a text is refused."""
    with pytest.raises(UsageError) as caught:
        read_config(text, "c.yaml")
    return str(caught.value).splitlines()


def with_version(text: str) -> str:
    """The text under a first line with the version, so that its own first line is line 2."""
    return f"version: 1\n{text}\n"


def test_the_example_of_the_manual() -> None:
    assert read_config(EXAMPLE) == Config(
        exclude=("vendor/**",),
        queries=(
            Question("auth-flow", "how is a request authenticated", budget=3000, paths=("src/**",)),
            Question("auth-arguments", "what are the arguments to that", session="auth"),
            Question("auth-roles", "where are roles checked", session="auth"),
        ),
        surfaces=(
            Surface("pull-request", budget=6000),
            Surface("docs-questions", "questions about the manual", Content.DOCS, "nightly", 0.15, 1500),
        ),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", Config(), id="only the version"),
        pytest.param("queries: []", Config(), id="no questions"),
        pytest.param("surfaces: {}", Config(), id="no surfaces"),
        pytest.param("exclude: []", Config(), id="nothing excluded"),
        pytest.param("exclude: ['*.js', '!keep.js']", Config(exclude=("*.js", "!keep.js")), id="negative pattern"),
        pytest.param(
            "exclude: ['/build/', 'a b', 'x\\ ']",
            Config(exclude=("/build/", "a b", "x\\ ")),
            id="odd patterns",
        ),
        pytest.param("exclude: ['.github/', '..x', '...']", Config(exclude=(".github/", "..x", "...")), id="dots"),
        pytest.param("budget: 200", Config(budget=200), id="smallest budget"),
        pytest.param("budget: 200000", Config(budget=200_000), id="largest budget"),
        pytest.param("budget: 2_000", Config(), id="number with underscore"),
        pytest.param("out: ./docs//context/", Config(out="docs/context"), id="out is tidied"),
        pytest.param("out: .context", Config(out=".context"), id="hidden out"),
        pytest.param("out: .github/context", Config(out=".github/context"), id="out in a folder that begins like git"),
        pytest.param("out: Kontext für alle", Config(out="Kontext für alle"), id="out with spaces and umlauts"),
        pytest.param(
            "content: [docs, code]",
            Config(content=(Content.DOCS, Content.CODE)),
            id="content keeps its order",
        ),
        pytest.param("tokens: cl100k_base", Config(tokens="cl100k_base"), id="other counter"),
        pytest.param("telemetry: off", Config(telemetry=False), id="yes and no as YAML writes them"),
        pytest.param("model: models/own", Config(model="models/own"), id="model folder"),
        pytest.param("model: ../embedded-model", Config(model="../embedded-model"), id="model beside the repository"),
        pytest.param("model: hub:a/b@v1.0", Config(model="hub:a/b@v1.0"), id="model at a tag"),
        pytest.param(
            f"model: hub:minishlab/potion@{'0a' * 20}",
            Config(model=f"hub:minishlab/potion@{'0a' * 20}"),
            id="model at a commit",
        ),
        pytest.param("surfaces: {on: {floor: 0}}", Config(surfaces=(Surface("on", floor=0.0),)), id="keys stay text"),
        pytest.param("surfaces: {commit: {}}", Config(surfaces=(Surface("commit"),)), id="surface without dials"),
        pytest.param(
            "queries: [{id: a.b_C-1, ask: ' wo? '}]",
            Config(queries=(Question("a.b_C-1", "wo?"),)),
            id="question is trimmed",
        ),
        pytest.param(
            "queries:\n- id: a\n  ask: |\n    one\n    two\n",
            Config(queries=(Question("a", "one\ntwo"),)),
            id="question of two lines",
        ),
        pytest.param(
            "queries:\n- {id: a, ask: x, paths: &p [src]}\n- {id: b, ask: y, paths: *p}",
            Config(queries=(Question("a", "x", paths=("src",)), Question("b", "y", paths=("src",)))),
            id="anchor and alias",
        ),
        pytest.param(
            "queries: [{id: a, ask: x, surface: own}]\nsurfaces: {own: {over: config}}",
            Config(queries=(Question("a", "x", surface="own"),), surfaces=(Surface("own", over=Content.CONFIG),)),
            id="question of an own surface",
        ),
        pytest.param(
            f"queries: [{{id: {'i' * 100}, ask: {'x' * 8000}}}]",
            Config(queries=(Question("i" * 100, "x" * 8000),)),
            id="longest",
        ),
    ],
)
def test_accepted(text: str, expected: Config) -> None:
    assert read_config(with_version(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "",
            "c.yaml:1: the file is empty; write at least `version: 1`, or delete it and type `tobler-pack",
            id="empty",
        ),
        pytest.param("# todo\n", "c.yaml:1: the file is empty; write", id="only comments"),
        pytest.param(
            "~",
            "c.yaml:1: expected keys at the top of the file, found a single value; begin with `version: 1`",
            id="null",
        ),
        pytest.param("- a", "c.yaml:1: expected keys at the top of the file, found a list; begin with", id="list"),
        pytest.param("out: x", "c.yaml:1: version: this key is missing; write `version: 1`", id="no version"),
        pytest.param(
            "\nversion: 2\nnew: x",
            "c.yaml:2: version: version 2 is not known here, only 1 is; write `version: 1`, or install",
            id="newer version",
        ),
        pytest.param(
            "version: true",
            "c.yaml:1: version: expected the number 1, found true or false; write `version: 1`",
            id="true is not 1",
        ),
        pytest.param(
            "version: '1'",
            "c.yaml:1: version: expected the number 1, found a text; write `version: 1`",
            id="text is not 1",
        ),
        pytest.param(
            "version: 1.0",
            "c.yaml:1: version: expected the number 1, found a number with a decimal point;",
            id="1.0 is not 1",
        ),
    ],
)
def test_whole_file(text: str, expected: str) -> None:
    (line,) = mistakes(text)
    assert line.startswith(expected)


NOT_YAML = [
    pytest.param(
        "a: [1",
        "3: column 1: not valid YAML: while parsing a flow sequence, expected ',' or ']'",
        "close the list with ]",
        id="open list",
    ),
    pytest.param("a: {b", "3: column 1: not valid YAML:", "close the group with }", id="open group"),
    pytest.param("\ta: 1", "2: column 1: not valid YAML:", "indent with spaces, not with tabs", id="tab"),
    pytest.param(
        "ask: a: b",
        "2: column 7: not valid YAML:",
        "put quotes around a text that contains a colon",
        id="colon",
    ),
    pytest.param(
        "exclude: [**/*.py]",
        "2: column 12: not valid YAML:",
        "put quotes around a text that begins with *",
        id="star",
    ),
    pytest.param(
        "exclude: [*x]",
        "2: column 11: not valid YAML:",
        "put quotes around a text that begins with *",
        id="no such alias",
    ),
    pytest.param(
        "exclude: [!keep]",
        "2: column 11: not valid YAML:",
        "put quotes around a text that begins with !",
        id="exclamation",
    ),
    pytest.param(
        "out: !!python/name:os.system x",
        "2: column 6: not valid YAML: tags",
        "",
        id="tag that would run code",
    ),
    pytest.param("budget: !!int '2000'", "2: column 9: not valid YAML: tags", "", id="tag of YAML itself"),
    pytest.param("ask: @x", "2: column 6: not valid YAML:", "put quotes around the text", id="at sign"),
    pytest.param("ask: 'x", "3: column 1: not valid YAML:", "close the quote", id="open quote"),
    pytest.param("---\nversion: 1", "2: column 1: not valid YAML:", "keep one document", id="two documents"),
    pytest.param("out: \x07", "2: the character U+0007 is not allowed in YAML", "remove it", id="control character"),
    pytest.param("out: " + "[" * 5000, "2: column 25: not valid YAML: nested too deeply", "", id="deep"),
    pytest.param("out: &a [*a]", "2: the file holds too many values", "write fewer", id="alias of itself"),
    pytest.param(
        "a: &a [x,x,x,x,x,x,x,x]\n"
        + "\n".join(f"{b}: &{b} [{','.join(['*' + a] * 8)}]" for a, b in zip("abcdefg", "bcdefgh", strict=True)),
        "2: the file holds too many values",
        "write fewer",
        id="alias bomb",
    ),
    pytest.param("#" * LONGEST_TEXT, f"1: the file is longer than {LONGEST_TEXT} characters", "", id="long file"),
]


@pytest.mark.parametrize(("text", "start", "hint"), NOT_YAML)
def test_not_yaml(text: str, start: str, hint: str) -> None:
    (line,) = mistakes(with_version(text))
    assert line.startswith(f"c.yaml:{start}")
    assert hint in line


ONE_MISTAKE = [
    # keys
    ("budgit: 300", "2: budgit: unknown key; did you mean `budget`?"),
    ("output: x", "2: output: unknown key; did you mean `out`?"),
    ("zzz:", "2: zzz: unknown key; known are version, out, budget, model, tokens, content,"),
    ("1: x", "2: 1: unknown key; known are"),
    ("'a\\n::error::x': 1", "2: a\\n::error::x: unknown key"),
    ('"a\\n::error::x": 1', "2: a\\n::error::x: unknown key"),
    ("queries: [{id: a, question: x, ask: y}]", "2: queries[0].question: unknown key; did you mean `ask`?"),
    ("surfaces: {own: {threshold: 1}}", "2: surfaces.own.threshold: unknown key; did you mean `floor`?"),
    ("out: a\nout: b", "3: out: stands twice, first on line 2; keep one of them"),
    ("'': 1", '2: "": unknown key; known are'),
    ("' ': 1", '2: " ": unknown key; known are'),
    ("'[key]': 1", "2: [key]: unknown key; known are"),
    ("surfaces: {'[key]': {}}", "2: surfaces.[key]: `[key]` is not a usable name"),
    ("<<: {out: a}", "2: <<: merge keys are not supported; write the keys out"),
    ("? [a]\n: b", "2: a list or a group of keys stands where a key is expected"),
    # no value
    ("budget:", "2: budget: has no value; write `budget: 2000`, or remove the key"),
    ("queries: null", "2: queries: has no value; write `queries: [{id: auth-flow, ask:"),
    ("exclude: [~]", '2: exclude[0]: has no value; write `"vendor/**"`'),
    ("queries:\n- id: a\n  ask: x\n  session:", "5: queries[0].session: has no value; write `session: auth`"),
    ("surfaces:\n  own:", "3: surfaces.own: has no value; write `{budget: 6000}`"),
    ("surfaces: {own: {floor: }}", "2: surfaces.own.floor: has no value; write `floor: 0.15`"),
    # something else in the place
    ("budget: '2000'", "2: budget: expected a whole number of tokens, found a text; write `budget: 2000`"),
    ("budget: true", "2: budget: expected a whole number of tokens, found true or false; write"),
    (
        "budget: 2000.0",
        "2: budget: expected a whole number of tokens, found a number with a decimal point; write",
    ),
    ("telemetry: 1", "2: telemetry: expected true or false, found a number; write `telemetry: false`"),
    ("content: code", "2: content: expected a list of content types, found a text; write `content: [code]`"),
    (
        "exclude: vendor",
        '2: exclude: expected a list of patterns, found a text; write `exclude: ["vendor/**"]`',
    ),
    (
        "exclude: [2024]",
        "2: exclude[0]: expected a pattern, found a number (so YAML reads `2024`); put quotes around",
    ),
    ("queries: what is it", "2: queries: expected a list of questions, found a text; write"),
    ("queries: {a: b}", "2: queries: expected a list of questions, found a group of keys; write"),
    (
        "queries:\n- what is it",
        "3: queries[0]: expected a question (a group of keys), found a text; write `- id: auth-flow`",
    ),
    ("surfaces: [batch]", "2: surfaces: expected a group of surfaces by name, found a list; write"),
    (
        "surfaces: {own: 6000}",
        "2: surfaces.own: expected the dials of a surface (a group of keys), found a number",
    ),
    (
        "queries: [{id: on, ask: x}]",
        "2: queries[0].id: expected a name, found true or false (so YAML reads `on`); put quotes",
    ),
    (
        "queries: [{id: 2024-01-31, ask: x}]",
        "2: queries[0].id: expected a name, found a date (so YAML reads `2024-01-31`);",
    ),
    (
        "queries: [{id: 2024-13-31, ask: x}]",
        "2: queries[0].id: YAML cannot read `2024-13-31` as the timestamp that it",
    ),
    (f"budget: {'9' * 5000}", "2: budget: YAML cannot read `9999"),
    # ranges
    ("budget: 199", "2: budget: 199 is below what a pack's header needs; write a number from 200 to 200000"),
    ("budget: -5", "2: budget: -5 is below what a pack's header needs"),
    ("budget: 200001", "2: budget: 200001 is too large; write a number from 200 to 200000"),
    (f"budget: 0x{'f' * 5000}", "2: budget: 0xffff"),
    ("queries: [{id: a, ask: x, budget: 0}]", "2: queries[0].budget: 0 is below"),
    (
        "surfaces: {own: {floor: 1.5}}",
        "2: surfaces.own.floor: 1.5 is not a cosine similarity; write a number from 0 to 1, such as 0.15",
    ),
    ("surfaces: {own: {floor: -0.1}}", "2: surfaces.own.floor: -0.1 is not a cosine similarity"),
    ("surfaces: {own: {floor: .nan}}", "2: surfaces.own.floor: .nan is not a cosine similarity"),
    ("surfaces: {own: {floor: .inf}}", "2: surfaces.own.floor: .inf is not a cosine similarity"),
    ("surfaces: {own: {floor: '0.1'}}", "2: surfaces.own.floor: expected a number from 0 to 1, found a text"),
    (
        "surfaces: {own: {floor: true}}",
        "2: surfaces.own.floor: expected a number from 0 to 1, found true or false",
    ),
    # choices
    ("tokens: o200k", "2: tokens: unknown counter `o200k`; did you mean `o200k_base`?"),
    ("tokens: gpt", "2: tokens: unknown counter `gpt`; known are o200k_base, cl100k_base"),
    ("content: [doc]", "2: content[0]: unknown content type `doc`; did you mean `docs`?"),
    ("content: []", "2: content: the list is empty; name at least one of code, docs, config"),
    ("content: [code, code]", "2: content: names something twice; name each once"),
    (
        "surfaces: {own: {over: everything}}",
        "2: surfaces.own.over: unknown content type `everything`; known are code, docs, config",
    ),
    (
        "queries: [{id: a, ask: x, surface: bach}]",
        "2: queries[0].surface: unknown surface `bach`, not described under `surfaces` either; did you mean",
    ),
    (
        "queries: [{id: a, ask: x, surface: own}]",
        "2: queries[0].surface: unknown surface `own`, not described under `surfaces` either; known are",
    ),
    # names
    ("queries: [{ask: x}]", "2: queries[0].id: this key is missing; write `id: auth-flow`"),
    (
        "queries: [{id: '', ask: x}]",
        "2: queries[0].id: is not a usable name; take 1 to 100 letters a-z, digits,",
    ),
    ("queries: [{id: a b, ask: x}]", "2: queries[0].id: `a b` is not a usable name; take"),
    ("queries: [{id: a/b, ask: x}]", "2: queries[0].id: `a/b` is not a usable name; take"),
    ("queries: [{id: .a, ask: x}]", "2: queries[0].id: `.a` is not a usable name; take"),
    ("queries: [{id: é, ask: x}]", "2: queries[0].id: `é` is not a usable name; take"),
    ('queries: [{id: "a\\n", ask: x}]', "2: queries[0].id: `a\\n` is not a usable name; take"),
    (f"queries: [{{id: {'i' * 101}, ask: x}}]", "2: queries[0].id: is not a usable name; take"),
    (
        "queries: [{id: a., ask: x}]",
        "2: queries[0].id: `a.` ends in a dot, which Windows drops from file names; leave the dot out",
    ),
    (
        "queries: [{id: Nul, ask: x}]",
        "2: queries[0].id: `Nul` is a device name on Windows; choose another name",
    ),
    ("queries: [{id: com1.x, ask: x}]", "2: queries[0].id: `com1.x` is a device name on Windows"),
    (
        "queries:\n- {id: a, ask: x}\n- {id: a, ask: y}",
        "4: queries[1].id: the name `a` stands twice; choose another name",
    ),
    (
        "queries:\n- {id: a, ask: x}\n- {id: A, ask: y}",
        "4: queries[1].id: `A` and `a` are the same file on many disks; choose another name",
    ),
    ("surfaces: {a b: {}}", "2: surfaces.a b: `a b` is not a usable name"),
    ("surfaces: {own: {}, Own: {}}", "2: surfaces.Own: `Own` and `own` are the same file on many disks"),
    # texts
    (
        "queries: [{id: a}]",
        "2: queries[0].ask: this key is missing; write `ask: how is a request authenticated`",
    ),
    (
        "queries: [{id: a, ask: ''}]",
        "2: queries[0].ask: the question is empty; write what the pack should answer",
    ),
    ("queries: [{id: a, ask: '  '}]", "2: queries[0].ask: the question is empty"),
    (f"queries: [{{id: a, ask: {'x' * 8001}}}]", "2: queries[0].ask: has 8001 characters; 8000 are the most"),
    (
        'queries: [{id: a, ask: "\\e[31m"}]',
        "2: queries[0].ask: `\\x1b[31m` contains control characters; remove them",
    ),
    ('queries: [{id: a, ask: "\\ud800"}]', "2: queries[0].ask: an escape makes half of a character"),
    (
        "queries: [{id: a, ask: x, session: ' '}]",
        "2: queries[0].session: is empty; write a short text, or leave the key out",
    ),
    (
        f"queries: [{{id: a, ask: x, session: {'x' * 201}}}]",
        "2: queries[0].session: has 201 characters; 200 are the most",
    ),
    # patterns
    ("exclude: ['']", "2: exclude[0]: the pattern is empty; write one such as"),
    ("exclude: ['!']", "2: exclude[0]: `!` is no pattern that can be read, or matches nothing; write"),
    ("exclude: ['#x']", "2: exclude[0]: `#x` is no pattern that can be read, or matches nothing"),
    ("exclude: ['[a']", "2: exclude[0]: `[a` is no pattern that can be read"),
    ("exclude: ['[[:alpha:]]']", "2: exclude[0]: `[[:alpha:]]` is no pattern that can be read"),
    ("exclude: ['[z-a]']", "2: exclude[0]: `[z-a]` is no pattern that can be read"),
    ("exclude: ['a\\']", "2: exclude[0]: `a\\` is no pattern that can be read"),
    (
        "exclude: ['src\\main']",
        "2: exclude[0]: `src\\main` has a backslash between names; separate folders with /",
    ),
    (
        "exclude: [./src]",
        '2: exclude[0]: `./src` has a step "." or ".." and never matches; begin at the root',
    ),
    ("exclude: ['!../x']", '2: exclude[0]: `!../x` has a step "." or ".." and never matches'),
    (
        'exclude: ["a\\nb"]',
        "2: exclude[0]: `a\\nb` contains line breaks or control characters; remove them",
    ),
    (f"exclude: [{'x' * 501}]", "2: exclude[0]: has 501 characters; 500 are the most"),
    (
        "queries: [{id: a, ask: x, paths: []}]",
        "2: queries[0].paths: the list is empty; name what to look at, or leave the key out",
    ),
    (
        "queries: [{id: a, ask: x, paths: ['!y']}]",
        "2: queries[0].paths: only takes away; begin with a pattern that selects",
    ),
    # out
    ("out: ''", "2: out: is the whole repository; write a folder inside it, such as context"),
    ("out: .", "2: out: `.` is the whole repository"),
    ("out: ./", "2: out: `./` is the whole repository"),
    (
        "out: /tmp/x",
        "2: out: `/tmp/x` leads out of the repository; write a folder relative to its root, such as context",
    ),
    ("out: ~/x", "2: out: `~/x` leads out of the repository"),
    ("out: c:x", "2: out: `c:x` leads out of the repository"),
    ("out: a/../b", "2: out: `a/../b` leads upwards with ..; write"),
    ("out: ..", "2: out: `..` leads upwards with .."),
    ("out: a\\b", "2: out: `a\\b` contains a backslash; separate folders with /"),
    ("out: .git", "2: out: `.git` lies in the folder that belongs to git; write another folder"),
    ("out: .GIT/packs", "2: out: `.GIT/packs` lies in the folder that belongs to git"),
    ("out: module/.git", "2: out: `module/.git` lies in the folder that belongs to git"),
    ("out: .git./x", "2: out: `.git./x` lies in the folder that belongs to git"),
    ("out: git~1", "2: out: `git~1` lies in the folder that belongs to git"),
    ('out: ".g\\u200cit"', "2: out: `.g\\u200cit` contains invisible characters; remove them"),
    ('out: "a\\nb"', "2: out: `a\\nb` contains line breaks or control characters"),
    ("out: packs*", "2: out: `packs*` is no folder name on every platform"),
    ("out: a./b", "2: out: `a./b` is no folder name on every platform"),
    ("out: ' a'", "2: out: ` a` is no folder name on every platform"),
    ("out: aux", "2: out: `aux` is no folder name on every platform"),
    (f"out: {'x' * 201}", "2: out: has 201 characters; 200 are the most"),
    # model
    ("model: ' '", "2: model: is empty; write embedded, a folder or hub:NAME@REVISION"),
    ("model: Embeded", "2: model: `Embeded` is no known model; did you mean embedded?"),
    (
        "model: hub:a/b",
        "2: model: `hub:a/b` names no fixed revision; write hub:NAME@REVISION with a commit or tag, because",
    ),
    ("model: hub:a/b@", "2: model: `hub:a/b@` names no fixed revision"),
    ("model: hub:a/b@main", "2: model: `hub:a/b@main` names no fixed revision"),
    ("model: hub:a/b/c@v1", "2: model: `hub:a/b/c@v1` is no model of the hub; write hub:OWNER/NAME@REVISION"),
    ("model: hub:@v1", "2: model: `hub:@v1` is no model of the hub"),
    (
        "model: https://example.org/m",
        "2: model: `https://example.org/m` is a link; write hub:NAME@REVISION, or download",
    ),
    (f"model: {'x' * 5000}", "2: model: has 5000 characters; 4096 are the most"),
]


@pytest.mark.parametrize(("text", "expected"), [pytest.param(*case, id=case[0][:60]) for case in ONE_MISTAKE])
def test_one_mistake(text: str, expected: str) -> None:
    (line,) = mistakes(with_version(text))
    assert line.startswith(f"c.yaml:{expected}")
    assert line.isprintable()
    assert len(line) < 300


def test_all_mistakes_at_once_in_the_order_of_the_file() -> None:
    text = """\
version: 1
surfaces: {commit: {flor: 1}}
queries:
  - id: a
    ask:
    budgit: 300
  - ask: [x]
    id: A
budget: 1
budget: 2000
"""
    assert [line.partition(";")[0] for line in mistakes(text)] == [
        "c.yaml:2: surfaces.commit.flor: unknown key",
        "c.yaml:5: queries[0].ask: has no value",
        "c.yaml:6: queries[0].budgit: unknown key",
        "c.yaml:7: queries[1].ask: expected a question in words, found a list",
        "c.yaml:8: queries[1].id: `A` and `a` are the same file on many disks",
        "c.yaml:9: budget: 1 is below what a pack's header needs",
        "c.yaml:10: budget: stands twice, first on line 9",
    ]


def test_names_of_surfaces_cannot_break_a_message_into_lines() -> None:
    lines = mistakes(with_version('queries: [{id: a, ask: x, surface: zz}]\nsurfaces: {"q\\n::error::": {}}'))
    assert [line.partition(" ")[0] for line in lines] == ["c.yaml:2:", "c.yaml:3:"]


def test_a_flood_of_mistakes_is_counted() -> None:
    lines = mistakes(with_version("\n".join(f"key{n}: x" for n in range(250))))
    assert len(lines) == 101
    assert lines[-1] == "c.yaml: and 150 more mistakes; mend these first"


def test_lines_of_values_over_several_lines() -> None:
    document = parse("a:\n  - b\n  -\n    c: >\n      long\n\n      text\n\nd: 1\n")
    assert document.data == {"a": ["b", {"c": "long\ntext\n"}], "d": 1}
    assert [document.line_of(p) for p in ((), ("a",), ("a", 1, "c"), ("a", 1, "new"), ("d",))] == [
        1,
        1,
        4,
        4,
        9,
    ]


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = sorted({key for keys in KNOWN_KEYS.values() for key in keys})
NEARLY_RIGHT = st.fixed_dictionaries(
    {"version": st.just(1)},
    optional={
        "out": st.text(),
        "model": st.text() | st.builds("hub:{}@{}".format, st.text(), st.text()),
        "exclude": st.lists(st.text(alphabet="ab*?[]!#/\\.- ", min_size=1)),
        "queries": st.lists(st.dictionaries(st.sampled_from(KEYS), JSON_LIKE)),
        "surfaces": st.dictionaries(st.text(), st.dictionaries(st.sampled_from(KEYS), JSON_LIKE)),
    },
)


def _answers(text: str) -> None:
    """A text is read, or refused with messages that any terminal and log can show."""
    try:
        assert isinstance(read_config(text, "c.yaml"), Config)
    except UsageError as error:
        for line in str(error).split("\n"):
            assert re.match(r"c\.yaml:(\d+:| and) \S", line)
            assert line.isprintable()


@settings(deadline=None)
@given(st.text() | st.text(alphabet="ab:-[]{},&*!|>'\"%@`#? \n\t~<1.\\"))
def test_any_text_is_answered(text: str) -> None:
    _answers(text)
    _answers(with_version(text))


@settings(deadline=None)
@given(JSON_LIKE | NEARLY_RIGHT)
def test_any_data_is_answered(data: object) -> None:
    _answers(_as_flow_yaml(data))


@settings(deadline=None)
@given(st.text(), st.sampled_from(["\\", '"', "'", "\u2028", "\ufeff", "\x85"]))
def test_a_quoted_question_comes_through_unharmed(text: str, odd: str) -> None:
    asked = "x" + "".join(c for c in text + odd if c.isprintable()) + "x"
    escaped = asked.replace("\\", "\\\\").replace('"', '\\"')
    (question,) = read_config(with_version(f'queries: [{{id: a, ask: "{escaped}"}}]')).queries
    assert question.ask == asked


def _as_flow_yaml(data: object) -> str:
    """Data as YAML on one line; texts are quoted and escaped."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_as_flow_yaml(key)}: {_as_flow_yaml(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_as_flow_yaml, data)) + "]"
    if isinstance(data, str):
        return '"' + "".join(f"\\U{ord(character):08x}" for character in data) + '"'
    return "~" if data is None else str(data).lower()


# The file on disk


def test_a_file_is_read_with_its_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(b"\xef\xbb\xbfversion: 1\r\nout: packs\r\n")
    assert load_config(file) == Config(out="packs")


def test_a_missing_file_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^my\.yaml: there is no such file; type `tobler-pack init` to write"):
        load_config(tmp_path / "none.yaml", "my.yaml")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises((UsageError, EnvironmentProblem), match=re.escape(str(tmp_path))):
        load_config(tmp_path)


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes("version: 1\nout: caf\xe9\n".encode("latin-1"))
    with pytest.raises(UsageError, match=r"c\.yaml:2: not UTF-8 text; save the file as UTF-8$"):
        load_config(file, "c.yaml")


def test_a_path_through_a_file_is_a_matter_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises((UsageError, EnvironmentProblem), match=r"^c\.yaml: "):
        load_config(tmp_path / "file" / "c.yaml", "c.yaml")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root and Windows may read everything")
def test_an_unreadable_file_is_a_matter_of_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.touch(mode=0)
    with pytest.raises(EnvironmentProblem, match=r"^c\.yaml: cannot be read"):
        load_config(file, "c.yaml")


def test_out_may_exist_or_not(tmp_path: Path) -> None:
    assert resolve_out(tmp_path, "a/b") == tmp_path.resolve() / "a" / "b"
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert resolve_out(tmp_path, "a/b") == tmp_path.resolve() / "a" / "b"


def test_out_may_be_a_link_inside_the_repository(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert resolve_out(tmp_path, "link/packs") == tmp_path.resolve() / "real" / "packs"


@pytest.mark.parametrize(
    ("target", "out", "expected"),
    [
        pytest.param("..", "link", "leads out of the repository", id="parent"),
        pytest.param("../beside", "link/x", "leads out of the repository", id="beside"),
        pytest.param(".", "link", "leads out of the repository", id="the root itself"),
        pytest.param(".git", "link/x", "leads out of the repository", id="git's own folder"),
        pytest.param("link", "link/x", "in a circle", id="circle"),
        pytest.param("file", "link", "file is a file", id="link to a file"),
        pytest.param("file", "file", "file is a file", id="file"),
        pytest.param("file", "file/x/y", "file is a file", id="folder in a file"),
    ],
)
def test_out_that_leads_elsewhere(tmp_path: Path, target: str, out: str, expected: str) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "file").touch()
    (root / "link").symlink_to(target)
    with pytest.raises(UsageError, match=rf"^out: .*{expected}"):
        resolve_out(root, out)


# The schema for editors


def _objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    yield from schema["$defs"].values()


def test_the_schema_knows_the_same_keys_and_says_what_they_mean() -> None:
    schema = json_schema()
    top, question, surface = _objects(schema)
    for part, group in ((top, ""), (question, "queries[]"), (surface, "surfaces.*")):
        assert tuple(part["properties"]) == KNOWN_KEYS[group]
        assert part["additionalProperties"] is False
        assert all(value["description"] for value in part["properties"].values())
    assert top["properties"]["surfaces"]["additionalProperties"] is False
    assert "null" not in str(schema)


def test_the_schema_gives_the_defaults_and_ranges() -> None:
    top, question, surface = _objects(json_schema())
    plain = read_config("version: 1")
    for key, value in top["properties"].items():
        if "default" in value:
            default = getattr(plain, key)
            assert value["default"] in (default, [*default] if isinstance(default, tuple) else default, {})
    for part in (top, question, surface):
        assert (part["properties"]["budget"]["minimum"], part["properties"]["budget"]["maximum"]) == (
            200,
            200_000,
        )
    assert (surface["properties"]["floor"]["minimum"], surface["properties"]["floor"]["maximum"]) == (0, 1)
    assert top["required"] == ["version"]
    assert question["required"] == ["id", "ask"]


def test_records_and_file_have_the_same_keys() -> None:
    assert tuple(f.name for f in fields(Config)) == KNOWN_KEYS[""]
    assert tuple(f.name for f in fields(Question)) == KNOWN_KEYS["queries[]"]
    assert tuple(f.name for f in fields(Surface)) == ("name", *KNOWN_KEYS["surfaces.*"])


def test_every_key_has_words_for_what_is_expected_there() -> None:
    for group, keys in KNOWN_KEYS.items():
        assert {f"{group}.{key}".removeprefix(".") for key in keys} <= set(explain.EXPECTED)


@pytest.mark.parametrize("text", [EXAMPLE, "version: 1\n"], ids=["manual", "smallest"])
def test_the_schema_accepts_what_the_program_accepts(text: str) -> None:
    schema = json_schema()
    assert list(_schema_faults(schema, schema, parse(text).data)) == []


@pytest.mark.parametrize(
    "text",
    [
        "out: x",
        "version: 2",
        "version: 1\nfoo: 1",
        "version: 1\nbudget: 5",
        "version: 1\nqueries: [{id: a}]",
        "version: 1\ntokens: x",
        "version: 1\nsurfaces: {a b: {}}",
        "version: 1\nmodel: hub:a/b",
        "version: 1\ncontent: []",
        "version: 1\nbudget: '300'",
    ],
)
def test_the_schema_refuses_what_the_program_refuses(text: str) -> None:
    schema = json_schema()
    assert mistakes(text)
    assert list(_schema_faults(schema, schema, parse(text).data))


def _schema_faults(root: dict[str, Any], schema: dict[str, Any], data: Any) -> Iterator[str]:
    """As much of JSON schema as ours uses."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    kinds: dict[str, Any] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
    }
    if not isinstance(data, kinds[schema["type"]]):
        yield f"{data!r} is no {schema['type']}"
    elif isinstance(data, dict):
        yield from _object_faults(root, schema, data)
    elif isinstance(data, list):
        yield from (["short"] if len(data) < schema.get("minItems", 0) else [])
        for item in data:
            yield from _schema_faults(root, schema["items"], item)
    elif isinstance(data, str):
        yield from ([] if re.search(schema.get("pattern", ""), data) else [f"{data!r} does not match"])
        yield from ([] if data in schema.get("enum", [data]) else [f"{data!r} is no choice"])
    elif not schema.get("minimum", data) <= data <= schema.get("maximum", data) or data != schema.get("const", data):
        yield f"{data!r} is out of range"


def _object_faults(root: dict[str, Any], schema: dict[str, Any], data: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key} is missing" for key in schema.get("required", ()) if key not in data)
    for key, value in data.items():
        by_pattern = (part for pattern, part in schema.get("patternProperties", {}).items() if re.search(pattern, key))
        part = schema.get("properties", {}).get(key) or next(by_pattern, None)
        yield from [f"{key} is unknown"] if part is None else _schema_faults(root, part, value)


# Start-up


def test_importing_the_records_loads_neither_yaml_nor_pydantic_nor_pathspec() -> None:
    heavy = "{'yaml', 'pydantic', 'pathspec'}"
    code = f"import sys, tobler_pack.sources.config; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

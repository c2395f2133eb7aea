"""The recipe of the embedded model: its path from clones to a model folder, its maths, its tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from benchmarks.model import __main__ as command
from benchmarks.model import bags, folder, manifest, pairs, rebuild, sources, tokenizer, training
from benchmarks.model.pairs import Kind, Pair
from repositories import create, git, write
from tobler_pack.corpus.model import load_model
from tobler_pack.corpus.tree import Repository

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software\n"
GPL = "GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007\n"

TOPICS = {
    "session": "store the session in a signed cookie",
    "router": "match the path of a request to a route",
    "retry": "wait longer after each failed attempt",
    "parser": "read the header of a message into fields",
}


def _library(topic: str, said: str, number: int) -> dict[str, str]:
    verb, *_, last = said.split()
    code = [f'"""What can {said}."""', "", "import logging", ""]
    for part in ("open", "close", "check", "describe"):
        code += [
            f"def {part}_{topic}_{number}(value, {last}):",
            f'    """Try to {said} and {part} it, number {number}."""',
            f"    # before anything else, {verb} the {last} of this {topic}",
            f"    {topic}_{last} = logging.{part}({topic!r}, value, {last})",
            f"    return {topic}_{last}.{part}({number})",
            "",
            "",
        ]
    test = [f"def test_{topic}_can_{verb}_the_{last}():", f"    value = {topic}({number})", "    assert value.open()"]
    return {
        f"src/{topic}.py": "\n".join(code),
        f"tests/test_{topic}.py": "\n".join(test) + "\n",
        "README.md": f"# About {topic}\n\nUse `open_{topic}_{number}` to {said} in your own program.\n",
        "locale/de.po": 'msgid "the session has ended"\nmsgstr "die Sitzung ist zu Ende"\n',
    }


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four repositories that may be used, one of them held out, one that may not, and one that is asked about."""
    place = tmp_path_factory.mktemp("clones")
    for number, (topic, said) in enumerate(TOPICS.items()):
        repository = create(place / f"maker+{topic}")
        for change, other in enumerate(TOPICS):
            more = {f"src/{other}_{change}.py": _library(other, TOPICS[other], change + 10)[f"src/{other}.py"]}
            write(repository, {"LICENSE": MIT, **_library(topic, said, number), **more})
            git(repository, "add", "--all")
            git(repository, "commit", "--quiet", "--message", f"let the {topic} {TOPICS[other]}")
    for name, licence in (("maker+copyleft", GPL), ("maker+flask", MIT)):
        create(place / name, {"LICENSE": licence, "a.py": "x = 1\n"})
    return place


@pytest.fixture(scope="module")
def written(clones: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A manifest and questions about these repositories."""
    place = tmp_path_factory.mktemp("written")
    given, refused = manifest.describe(clones, ["maker/parser"], manifest.EXCLUDED)
    assert [one.name for one in given] == ["maker/parser", "maker/retry", "maker/router", "maker/session"]
    assert sorted(refused) == ["maker/copyleft", "maker/flask"]
    assert {one.licences for one in given} == {("MIT",)}
    manifest.save(given, place / "manifest.json")
    assert manifest.load(place / "manifest.json") == given
    for part, topic, question in (
        ("train", "session", "where is the login kept"),
        ("held-out", "parser", "read the header"),
    ):
        (place / part).mkdir()
        row = {"q": question, "paths": [f"src/{topic}.py"]}
        (place / part / f"maker+{topic}.jsonl").write_text(json.dumps(row) + "\n")
    return place


def _rebuild(clones: Path, written: Path, work: Path) -> Path:
    options = ["--clones", str(clones), "--manifest", str(written / "manifest.json"), "--questions", str(written)]
    assert command.main(["rebuild", "--small", *options, "--work", str(work), "--out", str(work / "model")]) == 0
    return work / "model"


def test_the_same_repositories_give_the_same_model(
    clones: Path, written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _rebuild(clones, written, tmp_path / "one")
    told = capsys.readouterr().out
    second = _rebuild(clones, written, tmp_path / "two")
    files = {path.name for path in first.iterdir()}
    assert files == {"config.json", "tokenizer.json", "model.safetensors"}
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in files)
    assert "BM25 alone: " in told
    assert "  maker/parser: " in told
    model = load_model(str(first), None)
    vectors, norms = model.embed(["read the header of a message", "Привет", "获取", ""])
    assert model.dimensions == rebuild.SMALL.dimensions
    assert vectors[:3].any(axis=1).all()
    assert norms[3] == 0


def test_another_seed_gives_another_model() -> None:
    """Also where start and tokenizer are the same: batches and dropout are drawn with it."""
    texts = bags.Bags(np.arange(8, dtype=np.uint16), np.arange(9), 8)
    ids = np.arange(8)
    examples = training.Examples(texts, texts, ids, ids, np.zeros(8, np.int64), np.ones(8, np.int64))
    tables = []
    for seed in (1, 1, 2):
        table = training.Table(np.eye(8, dtype=np.float32) + 0.5, np.zeros(8, np.float32))
        chosen = training.Settings(epochs=3, groups=1, group_size=4)
        training.train(examples, table, chosen, seed, lambda step, steps, loss: None)
        tables.append(table.weighted())
    assert np.array_equal(tables[0], tables[1])
    assert not np.array_equal(tables[0], tables[2])


def test_training_brings_descriptions_to_what_they_describe(clones: Path, written: Path, tmp_path: Path) -> None:
    model = load_model(str(_rebuild(clones, written, tmp_path)), None)
    texts = [_library(topic, said, 1)[f"src/{topic}.py"] for topic, said in TOPICS.items()]
    questions, _ = model.embed(list(TOPICS.values()))
    answers, norms = model.embed(texts)
    assert (questions.astype(int) @ answers.T.astype(int) * norms).argmax(axis=1).tolist() == list(range(len(TOPICS)))


def test_every_habit_is_found(clones: Path) -> None:
    clone = clones / "maker+session"
    given = manifest.Source("maker/session", "HEAD", ("MIT",))
    code = list(sources.files(Repository(clone), given.commit))
    found = pairs.find(code, sources.commits(clone, "HEAD"), sources.texts(Repository(clone), "HEAD", ".po"), 1)
    found += pairs.of_questions([("where is the login kept", ["src/session.py", "gone.py"])], code)
    assert {pair.kind for pair in found} == set(Kind)
    by_kind = {pair.kind: pair for pair in found}
    assert by_kind[Kind.TRANSLATION] == Pair(Kind.TRANSLATION, "die Sitzung ist zu Ende", "the session has ended")
    documented = [pair for pair in found if pair.kind is Kind.DOCUMENTATION]
    assert all("Try to" in pair.query and '"""' not in pair.text for pair in documented)
    assert any(pair.query == "session_can_store_the_cookie" for pair in found if pair.kind is Kind.TEST)
    assert len(found) == len({(pair.kind, pair.query, pair.text) for pair in found})


def test_pairs_survive_their_file(tmp_path: Path) -> None:
    some = [Pair(Kind.COMMIT, "größe", 'a = "\\n"\n'), Pair(Kind.QUESTION, "where", "there")]
    pairs.save(some, tmp_path / "deep" / "pairs.jsonl.gz")
    assert pairs.load(tmp_path / "deep" / "pairs.jsonl.gz") == some


def test_a_missing_clone_is_named(written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--clones", str(tmp_path), "--manifest", str(written / "manifest.json")]
    assert command.main(["extract", *options, "--work", str(tmp_path / "work")]) == 2
    assert "no clone of maker/parser, maker/retry" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MIT, "MIT"),
        (GPL, "GPL"),
        (
            "                              Apache License\n                        Version 2.0, January 2004",
            "Apache-2.0",
        ),
        ("Redistributions of source code must retain the above copyright notice", "BSD-2-Clause"),
        (
            "Redistributions of source code must retain the above copyright notice\nNeither the name of the author "
            "nor the names of its contributors may be used to endorse or promote products",
            "BSD-3-Clause",
        ),
        ("# Permission to use, copy, modify, and/or distribute this software for any purpose", "ISC"),
        ("Boost Software License - Version 1.0", "BSL-1.0"),
        ("Mozilla Public License Version 2.0", "MPL-2.0"),
        ("All rights reserved.", None),
    ],
)
def test_licences(text: str, name: str | None) -> None:
    assert manifest.licence_of(text) == name


def test_the_manifest_holds_what_is_allowed() -> None:
    given = manifest.load()
    names = [one.name for one in given]
    assert given == sorted(given, key=lambda one: one.folder.lower())
    assert len(names) == len(set(names))
    assert {one.name for one in given if one.part is manifest.Part.HELD_OUT} == set(rebuild.HELD_OUT)
    assert not {name.partition("/")[2].lower() for name in names} & manifest.EXCLUDED
    assert all(one.licences and manifest.PERMISSIVE.issuperset(one.licences) for one in given)
    folders = {one.folder: one.part for one in given}
    files = sorted(rebuild.QUESTIONS.glob("*/*.jsonl"))
    assert len(files) > 100
    assert all(folders[file.stem] == file.parent.name for file in files)


@pytest.fixture(scope="module")
def learned() -> Tokenizer:
    return tokenizer.train(["how is the response of a request read", "获取用户 获取", "größe naïve"] * 3, 400)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getHTTPResponse", ["get", "http", "response"]),
        ("is_valid2 == 404", ["is", "valid", "2", "404"]),
        ("std::map->find([])", ["std", "map", "find"]),
        ("naïve Größe Straße", ["naive", "grosse", "strasse"]),
        ("Привет获取", ["привет获取"]),
        ("{} ->:: 😀", []),
    ],
)
def test_words_are_cut_where_programmers_cut_them(learned: Tokenizer, text: str, words: list[str]) -> None:
    assert learned.normalizer is not None
    assert learned.pre_tokenizer is not None
    cut = learned.pre_tokenizer.pre_tokenize_str(learned.normalizer.normalize_str(text))
    assert [word for word, _ in cut] == words


@settings(max_examples=200, deadline=None)
@given(text=st.text(min_size=1, max_size=20))
def test_no_text_with_a_letter_or_a_digit_is_without_tokens(learned: Tokenizer, text: str) -> None:
    tokens = learned.encode(text, add_special_tokens=False).tokens
    assert tokenizer.UNKNOWN not in tokens
    if any(character.isalpha() or character.isdecimal() for character in text):
        assert tokens


def test_a_spelt_out_byte_is_a_text(learned: Tokenizer) -> None:
    assert "<0x41>" not in learned.encode("<0x41>").tokens


def _examples(chance: np.random.Generator) -> Iterator[tuple[training.Floats, training.Floats]]:
    for _ in range(3):
        yield chance.normal(size=(6, 4)).astype(np.float32), chance.normal(size=(6, 4)).astype(np.float32)


def test_the_gradient_is_that_of_the_loss() -> None:
    """Compared with finite differences."""
    chance = np.random.default_rng(5)
    same = np.zeros((6, 6), bool)
    same[1, 2] = same[2, 1] = True
    for queries, texts in _examples(chance):
        _, gradients = training._loss(queries, texts, same, 0.5)
        for side, gradient in zip((queries, texts), gradients, strict=True):
            for at in ((0, 1), (2, 3), (5, 0)):
                kept = side[at]
                losses = []
                for shift in (1e-2, -1e-2):
                    side[at] = kept + shift
                    losses.append(training._loss(queries, texts, same, 0.5)[0])
                side[at] = kept
                assert gradient[at] == pytest.approx((losses[0] - losses[1]) / 2e-2, abs=2e-3)


@settings(max_examples=50, deadline=None)
@given(
    texts=st.lists(st.lists(st.integers(0, 9), max_size=5), min_size=1, max_size=6),
    chosen=st.lists(st.integers(0, 5), min_size=1, max_size=4),
)
def test_bags_count_tokens(texts: list[list[int]], chosen: list[int]) -> None:
    rows = np.array([at % len(texts) for at in chosen])
    ids = np.array([token for text in texts for token in text], dtype=np.uint16)
    some = bags.Bags(ids, np.cumsum([0, *map(len, texts)]), 10)
    expected = [[texts[row].count(token) for token in range(10)] for row in rows.tolist()]
    assert some.matrix(rows).toarray().tolist() == expected


def test_compression_keeps_cosines_and_loses_no_token() -> None:
    chance = np.random.default_rng(2)
    table = (chance.normal(size=(50, 8)) @ chance.normal(size=(8, 16))).astype(np.float32)
    table[7] *= 1e-6
    whole = folder.compress(table, 8, power=1.0)
    assert whole.shape == (50, 8)
    assert whole.any(axis=1).all()
    kept = [row for row in range(50) if row != 7]
    before, after = (
        (lambda unit: unit @ unit.T)(one / np.linalg.norm(one, axis=1, keepdims=True))
        for one in (table[kept], whole[kept].astype(float))
    )
    assert np.abs(before - after).max() < 0.06

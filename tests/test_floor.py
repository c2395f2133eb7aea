"""The floor inside the pipeline: what is refused has no mass, unless it carries an identifier of the question."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from samples import independent_count
from test_pipeline import TREE, module
from tobler_pack.corpus.building import build_index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.selection import SourceFile
from tobler_pack.evidence.question import Question
from tobler_pack.packs.manifest import entry
from tobler_pack.packs.tokens import TokenCounter
from tobler_pack.pipeline import Answer, Library, Request, build_pack
from tobler_pack.surfaces.telemetry import figures

COUNTER = TokenCounter("o200k_base")

RARE = {
    "zz/rare.py": module("""
        def unrelated_to_anything(value):
            return frobnicate_zyx(value)


        def frobnicate_zyx(value):
            return value ^ 12345


        class Qux:
            def grault(self):
                return app.garply
        """),
}


def library_of(files: Mapping[str, str], model: StaticModel) -> Library:
    data = {path: text.encode() for path, text in files.items()}
    sources = [SourceFile(path, str(at), "python") for at, path in enumerate(sorted(data))]
    index = build_index(sources, lambda file: data[file.path], model)
    return Library(index, model, lambda at: data[index.files[at].path])


@pytest.fixture(scope="module")
def library(model: StaticModel) -> Library:
    return library_of({path: text for path, text in TREE.items() if path.endswith(".py")} | RARE, model)


def ask(library: Library, text: str, floor: float, budget: int = 1500) -> Answer:
    return build_pack(library, Request("", text, "ask", budget, floor=floor), COUNTER)


def test_what_is_refused_has_no_mass(library: Library) -> None:
    text = "how is a wrong password slowed down"
    low, high = ask(library, text, 0.0), ask(library, text, 0.25)
    assert low.sieve.admitted.all()
    assert 0 < high.sieve.admitted.sum() < len(library.index)
    admitted = {
        (library.index.files[int(library.index.chunk_file[at])].path) for at in np.flatnonzero(high.sieve.admitted)
    }
    assert {one.candidate.path for one in high.pack.shown} <= admitted
    assert high.pack.heading.n_eff <= high.sieve.admitted.sum()
    assert (high.sieve.cosines == low.sieve.cosines).all()
    assert (high.sieve.above == (high.sieve.cosines >= 0.25)).all()


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        ("what does frobnicate_zyx do", True),
        ("frobnicate_zyx", True),
        ("what does `grault()` give back", True),
        ("where is app.garply read", True),
        ("what does Frobnicate_Zyx do", False),
        ("where is app.waldo read", False),
        ("how is a wrong password slowed down", False),
    ],
)
def test_an_identifier_is_let_through_as_it_is_spelt(library: Library, text: str, carried: bool) -> None:
    answer = ask(library, text, 0.999)
    paths = {library.index.files[int(library.index.chunk_file[at])].path for at in np.flatnonzero(answer.sieve.carried)}
    assert ("zz/rare.py" in paths) == carried
    assert not (answer.sieve.carried & answer.sieve.above).any()
    if carried:
        assert "zz/rare.py" in {one.candidate.path for one in answer.pack.shown}


def test_nothing_admitted_is_said(library: Library) -> None:
    answer = ask(library, "how is a wrong password slowed down", 1.0)
    assert (answer.pack.heading.k, answer.pack.shown) == (0, ())
    chunks = len(library.index)
    assert f"Not ranked: {chunks} of {chunks} chunks, under the floor of 1." in answer.pack.text


@pytest.mark.parametrize("floor", [0.0, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("budget", [200, 400, 3000])
def test_the_budget_holds_under_any_floor(library: Library, floor: float, budget: int) -> None:
    pack = ask(library, "how is an invoice mailed to its customer", floor, budget).pack
    assert independent_count("o200k_base")(pack.text) == pack.tokens <= budget


def test_the_manifest_counts_what_was_refused(library: Library) -> None:
    text = "how is an invoice mailed to its customer"
    without = entry(ask(library, text, 0.0).pack, name=None, query=text, surface="batch", mem=0.0)
    assert not {"floor", "ranked", "refused"} & set(without)
    answer = ask(library, text, 0.2)
    found = entry(answer.pack, name=None, query=text, surface="batch", mem=0.0)
    assert found["floor"] == 0.2
    assert (found["ranked"], found["refused"]) == (answer.sieve.admitted.sum(), answer.sieve.refused.sum())
    assert found["ranked"] + found["refused"] == len(library.index)


def test_figures_name_the_best_of_the_refused(library: Library) -> None:
    answer = ask(library, "how is an invoice mailed to its customer", 0.2)
    what = figures(library, answer.pack, answer.sieve)
    refused = np.sort(answer.sieve.cosines[answer.sieve.refused])[::-1]
    assert [one[0] for one in what["near"]] == [round(score, 4) for score in refused[:8].tolist()]
    assert what["chunks"] == len(library.index)
    assert what["admitted"] - what["carried"] == int((answer.sieve.cosines >= 0.2).sum())


def test_a_floor_and_paths_together(library: Library) -> None:
    allowed = [file.path.startswith("billing/") for file in library.index.files]
    request = Request("", "how is an invoice mailed to its customer", "ask", 1500, allowed, 0.1)
    answer = build_pack(library, request, COUNTER)
    inside = np.asarray(allowed)[library.index.chunk_file]
    assert (answer.sieve.inside == inside).all()
    assert not (answer.sieve.refused & ~inside).any()
    assert all(one.candidate.path.startswith("billing/") for one in answer.pack.shown)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("how does parse_args work", ("parse_args",)),
        ("Flask.run", ("Flask.run",)),
        ("what calls load() and getName, e.g. twice?", ("load", "getName")),
        ("the `app.config` thing.", ("app.config",)),
        ("how is it done", ()),
    ],
)
def test_identifiers_of_a_question(text: str, names: tuple[str, ...]) -> None:
    assert Question(text).identifiers == names

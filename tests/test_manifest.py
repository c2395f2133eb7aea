"""The manifest: the keys of the format, in its units."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import any_text, candidate, heading
from tobler_pack.packs.manifest import Entry, digest, entry, manifest, to_json
from tobler_pack.packs.pack import Pack, Shown
from tobler_pack.types import Tier

BLOCKS = [
    Shown(candidate((10, 42), 0.412345678, symbol="authenticate"), Tier.FULL, "text", 310),
    Shown(
        candidate((50, 90), 0.2, symbol="Store", signature=((50, 51), (60, 60)), path="src/store.py"),
        Tier.SIGNATURE,
        "text",
        40,
    ),
    Shown(candidate((7, 7), 0.1, symbol=""), Tier.STUB, "text", 9),
]
PACK = Pack(
    replace(heading(2000, left_out={"binary": 2}), n_eff=3.14159, k=7, tau=1.3),
    "# `auth-flow`\n",
    1984,
    0.0876543210,
    tuple(BLOCKS),
    (candidate((1, 9), 0.00412345678, path="src/über.py", symbol="late"),),
)


def made(pack: Pack = PACK) -> Entry:
    return entry(pack, name="auth-flow", query="how", surface="batch", mem=0.123456789)


def test_an_entry() -> None:
    assert made() == {
        "id": "auth-flow",
        "query": "how",
        "surface": "batch",
        "file": "auth-flow.md",
        "sha256": hashlib.sha256(b"# `auth-flow`\n").hexdigest(),
        "n_eff": 3.14,
        "k": 7,
        "epsilon": 0.087654,
        "tau": 1.3,
        "mem": 0.123457,
        "tokens": 1984,
        "budget": 2000,
        "blocks": [
            {
                "path": "src/tool.py",
                "start_line": 10,
                "end_line": 42,
                "symbol": "authenticate",
                "tier": "full",
                "lines": [[10, 42]],
                "weight": 0.412346,
                "tokens": 310,
            },
            {
                "path": "src/store.py",
                "start_line": 50,
                "end_line": 90,
                "symbol": "Store",
                "tier": "signature",
                "lines": [[50, 51], [60, 60]],
                "weight": 0.2,
                "tokens": 40,
            },
            {
                "path": "src/tool.py",
                "start_line": 7,
                "end_line": 7,
                "symbol": "",
                "tier": "stub",
                "lines": [],
                "weight": 0.1,
                "tokens": 9,
            },
        ],
        "omitted": [{"path": "src/über.py", "start_line": 1, "end_line": 9, "symbol": "late", "weight": 0.004123}],
        "left_out": {"binary": 2},
    }


def test_a_question_from_the_command_line_has_no_id_and_no_file() -> None:
    found = entry(PACK, name=None, query="how", surface=None, mem=0.0)
    assert (found["id"], found["file"], found["surface"], found["mem"]) == (None, None, None, 0.0)


def test_the_whole_manifest() -> None:
    stamp = {"model": "embedded:1", "chunking": "c", "blend": "b", "counter": "o200k_base"}
    assert manifest("abc", stamp, [made()]) == {"version": 1, "tree": "abc", "stamp": stamp, "packs": [made()]}


def test_json_says_the_same() -> None:
    whole = manifest("abc", {"counter": "o200k_base"}, [made(), made()])
    text = to_json(whole)
    assert json.loads(text) == whole
    assert "über" in text
    assert text.endswith("}\n")
    assert to_json(json.loads(text)) == text


def test_what_is_omitted_is_listed_as_far_as_it_is_of_use() -> None:
    """A flat question has thousands of blocks; the heaviest ones are kept."""
    many = tuple(candidate((at, at), 1 / at) for at in range(1, 5000))
    listed = [one["start_line"] for one in made(replace(PACK, omitted=many))["omitted"]]
    assert 100 <= len(listed) < 1000
    assert listed == list(range(1, len(listed) + 1))


@pytest.mark.parametrize("text", ["", "a\n", "ä 你好 👩\u200d🚀\n"])
def test_the_digest_is_that_of_the_file(text: str) -> None:
    assert digest(text) == hashlib.sha256(text.encode()).hexdigest()


@settings(max_examples=100, deadline=None)
@given(any_text, any_text, any_text, st.floats(0, 1), st.floats(0, 1))
def test_any_text_survives_json(query: str, path: str, symbol: str, weight: float, epsilon: float) -> None:
    block = Shown(candidate((1, 2), weight, path=path, symbol=symbol), Tier.FULL, "", 5)
    pack = replace(PACK, shown=(block,), epsilon=epsilon)
    found = entry(pack, name="q", query=query, surface=None, mem=weight)
    text = to_json(found)
    assert json.loads(text) == found
    assert (found["query"], found["blocks"][0]["path"], found["blocks"][0]["symbol"]) == (query, path, symbol)
    assert found["blocks"][0]["weight"] == pytest.approx(weight, abs=1e-6)
    assert found["epsilon"] == pytest.approx(epsilon, abs=1e-6)

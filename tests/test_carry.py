"""A session's memory over the index of an edited tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from test_pipeline import TREE
from tobler_pack.corpus.building import build_index
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.selection import SourceFile
from tobler_pack.evidence.carry import carry
from tobler_pack.weighing.memory import Memory
from tobler_pack.weighing.weights import standardize

CODE = {path: text for path, text in TREE.items() if path.endswith(".py")}


def index_of(files: Mapping[str, str], model: StaticModel) -> Index:
    sources = [SourceFile(path, str(hash(files[path])), "python") for path in sorted(files)]
    return build_index(sources, lambda file: files[file.path].encode(), model)


def of_file(index: Index, path: str) -> list[int]:
    return [at for at in range(len(index)) if index.files[int(index.chunk_file[at])].path == path]


@pytest.mark.parametrize("change", ["nothing", "edited", "added", "removed"])
def test_what_stayed_the_same_is_remembered(model: StaticModel, change: str) -> None:
    before = index_of(CODE, model)
    edited = dict(CODE)
    changed = sorted(CODE)[1]
    if change == "edited":
        edited[changed] = "def other():\n    return 1\n\n\n" * 40
    elif change == "added":
        edited["aaa.py"] = "def first():\n    return 1\n"
    elif change == "removed":
        del edited[changed]
    after = index_of(edited, model)
    scores = standardize(np.random.default_rng(1).normal(size=len(before)))
    carried = carry(Memory(scores, 0.5), before, after)
    assert carried.share == 0.5
    assert carried.scores.shape == (len(after),)
    same = [path for path in CODE if edited.get(path) == CODE[path]]
    old = np.concatenate([scores[of_file(before, path)] for path in same])
    new = np.concatenate([carried.scores[of_file(after, path)] for path in same])
    assert np.corrcoef(old, new)[0, 1] == pytest.approx(1.0)
    assert (change != "nothing") or (carried.scores == scores).all()
    if change in ("edited", "added"):
        fresh = carried.scores[of_file(after, changed if change == "edited" else "aaa.py")]
        assert len(set(fresh.tolist())) == 1

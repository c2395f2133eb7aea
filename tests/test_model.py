"""The embedding model: the same vectors in any company, like those of model2vec, and honest about what is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from console import Console, environment
from repositories import SHOP, create, write
from test_promises import can_unshare
from tobler_pack.corpus import model as module
from tobler_pack.corpus.model import EMBEDDED, StaticModel, load_model, model_identity
from tobler_pack.errors import EnvironmentProblem

TEXTS = [
    "how is a request authenticated",
    "def authenticate(request, users):\n    return users[request.name]",
    "getHTTPResponse",
    "größe 日本語 🙂",
    "x",
    "    \n\treturn None\n" * 50,
    *(str(text) for text in SHOP.values()),
]


def embedded_folder() -> Path:
    return Path(str(resources.files("tobler_pack.corpus") / "embedded"))


def cosines(vectors: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    real = vectors.astype(np.float64)
    real /= np.linalg.norm(real, axis=1, keepdims=True)
    return np.asarray(real @ real.T)


def assert_agrees(ours: StaticModel, folder: Path) -> None:
    """The cosines of all pairs are those of model2vec."""
    from model2vec import StaticModel as Theirs

    theirs = Theirs.from_pretrained(folder).encode(TEXTS, max_length=None)
    vectors, _ = ours.embed(TEXTS)
    assert np.abs(cosines(vectors) - cosines(theirs)).max() <= 0.01


def test_agrees_with_model2vec(model: StaticModel) -> None:
    assert_agrees(model, embedded_folder())


@pytest.mark.parametrize(
    "kind", ["float32", "float16", "float32 and weights", "float32, weights and mapping", "int8 and mapping"]
)
def test_other_model_folders_agree_with_model2vec(tmp_path: Path, kind: str) -> None:
    from model2vec import StaticModel as Theirs

    theirs = Theirs.from_pretrained(embedded_folder())
    size = len(theirs.embedding)
    random = np.random.default_rng(7)
    table: npt.NDArray[np.generic] = random.normal(size=(size, 64)).astype(np.float16 if "16" in kind else np.float32)
    weights = random.uniform(0.1, 2, size=size) if "weights" in kind else None
    mapping = random.integers(0, 500, size=size) if "mapping" in kind else None
    if mapping is not None:
        table = table[:500]
    if "int8" in kind:
        table = random.integers(-127, 128, size=(500, 64)).astype(np.int8)
    made = Theirs(np.asarray(table), theirs.tokenizer, {"normalize": True}, weights=weights, token_mapping=mapping)
    made.save_pretrained(tmp_path / "own")
    assert_agrees(load_model("own", tmp_path), tmp_path / "own")


def test_vectors_are_rounded_directions(model: StaticModel) -> None:
    vectors, norms = model.embed(TEXTS)
    assert vectors.dtype == np.int8
    assert vectors.shape == (len(TEXTS), model.dimensions)
    assert norms.dtype == np.float32
    assert norms.shape == (len(TEXTS),)
    assert np.abs(vectors.astype(int)).max(axis=1).tolist() == [127] * len(TEXTS)
    assert np.allclose(norms * np.linalg.norm(vectors.astype(float), axis=1), 1)


@pytest.mark.parametrize("text", ["", " ", "\n"], ids=["empty", "blank", "line end"])
def test_a_text_without_tokens_has_no_direction(model: StaticModel, text: str) -> None:
    vectors, norms = model.embed([text, "x"])
    if not model.tokenizer.encode(text, add_special_tokens=False).ids:
        assert not vectors[0].any()
        assert norms[0] == 0
    assert norms[1] > 0


def test_nothing_at_all(model: StaticModel) -> None:
    vectors, norms = model.embed([])
    assert (vectors.shape, norms.shape) == ((0, model.dimensions), (0,))


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.one_of(st.sampled_from(TEXTS), st.text(max_size=80)), min_size=1, max_size=12))
def test_a_text_alone_has_the_vector_that_it_has_in_company(model: StaticModel, texts: list[str]) -> None:
    together, norms = model.embed(texts)
    for at, text in enumerate(texts):
        vector, norm = model.embed([text])
        assert np.array_equal(vector[0], together[at])
        assert norm[0] == norms[at]


def test_a_text_beyond_the_length_that_tokenizers_cut_counts_whole(model: StaticModel) -> None:
    vectors, _ = model.embed(["a " * 5000 + "zebra " * 5000, "zebra", "a"])
    assert cosines(vectors)[0, 1] > 0.3


def test_the_identity_is_that_of_the_content(tmp_path: Path, model: StaticModel) -> None:
    shutil.copytree(embedded_folder(), tmp_path / "copy")
    assert model_identity(EMBEDDED, None) == model.identity == model_identity("copy", tmp_path)
    shutil.copytree(embedded_folder(), tmp_path / "other")
    config = json.loads((tmp_path / "other/config.json").read_text())
    (tmp_path / "other/config.json").write_text(json.dumps(config | {"note": 1}))
    assert model_identity("other", tmp_path) != model.identity


# ---- what is missing or broken --------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_without_a_file(tmp_path: Path, file: str) -> None:
    shutil.copytree(embedded_folder(), tmp_path / "own")
    (tmp_path / "own" / file).unlink()
    with pytest.raises(EnvironmentProblem, match=rf"model 'own' is not a model2vec folder: .* has no {file}"):
        load_model("own", tmp_path)


@pytest.mark.parametrize("file", ["tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("data", [b"", b"garbage", b"{}"], ids=["empty", "garbage", "empty object"])
def test_a_broken_file(tmp_path: Path, file: str, data: bytes) -> None:
    shutil.copytree(embedded_folder(), tmp_path / "own")
    (tmp_path / "own" / file).write_bytes(data)
    with pytest.raises(EnvironmentProblem, match=r"model 'own' cannot be read .*; download it again"):
        load_model("own", tmp_path)


def test_a_table_without_embeddings(tmp_path: Path) -> None:
    shutil.copytree(embedded_folder(), tmp_path / "own")
    save_file({"other": np.zeros((2, 2), np.float32)}, tmp_path / "own/model.safetensors")
    with pytest.raises(EnvironmentProblem, match="cannot be read"):
        load_model("own", tmp_path)


def test_a_table_that_is_shorter_than_the_vocabulary(tmp_path: Path) -> None:
    shutil.copytree(embedded_folder(), tmp_path / "own")
    tensors = load_file(tmp_path / "own/model.safetensors")
    save_file({**tensors, "embeddings": tensors["embeddings"][:100]}, tmp_path / "own/model.safetensors")
    with pytest.raises(EnvironmentProblem, match="model 'own'"):
        load_model("own", tmp_path)


@pytest.mark.parametrize("damage", ["missing", "broken"])
def test_the_command_line_says_so(tmp_path: Path, tobler: Console, damage: str) -> None:
    root = create(tmp_path / "shop", SHOP)
    write(root, {".tobler-pack.yaml": str(SHOP[".tobler-pack.yaml"]).replace("version: 1", "version: 1\nmodel: own")})
    if damage == "broken":
        shutil.copytree(embedded_folder(), root / "own")
        (root / "own/model.safetensors").write_bytes(b"garbage")
    told = tobler("build", cwd=root)
    assert (told.code, told.out) == (3, "")
    assert told.err.startswith("tobler-pack: model 'own' ")
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    "variables", [{"HF_ENDPOINT": "http://127.0.0.1:9"}, {"HF_HUB_OFFLINE": "1"}], ids=["closed", "offline"]
)
def test_a_hub_that_cannot_be_reached(tmp_path: Path, variables: dict[str, str]) -> None:
    root = create(tmp_path / "r", {"a.py": "a = 1\n", ".tobler-pack.yaml": "version: 1\nmodel: hub:owner/model@v1\n"})
    done = subprocess.run(
        [sys.executable, "-m", "tobler_pack", "query", "x"],
        cwd=root, env=environment({"HF_HOME": tmp_path / "hf", **variables}), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("tobler-pack: model hub:owner/model@v1 cannot be had from the hub (")
    assert "hf download owner/model --revision v1" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not can_unshare(), reason="needs unshare to take the network away")
def test_the_embedded_model_needs_no_network(tmp_path: Path, model: StaticModel) -> None:
    program = "from tobler_pack.corpus.model import load_model; print(load_model('embedded', None).identity)"
    done = subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", program],
        env=environment({"HOME": tmp_path}), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{model.identity}\n", "")


def test_no_other_model_takes_the_place_of_a_missing_one() -> None:
    with pytest.raises(EnvironmentProblem):
        load_model("", Path("/nonexistent"))
    assert not hasattr(module, "DEFAULT_MODEL")

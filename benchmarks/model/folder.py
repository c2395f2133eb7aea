"""From trained vectors to a model2vec folder: fewer dimensions, whole numbers, three files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save
from tokenizers import Tokenizer

Floats = npt.NDArray[np.float32]

NORM_POWER = 0.7
"""A token's length counts with this power: trained lengths say a little too loudly which tokens matter."""

_PEAK = 127
_CLIPPED = 1e-5  # share of the numbers that may be cut off so that the others get finer steps


def compress(table: Floats, dimensions: int, power: float = NORM_POWER) -> npt.NDArray[np.int8]:
    """Weighted token vectors, shape (tokens, any), as 8-bit integers, shape (tokens, dimensions).

    The dimensions are the strongest principal directions, not centred: cosines of sums stay what they were. A token
    whose numbers would all round to zero keeps its largest one, since no text may lose its only token.
    """
    norms = np.sqrt(np.square(table).sum(axis=1, keepdims=True))
    shortened = table / np.maximum(norms, 1e-9) ** (1 - power)
    directions = np.linalg.eigh(shortened.T.astype(np.float64) @ shortened)[1][:, ::-1][:, :dimensions]
    turned = shortened @ directions
    peak = np.quantile(np.abs(turned), 1 - _CLIPPED)
    whole: npt.NDArray[np.int8] = np.clip(np.rint(turned * (_PEAK / peak)), -_PEAK, _PEAK).astype(np.int8)
    lost = np.flatnonzero(~whole.any(axis=1))
    largest = np.abs(turned[lost]).argmax(axis=1)
    whole[lost, largest] = np.where(turned[lost, largest] < 0, -1, 1)
    return whole


def write(folder: Path, tokenizer: Tokenizer, vectors: npt.NDArray[np.int8]) -> None:
    """Write the folder; the same input gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"max_length": 512, "normalize": True, "embedding_dtype": "int8"}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    (folder / "tokenizer.json").write_text(
        json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
    )
    (folder / "model.safetensors").write_bytes(save({"embeddings": vectors}))

"""The embedding model: a static table of token vectors, read from a model2vec folder.

A text's vector is the normalized mean of its tokens' vectors. All sums are of whole numbers (token vectors are brought
to integers once), and finished vectors are rounded to 8 bits: no order of summation, thread count or processor can then
change a score. The rounding moves a cosine by less than 0.002.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tobler_pack.errors import EnvironmentProblem

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EMBEDDED = "embedded"
HUB = "hub:"

_FILES = ("config.json", "tokenizer.json", "model.safetensors")
_INTEGER_PEAK = 32_767  # float tables are brought to 16 bits: 1/65,000 of the largest value
_VECTOR_PEAK = 127

Vectors = npt.NDArray[np.int8]
"""Shape (texts, dimensions): directions rounded to -127…127."""

Norms = npt.NDArray[np.float32]
"""Shape (texts,): one over the length of each rounded vector; 0 for a text without any known token."""


@dataclass(frozen=True)
class StaticModel:
    """Token vectors and their tokenizer. `identity` names the weights' content, not where they lie."""

    identity: str
    table: npt.NDArray[np.float32]
    rows: npt.NDArray[np.int64] | None
    tokenizer: Tokenizer
    unknown: int | None

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.table.shape[1])

    def embed(self, texts: Sequence[str]) -> tuple[Vectors, Norms]:
        """Embed texts; an empty or unknown text gets a zero vector with norm 0."""
        encodings = self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        sums = np.zeros((len(texts), self.dimensions))
        for at, encoding in enumerate(encodings):
            sums[at] = self._sum(encoding.ids)
        return _round(sums)

    def _sum(self, tokens: list[int]) -> npt.NDArray[np.float64]:
        """The sum of token vectors: whole numbers far below 2^53, so exact in any order."""
        if self.unknown is not None:
            tokens = [token for token in tokens if token != self.unknown]
        rows = tokens if self.rows is None else self.rows[tokens]
        return np.asarray(self.table[rows].sum(axis=0, dtype=np.float64) if tokens else 0.0)


def _round(sums: npt.NDArray[np.float64]) -> tuple[Vectors, Norms]:
    peaks = np.abs(sums).max(axis=1, initial=0)
    scale = np.divide(_VECTOR_PEAK, peaks, out=np.zeros(len(sums)), where=peaks > 0)
    rounded = np.rint(sums * scale[:, None]).astype(np.int8)
    squares = np.square(rounded.astype(np.int64)).sum(axis=1)
    norms = np.divide(1.0, np.sqrt(squares), out=np.zeros(len(sums)), where=squares > 0)
    return rounded, norms.astype(np.float32)


def load_model(name: str, root: Path | None) -> StaticModel:
    """Load the model that a configuration names.

    `name` is ``embedded``, a folder (relative to `root`) or ``hub:NAME@REVISION``.

    Raises EnvironmentProblem if it is not there, is no model2vec folder, or the hub cannot be reached: never another
    model in its place, since every number of a pack depends on it.
    """
    try:
        return _read_model(_contents(name, root))
    except EnvironmentProblem:
        raise
    except Exception as error:  # safetensors, tokenizers and json each have their own kinds
        raise EnvironmentProblem(f"model {name!r} cannot be read ({error}); download it again") from None


def model_identity(name: str, root: Path | None) -> str:
    """A hash of the content of a model, without loading it. Raises EnvironmentProblem as `load_model` does."""
    return _identity(_contents(name, root))


@cache
def _contents(name: str, root: Path | None) -> tuple[bytes, ...]:
    """The bytes of a model's files."""
    if name == EMBEDDED:
        with resources.as_file(resources.files("tobler_pack.corpus") / "embedded") as folder:
            return _read_folder(folder, name)
    return _read_folder(_from_hub(name) if name.startswith(HUB) else (root or Path()) / name, name)


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download  # only this branch may ever reach for the network

    repository, _, revision = name.removeprefix(HUB).partition("@")
    try:
        return Path(snapshot_download(repository, revision=revision, allow_patterns=list(_FILES)))
    except Exception as error:  # the hub's client raises its own, httpx's and OSError alike
        raise EnvironmentProblem(
            f"model {name} cannot be had from the hub ({type(error).__name__}); "
            f"fetch it where there is network: hf download {repository} --revision {revision}, "
            "or set `model: embedded` or a local folder"
        ) from None


def _read_folder(folder: Path, name: str) -> tuple[bytes, ...]:
    missing = [file for file in _FILES if not (folder / file).is_file()]
    if missing:
        raise EnvironmentProblem(
            f"model {name!r} is not a model2vec folder: {folder} has no {', '.join(missing)}; set `model: embedded`"
        )
    return tuple((folder / file).read_bytes() for file in _FILES)


def _identity(contents: tuple[bytes, ...]) -> str:
    digests = b"".join(hashlib.blake2b(content).digest() for content in contents)
    return hashlib.blake2b(digests, digest_size=8).hexdigest()


def _read_model(contents: tuple[bytes, ...]) -> StaticModel:
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    tensors = load(contents[2])
    tokenizer = Tokenizer.from_str(contents[1].decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    unknown = getattr(tokenizer.model, "unk_token", None)
    table, rows = _table(tensors)
    if tokenizer.get_vocab_size() > len(table if rows is None else rows) or (
        rows is not None and rows.max() >= len(table)
    ):
        raise ValueError("its table is shorter than its vocabulary")
    return StaticModel(_identity(contents), table, rows, tokenizer, tokenizer.token_to_id(unknown) if unknown else None)


def _table(
    tensors: dict[str, npt.NDArray[np.generic]],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64] | None]:
    """Token vectors as whole numbers, and token id → row for models whose vocabulary was clustered.

    A table that already holds 8-bit integers stays as it is; any other is weighted, scaled and rounded.
    """
    table, weights, mapping = tensors["embeddings"], tensors.get("weights"), tensors.get("mapping")
    rows = None if mapping is None else mapping.astype(np.int64)
    if weights is None and table.dtype == np.int8:
        return table.astype(np.float32), rows
    real = table.astype(np.float64)
    if weights is not None:
        real = (real if rows is None else real[rows]) * weights.astype(np.float64)[:, None]
        rows = None
    peak = float(np.abs(real).max(initial=0.0)) or 1.0
    return np.rint(real * (_INTEGER_PEAK / peak)).astype(np.float32), rows

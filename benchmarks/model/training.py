"""Contrastive training of token vectors: a description shall lie nearest to the text that it describes.

The loss is the symmetric InfoNCE of van den Oord et al. (2018) as CLIP uses it: with unit vectors q and d of a batch
and S = q·dᵀ / temperature, the mean cross-entropy of the rows and of the columns of S against the diagonal. A text's
vector is the sum of its tokens' vectors, each with a learned weight exp(w), so the gradients are short enough to be
written down, and numpy and scipy train in minutes what a framework would not train faster on two cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from benchmarks.model.bags import Bags

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run of the training can be told."""

    epochs: float = 1.5
    groups: int = 8
    """Groups of one repository in a batch: the others of its group are the hardest negatives of a pair."""
    group_size: int = 256
    temperature: float = 0.08
    rate: float = 2e-3
    """Of Adam, falling to nothing along half a cosine."""
    dropout: float = 0.1
    """Share of the tokens of both sides that a step does not see."""
    overlap_dropout: float = 0.3
    """Share of the pairs whose description loses the tokens that its text has too."""


@dataclass(frozen=True)
class Examples:
    """Pairs as bags. `groups` numbers the repository of each pair, `repeats` says how often an epoch draws it.

    `query_ids` and `text_ids` are equal where the two texts are: a question with two answers must not push one away.
    """

    queries: Bags
    texts: Bags
    query_ids: Ints
    text_ids: Ints
    groups: Ints
    repeats: Ints


class Table:
    """Token vectors, shape (tokens, dimensions), and the logarithms of their weights, with Adam's moments."""

    def __init__(self, vectors: Floats, weights: Floats) -> None:
        self.vectors, self.weights = vectors.astype(np.float32), weights.astype(np.float32)
        self._moments = tuple(np.zeros_like(one) for one in (self.vectors, self.vectors, self.weights, self.weights))
        self._steps = 0

    def weighted(self) -> Floats:
        """The vectors as they are summed."""
        return self.vectors * np.exp(self.weights)[:, None]

    def step(self, rows: Ints, gradient: Floats, rate: float) -> None:
        """One step of Adam (Kingma and Ba 2015) on some rows, given the gradient by their weighted vectors."""
        self._steps += 1
        scale = np.exp(self.weights[rows])[:, None]
        by_weight = (gradient * self.vectors[rows] * scale).sum(axis=1)
        first, second, first_w, second_w = self._moments
        _adam(self.vectors, first, second, rows, gradient * scale, rate, self._steps)
        _adam(self.weights, first_w, second_w, rows, by_weight, rate, self._steps)


def _adam(values: Floats, first: Floats, second: Floats, rows: Ints, gradient: Floats, rate: float, step: int) -> None:
    beta, gamma = 0.9, 0.999
    mean = beta * first[rows] + (1 - beta) * gradient
    square = gamma * second[rows] + (1 - gamma) * gradient * gradient
    first[rows], second[rows] = mean, square
    change = mean / (np.sqrt(square / (1 - gamma**step)) + 1e-8)
    values[rows] -= rate / (1 - beta**step) * change


def train(
    examples: Examples, table: Table, settings: Settings, seed: int, watch: Callable[[int, int, float], None]
) -> None:
    """Change the table in place. `watch` is told the step, the number of steps and the loss."""
    batches = list(_batches(examples, settings, seed))
    chance = np.random.default_rng(seed)
    for number, rows in enumerate(batches):
        rate = settings.rate * 0.5 * (1 + np.cos(np.pi * number / len(batches)))
        loss = _step(examples, table, rows, settings, rate, chance)
        watch(number, len(batches), loss)


def _batches(examples: Examples, settings: Settings, seed: int) -> Iterator[Ints]:
    """Rows of pairs: whole groups of one repository each, in random order, each pair about once in an epoch."""
    chance = np.random.default_rng(seed)
    whole, part = int(settings.epochs), settings.epochs % 1
    for epoch in range(whole + (part > 0)):
        groups: list[Ints] = []
        for group in np.unique(examples.groups):
            members = np.flatnonzero(examples.groups == group)
            members = chance.permutation(np.repeat(members, examples.repeats[members]))
            cut = len(members) // settings.group_size * settings.group_size
            groups += list(members[:cut].reshape(-1, settings.group_size))
        order = chance.permutation(len(groups))
        if epoch == whole:
            order = order[: int(len(order) * part)]
        for at in range(0, len(order) - settings.groups + 1, settings.groups):
            yield np.concatenate([groups[one] for one in order[at : at + settings.groups]])


def _step(
    examples: Examples, table: Table, rows: Ints, settings: Settings, rate: float, chance: np.random.Generator
) -> float:
    texts = examples.texts.matrix(rows, _kept(examples.texts, rows, settings.dropout, chance))
    queries = examples.queries.matrix(rows, _kept(examples.queries, rows, settings.dropout, chance))
    if settings.overlap_dropout:
        queries = _without_overlap(queries, texts, chance.random(len(rows)) < settings.overlap_dropout)
    used, (queries, texts) = _used((queries, texts))
    vectors = table.vectors[used] * np.exp(table.weights[used])[:, None]
    loss, gradients = _loss(queries @ vectors, texts @ vectors, _same(examples, rows), settings.temperature)
    table.step(used, np.asarray(queries.T @ gradients[0] + texts.T @ gradients[1]), rate)
    return loss


def _kept(bags: Bags, rows: Ints, dropout: float, chance: np.random.Generator) -> npt.NDArray[np.bool_]:
    total = int((bags.starts[rows + 1] - bags.starts[rows]).sum())
    return chance.random(total) >= dropout


def _without_overlap(
    queries: sparse.csr_matrix, texts: sparse.csr_matrix, chosen: npt.NDArray[np.bool_]
) -> sparse.csr_matrix:
    shared = queries.multiply(texts.sign()).multiply(chosen[:, None])
    return sparse.csr_matrix(queries - shared)


def _used(matrices: Sequence[sparse.csr_matrix]) -> tuple[Ints, list[sparse.csr_matrix]]:
    """The tokens of a batch, and its matrices with only their columns."""
    size = matrices[0].shape[1]
    seen = np.zeros(size, bool)
    for one in matrices:
        seen[one.indices] = True
    used = np.flatnonzero(seen)
    column = np.cumsum(seen, dtype=np.int32) - 1
    return used, [
        sparse.csr_matrix((one.data, column[one.indices], one.indptr), shape=(one.shape[0], len(used)))
        for one in matrices
    ]


def _same(examples: Examples, rows: Ints) -> npt.NDArray[np.bool_]:
    """Which texts of a batch are no negatives of a query: another answer to it, or another time the same."""
    queries, texts = examples.query_ids[rows], examples.text_ids[rows]
    same: npt.NDArray[np.bool_] = (queries[:, None] == queries) | (texts[:, None] == texts)
    np.fill_diagonal(same, val=False)
    return same


def _loss(
    queries: Floats, texts: Floats, same: npt.NDArray[np.bool_], temperature: float
) -> tuple[float, tuple[Floats, Floats]]:
    """The loss and its gradients by the sums of both sides."""
    (q, q_norm), (d, d_norm) = _unit(queries), _unit(texts)
    scores = q @ d.T / np.float32(temperature)
    scores[same] = -1e4
    by_row, by_column = _softmax(scores), _softmax(scores.T).T
    diagonal = np.arange(len(q))
    right = by_row[diagonal, diagonal], by_column[diagonal, diagonal]
    loss = -0.5 * float(np.mean(np.log(right[0] + 1e-9) + np.log(right[1] + 1e-9)))
    delta: Floats = by_row + by_column
    delta[diagonal, diagonal] -= 2
    delta *= 1 / (2 * len(q) * temperature)
    return loss, (_through(delta @ d, q, q_norm), _through(delta.T @ q, d, d_norm))


def _unit(sums: Floats) -> tuple[Floats, Floats]:
    norms: Floats = np.sqrt(np.square(sums).sum(axis=1, keepdims=True)) + np.float32(1e-6)
    return sums / norms, norms


def _through(gradient: Floats, unit: Floats, norms: Floats) -> Floats:
    """The gradient by a vector, given the one by its direction."""
    across: Floats = gradient - (gradient * unit).sum(axis=1, keepdims=True) * unit
    return across / norms


def _softmax(scores: Floats) -> Floats:
    weights: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights

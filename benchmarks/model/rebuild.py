"""The recipe of the embedded model and its steps: from clones to pairs, to vectors, to figures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from benchmarks.model import bags, evaluation, folder, pairs, sources, start, tokenizer, training
from benchmarks.model.manifest import Part, Source
from benchmarks.model.pairs import Kind, Pair
from benchmarks.scoring import mean, mean_of_means
from benchmarks.settings import tell
from tobler_pack.corpus.tree import Repository

QUESTIONS = Path(__file__).parent / "questions"
"""Questions written for this, with the files that answer them: ``train`` and ``held-out``, a file per repository."""

HELD_OUT = (
    "App-vNext/Polly", "com-lihaoyi/os-lib", "elixir-plug/plug", "fastify/fastify", "gabime/spdlog", "guzzle/guzzle",
    "jhy/jsoup", "jqlang/jq", "labstack/echo", "lostisland/faraday", "pallets/click", "sharkdp/fd", "square/okio",
    "sveltejs/svelte", "tornadoweb/tornado", "vapor/vapor",
)  # fmt: skip

_SHORTEST_TEXT = 3  # tokens


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides the weights, beside the repositories and questions."""

    tokens: int = 32_000
    dimensions: int = 256
    tokenizer_texts: int = 90_000
    """Pairs that the tokenizer is learned from, drawn at random; translations all count."""
    question_repeats: int = 10
    """How often a written question is drawn for once that a found pair is: they are few, and most like a user's."""
    seed: int = 1
    settings: training.Settings = field(default_factory=training.Settings)
    pretrained: bool = True
    """Whether token vectors start from those of other models instead of noise."""


FULL = Recipe()
SMALL = Recipe(
    tokens=2_000,
    dimensions=32,
    settings=training.Settings(epochs=6, groups=2, group_size=16),
    pretrained=False,
)


def extract(given: Sequence[Source], clones: Path, questions: Path, work: Path, recipe: Recipe) -> None:
    """Write the pairs of each repository that is trained on; one that was done before is not done again."""
    wanted = [source for source in given if source.part is Part.TRAIN and not _pairs_file(work, source).exists()]
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = [pool.submit(_extract_one, source, clones, questions, work, recipe.seed) for source in wanted]
        for source, job in zip(wanted, jobs, strict=True):
            tell(f"extract: {source.name}: {job.result()} pairs")


def _pairs_file(work: Path, source: Source) -> Path:
    return work / "pairs" / f"{source.folder}.jsonl.gz"


def _extract_one(source: Source, clones: Path, questions: Path, work: Path, seed: int) -> int:
    clone = clones / source.folder
    repository = Repository(clone)
    code = list(sources.files(repository, source.commit))
    changes = sources.commits(clone, source.commit)
    found = pairs.find(code, changes, sources.texts(repository, source.commit, ".po"), seed)
    written = questions / Part.TRAIN / f"{source.folder}.jsonl"
    if written.exists():
        asked = [(question.text, question.paths) for question in evaluation.read_questions(written)]
        found += pairs.of_questions(asked, code)
    pairs.save(found, _pairs_file(work, source))
    return len(found)


def train(given: Sequence[Source], work: Path, out: Path, recipe: Recipe) -> None:
    """Learn from the pairs in the work folder and write the model folder."""
    found: list[Pair] = []
    groups: list[int] = []
    for number, source in enumerate(one for one in given if one.part is Part.TRAIN):
        some = pairs.load(_pairs_file(work, source))
        found += some
        groups += [number] * len(some)
    tell(f"train: {len(found)} pairs of {len(set(groups))} repositories")
    learned = tokenizer.train(_tokenizer_texts(found, recipe), recipe.tokens)
    examples = _examples(found, groups, learned, recipe)
    tokens = tokenizer.vocabulary(learned)
    if recipe.pretrained:
        vectors = start.from_models(tokens, recipe.dimensions, recipe.seed)
    else:
        vectors = start.prepared(start.noise(len(tokens), recipe.dimensions, recipe.seed), recipe.seed)
    table = training.Table(vectors, start.log_weights(examples.texts))
    training.train(examples, table, recipe.settings, recipe.seed, _tell_loss)
    folder.write(out, learned, folder.compress(table.weighted(), recipe.dimensions))


def _tokenizer_texts(found: Sequence[Pair], recipe: Recipe) -> Iterator[str]:
    order = np.random.default_rng(recipe.seed).permutation(len(found))
    for at in order[: recipe.tokenizer_texts].tolist():
        yield found[at].query
        yield found[at].text
    for pair in found:
        if pair.kind is Kind.TRANSLATION:
            yield pair.query


def _examples(found: Sequence[Pair], groups: Sequence[int], learned: Tokenizer, recipe: Recipe) -> training.Examples:
    queries = bags.encode(learned, [pair.query for pair in found])
    texts = bags.encode(learned, [pair.text for pair in found])
    repeats = np.array([recipe.question_repeats if pair.kind is Kind.QUESTION else 1 for pair in found])
    repeats[(np.diff(queries.starts) == 0) | (np.diff(texts.starts) < _SHORTEST_TEXT)] = 0
    ids = (_numbered([pair.query for pair in found]), _numbered([pair.text for pair in found]))
    return training.Examples(queries, texts, *ids, np.array(groups), repeats)


def _numbered(texts: Sequence[str]) -> training.Ints:
    """A number for each text, the same for equal ones."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts])


def _tell_loss(step: int, steps: int, loss: float) -> None:
    if step % 100 == 0:
        tell(f"train: step {step} of {steps}, loss {loss:.3f}")


def evaluate(given: Sequence[Source], clones: Path, questions: Path, models: Sequence[Path]) -> Iterator[str]:
    """A line for each model: NDCG@10 by file over the held-out repositories, the cosine alone and beside BM25."""
    held: list[evaluation.Searched] = []
    for source in given:
        written = questions / Part.HELD_OUT / f"{source.folder}.jsonl"
        if source.part is Part.HELD_OUT and written.exists():
            code = list(sources.files(Repository(clones / source.folder), source.commit))
            held.append(evaluation.searched(source.name, code, evaluation.read_questions(written)))
    if not held:
        return
    lexical = {one.name: evaluation.lexical_score(one) for one in held}
    yield f"BM25 alone: {mean_of_means(lexical):.3f}"
    for model in models:
        learned = Tokenizer.from_file(str(model / "tokenizer.json"))
        table = load_file(model / "model.safetensors")["embeddings"].astype(np.float32)
        scores = {one.name: evaluation.score(one, evaluation.tokenized(one, learned), table) for one in held}
        raw, blended = (
            mean_of_means({name: getattr(score, side) for name, score in scores.items()}) for side in ("raw", "blended")
        )
        yield f"{model.name}: cosine {raw:.3f}, with BM25 {blended:.3f}"
        for name, score in scores.items():
            yield f"  {name}: {mean(score.raw):.3f}, {mean(score.blended):.3f}"

"""The cost floor: a cosine under which a chunk is not worth ranking, and what is let through all the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.evidence.channels import semantic
from tobler_pack.evidence.question import Question
from tobler_pack.weighing.weights import Floats

Bools = npt.NDArray[np.bool_]
Chunks = Sequence[int] | npt.NDArray[np.int32]
"""Positions of chunks."""

_JOINT = re.compile(r"\.|::|->|\\|#")


@dataclass(frozen=True)
class Sieve:
    """What a floor made of the chunks of one question; arrays have one item for each chunk.

    `inside` are the chunks that may be looked at, `above` those at the floor or over it, `carried` those under it that
    carry an identifier of the question.
    """

    floor: float
    cosines: Floats
    inside: Bools
    above: Bools
    carried: Bools

    @property
    def admitted(self) -> Bools:
        """The chunks that are ranked."""
        return self.inside & (self.above | self.carried)

    @property
    def refused(self) -> Bools:
        """The chunks that would be ranked but for the floor."""
        return self.inside & ~(self.above | self.carried)


def sift(
    index: Index, question: Question, cosines: Floats, floor: float, inside: Bools, text_of: Callable[[int], str]
) -> Sieve:
    """Apply a floor to the cosines of a question."""
    return strain(cosines, floor, inside, lambda below: _carriers(index, question, below, text_of))


def strain(cosines: Floats, floor: float, inside: Bools, carriers: Callable[[Bools], Iterable[Chunks]]) -> Sieve:
    """Apply a floor to raw cosines; `carriers` names, of the chunks under it, those that are let through all the same.

    A floor of 0 means that everything is worth ranking, negative cosines too.
    """
    above = cosines >= floor if floor > 0 else np.ones(len(cosines), dtype=np.bool_)
    carried = np.zeros(len(cosines), dtype=np.bool_)
    below = inside & ~above
    if below.any():
        for chunks in carriers(below):
            carried[chunks] = True
    return Sieve(floor, cosines, inside, above, carried & below)


def nearest(index: Index, texts: Sequence[str], model: StaticModel) -> Floats:
    """The best cosine of each chunk with any of some texts: what the floor looks at where several texts ask."""
    return np.asarray(np.max([semantic(index, Question(text), model) for text in texts], axis=0))


def among(index: Index, allowed: Sequence[bool] | None) -> Bools:
    """The chunks of the files that may be looked at."""
    if allowed is None:
        return np.ones(len(index), dtype=np.bool_)
    return np.asarray(allowed, dtype=np.bool_)[index.chunk_file]


def _carriers(index: Index, question: Question, below: Bools, text_of: Callable[[int], str]) -> Iterator[Chunks]:
    """Chunks that define a word of the question, or in whose text one of its identifiers stands as it is spelt.

    A plain word (`order`) counts only where it is defined: as a word it stands in every other comment.
    """
    for word in question.words:
        yield index.postings.find("exact", word)[0]
    for name in question.identifiers:
        steps = _JOINT.split(name)
        yield index.postings.find("exact", steps[-1])[0]
        holding = [set(index.postings.find("body", step.lower())[0].tolist()) for step in steps]
        spelt = re.compile(rf"(?<![\w$]){re.escape(name)}(?!\w)")
        yield [at for at in sorted(set.intersection(*holding)) if below[at] and spelt.search(text_of(at))]

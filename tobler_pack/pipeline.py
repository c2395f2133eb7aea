"""The story of one pack: evidence → one score per chunk → seven steps → blocks and tiers → markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.blocks import SIZES
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.corpus.text import read_text, split_lines
from tobler_pack.evidence.blend import NATURAL, SYMBOL, combine
from tobler_pack.evidence.channels import raw_channels
from tobler_pack.evidence.floor import Sieve, among, sift
from tobler_pack.evidence.question import Question
from tobler_pack.evidence.ranking import noise_shares
from tobler_pack.evidence.signal import signal
from tobler_pack.packs.candidates import Candidate, Candidates, Description, Piece, Spread, describe, first_lines, split
from tobler_pack.packs.pack import Pack, assemble, beyond_nucleus, limit
from tobler_pack.packs.render import Heading
from tobler_pack.packs.tokens import TokenCounter
from tobler_pack.types import Definition, LineRange
from tobler_pack.weighing.allocation import DEPTH_FIRST, Plan
from tobler_pack.weighing.memory import Memory, remember
from tobler_pack.weighing.temperature import TAU as TAU
from tobler_pack.weighing.weights import Floats, effective_number, heaviest, nucleus, soften, standardize

_TOKENS_PER_LINE = 9  # of code, over many languages
_FIRST_LINES = 5  # of a signature in the pack of a change: its reader looks for places, so more of them are shown


@dataclass(frozen=True)
class Library:
    """An index with what is needed to ask it and to show what stands in it. `read` gives the bytes of a file by
    position.
    """

    index: Index
    model: StaticModel
    read: Callable[[int], bytes]
    _lines: dict[int, Sequence[str]] = field(default_factory=dict, repr=False)
    _definitions: dict[int, Sequence[Definition]] = field(default_factory=dict, repr=False)
    _descriptions: dict[tuple[int, LineRange], Description] = field(default_factory=dict, repr=False)

    @cached_property
    def keep(self) -> Floats:
        """For each file the share of its standing that noise leaves it."""
        return noise_shares([file.path for file in self.index.files])

    def lines(self, file: int) -> Sequence[str]:
        """The lines of a file, read once."""
        if file not in self._lines:
            text = read_text(self.read(file))
            self._lines[file] = split_lines(text)
        return self._lines[file]

    def definitions(self, file: int) -> Sequence[Definition]:
        """The definitions of a file, unpacked once."""
        if file not in self._definitions:
            self._definitions[file] = self.index.definitions(file)
        return self._definitions[file]

    def description(self, file: int, lines: LineRange) -> Description:
        """What `describe` says of a block, worked out once: questions of a session meet the same blocks."""
        if (file, lines) not in self._descriptions:
            self._descriptions[file, lines] = describe(lines, self.definitions(file))
        return self._descriptions[file, lines]


@dataclass(frozen=True)
class Request:
    """One pack that is asked for. `allowed` tells for each file whether it may be looked at (None: all); chunks whose
    cosine lies under `floor` are not ranked.
    """

    title: str
    question: str
    command: str
    budget: int
    allowed: Sequence[bool] | None = None
    floor: float = 0.0


@dataclass(frozen=True)
class Extras:
    """What a pack of a change has besides blocks: further `notes` in the heading, a finished piece of markdown behind
    it, for each file the lines that are never shown (they stand in the diff), why a block of some lines of a file is
    there, and how many blocks of one file may be shown (0: all).
    """

    notes: tuple[str, ...] = ()
    preface: str = ""
    hidden: Mapping[int, Sequence[LineRange]] = field(default_factory=dict)
    why: Callable[[int, LineRange], str] | None = None
    plan: Plan = DEPTH_FIRST
    of_one_file: int = 0


@dataclass(frozen=True)
class Answer:
    """A finished pack, the memory for the next question of its session, and what the floor did."""

    pack: Pack
    memory: Memory
    sieve: Sieve


@dataclass(frozen=True)
class Evidence:
    """What speaks for each chunk: the blended score, and the raw cosine for the floor; and the signal, 0…1."""

    standing: Floats
    cosines: Floats
    signal: float


def build_pack(
    library: Library,
    request: Request,
    counter: TokenCounter,
    memory: Memory | None = None,
    left_out: Mapping[str, int] | None = None,
    tau: float = TAU,
) -> Answer:
    """Answer one question with one pack.

    Raises UsageError if the budget does not hold the pack's heading.
    """
    found = evidence(library, request.question)
    turn = remember(memory, found.standing, found.signal)
    sieve = apply_floor(library, request, found.cosines)
    weights = (
        soft_weights(turn.scores, sieve.admitted, tau)
        if request.floor > 0
        else weigh(library.index, turn.scores, request.allowed, tau)
    )
    pack = present(library, request, weights, counter, turn.share, left_out, tau, sieve=sieve)
    return Answer(pack, turn, sieve)


def present(
    library: Library,
    request: Request,
    weights: Floats,
    counter: TokenCounter,
    mem: float = 0.0,
    left_out: Mapping[str, int] | None = None,
    tau: float = TAU,
    extras: Extras = Extras(),
    sieve: Sieve | None = None,
) -> Pack:
    """Steps 3 to 6 and the markdown, for weights that sum to 1 over the N chunks; `sieve` tells what a floor refused.

    Raises UsageError if the budget does not hold the pack's heading.
    """
    chosen = nucleus(weights)
    heading = Heading(
        title=request.title,
        question=request.question,
        command=request.command,
        n_eff=effective_number(weights),
        k=len(chosen.members),
        epsilon=chosen.epsilon,
        tau=tau,
        mem=mem if mem else None,
        budget=request.budget,
        counter=counter.name,
        left_out=left_out or {},
        notes=extras.notes,
        preface=extras.preface,
        floor=sieve.floor if sieve is not None else 0.0,
        refused=int(sieve.refused.sum()) if sieve is not None else 0,
        ranked=int(sieve.admitted.sum()) if sieve is not None else 0,
    )
    candidates = find_candidates(library, weights, chosen.members, request.budget, extras)
    return assemble(heading, candidates, lambda one: library.lines(one.file), counter, extras.plan)


def score(library: Library, text: str) -> Floats:
    """The blended evidence for a question, one number for each chunk."""
    return evidence(library, text).standing


def evidence(library: Library, text: str) -> Evidence:
    """All channels, blended, how near each chunk is, and how much the question says by itself."""
    question = Question(text)
    channels = raw_channels(library.index, question, library.model)
    blend = SYMBOL if question.is_symbol else NATURAL
    standing = combine(channels, blend, library.index.chunk_file, library.keep)
    return Evidence(standing, channels["semantic"], signal(question, channels["semantic"]))


def apply_floor(library: Library, request: Request, cosines: Floats) -> Sieve:
    """What the floor of a request makes of the chunks that it may look at."""
    index = library.index

    def text_of(chunk: int) -> str:
        first, last = index.tables.chunk_lines[chunk].tolist()
        return "\n".join(library.lines(int(index.chunk_file[chunk]))[first - 1 : last])

    return sift(index, Question(request.question), cosines, request.floor, among(index, request.allowed), text_of)


def weigh(index: Index, scores: Floats, allowed: Sequence[bool] | None, tau: float) -> Floats:
    """Steps 1 and 2 over the chunks of the files that may be looked at (None: all); all others weigh nothing."""
    if allowed is None:
        return soften(standardize(scores), tau)
    return soft_weights(scores, np.asarray(allowed, dtype=bool)[index.chunk_file], tau)


def soft_weights(scores: Floats, inside: npt.NDArray[np.bool_], tau: float) -> Floats:
    """Steps 1 and 2 over the chunks that are `inside`; all others weigh nothing."""
    weights = np.zeros(len(scores))
    weights[inside] = soften(standardize(scores[inside]), tau)
    return weights


def find_candidates(
    library: Library, weights: Floats, members: npt.NDArray[np.int64], budget: int, extras: Extras
) -> Candidates:
    """The heaviest blocks; lines that two of them share count for the heavier one, with their share of the weight.
    Lines that are `hidden` stand in no block; a block's weight is that of its other lines.

    Only blocks of the nucleus can be shown with more than their name; some of the others may stand in the map.
    """
    index = library.index
    chunk_block = index.chunk_block[:, block_size(budget)]
    block_weights = np.bincount(chunk_block, weights, len(index.block_file)).astype(np.float64)
    core = np.zeros(len(block_weights), dtype=bool)
    core[chunk_block[members]] = True
    most = min(limit(budget), int(core.sum()) + beyond_nucleus(budget))
    spread = Spread(extras.hidden)
    taken: Counter[int] = Counter()
    looked_at = len(core) if extras.of_one_file else most
    blocks = heaviest(block_weights + core, looked_at)  # a weight is at most 1: the core comes first
    columns = (index.block_file, index.tables.block_lines, block_weights, core)
    for file, (first, last), weight, is_core in zip(*(column[blocks].tolist() for column in columns), strict=True):
        taken[file] += 1
        if extras.of_one_file and len(spread) >= most:
            break
        if extras.of_one_file and taken[file] > extras.of_one_file:
            continue
        for lines, share in _parts(library, file, (first, last), weight, budget):
            if share > 0:
                spread.add(file, lines, share, is_core=is_core)
    found = [_candidate(library, piece, extras) for piece in spread.by_weight()]
    return Candidates(found, int(core.sum()))


def _parts(library: Library, file: int, lines: LineRange, weight: float, budget: int) -> list[tuple[LineRange, float]]:
    """A block with its weight; one that would take over half of the budget as its definitions, weighted by length."""
    first, last = lines
    if 2 * _TOKENS_PER_LINE * (last - first + 1) <= budget:
        return [(lines, weight)]
    parts = split(lines, library.definitions(file))
    return [(part, weight * (part[1] - part[0] + 1) / (last - first + 1)) for part in parts]


def block_size(budget: int) -> int:
    """Which of `blocks.SIZES` fits a budget: the largest whose blocks do not exceed it."""
    return next((at for at, lines in enumerate(SIZES) if lines * _TOKENS_PER_LINE <= budget), len(SIZES) - 1)


def _candidate(library: Library, piece: Piece, extras: Extras) -> Candidate:
    source = library.index.files[piece.file]
    symbol, full, signature = library.description(piece.file, piece.lines)
    why = ""
    if extras.why is not None:
        why = extras.why(piece.file, piece.lines)
        signature = first_lines(signature or (piece.lines,), _FIRST_LINES)
    if not piece.is_core:
        full, signature = (), ()
    return Candidate(
        piece.file, source.path, source.language, piece.lines, symbol, piece.weight, full, signature, piece.is_core, why
    )

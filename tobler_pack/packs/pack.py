"""One finished pack: blocks spread over tiers inside a hard budget, as markdown and as a manifest entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tobler_pack.errors import UsageError
from tobler_pack.packs import render
from tobler_pack.packs.candidates import Candidate, Candidates
from tobler_pack.packs.tokens import TokenCounter
from tobler_pack.types import Tier
from tobler_pack.weighing.allocation import (
    DEPTH_FIRST,
    FULL,
    HIDDEN,
    MAP_SHARE,
    SIGNATURE,
    STUB,
    Costs,
    Plan,
    Tiers,
    allocate,
)
from tobler_pack.weighing.weights import Floats

ReadLines = Callable[[Candidate], Sequence[str]]

_TIERS = {FULL: Tier.FULL, SIGNATURE: Tier.SIGNATURE, STUB: Tier.STUB}

# Blocks whose text is looked at: a block costs 40 tokens at the least, so no more than these can be shown in full.
_TOKENS_PER_BODY = 40
_TOKENS_PER_STUB = 10
_TOKENS_OF_USUAL_STUB = 20


@dataclass(frozen=True, slots=True)
class Shown:
    """A block in a pack."""

    candidate: Candidate
    tier: Tier
    text: str
    tokens: int


@dataclass(frozen=True)
class Pack:
    """A finished pack. `tokens` is the count of `text`; `epsilon` the mass that no tier shows."""

    heading: render.Heading
    text: str
    tokens: int
    epsilon: float
    shown: tuple[Shown, ...]
    omitted: tuple[Candidate, ...]


def limit(budget: int) -> int:
    """How many candidates can matter for a budget: more could not even be named."""
    return max(1, budget // _TOKENS_PER_STUB)


def beyond_nucleus(budget: int) -> int:
    """How many names of blocks outside the nucleus the map may hold: what its share of the budget pays for."""
    return int(budget * MAP_SHARE / _TOKENS_OF_USUAL_STUB)


def assemble(
    heading: render.Heading,
    candidates: Candidates,
    lines: ReadLines,
    counter: TokenCounter,
    plan: Plan = DEPTH_FIRST,
) -> Pack:
    """Spend the budget on candidates and write the pack.

    Raises UsageError if not even the heading fits.
    """
    worst = replace(heading, epsilon=1.0).text(heading.budget, 1.0)
    room = heading.budget - counter.count([worst])[0] - _sections(counter)
    if room + _sections(counter) < 0:
        raise UsageError(
            f"a budget of {heading.budget} tokens does not hold the heading of this pack "
            f"({heading.budget - room - _sections(counter)} tokens); raise `budget` or --budget"
        )
    pieces = _Pieces(candidates.found, lines, counter, heading.budget)
    weights = np.array([candidate.weight for candidate in candidates.found])
    if candidates.in_nucleus > room / _TOKENS_OF_USUAL_STUB:  # not even their names will fit: keep room to say so
        room -= counter.count([render.not_shown(candidates.found[:1], candidates.in_nucleus, lambda line: True)])[0]
    tiers = allocate(weights, pieces.costs(), max(0, room), plan, _heads(candidates.found))
    return _fit(heading, pieces, tiers, counter, candidates.in_nucleus)


def _heads(candidates: Sequence[Candidate]) -> npt.NDArray[np.bool_]:
    """Which candidates are the first of their file."""
    seen: dict[int, int] = {}
    for at, candidate in enumerate(candidates):
        seen.setdefault(candidate.file, at)
    heads = np.zeros(len(candidates), dtype=bool)
    heads[list(seen.values())] = True
    return heads


def _sections(counter: TokenCounter) -> int:
    return sum(counter.count([render.section(tier) for tier in Tier]))


class _Pieces:
    """The texts of candidates at each tier, and what they cost."""

    def __init__(self, candidates: Sequence[Candidate], lines: ReadLines, counter: TokenCounter, budget: int) -> None:
        self.candidates = candidates
        near = candidates[: max(8, budget // _TOKENS_PER_BODY)]
        self.texts: dict[int, list[str]] = {
            STUB: [render.stub(candidate) for candidate in candidates],
            SIGNATURE: [render.signature(one, lines(one)) if one.signature else "" for one in near],
            FULL: [render.body(one, lines(one)) if one.full else "" for one in near],
        }
        self.tokens = {tier: counter.count(texts) for tier, texts in self.texts.items()}

    def costs(self) -> Costs:
        """Costs of all candidates; what has no text at a tier costs infinity there."""
        return Costs(*(self._column(tier) for tier in (STUB, SIGNATURE, FULL)))

    def _column(self, tier: int) -> Floats:
        column = np.full(len(self.candidates), np.inf)
        for at, (text, tokens) in enumerate(zip(self.texts[tier], self.tokens[tier], strict=True)):
            if text:
                column[at] = tokens
        return column

    def shown(self, tiers: Tiers) -> list[Shown]:
        """What stands in the pack, in its order: bodies, signatures, stubs, each heaviest first."""
        return [
            Shown(self.candidates[at], _TIERS[tier], self.texts[tier][at], self.tokens[tier][at])
            for tier in (FULL, SIGNATURE, STUB)
            for at in np.flatnonzero(tiers == tier).tolist()
        ]


def _fit(heading: render.Heading, pieces: _Pieces, tiers: Tiers, counter: TokenCounter, in_nucleus: int) -> Pack:
    """Write the pack; should the whole count more than its pieces, drop the lightest block and write it again."""
    while True:
        hidden = [pieces.candidates[at] for at in np.flatnonzero(tiers == HIDDEN).tolist()]
        omitted = [candidate for candidate in hidden if candidate.is_core]
        pack = _written(heading, pieces.shown(tiers), omitted, in_nucleus, counter)
        if pack.tokens <= heading.budget:
            return pack
        lightest = np.flatnonzero(tiers != HIDDEN)
        if not len(lightest):
            raise UsageError(f"a budget of {heading.budget} tokens does not hold the heading of this pack; raise it")
        tiers = tiers.copy()
        tiers[lightest[-1]] = HIDDEN


def _written(
    heading: render.Heading,
    shown: Sequence[Shown],
    omitted: Sequence[Candidate],
    in_nucleus: int,
    counter: TokenCounter,
) -> Pack:
    unseen = 1.0 - sum(one.candidate.weight for one in shown)
    epsilon = max(0.0, unseen) if heading.k else 0.0  # nothing to look at: nothing is hidden
    blocks = "".join(
        render.section(tier) + "".join(texts)
        for tier in Tier
        if (texts := [one.text for one in shown if one.tier is tier])
    )
    if blocks and not blocks.endswith("\n\n"):
        blocks += "\n"

    def finish(rest: str) -> tuple[str, int]:
        return _with_count(lambda tokens: _tidy(heading.text(tokens, epsilon) + blocks + rest), heading.budget, counter)

    missing = max(len(omitted), in_nucleus - sum(one.candidate.is_core for one in shown))
    rest = render.not_shown(omitted, missing, lambda line: finish(line)[1] <= heading.budget)
    text, tokens = finish(rest)
    return Pack(heading, text, tokens, epsilon, tuple(shown), tuple(omitted))


def _tidy(text: str) -> str:
    return text.rstrip("\n") + "\n"


def _with_count(write: Callable[[int], str], guess: int, counter: TokenCounter) -> tuple[str, int]:
    """A text that names its own number of tokens."""
    tokens = guess
    for _ in range(4):
        text = write(tokens)
        found = counter.count([text])[0]
        if found == tokens:
            return text, tokens
        tokens = found
    return write(tokens), max(tokens, found)

"""The markdown of a pack, piece by piece.

Each piece begins with a character that no tokenizer joins to the line end before it (``#``, ``-``, a letter), so the
count of the whole is the sum of the counts of its pieces. The finished text is counted once more all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tobler_pack.packs.candidates import Candidate
from tobler_pack.packs.markdown import code_span, fence
from tobler_pack.types import LineRange, Tier
from tobler_pack.weighing.weights import EPSILON_NOTE

_GAP = "…"
_SECTION = {Tier.FULL: "", Tier.SIGNATURE: "## Signatures\n\n", Tier.STUB: "## Map\n\n"}


@dataclass(frozen=True)
class Heading:
    """What stands above the blocks. `left_out` counts files by cause; `mem` is None where no memory shaped the pack;
    `refused` counts the chunks under the floor, `ranked` the others.
    """

    title: str
    question: str
    command: str
    n_eff: float
    k: int
    epsilon: float
    tau: float
    mem: float | None
    budget: int
    counter: str
    left_out: Mapping[str, int]
    notes: tuple[str, ...] = ()
    preface: str = ""
    """Finished markdown between the heading and the blocks."""
    floor: float = 0.0
    refused: int = 0
    ranked: int = 0

    def text(self, tokens: int, epsilon: float) -> str:
        """The finished heading, for a pack of `tokens` tokens that leaves the mass `epsilon` unseen."""
        memory = "" if self.mem is None else f" mem={self.mem:.2f}"
        rows = [
            f"# {code_span(self.title)}" if self.title else f"# {code_span(self.question)}",
            f"Regenerate with {code_span(self.command)}",
            "",
            *([f"Question: {code_span(self.question)}", ""] if self.title else []),
            f"N_eff={self.n_eff:.1f} k={self.k} ε={epsilon:.2f} τ={self.tau:.2f}{memory} "
            f"tokens={tokens}/{self.budget} ({self.counter})",
            "",
            *self._notes(epsilon),
        ]
        return "\n".join(rows) + "\n" + self.preface

    def _notes(self, epsilon: float) -> list[str]:
        notes = list(self.notes)
        if epsilon > EPSILON_NOTE:
            notes.append(f"This is a truncated map: {epsilon:.0%} of the weight is not shown.")
        if self.left_out:
            files = ", ".join(f"{count} {cause}" for cause, count in self.left_out.items())
            notes.append(f"Files left out of the search: {files}.")
        if self.refused:
            chunks = self.refused + self.ranked
            notes.append(f"Not ranked: {self.refused} of {chunks} chunks, under the floor of {self.floor:g}.")
        return [" ".join(notes), ""] if notes else []


def body(candidate: Candidate, lines: Sequence[str]) -> str:
    """The whole block."""
    return _titled(candidate) + fence(_picked(candidate.full, lines), _info(candidate.language)) + "\n"


def signature(candidate: Candidate, lines: Sequence[str]) -> str:
    """Its declarations with the beginning of their documentation."""
    return _titled(candidate) + fence(_picked(candidate.signature, lines), _info(candidate.language)) + "\n"


def stub(candidate: Candidate) -> str:
    """Its place and name."""
    return f"- {_place(candidate)}{_named(candidate)}{f' {candidate.why}' if candidate.why else ''}\n"


def section(tier: Tier) -> str:
    """What stands above the blocks of one tier."""
    return _SECTION[tier]


def not_shown(candidates: Sequence[Candidate], missing: int, fits: Callable[[str], bool]) -> str:
    """The last line: the names of what did not fit, as many as `fits` lets through, and how many more are `missing`."""
    best = ""
    names: list[str] = []
    for at, candidate in enumerate(candidates):
        names.append(code_span(candidate.symbol or candidate.path.rsplit("/", 1)[-1]))
        more = missing - at - 1
        line = f"Not shown: {', '.join(names)}{f' and {more} more' if more > 0 else ''}.\n"
        if not fits(line):
            break
        best = line
    return best


def _titled(candidate: Candidate) -> str:
    why = f"{candidate.why}\n" if candidate.why else ""
    return f"### {_place(candidate)}{_named(candidate)}\n{why}"


def _place(candidate: Candidate) -> str:
    first, last = candidate.lines
    return code_span(f"{candidate.path}:{first}-{last}" if last > first else f"{candidate.path}:{first}")


def _named(candidate: Candidate) -> str:
    return f" {code_span(candidate.symbol)}" if candidate.symbol else ""


def _picked(ranges: Sequence[LineRange], lines: Sequence[str]) -> list[str]:
    picked: list[str] = []
    for first, last in ranges:
        if picked:
            picked.append(_GAP)
        picked.extend(lines[first - 1 : last])
    return picked


def _info(language: str) -> str:
    """The language of a fence; semble's names are what highlighters know."""
    return language if language.isidentifier() else ""

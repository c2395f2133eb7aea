"""Do questions that follow each other profit from the session's memory, and does a change of topic suffer from it?

A follow-up names nothing; its target is that of the question before it. A pivot is another question of the same
repository with another target. A question hits if a file of its target is among the first files of its answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks import report
from benchmarks.cases import DOC
from benchmarks.checkouts import Checkout
from benchmarks.ours import Ours, open_ours
from benchmarks.report import Json, Table
from benchmarks.scoring import mean
from benchmarks.settings import Settings, tell
from tobler_pack.evidence.question import Question
from tobler_pack.weighing.memory import Memory, remember
from tobler_pack.weighing.weights import Floats

FIRST_FILES = 5
BUDGET = 2000
FEWEST_FILES = 30
"""In a smaller repository the first five files hold any target by accident."""

FOLLOW_UPS = (
    "what are its arguments",
    "what does it return",
    "where is it called",
    "how does it handle errors",
    "show me the tests for that",
    "what happens if it fails",
    "why is it done this way",
    "and how is that configured",
)


@dataclass(frozen=True, slots=True)
class First:
    """A question in words whose files are known."""

    query: str
    paths: frozenset[str]


@dataclass
class Tally:
    """What was counted, over all repositories."""

    first: list[bool] = field(default_factory=list)
    follow_ups: list[tuple[str, bool, bool, bool]] = field(default_factory=list)
    """Template, whether the first question hit, hit without memory, hit with it."""
    thirds: list[tuple[bool, bool]] = field(default_factory=list)
    """A second follow-up: hit without memory, with it."""
    pivots: list[tuple[bool, bool]] = field(default_factory=list)
    shares: dict[str, list[float]] = field(default_factory=lambda: {"follow-up": [], "pivot": []})


def run(settings: Settings) -> Json:
    """All sessions of all repositories."""
    tallies: dict[str, Tally] = {}
    checkouts: list[Checkout] = []
    for checkout, questions in _questions(settings):
        ours = open_ours(checkout)
        if len(ours.workspace.corpus.index.files) >= FEWEST_FILES and len(questions) > 1:
            checkouts.append(checkout)
            name = f"{checkout.name} {checkout.commit[:7]}"
            tallies[name] = _play(ours, questions)
            tell(f"sessions: {name}: {len(questions)} questions")
    results = {
        "repositories": {name: _figures([tally]) for name, tally in tallies.items()},
        "all": _figures(list(tallies.values())),
        "templates": _templates(list(tallies.values())),
    }
    return report.run("sessions", checkouts, results, first_files=FIRST_FILES, fewest_files=FEWEST_FILES)


def _questions(settings: Settings) -> Iterator[tuple[Checkout, list[First]]]:
    for checkout, cases in settings.symbols():
        yield checkout, [First(case.query, frozenset({case.path})) for case in cases if case.kind == DOC]
    for checkout, one in settings.rankings():
        asked = [First(case.query, frozenset(target.path for target in case.targets)) for case in one.cases]
        yield checkout, [first for first in asked if not Question(first.query).is_symbol]


def _play(ours: Ours, questions: Sequence[First]) -> Tally:
    """Every follow-up after every question, and one pivot after each."""
    tally = Tally()
    scores = [ours.standing(one.query) for one in questions]
    follow_ups = {template: ours.standing(template) for template in FOLLOW_UPS}
    plain = {template: _first_files(ours, remember(None, scores)) for template, scores in follow_ups.items()}
    hits = [_hit(_first_files(ours, remember(None, own)), one) for one, own in zip(questions, scores, strict=True)]
    tally.first.extend(hits)
    for at, one in enumerate(questions):
        memory = remember(None, scores[at])
        for number, template in enumerate(FOLLOW_UPS):
            turn = remember(memory, follow_ups[template])
            tally.shares["follow-up"].append(turn.share)
            with_memory = _hit(_first_files(ours, turn), one)
            tally.follow_ups.append((template, hits[at], _hit(plain[template], one), with_memory))
            if number == at % len(FOLLOW_UPS):
                after = FOLLOW_UPS[(number + 1) % len(FOLLOW_UPS)]
                third = remember(turn, follow_ups[after])
                tally.thirds.append((_hit(plain[after], one), _hit(_first_files(ours, third), one)))
        _pivot(ours, questions, scores, hits, at, memory, tally)
    return tally


def _pivot(
    ours: Ours,
    questions: Sequence[First],
    scores: Sequence[Floats],
    hits: Sequence[bool],
    at: int,
    memory: Memory,
    tally: Tally,
) -> None:
    """The next question with another target, asked right after this one."""
    others = [(at + step) % len(questions) for step in range(1, len(questions))]
    other = next((one for one in others if not questions[one].paths & questions[at].paths), None)
    if other is not None:
        turn = remember(memory, scores[other])
        tally.shares["pivot"].append(turn.share)
        tally.pivots.append((hits[other], _hit(_first_files(ours, turn), questions[other])))


def _first_files(ours: Ours, memory: Memory) -> frozenset[str]:
    return frozenset(ours.files(ours.weights(memory.scores), FIRST_FILES, BUDGET))


def _hit(files: frozenset[str], one: First) -> bool:
    return bool(files & one.paths)


def _figures(tallies: Sequence[Tally]) -> Json:
    follow_ups = [row for tally in tallies for row in tally.follow_ups]
    found = [row for row in follow_ups if row[1]]
    thirds = [row for tally in tallies for row in tally.thirds]
    pivots = [row for tally in tallies for row in tally.pivots]
    shares = {kind: [share for tally in tallies for share in tally.shares[kind]] for kind in ("follow-up", "pivot")}
    return {
        "questions": sum(len(tally.first) for tally in tallies),
        "first question": mean(hit for tally in tallies for hit in tally.first),
        "follow-up": {"without": mean(row[2] for row in follow_ups), "with": mean(row[3] for row in follow_ups)},
        "follow-up of a hit": {"without": mean(row[2] for row in found), "with": mean(row[3] for row in found)},
        "second follow-up": {"without": mean(row[0] for row in thirds), "with": mean(row[1] for row in thirds)},
        "pivot": {"without": mean(row[0] for row in pivots), "with": mean(row[1] for row in pivots)},
        "pivots unharmed": mean(row[1] for row in pivots if row[0]),
        "median share of memory": {kind: median(values) if values else 0.0 for kind, values in shares.items()},
    }


def _templates(tallies: Sequence[Tally]) -> Json:
    rows = [row for tally in tallies for row in tally.follow_ups]
    by_template = {template: [row for row in rows if row[0] == template] for template in FOLLOW_UPS}
    return {
        template: {"without": mean(row[2] for row in some), "with": mean(row[3] for row in some)}
        for template, some in by_template.items()
    }


_PAIRS = ("follow-up", "follow-up of a hit", "second follow-up", "pivot")


def tables(run: Json) -> list[Table]:
    """All repositories together and apart, and by template."""
    results: Json = run["results"]
    everything: Json = results["all"]
    apart = tuple(_row(name, one) for name, one in {**results["repositories"], "all": everything}.items())
    templates = tuple((template, _pair(one)) for template, one in results["templates"].items())
    shares = everything["median share of memory"]
    title = f"A file of the target among the first {FIRST_FILES}, without → with memory"
    note = f"Median λ: {report.two(shares['follow-up'])} for follow-ups, {report.two(shares['pivot'])} for pivots."
    head = ("repository", "questions", "first question", *_PAIRS, "pivots unharmed")
    return [Table(title, head, apart, note), Table("By follow-up", ("", "without → with memory"), templates)]


def _row(name: str, figures: Json) -> tuple[str, ...]:
    return (
        name,
        str(figures["questions"]),
        report.percent(figures["first question"]),
        *(_pair(figures[kind]) for kind in _PAIRS),
        report.percent(figures["pivots unharmed"]),
    )


def _pair(rates: Json) -> str:
    return f"{report.percent(rates['without'])} → {report.percent(rates['with'])}"

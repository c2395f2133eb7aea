"""Do questions that follow each other profit from the session's memory, and does a change of topic suffer from it?

A follow-up names nothing, or one thing of its own; its target is that of the question before it. A pivot is another
question of the same repository with another target. A question hits if a file of its target is among the first files
of its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from statistics import median

from benchmarks import report
from benchmarks.cases import RankingCase, SymbolCase
from benchmarks.checkouts import Checkout
from benchmarks.ours import Ours, open_ours
from benchmarks.report import Json, Table
from benchmarks.scoring import mean
from benchmarks.settings import Settings, tell
from tobler_pack.corpus.terms import parts
from tobler_pack.evidence.question import Question
from tobler_pack.pipeline import Evidence
from tobler_pack.weighing.memory import Memory, remember

FIRST_FILES = 5
BUDGET = 2000
FEWEST_FILES = 30
"""In a smaller repository the first five files hold any target by accident."""

FOLLOW_UPS = {
    "follow-up": (
        "what are its arguments",
        "what does it return",
        "where is it called",
        "how does it handle errors",
        "show me the tests for that",
        "what happens if it fails",
        "why is it done this way",
        "and how is that configured",
    ),
    "… by pronoun": (
        "who uses it",
        "what is that for",
        "can I change this behaviour",
        "how is it tested",
        "what does this depend on",
        "where does it get its data from",
        "show me the implementation of it",
        "does it raise anything",
        "what type does it give back",
        "is there a faster version of it",
    ),
    "… elliptic": (
        "and the tests?",
        "why?",
        "any examples",
        "what about errors",
        "default values?",
        "return type?",
        "more details please",
        "and in the other direction",
        "edge cases?",
        "how so",
    ),
    "… with a word of its own": (
        "and what if the timeout expires",
        "does it write to the log",
        "is that thread safe",
        "what about unicode input",
        "how is it cached",
        "does this work asynchronously",
        "which exceptions does it raise for invalid input",
        "is it deprecated",
        "what about subclasses",
        "does it use recursion",
    ),
}
"""Four sets, written apart from each other. The gate's form was chosen with the first; NOTES.md tells how the others
and a half of the repositories that was held back confirm it.
"""

FRAMES = ("what about {}", "and how does {} work")
"""Pivots that look like follow-ups."""

SECOND, PIVOT, NAME_PIVOT, RELATED = "second follow-up", "pivot", "pivot to a name", "question with a file in common"
FRAMED, IN_WORDS = "pivot to a name, framed", "pivot to its words, framed"
KINDS = (*FOLLOW_UPS, SECOND, PIVOT, NAME_PIVOT, FRAMED, IN_WORDS, RELATED)

_NAME = re.compile(r"\w+(?!.*\w)")


@dataclass(frozen=True)
class Asked:
    """A question whose files are known, with the evidence for it."""

    query: str
    paths: frozenset[str]
    evidence: Evidence

    @cached_property
    def is_symbol(self) -> bool:
        """Whether it is a bare name: such a question begins no session here, but it may be a pivot."""
        return Question(self.query).is_symbol


@dataclass(frozen=True, slots=True)
class Turn:
    """A later question of a session: whether it hits without memory and with it, and λ."""

    kind: str
    query: str
    without: bool
    with_memory: bool
    share: float


@dataclass(frozen=True, slots=True)
class Played:
    """The sessions of one repository."""

    first: tuple[bool, ...]
    turns: tuple[Turn, ...]


def run(settings: Settings) -> Json:
    """All sessions of all repositories."""
    played: dict[str, list[Played]] = {}
    checkouts: list[Checkout] = []
    for checkout, cases in _cases(settings):
        ours = open_ours(checkout)
        if len(ours.workspace.corpus.index.files) >= FEWEST_FILES:
            checkouts.append(checkout)
            name = f"{checkout.name} {checkout.commit[:7]}"
            played.setdefault(name, []).append(_play(ours, cases))
            tell(f"sessions: {name}: {len(cases)} questions")
    everything = [one for some in played.values() for one in some]
    results = {
        "repositories": {name: _figures(some) for name, some in played.items()},
        "all": _figures(everything),
        "templates": _templates(everything),
    }
    return report.run("sessions", checkouts, results, first_files=FIRST_FILES, fewest_files=FEWEST_FILES)


def _cases(settings: Settings) -> Iterator[tuple[Checkout, Sequence[SymbolCase | RankingCase]]]:
    yield from settings.symbols()
    for checkout, one in settings.rankings():
        yield checkout, one.cases


def _play(ours: Ours, cases: Sequence[SymbolCase | RankingCase]) -> Played:
    """After each question in words: every follow-up, one more follow-up, all kinds of pivot, and a related question."""
    questions = [Asked(case.query, _paths(case), ours.evidence(case.query)) for case in cases]
    framed = _framed(ours, questions)
    follow_ups = {kind: {query: ours.evidence(query) for query in queries} for kind, queries in FOLLOW_UPS.items()}
    natural = [at for at, one in enumerate(questions) if not one.is_symbol]
    turns: list[Turn] = []
    for number, at in enumerate(natural):
        one, others = questions[at], questions[at + 1 :] + questions[:at]
        memory = remember(None, one.evidence.standing)
        turns += _follow_ups(ours, memory, one.paths, follow_ups, number)
        turns += _pivots(ours, memory, one, others)
        turns += _framed_pivots(ours, memory, one, framed, number)
        related = (other for other in others if other.paths & one.paths)
        turns += [
            _turn(ours, RELATED, other.query, memory, other.evidence, other.paths) for other in islice(related, 1)
        ]
    first = (_hit(ours, remember(None, questions[at].evidence.standing), questions[at].paths) for at in natural)
    return Played(tuple(first), tuple(turns))


def _paths(case: SymbolCase | RankingCase) -> frozenset[str]:
    targets = (case.target,) if isinstance(case, SymbolCase) else case.targets
    return frozenset(target.path for target in targets)


def _framed(ours: Ours, questions: Sequence[Asked]) -> dict[str, list[Asked]]:
    """The questions that are names, in the words of somebody who talks: as the name, and as the words that it holds."""
    found: dict[str, list[Asked]] = {FRAMED: [], IN_WORDS: []}
    for one in questions:
        name = _NAME.search(one.query.split("(")[0]) if one.is_symbol else None
        if name is not None:
            whole, *inside = parts(name[0])
            for kind, what in ((FRAMED, one.query), (IN_WORDS, " ".join(inside) or whole)):
                queries = (frame.format(what) for frame in FRAMES)
                found[kind] += [Asked(query, one.paths, ours.evidence(query)) for query in queries]
    return found


def _follow_ups(
    ours: Ours,
    memory: Memory,
    paths: frozenset[str],
    follow_ups: Mapping[str, Mapping[str, Evidence]],
    number: int,
) -> Iterator[Turn]:
    for kind, queries in follow_ups.items():
        for query, evidence in queries.items():
            yield _turn(ours, kind, query, memory, evidence, paths)
    every = [pair for queries in follow_ups.values() for pair in queries.items()]
    (_, one), (query, another) = every[number % len(every)], every[(number + 1) % len(every)]
    yield _turn(ours, SECOND, query, remember(memory, one.standing, one.signal), another, paths)


def _pivots(ours: Ours, memory: Memory, before: Asked, others: Sequence[Asked]) -> Iterator[Turn]:
    """The next question in words and the next name whose files are other ones."""
    for kind, is_symbol in ((PIVOT, False), (NAME_PIVOT, True)):
        fitting = (one for one in others if one.is_symbol == is_symbol and not one.paths & before.paths)
        if (other := next(fitting, None)) is not None:
            yield _turn(ours, kind, other.query, memory, other.evidence, other.paths)


def _framed_pivots(
    ours: Ours, memory: Memory, before: Asked, framed: Mapping[str, Sequence[Asked]], number: int
) -> Iterator[Turn]:
    for kind, questions in framed.items():
        fitting = [one for one in questions if not one.paths & before.paths]
        if fitting:
            other = fitting[number % len(fitting)]
            yield _turn(ours, kind, other.query, memory, other.evidence, other.paths)


def _turn(ours: Ours, kind: str, query: str, memory: Memory, evidence: Evidence, paths: frozenset[str]) -> Turn:
    turn = remember(memory, evidence.standing, evidence.signal)
    alone = remember(None, evidence.standing)
    return Turn(kind, query, _hit(ours, alone, paths), _hit(ours, turn, paths), turn.share)


def _hit(ours: Ours, memory: Memory, paths: frozenset[str]) -> bool:
    return not paths.isdisjoint(ours.files(ours.weights(memory.scores), FIRST_FILES, BUDGET))


def _figures(played: Sequence[Played]) -> Json:
    turns = {kind: [turn for one in played for turn in one.turns if turn.kind == kind] for kind in KINDS}
    return {
        "questions": sum(len(one.first) for one in played),
        "first question": mean(hit for one in played for hit in one.first),
        **{kind: _rates(found) for kind, found in turns.items()},
    }


def _rates(turns: Sequence[Turn]) -> Json:
    """`unharmed`: of those that hit without memory, the share that still does with it."""
    return {
        "turns": len(turns),
        "without": mean(turn.without for turn in turns),
        "with": mean(turn.with_memory for turn in turns),
        "unharmed": mean(turn.with_memory for turn in turns if turn.without),
        "median share of memory": median(turn.share for turn in turns) if turns else 0.0,
    }


def _templates(played: Sequence[Played]) -> Json:
    turns = [turn for one in played for turn in one.turns if turn.kind in FOLLOW_UPS]
    queries = (query for some in FOLLOW_UPS.values() for query in some)
    return {query: _rates([turn for turn in turns if turn.query == query]) for query in queries}


def tables(run: Json) -> list[Table]:
    """All repositories together and apart, and by template."""
    results: Json = run["results"]
    title = f"A file of the target among the first {FIRST_FILES}, without → with memory (unharmed; median λ)"
    everything, apart = results["all"], results["repositories"]
    head = ("all repositories", "turns", "without → with memory")
    rows = tuple((kind, str(everything[kind]["turns"]), _cell(everything[kind])) for kind in KINDS)
    columns = ("repository", "questions", "first question", *_SHOWN)
    by_repository = tuple(_row(name, one) for name, one in apart.items())
    templates = tuple((query, _cell(rates)) for query, rates in results["templates"].items())
    return [
        Table(title, head, rows),
        Table("By repository", columns, by_repository),
        Table("By follow-up", ("", "without → with memory"), templates),
    ]


_SHOWN = (*FOLLOW_UPS, PIVOT, FRAMED)


def _row(name: str, figures: Json) -> tuple[str, ...]:
    cells = (_cell(figures[kind]) for kind in _SHOWN)
    return (name, str(figures["questions"]), report.percent(figures["first question"]), *cells)


def _cell(rates: Json) -> str:
    if not rates["turns"]:
        return ""
    unharmed, share = report.percent(rates["unharmed"]), report.two(rates["median share of memory"])
    return f"{report.percent(rates['without'])} → {report.percent(rates['with'])} ({unharmed}; {share})"

"""Do questions that follow each other profit from the session's memory, and does a change of topic suffer from it?

A follow-up names nothing; its target is that of the question before it. A pivot is another question of the same
repository with another target. A question hits if a file of its target is among the first files of its answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from benchmarks import report
from benchmarks.cases import RankingCase, SymbolCase
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

FOLLOW_UP, SECOND, PIVOT, NAME_PIVOT = "follow-up", "second follow-up", "pivot", "pivot to a name"
KINDS = (FOLLOW_UP, SECOND, PIVOT, NAME_PIVOT)


@dataclass(frozen=True)
class Asked:
    """A question whose files are known, with the evidence for it."""

    query: str
    paths: frozenset[str]
    scores: Floats

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
    """After each question in words: every follow-up, one more follow-up, and both kinds of pivot."""
    questions = [Asked(case.query, _paths(case), ours.standing(case.query)) for case in cases]
    follow_ups = {query: ours.standing(query) for query in FOLLOW_UPS}
    natural = [at for at, one in enumerate(questions) if not one.is_symbol]
    turns: list[Turn] = []
    for number, at in enumerate(natural):
        memory = remember(None, questions[at].scores)
        turns += _follow_ups(ours, memory, questions[at].paths, follow_ups, number)
        turns += _pivots(ours, memory, questions[at], questions[at + 1 :] + questions[:at])
    first = (_hit(ours, remember(None, questions[at].scores), questions[at].paths) for at in natural)
    return Played(tuple(first), tuple(turns))


def _paths(case: SymbolCase | RankingCase) -> frozenset[str]:
    targets = (case.target,) if isinstance(case, SymbolCase) else case.targets
    return frozenset(target.path for target in targets)


def _follow_ups(
    ours: Ours, memory: Memory, paths: frozenset[str], follow_ups: dict[str, Floats], number: int
) -> Iterator[Turn]:
    for query, scores in follow_ups.items():
        yield _turn(ours, FOLLOW_UP, query, memory, scores, paths)
    queries = list(follow_ups)
    one, another = queries[number % len(queries)], queries[(number + 1) % len(queries)]
    yield _turn(ours, SECOND, another, remember(memory, follow_ups[one]), follow_ups[another], paths)


def _pivots(ours: Ours, memory: Memory, before: Asked, others: Sequence[Asked]) -> Iterator[Turn]:
    """The next question in words and the next name whose files are other ones."""
    for kind, is_symbol in ((PIVOT, False), (NAME_PIVOT, True)):
        fitting = (one for one in others if one.is_symbol == is_symbol and not one.paths & before.paths)
        if (other := next(fitting, None)) is not None:
            yield _turn(ours, kind, other.query, memory, other.scores, other.paths)


def _turn(ours: Ours, kind: str, query: str, memory: Memory, scores: Floats, paths: frozenset[str]) -> Turn:
    turn = remember(memory, scores)
    return Turn(kind, query, _hit(ours, remember(None, scores), paths), _hit(ours, turn, paths), turn.share)


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
    turns = [turn for one in played for turn in one.turns if turn.kind == FOLLOW_UP]
    return {query: _rates([turn for turn in turns if turn.query == query]) for query in FOLLOW_UPS}


def tables(run: Json) -> list[Table]:
    """All repositories together and apart, and by template."""
    results: Json = run["results"]
    title = f"A file of the target among the first {FIRST_FILES}, without → with memory (unharmed; median λ)"
    head = ("repository", "questions", "first question", *KINDS)
    rows = [_row("all", results["all"]), *(_row(name, one) for name, one in results["repositories"].items())]
    templates = tuple((query, _cell(rates)) for query, rates in results["templates"].items())
    return [Table(title, head, tuple(rows)), Table("By follow-up", ("", "without → with memory"), templates)]


def _row(name: str, figures: Json) -> tuple[str, ...]:
    cells = (_cell(figures[kind]) for kind in KINDS)
    return (name, str(figures["questions"]), report.percent(figures["first question"]), *cells)


def _cell(rates: Json) -> str:
    if not rates["turns"]:
        return ""
    unharmed, share = report.percent(rates["unharmed"]), report.two(rates["median share of memory"])
    return f"{report.percent(rates['without'])} → {report.percent(rates['with'])} ({unharmed}; {share})"

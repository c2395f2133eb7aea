"""Does a pack show the definition that was asked for, and how much of it?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks import report
from benchmarks.cases import DOC, NAME, SymbolCase
from benchmarks.checkouts import Checkout
from benchmarks.ours import Ours, open_ours
from benchmarks.peers import Chunk, Semble, document
from benchmarks.report import Json, Table
from benchmarks.scoring import BODY, Shown, hits, mean, share_of_lines
from benchmarks.settings import Settings, tell
from tobler_pack.packs.tokens import TokenCounter

TOP = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What one tool answered to one case."""

    shown: list[Shown]
    tokens: int
    shape: tuple[float, float, float] | None = None
    """N_eff, k, ε; None for tools without."""


def run(settings: Settings) -> Json:
    """All cases at all budgets, with the peers on the same questions."""
    counter = TokenCounter("o200k_base")
    results: Json = {}
    checkouts: list[Checkout] = []
    for checkout, cases in settings.symbols():
        checkouts.append(checkout)
        results[checkout.name] = {
            name: _figures(cases, [answer(case) for case in cases], budget)
            for name, budget, answer in _tools(settings, checkout, counter)
        }
        tell(f"symbols: {checkout.name}: {len(cases)} cases")
    return report.run("symbols", checkouts, results, budgets=list(settings.budgets))


def _tools(
    settings: Settings, checkout: Checkout, counter: TokenCounter
) -> list[tuple[str, int, Callable[[SymbolCase], Answer]]]:
    """Name, budget and call of each tool."""
    ours = open_ours(checkout)
    tools = [(f"tobler-pack, {budget}", budget, _ours(ours, budget, counter)) for budget in settings.budgets]
    if settings.peers:
        peer = Semble(checkout, settings.work)
        tools += [(f"semble, first {TOP}, {budget}", budget, _top(peer, counter)) for budget in settings.budgets[:1]]
        tools += [(f"semble, filled, {budget}", budget, _filled(peer, budget, counter)) for budget in settings.budgets]
    return tools


def _ours(ours: Ours, budget: int, counter: TokenCounter) -> Callable[[SymbolCase], Answer]:
    def answer(case: SymbolCase) -> Answer:
        asked = ours.ask(case.query, budget)
        shape = (asked.entry["n_eff"], asked.entry["k"], asked.entry["epsilon"])
        return Answer(asked.shown(), counter.count([asked.text])[0], shape)

    return answer


def _top(peer: Semble, counter: TokenCounter) -> Callable[[SymbolCase], Answer]:
    return lambda case: _of_chunks(case, peer.search(case.query, TOP), counter)


def _filled(peer: Semble, budget: int, counter: TokenCounter) -> Callable[[SymbolCase], Answer]:
    def fits(text: str) -> bool:
        return counter.count([text])[0] <= budget

    return lambda case: _of_chunks(case, peer.fitting(case.query, fits), counter)


def _of_chunks(case: SymbolCase, chunks: list[Chunk], counter: TokenCounter) -> Answer:
    return Answer([chunk.shown for chunk in chunks], counter.count([document(case.query, chunks)])[0])


def _figures(cases: Sequence[SymbolCase], answers: Sequence[Answer], budget: int) -> Json:
    kinds = {"all": (NAME, DOC), NAME: (NAME,), DOC: (DOC,)}
    tokens = [answer.tokens for answer in answers]
    figures: Json = {
        kind: _quality([(case, one) for case, one in zip(cases, answers, strict=True) if case.kind in which])
        for kind, which in kinds.items()
    }
    figures["tokens"] = {
        "budget": budget,
        "mean": round(mean(tokens), 1),
        "max": max(tokens, default=0),
        "over": mean(count > budget for count in tokens),
    }
    shapes = [answer.shape for answer in answers if answer.shape is not None]
    if shapes:
        columns = [median(column) for column in zip(*shapes, strict=True)]
        figures["shape"] = dict(zip(("n_eff", "k", "epsilon"), columns, strict=True))
    return figures


def _quality(pairs: Sequence[tuple[SymbolCase, Answer]]) -> Json:
    lines = [share_of_lines(answer.shown, case.target) for case, answer in pairs]
    return {
        "cases": len(pairs),
        "shown": mean(hits(answer.shown, case.target) for case, answer in pairs),
        "lines": mean(lines),
        "body": mean(share >= BODY for share in lines),
    }


def tables(run: Json) -> list[Table]:
    """One table: a row for each tool, a column for each repository."""
    results: Json = run["results"]
    tools = list(dict.fromkeys(tool for tools in results.values() for tool in tools))
    quality = [(tool, *(_cell(results[name][tool]) for name in results), _mean_cell(results, tool)) for tool in tools]
    kinds = [
        (tool, *(f"{_triple(results[name][tool][NAME])} / {_triple(results[name][tool][DOC])}" for name in results))
        for tool in tools
    ]
    tokens = [(tool, *(_tokens(results[name][tool]) for name in results)) for tool in tools]
    shape = [(tool, *(_shape(results[name][tool]) for name in results)) for tool in tools if tool.startswith("tobler")]
    names = tuple(results)
    return [
        Table("Asked for one definition: shown · lines · body", ("tool, budget", *names, "mean"), tuple(quality)),
        Table("The same by kind of question: by name / by description", ("tool, budget", *names), tuple(kinds)),
        Table("Real tokens: mean (max), answers over budget", ("tool, budget", *names), tuple(tokens)),
        Table("Medians of N_eff · k · ε", ("tool, budget", *names), tuple(shape)),
    ]


def _cell(figures: Json) -> str:
    return _triple(figures["all"])


def _triple(quality: Json) -> str:
    return " · ".join(report.two(quality[key]) for key in ("shown", "lines", "body"))


def _mean_cell(results: Json, tool: str) -> str:
    means = [mean(figures[tool]["all"][key] for figures in results.values()) for key in ("shown", "lines", "body")]
    return " · ".join(map(report.three, means))


def _tokens(figures: Json) -> str:
    tokens = figures["tokens"]
    return f"{report.whole(tokens['mean'])} ({report.whole(tokens['max'])}), {report.percent(tokens['over'])}"


def _shape(figures: Json) -> str:
    shape = figures["shape"]
    return f"{shape['n_eff']:.1f} · {shape['k']:.0f} · {report.two(shape['epsilon'])}"

"""In which order do the files come? NDCG@10 by file, on the annotations of semble's public benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache

from benchmarks import report
from benchmarks.cases import RankingCase, RankingSet
from benchmarks.checkouts import Checkout
from benchmarks.ours import open_ours
from benchmarks.peers import Semble
from benchmarks.report import Json, Table
from benchmarks.scoring import RANKS, Shown, by_file, mean, mean_of_means, ndcg, paired
from benchmarks.settings import Settings, tell

BUDGET = 6000
"""Large enough that a pack names more than ten files."""

OURS = "tobler-pack"
PRINTED = "tobler-pack, as printed"
PEER = "semble"
PEER_FILES = "semble, by file"

_MORE_RESULTS = 50  # of these the first ten files count where results are taken by file

Rows = dict[str, list[tuple[str, float]]]
"""For each repository category and score of each question, in order."""


def run(settings: Settings) -> Json:
    """All questions through all tools."""
    scores: dict[str, Rows] = {}
    checkouts: list[Checkout] = []
    for checkout, cases in settings.rankings():
        checkouts.append(checkout)
        for tool, order in _tools(settings, checkout).items():
            scores.setdefault(tool, {})[checkout.name] = _scores(cases, order)
        told = ", ".join(f"{tool} {mean(s for _, s in rows[checkout.name]):.3f}" for tool, rows in scores.items())
        tell(f"ranking: {checkout.name}: {told}")
    return report.run("ranking", checkouts, _results(scores), budget=BUDGET, ranks=RANKS)


def _tools(settings: Settings, checkout: Checkout) -> dict[str, Callable[[RankingCase], list[Shown]]]:
    """For each tool the call that gives its results in order."""
    ours = open_ours(checkout)
    ask = cache(lambda query: ours.ask(query, BUDGET))  # both orders are of the same pack
    tools: dict[str, Callable[[RankingCase], list[Shown]]] = {
        OURS: lambda case: by_file(ask(case.query).by_weight()),
        PRINTED: lambda case: by_file(ask(case.query).shown()),
    }
    if settings.peers:
        peer = Semble(checkout, settings.work)
        tools[PEER] = lambda case: [chunk.shown for chunk in peer.search(case.query, RANKS)]
        tools[PEER_FILES] = lambda case: by_file(chunk.shown for chunk in peer.search(case.query, _MORE_RESULTS))
    return tools


def _scores(cases: RankingSet, order: Callable[[RankingCase], list[Shown]]) -> list[tuple[str, float]]:
    return [(case.category, ndcg(order(case), case.targets)) for case in cases.cases]


def _results(scores: dict[str, Rows]) -> Json:
    return {
        "tools": {tool: _summary(rows) for tool, rows in scores.items()},
        "differences": {
            f"{OURS} − {peer}": _difference(scores[OURS], scores[peer]) for peer in (PEER, PEER_FILES) if peer in scores
        },
    }


def _summary(rows: Rows) -> Json:
    categories: dict[str, list[float]] = {}
    for pairs in rows.values():
        for category, score in pairs:
            categories.setdefault(category, []).append(score)
    return {
        "mean": mean_of_means({name: [score for _, score in pairs] for name, pairs in rows.items()}),
        "questions": sum(map(len, rows.values())),
        "repositories": {name: mean(score for _, score in pairs) for name, pairs in rows.items()},
        "categories": {name: {"mean": mean(found), "questions": len(found)} for name, found in categories.items()},
    }


def _difference(ours: Rows, theirs: Rows) -> Json:
    """Paired by question (each counts the same) and by repository (each counts the same)."""
    flat = [[score for name in ours for _, score in rows[name]] for rows in (ours, theirs)]
    means = [[mean(score for _, score in rows[name]) for name in ours] for rows in (ours, theirs)]
    return {"by question": asdict(paired(*flat)), "by repository": asdict(paired(*means))}


def tables(run: Json) -> list[Table]:
    """Means and categories, repositories, differences."""
    tools: Json = run["results"]["tools"]
    first: Json = next(iter(tools.values()), {"categories": {}, "repositories": {}})
    categories = {name: f"{name} ({one['questions']})" for name, one in first["categories"].items()}
    summary = [
        (tool, report.three(one["mean"]), *(report.three(one["categories"][name]["mean"]) for name in categories))
        for tool, one in tools.items()
    ]
    repositories = [
        (name, *(report.three(one["repositories"][name]) for one in tools.values())) for name in first["repositories"]
    ]
    differences = [
        (name, *(report.signed(one[by]) for by in ("by question", "by repository")))
        for name, one in run["results"]["differences"].items()
    ]
    return [
        Table("File NDCG@10", ("tool", "mean of repositories", *categories.values()), tuple(summary)),
        Table("Paired differences, ± standard error", ("", "by question", "by repository"), tuple(differences)),
        Table("By repository", ("repository", *tools), tuple(repositories)),
    ]

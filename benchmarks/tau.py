"""Which temperature? The τ at which the questions differ most in how many chunks matter: the peak of var(log N_eff)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from benchmarks import report
from benchmarks.cases import Target
from benchmarks.checkouts import Checkout
from benchmarks.ours import Ours, open_ours
from benchmarks.ranking import BUDGET as RANKING_BUDGET
from benchmarks.report import Json, Table
from benchmarks.scoring import RANKS, Shown, mean, ndcg, share_of_lines
from benchmarks.settings import Settings, tell
from tobler_pack import pipeline
from tobler_pack.evidence.question import Question
from tobler_pack.weighing.weights import effective_number

GRID = tuple(round(0.1 * step, 1) for step in range(2, 41))
PACKS_AT = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 2.0, 3.0, 4.0)
"""Lines need whole packs, so they are measured at fewer points."""

KINDS = {"all": None, "symbol-like": True, "natural": False}
EXTREMES = 8
_BAR = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One question at every τ of the grid. `ndcg` and `lines` are empty where the case does not tell them."""

    repository: str
    query: str
    is_symbol: bool
    n_eff: tuple[float, ...]
    ndcg: tuple[float, ...] = ()
    lines: tuple[float, ...] = ()


def run(settings: Settings) -> Json:
    """All questions of both kinds of cases at every τ."""
    rows: list[Row] = []
    checkouts: list[Checkout] = []
    for checkout, cases in settings.symbols():
        checkouts.append(checkout)
        ours = open_ours(checkout)
        rows += [_row(ours, checkout, case.query, asked_for=case.target, budget=settings.budgets[0]) for case in cases]
        tell(f"tau: {checkout.name}: {len(cases)} questions")
    for checkout, one in settings.rankings():
        checkouts.append(checkout)
        ours = open_ours(checkout)
        rows += [_row(ours, checkout, case.query, ranked=case.targets, budget=RANKING_BUDGET) for case in one.cases]
        tell(f"tau: {checkout.name}: {len(one.cases)} questions")
    kinds = {kind: [row for row in rows if wanted in (None, row.is_symbol)] for kind, wanted in KINDS.items()}
    results = {
        "tau": pipeline.TAU,
        "questions": len(rows),
        "curves": {kind: _curve(chosen) for kind, chosen in kinds.items() if chosen},
        "extremes": _extremes(rows),
    }
    return report.run("tau", checkouts, results, budget=settings.budgets[0])


def _row(
    ours: Ours,
    checkout: Checkout,
    query: str,
    *,
    asked_for: Target | None = None,
    ranked: Sequence[Target] = (),
    budget: int,
) -> Row:
    scores = ours.standing(query)
    n_eff: list[float] = []
    gains: list[float] = []
    for tau in GRID:
        weights = ours.weights(scores, tau)
        n_eff.append(effective_number(weights))
        if ranked:
            files = ours.files(weights, RANKS, budget)
            gains.append(ndcg([Shown(path, (1, 1), ()) for path in files], [Target(one.path) for one in ranked]))
    lines: tuple[float, ...] = ()
    if asked_for is not None:
        lines = tuple(share_of_lines(ours.ask(query, budget, tau=tau).shown(), asked_for) for tau in PACKS_AT)
    name = f"{checkout.name} {checkout.commit[:7]}"
    return Row(name, query, Question(query).is_symbol, tuple(n_eff), tuple(gains), lines)


def _curve(rows: Sequence[Row]) -> Json:
    """One point for each τ, and where the spread is largest."""
    logs = np.log([row.n_eff for row in rows])
    spread = logs.var(axis=0)
    within = np.mean([logs[group].var(axis=0) for group in _groups(rows)], axis=0)
    return {
        "questions": len(rows),
        "repositories": len(_groups(rows)),
        "argmax": GRID[int(spread.argmax())],
        "argmax within repositories": GRID[int(within.argmax())],
        "points": [_point(rows, at, float(spread[at]), float(within[at])) for at in range(len(GRID))],
    }


def _groups(rows: Sequence[Row]) -> list[list[int]]:
    """The positions of each repository's rows."""
    return [[at for at, _ in group] for _, group in groupby(enumerate(rows), key=lambda pair: pair[1].repository)]


def _point(rows: Sequence[Row], at: int, spread: float, within: float) -> Json:
    tau = GRID[at]
    low, middle, high = np.percentile([row.n_eff[at] for row in rows], [10, 50, 90]).tolist()
    point: Json = {"tau": tau, "variance": spread, "within": within, "p10": low, "p50": middle, "p90": high}
    ranked = [row.ndcg[at] for row in rows if row.ndcg]
    point["ndcg"] = mean(ranked) if ranked else None
    shown = [row.lines[PACKS_AT.index(tau)] for row in rows if row.lines] if tau in PACKS_AT else []
    point["lines"] = mean(shown) if shown else None
    return point


def _extremes(rows: Sequence[Row]) -> Json:
    """The sharpest and the most diffuse questions at the grid's point nearest to the τ in force."""
    at = int(np.abs(np.array(GRID) - pipeline.TAU).argmin())
    ordered = sorted(rows, key=lambda row: (row.n_eff[at], row.repository, row.query))
    told = [{"repository": row.repository, "query": row.query, "n_eff": row.n_eff[at]} for row in ordered]
    return {"tau": GRID[at], "sharpest": told[:EXTREMES], "most diffuse": told[::-1][:EXTREMES]}


def tables(run: Json) -> list[Table]:
    """Peaks, the curve of all questions, extremes."""
    results: Json = run["results"]
    peaks = tuple(_peak(kind, curve) for kind, curve in results["curves"].items())
    head = ("questions", "how many", "repositories", "argmax", "argmax within repositories", "p90/p10 there")
    return [
        Table(f"τ by the spread of log N_eff (in force: {results['tau']})", head, peaks),
        *(_points(kind, curve) for kind, curve in results["curves"].items()),
        *(_questions(name, results["extremes"]) for name in ("sharpest", "most diffuse")),
    ]


def _peak(kind: str, curve: Json) -> tuple[str, ...]:
    point = curve["points"][GRID.index(curve["argmax"])]
    return (
        kind,
        str(curve["questions"]),
        str(curve["repositories"]),
        f"{curve['argmax']:.1f}",
        f"{curve['argmax within repositories']:.1f}",
        f"{point['p90'] / point['p10']:,.0f}",
    )


def _points(kind: str, curve: Json) -> Table:
    rows = tuple(
        (
            f"{point['tau']:.1f}",
            f"{point['variance']:.2f}",
            f"{point['within']:.2f}",
            *(f"{point[key]:,.1f}" for key in ("p10", "p50", "p90")),
            *("" if point[key] is None else report.three(point[key]) for key in ("ndcg", "lines")),
        )
        for point in curve["points"]
        if point["tau"] in PACKS_AT or point["tau"] == curve["argmax"]
    )
    head = ("τ", "var(log N_eff)", "within repositories", "p10", "p50", "p90", "NDCG@10", "lines")
    return Table(f"τ, {kind} questions", head, rows, note=f"```\n{curve_text(curve)}\n```")


def curve_text(curve: Json) -> str:
    """var(log N_eff) over τ as bars of text."""
    peak = max(point["variance"] for point in curve["points"]) or 1.0
    shown = [one for at, one in enumerate(curve["points"]) if at % 2 == 0 or one["tau"] == curve["argmax"]]
    bars = [(point["tau"], point["variance"], round(_BAR * point["variance"] / peak)) for point in shown]
    return "\n".join(
        f"{tau:4.1f} {variance:6.2f} {'#' * bar}{' <' if tau == curve['argmax'] else ''}".rstrip()
        for tau, variance, bar in bars
    )


def _questions(name: str, extremes: Json) -> Table:
    rows = tuple((one["query"], one["repository"], f"{one['n_eff']:,.1f}") for one in extremes[name])
    return Table(f"The {name} questions at τ={extremes['tau']}", ("question", "repository", "N_eff"), rows)


def as_csv(run: Json) -> str:
    """All curves for a plotting program."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    keys = ("tau", "variance", "within", "p10", "p50", "p90", "ndcg", "lines")
    writer.writerow(["questions", *keys])
    for kind, curve in run["results"]["curves"].items():
        for point in curve["points"]:
            writer.writerow([kind, *("" if point[key] is None else point[key] for key in keys)])
    return text.getvalue()

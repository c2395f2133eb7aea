"""Which other file did a real commit change? The rest of the commit asks, one of its files is held out."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks import report
from benchmarks.checkouts import Checkout, git
from benchmarks.peers import Semble, document
from benchmarks.report import Json, Table
from benchmarks.scoring import mean
from benchmarks.settings import Settings, tell
from tobler_pack import diff
from tobler_pack.comparison import compare
from tobler_pack.corpus.tree import Repository
from tobler_pack.packs.tokens import TokenCounter
from tobler_pack.sources.config import Config
from tobler_pack.surfaces.registry import Options, open_registry
from tobler_pack.workspace import Workspace

BUDGET = 3000
TOP = 10

# Of commits that are made here only the tree, the parent and the message matter; all else is the same on each machine.
_NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "nobody"), ("EMAIL", "nobody@example.com"), ("DATE", "2020-01-01T00:00:00Z"))
}


@dataclass(frozen=True, slots=True)
class CochangeCase:
    """A commit with one of its files held out."""

    repository: str
    commit: str
    parent: str
    subject: str
    held_out: str
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The files of an answer in order, those that are shown with more than their name, its tokens, and seconds."""

    files: list[str]
    with_text: frozenset[str]
    tokens: int
    seconds: float


def cases(folder: Path) -> dict[str, list[CochangeCase]]:
    """All cases of the files cochange-*.jsonl, by repository."""
    found: dict[str, list[CochangeCase]] = {}
    for file in sorted(folder.glob("cochange-*.jsonl")):
        for line in filter(str.strip, file.read_text(encoding="utf-8").splitlines()):
            row = json.loads(line)
            case = CochangeCase(
                row["repo"], row["commit"], row["parent"], row["subject"], row["held_out"], tuple(row["given"])
            )
            found.setdefault(case.repository, []).append(case)
    return found


def part_of(clone: Path, case: CochangeCase) -> str:
    """A commit on top of the parent that changes the given files alone, as the real commit did; its id."""
    with tempfile.TemporaryDirectory(prefix="tobler-pack-") as scratch:
        env = _NOBODY | {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git(clone, "read-tree", case.parent, env=env)
        listed = git(clone, "diff-tree", "-r", "-z", "--no-renames", case.parent, case.commit, "--", *case.given)
        fields = listed.split("\0")
        rows = [_row(head, path) for head, path in zip(fields[::2], fields[1::2], strict=False)]
        command = ["git", "-C", str(clone), "update-index", "-z", "--index-info"]
        subprocess.run(command, input="".join(rows).encode(), check=True, env={**os.environ, **env})
        tree = git(clone, "write-tree", env=env)
        return git(clone, "commit-tree", tree, "-p", case.parent, "-m", case.subject, env=env)


def _row(head: str, path: str) -> str:
    """One line of ``git diff-tree`` as ``git update-index`` reads it; mode 0 takes a path away."""
    _, mode, _, blob, _ = head.split(" ")
    return f"{'0' if mode == '000000' else mode} {blob}\t{path}\0"


def run(settings: Settings) -> Json:
    """All cases, with the peer on the same trees."""
    counter = TokenCounter("o200k_base")
    results: Json = {}
    checkouts: list[Checkout] = []
    for name, every in cases(settings.cases).items():
        found = settings.clone_of(name, every[0].commit)
        if found is None:
            continue
        checkouts.append(found)
        clone = _borrowing(found.clone, settings.work / "cochange" / name)
        answers: dict[str, list[tuple[CochangeCase, Answer]]] = {}
        for case in every[settings.few]:
            head = part_of(clone, case)
            for tool, answer in _tools(settings, clone, case, head, counter):
                answers.setdefault(tool, []).append((case, answer()))
        results[name] = {tool: _figures(pairs) for tool, pairs in answers.items()}
        tell(f"cochange: {name}: {len(every[settings.few])} cases")
    return report.run("cochange", checkouts, results, budget=BUDGET)


def _borrowing(clone: Path, place: Path) -> Path:
    """A repository that has the objects of a clone and takes what is written here."""
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        git(clone, "clone", "--quiet", "--shared", "--no-checkout", "--", str(clone.resolve()), str(place))
    return place


def _tools(
    settings: Settings, clone: Path, case: CochangeCase, head: str, counter: TokenCounter
) -> list[tuple[str, Callable[[], Answer]]]:
    tools = [(f"tobler-pack diff, {BUDGET}", lambda: _ours(clone, case, head, counter))]
    if settings.peers:
        peer = Semble(Checkout(case.repository, clone, head), settings.work)
        patch = git(clone, "diff", "--no-ext-diff", case.parent, head)
        tools += [
            (f"semble, first {TOP} for the diff", lambda: _theirs(peer, patch, case, counter)),
            (f"semble, first {TOP} for the subject", lambda: _theirs(peer, case.subject, case, counter)),
        ]
    return tools


def _ours(clone: Path, case: CochangeCase, head: str, counter: TokenCounter) -> Answer:
    repository = Repository(clone)
    comparison = compare(repository, case.parent, head, staged=False)
    workspace = Workspace.open(repository, Config(out="", telemetry=False), comparison.tree)
    assert len(workspace.library.index)  # indexes: what a change costs is counted without
    dials = open_registry(workspace, Options(None, BUDGET))
    begun = perf_counter()
    made = diff.make(workspace, comparison, dials, "pull-request", "tobler-pack diff …")
    seconds = perf_counter() - begun
    if not made:
        return Answer([], frozenset(), 0, seconds)
    blocks = [block for block in made[0].entry["blocks"] if block["path"] not in case.given]
    files = list(dict.fromkeys(block["path"] for block in blocks))
    with_text = frozenset(block["path"] for block in blocks if block["tier"] != "stub")
    return Answer(files, with_text, counter.count([made[0].pack.text])[0], seconds)


def _theirs(peer: Semble, query: str, case: CochangeCase, counter: TokenCounter) -> Answer:
    begun = perf_counter()
    chunks = peer.search(query, TOP)
    seconds = perf_counter() - begun
    files = list(dict.fromkeys(chunk.path for chunk in chunks if chunk.path not in case.given))
    return Answer(files, frozenset(files), counter.count([document("change", chunks)])[0], seconds)


def reciprocal_rank(answer: Answer, case: CochangeCase) -> float:
    """1/rank of the held-out file among the files of an answer, 0 where it is absent."""
    return 1.0 / (answer.files.index(case.held_out) + 1) if case.held_out in answer.files else 0.0


def _figures(pairs: Sequence[tuple[CochangeCase, Answer]]) -> Json:
    tokens = [answer.tokens for _, answer in pairs]
    return {
        "cases": len(pairs),
        "mrr": mean(reciprocal_rank(answer, case) for case, answer in pairs),
        "body": mean(case.held_out in answer.with_text for case, answer in pairs),
        "shown": mean(case.held_out in answer.files for case, answer in pairs),
        "tokens": {"mean": round(mean(tokens), 1), "max": max(tokens, default=0)},
        "seconds": round(mean(answer.seconds for _, answer in pairs), 3),
    }


def tables(run: Json) -> list[Table]:
    """One table: a row for each tool, a column for each repository."""
    results: Json = run["results"]
    tools = list(dict.fromkeys(tool for figures in results.values() for tool in figures))
    rows = [(tool, *(_cell(results[name][tool]) for name in results)) for tool in tools]
    tokens = [(tool, *(_tokens(results[name][tool]) for name in results)) for tool in tools]
    title = "Which other file did this commit change: mrr · with a body or signature · shown at all"
    return [
        Table(title, ("tool, budget", *results), tuple(rows)),
        Table("Real tokens: mean (max)", ("tool, budget", *results), tuple(tokens)),
    ]


def _cell(figures: Json) -> str:
    return " · ".join(report.two(figures[key]) for key in ("mrr", "body", "shown"))


def _tokens(figures: Json) -> str:
    return f"{report.whole(figures['tokens']['mean'])} ({report.whole(figures['tokens']['max'])})"

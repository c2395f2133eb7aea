"""How long does it take? Medians of runs that take turns (ours, the peer's, ours, …), by the wall clock."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks import report
from benchmarks.cases import SymbolCase
from benchmarks.checkouts import Checkout, clone_at, git
from benchmarks.ours import open_ours
from benchmarks.peers import Semble, command_environment
from benchmarks.report import Json, Table
from benchmarks.settings import Settings, tell
from tobler_pack.corpus.place import VARIABLE
from tobler_pack.packs.tokens import TokenCounter

OURS, PEER = "tobler-pack", "semble"
TIMES = 5
COLD_TIMES = 3
QUESTIONS = 20
LONGEST_SECONDS = 60
"""Once the runs of one row took this long no further turn begins: a large repository is measured once or twice."""

NAMED_QUESTIONS = 4
RESULTS = 10
EARLIER = 20
"""How many commits the cached index is behind, first parents only."""

_CONFIG = "version: 1\nqueries:\n"


@dataclass(frozen=True)
class Place:
    """A clone that only this benchmark uses, with a cache folder for each tool."""

    clone: Path
    work: Path

    @property
    def caches(self) -> dict[str, Path]:
        """Where each tool keeps what it knows."""
        return {OURS: self.work / "tobler-pack", PEER: self.work / "semble"}

    def environment(self, tool: str) -> dict[str, str]:
        """The environment of a tool's command: nothing of it reaches the user's folders."""
        own = {VARIABLE: str(self.caches[OURS])} if tool == OURS else command_environment(self.work)
        return {**os.environ, **own}

    def forget(self, tool: str) -> None:
        """Empty a tool's cache."""
        shutil.rmtree(self.caches[tool], ignore_errors=True)

    def keep(self, tool: str) -> None:
        """Put a tool's cache aside, for `restore`."""
        shutil.rmtree(self._kept(tool), ignore_errors=True)
        shutil.copytree(self.caches[tool], self._kept(tool))

    def restore(self, tool: str) -> None:
        """Make the cache what it was."""
        self.forget(tool)
        shutil.copytree(self._kept(tool), self.caches[tool])

    def _kept(self, tool: str) -> Path:
        return self.work / f"kept-{tool}"


def run(settings: Settings) -> Json:
    """Each repository of the symbol cases."""
    results: Json = {}
    checkouts: list[Checkout] = []
    for checkout, cases in settings.symbols():
        checkouts.append(checkout)
        place = Place(settings.work / "speed" / checkout.name / "clone", settings.work / "speed" / checkout.name)
        place.work.mkdir(parents=True, exist_ok=True)
        results[checkout.name] = {
            **_questions(checkout, cases[:QUESTIONS], settings),
            **_cold(checkout, place, cases[0].query, settings),
            **_processes(place, cases[:NAMED_QUESTIONS], settings),
        }
        shutil.rmtree(place.work)
        tell(f"speed: {checkout.name}")
    return report.run("speed", checkouts, results, questions=QUESTIONS, peer_results=RESULTS, earlier=EARLIER)


def _questions(checkout: Checkout, cases: Sequence[SymbolCase], settings: Settings) -> Json:
    """Questions to a loaded index: each for the first time, and again (its token counts are remembered then)."""
    ours = open_ours(checkout)
    ours.workspace.library.index.vectors.sum()  # the index lies in memory-mapped files
    counter = TokenCounter("o200k_base")
    counter.count(["the vocabulary is loaded now"])
    asker = type(ours)(ours.workspace, ours.prefix, counter)
    peer = Semble(checkout, settings.work) if settings.peers else None
    asker.ask(cases[-1].symbol, settings.budgets[0])
    if peer is not None:
        peer.search(cases[-1].symbol, RESULTS)
    times: dict[str, dict[str, list[float]]] = {"question, first time": {}, "question, again": {}}
    for name, case in [(name, case) for case in cases for name in times]:
        _add(times[name], OURS, _timed(lambda query: asker.ask(query, settings.budgets[0]), case.query))
        if peer is not None:
            _add(times[name], PEER, _timed(lambda query: peer.search(query, RESULTS), case.query))
    return {name: _medians(found) for name, found in times.items()}


def _add(times: dict[str, list[float]], tool: str, seconds: float) -> None:
    times.setdefault(tool, []).append(seconds)


def _timed(call: Callable[[str], object], query: str) -> float:
    begun = perf_counter()
    call(query)
    return perf_counter() - begun


def _medians(times: Mapping[str, Sequence[float]]) -> Json:
    return {tool: {"median": median(found), "runs": len(found)} for tool, found in times.items()}


def _cold(checkout: Checkout, place: Place, query: str, settings: Settings) -> Json:
    """Indexing from nothing, and after a fresh clone with the cache of the same or an earlier commit."""
    repeats = 1 if settings.quick else COLD_TIMES
    commands = _commands(place, query, settings, index_only=True)
    clone_at(checkout.clone, place.clone, checkout.commit)
    found = {"index from nothing": _alternate(commands, place, repeats, place.forget)}
    for name, back in {"fresh clone, same commit": 0, f"fresh clone, {EARLIER} commits later": EARLIER}.items():
        earlier = _before(checkout, back)
        if earlier is None:
            continue
        clone_at(checkout.clone, place.clone, earlier)
        for tool, command in commands.items():
            place.forget(tool)
            _run(command, place, tool)
            place.keep(tool)

        def renew(tool: str) -> None:
            clone_at(checkout.clone, place.clone, checkout.commit)
            place.restore(tool)

        found[name] = _alternate(commands, place, repeats, renew)
    return found


def _before(checkout: Checkout, back: int) -> str | None:
    """The commit that many first parents before; None where history does not reach so far."""
    try:
        return git(checkout.clone, "rev-parse", "--verify", "--quiet", f"{checkout.commit}~{back}")
    except subprocess.CalledProcessError:
        return None


def _processes(place: Place, cases: Sequence[SymbolCase], settings: Settings) -> Json:
    """Whole commands while everything is cached and nothing has changed."""
    repeats = 1 if settings.quick else TIMES
    commands = _commands(place, cases[0].query, settings, index_only=False)
    helps = {tool: [_script(tool), "--help"] for tool in commands}
    builds = {OURS: _build(place, cases)}
    return {
        "question, whole command": _alternate(commands, place, repeats),
        "build, nothing changed": _alternate(builds, place, repeats),
        "--help": _alternate(helps, place, repeats),
    }


def _commands(place: Place, query: str, settings: Settings, *, index_only: bool) -> dict[str, list[str]]:
    """The commands that ask one question; semble has none that only indexes."""
    repo = ["--repo", str(place.clone)]
    ours = [_script(OURS), *(["index"] if index_only else ["query", query]), *repo]
    commands = {OURS: ours}
    if settings.peers:
        commands[PEER] = [_script(PEER), "search", query, str(place.clone), "--top-k", str(RESULTS)]
    return commands


def _build(place: Place, cases: Sequence[SymbolCase]) -> list[str]:
    """A batch job over a few questions."""
    config = place.work / "questions.yaml"
    asks = [f"  - id: question-{at}\n    ask: {json.dumps(case.query)}\n" for at, case in enumerate(cases)]
    config.write_text(_CONFIG + "".join(asks), encoding="utf-8")
    folders = ["--repo", str(place.clone), "--out", str(place.work / "packs")]
    return [_script(OURS), "build", "--config", str(config), *folders]


def _script(tool: str) -> str:
    return str(Path(sysconfig.get_path("scripts")) / tool)


def _alternate(
    commands: Mapping[str, list[str]], place: Place, repeats: int, before: Callable[[str], None] | None = None
) -> Json:
    """Run the commands in turns. `before` prepares each run; without it a first run that does not count does."""
    times: dict[str, list[float]] = {}
    for turn in range(repeats + (before is None)):
        for tool, command in commands.items():
            if before is not None:
                before(tool)
            seconds = _run(command, place, tool)
            if before is not None or turn:
                _add(times, tool, seconds)
        if sum(map(sum, times.values())) > LONGEST_SECONDS:
            break
    return _medians(times)


def _run(command: Sequence[str], place: Place, tool: str) -> float:
    begun = perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=place.environment(tool), cwd=place.work)
    return perf_counter() - begun


def tables(run: Json) -> list[Table]:
    """One row for each measurement, one column for each repository: ours, the peer's, how many times ours that is."""
    results: Json = run["results"]
    rows = list(dict.fromkeys(name for found in results.values() for name in found))
    cells = tuple((row, *(_cell(found.get(row, {})) for found in results.values())) for row in rows)
    note = "semble has no command that only indexes: its time is that of a search. It has no counterpart of `build`."
    return [Table(f"Seconds, medians: {OURS} / {PEER} (ratio)", ("", *results), cells, note)]


def _cell(found: Json) -> str:
    if OURS not in found:
        return ""
    ours = found[OURS]["median"]
    if PEER not in found:
        return f"{_seconds(ours)}"
    theirs = found[PEER]["median"]
    return f"{_seconds(ours)} / {_seconds(theirs)} ({theirs / ours:.1f}×)"


def _seconds(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"

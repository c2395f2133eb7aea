"""``python -m benchmarks COMMAND``: options become settings, a command makes a run, its tables are printed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import cochange, made, ranking, report, sessions, speed, symbols, tau
from benchmarks.report import Json, Table
from benchmarks.settings import Settings, prepare, tell

COMMANDS: dict[str, tuple[Callable[[Settings], Json], Callable[[Json], list[Table]]]] = {
    "symbols": (symbols.run, symbols.tables),
    "ranking": (ranking.run, ranking.tables),
    "tau": (tau.run, tau.tables),
    "cochange": (cochange.run, cochange.tables),
    "sessions": (sessions.run, sessions.tables),
    "speed": (speed.run, speed.tables),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 2 if there was nothing to run."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "table":
        _print([run for file in options.files for run in report.load(file)])
        return 0
    if options.pypi is None and not (options.repos and options.cases):
        parser.error("name clones and cases with --repos and --cases, or a folder of source packages with --pypi")
    with tempfile.TemporaryDirectory(prefix="tobler-pack-benchmarks-") as scratch:
        runs = _run(options, (options.work or Path(scratch)).resolve())
    if options.out is not None:
        _save(runs, options.out)
    _print(runs)
    if any(run["repositories"] for run in runs):
        return 0
    tell("nothing was measured: no repository of the cases is in --repos with the commit of its cases")
    return 2


def _run(options: argparse.Namespace, work: Path) -> list[Json]:
    prepare(work)
    repos, cases = options.repos, options.cases
    if options.pypi is not None:
        repository_folder, cases = made.make(options.pypi, work)
        repos = [repository_folder]
    settings = Settings(
        repos=tuple(path.resolve() for path in repos),
        cases=cases,
        work=work,
        budgets=tuple(options.budget or (2000,)),
        only=tuple(options.only or ()),
        every=options.all,
        peers=not options.no_peers,
        quick=options.quick,
    )
    names = list(COMMANDS) if options.command == "all" else [options.command]
    runs = [COMMANDS[name][0](settings) for name in names]
    if settings.skipped:
        tell(f"not among the clones, so left out: {', '.join(sorted(settings.skipped))}")
    return runs


def _save(runs: Sequence[Json], out: Path) -> None:
    report.save(runs, out)
    for run in runs:
        if run["command"] == "tau":
            out.with_suffix(".csv").write_text(tau.as_csv(run), encoding="utf-8")


def _print(runs: Sequence[Json]) -> None:
    for run in runs:
        for table in COMMANDS[run["command"]][1](run):
            if table.rows:
                print(table.markdown())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure tobler-pack and its peers.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in (*COMMANDS, "all"):
        one = commands.add_parser(name)
        one.add_argument("--repos", type=Path, action="append", help="folder of clones; may be repeated")
        one.add_argument("--cases", type=Path, help="folder of cases, see README.md")
        one.add_argument("--pypi", type=Path, help="instead of both: a folder of Python source packages")
        one.add_argument("--out", type=Path, metavar="FILE.json", help="write the results to this file")
        one.add_argument("--work", type=Path, help="keep indexes here for the next run; by default a temporary folder")
        one.add_argument("--budget", type=int, action="append", help="tokens; may be repeated (default 2000)")
        one.add_argument("--only", action="append", metavar="NAME", help="only this repository; may be repeated")
        one.add_argument("--all", action="store_true", help="every repository of repos.json that there is a clone of")
        one.add_argument("--no-peers", action="store_true", help="only tobler-pack")
        one.add_argument("--quick", action="store_true", help="a few cases of a few repositories")
    table = commands.add_parser("table", help="print the tables of earlier runs")
    table.add_argument("files", type=Path, nargs="+", metavar="FILE.json")
    return parser


if __name__ == "__main__":
    sys.exit(main())

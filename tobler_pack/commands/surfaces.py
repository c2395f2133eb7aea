"""The commands about dials: surfaces, tune, history, telemetry, migrate, calibrate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tobler_pack.commands.options import ConfigFile, Repo, config_or_default, load, print_text, shown
from tobler_pack.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from tobler_pack.surfaces.calibration import Curve
    from tobler_pack.surfaces.log import Log
    from tobler_pack.surfaces.registry import Dial, Registry
    from tobler_pack.surfaces.tuning import Move
    from tobler_pack.workspace import Workspace

Format = Annotated[str, typer.Option("--format", help="text, or json for programs.")]
Reason = Annotated[str | None, typer.Option("--reason", help="What was read and what it showed.")]
From = Annotated[
    Path | None, typer.Option("--from", help="Read the logs below this folder, for example downloaded artifacts.")
]

NOT_RELEVANCE = (
    "A floor saves cost and judges nothing: mass under the bar is not relevance, and neither is mass over it. Open the "
    "samples before you move a dial."
)


def surfaces(config: ConfigFile = None, format_: Format = "text", repo: Repo = None) -> None:
    """List the surfaces: what each asks, over what, how often, and its dials with reason and calibration."""
    from tobler_pack.surfaces.registry import open_registry

    _check(format_)
    registry = open_registry(open_workspace(repo, config))
    if format_ == "json":
        _print_json(listing(registry))
        return
    for name in registry.names():
        dials = registry.dials(name)
        typer.echo(name)
        typer.echo(f"  asks   {dials.asks or '(not said)'}")
        typer.echo(f"  over   {', '.join(content.value for content in dials.over)}")
        typer.echo(f"  fires  {dials.fires or '(not said)'}")
        _echo(_dial_lines(dials.floor))
        _echo(_dial_lines(dials.budget))
        own = sum(one.surface == name and one.budget is not None for one in registry.config.queries)
        if own:
            typer.echo(f"         of its questions, {own} with a budget of its own")
    typer.echo("everywhere")
    _echo(_dial_lines(registry.tau()))
    typer.echo("in force is the first of: command-line option, tuning history, configuration, shipped starting point")


def listing(registry: Registry) -> dict[str, Any]:
    """All surfaces for programs."""
    return {
        "precedence": ["option", "tuning", "configuration", "shipped"],
        "stamp": dict(registry.stamp),
        "surfaces": [registry.dials(name).as_json() for name in registry.names()],
        "tau": registry.tau().as_json(),
    }


def tune(
    surface: Annotated[str, typer.Argument(help="pull-request, commit, batch or one of your own.")],
    dial: Annotated[str, typer.Argument(help="floor or budget.")],
    value: Annotated[str, typer.Argument(help="Its new value; one outside of the range is clamped.")],
    reason: Reason = None,
    actor: Annotated[str, typer.Option("--actor", help="Who moves it: human or model.")] = "human",
    config: ConfigFile = None,
    format_: Format = "text",
    repo: Repo = None,
) -> None:
    """Move a dial, with a reason, and write it to .tobler-pack/tuning.jsonl, which is committed."""
    from tobler_pack.surfaces.attributes import is_kept
    from tobler_pack.surfaces.dials import kind_of, read_value
    from tobler_pack.surfaces.registry import tune as move_dial
    from tobler_pack.surfaces.tuning import ATTRIBUTE, HUMAN, MODEL, PLACE

    _check(format_)
    if actor not in (HUMAN, MODEL):
        raise UsageError(f"--actor {actor}: take human or model")
    asked = read_value(kind_of(surface, dial), value)
    workspace = open_workspace(repo, config)
    move = move_dial(workspace, surface, dial, asked, reason or "", actor)
    if format_ == "json":
        _print_json(move.as_json())
        return
    typer.echo(moved(move))
    typer.echo(f"written to {PLACE}; commit it with what it is about")
    if workspace.repository.root is not None and not is_kept(workspace.repository.root):
        typer.echo(f"for merges without conflicts, .gitattributes wants this line: {ATTRIBUTE}")


def moved(move: Move) -> str:
    """A move in one line."""
    clamp = f" (asked for {_plain(move.asked)}; clamped to the end of its range)" if move.clamped else ""
    old = "?" if move.old is None else _plain(move.old)
    return f"{move.surface} {move.dial} {old} → {_plain(move.set)}{clamp}"


def _plain(value: float) -> str:
    """A value of a dial: tokens whole, cosines as short as they are."""
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def history(
    surface: Annotated[str | None, typer.Argument(help="Only this surface.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many moves, at most 200.")] = 20,
    config: ConfigFile = None,
    format_: Format = "text",
    repo: Repo = None,
) -> None:
    """Show who moved which dial and why, newest first."""
    from tobler_pack.surfaces import tuning
    from tobler_pack.surfaces.dials import EVERYWHERE, check_surface
    from tobler_pack.surfaces.registry import open_registry

    _check(format_)
    registry = open_registry(open_workspace(repo, config))
    if surface is not None:
        gone = [move.surface for move in registry.history.moves]
        check_surface(surface, dict.fromkeys([*registry.names(), EVERYWHERE, *gone]))
    moves = tuning.newest(registry.history, surface, limit)
    if format_ == "json":
        _print_json({"moves": [move.as_json() for move in moves]})
        return
    for move in moves:
        typer.echo(f"{move.when}  {moved(move)}  ({move.actor})")
        typer.echo(f"  {move.reason}")
    if not moves:
        typer.echo("no dial was moved yet")


def telemetry(
    days: Annotated[int | None, typer.Option("--days", min=1, help="Only calls of the last N days.")] = None,
    samples: Annotated[
        int, typer.Option("--near-miss-samples", min=0, max=100, help="Near misses to name for each surface.")
    ] = 5,
    from_: From = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Copy the log to this folder instead, for an artifact.")
    ] = None,
    format_: Format = "text",
    repo: Repo = None,
) -> None:
    """Show what each surface's floor and budget did, with near misses to open."""
    from tobler_pack.surfaces import log
    from tobler_pack.surfaces.telemetry import report as of_surfaces

    _check(format_)
    if to is not None:
        copied = log.copy(_log_folder(repo), to)
        typer.echo(f"{copied} files copied to {shown(to)}")
        return
    read = read_log(repo, from_, days)
    report = of_surfaces(read, samples)
    if format_ == "json":
        _print_json({"note": NOT_RELEVANCE, "unreadable": read.unreadable, "surfaces": report})
        return
    for one in report:
        _echo(_surface_lines(one))
    if not report:
        typer.echo("no call is logged; type: tobler-pack build")
    if read.unreadable:
        typer.echo(f"{read.unreadable} lines of the log cannot be read and are left out")
    typer.echo(NOT_RELEVANCE)


def migrate(
    surface: Annotated[str, typer.Argument(help="Whose floor is carried over.")],
    sample: Annotated[int, typer.Option("--sample", min=1, max=10_000, help="Logged calls to score again.")] = 200,
    apply: Annotated[bool, typer.Option("--apply", help="Write the proposal to the tuning history.")] = False,
    from_: From = None,
    config: ConfigFile = None,
    format_: Format = "text",
    repo: Repo = None,
) -> None:
    """Carry a floor across a change of model or chunking by keeping the share that it admits; a dry run by default."""
    from tobler_pack.surfaces import migration
    from tobler_pack.surfaces.registry import open_registry

    _check(format_)
    workspace = open_workspace(repo, config)
    findings = migration.find(workspace, open_registry(workspace), surface, read_log(repo, from_, None), sample)
    move = migration.apply(workspace, findings) if apply and findings.proposal is not None else None
    if format_ == "json":
        _print_json({**findings.as_json(), "applied": None if move is None else move.as_json()})
    else:
        _echo(migration.summary(findings))
        if move is not None:
            typer.echo(f"written; undo it with: tobler-pack tune {surface} floor {findings.old:g} --reason TEXT")
        elif findings.proposal is not None:
            typer.echo("nothing is written; to write it, add --apply")
    if findings.proposal is None:
        raise typer.Exit(1)


def calibrate(
    curve: Annotated[Path | None, typer.Option("--curve", help="Draw the curve to this .svg or .csv file.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Put the proposal in force; needs --reason.")] = False,
    reason: Reason = None,
    from_: From = None,
    config: ConfigFile = None,
    format_: Format = "text",
    repo: Repo = None,
) -> None:
    """Sweep τ over the repository's own questions and the logged ones; writes nothing unless told to."""
    from tobler_pack.packs import writer
    from tobler_pack.surfaces import calibration, tuning
    from tobler_pack.surfaces.dials import EVERYWHERE, TAU
    from tobler_pack.surfaces.registry import open_registry
    from tobler_pack.surfaces.registry import tune as move_dial

    _check(format_)
    if curve is not None and curve.suffix not in (".svg", ".csv"):
        raise UsageError(f"--curve {curve}: name a file that ends in .svg or .csv")
    if apply:
        tuning.checked_reason(reason or "")
    workspace = open_workspace(repo, config)
    registry = open_registry(workspace)
    found = calibration.sweep(workspace, registry, calibration.questions(registry, read_log(repo, from_, None)))
    if curve is not None:
        writer.replace(curve, calibration.as_svg(found) if curve.suffix == ".svg" else calibration.as_csv(found))
    move = None
    if apply and found.peak is not None:
        move = move_dial(workspace, EVERYWHERE, TAU.name, found.peak, reason or "", tuning.HUMAN)
    if format_ == "json":
        _print_json({**found.as_json(), "applied": None if move is None else move.as_json()})
    else:
        _echo(calibration.drawn(found) if found.questions > 1 else ())
        _echo(_proposal_lines(found, move, curve))
    if found.peak is None:
        raise typer.Exit(1)


def _proposal_lines(found: Curve, move: Move | None, curve: Path | None) -> Iterator[str]:
    yield from (f"note: {note}" for note in found.notes)
    if curve is not None:
        yield f"the curve is in {shown(curve)}"
    if found.peak is None:
        yield f"τ stays {found.in_force:g}: no proposal"
        return
    yield f"proposal: τ={found.peak:g}; in force: τ={found.in_force:g}"
    yield moved(move) if move is not None else "nothing is written; to put it in force, add --apply --reason TEXT"


def _surface_lines(one: dict[str, Any]) -> Iterator[str]:
    near, budget = one["near_misses"], one["budget"]
    yield one["surface"] or "(asked by hand)"
    floors = ", ".join(f"{floor:g}" for floor in one["floors"])
    yield f"  calls        {one['calls']}, {one['from_cache']} of them from the cache; floor {floors}"
    yield f"  admitted     {_percent(one['admitted'])} of the chunks, {one['carried']} of them by an identifier alone"
    if near["count"]:
        yield f"  near misses  {near['count']} logged, p50 {near['p50']:.4f}, p90 {near['p90']:.4f}"
    else:
        yield "  near misses  none: nothing was refused"
    for miss in near["samples"]:
        yield f"    {miss['score']:.4f}  {miss['path']}:{miss['lines'][0]}-{miss['lines'][1]}  {_short(miss['query'])}"
    tried = ", ".join(
        f"{floor} → {_percent(share)}" for floor, share in one["would_admit"].items() if share is not None
    )
    if tried:
        yield f"  admitted by  a floor of {tried}"
    budgets = ", ".join(f"{one:,}" for one in budget["budgets"])
    yield (
        f"  budget       {budgets}; used p50 {budget['tokens_p50']:,.0f}; hidden mass p50 {budget['epsilon_p50']:.2f}, "
        f"p90 {budget['epsilon_p90']:.2f}; N_eff p50 {budget['n_eff_p50']:,.1f}"
    )


def _short(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= 60 else line[:59] + "…"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _dial_lines(dial: Dial) -> Iterator[str]:
    over = [f"{one.source.value} says {one.value:g}" for one in dial.settings[1:]]
    told = f" ({'; '.join([f'from {dial.source.value}', *over])})"
    yield f"  {dial.kind.name:<6} {dial.value:g}{told}"
    if dial.move is not None:
        yield f"         {dial.move.reason} ({dial.move.actor}, {dial.move.when[:10]})"
    if words := dial.calibration.in_words():
        yield f"         {words}"


def open_workspace(repo: Path | None, config: Path | None) -> Workspace:
    """The work tree under a configuration; of a bare repository its HEAD."""
    from tobler_pack.corpus.tree import WORKTREE
    from tobler_pack.workspace import Workspace, find_repository

    repository = find_repository(repo)
    loaded = load(repository, config) if config is not None else config_or_default(repository)
    return Workspace.open(repository, loaded, WORKTREE if repository.root is not None else "HEAD")


def _log_folder(repo: Path | None) -> Path:
    from tobler_pack.surfaces.log import folder_of
    from tobler_pack.workspace import find_repository

    return folder_of(find_repository(repo).common_dir)


def read_log(repo: Path | None, from_: Path | None, days: int | None) -> Log:
    """The telemetry of a repository, or what lies below a folder."""
    from tobler_pack.surfaces import log

    if from_ is not None and not from_.is_dir():
        raise EnvironmentProblem(f"--from {from_}: there is no such folder; name the one with the downloaded logs")
    return log.read(from_ if from_ is not None else _log_folder(repo), days)


def _check(format_: str) -> None:
    if format_ not in ("text", "json"):
        raise UsageError(f"--format {format_}: unknown format; use text or json")


def _print_json(value: dict[str, Any]) -> None:
    from tobler_pack.packs.manifest import to_json

    print_text(to_json(value))


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)

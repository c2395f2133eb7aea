"""One use of the action in a job: what it was given, where it works, what one step leaves to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tobler_pack.ci import workflow
from tobler_pack.ci.event import Event, read_event
from tobler_pack.ci.inputs import DEFAULT_ARTIFACT, Inputs, Mode, read_inputs
from tobler_pack.ci.reading import Manifest, PackInfo, read_manifest
from tobler_pack.errors import EnvironmentProblem

MANIFEST = "manifest.json"
TOKEN = "TOBLER_PACK_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True)
class Places:
    """Where the action works: below the runner's temporary folder, apart for each comment id."""

    root: Path
    work_tree: Path

    @property
    def packs(self) -> Path:
        """What becomes the artifact."""
        return self.root / "packs"

    @property
    def manifest(self) -> Path:
        """The manifest, beside the packs."""
        return self.packs / MANIFEST

    @property
    def cache(self) -> Path:
        """The cache of the program, kept from run to run; all uses in a job share it."""
        return self.root.parent / "cache"

    @property
    def state(self) -> Path:
        """What the step `run` found out."""
        return self.root / "state.json"


@dataclass(frozen=True, slots=True)
class State:
    """What the step `run` found out. `problem` says why there are no packs although nobody made a mistake."""

    problem: str = ""
    stale: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Job:
    """One use of the action in a job."""

    inputs: Inputs
    event: Event
    places: Places
    variables: Mapping[str, str]
    annotations: workflow.Annotations

    @property
    def is_diff(self) -> bool:
        """Whether the pack of a change is wanted, and not those of the configuration."""
        return self.inputs.mode is Mode.DIFF or (self.inputs.mode is Mode.AUTO and self.event.pull is not None)

    @property
    def artifact(self) -> str:
        """The artifact's name; in a matrix each job needs another one."""
        number, jobs = (self.variables.get(f"TOBLER_PACK_{name}", "") for name in ("JOB_INDEX", "JOB_TOTAL"))
        is_one_of_many = number.isdecimal() and jobs.isdecimal() and int(jobs) > 1
        name = self.inputs.artifact_name
        return f"{name}-{int(number) + 1}" if is_one_of_many and name == DEFAULT_ARTIFACT else name


def open_job(variables: Mapping[str, str], annotations: workflow.Annotations) -> Job:
    """Read what the action was given.

    Raises UsageError for wrong inputs, EnvironmentProblem outside of GitHub Actions.
    """
    inputs = read_inputs(variables)
    return Job(inputs, read_event(variables), places_of(variables, inputs.comment_id), variables, annotations)


def places_of(variables: Mapping[str, str], name: str) -> Places:
    """The folders of one use."""
    scratch, work_tree = variables.get("RUNNER_TEMP", ""), variables.get("GITHUB_WORKSPACE", "")
    if not scratch or not work_tree:
        raise EnvironmentProblem("RUNNER_TEMP and GITHUB_WORKSPACE are not set; this runs inside GitHub Actions only")
    return Places(Path(scratch) / "tobler-pack" / f"use-{name}", Path(work_tree))


def made(places: Places) -> Manifest:
    """The manifest of this run; an empty one where no pack was made."""
    return read_manifest(places.manifest) if places.manifest.exists() else Manifest("", ())


def pack_bytes(places: Places, pack: PackInfo) -> bytes:
    """A pack of this run; empty if there is no such file."""
    with suppress(OSError):
        return (places.packs / Path(pack.file).name).read_bytes()
    return b""


def leave(places: Places, state: State) -> None:
    """Keep what the step `run` found out."""
    places.state.write_text(json.dumps(asdict(state)), encoding="utf-8")


def left(places: Places) -> State:
    """What the step `run` found out."""
    with suppress(OSError, ValueError, TypeError):
        return State(**json.loads(places.state.read_text(encoding="utf-8")))
    return State(problem="the step that makes packs did not end")

"""The first steps of the GitHub Action: prepare what the others need, then make the packs.

A job turns red for the user's own mistakes (inputs, configuration) and for what `fail-on` names, for nothing else:
neither a read-only token nor a busy server nor a commit that cannot be fetched is the fault of a change.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tobler_pack.ci import workflow
from tobler_pack.ci.history import ends_of
from tobler_pack.ci.job import TOKEN, Job, State, leave, made, pack_bytes
from tobler_pack.ci.reading import Manifest
from tobler_pack.ci.run import Done, tobler_pack
from tobler_pack.corpus.place import digest
from tobler_pack.errors import UsageError
from tobler_pack.revision import code_digest


def prepare(job: Job) -> None:
    """Check the inputs and say where things are; nothing of an earlier use in this job is left."""
    shutil.rmtree(job.places.root, ignore_errors=True)
    job.places.packs.mkdir(parents=True)
    job.places.cache.mkdir(parents=True, exist_ok=True)
    key, *nearest = cache_keys(job)
    workflow.set_outputs(
        {
            "cache": "true" if job.inputs.cache else "false",
            "cache-path": str(job.places.cache),
            "cache-key": key,
            "cache-restore-keys": "\n".join(nearest),
            "packs-folder": str(job.places.packs),
            "artifact-name": job.artifact,
            "retention-days": str(job.inputs.retention_days),
        },
        job.variables,
    )


def cache_keys(job: Job) -> list[str]:
    """The key of this run's cache, then beginnings of keys whose newest entry is the next best.

    What is kept is found by content and knows its own format, so an entry of any other commit, branch or version of
    this program serves as far as it fits. Only the whole key names the version: an entry is never written twice.
    """
    system = "-".join(job.variables.get(name, "any") for name in ("RUNNER_OS", "RUNNER_ARCH"))
    kind = f"tobler-pack-{system}-"
    use = f"{kind}{digest(job.inputs.config + job.inputs.comment_id)[:8]}-"
    return [f"{use}{code_digest()[:8]}-{job.event.sha}", use, kind]


def run(job: Job) -> None:
    """Make the packs. Raises UsageError for the user's mistakes; other failures become a warning."""
    workflow.set_outputs(_outputs(job, Manifest("", ()), ()), job.variables)  # they are there if this step fails, too
    if not (job.places.work_tree / ".git").exists():
        raise UsageError("there is no checkout in this job; add a step with actions/checkout before this one")
    begun = time.time()
    problem = _diff(job) if job.is_diff else _build(job)
    forget_unused(job.places.cache, begun)
    manifest = made(job.places)
    stale = [] if job.is_diff or problem else stale_packs(job, manifest)
    leave(job.places, State(problem, stale))
    workflow.set_outputs(_outputs(job, manifest, stale), job.variables)
    if problem:
        job.annotations.warning(f"{problem}; no packs were made")
        return
    for name in stale:
        job.annotations.warning(f"the committed copy of {name} is stale; type: tobler-pack build")
    size = f"{len(manifest.packs)} pack(s), {manifest.tokens} tokens, largest ε {manifest.largest_epsilon:.2f}"
    job.annotations.notice(size)


def _diff(job: Job) -> str:
    base, head = job.inputs.base, job.inputs.head
    if job.event.pull is not None and not (base and head):
        token = job.variables.get(TOKEN, "")
        ends = ends_of(job.places.work_tree, job.event.pull, token, job.event.server)
        if ends.problem and not base:
            return ends.problem
        base, head = base or ends.base, head or ends.head
    if not base:
        raise UsageError("mode diff needs `base` outside of a pull request, for example base: origin/main")
    arguments = ["diff", f"--base={base}", f"--head={head or 'HEAD'}"]
    if job.inputs.budget is not None:
        arguments.append(f"--budget={job.inputs.budget}")
    return _ask(job, arguments)


def _build(job: Job) -> str:
    if job.inputs.budget is not None:
        job.annotations.warning("`budget` is for the pack of a change; questions have theirs in the configuration")
    return _ask(job, ["build"])


def _ask(job: Job, arguments: list[str]) -> str:
    """Run the command; why it failed, empty if it did not. Raises UsageError if the user's mistake was why."""
    if job.inputs.config:
        arguments.append(f"--config={job.inputs.config}")
    arguments += [f"--out={job.places.packs}", f"--manifest={job.places.manifest}"]
    done = tobler_pack(arguments, job.places.work_tree, job.places.cache)
    workflow.show(done.out)
    if done.code == UsageError.exit_code:
        raise UsageError(_said(done))
    if done.code:
        return _said(done)
    for line in done.err.splitlines():
        job.annotations.notice(line.removeprefix("tobler-pack: "))
    return ""


def _said(done: Done) -> str:
    text = done.err.strip().removeprefix("tobler-pack: ")
    return text[-1_000:] or f"tobler-pack ended with code {done.code} and said nothing"


def forget_unused(cache: Path, since: float) -> None:
    """Remove from the cache what this run did not use: each entry is saved whole, and would grow from run to run."""
    for place in [*cache.glob("index-*/*/*"), *cache.glob("packs-*/*")]:
        with suppress(OSError):
            if place.stat().st_mtime < since - 1:
                shutil.rmtree(place) if place.is_dir() else place.unlink()


def stale_packs(job: Job, manifest: Manifest) -> list[str]:
    """The packs whose committed copy differs, or is missing where others are committed."""
    from tobler_pack.corpus.tree import WORKTREE, Repository
    from tobler_pack.sources.config import DEFAULT_NAME, load_config

    repository = Repository(job.places.work_tree)
    if repository.root is None:
        return []
    config = load_config(job.places.work_tree / (job.inputs.config or DEFAULT_NAME))
    tracked = {entry.path: entry.blob for entry in repository.snapshot(WORKTREE).entries}
    committed = {pack.id: tracked.get(f"{config.out}/{pack.file}") for pack in manifest.packs}
    if not any(committed.values()):
        return []
    fresh = {pack.id: repository.blob_id(pack_bytes(job.places, pack)) for pack in manifest.packs}
    return [name for name, blob in committed.items() if blob != fresh[name]]


def _outputs(job: Job, manifest: Manifest, stale: Sequence[str]) -> dict[str, str]:
    return {
        "packs-folder": str(job.places.packs),
        "manifest": str(job.places.manifest) if job.places.manifest.exists() else "",
        "packs": str(len(manifest.packs)),
        "tokens": str(manifest.tokens),
        "largest-epsilon": f"{manifest.largest_epsilon:.4f}",
        "stale": "true" if stale else "false",
    }

"""The last steps of the GitHub Action: the summary and the comment, and the comment for the run of another workflow."""

from __future__ import annotations

from collections.abc import Iterator

from tobler_pack.ci import workflow
from tobler_pack.ci.api import Api, ApiError
from tobler_pack.ci.comment import Whereabouts, comment, marker
from tobler_pack.ci.event import Event
from tobler_pack.ci.inputs import Inputs, Reason
from tobler_pack.ci.job import TOKEN, Job, State, left, made, pack_bytes
from tobler_pack.ci.reading import Manifest, read_manifest
from tobler_pack.ci.sticky import stick
from tobler_pack.ci.summary import summary
from tobler_pack.errors import UsageError


def report(job: Job) -> list[str]:
    """Write summary and comment; the reasons for which the job is to fail."""
    state, manifest = left(job.places), made(job.places)
    if job.inputs.summary:
        texts = {pack.id: pack_bytes(job.places, pack).decode("utf-8", "replace") for pack in manifest.packs}
        note = f"No pack could be made: `{state.problem.replace('`', chr(39))}`" if state.problem else ""
        workflow.write_summary(summary(manifest, texts, state.stale, " ".join(note.split())), job.variables)
    if job.inputs.comment and job.event.pull is not None and not state.problem:
        number = _comment(job, manifest)
        workflow.set_outputs({"comment-id": "" if number is None else str(number)}, job.variables)
    return list(_reasons(job.inputs, state, manifest))


def _comment(job: Job, manifest: Manifest) -> int | None:
    """Write the comment; where GitHub does not let us, say so: artifact and summary are there all the same."""
    assert job.event.pull is not None
    where = Whereabouts(
        f"{job.event.server}/{job.event.repository}",
        job.event.pull.head_sha if job.is_diff else "",
        job.artifact,
        _artifact_url(job),
    )
    body = comment(manifest, job.inputs.comment_id, where)
    api = Api.of_run(job.variables, job.variables.get(TOKEN, ""))
    mark = marker(job.inputs.comment_id)
    try:
        return stick(api, job.event.repository, job.event.pull.number, mark, body, create=bool(manifest.packs))
    except ApiError as error:
        job.annotations.warning(f"the comment could not be written ({error}); {_remedy(error, job.event)}")
        return None


def _remedy(error: ApiError, event: Event) -> str:
    if error.status in (401, 403, 404):
        if event.pull is not None and event.pull.is_fork:
            return "a fork's token may only read (README: Comments on forks); summary and artifact are there"
        return "give the job `permissions: {pull-requests: write}`; summary and artifact are there"
    return "the next run writes it; summary and artifact are there"


def _artifact_url(job: Job) -> str:
    """The artifact's own page where the upload named it, else the page of the run."""
    named = job.variables.get("TOBLER_PACK_ARTIFACT_URL", "")
    is_ours = named.startswith(f"{job.event.server}/{job.event.repository}/") and named.isprintable()
    return named if is_ours and not set(named) & set(" ()<>") else job.event.run_url(job.event.run_id)


def _reasons(inputs: Inputs, state: State, manifest: Manifest) -> Iterator[str]:
    if Reason.STALE in inputs.fail_on and state.stale:
        yield f"fail-on stale: committed copies are old or missing: {', '.join(state.stale)}; type: tobler-pack build"
    if Reason.TRUNCATED in inputs.fail_on and any(pack.is_truncated for pack in manifest.packs):
        yield f"fail-on truncated: a pack hides {manifest.largest_epsilon:.0%} of the weight; raise its budget"
    if Reason.PROBLEM in inputs.fail_on and state.problem:
        yield f"fail-on problem: {state.problem}"


def post(job: Job) -> None:
    """Comment for the run of another workflow, from its artifact, which a stranger may have made.

    Only the manifest is read, as plain values. Which pull request it belongs to is asked of GitHub and never taken from
    the artifact: an open one from the branch and with the very commit that the run looked at.
    """
    finished = job.event.finished
    if finished is None:
        raise UsageError("this is for the event workflow_run after a workflow on pull_request; see README")
    if not job.places.manifest.exists():
        job.annotations.notice("the run before left no packs; nothing to comment on")
        return
    try:
        manifest = read_manifest(job.places.manifest)
    except UsageError as error:
        job.annotations.warning(f"{error}; whoever opened the pull request may have made it")
        return
    api = Api.of_run(job.variables, job.variables.get(TOKEN, ""))
    where = Whereabouts(
        f"{job.event.server}/{job.event.repository}",
        finished.head_sha,
        job.inputs.artifact_name,
        job.event.run_url(finished.run_id),
    )
    body = comment(manifest, job.inputs.comment_id, where)
    try:
        found = api.open_pulls(job.event.repository, finished.head_owner, finished.head_branch)
        numbers = [int(pull["number"]) for pull in found if pull["head"]["sha"] == finished.head_sha]
        for number in numbers:
            mark = marker(job.inputs.comment_id)
            written = stick(api, job.event.repository, number, mark, body, create=bool(manifest.packs))
            workflow.set_outputs({"comment-id": "" if written is None else str(written)}, job.variables)
        if not numbers:
            job.annotations.notice("no open pull request has this commit any more; nothing to comment on")
    except (ApiError, KeyError, TypeError, ValueError) as error:
        job.annotations.warning(f"the comment could not be written ({error})")

"""Why a block stands in the pack of a change, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tobler_pack.evidence.change_blend import Evidence
from tobler_pack.evidence.changed import ChangedDefinition
from tobler_pack.evidence.kin import is_test, subject

Span = Callable[[str], str]
"""Writes a name so that it stays what it is in markdown."""

_SECOND = 0.6  # a second reason is named if it weighs at least this share of the first


def reason(
    path: str,
    chunks: Sequence[int],
    evidence: Evidence,
    changed: Sequence[ChangedDefinition],
    given: Sequence[str],
    span: Span,
) -> str:
    """One or two reasons for a block of some chunks of a file, the weightiest first."""
    weights = {name: max((float(voice[at]) for at in chunks), default=0.0) for name, voice in evidence.voices.items()}
    told: list[str] = []
    first = 0.0
    for name in sorted(weights, key=lambda one: (-weights[one], one)):
        if weights[name] <= 0 or (told and weights[name] < _SECOND * first):
            break
        words = _words(name, path, chunks, evidence, changed, given, span)
        if words and words not in told:
            first = first or weights[name]
            told.append(words)
        if len(told) == 2:
            break
    return "; ".join(told) or "near the change"


def _words(
    name: str,
    path: str,
    chunks: Sequence[int],
    evidence: Evidence,
    changed: Sequence[ChangedDefinition],
    given: Sequence[str],
    span: Span,
) -> str:
    if name == "users":
        found = [evidence.users[at] for at in chunks if at in evidence.users]
        best = max(found, key=lambda one: (one.weight, one.name), default=None)
        return f"uses {span(best.name)}, changed here" if best is not None else ""
    if name == "used":
        found = [evidence.used[at] for at in chunks if at in evidence.used]
        best = max(found, key=lambda one: (one.weight, one.name), default=None)
        return f"defines {span(best.name)}, which the change uses" if best is not None else ""
    if name == "history":
        one = evidence.companions.get(path)
        if one is None:
            return ""
        return f"changed together with {span(_short(one.given))} in {one.together} of its last {one.changes} commits"
    if name == "kin":
        return _kin(path, given, span)
    if name == "subject":
        return "answers to the words of the commits"
    return "similar to the change"


def _kin(path: str, given: Sequence[str], span: Span) -> str:
    topic = subject(path)
    twins = [one for one in given if subject(one) == topic and one != path]
    if not twins:
        return ""
    if is_test(path) and not is_test(twins[0]):
        return f"test of {span(_short(twins[0]))}"
    if is_test(twins[0]) and not is_test(path):
        return f"tested by {span(_short(twins[0]))}"
    return f"twin of {span(twins[0])}"


def _short(path: str) -> str:
    return path.rsplit("/", 1)[-1]

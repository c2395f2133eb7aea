"""Why a block stands in the pack of a change, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tobler_pack.evidence.change_blend import WEIGHTS, Evidence
from tobler_pack.evidence.changed import ChangedDefinition
from tobler_pack.evidence.kin import is_test, subject

Span = Callable[[str], str]
"""Writes a name so that it stays what it is in markdown."""

_ORDER = ("users", "used", "kin", "history", "semantic", "lexical", "subject")
_VAGUE = 0.25  # what a reason counts that names nothing: a reader cannot check it
_NAMING = frozenset({"users", "used", "kin", "history"})


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file: the positions of their chunks, the names in them, and those that they define."""

    path: str
    chunks: Sequence[int]
    names: frozenset[str]
    defined: frozenset[str]


def reason(
    block: Block, evidence: Evidence, changed: Sequence[ChangedDefinition], given: Sequence[str], span: Span
) -> str:
    """The reason for a block: the channel in which it stands out most. One that names something goes before one that
    does not, unless it stands out more than four times as much there. Channels know names by their parts and chunks,
    so a name is given only if it stands in the block.
    """
    weights = {
        name: max((float(evidence.voices[name][at]) for at in block.chunks), default=0.0)
        / WEIGHTS[name]
        * (1 if name in _NAMING else _VAGUE)
        for name in _ORDER
    }
    for name in sorted(_ORDER, key=lambda one: (-weights[one], _ORDER.index(one))):
        words = _words(name, block, evidence, changed, given, span) if weights[name] > 0 else ""
        if words:
            return words
    return "near the change"


def _words(
    name: str,
    block: Block,
    evidence: Evidence,
    changed: Sequence[ChangedDefinition],
    given: Sequence[str],
    span: Span,
) -> str:
    if name == "users":
        best = _weightiest(evidence.users, block.names)
        if best in block.defined:  # a name that several definitions share: an override, a twin
            return f"defines {span(best)} too, changed here"
        return f"uses {span(best)}, changed here" if best else ""
    if name == "used":
        best = _weightiest(evidence.used, block.defined)
        return f"defines {span(best)}, which the change uses" if best else ""
    if name == "history":
        one = evidence.companions.get(block.path)
        if one is None:
            return ""
        with_whom = span(_short(one.given, given))
        return f"changed together with {with_whom} in {one.together} of its last {one.changes} commits"
    if name == "kin":
        return _kin(block.path, given, span)
    if name == "subject":
        return "answers to the words of the commits"
    return _similar(changed, span)


def _weightiest(weights: Mapping[str, float], names: frozenset[str]) -> str:
    """The name of most weight among some, empty for none."""
    return max(names & weights.keys(), key=lambda name: (weights[name], name), default="")


def _similar(changed: Sequence[ChangedDefinition], span: Span) -> str:
    """What it is similar to, where that is one definition."""
    named = [one.symbol for one in changed if one.symbol and one.is_searched]
    return f"similar to the change in {span(named[0])}" if len(named) == 1 else "similar to the change"


def _kin(path: str, given: Sequence[str], span: Span) -> str:
    topic = subject(path)
    twins = [one for one in given if subject(one) == topic and one != path]
    if not twins:
        return ""
    if is_test(path) and not is_test(twins[0]):
        return f"test of {span(_short(twins[0], given))}"
    if is_test(twins[0]) and not is_test(path):
        return f"tested by {span(_short(twins[0], given))}"
    return f"twin of {span(twins[0])}"


def _short(path: str, given: Sequence[str]) -> str:
    """The name of a file, with its folders where several of the given ones have that name."""
    name = path.rsplit("/", 1)[-1]
    return path if sum(one.rsplit("/", 1)[-1] == name for one in given) > 1 else name

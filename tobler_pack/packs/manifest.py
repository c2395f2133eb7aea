"""The manifest: what stands in the packs, for programs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tobler_pack.types import Tier

if TYPE_CHECKING:  # a run that finds all packs as they were names them without loading what makes them
    from tobler_pack.packs.candidates import Candidate
    from tobler_pack.packs.pack import Pack, Shown

VERSION = 1

_OMITTED_MOST = 200  # of what the nucleus holds and the pack does not; a flat question has thousands
_DIGITS = 6

Entry = dict[str, Any]
"""One pack's entry, ready for JSON."""


def entry(pack: Pack, *, name: str | None, query: str, surface: str | None, mem: float) -> Entry:
    """The entry of a pack. `name` is its id, None for a question from the command line, which has no file either."""
    return {
        "id": name,
        "query": query,
        "surface": surface,
        "file": None if name is None else f"{name}.md",
        "sha256": digest(pack.text),
        "n_eff": round(pack.heading.n_eff, 2),
        "k": pack.heading.k,
        "epsilon": round(pack.epsilon, _DIGITS),
        "tau": pack.heading.tau,
        "mem": round(mem, _DIGITS),
        "tokens": pack.tokens,
        "budget": pack.heading.budget,
        "blocks": [_block(one) for one in pack.shown],
        "omitted": [
            {
                "path": one.path,
                "start_line": one.lines[0],
                "end_line": one.lines[1],
                "symbol": one.symbol,
                "weight": round(one.weight, _DIGITS),
                **_why(one),
            }
            for one in pack.omitted[:_OMITTED_MOST]
        ],
        "left_out": dict(pack.heading.left_out),
        **_floor(pack),
    }


def _floor(pack: Pack) -> Entry:
    """What a floor refused; without one there is nothing to say."""
    heading = pack.heading
    return {"floor": heading.floor, "ranked": heading.ranked, "refused": heading.refused} if heading.floor > 0 else {}


def manifest(tree_id: str, stamp: Mapping[str, str], packs: Sequence[Entry]) -> Entry:
    """The whole manifest of one run."""
    return {"version": VERSION, "tree": tree_id, "stamp": dict(stamp), "packs": list(packs)}


def to_json(value: Entry) -> str:
    """Readable JSON with a final line end; the same bytes for the same value."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def digest(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, as in the manifest."""
    return hashlib.sha256(text.encode()).hexdigest()


def _block(shown: Shown) -> Entry:
    one = shown.candidate
    ranges = {Tier.FULL: one.full, Tier.SIGNATURE: one.signature, Tier.STUB: ()}[shown.tier]
    return {
        "path": one.path,
        "start_line": one.lines[0],
        "end_line": one.lines[1],
        "symbol": one.symbol,
        "tier": shown.tier.value,
        "lines": [list(range_) for range_ in ranges],
        "weight": round(one.weight, _DIGITS),
        "tokens": shown.tokens,
        **_why(one),
    }


def _why(candidate: Candidate) -> Entry:
    return {"why": candidate.why} if candidate.why else {}

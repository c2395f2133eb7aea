"""The batch job over several machines: the list of its shares, and one manifest from those of the shares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tobler_pack.errors import UsageError
from tobler_pack.packs.manifest import VERSION, Entry, manifest

MOST_SHARDS = 256
"""Jobs that one matrix may have on GitHub."""


def plan(groups: int, shards: int) -> str:
    """The matrix for a job per share, as one line of JSON; never a share without a question.

    `shard` is what `build --shard` takes, `number` serves in the names of artifacts, which know no slash.
    """
    used = min(groups, shards)
    rows = [{"shard": f"{number}/{used}", "number": number} for number in range(1, used + 1)]
    return json.dumps({"include": rows}, separators=(",", ":")) + "\n"


def checked_shards(wanted: int) -> int:
    """Raises UsageError for a number of shares that no matrix can have."""
    if not 1 <= wanted <= MOST_SHARDS:
        raise UsageError(f"--shards {wanted}: out of range; take 1 to {MOST_SHARDS}")
    return wanted


def read_manifest(path: Path) -> Entry:
    """A manifest from a file.

    Raises UsageError if it is none.
    """
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file; name the manifests that `build --manifest` wrote") from None
    except (OSError, ValueError):
        found = None
    if not _is_manifest(found):
        raise UsageError(f"{path}: is no manifest of this version; write it with: tobler-pack build --manifest {path}")
    assert isinstance(found, dict)
    return found


def _is_manifest(found: object) -> bool:
    if not isinstance(found, dict) or found.get("version") != VERSION:
        return False
    packs = found.get("packs")
    return (
        isinstance(found.get("tree"), str)
        and isinstance(found.get("stamp"), dict)
        and isinstance(packs, list)
        and all(isinstance(pack, dict) and isinstance(pack.get("id"), str) for pack in packs)
    )


def merge(parts: Mapping[Path, Entry], order: Sequence[str]) -> tuple[Entry, list[str]]:
    """One manifest with the packs of all parts in the order of the questions, and the questions that have no pack.

    Raises UsageError if the parts do not belong together.
    """
    first_place, first = next(iter(parts.items()))
    packs: dict[str, Any] = {}
    for place, part in parts.items():
        for key, what in (("tree", "another tree"), ("stamp", "another model, tokenizer or version")):
            if part[key] != first[key]:
                raise UsageError(f"{place} was made with {what} than {first_place}; run all shares on one commit")
        for pack in part["packs"]:
            if packs.setdefault(pack["id"], pack) != pack:
                raise UsageError(f"{place}: the pack {pack['id']} stands in another manifest too, and differs there")
    known = [name for name in order if name in packs]
    others = sorted(packs.keys() - set(order))
    merged = manifest(first["tree"], first["stamp"], [packs[name] for name in [*known, *others]])
    return merged, [name for name in order if name not in packs]

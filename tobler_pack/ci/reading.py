"""A manifest as the comment and the summary need it, from a file that may have been made by a stranger.

Only plain values of the expected kind and size pass; nothing of it is trusted to be markdown, a link or a number of a
pull request.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from tobler_pack.errors import UsageError

_MOST_BYTES = 20_000_000
_MOST_PACKS = 1_000
_MOST_PLACES = 20_000
_LONGEST = 10_000
TRUNCATED = 0.15
"""The ε above which a pack calls itself a truncated map."""


class _WrongError(ValueError):
    """Something in the file is not as a manifest has it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, and why they are named."""

    path: str
    first: int
    last: int
    symbol: str
    tier: str
    why: str


@dataclass(frozen=True, slots=True)
class PackInfo:
    """One pack of a manifest."""

    id: str
    query: str
    surface: str
    file: str
    n_eff: float
    k: int
    epsilon: float
    tokens: int
    budget: int
    places: tuple[Place, ...]
    omitted: tuple[Place, ...]
    changed: tuple[str, ...]

    @property
    def is_truncated(self) -> bool:
        """Whether so much is hidden that the pack is only a map."""
        return self.epsilon > TRUNCATED


@dataclass(frozen=True, slots=True)
class Manifest:
    """The packs of one run."""

    counter: str
    packs: tuple[PackInfo, ...]

    @property
    def tokens(self) -> int:
        """Of all packs together."""
        return sum(pack.tokens for pack in self.packs)

    @property
    def largest_epsilon(self) -> float:
        """Of the pack that hides most; 0 without packs."""
        return max((pack.epsilon for pack in self.packs), default=0.0)


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file.

    Raises UsageError if it is none.
    """
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            raise _WrongError("no plain file, or too large")
        return _manifest(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path.name} is no manifest of tobler-pack ({error})") from None


def _manifest(found: object) -> Manifest:
    whole = _group(found, "the file")
    if whole.get("version") != 1:
        raise _WrongError("its version is not 1")
    stamp = _group(whole.get("stamp", {}), "stamp")
    packs = _list(whole.get("packs"), "packs", _MOST_PACKS)
    return Manifest(_text(stamp.get("counter"), "counter"), tuple(_pack(_group(pack, "packs")) for pack in packs))


def _pack(found: dict[str, object]) -> PackInfo:
    changed = _list(found.get("changed") or [], "changed", _MOST_PLACES)
    return PackInfo(
        id=_text(found.get("id"), "id"),
        query=_text(found.get("query"), "query"),
        surface=_text(found.get("surface"), "surface"),
        file=_text(found.get("file"), "file"),
        n_eff=_number(found.get("n_eff"), "n_eff"),
        k=int(_number(found.get("k"), "k")),
        epsilon=_number(found.get("epsilon"), "epsilon"),
        tokens=int(_number(found.get("tokens"), "tokens")),
        budget=int(_number(found.get("budget"), "budget")),
        places=_places(found.get("blocks"), "blocks"),
        omitted=_places(found.get("omitted") or [], "omitted"),
        changed=tuple(_text(_group(one, "changed").get("path"), "path") for one in changed),
    )


def _places(found: object, name: str) -> tuple[Place, ...]:
    return tuple(_place(_group(one, name)) for one in _list(found, name, _MOST_PLACES))


def _place(found: dict[str, object]) -> Place:
    return Place(
        path=_text(found.get("path"), "path"),
        first=int(_number(found.get("start_line"), "start_line")),
        last=int(_number(found.get("end_line"), "end_line")),
        symbol=_text(found.get("symbol"), "symbol"),
        tier=_text(found.get("tier"), "tier"),
        why=_text(found.get("why"), "why"),
    )


def _group(found: object, name: str) -> dict[str, object]:
    if not isinstance(found, dict):
        raise _WrongError(f"{name} is no group of keys")
    return found


def _list(found: object, name: str, most: int) -> list[object]:
    if not isinstance(found, list) or len(found) > most:
        raise _WrongError(f"{name} is no list, or too long a one")
    return found


def _text(found: object, name: str) -> str:
    """A text; none is an empty one. What is half of a character becomes a question mark."""
    if found is None:
        return ""
    if not isinstance(found, str) or len(found) > _LONGEST:
        raise _WrongError(f"{name} is no text, or too long a one")
    return found.encode("utf-8", "replace").decode()


def _number(found: object, name: str) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < 1e12 or math.isnan(found):
        raise _WrongError(f"{name} is no number that it can have")
    return found

"""The comment on a pull request, for people: what else to look at, and why. Text in, text out.

Whatever comes from the repository or a manifest stands in a code span or in an escaped address, so that it cannot
become markup, a mention, a link or a mark of ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from tobler_pack.ci.inputs import shortened
from tobler_pack.ci.reading import Manifest, PackInfo, Place
from tobler_pack.packs.markdown import code_span

LONGEST = 60_000
"""Characters, with a margin to the 65,536 at which GitHub refuses a comment whole."""

_MOST_ROWS = 15
_LONGEST_NAME = 160
_LONGEST_ADDRESS = 1_500
_SHOWN_IN_FULL = ("full", "signature")
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;()'’…–-]*")
_LINKS_ITSELF = re.compile(r"www\.|\bGH-[0-9]|[0-9a-f]{7,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where the lines of the head commit and the whole packs are. Without a commit there are no links to lines."""

    repository_url: str
    commit: str
    artifact: str
    artifact_url: str


def marker(name: str) -> str:
    """The first line of a comment of ours. `name` tells several uses apart."""
    return f"<!-- tobler-pack:{name} -->"


def comment(manifest: Manifest, name: str, where: Whereabouts) -> str:
    """The whole comment, never too long."""
    packs = [pack for pack in manifest.packs if pack.surface == "pull-request"]
    if not manifest.packs:
        return f"{marker(name)}\nThis change touches nothing that context packs look at.\n"
    if len(packs) == 1 and len(manifest.packs) == 1:
        return _about_a_change(packs[0], manifest.counter, name, where)
    return _about_questions(manifest, name, where)


def _about_a_change(pack: PackInfo, counter: str, name: str, where: Whereabouts) -> str:
    changed = frozenset(pack.changed)
    others = [place for place in pack.places if place.path not in changed]
    shown = [place for place in others if place.tier in _SHOWN_IN_FULL]
    rows = shown[:_MOST_ROWS]
    listed = [*shown[_MOST_ROWS:], *(place for place in others if place.tier not in _SHOWN_IN_FULL)]
    end = _end(pack, counter, where)
    if not others:
        first = "Nothing outside of the changed files stands out.\n"
        return f"{marker(name)}\n{_TITLE}{first}\n{end}"
    head = f"{marker(name)}\n{_TITLE}{_TABLE}"
    room = LONGEST - _length(head + end) - _FRAME
    table, room = _fitting([_row(place, where) for place in rows], room)
    points, _ = _fitting([_point(place, where) for place in listed], room)
    text = head + "".join(table) + "\n"
    unseen = len(others) - len(table) - len(points)
    if points or unseen:
        more = f"\n{unseen} more stand in the pack.\n" if unseen else ""
        count = f"{len(listed)} more place{'s' if len(listed) > 1 else ''}"
        text += f"<details><summary>{count}</summary>\n\n{''.join(points)}{more}\n</details>\n\n"
    return text + end


_TITLE = "### What else to look at\n\n"
_TABLE = "| where | what | why |\n| --- | --- | --- |\n"
_FRAME = 200  # characters that stand around rows and points


def _about_questions(manifest: Manifest, name: str, where: Whereabouts) -> str:
    head = f"{marker(name)}\n### Context packs\n\n| pack | question | tokens | ε |\n| --- | --- | ---: | ---: |\n"
    end = f"{_whole('The packs are', where)}\n"
    if manifest.largest_epsilon > 0:
        end = f"ε is the share of the weight that a pack does not show.\n{end}"
    rows, _ = _fitting(map(_pack_row, manifest.packs), LONGEST - _length(head + end) - _FRAME)
    left = len(manifest.packs) - len(rows)
    more = f"\n{left} more packs are not listed here.\n" if left else ""
    return f"{head}{''.join(rows)}{more}\n{end}"


def _pack_row(pack: PackInfo) -> str:
    numbers = f"{pack.tokens:,}/{pack.budget:,} | {pack.epsilon:.2f}"
    return f"| {cell(code_span(_short(pack.id)))} | {cell(code_span(_short(pack.query)))} | {numbers} |\n"


def _row(place: Place, where: Whereabouts) -> str:
    what = code_span(_short(place.symbol)) if place.symbol else ""
    why = inert(shortened(place.why, 2 * _LONGEST_NAME)) if place.why else "related code"
    return f"| {cell(_link(place, where))} | {cell(what)} | {cell(why)} |\n"


def _point(place: Place, where: Whereabouts) -> str:
    what = f" {code_span(_short(place.symbol))}" if place.symbol else ""
    return f"- {_link(place, where)}{what}\n"


def _link(place: Place, where: Whereabouts) -> str:
    label = code_span(f"{_short(place.path)}:{place.first}-{place.last}")
    address = f"{where.repository_url}/blob/{where.commit}/{quote(place.path)}#L{place.first}-L{place.last}"
    return f"[{label}]({address})" if where.commit and len(address) <= _LONGEST_ADDRESS else label


def _end(pack: PackInfo, counter: str, where: Whereabouts) -> str:
    counted = f" by {code_span(_short(counter))}" if counter else ""
    size = f"The whole pack ({pack.tokens:,} of {pack.budget:,} tokens{counted}) is"
    return f"{in_words(pack.epsilon)}\n{_whole(size, where)}\n"


def in_words(epsilon: float) -> str:
    """What ε means for a reader."""
    share = f"{100 * epsilon:.0f} %"
    if epsilon > 0.15:
        return f"This is a truncated map: {share} of the weight lies in places that are not shown (ε = {epsilon:.2f})."
    return f"{share} of the weight lies in places that are not shown (ε = {epsilon:.2f})."


def _whole(subject: str, where: Whereabouts) -> str:
    name = code_span(where.artifact)
    linked = f"[{name}]({where.artifact_url})" if where.artifact_url else name
    return f"{subject} in the artifact {linked}, for reviewers that are programs."


def cell(text: str) -> str:
    """Text inside a table: a bar would end the cell, even in a code span."""
    return text.replace("|", "\\|")


def inert(text: str) -> str:
    """A short text as it is where nothing in it can act; its code spans stay code spans, the rest becomes one."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return code_span(text)
    is_plain = all(_PLAIN.fullmatch(piece) and not _LINKS_ITSELF.search(piece) for piece in pieces[::2])
    if not is_plain or "" in pieces[1::2]:
        return code_span(text)
    return "".join(code_span(piece) if at % 2 else piece for at, piece in enumerate(pieces))


def _short(text: str) -> str:
    return shortened(text, _LONGEST_NAME)


def _fitting(pieces: Sequence[str] | map[str], room: int) -> tuple[list[str], int]:
    """As many pieces as there is room for, and the room that is left."""
    taken: list[str] = []
    for piece in pieces:
        if _length(piece) > room:
            break
        taken.append(piece)
        room -= _length(piece)
    return taken, room


def _length(text: str) -> int:
    """Characters as whoever counts most of them counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2

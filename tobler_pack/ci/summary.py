"""The summary of a job: one table over all packs, then the packs themselves, folded, as far as there is room."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping
from itertools import accumulate

from tobler_pack.ci.comment import cell, in_words
from tobler_pack.ci.inputs import shortened
from tobler_pack.ci.reading import Manifest, PackInfo
from tobler_pack.packs.markdown import code_span

LARGEST = 900 * 1024
"""Bytes, with a margin to the MiB at which GitHub throws a summary away."""

_FENCE = re.compile("`{3,}|~{3,}")


def summary(manifest: Manifest, texts: Mapping[str, str], stale: Collection[str], note: str = "") -> str:
    """The summary. `texts` has the packs by id, `stale` the ids of those whose committed copy is an older one."""
    head = _table(manifest, stale) if manifest.packs else "### Context packs\n\nNo pack was made.\n"
    text = f"{head}\n{note}\n" if note else head
    for pack in manifest.packs:
        text += _folded(pack, texts.get(pack.id, ""), LARGEST - len(text.encode()))
    return text


def _table(manifest: Manifest, stale: Collection[str]) -> str:
    rows = [
        "### Context packs\n",
        "| pack | question | N_eff | k | ε | tokens | |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
        *(_row(pack, pack.id in stale) for pack in manifest.packs),
        "",
    ]
    if any(pack.is_truncated for pack in manifest.packs):
        rows += [f"Worst: {in_words(manifest.largest_epsilon)}", ""]
    return "\n".join(rows)


def _row(pack: PackInfo, is_stale: bool) -> str:
    name, question = (cell(code_span(shortened(text, 120))) for text in (pack.id, pack.query))
    state = "committed copy is stale" if is_stale else ""
    numbers = f"{pack.n_eff:.1f} | {pack.k} | {pack.epsilon:.2f} | {pack.tokens:,}/{pack.budget:,}"
    return f"| {name} | {question} | {numbers} | {state} |"


def _folded(pack: PackInfo, text: str, room: int) -> str:
    begin = f"\n<details><summary>{html.escape(shortened(pack.id, 120))}</summary>\n\n"
    end = "\n</details>\n"
    rest = "\nThe rest stands in the artifact.\n"
    shown = cut(text, room - len((begin + end + rest).encode()))
    if not shown:
        return ""
    return begin + shown + (rest if shown != text else "") + end


def cut(text: str, room: int) -> str:
    """As many whole sections of a pack as fit into this many bytes: no fence is left open."""
    if len(text.encode()) <= room:
        return text
    parts = sections(text)
    sizes = accumulate(len(part.encode()) for part in parts)
    return "".join(parts[: sum(size <= room for size in sizes)])


def sections(text: str) -> list[str]:
    """A markdown text in parts, each of which begins with a heading; what looks like one inside a fence is none."""
    parts: list[list[str]] = [[]]
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if not fence and line.startswith("#"):
            parts.append([])
        elif not fence and mark:
            fence = mark[0]
        elif fence and mark and mark[0].startswith(fence) and line.strip() == mark[0]:
            fence = ""
        parts[-1].append(line)
    return ["".join(part) for part in parts if part]

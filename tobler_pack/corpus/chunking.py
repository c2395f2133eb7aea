"""What decides how a file is cut, as a name that costs nothing to ask for."""

from __future__ import annotations

from importlib.metadata import version

from tobler_pack.corpus.semble_bridge import semble_version

_ANALYSIS = 12
"""Raised whenever chunks, blocks, definitions or terms of the same file come out differently."""


def chunking_stamp() -> str:
    """Names everything that decides what a chunk, a block and a term is."""
    return f"semble-{semble_version()} grammars-{version('semble-grammars')} analysis-{_ANALYSIS}"

"""Context packs: the code of a git repository that matters for one question, inside a hard token budget."""

from __future__ import annotations

from importlib.metadata import version

__version__ = version("tobler-pack")

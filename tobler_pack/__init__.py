"""Context packs: the code of a git repository that matters for one question, inside a hard token budget."""

from __future__ import annotations

__version__ = "0.1.0"

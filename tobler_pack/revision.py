"""Which revision of this program runs: what it keeps must not be served by another one."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def code_digest() -> str:
    """A hash of this program's own text: another revision of the same version must not serve the packs of this one."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()

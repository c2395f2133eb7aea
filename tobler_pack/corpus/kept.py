"""Small results that are dear to work out, kept in the cache beside what they rest on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tobler_pack.corpus.place import sealed, unsealed


def kept(place: Path, ground: Sequence[str], work_out: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever JSON holds
    """What `place` holds where it rests on the same ground, otherwise what `work_out` answers, which is kept there.

    A damaged file counts as none, and a cache that cannot be written to only makes the next run slower.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        there = json.loads(unsealed(place.read_text(encoding="utf-8")))
        if there["ground"] == list(ground):
            return there["result"]
    result = work_out()
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f".{place.name}.{os.getpid()}")
        beside.write_text(sealed(json.dumps({"ground": list(ground), "result": result})), encoding="utf-8")
        beside.replace(place)
    return result

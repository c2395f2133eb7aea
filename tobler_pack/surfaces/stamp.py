"""Whether a number still means what it meant when it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

UNSTAMPED = "unstamped"

MODEL, CHUNKING, BLEND = "model", "chunking", "blend"


@dataclass(frozen=True, slots=True)
class Calibration:
    """What became of a number since it was measured. `stale` is None where nobody knows: it was moved without a stamp.

    `model_changed`: the geometry is new; measure again, do not adjust. `shape_changed`: the scale holds, what a chunk
    contains has changed. `blend_changed`: the channels are summed otherwise, which τ alone depends on.
    """

    stale: bool | None = False
    model_changed: bool = False
    shape_changed: bool = False
    blend_changed: bool = False

    def as_json(self) -> dict[str, Any]:
        """For programs: only what applies."""
        if self.stale is None:
            return {"stale": None, "source": UNSTAMPED}
        changed = {name: getattr(self, name) for name in ("model_changed", "shape_changed", "blend_changed")}
        return {"stale": self.stale, **{name: True for name, value in changed.items() if value}}

    def in_words(self) -> str:
        """For a person; empty while the number holds."""
        if self.stale is None:
            return "unstamped: moved before stamps were kept, so nobody knows whether it still holds"
        reasons = [
            (self.model_changed, "model_changed: the geometry is new; measure again, do not adjust"),
            (self.shape_changed, "shape_changed: the scale holds, what a chunk contains has changed"),
            (self.blend_changed, "blend_changed: the channels are summed otherwise"),
        ]
        told = [text for applies, text in reasons if applies]
        return "stale, " + "; ".join(told) if told else ""


FRESH = Calibration()
UNKNOWN = Calibration(stale=None)


def compare(measured: Mapping[str, str] | None, now: Mapping[str, str], *, with_blend: bool = False) -> Calibration:
    """The stamp of a number against the stamp in force."""
    if measured is None or not {MODEL, CHUNKING} <= measured.keys():
        return UNKNOWN
    model = weights_of(measured[MODEL]) != weights_of(now[MODEL])
    shape = measured[CHUNKING] != now[CHUNKING]
    blend = with_blend and measured.get(BLEND) != now[BLEND]
    return Calibration(model or shape or blend, model, shape, blend)


def weights_of(model: str) -> str:
    """The part of a model's stamp that names its weights: the same ones may be embedded or lie in a folder."""
    return model.rpartition(":")[2]


def same_scale(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Whether two stamps measure alike as far as a floor is concerned: same weights, same chunks."""
    return compare(first, second).stale is False

"""Manifests as `build` and `diff` write them, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tobler_pack.ci.comment import Whereabouts
from tobler_pack.ci.reading import Manifest, read_manifest

HEAD = "a" * 40
WHERE = Whereabouts(
    "https://github.com/ann/shop", HEAD, "tobler-packs", "https://github.com/ann/shop/actions/runs/1/artifacts/5"
)


def block(path: str = "src/auth.py", symbol: str | None = "authenticate", why: str = "", **more: Any) -> dict[str, Any]:
    shape = {"path": path, "start_line": 10, "end_line": 42, "symbol": symbol, "tier": "full", "lines": [[10, 42]]}
    return shape | {"weight": 0.4, "tokens": 310, "why": why} | more


def pack(**more: Any) -> dict[str, Any]:
    """The pack of a change."""
    shape = {
        "id": "pull-request",
        "query": "what a change touches",
        "surface": "pull-request",
        "file": "pull-request.md",
        "n_eff": 3.2,
        "k": 7,
        "epsilon": 0.21,
        "tokens": 5980,
        "budget": 6000,
        "blocks": [block(why="calls `parse_header`, changed here")],
        "omitted": [],
        "changed": [{"path": "src/header.py", "symbol": "parse_header", "status": "modified"}],
    }
    return shape | more


def manifest(*packs: dict[str, Any]) -> dict[str, Any]:
    return {"version": 1, "tree": "0" * 40, "stamp": {"counter": "o200k_base"}, "packs": list(packs)}


def read(folder: Path, *packs: dict[str, Any]) -> Manifest:
    """A manifest with these packs, through a file as the action reads it."""
    place = folder / "manifest.json"
    place.write_text(json.dumps(manifest(*packs)))
    return read_manifest(place)

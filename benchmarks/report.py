"""Results as JSON with everything they depend on, and tables of them as markdown."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.checkouts import Checkout
from tobler_pack import __version__, pipeline
from tobler_pack.corpus.chunking import chunking_stamp
from tobler_pack.corpus.model import EMBEDDED, model_identity
from tobler_pack.evidence.blend import BLEND

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of finished texts; the first column holds names."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table with its title above and its note below."""
        head = [f"**{self.title}**", "", _row(self.columns), _row(["---", *["---:"] * (len(self.columns) - 1)])]
        note = ["", self.note] if self.note else []
        return "\n".join([*head, *map(_row, self.rows), *note, ""])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def versions() -> Json:
    """Whatever the figures depend on besides the cases."""
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "semble": version("semble"),
        "tobler_pack": __version__,
        "blend": BLEND,
        "tau": pipeline.TAU,
        "chunking": chunking_stamp(),
        "model": f"{EMBEDDED}:{model_identity(EMBEDDED, None)}",
    }


def run(command: str, checkouts: Sequence[Checkout], results: Json, **options: object) -> Json:
    """One run, ready for JSON: no date, no path of this machine."""
    commits = {f"{one.name}{f'/{one.folder}' if one.folder else ''}": one.commit for one in checkouts}
    return {"command": command, "versions": versions(), "repositories": commits, "options": options, "results": results}


def save(runs: Sequence[Json], place: Path) -> None:
    """Write runs to a file."""
    place.write_text(json.dumps({"runs": list(runs)}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(place: Path) -> list[Json]:
    """The runs of a file."""
    runs: list[Json] = json.loads(place.read_text(encoding="utf-8"))["runs"]
    return runs


def two(value: float) -> str:
    """A share or score, ``.81``."""
    return f"{value:.2f}".removeprefix("0") if 0 <= value < 1 else f"{value:.2f}"


def three(value: float) -> str:
    """A score where the third digit matters, ``.813``."""
    return f"{value:.3f}".removeprefix("0") if 0 <= value < 1 else f"{value:.3f}"


def signed(difference: Json) -> str:
    """A difference with its standard error, ``+.012 ± .008``."""
    sign = "-" if difference["mean"] < 0 else "+"
    return f"{sign}{three(abs(difference['mean']))} ± {three(difference['error'])}"


def whole(value: float) -> str:
    """A count."""
    return f"{value:,.0f}"


def percent(value: float) -> str:
    """A share in percent."""
    return f"{value:.0%}"

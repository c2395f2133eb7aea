"""The log of what floors and budgets did: nothing torn, nothing lost, nothing misread."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tobler_pack.surfaces import log
from tobler_pack.surfaces.log import QUANTILES, Log, Record, read, write
from tobler_pack.surfaces.telemetry import distinct, quantiles, report, share_at
from tobler_pack.surfaces.tuning import now

STAMP = {"model": "embedded:a", "chunking": "c", "blend": "b", "counter": "o200k_base"}

WRITERS, LINES = 8, 150

WRITER = """
import sys
from pathlib import Path
from tobler_pack.surfaces import log
log.SEGMENT_BYTES = int(sys.argv[3])
for number in range(int(sys.argv[4])):
    log.write(Path(sys.argv[1]), {"writer": sys.argv[2], "number": number, "padding": "ü" * (number * 37 % 3000)})
"""


@pytest.mark.parametrize("segment", [20_000_000, 20_000], ids=["one file", "rotated all the time"])
def test_parallel_runs_tear_and_lose_no_line(tmp_path: Path, segment: int) -> None:
    runs = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(writer), str(segment), str(LINES)])
        for writer in range(WRITERS)
    ]
    assert [run.wait(120) for run in runs] == [0] * WRITERS
    files = log.files_of(tmp_path)
    assert (len(files) > 1) == (segment < 1_000_000)
    rows = [json.loads(line) for path in files for line in path.read_bytes().splitlines()]
    assert sorted((int(row["writer"]), row["number"]) for row in rows) == [
        (writer, number) for writer in range(WRITERS) for number in range(LINES)
    ]


def test_the_oldest_files_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "SEGMENT_BYTES", 1_000)
    monkeypatch.setattr(log, "KEPT_BYTES", 5_000)
    for number in range(100):
        write(tmp_path, {"number": number, "padding": "x" * 200})
    rows = [json.loads(line) for path in log.files_of(tmp_path) for line in path.read_bytes().splitlines()]
    kept = sorted(row["number"] for row in rows)
    assert kept == list(range(kept[0], 100))
    assert 15 <= len(kept) <= 30
    assert sum(path.stat().st_size for path in log.files_of(tmp_path)) <= 6_500


def call(**changes: Any) -> Record:
    """A logged call over cosines from −0.2 to 0.6."""
    return {
        "at": "2026-01-02T03:04:05Z",
        "surface": "batch",
        "id": "one",
        "query": "how",
        "paths": [],
        "stamp": STAMP,
        "cached": False,
        "floor": 0.2,
        "budget": 2000,
        "tau": 1.0,
        "chunks": 1000,
        "admitted": 510,
        "carried": 10,
        "n_eff": 3.0,
        "k": 7,
        "epsilon": 0.1,
        "tokens": 1990,
        "cosines": np.linspace(-0.2, 0.6, QUANTILES).tolist(),
        "near": [[0.19, "a.py", 3, 9], [0.18, "b.py", 1, 2]],
        **changes,
    }


def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    good = [call(), {key: value for key, value in call().items() if key not in ("near", "cosines", "surface", "id")}]
    bad: list[object] = [
        [],
        "text",
        {},
        call(at="yesterday"),
        call(at=5),
        call(chunks="many"),
        call(cosines=[1, 2]),
        call(near=[["high", "a.py", 1, 2]]),
        call(near=[[0.1, "a.py"]]),
        call(surface=7),
    ]
    lines = [json.dumps(row) for row in [*good, *bad]] + ['{"torn', "\x00\xff"]
    (tmp_path / "telemetry.jsonl").write_text("\n".join(lines), encoding="latin-1")
    log = read(tmp_path)
    assert (len(log.records), log.unreadable) == (len(good), len(bad) + 2)
    report(log, 5)


def test_only_the_last_days(tmp_path: Path) -> None:
    write(tmp_path, call())
    write(tmp_path, call(at=now()))
    assert len(read(tmp_path).records) == 2
    assert len(read(tmp_path, days=1).records) == 1
    assert read(tmp_path / "nowhere") == Log()


def test_a_report() -> None:
    calls = [
        call(),
        call(cached=True),
        call(query="why", near=[[0.1, "c.py", 5, 6]], admitted=100, carried=0),
        call(surface=None, near=[], floor=0.0, admitted=1000, carried=0),
    ]
    by_hand, batch = report(Log(tuple(calls)), 2)
    assert (by_hand["surface"], by_hand["calls"], by_hand["admitted"]) == (None, 1, 1.0)
    assert by_hand["near_misses"] == {"count": 0, "p50": None, "p90": None, "samples": []}
    assert (batch["calls"], batch["from_cache"], batch["floors"]) == (3, 1, [0.2])
    assert batch["admitted"] == pytest.approx((510 + 510 + 100) / 3000)
    near = batch["near_misses"]
    assert (near["count"], near["p50"], near["p90"]) == (3, 0.18, pytest.approx(0.188))
    assert [(one["path"], one["query"]) for one in near["samples"]] == [("a.py", "how"), ("c.py", "why")]
    assert batch["would_admit"]["0.4"] == pytest.approx(0.25, abs=0.01)


def test_a_call_of_a_question_counts_once() -> None:
    calls = [call(), call(floor=0.1), call(admitted=1), call(query="why"), call(cosines=[])]
    assert [(one["query"], one["floor"], one["admitted"]) for one in distinct(calls)] == [
        ("how", 0.1, 510),
        ("how", 0.2, 1),
        ("why", 0.2, 510),
    ]


def test_a_share_is_counted_where_the_floor_was_in_force() -> None:
    assert share_at(call(), 0.2) == 0.5
    assert share_at(call(), 0.0) == 1.0
    assert share_at(call(), 0.4) == pytest.approx(0.25)
    assert share_at(call(), 0.9) == 0.0


@given(st.integers(0, 2**32), st.integers(50, 5000), st.sampled_from([0.02, 0.1, 0.5]), st.floats(0.01, 1))
def test_a_share_is_read_off_within_two_points(seed: int, chunks: int, spread: float, floor: float) -> None:
    values = np.clip(np.random.default_rng(seed).normal(0.2, spread, chunks), -1, 1)
    one = call(floor=0.0, cosines=quantiles(values))
    # Scores are kept to four digits, so what stands that near to the floor may count for either side.
    least, most = (values >= floor + 1e-4).mean(), (values >= floor - 1e-4).mean()
    assert least - 0.021 <= share_at(one, floor) <= most + 0.021

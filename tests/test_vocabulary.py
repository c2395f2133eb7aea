"""A vocabulary in a process of its own: the same counts, and no harm where that process fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tobler_pack.packs import vocabulary
from tobler_pack.packs.vocabulary import Beside, count

TEXTS = ["one two three", "", "ü\n\n" * 30_000, "def f(x):\n    return x\n", "\u2028 and \\n"]


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_counts_are_those_of_this_process(name: str) -> None:
    process = Beside(name)
    assert process.count(TEXTS) == count(TEXTS, name)
    assert process.count(TEXTS[::-1]) == count(TEXTS, name)[::-1]


def test_where_the_process_is_gone_counting_goes_on_here() -> None:
    process = Beside("o200k_base")
    assert process._process is not None
    process._process.kill()
    assert process.count(TEXTS) == count(TEXTS, "o200k_base")
    assert process.count(TEXTS) == count(TEXTS, "o200k_base")


@pytest.mark.parametrize("interpreter", ["", os.devnull, "/no/such/python"])
def test_where_no_process_can_be_started_counting_goes_on_here(
    interpreter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", interpreter)
    assert Beside("o200k_base").count(TEXTS) == count(TEXTS, "o200k_base")


def test_it_is_one_process_for_all() -> None:
    assert vocabulary.beside("cl100k_base") is vocabulary.beside("cl100k_base")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes end otherwise here")
def test_no_process_is_left_behind() -> None:
    program = (
        "from tobler_pack.packs.vocabulary import beside\n"
        "print(beside('o200k_base')._process.pid, flush=True)\n"
        "raise SystemExit(3)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (3, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.stdout), 0)

"""Ctrl-C counts even where Python loses the exception that it raises."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from tobler_pack import interruption
from tobler_pack.packs.writer import replace


class Swallows:
    """Is interrupted while it is finalized: Python drops what is raised there."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_that_was_lost_is_raised_at_the_next_check(capfd: pytest.CaptureFixture[str]) -> None:
    with interruption.listening():
        interruption.check()
        Swallows()
        with pytest.raises(KeyboardInterrupt):
            interruption.check()
    assert capfd.readouterr().err == ""


def test_nothing_is_written_after_it(tmp_path: Path) -> None:
    with interruption.listening():
        Swallows()
        with pytest.raises(KeyboardInterrupt):
            replace(tmp_path / "new" / "a.md", "text")
    assert list(tmp_path.iterdir()) == []


def test_the_next_run_begins_anew() -> None:
    with interruption.listening():
        Swallows()
    with interruption.listening():
        interruption.check()


def test_what_was_there_before_is_there_again() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruption.listening():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_who_is_to_ignore_it_goes_on_ignoring_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruption.listening():
            Swallows()
            interruption.check()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_than_the_main_one_may_run_it() -> None:
    seen: list[object] = []

    def work() -> None:
        with interruption.listening():
            interruption.check()
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]

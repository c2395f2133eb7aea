"""Ctrl-C, heard even where the KeyboardInterrupt that it raises is lost.

Python drops an exception that is raised while a finalizer or a callback of a library in C runs. Whoever is about to
write, or has done one of many steps, therefore asks here again.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_heard = threading.Event()


@contextmanager
def listening() -> Iterator[None]:
    """Note each Ctrl-C while this lasts.

    Nothing is done outside of the main thread, which alone hears signals, or where Ctrl-C is to be ignored (`nohup`).
    """
    _heard.clear()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield
        return
    told, before = sys.unraisablehook, signal.signal(signal.SIGINT, _hear)
    sys.unraisablehook = lambda lost: None if lost.exc_type is KeyboardInterrupt else told(lost)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = told


def check() -> None:
    """Raise KeyboardInterrupt if there was a Ctrl-C, also for one that was raised already and lost."""
    if _heard.is_set():
        raise KeyboardInterrupt


def _hear(number: int, frame: FrameType | None) -> None:
    _heard.set()
    raise KeyboardInterrupt

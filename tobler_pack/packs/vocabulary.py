"""A tokenizer's vocabulary, here or in a process of its own.

Loading one takes half a second in which the interpreter can do nothing else. So whoever knows that it will count has it
loaded beside its other work. That process runs this very file: it reads lists of texts and answers with their counts,
a line of JSON each, until its input ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import cache


def count(texts: Sequence[str], name: str) -> list[int]:
    """The number of tokens of each text, counted here; the first count of a process loads the vocabulary."""
    from toktok import batch_count

    # One thread: all texts of a pack take half a millisecond, calling threads together takes longer, and ten times as
    # long where another program has the processors.
    return list(batch_count(texts, name, threads=1))


class Beside:
    """The same counts from a process that began to load when this was made. Should it fail, they are counted here."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: subprocess.Popen[str] | None = None
        with suppress(OSError):  # no processes, no interpreter of its own: see above
            self._process = subprocess.Popen(  # noqa: S603 - our own file
                [sys.executable, "-P", __file__, name],  # -P: nothing is imported from the folder of this file
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="ascii",
                start_new_session=True,  # Ctrl-C is for this process, which then ends the other one
            )
            weakref.finalize(self, _end, self._process)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text."""
        return self._asked(texts) or count(texts, self._name)

    def _asked(self, texts: Sequence[str]) -> list[int] | None:
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            return None
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(texts) + "\n")
            self._process.stdin.flush()
            counts: list[int] = json.loads(self._process.stdout.readline())
            return counts
        return None


@cache
def beside(name: str) -> Beside:
    """The one process that counts by this name."""
    return Beside(name)


def _end(process: subprocess.Popen[str]) -> None:
    """It may still be loading, for nothing: it holds nothing that could be lost."""
    process.kill()
    process.communicate()


if __name__ == "__main__":
    count([""], sys.argv[1])
    for line in sys.stdin:
        sys.stdout.write(json.dumps(count(json.loads(line), sys.argv[1])) + "\n")
        sys.stdout.flush()

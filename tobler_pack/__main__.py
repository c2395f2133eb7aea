"""``tobler-pack`` and ``python -m tobler_pack``: run the command line and turn every failure into one message."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from typing import NoReturn

import click

from tobler_pack.cli import app
from tobler_pack.errors import ToblerError

_UNEXPECTED = 3
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run, and exit with the codes that ``--help`` names."""
    sys.exit(_run())


def _run() -> int:
    try:
        return app(standalone_mode=False) or 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except ToblerError as error:
        _say(str(error))
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted; nothing half-written is left")
        return _INTERRUPTED
    except BrokenPipeError:  # `tobler-pack query … | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _unexpected(error)


def _unexpected(error: Exception) -> int:
    """A fault of ours: one line on screen, the traceback in a file that can be attached to a report."""
    with tempfile.NamedTemporaryFile("w", prefix="tobler-pack-", suffix=".log", delete=False, encoding="utf-8") as log:
        traceback.print_exception(error, file=log)
    _say(f"this should not have happened ({type(error).__name__}: {error}); please report it with {log.name}")
    return _UNEXPECTED


def _say(text: str) -> None:
    sys.stderr.write(f"tobler-pack: {text}\n")


if __name__ == "__main__":
    main()

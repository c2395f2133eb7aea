"""``tobler-pack`` and ``python -m tobler_pack``: run the command line and turn every failure into one message."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

from tobler_pack import interruption
from tobler_pack.errors import ToblerError

_UNEXPECTED = 3
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run, and exit with the codes that ``--help`` names."""
    try:
        with interruption.listening():
            code = _run()
            interruption.check()
    except KeyboardInterrupt:
        _say("interrupted; nothing half-written is left")
        code = _INTERRUPTED
    sys.exit(code)


def _run() -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):  # no terminal or pipe is too poor for the ε of a summary
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = _hook(sys.argv[2:]) if sys.argv[1:2] == ["hook"] else _command_line()
    except ToblerError as error:
        _say(str(error))
        return error.exit_code
    except (BrokenPipeError, SystemExit):  # `tobler-pack query … | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        return 0
    except Exception as error:
        if not hasattr(error, "show"):
            return _unexpected(error)
        error.show()  # a usage error of click, or of the copy of click that newer versions of typer carry
        return 2
    if code == _INTERRUPTED:  # what typer makes of Ctrl-C
        raise KeyboardInterrupt
    return code


def _command_line() -> int:
    import typer  # after the first moment at which Ctrl-C is heard: its import takes longest of all

    from tobler_pack.cli import app

    try:
        return app(standalone_mode=False, prog_name="tobler-pack") or 0
    except typer.Abort:
        raise KeyboardInterrupt from None


def _hook(arguments: list[str]) -> int:
    """The hook without the libraries of the command line, which cost more than its work on most commits."""
    from tobler_pack.ci import hook

    options = hook.plain_options(arguments)
    return _command_line() if options is None else hook.main(options)


def _unexpected(error: Exception) -> int:
    """A fault of ours: one line on screen, the traceback in a file that can be attached to a report."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="tobler-pack-", suffix=".log", delete=False, encoding="utf-8") as log:
        traceback.print_exception(error, file=log)
    _say(f"this should not have happened ({type(error).__name__}: {error}); please report it with {log.name}")
    return _UNEXPECTED


def _say(text: str) -> None:
    sys.stderr.write(f"tobler-pack: {text}\n")


if __name__ == "__main__":
    main()

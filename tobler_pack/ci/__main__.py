"""`python -I -m tobler_pack.ci STEP`: what the steps of the action call. Everything else comes by environment."""

from __future__ import annotations

import io
import os
import sys
import traceback

from tobler_pack.ci import making, report, workflow
from tobler_pack.ci.job import open_job
from tobler_pack.errors import ToblerError, UsageError

STEPS = ("prepare", "run", "report", "post")


def main(arguments: list[str]) -> int:
    """Do one step; the exit code."""
    annotations = workflow.Annotations()
    try:
        return _step(arguments, annotations)
    except ToblerError as error:
        annotations.error(str(error))
        return error.exit_code
    except Exception as error:  # a fault of ours, for which no job of others turns red
        workflow.show(traceback.format_exc())
        annotations.warning(f"this should not have happened ({type(error).__name__}: {error}); please report the log")
        return 0
    finally:
        annotations.close()


def _step(arguments: list[str], annotations: workflow.Annotations) -> int:
    name = arguments[0] if len(arguments) == 1 else ""
    if name not in STEPS:
        raise UsageError(f"name one step of the action: {', '.join(STEPS)}")
    job = open_job(os.environ, annotations)
    if name == "report":
        reasons = report.report(job)
        for reason in reasons:
            annotations.error(reason)
        return 1 if reasons else 0
    {"prepare": making.prepare, "run": making.run, "post": report.post}[name](job)
    return 0


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))

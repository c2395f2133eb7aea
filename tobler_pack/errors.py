"""The expected failures. Each carries one message for the user and the exit code of the command line.

    ToblerError                     never raised itself
    ├── UsageError            (2)   the command line or the configuration is wrong
    └── EnvironmentProblem    (3)   repository, clone, model or folder is not as needed

Exit code 1 is no failure but an answer (a stale pack), so it has no exception.
"""

from __future__ import annotations


class ToblerError(Exception):
    """A failure that the user can mend; its text says what is wrong and what to type next."""

    exit_code: int


class UsageError(ToblerError):
    """The command line or the configuration asks for something that cannot be."""

    exit_code = 2


class EnvironmentProblem(ToblerError):  # noqa: N818 - EnvironmentError is a builtin
    """What lies outside the configuration (clone, model, folder) does not let the run succeed."""

    exit_code = 3

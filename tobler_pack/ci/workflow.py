"""What a step says to the runner: annotations, outputs, the job summary. Text of the repository stays mere text.

Outside of GitHub Actions annotations are plain lines on standard error.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

MOST_OF_A_KIND = 9
"""The runner shows ten of a kind for each step and drops the rest without a word; the tenth says how many more."""


class Annotations:
    """Notices, warnings and errors of one step, within what the runner shows."""

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        self._on_github = variables.get("GITHUB_ACTIONS") == "true"
        self._said: dict[str, int] = defaultdict(int)

    def notice(self, text: str) -> None:
        """Something worth knowing."""
        self._say("notice", text)

    def warning(self, text: str) -> None:
        """Something that went wrong and is not the fault of the change."""
        self._say("warning", text)

    def error(self, text: str) -> None:
        """Why the job fails."""
        self._say("error", text)

    def close(self) -> None:
        """Say what was left unsaid."""
        for kind, said in self._said.items():
            if said > MOST_OF_A_KIND:
                self._write(kind, f"{said - MOST_OF_A_KIND} more; see the log of this step")

    def _say(self, kind: str, text: str) -> None:
        self._said[kind] += 1
        if self._said[kind] <= MOST_OF_A_KIND:
            self._write(kind, text)
        else:
            show(f"{kind}: {text}\n")

    def _write(self, kind: str, text: str) -> None:
        if self._on_github:
            sys.stdout.write(f"::{kind} title={escape_property('tobler-pack')}::{escape(text)}\n")
            sys.stdout.flush()
        else:
            sys.stderr.write(f"tobler-pack: {kind}: {text}\n")


def escape(text: str) -> str:
    """Text as the message of a workflow command: it stays on its line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Text as a property of a workflow command."""
    return escape(text).replace(":", "%3A").replace(",", "%2C")


def show(text: str) -> None:
    """Print text that may come from the repository: between these marks the runner obeys no command."""
    if text:
        mark = secrets.token_hex(16)
        end = "" if text.endswith("\n") else "\n"
        sys.stdout.write(f"::stop-commands::{mark}\n{text}{end}::{mark}::\n")
        sys.stdout.flush()


def set_outputs(values: Mapping[str, str], variables: Mapping[str, str] = os.environ) -> None:
    """Set outputs of the step; a value cannot end early or begin another one."""
    place = variables.get("GITHUB_OUTPUT")
    if place:
        mark = f"tobler-{secrets.token_hex(16)}"
        rows = "".join(f"{name}<<{mark}\n{value}\n{mark}\n" for name, value in values.items())
        _append(place, rows)


def write_summary(text: str, variables: Mapping[str, str] = os.environ) -> None:
    """Add to the summary of the job."""
    place = variables.get("GITHUB_STEP_SUMMARY")
    if place:
        _append(place, text)


def _append(place: str, text: str) -> None:
    with Path(place).open("a", encoding="utf-8", newline="\n") as file:
        file.write(text)

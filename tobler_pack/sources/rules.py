"""What single values of the configuration have to look like.

Each function takes a value and returns it, tidied where that is harmless, or raises ValueError with a text of
the form "what is wrong; what would be right", to be read after the value. They know nothing of files, so the
command line can hold its options to the same rules.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
import warnings
from pathlib import PurePosixPath

VERSION = 1
SMALLEST_BUDGET = 200
"""Below it a pack's title and header leave no room for code."""
LARGEST_BUDGET = 200_000
"""Above it a pack no longer fits the context of common models."""
LONGEST_QUESTION = 8_000
LONGEST_LABEL = 200
LONGEST_PATTERN = 500
LONGEST_PATH = 4096
COUNTERS = ("o200k_base", "cl100k_base")
SHIPPED_SURFACES = ("pull-request", "commit", "batch")
IDENTIFIER = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
HUB_MODEL = r"hub:[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?@[A-Za-z0-9][A-Za-z0-9._/-]*"

_RESERVED_ON_WINDOWS = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
_MOVING_REVISIONS = ("main", "master", "head")
_CONTROL = ("Cc", "Cs", "Zl", "Zp")
"""Unicode categories: control characters, halves of characters, and what breaks lines."""
_INVISIBLE = ("Cf", "Cn", "Co")
_NOT_IN_FILE_NAMES = '<>:"|?*'


def identifier(text: str) -> str:
    """The name of a question or surface; a question's name becomes a file name on every platform."""
    if re.fullmatch(IDENTIFIER, text) is None:
        raise ValueError(
            "is not a usable name; take 1 to 100 letters a-z, digits, dots, dashes and underscores,"
            " beginning with a letter or digit"
        )
    if text.endswith("."):
        raise ValueError("ends in a dot, which Windows drops from file names; leave the dot out")
    if _is_reserved(text):
        raise ValueError("is a device name on Windows; choose another name")
    return text


def question(text: str) -> str:
    """A question in words; line breaks may stand inside."""
    if not text.strip():
        raise ValueError("the question is empty; write what the pack should answer")
    if len(text) > LONGEST_QUESTION:
        raise ValueError(f"has {len(text)} characters; {LONGEST_QUESTION} are the most")
    if _has(text.replace("\n", "").replace("\t", ""), _CONTROL):
        raise ValueError("contains control characters; remove them")
    return text.strip()


def label(text: str) -> str:
    """A short text on one line: the name of a session, what a surface asks, how often it fires."""
    if not text.strip():
        raise ValueError("is empty; write a short text, or leave the key out")
    if len(text) > LONGEST_LABEL:
        raise ValueError(f"has {len(text)} characters; {LONGEST_LABEL} are the most")
    _refuse_control(text)
    return text.strip()


def pattern(text: str) -> str:
    """A pattern over paths, as git reads them in an ignore file."""
    if not text.strip():
        raise ValueError('the pattern is empty; write one such as "src/**", or remove it')
    if len(text) > LONGEST_PATTERN:
        raise ValueError(f"has {len(text)} characters; {LONGEST_PATTERN} are the most")
    _refuse_control(text)
    if re.search(r"\\[A-Za-z0-9]", text):
        raise ValueError("has a backslash between names; separate folders with /")
    if {".", ".."} & set(text.removeprefix("!").split("/")):
        raise ValueError(
            'has a step "." or ".." and never matches; begin at the root of the repository, as in "src/**"'
        )
    if not _can_match(text):
        raise ValueError('is no pattern that can be read, or matches nothing; write one such as "src/**" or "*.min.js"')
    return text


def out_folder(text: str) -> str:
    """The folder for packs, relative to the root of the repository, without `./` and doubled slashes."""
    _refuse_control(text)
    if _has(text, _INVISIBLE):  # some disks leave them out when they compare names
        raise ValueError("contains invisible characters; remove them")
    if "\\" in text:
        raise ValueError("contains a backslash; separate folders with /")
    if len(text) > LONGEST_LABEL:
        raise ValueError(f"has {len(text)} characters; {LONGEST_LABEL} are the most")
    if text.startswith(("/", "~")) or re.match("[A-Za-z]:", text):
        raise ValueError("leads out of the repository; write a folder relative to its root, such as context")
    steps = PurePosixPath(text).parts
    if not steps:
        raise ValueError("is the whole repository; write a folder inside it, such as context")
    for step in steps:
        _check_step(step)
    return "/".join(steps)


def model(text: str) -> str:
    """`embedded`, `hub:NAME@REVISION`, or else the folder of a model."""
    if not text.strip():
        raise ValueError("is empty; write embedded, a folder or hub:NAME@REVISION")
    _refuse_control(text)
    if len(text) > LONGEST_PATH:
        raise ValueError(f"has {len(text)} characters; {LONGEST_PATH} are the most")
    if text.lower().startswith("hub:"):
        return _hub_model(text)
    if "://" in text:
        raise ValueError("is a link; write hub:NAME@REVISION, or download the model and write its folder")
    if text != "embedded" and difflib.get_close_matches(text.lower(), ["embedded"], cutoff=0.8):
        raise ValueError(f"is no known model; did you mean embedded? (a folder of this name is written ./{text})")
    return text


def _hub_model(text: str) -> str:
    revision = text.partition("@")[2]
    if not revision or revision.lower() in _MOVING_REVISIONS:
        raise ValueError(
            "names no fixed revision; write hub:NAME@REVISION with a commit or tag,"
            " because only a fixed revision keeps packs reproducible"
        )
    if re.fullmatch(HUB_MODEL, text) is None:
        raise ValueError("is no model of the hub; write hub:OWNER/NAME@REVISION")
    return text


def _check_step(step: str) -> None:
    if step == "..":
        raise ValueError(
            "leads upwards with ..; write a folder relative to the root of the repository, such as context"
        )
    if step.rstrip(". ").casefold() in (".git", "git~1"):
        raise ValueError("lies in the folder that belongs to git; write another folder, such as context")
    if set(step) & set(_NOT_IN_FILE_NAMES) or step != step.lstrip().rstrip(". ") or _is_reserved(step):
        raise ValueError("is no folder name on every platform; letters, digits, dashes and underscores are safe")


def _is_reserved(name: str) -> bool:
    return name.partition(".")[0].rstrip().casefold() in _RESERVED_ON_WINDOWS


def _refuse_control(text: str) -> None:
    if _has(text, _CONTROL):
        raise ValueError("contains line breaks or control characters; remove them")


def _has(text: str, categories: tuple[str, ...]) -> bool:
    return any(unicodedata.category(character) in categories for character in text)


def _can_match(text: str) -> bool:
    from pathspec import GitIgnoreSpec  # a twentieth of a second, and most configurations have no pattern

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # sets such as [[:alpha:]], which would silently mean something else
            spec = GitIgnoreSpec.from_lines([text])
    except (ValueError, re.error, FutureWarning):
        return False
    return all(compiled.include is not None for compiled in spec.patterns)

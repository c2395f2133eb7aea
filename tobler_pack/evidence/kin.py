"""Files that belong together by their names: a test and what it tests, a twin in another folder, the file next door."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tobler_pack.weighing.weights import Floats

_TEST_MARK = re.compile(
    r"^(?:tests?[_-])|[_.-](?:tests?|specs?|e2e|unit|integration)$|(?<=[a-z0-9])(?:Tests?|TestCase|Spec|Suite|IT)$"
)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?|testing|testsuite|testdata|e2e)(?:/|$)")
_STEM = re.compile(r"(?:\.d)?\.[^.]+$")
_WORDS = re.compile(r"[^\W_]+")
_NOTHING = frozenset(
    {"__init__", "index", "mod", "lib", "main", "conftest", "utils", "util", "helpers", "common", "types"}
)


@lru_cache(maxsize=1 << 16)
def subject(path: str) -> str:
    """What a file is about, by its name: the stem in lower case without the marks of a test."""
    name = path.rsplit("/", 1)[-1]
    stem = _STEM.sub("", name) or name
    return _TEST_MARK.sub("", _TEST_MARK.sub("", stem)).lower()


@lru_cache(maxsize=1 << 16)
def is_test(path: str) -> bool:
    """Whether a file holds tests, by its name or its folder."""
    folder, _, name = path.rpartition("/")
    return _TEST_MARK.search(_STEM.sub("", name)) is not None or _TEST_FOLDER.search(f"{folder}/") is not None


def kinship(paths: Sequence[str], given: Sequence[str]) -> Floats:
    """For each of F paths how close it stands to the nearest of the given ones, 0 … 1. Shape (F,).

    Files about the same thing count by how much of their folders they share, files that share words of their names
    less, and files of one folder a little. The given files are not kin to themselves.
    """
    best = np.zeros(len(paths))
    subjects, about = _numbered([subject(path) for path in paths])
    folders, place = _numbered([path.rpartition("/")[0] for path in paths])
    for one in dict.fromkeys(given):
        topic, folder = subject(one), one.rpartition("/")[0]
        near = np.array([_shared(other, folder) for other in folders])[place]
        next_door = np.where(np.array([other == folder for other in folders])[place], 0.25, 0.15) * near
        common = np.array([_overlap(other, topic) for other in subjects])[about]
        same = np.array([other == topic for other in subjects])[about]
        twins = (0.4 if topic in _NOTHING else 0.7) + 0.3 * near
        closeness = np.where(same, twins, np.maximum(0.6 * common * (0.5 + 0.5 * near), next_door))
        closeness[[at for at, path in enumerate(paths) if path == one]] = 0.0
        best = np.maximum(best, closeness)
    return best


def _numbered(names: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The different names, and for each name the number of its kind."""
    numbers: dict[str, int] = {}
    positions = [numbers.setdefault(name, len(numbers)) for name in names]
    return list(numbers), np.array(positions, dtype=np.int64)


@lru_cache(maxsize=1 << 16)
def _overlap(first: str, second: str) -> float:
    """The share of their words that two subjects have in common."""
    a, b = set(_WORDS.findall(first)) - _NOTHING, set(_WORDS.findall(second)) - _NOTHING
    return len(a & b) / len(a | b) if a and b else 0.0


@lru_cache(maxsize=1 << 16)
def _shared(first: str, second: str) -> float:
    """How much two folders have in common: twice the shared steps by all steps, 1 for the same one."""
    a, b = first.split("/"), second.split("/")
    if a == b:
        return 1.0
    total = len(a) + len(b)
    return 2.0 * len(set(a) & set(b)) / total


def counterparts(paths: Sequence[str], given: Sequence[str]) -> Floats:
    """Which of F paths are of the kind that a change has none of: tests for one without tests, the rest for one of
    tests alone; none for a change of both. Shape (F,), 0 or 1.
    """
    kinds = {is_test(path) for path in given}
    if len(kinds) != 1:
        return np.zeros(len(paths))
    return np.array([float(is_test(path) not in kinds) for path in paths])

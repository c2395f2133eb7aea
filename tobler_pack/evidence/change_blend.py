"""All evidence for a change as one score per chunk, and why a chunk is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.evidence import change as channels
from tobler_pack.evidence.blend import voice
from tobler_pack.evidence.changed import ChangedDefinition
from tobler_pack.evidence.cochange import Companion, cochange
from tobler_pack.evidence.kin import counterparts, kinship
from tobler_pack.evidence.ranking import coherence
from tobler_pack.weighing.weights import Floats

CHANGES = "changes-1"
"""Names the channels and weights below in the stamp; raised when either changes."""

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "history": 1.4,
        "lexical": 1.0,
        "subject": 1.0,
        "semantic": 0.9,
        "kin": 0.7,
        "users": 0.4,
        "used": 0.4,
        "counterpart": 0.4,
    }
)
"""Fitted on the co-change cases of flask, ripgrep, zod and numpy (``python -m benchmarks cochange``), each checked with
the weights of the others."""

COHERENCE = 0.3


@dataclass(frozen=True)
class Evidence:
    """The scores of N chunks, what each channel added to them, and the names, files and counts behind it.

    `users` and `used` have the weight of each name that ties chunks to the change, `companions` the best joint past of
    a path; `tied` marks the chunks with such a name.
    """

    scores: Floats
    voices: Mapping[str, Floats]
    users: Mapping[str, float]
    used: Mapping[str, float]
    companions: Mapping[str, Companion]
    tied: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Facts:
    """What is known of a change: its definitions, the paths of its files (old names too), how well each chunk answers
    to the words of its commits (None where there are none), and which files changed together before.
    """

    definitions: Sequence[ChangedDefinition]
    paths: Sequence[str]
    subject: Floats | None
    past: Sequence[Sequence[str]]


def blend(index: Index, model: StaticModel, facts: Facts, own: npt.NDArray[np.bool_]) -> Evidence:
    """Σ weight · voice(channel), then the coherence of each file. `own` marks chunks that are only changed code: they
    answer to themselves, so they say nothing about their file.
    """
    asked = channels.asking(facts.definitions)
    files = [file.path for file in index.files]
    users, users_why = channels.users(index, asked)
    used, used_why = channels.used(index, asked)
    searched = frozenset(files) | {one.path for one in facts.definitions if one.is_searched}
    given = {path: 1.0 if path in searched else channels.ASIDE for path in facts.paths}
    history, companions = cochange(files, given, facts.past)
    close = [path for path in facts.paths if path in searched] or list(facts.paths)
    raw = {
        "lexical": channels.lexical(index, asked),
        "semantic": channels.semantic(index, asked, model),
        "users": users,
        "used": used,
        "kin": kinship(files, close)[index.chunk_file],
        "counterpart": counterparts(files, close)[index.chunk_file],
        "history": history[index.chunk_file],
        "subject": np.zeros(len(index)) if facts.subject is None else facts.subject,
    }
    voices = {name: weight * voice(raw[name]) for name, weight in WEIGHTS.items()}
    total = np.zeros(len(index))
    for name in sorted(voices):
        total += voices[name]
    of_file = coherence(np.where(own, 0.0, total), index.chunk_file, len(files))
    return Evidence(
        total + COHERENCE * voice(of_file), voices, users_why, used_why, companions, (users > 0) | (used > 0)
    )

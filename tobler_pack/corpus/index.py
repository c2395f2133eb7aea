"""The index of one tree: every chunk's place, block, vector and terms, laid out for questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.postings import Postings
from tobler_pack.corpus.selection import SourceFile
from tobler_pack.corpus.tables import Tables, cause_of
from tobler_pack.corpus.text import Cause
from tobler_pack.types import Definition

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Index:
    """All chunks of a tree. Files stand in path order, chunks in line order, so positions do not depend on history."""

    files: tuple[SourceFile, ...]
    tables: Tables
    postings: Postings
    reused: int
    """How many of the chunks came from an earlier index."""

    def __len__(self) -> int:
        return len(self.tables.chunk_norm)

    @cached_property
    def chunk_file(self) -> Ints:
        """For each chunk the position of its file."""
        return _owners(self.tables.file_chunks)

    @cached_property
    def chunk_block(self) -> Ints:
        """For each chunk the positions of its blocks among all blocks, one for each of `blocks.SIZES`."""
        first = _starts(self.tables.file_blocks)[self.chunk_file]
        return np.asarray(self.tables.chunk_block + first[:, None], dtype=np.int32)

    @cached_property
    def block_file(self) -> Ints:
        """For each block the position of its file."""
        return _owners(self.tables.file_blocks)

    @cached_property
    def vectors(self) -> npt.NDArray[np.float32]:
        """Chunk vectors as 32-bit floats that hold whole numbers: products of them are exact in any order."""
        return self.tables.chunk_vector.astype(np.float32)

    def definitions(self, file: int) -> tuple[Definition, ...]:
        """The definitions of one file, in the order of their lines."""
        last = int(self._definition_ends[file])
        rows = slice(last - int(self.tables.file_definitions[file]), last)
        lengths, ends = self.tables.definition_name[rows].tolist(), self._name_ends[rows].tolist()
        names = [self.tables.name_byte[end - length : end].tobytes() for length, end in zip(lengths, ends, strict=True)]
        kinds = self.tables.definition_kind[rows].tolist()
        lines, parents = self.tables.definition_lines[rows].tolist(), self.tables.definition_parent[rows].tolist()
        return tuple(map(_definition, names, kinds, lines, parents))

    @cached_property
    def _definition_ends(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.tables.file_definitions, dtype=np.int64)

    @cached_property
    def _name_ends(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.tables.definition_name, dtype=np.int64)

    def left_out(self) -> dict[Cause, int]:
        """How many files each cause left out after their content was read."""
        causes = [cause_of(value) for value in self.tables.file_cause.tolist()]
        return {cause: causes.count(cause) for cause in Cause if cause in causes}


def _definition(name: bytes, kind: bytes, lines: Sequence[int], parent: int) -> Definition:
    a, b, c, d, e, f = lines
    documentation = (e, f) if e else None
    return Definition(name.decode(), kind.decode(), (a, b), (c, d), documentation, None if parent < 0 else parent)


def _starts(counts: Ints) -> npt.NDArray[np.int64]:
    return np.cumsum(counts, dtype=np.int64) - counts


def _owners(counts: Ints) -> Ints:
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

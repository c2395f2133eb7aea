"""The analyzed files as flat arrays: what an index keeps of a tree, file by file, and how two such tables are joined.

Six kinds of rows hang together by counts: a file has chunks, blocks, definitions; a chunk has postings; a definition
has the bytes of its name. Rows stand in the order of their owners, so a file's share of each array is one slice, and
a new tree is made by taking slices of an old table and of freshly analyzed files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.blocks import SIZES
from tobler_pack.corpus.terms import FIELDS
from tobler_pack.corpus.text import Cause
from tobler_pack.types import Definition

if TYPE_CHECKING:
    from tobler_pack.corpus.analysis import FileRecord

Array = npt.NDArray[Any]

CAUSES = tuple(Cause)
_NO_CAUSE = 255
_NONE = -1


@dataclass(frozen=True)
class Tables:
    """Columns of all rows. The first word of a name is the kind of row; shapes are (rows,) or (rows, columns)."""

    file_cause: Array  # uint8, position in CAUSES or 255
    file_lines: Array
    file_chunks: Array
    file_blocks: Array
    file_definitions: Array
    chunk_lines: Array  # (chunks, 2)
    chunk_block: Array  # (chunks, sizes): positions among its file's blocks
    chunk_postings: Array
    chunk_lengths: Array  # (chunks, fields): terms counted
    chunk_text: Array  # uint64: a hash of its text, by which a changed file's other chunks keep their vectors
    chunk_vector: Array  # (chunks, dimensions) int8
    chunk_norm: Array  # float32, see model.Norms
    block_lines: Array  # (blocks, 2)
    block_definition: Array  # position among its file's definitions, or -1
    definition_lines: Array  # (definitions, 6): span, declaration, documentation (0, 0 for none)
    definition_parent: Array  # position among its file's definitions, or -1
    definition_kind: Array  # bytes
    definition_name: Array  # length of its name in bytes
    posting_term: Array  # uint64
    posting_count: Array  # uint16
    name_byte: Array  # uint8, UTF-8

    def take(self, files: npt.NDArray[np.int64]) -> Tables:
        """The rows of some files, in the order asked for."""
        rows = self._rows_of(files)
        return Tables(**{column.name: getattr(self, column.name)[rows[_kind(column.name)]] for column in fields(self)})

    def _rows_of(self, files: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
        chunks = _ranges(self.file_chunks, files)
        definitions = _ranges(self.file_definitions, files)
        return {
            "file": files,
            "chunk": chunks,
            "block": _ranges(self.file_blocks, files),
            "definition": definitions,
            "posting": _ranges(self.chunk_postings, chunks),
            "name": _ranges(self.definition_name, definitions),
        }


def join(first: Tables, second: Tables) -> Tables:
    """All rows of one table, then all of another."""
    return Tables(**{c.name: np.concatenate([getattr(first, c.name), getattr(second, c.name)]) for c in fields(Tables)})


def _kind(column: str) -> str:
    return column.split("_", 1)[0]


def _ranges(counts: Array, owners: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The positions of the rows that belong to some owners, when owner i has counts[i] rows in a flat array."""
    ends = np.cumsum(counts, dtype=np.int64)
    sizes = counts.astype(np.int64)[owners]
    starts = ends[owners] - sizes
    before = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()), dtype=np.int64)


def tabulate(records: Sequence[FileRecord], texts: Array, vectors: Array, norms: Array) -> Tables:
    """Flat arrays of analyzed files; `texts` (hashes), `vectors` and `norms` have one row for each of their chunks in
    order.
    """
    definitions = [definition for record in records for definition in record.definitions]
    names = [definition.name.encode("utf-8", "replace") for definition in definitions]
    blocks = [block for record in records for block in record.blocks]
    columns: Mapping[str, Array] = {
        **_file_columns(records),
        "chunk_lines": _pairs(range_ for record in records for range_ in record.chunks),
        "chunk_block": _pairs((row for record in records for row in record.chunk_blocks), len(SIZES)),
        "chunk_postings": _ints(len(ids) for record in records for ids in record.term_ids),
        "chunk_lengths": _pairs((row for record in records for row in record.lengths), len(FIELDS)),
        "chunk_text": texts,
        "chunk_vector": vectors,
        "chunk_norm": norms,
        "block_lines": _pairs(block.lines for block in blocks),
        "block_definition": _ints(_or_none(block.definition) for block in blocks),
        "definition_lines": _pairs((_six_lines(definition) for definition in definitions), 6),
        "definition_parent": _ints(_or_none(definition.parent) for definition in definitions),
        "definition_kind": np.array([definition.kind.encode() for definition in definitions], dtype="S12"),
        "definition_name": _ints(map(len, names)),
        "posting_term": _join_arrays((ids for record in records for ids in record.term_ids), np.uint64),
        "posting_count": _join_arrays((counts for record in records for counts in record.counts), np.uint16),
        "name_byte": np.frombuffer(b"".join(names), dtype=np.uint8),
    }
    return Tables(**columns)


def _file_columns(records: Sequence[FileRecord]) -> dict[str, Array]:
    causes = [_NO_CAUSE if record.cause is None else CAUSES.index(record.cause) for record in records]
    return {
        "file_cause": np.array(causes, dtype=np.uint8),
        "file_lines": _ints(record.line_count for record in records),
        "file_chunks": _ints(len(record.chunks) for record in records),
        "file_blocks": _ints(len(record.blocks) for record in records),
        "file_definitions": _ints(len(record.definitions) for record in records),
    }


def cause_of(value: int) -> Cause | None:
    """The cause that a row of `file_cause` stands for."""
    return None if value == _NO_CAUSE else CAUSES[value]


def _six_lines(definition: Definition) -> tuple[int, ...]:
    return (*definition.span, *definition.declaration, *(definition.documentation or (0, 0)))


def _or_none(position: int | None) -> int:
    return _NONE if position is None else position


def _ints(values: Iterable[int]) -> npt.NDArray[np.int32]:
    return np.fromiter(values, dtype=np.int32)


def _pairs(rows: Iterable[Sequence[int]], width: int = 2) -> npt.NDArray[np.int32]:
    return np.fromiter(chain.from_iterable(rows), dtype=np.int32).reshape(-1, width)


def _join_arrays(arrays: Iterable[Iterable[int]], kind: type[np.unsignedinteger]) -> Array:
    return np.concatenate([np.zeros(0, dtype=kind), *(np.asarray(one, dtype=kind) for one in arrays)])

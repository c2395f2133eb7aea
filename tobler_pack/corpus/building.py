"""How an index is made: files analyzed, chunks embedded, what an earlier index holds taken from there."""

from __future__ import annotations

import hashlib
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from os import cpu_count
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tobler_pack import interruption
from tobler_pack.corpus.analysis import FileRecord, analyze
from tobler_pack.corpus.grammars import unpack
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import Norms, StaticModel, Vectors
from tobler_pack.corpus.postings import invert
from tobler_pack.corpus.selection import SourceFile
from tobler_pack.corpus.tables import Tables, join, tabulate

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

# Starting a worker costs about half a second of imports; analyzing this much takes three times as long.
_BYTES_WORTH_WORKERS = 1_500_000
_FILES_IN_FLIGHT = 64
_CHUNKS_PER_EMBEDDING = 512


Job = tuple[str, bytes, str]
"""What `analyze` takes: path, content and language of a file."""

Progress = Callable[[int], None]
"""Told how many more files are done."""


def build_index(
    files: Sequence[SourceFile],
    read: Callable[[SourceFile], bytes],
    model: StaticModel,
    earlier: Index | None = None,
    progress: Progress = lambda done: None,
) -> Index:
    """Index `files` (in path order); what `earlier` holds of the same path and blob is taken from there.

    The result depends on the files and the model alone, not on `earlier` or the number of processors.
    """
    kept = _positions(earlier)
    fresh = [file for file in files if (file.path, file.blob) not in kept]
    progress(len(files) - len(fresh))
    unpack({file.language for file in fresh})
    tables = _analyzed(fresh, read, model, None if earlier is None else earlier.tables, progress)
    shift = 0
    if earlier is not None:
        shift = len(earlier.files)
        tables = join(earlier.tables, tables)
    new = {(file.path, file.blob): shift + at for at, file in enumerate(fresh)}
    order = [kept.get((file.path, file.blob), new.get((file.path, file.blob), -1)) for file in files]
    chosen = tables.take(np.array(order, dtype=np.int64))
    postings = invert(chosen.posting_term, chosen.posting_count, chosen.chunk_postings, chosen.chunk_lengths)
    reused = sum(int(tables.file_chunks[at]) for at in order if at < shift)
    return Index(tuple(files), chosen, postings, reused)


def _positions(earlier: Index | None) -> dict[tuple[str, str], int]:
    files = earlier.files if earlier is not None else ()
    return {(file.path, file.blob): at for at, file in enumerate(files)}


def _analyzed(
    files: Sequence[SourceFile],
    read: Callable[[SourceFile], bytes],
    model: StaticModel,
    earlier: Tables | None,
    progress: Progress,
) -> Tables:
    """Analyze files and embed their chunks, a few hundred at a time while workers go on."""
    records: list[FileRecord] = []
    embedding = _Embedding(model, earlier)
    for record in _records(files, read):
        embedding.add(record.texts)
        records.append(_without_texts(record))
        progress(1)
        interruption.check()
    return tabulate(records, *embedding.finish())


class _Embedding:
    """Gathers chunks and embeds those that `earlier` does not know: most of a changed file is as it was."""

    def __init__(self, model: StaticModel, earlier: Tables | None) -> None:
        self._model = model
        hashes = np.zeros(0, dtype=np.uint64) if earlier is None else earlier.chunk_text
        self._known = dict(zip(hashes.tolist(), range(len(hashes)), strict=True))
        self._embedded = [model.embed([]) if earlier is None else (earlier.chunk_vector, earlier.chunk_norm)]
        self._rows = len(hashes)
        self._hashes: list[int] = []
        self._waiting: list[str] = []

    def add(self, texts: Sequence[str]) -> None:
        """The next chunks, in order."""
        for text in texts:
            hashed = _text_hash(text)
            self._hashes.append(hashed)
            if hashed not in self._known:
                self._known[hashed] = self._rows
                self._rows += 1
                self._waiting.append(text)
        if len(self._waiting) >= _CHUNKS_PER_EMBEDDING:
            self._embed()

    def _embed(self) -> None:
        self._embedded.append(self._model.embed(self._waiting))
        self._waiting = []

    def finish(self) -> tuple[npt.NDArray[np.uint64], Vectors, Norms]:
        """Hash, vector and norm of each chunk that was added."""
        self._embed()
        vectors, norms = (np.concatenate(arrays) for arrays in zip(*self._embedded, strict=True))
        rows = np.array([self._known[hashed] for hashed in self._hashes], dtype=np.int64)
        return np.array(self._hashes, dtype=np.uint64), vectors[rows], norms[rows]


def _text_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _without_texts(record: FileRecord) -> FileRecord:
    """A large tree's text must not pile up in memory once it is embedded."""
    return FileRecord(
        record.cause, record.line_count, record.chunks, record.chunk_blocks, record.blocks, record.definitions,
        (), record.term_ids, record.counts, record.lengths,
    )  # fmt: skip


def _records(files: Sequence[SourceFile], read: Callable[[SourceFile], bytes]) -> Iterator[FileRecord]:
    """Analyze files in order, in worker processes where there is enough to read."""
    jobs: Iterator[Job] = ((file.path, read(file), file.language) for file in files)
    first, size = [], 0
    for job in jobs:
        first.append(job)
        size += len(job[1])
        if size > _BYTES_WORTH_WORKERS:
            break
    jobs = chain(first, jobs)
    pool = _workers() if size > _BYTES_WORTH_WORKERS else None
    if pool is None:
        yield from (analyze(*job) for job in jobs)
        return
    try:
        yield from _in_workers(pool, jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_workers(pool: ProcessPoolExecutor, jobs: Iterator[Job]) -> Iterator[FileRecord]:
    """Analyze files in order, some of them ahead; should a worker be killed, go on without workers."""
    from concurrent.futures.process import BrokenProcessPool

    ahead: deque[Job] = deque()
    results: deque[Future[FileRecord]] = deque()
    try:
        while True:
            for job in islice(jobs, _FILES_IN_FLIGHT - len(ahead)):
                ahead.append(job)
                results.append(_hand_out(pool, job))
            if not ahead:
                return
            record = results.popleft().result()
            ahead.popleft()
            yield record
    except BrokenProcessPool:
        yield from (analyze(*job) for job in chain(ahead, jobs))


def _workers() -> ProcessPoolExecutor | None:
    """A pool with a worker for each processor; None where one worker is all there is or the system refuses more."""
    count = cpu_count() or 1
    if count < 2:
        return None
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    try:
        return ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_leave_interrupts_to_parent)
    except (OSError, NotImplementedError):  # no shared memory or no semaphores, as in some sandboxes
        return None


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _hand_out(pool: ProcessPoolExecutor, job: Job) -> Future[FileRecord]:
    """Submit a job. A worker that this starts must not hear Ctrl-C while it still imports, before its initializer."""
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(analyze, *job)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        return pool.submit(analyze, *job)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

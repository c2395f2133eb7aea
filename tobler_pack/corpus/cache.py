"""The cache folder: finished indexes that never change, each under a name made of everything it depends on.

An index is written beside and renamed, so it is there whole or not at all, and two runs at once write the same bytes
under the same name. Nothing depends on file times: a fresh checkout, another branch or a staged tree finds its index
by content, and a tree that has none yet starts from the nearest one (most files in common).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tobler_pack.corpus.index import Index
from tobler_pack.corpus.place import Damaged, digest, sealed, unsealed
from tobler_pack.corpus.postings import Postings
from tobler_pack.corpus.selection import SourceFile
from tobler_pack.corpus.tables import Tables

FORMAT = 4
"""Raised whenever the arrays of an index change their meaning."""

_MAX_BYTES = 3_000_000_000
_MAX_INDEXES = 60
_ABANDONED_AFTER_NS = 24 * 3_600 * 10**9
_META = "meta"


class IndexCache:
    """The indexes of one stamp. Indexes with another stamp have nothing in common with these."""

    def __init__(self, folder: Path, stamp: str, warn: Callable[[str], None]) -> None:
        self._shelf = folder / f"index-{FORMAT}" / digest(stamp)
        self._all = folder / f"index-{FORMAT}"
        self._warn = warn

    def load(self, files: Sequence[SourceFile]) -> Index | None:
        """The finished index of exactly these files; a damaged one is removed, with one line that says so."""
        return self._load(self._place(files))

    def nearest(self, files: Sequence[SourceFile]) -> Index | None:
        """The finished index that has most files in common with these, if any has one."""
        wanted = _fingerprints(files)
        best, place = 0, None
        for candidate in self._finished():
            with suppress(OSError):
                there = np.fromfile(candidate / "fingerprints", dtype=np.uint64)
                common = len(np.intersect1d(wanted, there, assume_unique=True))
                if common > best:
                    best, place = common, candidate
        return None if place is None else self._load(place)

    def save(self, index: Index) -> None:
        """Keep a finished index; where the disk does not let us, say so and go on."""
        place = self._place(index.files)
        try:
            with _beside(place) as scratch:
                _write(index, scratch)
            self._prune(keep=place)
        except OSError as error:
            self._warn(f"the index was not kept in {self._all}: {error.strerror}")

    def _place(self, files: Sequence[SourceFile]) -> Path:
        return self._shelf / digest("\0".join(f"{f.path}\0{f.blob}\0{f.language}" for f in files))

    def _load(self, place: Path) -> Index | None:
        try:
            index = _read(place)
        except (FileNotFoundError, NotADirectoryError):
            if not place.exists():
                return None
            self._discard(place)
            return None
        except (OSError, ValueError, KeyError, TypeError, EOFError):
            self._discard(place)
            return None
        with suppress(OSError):  # a cache that can only be read serves all the same
            os.utime(place)
        return index

    def _discard(self, place: Path) -> None:
        self._warn(f"the cached index {place} is damaged; building it again")
        shutil.rmtree(place, ignore_errors=True)
        with suppress(OSError):
            place.unlink()  # no folder at all

    def _finished(self) -> list[Path]:
        with suppress(OSError):
            return sorted(place for place in self._shelf.iterdir() if not place.name.startswith("."))
        return []

    def _prune(self, keep: Path) -> None:
        """Forget the indexes that were not used for the longest time, once there are too many or they are too large."""
        places = [place for place in self._all.glob("*/*") if place != keep and not place.name.startswith(".")]
        room, left = _MAX_BYTES - _size(keep), _MAX_INDEXES - 1
        for place in sorted(places, key=lambda one: (-_age_key(one), str(one))):
            room, left = room - _size(place), left - 1
            if room < 0 or left < 0:
                shutil.rmtree(place, ignore_errors=True)
        for part in self._all.glob("*/.part-*"):  # of a run that was killed
            if time.time_ns() - _age_key(part) > _ABANDONED_AFTER_NS:
                shutil.rmtree(part, ignore_errors=True)


def _fingerprints(files: Sequence[SourceFile]) -> npt.NDArray[np.uint64]:
    digests = [digest(f"{file.path}\0{file.blob}")[:16] for file in files]
    return np.unique(np.array([int(digest, 16) for digest in digests], dtype=np.uint64))


def _age_key(place: Path) -> int:
    with suppress(OSError):
        return place.stat().st_mtime_ns
    return 0


def _size(place: Path) -> int:
    with suppress(OSError):
        return sum(file.stat().st_size for file in place.iterdir())
    return 0


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A scratch folder that becomes `place` when the block ends well; whoever comes second lets the first one stand."""
    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".part-", dir=place.parent))
    try:
        yield scratch
        with suppress(OSError):
            scratch.rename(place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _arrays(index: Index) -> dict[str, npt.NDArray[Any]]:
    tables = {column.name: getattr(index.tables, column.name) for column in fields(Tables)}
    return tables | {
        f"posting_by_term_{column.name}": getattr(index.postings, column.name) for column in fields(Postings)
    }


def _write(index: Index, folder: Path) -> None:
    for name, array in _arrays(index).items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    _fingerprints(index.files).tofile(folder / "fingerprints")
    files = [[file.path, file.blob, file.language] for file in index.files]
    sums = {file.name: zlib.crc32(file.read_bytes()) for file in sorted(folder.iterdir())}
    (folder / _META).write_text(sealed(json.dumps({"files": files, "sums": sums})), encoding="utf-8")


def _read(folder: Path) -> Index:
    meta = json.loads(unsealed((folder / _META).read_text(encoding="utf-8")))
    files = tuple(SourceFile(*row) for row in meta["files"])
    tables = Tables(**{column.name: _array(folder, column.name, meta) for column in fields(Tables)})
    columns = {column.name: _array(folder, f"posting_by_term_{column.name}", meta) for column in fields(Postings)}
    return Index(files, tables, Postings(**columns), reused=len(tables.chunk_norm))


def _array(folder: Path, name: str, meta: dict[str, Any]) -> npt.NDArray[Any]:
    if zlib.crc32((folder / f"{name}.npy").read_bytes()) != meta["sums"][f"{name}.npy"]:
        raise Damaged(name)
    array: npt.NDArray[Any] = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    return array.view(np.ndarray)

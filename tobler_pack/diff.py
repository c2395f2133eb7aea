"""The packs of a change: what else matters for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tobler_pack.areas import Area, areas
from tobler_pack.change import Change, hidden_lines, read_change, read_step
from tobler_pack.comparison import Comparison
from tobler_pack.corpus.changes import FileChange
from tobler_pack.corpus.history import Commit, History, commits_between, past
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.terms import words
from tobler_pack.corpus.tree import Comparer
from tobler_pack.evidence.change import asking, floor_texts
from tobler_pack.evidence.change_blend import CHANGES, Evidence, Facts, blend
from tobler_pack.evidence.floor import Sieve, nearest, strain
from tobler_pack.evidence.reasons import Block, reason
from tobler_pack.packs import manifest
from tobler_pack.packs.changed_here import Touched, changed_here
from tobler_pack.packs.markdown import code_span
from tobler_pack.packs.pack import Pack
from tobler_pack.pipeline import Extras, Request, present, score, soft_weights
from tobler_pack.surfaces import log, telemetry
from tobler_pack.surfaces.registry import Dials, Registry
from tobler_pack.types import LineRange
from tobler_pack.weighing.allocation import BREADTH_FIRST
from tobler_pack.weighing.memory import Memory, remember
from tobler_pack.weighing.weights import Floats
from tobler_pack.workspace import Workspace

TAU_OF_CHANGES = 0.75
"""τ for changes, whose scores have other channels than those of a question: where log N_eff varies most among the
changes of a repository (the mean variance within 4 repositories, 160 changes: 2.8 at 0.7, 2.9 at 0.8, 2.6 at 1.0)."""

MOST_COMMITS = 3_000
"""So far back the history is read for files that changed together."""

MOST_TURNS = 8
"""So many commits of a change are turns of its session, the newest ones."""

BLOCKS_OF_ONE_FILE = 6
"""More of one file would hide the others: a reader who opens it sees the rest."""


@dataclass(frozen=True)
class Made:
    """One finished pack of a change, with its manifest entry."""

    pack: Pack
    entry: manifest.Entry
    figures: log.Record
    texts: tuple[str, ...]


def make(
    workspace: Workspace,
    comparison: Comparison,
    registry: Registry,
    surface: str,
    command: str,
    split_by: str | None = None,
) -> list[Made]:
    """The packs of a change: one, or one for each of its areas; none if nothing differs.

    Raises UsageError if the budget does not hold a heading.
    """
    dials = registry.dials(surface)
    budget = int(dials.budget.value)
    repository = workspace.repository
    with repository.comparing() as comparer, ThreadPoolExecutor(1) as beside:
        history = beside.submit(past, repository, comparison.base, MOST_COMMITS)  # git works, we only wait
        change = read_change(workspace, comparer, repository.snapshot(comparison.base))
        if not change.files:
            return []
        workspace.counter.prepare()
        job = _Job(workspace, comparer, comparison, change, history.result(), dials, command)
        parts = areas(change, split_by, [entry.path for entry in workspace.snapshot.entries], budget)
        made = [job.pack(part) for part in parts]
    workspace.counter.keep()
    for one in made:
        name, query = one.entry["id"], one.entry["query"]
        log.record(workspace, one.figures, surface=surface, name=name, query=query, texts=one.texts)
    return made


def blend_stamp(workspace: Workspace) -> str:
    """The channels of a change, which holds those of a question: its commits are asked as one."""
    return f"{CHANGES} {workspace.stamp['blend']}"


class _Job:
    """What all packs of one change share."""

    def __init__(
        self,
        workspace: Workspace,
        comparer: Comparer,
        comparison: Comparison,
        change: Change,
        history: History,
        dials: Dials,
        command: str,
    ) -> None:
        self._workspace = workspace
        self._comparer = comparer
        self._comparison = comparison
        self._change = change
        self._surface = dials.name
        self._floor = float(dials.floor.value)
        self._command = command
        self._index: Index = workspace.library.index
        positions = {file.path: at for at, file in enumerate(self._index.files)}
        self._hidden = hidden_lines(change, positions)
        self._own = _own_chunks(self._index, self._hidden)
        repository = workspace.repository
        self._history = history
        self._is_shallow = repository.is_shallow
        self._subjects: dict[str, Floats | None] = {}
        self._commits: Sequence[Commit] = commits_between(repository, comparison.base, comparison.head, MOST_TURNS)

    def pack(self, area: Area) -> Made:
        """The pack of one area."""
        paths = _paths(area.files)
        turns = self._turns(area)
        subjects = [one.subject for one in turns] if turns else [self._subject(one) for one in self._commits]
        said = [one for one in subjects if one is not None]
        subject = np.mean(said, axis=0) if said else None
        evidence = self._blend(Facts(area.definitions, paths, subject, self._history.commits))
        turn = remember(self._memory(turns), evidence.scores)
        texts = floor_texts(area.definitions)
        sieve = self._sieve(texts, evidence)
        weights = soft_weights(turn.scores, sieve.admitted, TAU_OF_CHANGES)
        name = f"{self._surface}-{area.name}" if area.name else self._surface
        request = Request(name, self._question(area), self._command, area.budget)
        extras = Extras(
            notes=self._notes(area),
            preface=self._preface(area),
            hidden=self._hidden,
            why=self._reasons(area, evidence, paths),
            plan=BREADTH_FIRST,
            of_one_file=BLOCKS_OF_ONE_FILE,
        )
        left_out = {cause.value: count for cause, count in self._workspace.corpus.left_out.items()}
        library, counter = self._workspace.library, self._workspace.counter
        pack = present(library, request, weights, counter, turn.share, left_out, TAU_OF_CHANGES, extras, sieve)
        entry = manifest.entry(pack, name=name, query=request.question, surface=self._surface, mem=turn.share)
        entry["changed"] = [
            {"path": one.path, "symbol": one.symbol, "status": one.status.value} for one in area.definitions
        ]
        return Made(pack, entry, telemetry.figures(library, pack, sieve), tuple(texts))

    def _sieve(self, texts: Sequence[str], evidence: Evidence) -> Sieve:
        """What the floor lets through: what is near enough to a changed definition, and what shares a name with one."""
        if not texts:
            return strain(np.zeros(len(self._index)), 0.0, ~self._own, lambda below: [])
        cosines = nearest(self._index, texts, self._workspace.library.model)
        return strain(cosines, self._floor, ~self._own, lambda below: [np.flatnonzero(evidence.tied).tolist()])

    def _blend(self, facts: Facts) -> Evidence:
        return blend(self._index, self._workspace.library.model, facts, self._own)

    def _memory(self, turns: Sequence[Facts]) -> Memory | None:
        """What the commits of a change are about together. The signal of each is its part of the lines changed so far:
        a side fix at the end does not make forget what the branch is for.
        """
        memory: Memory | None = None
        lines = 0
        for facts in turns:
            own = sum(one.size for one in facts.definitions)
            lines += own
            memory = remember(memory, self._blend(facts).scores, own / lines if lines else 0.0)
        return memory

    def _turns(self, area: Area) -> list[Facts]:
        """The change as a session: its commits, oldest first, are the turns before the change as a whole. What was
        taken back, or done elsewhere, is none of them.
        """
        if len(self._commits) < 2:
            return []
        asking_paths = {one.path for one in area.definitions}
        paths = frozenset(_paths([file for file in area.files if file.path in asking_paths]))
        turns = [self._turn(commit, paths) for commit in self._commits]
        return [facts for facts in turns if facts is not None]

    def _turn(self, commit: Commit, paths: frozenset[str]) -> Facts | None:
        """What one commit changed among some files; None for nothing, or without its parent."""
        if not commit.parents or (self._is_shallow and not self._has(commit.parents[0])):
            return None
        parts = read_step(self._workspace, self._comparer, commit, paths)
        if not parts:
            return None
        touched = list(dict.fromkeys(one.path for one in parts))
        return Facts(parts, touched, self._subject(commit), self._history.commits)

    def _has(self, commit: str) -> bool:
        return self._workspace.repository.ask("cat-file", "-e", commit) is not None

    def _subject(self, commit: Commit) -> Floats | None:
        """How well each chunk answers to what a commit says; None if it says nothing."""
        if commit.subject not in self._subjects:
            self._subjects[commit.subject] = score(self._workspace.library, commit.subject) if commit.subject else None
        return self._subjects[commit.subject]

    def _question(self, area: Area) -> str:
        definitions = _count(len(area.definitions), "definition")
        files = _count(len(area.files), "file")
        return f"what else matters for the change {self._comparison.shown} ({definitions} in {files})"

    def _notes(self, area: Area) -> tuple[str, ...]:
        notes = [self._comparison.note] if self._comparison.note else []
        if self._history.lacks_contents:
            notes.append(
                "This partial clone lacks old contents: files that were renamed and changed at once count as new."
            )
        if self._history.is_cut:
            count = len(self._history.commits)
            notes.append(
                f"This shallow clone holds {_count(count, 'commit')} of history; "
                "files that changed together before can be seen only there."
                if count
                else "This shallow clone holds no history, so files that changed together before are not known."
            )
        silent = len(area.definitions) - len(asking(area.definitions))
        if silent:
            notes.append(f"Only the {len(area.definitions) - silent} most changed definitions asked, {silent} did not.")
        return tuple(notes)

    def _preface(self, area: Area) -> str:
        order = sorted(area.definitions, key=lambda one: not one.is_searched)  # stable: code before all else
        touched = [Touched(one.path, one.lines, one.symbol, one.status.value) for one in order]
        inside = {file.path for file in area.files}
        quiet = [(file.path, why) for file, why in self._change.quiet if file.path in inside]
        counter = self._workspace.counter
        return changed_here(touched, quiet, lambda text: counter.count([text])[0], area.budget)

    def _reasons(self, area: Area, evidence: Evidence, paths: Sequence[str]) -> Callable[[int, LineRange], str]:
        library, chunk_lines = self._workspace.library, self._index.tables.chunk_lines

        def why(file: int, lines: LineRange) -> str:
            rows = _chunks_of(self._index, file)
            chunks = rows[(chunk_lines[rows, 0] <= lines[1]) & (chunk_lines[rows, 1] >= lines[0])].tolist()
            names = words("\n".join(library.lines(file)[lines[0] - 1 : lines[1]]))
            declared = [one for one in library.definitions(file) if lines[0] <= one.declaration[1] <= lines[1]]
            defined = frozenset(one.name for one in declared) & frozenset(names)
            block = Block(self._index.files[file].path, chunks, frozenset(names), defined)
            return reason(block, evidence, area.definitions, paths, code_span)

        return why


def _chunks_of(index: Index, file: int) -> npt.NDArray[np.int64]:
    """The positions of a file's chunks: they stand together, in the order of the files."""
    first, end = np.searchsorted(index.chunk_file, [file, file + 1])
    return np.arange(first, end)


def _own_chunks(index: Index, hidden: Mapping[int, Sequence[LineRange]]) -> npt.NDArray[np.bool_]:
    """Chunks of which at least half of the lines are changed code. Shape (N,)."""
    own = np.zeros(len(index), dtype=bool)
    for file, ranges in hidden.items():
        rows = _chunks_of(index, file)
        if not len(rows):
            continue
        lines = index.tables.chunk_lines[rows]
        covered = np.zeros(int(lines[:, 1].max()) + 2, dtype=np.int64)
        for first, last in ranges:
            covered[first : last + 1] = 1
        sums = np.concatenate([[0], np.cumsum(covered)])
        inside = sums[lines[:, 1] + 1] - sums[lines[:, 0]]
        own[rows] = 2 * inside >= lines[:, 1] - lines[:, 0] + 1
    return own


def _paths(files: Sequence[FileChange]) -> list[str]:
    """The paths of changed files, and those that they had before."""
    return list(dict.fromkeys(path for file in files for path in (file.path, file.old_path)))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

"""The only module that talks to git: which tracked files a tree holds, and what stands in them.

Three kinds of tree can be asked for: ``worktree`` (tracked files as they lie on disk), ``index`` (what is staged)
and any commit. All three become the same thing, a `Snapshot` of (path, mode, blob id), so that the same content
gives the same pack however it was reached.

Blobs are read raw: no smudge filter, no line-ending conversion, no replacement object, no lazy fetch.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tobler_pack.errors import EnvironmentProblem, UsageError

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # a missing git is our message, not an import error
import git  # noqa: TID251 - the one place

WORKTREE = "worktree"
INDEX = "index"

SYMLINK_MODE = 0o120000
SUBMODULE_MODE = 0o160000

# Larger files are never shown, so no more of their bytes than this is ever held in memory.
_KEPT_BYTES = 2_000_000

_PIECE_BYTES = 1 << 20
_REFETCH = "a partial clone needs it fetched first: git fetch --refetch --no-filter"

_HERMETIC = {
    "GIT_OPTIONAL_LOCKS": "0",  # looking must not rewrite the user's index
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone must not fetch behind our back
    "GIT_NO_REPLACE_OBJECTS": "1",  # replacement refs are local; a pack depends on the tree alone
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}


# What git hands to a hook. It means the repository that the hook runs in, and no other.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")


@dataclass(frozen=True, slots=True)
class Entry:
    """One tracked path. `path` is relative to the root with ``/``; bytes that are no UTF-8 are surrogate-escaped."""

    path: str
    mode: int
    blob: str


@dataclass(frozen=True)
class Snapshot:
    """A tree at one moment: its entries in the order of their path bytes, and the bytes of changed files on disk."""

    tree_id: str
    entries: tuple[Entry, ...]
    on_disk: dict[str, bytes] = field(default_factory=dict, repr=False)
    is_committed: bool = False
    """Whether git has this tree as an object."""


class Repository:
    """A git repository, asked small questions."""

    def __init__(self, where: Path) -> None:
        """Find the repository around `where`.

        Raises EnvironmentProblem if there is none or git refuses to look at it.
        """
        self._git = git.Git(str(where))
        self._git.update_environment(**_HERMETIC)
        top, self._object_format = self._discover(where)
        self.root = Path(top) if top else None
        if self.root is not None:
            self._git = git.Git(str(self.root))
            self._git.update_environment(**_HERMETIC)

    def _discover(self, where: Path) -> tuple[str, str]:
        """The root of the work tree, empty for a bare repository, and the kind of object ids."""
        if not where.is_dir():
            raise EnvironmentProblem(f"{where} is not a folder; name one inside a git repository with --repo")
        try:
            facts = ("--is-bare-repository", "--is-inside-git-dir", "--show-object-format")
            told = self._run("rev-parse", *facts).decode().splitlines()
        except git.exc.GitCommandNotFound:
            raise EnvironmentProblem("git is not installed or not on PATH; install git 2.29 or newer") from None
        except git.exc.GitCommandError as error:
            said = _first_line(error.stderr)
            if "dubious ownership" in error.stderr:
                raise EnvironmentProblem(
                    f"git does not trust {where}, which another user owns; "
                    f"type: git config --global --add safe.directory {where}"
                ) from None
            raise EnvironmentProblem(
                f"{where} is not inside a git repository ({said}); go to one, name one with --repo, or type: git init"
            ) from None
        bare, inside, object_format = told
        if bare == "true":
            return "", object_format
        if inside == "true":
            raise EnvironmentProblem(
                f"{where} is in the folder of git itself; go to the work tree, or name it with --repo"
            )
        return os.fsdecode(self._run("rev-parse", "--show-toplevel")).removesuffix("\n"), object_format

    def _run(self, *arguments: str, given: bytes | None = None, env: dict[str, str] | None = None) -> bytes:
        """Run git and return the bytes that it prints."""
        with tempfile.TemporaryFile() as feed:
            if given is not None:
                feed.write(given)
                feed.seek(0)
            printed = self._git.execute(
                ["git", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false", *arguments],
                istream=feed,
                env=env,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        assert isinstance(printed, bytes)
        return printed

    @cached_property
    def common_dir(self) -> Path:
        """The folder of git itself that all work trees of this repository share."""
        told = os.fsdecode(self._run("rev-parse", "--git-common-dir")).removesuffix("\n")
        return Path(self._git.working_dir or ".") / told

    def ask(self, *arguments: str, given: bytes | None = None) -> bytes | None:
        """What git prints for a read-only question about commits; None if it says no.

        Names that a user gave must stand behind ``--end-of-options``.
        """
        try:
            return self._run(*arguments, given=given)
        except git.exc.GitCommandError:
            return None

    @property
    def is_shallow(self) -> bool:
        """Whether the history of this clone is cut off."""
        return self.ask("rev-parse", "--is-shallow-repository") == b"true\n"

    @property
    def object_format(self) -> str:
        """The kind of object ids: sha1 or sha256."""
        return self._object_format

    @contextmanager
    def comparing(self) -> Iterator[Comparer]:
        """What compares trees of this repository. Its scratch folder lasts as long as the context."""
        with tempfile.TemporaryDirectory(prefix="tobler-pack-") as scratch:
            yield Comparer(self, Path(scratch))

    def snapshot(self, tree: str) -> Snapshot:
        """List the tracked files of `tree`: ``worktree``, ``index`` or anything that names a commit or tree.

        Raises UsageError if the name is not one, EnvironmentProblem if the object is not in this clone.
        """
        if tree == WORKTREE:
            return self._worktree()
        if tree == INDEX:
            return self._finish(self._without_intended(self._staged()))
        return self._committed(tree)

    def read(self, snapshot: Snapshot, entry: Entry) -> bytes:
        """The raw bytes of one file of a snapshot.

        Raises EnvironmentProblem if the blob is not in this clone.
        """
        kept = snapshot.on_disk.get(entry.path)
        return self.read_blob(entry.blob, entry.path) if kept is None else kept

    def tree_id(self, entries: Iterable[Entry]) -> str:
        """The id of a tree that holds just these entries, which stand in the order of a snapshot."""
        return _tree_id(tuple(entries), self._object_format)

    def blob_id(self, data: bytes) -> str:
        """The id that git would give these bytes."""
        return self._hash([data], len(data))

    def read_blob(self, blob: str, path: str) -> bytes:
        """The raw bytes of a blob, of a very large one only the first; `path` is what a message calls it.

        Raises EnvironmentProblem if the blob is not in this clone.
        """
        batch = self._batch
        batch.stdin.write(blob.encode() + b"\n")
        batch.stdin.flush()
        told = batch.stdout.readline().split()
        if len(told) != 3:
            raise EnvironmentProblem(f"the content of {path!r} (blob {blob[:12]}) is not in this clone; {_REFETCH}")
        size = int(told[2])
        data = batch.stdout.read(min(size, _KEPT_BYTES + 1))
        for skipped in range(size + 1, len(data), -_PIECE_BYTES):  # with the line end behind it
            batch.stdout.read(min(skipped - len(data), _PIECE_BYTES))
        assert isinstance(data, bytes)
        return data

    @cached_property
    def _batch(self) -> git.Git.AutoInterrupt:
        """One git that reads all blobs. (GitPython has its own, which knows no SHA-256.)"""
        process = self._git.execute(["git", "cat-file", "--batch"], istream=subprocess.PIPE, as_process=True)
        assert isinstance(process, git.Git.AutoInterrupt)
        weakref.finalize(self, _end, process)
        return process

    def _committed(self, name: str) -> Snapshot:
        if name.startswith("-") or not name.strip() or "\0" in name:
            raise UsageError(f"--tree {name!r} is not a commit; use worktree, index or the name of a commit")
        try:
            # A folder of a commit is asked for in two steps: behind a path, git takes `^{tree}` for a part of it.
            asked = self._run("rev-parse", "--verify", "--quiet", name).decode().strip() if ":" in name else name
            found = self._run("rev-parse", "--verify", "--quiet", f"{asked}^{{tree}}").decode().strip()
            listed = self._run("ls-tree", "-r", "-z", "--full-tree", found)
        except git.exc.GitCommandError:
            raise EnvironmentProblem(
                f"there is no commit {name!r} in this clone; see git branch --all, or fetch it: git fetch origin {name}"
            ) from None
        entries = (_entry(line, blob_at=2) for line in listed.split(b"\0") if line)
        return Snapshot(found, tuple(sorted(entries, key=lambda entry: _bytes(entry.path))), is_committed=True)

    def _staged(self) -> list[Entry]:
        listed = self._run("ls-files", "--stage", "-z", "--full-name")
        entries: dict[str, Entry] = {}
        for line in listed.split(b"\0"):
            if line:
                stage = line.split(b"\t", 1)[0].split(b" ")[2]
                entry = _entry(line, blob_at=1)
                if stage in (b"0", b"2"):  # of an unresolved conflict, our side
                    entries[entry.path] = entry
        return list(entries.values())

    def _without_intended(self, entries: list[Entry]) -> list[Entry]:
        """The entries that a commit would have: `git add --intent-to-add` only announces a file, with an empty blob."""
        empty = self._hash([], 0)
        if self.root is None or all(entry.blob != empty for entry in entries):
            return entries
        listed = self._run("diff-files", "-z", "--name-only", "--diff-filter=A", "--ignore-submodules=all")
        announced = {_text(name) for name in listed.split(b"\0")}
        return [entry for entry in entries if entry.blob != empty or entry.path not in announced]

    def _worktree(self) -> Snapshot:
        if self.root is None:
            raise EnvironmentProblem("a bare repository has no work tree; name a commit: --tree HEAD")
        entries = {entry.path: entry for entry in self._staged()}
        on_disk: dict[str, bytes] = {}
        changed = self._run("diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=all")
        for path in (_text(name) for name in changed.split(b"\0") if name):
            entry, data = self._from_disk(self.root, path)
            entries.pop(path, None)
            if entry is not None:
                entries[path] = entry
                on_disk[path] = data
        return self._finish(entries.values(), on_disk)

    def _from_disk(self, root: Path, path: str) -> tuple[Entry | None, bytes]:
        """The entry of a changed file as it lies on disk; None where it is gone."""
        place = Path(os.fsdecode(os.fsencode(root / "x")[:-1] + _bytes(path)))
        if any(folder.is_symlink() for folder in place.parents if folder.is_relative_to(root) and folder != root):
            return None, b""  # to git what lies behind a link is gone; it may be anybody's file
        try:
            found = place.lstat()
            if stat.S_ISLNK(found.st_mode):
                data = os.fsencode(place.readlink())
                return Entry(path, SYMLINK_MODE, self._hash([data], len(data))), data
            if not stat.S_ISREG(found.st_mode):
                return None, b""
            mode = 0o100755 if found.st_mode & stat.S_IXUSR else 0o100644
            if found.st_size > _KEPT_BYTES:
                with place.open("rb") as file:
                    pieces = iter(lambda: file.read(_PIECE_BYTES), b"")
                    return Entry(path, mode, self._hash(pieces, found.st_size)), b"\0" * (_KEPT_BYTES + 1)
            data = place.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None, b""
        except OSError as error:
            raise EnvironmentProblem(f"cannot read {path!r}: {error.strerror}; check its permissions") from None
        return Entry(path, mode, self._hash([data], len(data))), data

    def _hash(self, pieces: Iterable[bytes], size: int) -> str:
        """The blob id that git would give these bytes."""
        digest = hashlib.new(self._object_format, b"blob %d\0" % size, usedforsecurity=False)
        for piece in pieces:
            digest.update(piece)
        return digest.hexdigest()

    def _finish(self, entries: Iterable[Entry], on_disk: dict[str, bytes] | None = None) -> Snapshot:
        ordered = tuple(sorted(entries, key=lambda entry: _bytes(entry.path)))
        return Snapshot(_tree_id(ordered, self._object_format), ordered, on_disk or {})

    def with_attribute(self, snapshot: Snapshot, attribute: str) -> frozenset[str]:
        """The paths for which the snapshot's own ``.gitattributes`` set `attribute`.

        git itself decides, in an empty throw-away repository that holds only these paths and attribute files:
        neither the user's attribute files nor ``info/attributes`` may reach a pack.
        """
        rules = [
            e for e in snapshot.entries if e.path.rsplit("/", 1)[-1] == ".gitattributes" and e.mode != SYMLINK_MODE
        ]
        texts = {entry.path: self.read(snapshot, entry) for entry in rules}
        if not any(attribute.encode() in text for text in texts.values()):
            return frozenset()
        with tempfile.TemporaryDirectory(prefix="tobler-pack-") as scratch:
            return self._ask_attribute(Path(scratch), snapshot, texts, attribute)

    def _ask_attribute(
        self, scratch: Path, snapshot: Snapshot, texts: dict[str, bytes], attribute: str
    ) -> frozenset[str]:
        alone = {
            "GIT_DIR": str(scratch / "git"),
            "GIT_INDEX_FILE": str(scratch / "git/index"),
            "GIT_WORK_TREE": str(scratch),
        }
        self._run("init", "--quiet", "--template=", f"--object-format={self._object_format}", env=alone)
        written: dict[str, str] = {}
        for path, text in texts.items():
            told = self._run("hash-object", "-w", "--no-filters", "--stdin", given=text, env=alone)
            written[path] = told.decode().strip()
        listing = b"".join(
            b"100644 %s\t%s\0" % (written.get(e.path, e.blob).encode(), _bytes(e.path)) for e in snapshot.entries
        )
        self._run("update-index", "-z", "--index-info", given=listing, env=alone)
        paths = b"".join(_bytes(entry.path) + b"\0" for entry in snapshot.entries)
        arguments = ["-c", f"core.attributesFile={os.devnull}", "check-attr", "--cached", "-z", "--stdin", attribute]
        answers = self._run(*arguments, given=paths, env=alone).split(b"\0")
        values = zip(answers[0::3], answers[2::3], strict=False)
        return frozenset(_text(path) for path, value in values if value not in (b"unspecified", b"unset", b"false"))


class Comparer:
    """Compares trees in an empty throw-away repository that borrows the objects of another one: neither the user's
    configuration nor attribute files, filters and drivers reach what it says.
    """

    def __init__(self, repository: Repository, scratch: Path) -> None:
        self._repository = repository
        self._scratch = scratch
        self._trees: dict[str, str] = {}

    def differences(self, before: Snapshot | str, after: Snapshot | str, *arguments: str) -> bytes:
        """What ``git diff-tree`` prints for two snapshots or ids of commits.

        Raises EnvironmentProblem if this clone lacks some of their content.
        """
        command = ["-c", f"core.attributesFile={os.devnull}", "diff-tree", "-r", "--no-ext-diff", "--no-textconv"]
        try:
            trees = [one if isinstance(one, str) else self._tree(one) for one in (before, after)]
            return self._repository._run(*command, *arguments, *trees, env=self._alone)
        except git.exc.GitCommandError as error:
            raise EnvironmentProblem(
                f"git cannot compare the two trees ({_first_line(error.stderr)}); {_REFETCH}"
            ) from None

    def _tree(self, snapshot: Snapshot) -> str:
        """The id of a snapshot's tree, which is written first where no commit has it."""
        if snapshot.is_committed:
            return snapshot.tree_id
        if snapshot.tree_id not in self._trees:
            self._trees[snapshot.tree_id] = self._written(snapshot)
        return self._trees[snapshot.tree_id]

    def _written(self, snapshot: Snapshot) -> str:
        run, scratch, alone = self._repository._run, self._scratch, self._alone
        blobs: dict[str, str] = {}
        large = [entry for entry in snapshot.entries if len(snapshot.on_disk.get(entry.path, b"")) > _KEPT_BYTES]
        known = {entry.path for entry in large if self._repository.ask("cat-file", "-e", entry.blob) is not None}
        for at, (path, data) in enumerate(snapshot.on_disk.items()):
            if path in known:  # its bytes were not kept, but git has them: only its time stamp is new
                continue
            (scratch / str(at)).write_bytes(data)
            blobs[path] = str(scratch / str(at))
        if blobs:
            names = "".join(f"{place}\n" for place in blobs.values()).encode()
            told = run("hash-object", "-w", "--no-filters", "--stdin-paths", given=names, env=alone)
            blobs = dict(zip(blobs, told.decode().split(), strict=True))
        (scratch / "git/index").unlink(missing_ok=True)
        rows = [b"%o %s\t%s\0" % (e.mode, blobs.get(e.path, e.blob).encode(), _bytes(e.path)) for e in snapshot.entries]
        run("update-index", "-z", "--index-info", given=b"".join(rows), env=alone)
        return run("write-tree", "--missing-ok", env=alone).decode().strip()

    @cached_property
    def _alone(self) -> dict[str, str]:
        """The environment of a repository that has the objects of the other one and none of its settings."""
        run, scratch = self._repository._run, self._scratch
        told = run("rev-parse", "--git-path", "objects")
        place = Path(self._repository._git.working_dir or ".") / os.fsdecode(told).removesuffix("\n")
        borrowed = [_in_list(str(place))]
        borrowed += filter(None, [os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")])
        alone = {
            "GIT_DIR": str(scratch / "git"),
            "GIT_INDEX_FILE": str(scratch / "git/index"),
            "GIT_OBJECT_DIRECTORY": str(scratch / "git/objects"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_COUNT": "0",  # what `git -c name=value commit` hands to a hook
            "GIT_CONFIG_PARAMETERS": "",
            "GIT_DIFF_OPTS": "",
        }
        run("init", "--quiet", "--bare", "--template=", f"--object-format={self._repository.object_format}", env=alone)
        return alone | {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(borrowed)}


def find_repository(named: Path | None) -> Repository:
    """The repository that --repo names, or the one around the current folder."""
    if named is not None:
        for variable in _HOOK_VARIABLES:
            os.environ.pop(variable, None)
    return Repository(Path.cwd() if named is None else named)


def _in_list(path: str) -> str:
    """A path as one entry of GIT_ALTERNATE_OBJECT_DIRECTORIES, quoted where git would cut it in two."""
    if os.pathsep not in path:
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _end(process: git.Git.AutoInterrupt) -> None:
    """Let a git that reads from us end; held by a finalizer, so that its pipes are not collected before itself."""
    process.stdin.close()


def _entry(line: bytes, *, blob_at: int) -> Entry:
    facts, path = line.split(b"\t", 1)
    words = facts.split(b" ")
    return Entry(_text(path), int(words[0], 8), words[blob_at].decode())


def _text(path: bytes) -> str:
    """A path as text; not `os.fsdecode`, whose answer depends on the locale."""
    return path.decode("utf-8", "surrogateescape")


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _tree_id(entries: Sequence[Entry], object_format: str) -> str:
    """The id that git would give the tree of these entries, without writing it."""
    root: dict[bytes, object] = {}
    for entry in entries:
        folder = root
        *parents, name = _bytes(entry.path).split(b"/")
        for parent in parents:
            below = folder.setdefault(parent, {})
            assert isinstance(below, dict)
            folder = below
        folder[name] = entry
    return _hash_folder(root, object_format).hex()


def _hash_folder(folder: dict[bytes, object], object_format: str) -> bytes:
    rows: list[tuple[bytes, bytes]] = []
    for name, item in folder.items():
        if isinstance(item, Entry):
            rows.append((name, b"%o %s\0%s" % (item.mode, name, bytes.fromhex(item.blob))))
        else:
            assert isinstance(item, dict)
            rows.append((name + b"/", b"40000 %s\0%s" % (name, _hash_folder(item, object_format))))
    body = b"".join(row for _, row in sorted(rows))
    return hashlib.new(object_format, b"tree %d\0%s" % (len(body), body), usedforsecurity=False).digest()


def _first_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0].strip().removeprefix("stderr: '").removesuffix("'") if lines else "no reason given"

"""Git clones as the benchmarks use them: found by name and commit, read by us, laid out as plain files for peers."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Checkout:
    """One folder of one commit of a clone (folder "": all of it)."""

    name: str
    clone: Path
    commit: str
    folder: str = ""

    @property
    def tree(self) -> str:
        """What git and `tobler-pack --tree` call it."""
        return f"{self.commit}:{self.folder}" if self.folder else self.commit

    @property
    def prefix(self) -> str:
        """What stands before the paths of the folder to make them paths of the repository."""
        return f"{self.folder.rstrip('/')}/" if self.folder else ""


def git(clone: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    """What git prints."""
    command = ["git", "-C", str(clone), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **(env or {})})
    return done.stdout.decode().strip()


def find(name: str, commit: str, folder: str, roots: Sequence[Path]) -> Checkout | None:
    """The first clone of this name that holds the commit (and the folder); None if there is none."""
    for root in roots:
        clone = root / name
        checkout = Checkout(name, clone, commit, folder)
        if (clone / ".git").exists() and _has(clone, checkout.tree):
            return checkout
    return None


def _has(clone: Path, tree: str) -> bool:
    command = ["git", "-C", str(clone), "cat-file", "-e", tree]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def lay_out(checkout: Checkout, work: Path) -> Path:
    """The tracked files of a checkout in a folder of its own, without a repository around them."""
    place = work / "trees" / f"{checkout.name}-{checkout.commit[:12]}{checkout.folder.replace('/', '-')}"
    if place.exists():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".part-", dir=place.parent))
    index = {"GIT_INDEX_FILE": str(scratch / "index")}
    git(checkout.clone, "read-tree", checkout.tree, env=index)
    (scratch / "tree").mkdir()
    git(checkout.clone, "checkout-index", "--all", f"--prefix={scratch / 'tree'}/", env=index)
    (scratch / "tree").rename(place)
    shutil.rmtree(scratch)
    return place


def clone_at(clone: Path, place: Path, commit: str) -> None:
    """A fresh clone with the files of one commit, every file as new as a checkout makes it."""
    shutil.rmtree(place, ignore_errors=True)
    git(clone, "clone", "--quiet", "--no-checkout", "--", str(clone.resolve()), str(place))
    git(place, "checkout", "--quiet", "--detach", commit)

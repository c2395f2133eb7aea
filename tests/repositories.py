"""Real git repositories in temporary folders."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.invalid",
    "GIT_AUTHOR_DATE": "2001-02-03T04:05:06Z",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.invalid",
    "GIT_COMMITTER_DATE": "2001-02-03T04:05:06Z",
}

Content = str | bytes


def git(where: Path, *arguments: str | bytes | Path, given: bytes = b"", **variables: str) -> str:
    """Run git; its answer without the last line end."""
    done = subprocess.run(
        ["git", *arguments], cwd=where, input=given, env=os.environ | variables, capture_output=True, check=False
    )
    assert done.returncode == 0, f"git {arguments}: {done.stderr.decode()}"
    return os.fsdecode(done.stdout).removesuffix("\n")


def write(root: Path, files: Mapping[str, Content]) -> None:
    """Write files below a folder; text is written as UTF-8 with its line ends as they are."""
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def commit(root: Path, files: Mapping[str, Content] | None = None) -> str:
    """Write files, stage everything, commit; the new commit's id."""
    write(root, files or {})
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "change")
    return git(root, "rev-parse", "HEAD")


def create(root: Path, files: Mapping[str, Content] | None = None, object_format: str = "sha1") -> Path:
    """A repository at `root` with one commit that holds these files."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "--quiet", "--initial-branch=main", f"--object-format={object_format}")
    commit(root, files)
    return root


def tree_of(root: Path, commit_name: str = "HEAD") -> str:
    """The id that git gives a commit's tree."""
    return git(root, "rev-parse", f"{commit_name}^{{tree}}")

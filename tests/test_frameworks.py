"""The hook as pre-commit and prek run it: from `.pre-commit-hooks.yaml` of a clone of this repository.

Both install the hook with pip into an environment of their own. The dependencies come from where these tests run, so
that nothing is downloaded; that they install from an index is what the packaging tests of CI show.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from console import environment
from repositories import SHOP, commit, create, git, write

PROJECT = Path(__file__).parent.parent
AUTH = "src/auth.py"
OTHER_AUTH = str(SHOP[AUTH]).replace("authenticate", "identify")
FRAMEWORKS = ("pre-commit", "prek")

pytestmark = pytest.mark.skipif(
    not (PROJECT / ".pre-commit-hooks.yaml").is_file(), reason="not in a checkout of the project"
)


@dataclass(frozen=True)
class Framework:
    """One of the programs that run hooks, in a repository of its own."""

    program: str
    root: Path
    variables: dict[str, str | Path | None]

    def __call__(self, *arguments: str | Path) -> tuple[int, str]:
        return self.run(self.program, *arguments)

    def run(self, *command: str | Path) -> tuple[int, str]:
        done = subprocess.run([*map(str, command)], cwd=self.root, env=environment(self.variables), capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode()

    def commit(self, *arguments: str) -> tuple[int, str]:
        return self.run("git", "commit", "--message", "x", *arguments)


def program(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as a repository of hooks, committed as it lies here."""
    root = tmp_path_factory.mktemp("published") / "tobler_pack"
    root.mkdir()
    for name in ("tobler_pack", ".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"):
        place = PROJECT / name
        ignored = shutil.ignore_patterns("__pycache__")
        _ = shutil.copytree(place, root / name, ignore=ignored) if place.is_dir() else shutil.copy(place, root / name)
    about = root / "pyproject.toml"
    about.write_text(re.sub(r"^dependencies = \[.*?^\]", "dependencies = []", about.read_text(), flags=re.M | re.S))
    return create(root)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the environments of hooks are kept, so that each framework installs once."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest, tmp_path: Path, published: Path, homes: Path) -> Framework:
    """A repository whose hook configuration is the one that README shows."""
    name = str(request.param)
    root = create(tmp_path / "shop", SHOP)
    revision = git(published, "rev-parse", "HEAD")
    hooks = f"repos:\n  - repo: {published}\n    rev: {revision}\n    hooks: [{{id: tobler-pack}}]\n"
    commit(root, {".pre-commit-config.yaml": hooks})
    return Framework(
        program(name),
        root,
        {
            "PRE_COMMIT_HOME": homes / "pre-commit",
            "PREK_HOME": homes / "prek",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # so pip spells "without isolation"
            "UV_NO_BUILD_ISOLATION": "1",
            "UV_OFFLINE": "1",
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GIT_TEMPLATE_DIR": None,
        },
    )


def test_real_commits(framework: Framework) -> None:
    assert framework("install")[0] == 0
    write(framework.root, {AUTH: OTHER_AUTH})
    git(framework.root, "add", AUTH)
    code, said = framework.commit()
    assert code == 1, said
    assert "context/auth-flow.md: created" in said
    assert "commit again" in said
    git(framework.root, "add", "context")
    code, said = framework.commit()
    assert code == 0, said
    assert "Passed" in said
    assert git(framework.root, "status", "--porcelain") == ""


def test_a_partly_staged_file_and_a_draft(framework: Framework) -> None:
    """The framework puts unstaged changes aside and back; drafts that git does not know of stay where they are."""
    framework("install")
    draft = "def authenticated_secretly(request):\n    return request\n"
    write(framework.root, {AUTH: OTHER_AUTH})
    git(framework.root, "add", AUTH)
    write(framework.root, {AUTH: f"{OTHER_AUTH}\n\n{draft}", "src/draft.py": draft})
    assert framework.commit()[0] == 1
    git(framework.root, "add", "context")
    code, said = framework.commit()
    assert code == 0, said
    assert "secretly" not in git(framework.root, "show", "HEAD")
    assert git(framework.root, "status", "--porcelain") == f" M {AUTH}\n?? src/draft.py"
    assert draft in (framework.root / AUTH).read_text()


def test_a_commit_that_only_deletes(framework: Framework) -> None:
    framework("install")
    framework("run", "--all-files")
    commit_quietly(framework)
    git(framework.root, "rm", "--quiet", AUTH)
    code, said = framework.commit()
    assert code == 1, said
    assert "context/auth-flow.md: refreshed" in said


def commit_quietly(framework: Framework) -> None:
    git(framework.root, "add", "--all")
    git(framework.root, "commit", "--quiet", "--no-verify", "--message", "x")


def test_all_files_twice_and_a_worktree(framework: Framework, tmp_path: Path) -> None:
    framework("install")
    assert framework("run", "--all-files")[0] == 1
    assert framework("run", "--all-files")[0] == 0
    commit_quietly(framework)
    git(framework.root, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    elsewhere = Framework(framework.program, tmp_path / "tree", framework.variables)
    write(elsewhere.root, {AUTH: OTHER_AUTH})
    assert elsewhere.commit("--all")[0] == 1
    assert elsewhere.commit("--all")[0] == 0
    assert git(framework.root, "status", "--porcelain") == ""


def test_trying_the_repository_of_hooks(framework: Framework, published: Path) -> None:
    code, said = framework("try-repo", published, "tobler-pack-check", "--all-files", "--verbose")
    assert code == 1, said
    assert "context/auth-flow.md: stale" in said
    assert not (framework.root / "context").exists()

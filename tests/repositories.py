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


SHOP: dict[str, Content] = {
    "README.md": "# Shop\n\nA shop with accounts.\n\n## Accounts\n\nEach customer has one account.\n",
    "settings.toml": '[shop]\nname = "corner"\n',
    "src/auth.py": '''"""Who may do what."""

import hashlib

SALT = b"pepper"


def hash_password(password: str) -> str:
    """The password as it is kept."""
    return hashlib.sha256(SALT + password.encode()).hexdigest()


def authenticate(request, users):
    """Tell which user a request comes from.

    Raises PermissionError if the password is wrong.
    """
    user = users[request.name]
    if user.password != hash_password(request.password):
        raise PermissionError(request.name)
    return user


class Roles:
    """Which user has which role."""

    def __init__(self):
        self.roles = {}

    def grant(self, user, role):
        """Give a user a role."""
        self.roles.setdefault(user, set()).add(role)

    def check(self, user, role):
        """Whether a user has a role."""
        return role in self.roles.get(user, ())
''',
    "src/storage.py": '''"""Where orders are kept."""

import json


class Storage:
    """Orders in a folder, one file each."""

    def __init__(self, folder):
        self.folder = folder

    def save(self, order):
        """Write an order to its file."""
        (self.folder / f"{order['number']}.json").write_text(json.dumps(order))

    def load(self, number):
        """Read an order from its file."""
        return json.loads((self.folder / f"{number}.json").read_text())


def total_price(order):
    """What an order costs, tax included."""
    net = sum(item["price"] * item["count"] for item in order["items"])
    return round(net * 1.19, 2)
''',
    "src/session.go": """package shop

// Session remembers a user between requests.
type Session struct {
	User    string
	Expires int64
}

// Refresh moves the end of a session.
func (s *Session) Refresh(now int64) {
	s.Expires = now + 3600
}
""",
    "web/cart.ts": """/** Adds an item to the cart and tells the server. */
export async function addToCart(item: Item, count: number): Promise<Cart> {
  const answer = await fetch("/cart", { method: "POST", body: JSON.stringify({ item, count }) });
  return answer.json();
}

export class Cart {
  constructor(private items: Item[]) {}

  /** The number of things in the cart. */
  size(): number {
    return this.items.length;
  }
}
""",
    "tests/test_auth.py": """from auth import Roles


def test_roles():
    roles = Roles()
    roles.grant("ann", "admin")
    assert roles.check("ann", "admin")
""",
    ".tobler-pack.yaml": """version: 1
queries:
  - id: auth-flow
    ask: how is a request authenticated
    budget: 400
  - id: roles
    ask: how are roles granted
    session: auth
    budget: 300
  - id: roles-check
    ask: where are roles of a user checked
    session: auth
    budget: 300
  - id: storage
    ask: how is an order saved to its file
    paths: ["src/**"]
""",
}
"""A small shop in several languages, with a configuration."""

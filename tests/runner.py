"""GitHub Actions on this machine: `act` runs workflows for real, beside a stand-in for GitHub's API.

The actions of others that ours builds on (cache, artifact) are replaced by stand-ins that copy folders.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from console import environment
from repositories import create, git, write

PROJECT = Path(__file__).parent.parent
ACTION = "tobler/tobler_pack"
BOT = {"login": "github-actions[bot]", "type": "Bot"}
TOKEN = "ghs_" + "t" * 36

_RESTORE = """
name: restore
description: stand-in
inputs: {path: {description: x}, key: {description: x}, restore-keys: {description: x}}
outputs: {cache-hit: {description: x, value: "${{ steps.it.outputs.cache-hit }}"}}
runs:
  using: composite
  steps:
    - id: it
      shell: bash
      env: {WHERE: "${{ inputs.path }}", KEY: "${{ inputs.key }}", NEAREST: "${{ inputs.restore-keys }}"}
      run: |
        printf '%s\\n' "$NEAREST" > "$STAND_IN/asked-for"
        if [ -d "$STAND_IN/cache/$KEY" ]; then
          cp -rp "$STAND_IN/cache/$KEY/." "$WHERE"; echo "cache-hit=true" >> "$GITHUB_OUTPUT"
        else
          while read -r prefix; do
            found=$(ls -td "$STAND_IN/cache/$prefix"* 2>/dev/null | head -1)
            if [ -n "$found" ]; then cp -rp "$found/." "$WHERE"; echo "restored $found"; break; fi
          done <<< "$NEAREST"
        fi
"""
_SAVE = """
name: save
description: stand-in
inputs: {path: {description: x}, key: {description: x}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {WHERE: "${{ inputs.path }}", KEY: "${{ inputs.key }}"}
      run: mkdir -p "$STAND_IN/cache" && cp -rp "$WHERE" "$STAND_IN/cache/$KEY"
"""
_UPLOAD = """
name: upload
description: stand-in
inputs:
  name: {description: x}
  path: {description: x}
  if-no-files-found: {description: x}
  overwrite: {description: x}
  retention-days: {description: x}
outputs: {artifact-url: {description: x, value: "${{ steps.it.outputs.artifact-url }}"}}
runs:
  using: composite
  steps:
    - id: it
      shell: bash
      env: {WHERE: "${{ inputs.path }}", NAME: "${{ inputs.name }}", FORCE: "${{ inputs.overwrite }}"}
      run: |
        if [ -d "$STAND_IN/artifacts/$NAME" ] && [ "$FORCE" != true ]; then echo "409 conflict"; exit 1; fi
        rm -rf "$STAND_IN/artifacts/$NAME"; mkdir -p "$STAND_IN/artifacts"; cp -rp "$WHERE" "$STAND_IN/artifacts/$NAME"
        echo "artifact-url=https://github.com/ann/shop/actions/runs/1/artifacts/5" >> "$GITHUB_OUTPUT"
"""
_DOWNLOAD = """
name: download
description: stand-in
inputs: {name: {description: x}, path: {description: x}, run-id: {description: x}, github-token: {description: x}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {WHERE: "${{ inputs.path }}", NAME: "${{ inputs.name }}"}
      run: mkdir -p "$WHERE" && cp -rp "$STAND_IN/artifacts/$NAME/." "$WHERE"
"""
_STAND_INS = {
    "actions/cache": {"restore/action.yml": _RESTORE, "save/action.yml": _SAVE},
    "actions/upload-artifact": {"action.yml": _UPLOAD},
    "actions/download-artifact": {"action.yml": _DOWNLOAD},
}


def prepare(folder: Path) -> list[str]:
    """Write the stand-ins and our own action as repositories; the options that make act use them."""
    own = folder / "own"
    for name in ("action.yml", "post/action.yml", ".ci/install"):
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, own / name)
    create(own)
    options = ["--local-repository", f"{ACTION}@v1={own}"]
    pinned = re.findall(r"uses: ([^/]+/[^/@]+)[^@]*@([0-9a-f]{40})", _texts(own))
    for name, revision in sorted(set(pinned)):
        place = folder / name.replace("/", "-")
        if not place.exists():
            create(place, _STAND_INS[name])
        options += ["--local-repository", f"{name}@{revision}={place}"]
    return options


def _texts(own: Path) -> str:
    return "".join((own / name).read_text() for name in ("action.yml", "post/action.yml"))


@dataclass
class GitHub:
    """What the stand-in for the API holds, and what it was asked."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    is_read_only: bool = False
    failures: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    root: str = ""

    def comment(self, body: str, user: Mapping[str, str] = BOT) -> int:
        """Put a comment there; its number."""
        number = 100 + len(self.comments)
        self.comments.append({"id": number, "body": body, "user": dict(user)})
        return number

    @property
    def written(self) -> list[tuple[str, str]]:
        """The requests that changed something."""
        return [(method, path) for method, path in self.asked if method != "GET" and path != "/graphql"]


class _Handler(BaseHTTPRequestHandler):
    github: ClassVar[GitHub]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        pass

    def _answer(self, status: int, value: object, headers: Mapping[str, str] = {}) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in ({"Content-Length": str(len(body))} | dict(headers)).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def _handle(self) -> None:
        github, parts = self.github, urlsplit(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        given = json.loads(self.rfile.read(size)) if size else {}
        github.asked.append((self.command, parts.path))
        github.tokens.add(str(self.headers.get("Authorization")))
        if github.failures:
            status, headers = github.failures.pop(0)
            self._answer(status, {"message": "wait"}, headers)
        elif parts.path == "/graphql":
            self._answer(200, {"data": {"viewer": {"login": BOT["login"]}}})
        elif self.command == "GET":
            asked = {name: int(values[0]) for name, values in parse_qs(parts.query).items() if values[0].isdigit()}
            found = github.pulls if parts.path.endswith("/pulls") else github.comments
            first = (asked.get("page", 1) - 1) * asked.get("per_page", 30)
            self._answer(200, found[first : first + asked.get("per_page", 30)])
        elif github.is_read_only:
            self._answer(403, {"message": "Resource not accessible by integration"})
        else:
            self._change(parts.path, given)

    def _change(self, path: str, given: dict[str, Any]) -> None:
        github, number = self.github, int(re.sub("[^0-9]", "", path.rpartition("/")[2]) or 0)
        body = str(given.get("body", ""))
        if len(body) > 65_536:
            self._answer(422, {"message": "Body is too long (maximum is 65536 characters)"})
        elif self.command == "POST":
            self._answer(201, {"id": github.comment(body)})
        elif self.command == "DELETE":
            github.comments[:] = [one for one in github.comments if one["id"] != number]
            self._answer(204, None)
        else:
            found = next(one for one in github.comments if one["id"] == number)
            if found["user"] != BOT:
                self._answer(403, {"message": "not yours"})
                return
            found["body"] = body
            self._answer(200, found)

    do_GET = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 - names of the base class


@contextmanager
def serve() -> Iterator[GitHub]:
    """A stand-in for GitHub's API on this machine."""
    github = GitHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"github": github}))
    github.root = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True)
class Ran:
    """How a workflow went."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str
    commands: list[tuple[str, str]]

    def said(self, kind: str) -> list[str]:
        """The annotations of a kind."""
        return [text for name, text in self.commands if name == kind]


_CHECKOUT = """\
      - name: what actions/checkout does
        run: |
          git init --quiet . && git remote add origin "file://$ORIGIN"
          git fetch --quiet --no-tags $DEPTH origin "+$CHECKED_OUT:refs/remotes/checked-out"
          git checkout --quiet --force refs/remotes/checked-out
"""


@dataclass(frozen=True)
class Runner:
    """Runs a job with our action on a checkout of a repository. `scratch` is a folder of its own."""

    act: str
    origin: Path
    scratch: Path
    options: list[str]
    github: GitHub

    @property
    def stand_in(self) -> Path:
        """What outlives a run: caches and artifacts."""
        return self.scratch / "stand-in"

    def __call__(
        self,
        event: str,
        payload: Mapping[str, Any],
        inputs: str = "",
        *,
        uses: str = f"{ACTION}@v1",
        ref: str = "HEAD",
        depth: str = "--depth=1",
        matrix: str = "",
        checkout: bool = True,
        **env: str,
    ) -> Ran:
        """Run a job with our action on an event. `inputs` and `matrix` are YAML in one line."""
        workflow = f"on: {event}\njobs:\n  packs:\n    runs-on: ubuntu-latest\n"
        workflow += f"    strategy: {{matrix: {matrix}}}\n" if matrix else ""
        workflow += f"    steps:\n{_CHECKOUT if checkout else ''}"
        workflow += f"      - uses: {uses}\n        with: {inputs or '{}'}\n"
        jobs = self.scratch / "jobs"
        write(jobs, {".github/workflows/packs.yml": workflow})
        git(jobs, "init", "--quiet")  # act takes the commit of the event from here
        git(jobs, "fetch", "--quiet", f"file://{self.origin}", "HEAD")
        git(jobs, "update-ref", "HEAD", "FETCH_HEAD")
        self.stand_in.mkdir(exist_ok=True)
        env = {"ORIGIN": str(self.origin), "CHECKED_OUT": ref, "DEPTH": depth} | env
        event_file = self.stand_in / "event.json"
        event_file.write_text(json.dumps(payload))
        variables = {
            "GITHUB_API_URL": self.github.root,
            "GITHUB_GRAPHQL_URL": f"{self.github.root}/graphql",
            "STAND_IN": str(self.stand_in),
            "TOBLER_PACK_USE_PYTHON": sys.executable,
            "GITHUB_REPOSITORY": "ann/shop",
            "GITHUB_RUN_ID": "1",
        } | env
        command = [self.act, event, "-P", "ubuntu-latest=-self-hosted", "-e", str(event_file), "--json", *self.options]
        command += ["--no-cache-server", "-s", f"GITHUB_TOKEN={TOKEN}"]
        for name, value in variables.items():
            command += ["--env", f"{name}={value}"]
        home = {"HOME": self.stand_in, "XDG_CACHE_HOME": self.stand_in / "act", "GIT_TEMPLATE_DIR": None}
        done = subprocess.run(command, cwd=jobs, env=environment(home), capture_output=True, timeout=300)
        return _read(done.returncode, (done.stdout + done.stderr).decode())

    @property
    def artifacts(self) -> dict[str, dict[str, bytes]]:
        """The uploaded artifacts: their files by name."""
        folder = self.stand_in / "artifacts"
        found = sorted(folder.iterdir()) if folder.exists() else []
        return {one.name: {file.name: file.read_bytes() for file in sorted(one.iterdir())} for one in found}


def _read(code: int, text: str) -> Ran:
    outputs: dict[str, str] = {}
    commands: list[tuple[str, str]] = []
    summaries: list[str] = []  # each is told twice, by the step inside of our action and by the action
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        kind = row.get("command")
        if kind == "set-output":
            outputs[row["name"]] = row["arg"]
        elif kind == "summary":
            summaries.append(row["content"])
        elif kind in ("notice", "warning", "error"):
            commands.append((kind, row.get("arg", row.get("msg", ""))))
    return Ran(code, text, outputs, "".join(dict.fromkeys(summaries)), commands)

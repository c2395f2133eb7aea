"""The first configuration of a repository, written from nothing but the names of its files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

FEWEST_QUESTIONS = 3
MOST_QUESTIONS = 5

_CODE = re.compile(
    r"\.(c|cc|cpp|cs|clj|dart|ex|exs|go|h|hpp|hs|java|jl|js|jsx|kt|kts|lua|m|mjs|ml|nim|php|pl|ps1|py|r|rb|rs"
    r"|scala|sh|sql|swift|svelte|ts|tsx|vue|zig)$",
    re.IGNORECASE,
)
_DOCS = re.compile(r"\.(md|mdx|markdown|rst|adoc|org|tex)$", re.IGNORECASE)
_ASIDE = re.compile(
    r"(^|/)(docs?|examples?|samples?|benchmarks?|benches|vendor|third_party|node_modules)/", re.IGNORECASE
)
_TEST = re.compile(
    r"(^|/)([Tt]ests?|specs?|__tests__|e2e)/|(^|/)(test_[^/]*|conftest\.py)$"
    r"|[._-](test|tests|spec)\.[a-z]+$|[a-z](Test|Tests|Spec)\.[a-z]+$"
)
_BROUGHT_IN = ("vendor", "third_party", "node_modules")


@dataclass(frozen=True, slots=True)
class _Question:
    id: str
    ask: str


_BY_SIGN = (
    (
        r"(^|/)(routes?|routers?|routing|handlers?|controllers?|endpoints?|middlewares?)(/|\.[a-z]+$)"
        r"|(^|/)(urls|views|wsgi|asgi)\.py$",
        _Question("request-flow", "how does a request travel from its route to the handler"),
    ),
    (
        r"(^|/)(auth|authn|authz|authentication|authorization|oauth2?|login|permissions?|acl)(/|\.[a-z]+$)",
        _Question("authentication", "how is a user authenticated and where are permissions checked"),
    ),
    (
        r"(^|/)(migrations?|alembic|db|databases?)(/|\.[a-z]+$)|(^|/)schema\.(sql|rb)$",
        _Question("database", "how are database tables defined, queried and migrated"),
    ),
    (
        r"(^|/)(cli|cmd|commands?|argparse|bin)(/|\.[a-z]+$)"
        r"|(^|/)(__main__\.py|main\.(go|rs|c|cc|cpp)|manage\.py)$",
        _Question("command-line", "how are command line arguments parsed and handed to the working code"),
    ),
    (
        r"(^|/)(configs?|configuration|conf|settings|options|preferences)(/|\.[a-z]+$)",
        _Question("configuration", "how is configuration loaded, merged and validated"),
    ),
    (
        r"(^|/)(errors?|exceptions?|failures?)(/|\.[a-z]+$)",
        _Question("errors", "how are errors created, reported and handled"),
    ),
    (
        r"(^|/)(scripts?|tools?|ci|\.github)/"
        r"|(^|/)(setup\.py|noxfile\.py|tasks\.py|build\.rs|(gulp|rollup|vite|webpack)[^/]*\.[jt]s)$",
        _Question("build", "how is the project built, checked and released"),
    ),
)
"""Signs in the names of code files, and the questions they call for; the first ones matter most."""

_TESTS = _Question("tests", "how are the tests organised and which fixtures do they share")

_ABOUT_ANY_CODE = (
    _Question("entry-points", "what are the main entry points and how does control flow from them"),
    _Question("errors", "how are errors created, reported and handled"),
    _Question("testing", "how is the code tested"),
    _Question("data", "what are the central data structures and which code changes them"),
)
_ABOUT_ANY_TEXT = (
    _Question("overview", "what is this repository for and how are its documents organised"),
    _Question("first-steps", "what has to be installed and known before starting"),
    _Question("rules", "which rules, conventions and decisions do the documents lay down"),
)

_TEMPLATE = """\
# The questions that `tobler-pack build` answers, each with one context pack:
# a markdown file with the code that matters for the question, inside a token
# budget. Type `tobler-pack build` after a change here.
#
# If packs are committed, this line in .gitattributes folds them away in diffs:
#   {out}/*.md linguist-generated

version: 1

# Folder for the packs, from the root of the repository (default: context).
# It is never searched itself.
out: {out}

# Tokens per pack, 200 to 200000; the whole file counts (default: 2000).
budget: 2000

# The embedding model (default: embedded, which needs no network). Others are
# the folder of a model2vec model, or hub:NAME@REVISION with a fixed revision.
model: embedded

# The tokenizer that counts: o200k_base (default) or cl100k_base.
tokens: o200k_base

# What packs look at: any of code, docs, config (default: [code]).
content: [{content}]

# Paths never looked at; patterns as in .gitignore (default: none).
exclude: [{exclude}]

# Keep a log of scores on this machine for `tobler-pack tune` and `migrate`
# (default: true). Nothing is ever sent.
telemetry: true

# One pack for each question. A question may also have
#   budget: 3000         its own budget
#   paths: ["src/**"]    the only paths it looks at
#   session: NAME        questions of one session remember the ones before them
#   surface: NAME        the surface it belongs to (default: batch)
queries:
{queries}

# Surfaces are the places where packs are pushed: pull-request, commit, batch,
# or your own. Each has two dials: floor (0 to 1, a similarity below which code
# is not worth ranking) and budget.
# surfaces:
#   pull-request: {{budget: 6000}}
"""


def starter_config(paths: Sequence[str]) -> str:
    """A commented configuration with questions that fit a repository with these tracked paths."""
    code = [path for path in paths if _CODE.search(path)]
    docs = [path for path in paths if _DOCS.search(path)]
    questions = _questions(code, docs)
    return _TEMPLATE.format(
        out=_out(paths),
        content="code, docs" if len(docs) > len(code) else "code",
        exclude=", ".join(f'"{pattern}"' for pattern in _exclude(paths)),
        queries="\n".join(f"  - id: {question.id}\n    ask: {question.ask}" for question in questions),
    )


def _questions(code: Sequence[str], docs: Sequence[str]) -> list[_Question]:
    """What the names of the files call for, filled up with what can be asked of any repository."""
    fitting = list(_fitting(code))[:MOST_QUESTIONS]
    general = _ABOUT_ANY_TEXT if docs and not code else _ABOUT_ANY_CODE
    has_tests = _TESTS in fitting
    taken = {question.id for question in fitting} | ({"testing"} if has_tests else set())
    more = [question for question in general if question.id not in taken]
    return fitting + more[: max(0, FEWEST_QUESTIONS - len(fitting))]


def _fitting(code: Sequence[str]) -> Iterator[_Question]:
    own = [path for path in code if not _ASIDE.search(path)]
    tests = [path for path in own if _TEST.search(path)]
    product = "\n".join(sorted(set(own) - set(tests)))
    asked = (question for sign, question in _BY_SIGN if re.search(sign, product, re.IGNORECASE | re.MULTILINE))
    first = list(asked)[: MOST_QUESTIONS - 1 if tests else MOST_QUESTIONS]
    yield from chain(first, [_TESTS] if tests else [])


def _out(paths: Sequence[str]) -> str:
    """The first name for the folder that the repository does not use itself."""
    taken = {path.partition("/")[0].casefold() for path in paths}
    names = chain(["context", "context-packs"], (f"context-packs-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def _exclude(paths: Sequence[str]) -> Iterator[str]:
    """Patterns for what others wrote and this repository only carries along."""
    folders = {folder for path in paths for folder in path.split("/")[:-1]}
    yield from (f"{name}/" for name in _BROUGHT_IN if name in folders)
    if any(path.endswith(".min.js") for path in paths):
        yield "*.min.js"

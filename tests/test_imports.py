"""Borders: imports point down only, each outside library has one owner, and `--help` costs next to nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import tobler_pack

PACKAGE = Path(tobler_pack.__file__).parent

BELOW = {
    "__init__": "",
    "errors": "",
    "interruption": "",
    "types": "",
    "revision": "",
    "weighing": "",
    "corpus": "__init__ errors interruption types",
    "sources": "errors types",
    "evidence": "types corpus weighing",
    "packs": "__init__ errors interruption types weighing",
    "pipeline": "errors types weighing corpus evidence packs",
    "workspace": "revision errors types corpus evidence packs sources pipeline",
    "surfaces": "errors types weighing corpus evidence packs sources pipeline workspace",
    "build": "__init__ revision errors types weighing corpus packs sources pipeline workspace surfaces",
    "query": "__init__ errors types weighing corpus evidence packs sources pipeline workspace surfaces",
    "change": "types corpus evidence workspace",
    "areas": "corpus evidence change",
    "comparison": "errors corpus",
    "diff": "types weighing corpus evidence packs pipeline workspace surfaces change areas comparison",
    "ci": "__init__ revision errors corpus packs sources workspace surfaces build",
    "commands": "revision errors types corpus packs sources workspace surfaces build query areas comparison diff ci",
    "serve": "__init__ errors types surfaces workspace query comparison diff commands",
    "cli": "__init__ commands serve",
    "__main__": "__init__ errors interruption cli ci",
}
"""Each layer and those that it may import from, besides itself."""

OWNERS = {
    "git": {"corpus/tree.py"},
    "semble": {"corpus/semble_bridge.py"},
    "semble_grammars": {"corpus/outline.py"},  # and `grammars`, which looks its parts up by name
    "tree_sitter": {"corpus/outline.py"},
    "yaml": {"sources/yaml_text.py"},
    "pydantic": {"sources/schema.py", "serve/server.py"},
    "toktok": {"packs/vocabulary.py"},
    "tokenizers": {"corpus/model.py"},
    "safetensors": {"corpus/model.py"},
    "huggingface_hub": {"corpus/model.py"},
    "platformdirs": {"corpus/place.py"},
    "tqdm": {"workspace.py"},
    "mcp": {"serve/server.py"},
    "typer": {
        "cli.py",
        "commands/ci.py",
        "commands/options.py",
        "commands/packs.py",
        "commands/diff.py",
        "commands/surfaces.py",
        "__main__.py",
    },
}
"""Outside libraries and the modules that talk to them."""

HEAVY = (
    "numpy",
    "git",
    "yaml",
    "semble",
    "pydantic_core._pydantic_core",
    "pathspec",
    "tokenizers",
    "huggingface_hub",
    "mcp",
)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def layer_of(dotted: str) -> str:
    """The layer of `tobler_pack.x.y`; of the package itself, its version."""
    first = dotted.split(".")[1:2]
    return first[0] if first and first[0] in {*BELOW} else "__init__"


def is_for_types_only(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported(path: Path, *, with_types: bool = True) -> Iterator[str]:
    """The dotted names that a module imports, wherever in it."""
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if with_types or not (isinstance(child, ast.stmt) and is_for_types_only(child))
        ]


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_point_down_only(path: Path) -> None:
    own = name_of(path).removesuffix(".py").split("/")[0]
    assert own in BELOW, f"{own} has no place in the table of layers yet"
    found = {layer_of(name) for name in imported(path) if name.split(".")[0] == "tobler_pack"}
    assert found - {own} <= set(BELOW[own].split())


def test_the_table_of_layers_has_no_circle() -> None:
    order: list[str] = []
    for layer, below in BELOW.items():
        assert set(below.split()) <= set(order), f"{layer} stands above what it imports"
        order.append(layer)


def test_no_module_imports_itself_in_a_circle() -> None:
    names = {
        "tobler_pack." + name_of(p).removesuffix(".py").removesuffix("/__init__").replace("/", "."): p
        for p in modules()
    }
    edges = {
        name: {
            found
            for one in imported(path, with_types=False)
            for found in (one, one.rpartition(".")[0])
            if found in names
        }
        for name, path in names.items()
    }
    while edges:
        free = {name for name, targets in edges.items() if not (targets - {name}) & edges.keys()}
        assert free, f"a circle among {sorted(edges)}"
        edges = {name: targets for name, targets in edges.items() if name not in free}


def libraries(path: Path) -> set[str]:
    """What a module imports when it runs; types of others may be named anywhere."""
    return {name.split(".")[0] for name in imported(path, with_types=False)}


@pytest.mark.parametrize("library", OWNERS)
def test_an_outside_library_has_one_owner(library: str) -> None:
    users = {name_of(path) for path in modules() if library in libraries(path)}
    if library == "semble":  # the bridge looks its parts up by name
        assert users == set()
        text = {name_of(path) for path in modules() if 'import_module(f"semble.' in path.read_text(encoding="utf-8")}
        assert text == OWNERS[library]
    else:
        assert users == OWNERS[library]


def test_weighing_knows_numpy_and_nothing_else() -> None:
    found = set(chain.from_iterable(imported(path) for path in (PACKAGE / "weighing").glob("*.py")))
    outside = {name.split(".")[0] for name in found} - set(sys.stdlib_module_names)
    assert outside <= {"numpy", "tobler_pack"}
    assert all(name.startswith("tobler_pack.weighing.") for name in found if name.startswith("tobler_pack"))


def test_the_command_line_loads_nothing_heavy_before_a_command_runs() -> None:
    program = f"import sys, tobler_pack.cli; print([name for name in {HEAVY!r} if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"

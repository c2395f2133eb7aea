"""``python -m benchmarks.model COMMAND``: from clones to a model folder, step by step, each with its files in `--work`.

manifest   name the clones that may be used, with commit and licence
extract    find the pairs of each repository of the manifest
train      learn tokenizer and vectors from the pairs, and write the model folder
evaluate   rank the files of held-out repositories with model folders
rebuild    extract, train and evaluate
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.cases import RankingSet, ranking_sets
from benchmarks.model import manifest, rebuild
from benchmarks.model.manifest import Source
from benchmarks.settings import tell


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 2 if there was nothing to do."""
    options = _parser().parse_args(arguments)
    if options.command == "manifest":
        return _manifest(options)
    sources = manifest.load(options.manifest)
    recipe = rebuild.SMALL if options.small else rebuild.FULL
    recipe = replace(recipe, seed=options.seed)
    steps = [options.command] if options.command != "rebuild" else ["extract", "train", "evaluate"]
    missing = [source.name for source in sources if not (options.clones / source.folder).exists()]
    if missing and steps != ["train"]:
        tell(f"no clone of {', '.join(missing)} in {options.clones}; type: git clone --bare URL OWNER+NAME")
        return 2
    for step in steps:
        _STEPS[step](sources, recipe, options)
    return 0


def _manifest(options: argparse.Namespace) -> int:
    asked = {one.pinned.url.rstrip("/").removesuffix(".git").rpartition("/")[2].lower() for one in _ranked(options)}
    sources, refused = manifest.describe(options.clones, rebuild.HELD_OUT, manifest.EXCLUDED | asked)
    for name, why in refused.items():
        tell(f"{name}: {why}")
    manifest.save(sources, options.manifest)
    return 0 if sources else 2


def _ranked(options: argparse.Namespace) -> list[RankingSet]:
    return ranking_sets(options.cases, None) if options.cases is not None else []


def _extract(sources: Sequence[Source], recipe: rebuild.Recipe, options: argparse.Namespace) -> None:
    rebuild.extract(sources, options.clones, options.questions, options.work, recipe)


def _train(sources: Sequence[Source], recipe: rebuild.Recipe, options: argparse.Namespace) -> None:
    rebuild.train(sources, options.work, options.out, recipe)


def _evaluate(sources: Sequence[Source], _: rebuild.Recipe, options: argparse.Namespace) -> None:
    for row in rebuild.evaluate(sources, options.clones, options.questions, [options.out, *options.against]):
        print(row)


_STEPS = {"extract": _extract, "train": _train, "evaluate": _evaluate}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model", description="Rebuild the embedded model.")
    parser.add_argument("command", choices=["manifest", *_STEPS, "rebuild"])
    parser.add_argument("--clones", type=Path, required=True, help="folder of clones, each named OWNER+NAME")
    parser.add_argument("--manifest", type=Path, default=manifest.MANIFEST)
    parser.add_argument("--questions", type=Path, default=rebuild.QUESTIONS, help="written questions by repository")
    parser.add_argument("--cases", type=Path, help="for `manifest`: ranking cases, whose repositories are left out")
    parser.add_argument("--work", type=Path, default=Path("model-work"), help="pairs are kept here")
    parser.add_argument("--out", type=Path, default=Path("model-work/model"), help="the model folder")
    parser.add_argument("--against", type=Path, action="append", default=[], help="another model to evaluate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="few tokens, dimensions and steps: does the path hold?")
    return parser


if __name__ == "__main__":
    sys.exit(main())

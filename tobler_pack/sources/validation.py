"""Reads the configuration's text, collects every mistake in it, and hands on what the schema accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic_core import ErrorDetails

from tobler_pack.sources import schema
from tobler_pack.sources.explain import Finding, explain, with_suggestion
from tobler_pack.sources.mistakes import KeyPath, Mistake, as_usage_error, key_name, quoted
from tobler_pack.sources.rules import SHIPPED_SURFACES, VERSION
from tobler_pack.sources.yaml_text import Document, YamlError, parse

Fault = tuple[KeyPath, str]
"""Where, and the text of the mistake."""


def validated(text: str, name: str) -> schema.ConfigurationFile:
    """The checked configuration, or a UsageError that lists every mistake."""
    try:
        document = parse(text)
    except YamlError as error:
        raise as_usage_error([error.mistake], name) from None
    whole = _whole_file_fault(document)
    if whole is not None:
        raise as_usage_error([_mistake(document, whole)], name)
    checked = schema.check(document.data)
    findings = [] if isinstance(checked, schema.ConfigurationFile) else [_finding(e, document) for e in checked]
    faults = [(f.path, explain(f, schema.KNOWN_KEYS)) for f in findings]
    faults += _beyond_the_schema(document.data)
    mistakes = [*document.mistakes, *(_mistake(document, fault) for fault in faults)]
    if mistakes or not isinstance(checked, schema.ConfigurationFile):
        raise as_usage_error(mistakes, name)
    return checked


def _whole_file_fault(document: Document) -> Fault | None:
    """What makes it pointless to look at single keys."""
    if document.empty:
        return (), "the file is empty; write at least `version: 1`, or delete it and type `tobler-pack init`"
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        return (), f"expected keys at the top of the file, found {kind}; begin with `version: 1`"
    version = document.data.get("version")
    if type(version) is int and version != VERSION:
        written = document.written[("version",)]
        return ("version",), (
            f"version {quoted(written)} is not known here, only {VERSION} is; write `version: {VERSION}`,"
            " or install the release of tobler-pack that this file was written for"
        )
    return None


def _finding(error: ErrorDetails, document: Document) -> Finding:
    path: KeyPath = error["loc"]
    if error["type"] == "value_error" and path[-1] == "[key]":  # the fault is in the name itself
        path = path[:-1]
    return Finding(error["type"], path, error["input"], document.written.get(path), error.get("ctx", {}))


def _mistake(document: Document, fault: Fault) -> Mistake:
    path, text = fault
    return Mistake(document.line_of(path), key_name(path), text)


def _beyond_the_schema(data: object) -> list[Fault]:
    """Faults that lie between several values, and keys without any."""
    if not isinstance(data, dict):
        return []
    listed, named = data.get("queries"), data.get("surfaces")
    questions = dict(enumerate(listed)) if isinstance(listed, list) else {}
    surfaces = list(named) if isinstance(named, dict) else []
    return [
        *_repeated(_values(questions, "id")),
        *_repeated([(("surfaces", name), name) for name in surfaces]),
        *_unknown_surfaces(_values(questions, "surface"), [*SHIPPED_SURFACES, *surfaces]),
        *_without_value(data, ()),
    ]


def _values(questions: Mapping[int, object], key: str) -> list[tuple[KeyPath, str]]:
    """The texts under one key of all questions, each with its path."""
    return [
        (("queries", position, key), question[key])
        for position, question in questions.items()
        if isinstance(question, dict) and isinstance(question.get(key), str)
    ]


def _repeated(names: Sequence[tuple[KeyPath, str]]) -> Iterator[Fault]:
    """Names that are one file where A and a are the same; names are ASCII, so nothing else can collide."""
    first: dict[str, str] = {}
    for path, name in names:
        folded = name.casefold()
        if folded not in first:
            first[folded] = name
        elif first[folded] == name:
            yield path, f"the name `{quoted(name)}` stands twice; choose another name"
        else:
            other = quoted(first[folded])
            yield path, f"`{quoted(name)}` and `{other}` are the same file on many disks; choose another name"


def _unknown_surfaces(named: Sequence[tuple[KeyPath, str]], known: Sequence[str]) -> Iterator[Fault]:
    for path, name in named:
        if name not in known:
            fault = f"unknown surface `{quoted(name)}`, not described under `surfaces` either"
            yield path, with_suggestion(fault, name, known)


def _without_value(data: object, path: KeyPath) -> Iterator[Fault]:
    """Keys that stand there with nothing behind the colon."""
    if data is None:
        yield path, explain(Finding("null", path, None), schema.KNOWN_KEYS)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _without_value(value, (*path, key))
    elif isinstance(data, list):
        for position, value in enumerate(data):
            yield from _without_value(value, (*path, position))

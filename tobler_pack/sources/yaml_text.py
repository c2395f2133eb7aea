"""The only place that reads YAML: text becomes plain data, with the line on which every key and value stands.

Stricter than YAML itself, because a configuration has no use for the rest: one document, no tags, no key
twice, no merge keys. Aliases are followed, but no alias bomb makes the reader work without end.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml  # noqa: TID251

from tobler_pack.sources.mistakes import KeyPath, Mistake, key_name, quoted

Plain = str | int | float | bool | datetime.date | list["Plain"] | dict[str, "Plain"] | None

LONGEST_TEXT = 500_000
"""Characters; a thousand questions fit in a third of it."""

MOST_VALUES = 50_000
"""Values after aliases are followed."""

LONGEST_PROBLEM = 200
"""Characters of the reader's own words that a message repeats."""

DEEPEST = 20
"""Levels of nesting; the format itself needs four."""

_KEPT_AS_TEXT = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value")

_HINTS = (
    ("scanning an alias", "put quotes around a text that begins with *"),
    ("undefined alias", "put quotes around a text that begins with *"),
    ("scanning an anchor", "put quotes around a text that begins with &"),
    ("tag", "put quotes around a text that begins with !"),
    ("'\\t'", "indent with spaces, not with tabs"),
    ("cannot start any token", "put quotes around the text"),
    (
        "mapping values are not allowed",
        "put quotes around a text that contains a colon, and check the indentation",
    ),
    ("another document", "keep one document: remove the second `---` and what follows"),
    ("quoted scalar", "close the quote"),
    ("could not find expected ':'", "write `key: value`"),
    ("flow sequence", "close the list with ]"),
    ("flow mapping", "close the group with }"),
)


class YamlError(Exception):
    """The text cannot be read as a whole; `mistake` says where and why."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.mistake = Mistake(line, "", text)


@dataclass(frozen=True, slots=True)
class Document:
    """What stands in the file.

    `lines` holds the line of every key and list item. `written` holds single values as the file has them,
    before YAML reads `on` as true or `2024-01-31` as a date. `empty` means nothing but comments.
    """

    data: Plain
    empty: bool
    lines: Mapping[KeyPath, int]
    written: Mapping[KeyPath, str]
    mistakes: tuple[Mistake, ...]

    def line_of(self, path: KeyPath) -> int:
        """The line of the value, or of the nearest thing around it that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def parse(text: str) -> Document:
    """Read one YAML document; raises YamlError where it cannot be understood at all."""
    if len(text) > LONGEST_TEXT:
        raise YamlError(1, f"the file is longer than {LONGEST_TEXT} characters; a configuration needs far fewer")
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(line, f"the character U+{error.character:04X} is not allowed in YAML; remove it") from None
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error) from None
    walk = _Walk(loader)
    data = None if root is None else walk.value(root, ())
    return Document(data, root is None, walk.lines, walk.written, tuple(walk.mistakes))


class _Loader(yaml.SafeLoader):
    """Composes nodes as YAML's own loader does, but refuses tags and deep nesting."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "tag", None) is not None:
            problem = "tags are not used here"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        if self.depth >= DEEPEST:
            raise yaml.composer.ComposerError(None, None, "nested too deeply", event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


@dataclass
class _Walk:
    """Turns composed nodes into plain data and notes lines on the way."""

    loader: _Loader
    lines: dict[KeyPath, int] = field(default_factory=dict)
    written: dict[KeyPath, str] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    count: int = 0

    def value(self, node: yaml.Node, path: KeyPath) -> Plain:
        self.count += 1
        if self.count > MOST_VALUES or len(path) > DEEPEST:
            raise YamlError(_line(node), "the file holds too many values once its aliases are followed; write fewer")
        self.lines.setdefault(path, _line(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, position)) for position, child in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> Plain:
        data: dict[str, Plain] = {}
        for key, child in node.value:
            name = self._key(key, path)
            if name is None:
                continue
            if name in data:
                first = self.lines[(*path, name)]
                self._note(key, (*path, name), f"stands twice, first on line {first}; keep one of them")
                continue
            self.lines[(*path, name)] = _line(key)
            data[name] = self.value(child, (*path, name))
        return data

    def _key(self, key: yaml.Node, path: KeyPath) -> str | None:
        if not isinstance(key, yaml.ScalarNode):
            self._note(key, path, "a list or a group of keys stands where a key is expected; a key is one word")
            return None
        if key.tag == "tag:yaml.org,2002:merge":
            self._note(key, (*path, "<<"), "merge keys are not supported; write the keys out")
            return None
        name = str(key.value)
        return name if self._is_whole(key, path, name) else None

    def _scalar(self, node: yaml.Node, path: KeyPath) -> Plain:
        text = str(node.value)
        if not self._is_whole(node, path, text):
            return text.encode("utf-8", "replace").decode("utf-8")
        self.written[path] = text
        if node.tag in _KEPT_AS_TEXT:
            return text
        try:
            value: Plain = self.loader.construct_object(node)
        except (ValueError, OverflowError):
            kind = node.tag.rpartition(":")[2]
            wrong = f"YAML cannot read `{quoted(text)}` as the {kind} that it looks like"
            self._note(node, path, f"{wrong}; put quotes around a text")
            return text
        return value

    def _is_whole(self, node: yaml.Node, path: KeyPath, text: str) -> bool:
        if not any("\ud800" <= character <= "\udfff" for character in text):
            return True
        self._note(node, path, "an escape makes half of a character; write the character itself, not \\ud…")
        return False

    def _note(self, node: yaml.Node, path: KeyPath, text: str) -> None:
        self.mistakes.append(Mistake(_line(node), key_name(path), text))


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _syntax_error(error: yaml.MarkedYAMLError) -> YamlError:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    wrong = ", ".join(quoted(part, LONGEST_PROBLEM) for part in (error.context, error.problem) if part)
    hint = next(
        (hint for sign, hint in _HINTS if sign in wrong),
        "check the quotes, brackets and indentation around it",
    )
    return YamlError(line, f"column {column}: not valid YAML: {wrong}; {hint}")

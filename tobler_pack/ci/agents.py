"""A short marked section in AGENTS.md and files like it, so that an agent on the same checkout knows of the packs.

The rest of such a file belongs to somebody else: its bytes stay what they are, and taking the section away gives back
the file as it was before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tobler_pack.errors import EnvironmentProblem, UsageError
from tobler_pack.packs import writer
from tobler_pack.packs.markdown import code_span
from tobler_pack.sources.config import Config

BEGIN, END = "<!-- tobler-pack: begin -->", "<!-- tobler-pack: end -->"
USUAL = ("AGENTS.md", "CLAUDE.md")
_LONGEST_QUESTION = 200


def section(config: Config) -> str:
    """What the section says, marks included."""
    rows = [f"- `{config.out}/{one.id}.md`: {code_span(_one_line(one.ask))}" for one in config.queries]
    lines = [
        BEGIN,
        "## Context packs",
        "",
        "Read the pack that fits before searching; each holds the code that matters for one question.",
        "`tobler-pack build` refreshes them, `tobler-pack query TEXT` answers another question.",
        "",
        *rows,
        END,
    ]
    return "\n".join(lines) + "\n"


def with_section(text: str, new: str) -> str:
    """The text with the section in its place, or behind everything else where it has none yet.

    Raises UsageError if the marks in the text are not one pair.
    """
    ends = "\r\n" if "\r\n" in text or text.endswith("\r") else "\n"
    new = new.replace("\n", ends)
    found = _found(text)
    if found is not None:
        return text[: found[0]] + new + text[found[1] :]
    return text + (ends if text else "") + new  # one line end more than the text had: it goes with the section


def without_section(text: str) -> str:
    """The text without the section and the line end before it."""
    found = _found(text)
    if found is None:
        return text
    before = text[: found[0]]
    return before.removesuffix("\r\n" if before.endswith("\r\n") else "\n") + text[found[1] :]


def _found(text: str) -> tuple[int, int] | None:
    """Where the section begins and where what follows it begins."""
    begins, ends = text.count(BEGIN), text.count(END)
    if not begins and not ends:
        return None
    first, last = text.find(BEGIN), text.find(END)
    if begins != 1 or ends != 1 or last < first:
        raise UsageError(f"the marks {BEGIN} and {END} are not one pair; mend or remove them by hand")
    behind = last + len(END)
    for end in ("\r\n", "\n"):
        if text.startswith(end, behind):
            return first, behind + len(end)
    return first, behind


def update(root: Path, config: Config, named: Sequence[Path], *, remove: bool) -> list[tuple[Path, str]]:
    """Write or remove the section in the named files, else in the usual ones that there are, else in a new AGENTS.md.

    What became of each file comes back. Raises UsageError if one lies outside of the repository.
    """
    present = [root / name for name in USUAL if (root / name).is_file()]
    places = [path.absolute() for path in named] or present or ([] if remove else [root / USUAL[0]])
    targets = dict.fromkeys(_target(root, place) for place in places)  # CLAUDE.md is often a link to AGENTS.md
    texts = {target: _text(target) for target in targets}
    changed = {
        target: without_section(t) if remove else with_section(t, section(config)) for target, t in texts.items()
    }
    return [(target, _write(target, texts[target], text)) for target, text in changed.items()]


def _target(root: Path, place: Path) -> Path:
    target = place.resolve()
    inside = target.relative_to(root.resolve()).parts if target.is_relative_to(root.resolve()) else ()
    if not inside or inside[0].casefold() == ".git" or target.is_dir():
        raise UsageError(f"{place} is no file inside of the repository; name one such as {USUAL[0]}")
    return target


def _text(target: Path) -> str:
    try:
        return target.read_bytes().decode() if target.exists() else ""
    except UnicodeDecodeError:
        raise UsageError(f"{target}: not UTF-8 text; save the file as UTF-8") from None
    except OSError as error:
        raise EnvironmentProblem(f"{target}: cannot be read ({error.strerror}); check its permissions") from None


def _write(target: Path, before: str, after: str) -> str:
    if before == after:
        return "unchanged"
    if not after:
        target.unlink()
        return "removed, it held nothing else"
    writer.replace(target, after)
    return "written"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUESTION else f"{line[: _LONGEST_QUESTION - 1]}…"

"""Pieces of markdown that stay what they are, whatever stands in them.

Text of a repository or a question only ever stands inside a fence or a code span, whose marks are longer than any run
of backticks inside: there it cannot become markup, a mention, a link or an HTML comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_BACKTICKS = re.compile("`+")

# Characters that a viewer acts upon: control characters show as their pictures, direction marks (which can make code
# read otherwise than it runs) as their code.
_INVISIBLE = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
_C1 = {code: f"\\x{code:02x}" for code in range(128, 160)}
_DIRECTION = {
    code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
_SEPARATORS = {code: f"\\u{code:04x}" for code in (0x2028, 0x2029)}
# Characters of no width: text that only a program reads. Joiners stay, since scripts and emoji are written with them.
_HIDDEN = {
    code: f"\\u{code:04x}"
    for code in (0x00AD, 0x180E, 0x200B, *range(0x2060, 0x2065), *range(0x206A, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC))
} | {code: f"\\U{code:08x}" for code in range(0xE0000, 0xE0080)}
# What stands for the bytes of a name that is no UTF-8 (PEP 383); no text can hold it.
_BYTES = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(128, 256)}
_TABLE: dict[int, int | str] = {**_INVISIBLE, **_C1, **_DIRECTION, **_SEPARATORS, **_HIDDEN}
_NAME_TABLE: dict[int, int | str] = {**_TABLE, **_BYTES, ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}
_PLAIN = re.compile("[\t\n -~…]*")  # with the mark of a gap, which stands in most signatures
_PLAIN_NAME = re.compile("[ -~]*")


def visible(text: str) -> str:
    """Text with its invisible and direction-changing characters made visible; line ends and tabs stay."""
    return text if _PLAIN.fullmatch(text) else text.translate(_TABLE)


def code_span(text: str) -> str:
    """One line of text as a code span. Line ends, tabs and bytes that are no UTF-8 are written as escapes."""
    shown = text if _PLAIN_NAME.fullmatch(text) else text.translate(_NAME_TABLE)
    mark = "`" * (_longest_run(shown) + 1) if "`" in shown else "`"
    pad = " " if shown[:1] in ("`", " ", "") or shown[-1:] in ("`", " ") else ""
    return f"{mark}{pad}{shown}{pad}{mark}"


def fence(lines: Iterable[str], language: str) -> str:
    """Lines as a fenced block that ends with a line end. Trailing blanks are dropped."""
    shown = "\n".join(lines)
    if not _PLAIN.fullmatch(shown) or _has_trailing_blank(shown):
        shown = "\n".join(visible(line).rstrip() for line in shown.split("\n"))
    mark = "`" * (_longest_run(shown) + 1) if "```" in shown else "```"
    return f"{mark}{language}\n{shown}\n{mark}\n"


def _has_trailing_blank(plain: str) -> bool:
    """Whether a line of plain text, whose only blanks are spaces and tabs, ends with one."""
    return " \n" in plain or "\t\n" in plain or plain.endswith((" ", "\t"))


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)

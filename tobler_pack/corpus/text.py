"""From the raw bytes of a tracked file to its text, or to the cause why it is left out."""

from __future__ import annotations

import codecs
from enum import StrEnum

MAX_FILE_BYTES = 1_000_000
"""Larger files are data or generated: semble's own limit, so that both see the same corpus."""

_SNIFFED_BYTES = 8_000  # git's own rule: a NUL byte this early makes a file binary
_LFS_HEADER = b"version https://git-lfs.github.com/spec/"
_LFS_MAX_BYTES = 1_024  # the pointer format's own limit

# Lines of written code average 30 to 40 characters; packed code puts thousands into one. One such line would fill a
# pack and tell a reader nothing.
_MINIFIED_MEAN_LINE = 500
_MINIFIED_MIN_CHARACTERS = 5_000

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Cause(StrEnum):
    """Why a tracked file is left out, in the words that packs use."""

    SUBMODULE = "submodule"
    SYMLINK = "symbolic link"
    LFS_POINTER = "LFS pointer"
    GENERATED = "generated"
    EXCLUDED = "excluded"
    PACK_FOLDER = "in the pack folder"
    TOO_LARGE = "too large"
    BINARY = "binary"
    UNDECODABLE = "undecodable"
    MINIFIED = "minified"


def read_text(data: bytes) -> str | Cause:
    """Decode a tracked file, with LF line ends and without a byte order mark, or name the cause why not.

    UTF-8 is expected; UTF-16 and UTF-32 are read where a byte order mark announces them. Nothing is guessed: a wrong
    guess would put mangled text into a pack.
    """
    if len(data) > MAX_FILE_BYTES:
        return Cause.TOO_LARGE
    if len(data) <= _LFS_MAX_BYTES and data.startswith(_LFS_HEADER):
        return Cause.LFS_POINTER
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    if encoding.startswith("utf-8") and b"\0" in data[:_SNIFFED_BYTES]:
        return Cause.BINARY
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return Cause.UNDECODABLE
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return Cause.MINIFIED if _is_minified(text) else text


def _is_minified(text: str) -> bool:
    return len(text) >= _MINIFIED_MIN_CHARACTERS and len(text) > _MINIFIED_MEAN_LINE * (text.count("\n") + 1)


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends; only LF ends a line, as in git (`str.splitlines` knows eleven more)."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines

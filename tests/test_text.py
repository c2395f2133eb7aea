"""From bytes to text: what can be read is read right, what cannot is named by its cause."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tobler_pack.corpus.text import MAX_FILE_BYTES, Cause, read_text, split_lines

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b"", "", id="empty"),
        pytest.param("größe = '日本'\n".encode(), "größe = '日本'\n", id="UTF-8"),
        pytest.param("ü = 1\n".encode("utf-8-sig"), "ü = 1\n", id="UTF-8 with mark"),
        pytest.param(codecs.BOM_UTF8, "", id="nothing but a mark"),
        pytest.param(codecs.BOM_UTF16_LE + "ü = 1\r\n".encode("utf-16-le"), "ü = 1\n", id="UTF-16 little"),
        pytest.param(codecs.BOM_UTF16_BE + "ü = 1\n".encode("utf-16-be"), "ü = 1\n", id="UTF-16 big"),
        pytest.param(codecs.BOM_UTF32_LE + "ü\n".encode("utf-32-le"), "ü\n", id="UTF-32 little"),
        pytest.param(codecs.BOM_UTF32_BE + "ü\n".encode("utf-32-be"), "ü\n", id="UTF-32 big"),
        pytest.param(b"a\r\nb\r\n", "a\nb\n", id="CRLF"),
        pytest.param(b"a\rb\r\nc\n", "a\rb\nc\n", id="a lone CR is not a line end"),
        pytest.param(b"a\r\r\nb", "a\r\nb", id="CR before CRLF"),
        pytest.param(b"a\x0cb\x0b\n", "a\x0cb\x0b\n", id="form feed"),
        pytest.param("a\ufeffb\n".encode(), "a\ufeffb\n", id="a mark in the middle stays"),
        pytest.param(
            b"x" * 8_000 + b"\0" + b"\nx" * 100, "x" * 8_000 + "\0" + "\nx" * 100, id="a late NUL, as git sees it"
        ),
        pytest.param(b"x" * 4_999, "x" * 4_999, id="a long line in a short file"),
        pytest.param(b"x" * 2_000 + b"\ny = 1" * 40, "x" * 2_000 + "\ny = 1" * 40, id="one long line among others"),
        pytest.param(POINTER + b"# more\n" * 200, (POINTER + b"# more\n" * 200).decode(), id="a text about LFS"),
    ],
)
def test_what_can_be_read(data: bytes, text: str) -> None:
    assert read_text(data) == text


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        pytest.param("# 日本語のコメント\n".encode("shift-jis"), Cause.UNDECODABLE, id="Shift-JIS"),
        pytest.param("# 한국어\n".encode("euc-kr"), Cause.UNDECODABLE, id="EUC-KR"),
        pytest.param("# 中文\n".encode("gbk"), Cause.UNDECODABLE, id="GBK"),
        pytest.param("# größe\n".encode("latin-1"), Cause.UNDECODABLE, id="Latin-1"),
        pytest.param(codecs.BOM_UTF16_LE + b"a\0b", Cause.UNDECODABLE, id="UTF-16 cut short"),
        pytest.param(codecs.BOM_UTF16_LE + b"\x00\xd8a\x00", Cause.UNDECODABLE, id="UTF-16 with half a pair"),
        pytest.param(b"\xed\xa0\x80", Cause.UNDECODABLE, id="UTF-8 of half a pair"),
        pytest.param("x = 1\n".encode("utf-16-le"), Cause.BINARY, id="UTF-16 without a mark"),
        pytest.param(b"\x7fELF\0\0", Cause.BINARY, id="NUL"),
        pytest.param(POINTER, Cause.LFS_POINTER, id="LFS pointer"),
        pytest.param(b"x=1;" * 250_000, Cause.MINIFIED, id="a minified line of one megabyte"),
        pytest.param((b"x=1;" * 5_000 + b"\n") * 3, Cause.MINIFIED, id="three minified lines"),
        pytest.param(b"x = 1\n" * 200_000, Cause.TOO_LARGE, id="too large"),
        pytest.param(b"\0" * (MAX_FILE_BYTES + 1), Cause.TOO_LARGE, id="too large before binary"),
    ],
)
def test_what_cannot_be_read(data: bytes, cause: Cause) -> None:
    assert read_text(data) is cause


def test_the_largest_file_that_is_read() -> None:
    data = b"x = 1 \n" * (MAX_FILE_BYTES // 7)
    assert isinstance(read_text(data), str)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("\n", [""], id="one empty line"),
        pytest.param("a", ["a"], id="no end"),
        pytest.param("a\n\n", ["a", ""], id="blank last line"),
        pytest.param(
            "a\rb\x0cc\x0bd\x85e\u2028f\x1cg\n", ["a\rb\x0cc\x0bd\x85e\u2028f\x1cg"], id="only LF ends a line"
        ),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\0\ufeff"), max_size=500))
def test_every_short_text_comes_back_from_each_encoding(text: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert read_text(text.encode(encoding)) == text


@given(st.binary(max_size=300))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    assert isinstance(read_text(data), str | Cause)

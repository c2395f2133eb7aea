"""Terms: what is asked for is found under the name that programmers gave it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tobler_pack.corpus.terms import FIELDS, field_of, parts, term_id, terms, words


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("parse", "parse", id="plain"),
        pytest.param("Parse", "parse", id="capital"),
        pytest.param("parse_args", "parse_args parse args", id="snake"),
        pytest.param("parseArgs", "parseargs parse args", id="camel"),
        pytest.param("HTTPServer", "httpserver http server", id="acronym first"),
        pytest.param("getHTTPResponse", "gethttpresponse get http response", id="acronym inside"),
        pytest.param("parseHTML", "parsehtml parse html", id="acronym last"),
        pytest.param("HTTP", "http", id="acronym alone"),
        pytest.param("MAX_FILE_BYTES", "max_file_bytes max file bytes", id="constant"),
        pytest.param("utf8", "utf8 utf 8", id="digits"),
        pytest.param("v2Client", "v2client v 2 client", id="digits inside"),
        pytest.param("_private", "_private", id="leading underscore"),
        pytest.param("__init__", "__init__", id="dunder"),
        pytest.param("__get_name__", "__get_name__ get name", id="dunder of two"),
        pytest.param("_", "_", id="underscore"),
        pytest.param("$var", "$var var", id="dollar"),
        pytest.param("$myVar", "$myvar myvar my var", id="dollar camel"),
        pytest.param("größe", "größe", id="umlauts"),
        pytest.param("maxGröße", "maxgröße max größe", id="umlauts in camel"),
        pytest.param("Übergabe", "übergabe", id="capital umlaut"),
        pytest.param("straßen_name", "straßen_name straßen name", id="sharp s"),
        pytest.param("имя_файла", "имя_файла имя файла", id="Cyrillic"),
        pytest.param("日本語", "日本 本語", id="CJK"),
        pytest.param("字", "字", id="one CJK character"),
        pytest.param("get日本語", "get 日本 本語", id="CJK after Latin"),
        pytest.param("한국어", "한국 국어", id="Korean"),
    ],
)
def test_parts_of_a_word(word: str, expected: str) -> None:
    assert list(parts(word)) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("self.name = getName(x1)", ["self", "name", "getName", "x1"], id="code"),
        pytest.param("$a $$b a$ 1x", ["$a", "$b", "a", "x"], id="dollars and digits"),
        pytest.param("foo-bar a.b::c", ["foo", "bar", "a", "b", "c"], id="joined"),
        pytest.param("12 3.4 -- !?", [], id="no words"),
        pytest.param("naïve café ⊕ x²", ["naïve", "café", "x²"], id="accents"),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_terms_are_counted() -> None:
    assert terms("getName get_name name") == {"getname": 1, "get_name": 1, "get": 2, "name": 3}


def test_a_question_in_one_writing_meets_code_in_another() -> None:
    assert {"parse", "args"} <= terms("parseArgs").keys() & terms("parse_args").keys() & terms("ParseArgs").keys()


@pytest.mark.parametrize("length", [121, 100_000])
def test_encoded_data_is_no_word(length: int) -> None:
    assert terms("x" * length) == {}
    assert terms("x" * 120) == {"x" * 120: 1}


@given(st.text(max_size=200))
def test_every_text_has_lower_case_terms(text: str) -> None:
    found = terms(text)
    assert all(term == term.lower() or not term.lower().islower() for term in found)
    assert all(count > 0 for count in found.values())
    assert set(found) >= {word.lower() for word in words(text) if word.isascii() and len(word) <= 120}


@given(st.sampled_from(FIELDS), st.text(max_size=20))
def test_a_term_id_tells_its_field(field: str, term: str) -> None:
    number = term_id(field, term)
    assert 0 <= number < 2**64
    assert FIELDS[int(field_of(np.array([number], dtype=np.uint64))[0])] == field


def test_fields_do_not_share_terms() -> None:
    assert len({term_id(field, term) for field in FIELDS for term in ("a", "b", "get", "name")}) == 4 * len(FIELDS)

"""How a question is read: as a name or as words, and which of its words carry its subject."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from samples import any_text
from tobler_pack.evidence.question import Question, is_name_like


@pytest.mark.parametrize(
    "text",
    [
        "parse_args",
        "getName",
        "HTTPServer",
        "Flask",
        "Flask.run",
        "flask.Flask.run",
        "run_app()",
        "std::vector",
        "list->next",
        "App\\Http\\Kernel",
        "Array#map",
        "_private",
        "$scope.apply",
        "  parse_args\n",
    ],
)
def test_a_bare_name_is_a_symbol(text: str) -> None:
    assert Question(text).is_symbol


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "request",
        "how is a request authenticated",
        "parse_args?",
        "what does parse_args do",
        "parse_args getName",
        "Flask run",
        "3.14",
        "a-b",
        "src/app.py",
        "foo.",
        "::",
        "你好",
    ],
)
def test_anything_else_is_a_question_in_words(text: str) -> None:
    assert not Question(text).is_symbol


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("parse_args", True, id="underscore"),
        pytest.param("getName", True, id="camel case"),
        pytest.param("GetName", True, id="Pascal case"),
        pytest.param("HTTPServer", True, id="letters in a row, then a word"),
        pytest.param("utf8Text", True, id="digit before a capital"),
        pytest.param("Flask.run", True, id="dotted"),
        pytest.param("request", False, id="plain"),
        pytest.param("Request", False, id="first word of a sentence"),
        pytest.param("HTTP", False, id="abbreviation"),
        pytest.param("end.", False, id="end of a sentence"),
        pytest.param("", False, id="empty"),
    ],
)
def test_words_that_look_like_names(word: str, *, expected: bool) -> None:
    assert is_name_like(word) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("how is a request authenticated", ("request", "authenticated"), id="form words go"),
        pytest.param("How Is The Token checked?", ("Token", "checked"), id="in any case"),
        pytest.param("token, Token, token", ("token", "Token"), id="each once, as written"),
        pytest.param("what is it", ("what", "is", "it"), id="all words where none carries a subject"),
        pytest.param("where does Flask.run call run_app()", ("Flask", "run", "call", "run_app"), id="names"),
        pytest.param("", (), id="none"),
        pytest.param("?! 123", (), id="no words"),
        pytest.param("认证 是 什么", ("认证", "是", "什么"), id="another script"),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert Question(text).words == expected


def test_terms_are_the_words_and_their_parts() -> None:
    terms = Question("how is the getUserName token checked, token?").terms
    assert terms == {"getusername": 1, "get": 1, "user": 1, "name": 1, "token": 2, "checked": 1}


def test_a_question_of_form_words_still_has_terms() -> None:
    assert Question("what is it").terms == {"what": 1, "is": 1, "it": 1}


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_any_text_is_a_question(text: str) -> None:
    question = Question(text)
    assert len(set(question.words)) == len(question.words)
    assert all(word in text for word in question.words)
    assert all(count > 0 for count in question.terms.values())
    assert Question(text).is_symbol == Question(f" {text} ").is_symbol

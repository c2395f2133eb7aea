"""How much a question says by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tobler_pack.evidence.question import Question
from tobler_pack.evidence.signal import CLEAR, signal

WORDS = Question("what are its arguments")
NAME = Question("parse_args")


@pytest.mark.parametrize(
    ("question", "cosines", "expected"),
    [
        pytest.param(WORDS, [0.0, CLEAR], 1.0, id="clear enough"),
        pytest.param(WORDS, [0.1, 0.9], 1.0, id="no more than all"),
        pytest.param(WORDS, [CLEAR / 2, -0.9], 0.25, id="half as close is a quarter of the signal"),
        pytest.param(WORDS, [-0.2, -0.1], 0.0, id="nothing near it"),
        pytest.param(WORDS, [0.0, 0.0], 1.0, id="no word that the model knows"),
        pytest.param(WORDS, [], 1.0, id="nothing to ask"),
        pytest.param(NAME, [0.1, 0.2], 1.0, id="a name"),
    ],
)
def test_signal(question: Question, cosines: list[float], expected: float) -> None:
    many = np.array([*cosines, *[-1.0] * 300]) if cosines and any(cosines) else np.array(cosines)
    assert signal(question, many) == pytest.approx(expected)


def test_of_fewer_chunks_less_is_asked() -> None:
    shares = [signal(WORDS, np.full(chunks, CLEAR / 2)) for chunks in (2, 10, 50, 200, 1000)]
    assert shares == sorted(shares, reverse=True)
    assert shares[-2:] == pytest.approx([0.25, 0.25])


@given(st.lists(st.floats(-1, 1), max_size=9))
def test_signal_is_a_share(cosines: list[float]) -> None:
    assert 0.0 <= signal(WORDS, np.array(cosines)) <= 1.0

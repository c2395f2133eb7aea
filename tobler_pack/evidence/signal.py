"""How much a question says by itself: 1 for one that stands on its own feet, towards 0 for "what are its arguments".

The repository tells: to a question with a subject some chunk lies close, to one that only refers to another none does.
So the signal is the square of the best cosine (the share of the question's direction that its nearest chunk holds)
against that of a question that is clear enough. Words alone tell less: "arguments" is rarer in most code than the name
of what the code is about. What else was tried is listed with the benchmarks.
"""

from __future__ import annotations

import math

from tobler_pack.evidence.question import Question
from tobler_pack.weighing.weights import Floats

CLEAR = 0.55
"""The best cosine from which on a question needs no memory. Questions with known answers reach .58 to .63 (medians
of two sets; one in ten stays under .43 or .49), follow-ups of four kinds .31 (one in four reaches .39). With .60 more
than the 4 % of pivots that are allowed were harmed. A property of the embedding model, though the two that it was
measured for agree on it.
"""


_MANY = 200
"""The best of a few chunks is less near by chance than the best of many (that of N draws grows like √ln N): below so
many chunks less is asked. All that was measured has more."""


def signal(question: Question, cosines: Floats) -> float:
    """The signal of a question with these cosines to all chunks, 0…1. A bare name says all there is to say, and where
    the model knows none of the words it cannot tell.
    """
    if question.is_symbol or not cosines.any():
        return 1.0
    clear = CLEAR * math.sqrt(min(1.0, math.log(max(2, len(cosines))) / math.log(_MANY)))
    return float(min(1.0, max(0.0, cosines.max()) / clear) ** 2)

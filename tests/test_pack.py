"""A finished pack: never over its budget, and what it says about itself is so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samples import any_line, any_text, candidate, heading, independent_count, parsed
from tobler_pack.errors import UsageError
from tobler_pack.packs import render
from tobler_pack.packs.candidates import Candidate, Candidates
from tobler_pack.packs.markdown import visible
from tobler_pack.packs.pack import Pack, assemble, limit
from tobler_pack.packs.tokens import COUNTERS, TokenCounter
from tobler_pack.types import LineRange, Tier

COUNTER = TokenCounter("o200k_base")
TIERS = [Tier.FULL, Tier.SIGNATURE, Tier.STUB]

Files = Mapping[str, Sequence[str]]

tolerant = settings(max_examples=40, deadline=None)


@st.composite
def blocks_of_a_file(draw: st.DrawFn) -> tuple[list[str], list[tuple[LineRange, bool, bool]]]:
    """Lines, and blocks of them that do not overlap; whether each has a body and a signature to show."""
    lines = draw(st.lists(any_line, min_size=1, max_size=12))
    borders = sorted(draw(st.sets(st.integers(1, len(lines)), max_size=4)) | {1})
    ranges = [(first, last - 1) for first, last in zip(borders, [*borders[1:], len(lines) + 1], strict=True)]
    return lines, [(each, draw(st.booleans()), draw(st.booleans())) for each in ranges]


@st.composite
def questions(draw: st.DrawFn) -> tuple[Files, list[Candidate]]:
    """Files and weighted blocks of them, heaviest first, with hostile text wherever text can stand."""
    drawn = draw(st.dictionaries(any_text, blocks_of_a_file(), max_size=5))
    found: list[Candidate] = []
    for at, (path, (lines, blocks)) in enumerate(drawn.items()):
        for (first, last), body, signed in blocks:
            enclosing = ((1, 1), (first, last)) if first > 2 and draw(st.booleans()) else ((first, last),)
            full = enclosing if body else ()
            signature = ((first, first),) if signed and lines[first - 1] else ()
            symbol = draw(any_text)
            found.append(
                candidate((first, last), 0.0, path=path, symbol=symbol, full=full, signature=signature, file=at)
            )
    raw = sorted(draw(st.lists(st.floats(0, 1), min_size=len(found), max_size=len(found))), reverse=True)
    total = sum(raw) or 1.0
    weighted = [replace(one, weight=weight / total) for one, weight in zip(found, raw, strict=True)]
    return {path: lines for path, (lines, _) in drawn.items()}, weighted


def made(files: Files, candidates: Sequence[Candidate], head: render.Heading, counter: TokenCounter = COUNTER) -> Pack:
    return assemble(head, Candidates(candidates, len(candidates)), lambda one: files[one.path], counter)


def numbers(text: str) -> dict[str, str]:
    """What the honesty header says."""
    line = next(line for line in text.split("\n") if line.startswith("N_eff="))
    found = re.fullmatch(
        r"N_eff=(?P<n_eff>[\d.]+) k=(?P<k>\d+) ε=(?P<epsilon>[\d.]+) τ=(?P<tau>[\d.]+)( mem=(?P<mem>[\d.]+))? "
        r"tokens=(?P<tokens>\d+)/(?P<budget>\d+) \((?P<counter>\w+)\)",
        line,
    )
    assert found is not None
    return found.groupdict()


FUNCTIONS = {
    f"lib/part{at}.py": [f"def step_{at}(value):", *["    value = convert(value)"] * 12, "    return value"]
    for at in range(12)
}
STEPS = [candidate((1, 14), 0.05, path=path, symbol=f"step_{at}", file=at) for at, path in enumerate(FUNCTIONS)]


# the promise


@tolerant
@given(
    questions(),
    st.integers(200, 3000) | st.integers(20, 250),
    st.sampled_from(COUNTERS),
    st.tuples(any_text, any_text, any_text),
    st.none() | st.floats(0.01, 1),
)
@example((FUNCTIONS, STEPS), 1000, "o200k_base", ("flow", "how", "run"), None)
def test_the_budget_holds_by_another_tokenizer_too(
    asked: tuple[Files, list[Candidate]],
    budget: int,
    name: str,
    texts: tuple[str, str, str],
    mem: float | None,
) -> None:
    title, question, command = texts
    head = heading(budget, title=title, question=question, command=command, mem=mem, counter=name)
    count = independent_count(name)
    try:
        pack = made(*asked, head, TokenCounter(name))
    except UsageError:
        assert count(head.text(budget, 1.0)) > budget
        return
    assert count(pack.text) <= budget
    assert pack.tokens == count(pack.text)
    said = numbers(pack.text)
    assert (said["tokens"], said["budget"], said["counter"]) == (str(pack.tokens), str(budget), name)
    assert said["epsilon"] == f"{pack.epsilon:.2f}"


@tolerant
@given(questions(), st.integers(200, 3000), any_text)
def test_the_form_of_the_file(asked: tuple[Files, list[Candidate]], budget: int, title: str) -> None:
    try:
        text = made(*asked, heading(budget, title=title)).text
    except UsageError:
        return
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\r" not in text
    assert text.split("\n")[:-1] == text.splitlines()  # no other kind of line end either
    assert all(line == line.rstrip() for line in text.split("\n"))


@tolerant
@given(questions(), st.integers(150, 3000))
@example((FUNCTIONS, STEPS), 900)
def test_a_markdown_parser_finds_just_the_blocks(asked: tuple[Files, list[Candidate]], budget: int) -> None:
    """The whole file, token by token: nothing of a repository has become markup, and its lines stand word for word."""
    files, candidates = asked
    pack = made(files, candidates, heading(budget))
    tokens = parsed(pack.text)
    start = next(at for at, (kind, content) in enumerate(tokens) if content.startswith("N_eff=")) + 1
    if tokens[start : start + 1] == [("p", "")] and tokens[start + 1][1].startswith("This is a truncated map"):
        start += 2
    expected: list[tuple[str, str]] = []
    for tier in TIERS:
        shown = [one.candidate for one in pack.shown if one.tier is tier]
        if shown and tier is not Tier.FULL:
            expected += [("h2", ""), ("text", "Signatures" if tier is Tier.SIGNATURE else "Map")]
        expected += [("ul", "")] if shown and tier is Tier.STUB else []
        for one in shown:
            expected += [("li", ""), ("p", "")] if tier is Tier.STUB else [("h3", "")]
            expected += [("code_inline", "*")] + [("text", " "), ("code_inline", "*")] * bool(one.symbol)
            if tier is not Tier.STUB:
                ranges = one.full if tier is Tier.FULL else one.signature
                parts = [[visible(line).rstrip() for line in files[one.path][a - 1 : b]] for a, b in ranges]
                expected.append(("fence", "\n…\n".join("\n".join(part) for part in parts) + "\n"))
    found = [(kind, "*" if kind == "code_inline" else content) for kind, content in tokens[start:]]
    assert found[: len(expected)] == expected
    rest = [kind for kind, _ in found[len(expected) :]]
    assert set(rest) <= {"p", "text", "code_inline"}
    assert rest.count("p") == (1 if rest else 0)


@tolerant
@given(questions(), st.integers(150, 3000))
@example((FUNCTIONS, STEPS), 900)
def test_each_candidate_is_shown_once_or_omitted(asked: tuple[Files, list[Candidate]], budget: int) -> None:
    files, candidates = asked
    pack = made(files, candidates, heading(budget))
    shown = [one.candidate for one in pack.shown]
    position = {id(one): at for at, one in enumerate(candidates)}
    places = [position[id(one)] for one in [*shown, *pack.omitted]]
    assert sorted(places) == list(range(len(candidates)))
    assert places[len(shown) :] == sorted(places[len(shown) :])
    order = [(TIERS.index(one.tier), position[id(one.candidate)]) for one in pack.shown]
    assert order == sorted(order)
    assert pack.epsilon == pytest.approx(max(0.0, 1.0 - sum(one.weight for one in shown)), abs=1e-9)
    for one in pack.shown:
        assert one.candidate.full or one.tier is not Tier.FULL
        assert one.candidate.signature or one.tier is not Tier.SIGNATURE


@tolerant
@given(questions(), st.integers(150, 3000))
@example((FUNCTIONS, STEPS), 900)
def test_the_tokens_of_blocks_add_up(asked: tuple[Files, list[Candidate]], budget: int) -> None:
    """What a block is charged is what it costs in the finished file."""
    files, candidates = asked
    pack = made(files, candidates, heading(budget))
    count = independent_count("o200k_base")
    pieces = [pack.heading.text(pack.tokens, pack.epsilon)]
    for tier in TIERS:
        texts = [one.text for one in pack.shown if one.tier is tier]
        pieces += [render.section(tier), *texts] if texts else []
    assert [one.tokens for one in pack.shown] == [count(one.text) for one in pack.shown]
    assert pack.text.startswith("".join(pieces).rstrip("\n"))
    assert sum(map(count, pieces)) == count("".join(pieces))


# budgets from nothing up


def test_every_small_budget_is_kept_or_refused() -> None:
    refused, count = [], independent_count("o200k_base")
    for budget in range(1, 400):
        try:
            pack = made(FUNCTIONS, STEPS, heading(budget))
        except UsageError:
            refused.append(budget)
        else:
            assert count(pack.text) == pack.tokens <= budget
    assert refused == list(range(1, len(refused) + 1))
    assert 30 < len(refused) < 120


def test_the_refusal_names_a_budget_that_would_do() -> None:
    with pytest.raises(UsageError, match=r"a budget of 50 tokens does not hold the heading") as caught:
        made(FUNCTIONS, STEPS, heading(50))
    found = re.search(r"\((\d+) tokens\)", str(caught.value))
    assert found is not None
    assert made(FUNCTIONS, STEPS, heading(int(found[1]))).tokens <= int(found[1])
    with pytest.raises(UsageError):
        made(FUNCTIONS, STEPS, heading(int(found[1]) - 1))


def test_a_question_longer_than_the_budget_is_refused() -> None:
    with pytest.raises(UsageError, match="raise `budget` or --budget"):
        made({}, [], heading(200, question="why " * 300))


def test_one_huge_function_does_not_break_a_small_budget() -> None:
    lines = [f"    total += table[{at}] * weights[{at}]" for at in range(5000)]
    pack = made({"a.py": lines}, [candidate((1, 5000), 1.0, path="a.py", symbol="sum_up")], heading(500))
    assert pack.tokens <= 500
    assert [one.tier for one in pack.shown] == [Tier.SIGNATURE]
    assert "`a.py:1-5000` `sum_up`" in pack.text


def test_one_gigantic_line_does_not_break_a_small_budget() -> None:
    pack = made({"a.js": ["x=" + "abc123;" * 100_000]}, [candidate((1, 1), 1.0, path="a.js", symbol="")], heading(500))
    assert pack.tokens <= 500
    assert [one.tier for one in pack.shown] == [Tier.STUB]


# what is shown


def test_more_budget_shows_more_bodies() -> None:
    packs = [made(FUNCTIONS, STEPS, heading(budget)) for budget in (200, 500, 800, 3000)]
    bodies = [[one.tier for one in pack.shown].count(Tier.FULL) for pack in packs]
    assert bodies == sorted(bodies)
    assert bodies[0] < bodies[-1] == 12


def test_the_names_at_the_end_use_what_is_left() -> None:
    """One more name would not fit, or all are there."""
    count = independent_count("o200k_base")
    some_named = 0
    for budget in range(120, 420, 3):
        pack = made(FUNCTIONS, STEPS, heading(budget))
        last = pack.text.split("\n")[-2]
        named = re.findall(r"`(step_\d+)`", last) if last.startswith("Not shown: ") else []
        some_named += bool(named)
        assert named == [one.symbol for one in pack.omitted[: len(named)]]
        more = len(pack.omitted) - len(named)
        assert last.endswith(f" and {more} more.") == (bool(named) and more > 0)
        if more:
            following = pack.omitted[len(named)].symbol
            longer = f", `{following}` and {more} more" if named else f"Not shown: `{following}` and {more} more.\n"
            assert count(pack.text) + count(longer) > budget - 3
    assert some_named


def test_nothing_to_show() -> None:
    pack = made({}, [], heading(200, k=0))
    assert (pack.shown, pack.omitted) == ((), ())
    assert pack.epsilon == 0.0
    assert pack.text.endswith("(o200k_base)\n")


def test_all_shown_is_nothing_hidden() -> None:
    files = {"a.py": ["one = 1"], "b.py": ["two = 2"]}
    both = [candidate((1, 1), weight, path=path) for path, weight in (("a.py", 0.7), ("b.py", 0.3))]
    pack = made(files, both, heading(500, epsilon=0.3))
    assert [one.tier for one in pack.shown] == [Tier.FULL, Tier.FULL]
    assert pack.epsilon == pytest.approx(0.0)
    assert "ε=0.00" in pack.text
    assert "truncated" not in pack.text
    assert "Not shown" not in pack.text


def test_a_truncated_map_says_so() -> None:
    pack = made(FUNCTIONS, STEPS, heading(250))
    hidden = 1 - sum(one.candidate.weight for one in pack.shown)
    assert f"This is a truncated map: {hidden:.0%} of the weight is not shown." in pack.text


def test_the_same_question_gives_the_same_bytes() -> None:
    packs = [made(FUNCTIONS, STEPS, heading(900), TokenCounter("o200k_base")) for _ in range(3)]
    assert len({pack.text for pack in packs}) == 1


def test_how_many_candidates_can_matter() -> None:
    assert limit(1) == 1
    assert limit(2000) >= 2000 // independent_count("o200k_base")("- `a.c:1` `f`\n")


# a counter that does not add up


class Grudging(TokenCounter):
    """Charges for each heading in a text: a whole counts more than its pieces."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """The real count, and 25 more for each block in a text but the first."""
        return [
            counted + 25 * max(0, text.count("### ") - 1)
            for counted, text in zip(super().count(texts), texts, strict=True)
        ]


def test_the_budget_holds_even_if_counts_did_not_add_up() -> None:
    counter = Grudging("o200k_base")
    plain, grudging = made(FUNCTIONS, STEPS, heading(900)), made(FUNCTIONS, STEPS, heading(900), counter)
    assert counter.count([grudging.text])[0] == grudging.tokens <= 900
    kept = [one.candidate.symbol for one in grudging.shown]
    assert 1 <= len(kept) < len(plain.shown)
    assert kept[0] == "step_0"

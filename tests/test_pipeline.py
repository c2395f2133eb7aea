"""From a question to a pack, over a small tree in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import independent_count
from tobler_pack.corpus.building import build_index
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import EMBEDDED, StaticModel, load_model
from tobler_pack.corpus.selection import SourceFile
from tobler_pack.errors import UsageError
from tobler_pack.evidence.blend import NATURAL, SYMBOL
from tobler_pack.evidence.channels import raw_channels
from tobler_pack.evidence.question import Question
from tobler_pack.packs.tokens import TokenCounter
from tobler_pack.pipeline import Answer, Library, Request, build_pack, score, weigh
from tobler_pack.types import Tier
from tobler_pack.weighing.memory import Memory
from tobler_pack.weighing.weights import effective_number, nucleus

COUNTER = TokenCounter("o200k_base")


def module(text: str) -> str:
    return dedent(text).lstrip("\n")


TREE = {
    "auth/login.py": module('''
        """Logging in: who somebody is."""

        from auth.tokens import sign_token

        FAILURES_ALLOWED = 5


        def check_password(user, password):
            """Compare a password with the hash that is kept of it."""
            hashed = derive_key(password, user.salt)
            if not same_bytes(hashed, user.password_hash):
                user.failures += 1
                raise WrongPassword(user.name)
            return sign_token(user)


        class LoginThrottle:
            """Slow down whoever guesses passwords."""

            def __init__(self, clock):
                self.clock = clock
                self.failures = {}

            def register_failure(self, address):
                """Remember that a guess from an address was wrong."""
                self.failures.setdefault(address, []).append(self.clock())

            def seconds_to_wait(self, address):
                """How long an address has to wait until its next guess."""
                return min(300, 2 ** len(self.failures.get(address, ())))
        '''),
    "auth/tokens.py": module('''
        """Session tokens: signed, and valid for a while."""


        def sign_token(user, lifetime=3600):
            """A signed session token for a user."""
            payload = encode_payload({"user": user.name, "until": now() + lifetime})
            return payload + "." + signature_of(payload)


        def verify_token(token):
            """The user of a session token; an expired or forged one is refused."""
            payload, _, signature = token.partition(".")
            if not same_bytes(signature, signature_of(payload)):
                raise ForgedToken(token)
            return decode_payload(payload)["user"]
        '''),
    "billing/invoice.py": module('''
        """Invoices and what they add up to."""


        def invoice_total(lines, tax_rate):
            """The sum of all lines of an invoice, tax included."""
            net = sum(line.quantity * line.unit_price for line in lines)
            return round(net * (1 + tax_rate), 2)


        def send_invoice(invoice, mailer):
            """Mail an invoice to the customer who pays it."""
            mailer.send(invoice.customer.email, render_invoice(invoice))
        '''),
    "billing/refund.py": module('''
        def refund_payment(payment, amount):
            """Give money of a payment back to the customer."""
            if amount > payment.amount - payment.refunded:
                raise RefundTooLarge(payment, amount)
            payment.refunded += amount
            gateway.refund(payment.reference, amount)
        '''),
    "images/resize.py": module('''
        def resize_image(image, width, height):
            """Scale a picture to a width and a height, and keep its colours."""
            scale = min(width / image.width, height / image.height)
            return image.resample(round(image.width * scale), round(image.height * scale))


        def crop_to_square(image):
            """Cut a picture to a square around its middle."""
            side = min(image.width, image.height)
            left, top = (image.width - side) // 2, (image.height - side) // 2
            return image.cut(left, top, side, side)
        '''),
    "search/query_parser.py": module('''
        def parse_search_query(text):
            """Words, quoted phrases and excluded words of a search query."""
            wanted, excluded = [], []
            for word in split_quoted(text):
                (excluded if word.startswith("-") else wanted).append(word.lstrip("-"))
            return SearchQuery(wanted, excluded)
        '''),
    "tests/test_login.py": module('''
        def test_check_password_refuses_a_wrong_password():
            user = make_user(password="right")
            with raises(WrongPassword):
                check_password(user, "wrong")


        def test_check_password_signs_a_token():
            assert check_password(make_user(password="right"), "right")
        '''),
    "web/long_handler.py": "def handle_upload(request):\n"
    + "".join(f"    step_{at} = prepare_part(request, {at})  # a long story about parts\n" for at in range(260))
    + "    return step_0\n",
    "web/routes.py": module('''
        """Which path is answered by which function."""

        ROUTES = {}


        def route(path):
            """Register a function as the answer to a path."""

            def register(function):
                ROUTES[path] = function
                return function

            return register


        @route("/login")
        def login_page(request):
            """Show the form, or log somebody in."""
            if request.method == "GET":
                return render("login.html")
            return check_password(find_user(request.form["name"]), request.form["password"])
        '''),
}  # fmt: skip

SYMBOLS = {
    "check_password": "auth/login.py",
    "LoginThrottle": "auth/login.py",
    "seconds_to_wait": "auth/login.py",
    "verify_token": "auth/tokens.py",
    "sign_token": "auth/tokens.py",
    "invoice_total": "billing/invoice.py",
    "refund_payment": "billing/refund.py",
    "crop_to_square": "images/resize.py",
    "parse_search_query": "search/query_parser.py",
    "login_page": "web/routes.py",
}


@pytest.fixture(scope="module", autouse=True)
def grammars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", str(tmp_path_factory.mktemp("grammars")))
        yield


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return load_model(EMBEDDED, None)


def index_of(tree: Mapping[str, str], model: StaticModel, earlier: Index | None = None) -> Index:
    files = [SourceFile(path, hashlib.sha1(text.encode()).hexdigest(), "python") for path, text in sorted(tree.items())]
    return build_index(files, lambda file: tree[file.path].encode(), model, earlier)


def library_of(tree: Mapping[str, str], model: StaticModel, earlier: Index | None = None) -> Library:
    index = index_of(tree, model, earlier)
    return Library(index, model, lambda at: tree[index.files[at].path].encode())


@pytest.fixture(scope="module")
def library(grammars: None, model: StaticModel) -> Library:
    return library_of(TREE, model)


def ask(
    library: Library,
    question: str,
    budget: int = 1500,
    memory: Memory | None = None,
    allowed: Sequence[bool] | None = None,
) -> Answer:
    return build_pack(library, Request("", question, "ask", budget, allowed), COUNTER, memory)


def lines_of(path: str, first: int, last: int) -> list[str]:
    return TREE[path].split("\n")[first - 1 : last]


# what is found


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_an_asked_symbol_is_shown_in_full_and_first(library: Library, symbol: str) -> None:
    best = ask(library, symbol).pack.shown[0]
    assert best.tier is Tier.FULL
    assert best.candidate.path == SYMBOLS[symbol]
    shown = "\n".join(
        line for first, last in best.candidate.full for line in lines_of(best.candidate.path, first, last)
    )
    assert f"def {symbol}" in shown or f"class {symbol}" in shown


@pytest.mark.parametrize(
    ("question", "path"),
    [
        pytest.param("how is a password compared with its hash", "auth/login.py", id="password"),
        pytest.param("how long must somebody wait after wrong guesses", "auth/login.py", id="throttle"),
        pytest.param("when is a session token expired or forged", "auth/tokens.py", id="token"),
        pytest.param("what does an invoice add up to with tax", "billing/invoice.py", id="invoice"),
        pytest.param("how does a customer get money back", "billing/refund.py", id="refund"),
        pytest.param("cut a picture to a square", "images/resize.py", id="picture"),
        pytest.param("excluded words and phrases of a search", "search/query_parser.py", id="search"),
    ],
)
def test_a_question_in_words_finds_its_file_first(library: Library, question: str, path: str) -> None:
    assert ask(library, question).pack.shown[0].candidate.path == path


def test_the_code_stands_before_its_tests(library: Library) -> None:
    paths = [one.candidate.path for one in ask(library, "check password", 3000).pack.shown]
    assert paths.index("auth/login.py") < paths.index("tests/test_login.py")


# what a pack says of itself


QUESTIONS = [*SYMBOLS, "how is a password checked", "invoice", "step_77 of an upload", "xyzzy", "what is it", "!?"]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("budget", [150, 400, 1500, 6000])
def test_the_promises_hold(library: Library, question: str, budget: int) -> None:
    answer = ask(library, question, budget)
    pack = answer.pack
    assert independent_count("o200k_base")(pack.text) == pack.tokens <= budget

    weights = weigh(library.index, answer.memory.scores, None, pack.heading.tau)
    assert weights.sum() == pytest.approx(1.0)
    assert pack.heading.n_eff == pytest.approx(effective_number(weights))
    assert pack.heading.k == len(nucleus(weights).members)
    assert pack.heading.epsilon == pytest.approx(nucleus(weights).epsilon)
    seen = sum(one.candidate.weight for one in pack.shown)
    assert pack.epsilon == pytest.approx(1 - seen, abs=1e-9)

    places: dict[str, list[tuple[int, int]]] = {}
    for one in [*[each.candidate for each in pack.shown], *pack.omitted]:
        places.setdefault(one.path, []).append(one.lines)
        assert 0 < one.weight <= 1 + 1e-9
        assert 1 <= one.lines[0] <= one.lines[1] <= TREE[one.path].count("\n")
    for ranges in places.values():
        assert all(before[1] < after[0] for before, after in pairwise(sorted(ranges)))

    for shown in pack.shown:
        ranges_ = {Tier.FULL: shown.candidate.full, Tier.SIGNATURE: shown.candidate.signature, Tier.STUB: ()}
        for first, last in ranges_[shown.tier]:
            assert "\n".join(line.rstrip() for line in lines_of(shown.candidate.path, first, last)) in shown.text
            assert shown.text in pack.text or shown is pack.shown[-1]


def test_enough_budget_hides_nothing(library: Library) -> None:
    pack = ask(library, "how is a password checked", 50_000).pack
    assert pack.epsilon == pytest.approx(0.0, abs=1e-9)
    assert pack.omitted == ()
    assert "Not shown" not in pack.text
    assert "truncated" not in pack.text


def test_a_stretch_of_a_long_function_stands_under_its_declaration(library: Library) -> None:
    best = ask(library, "step_177").pack.shown[0]
    assert best.tier is Tier.FULL
    assert best.candidate.symbol == "handle_upload"
    assert "def handle_upload(request):\n…\n" in best.text
    assert "step_177 = " in best.text


def test_a_question_without_any_signal_weighs_all_alike(library: Library) -> None:
    pack = ask(library, "!?").pack
    assert pack.heading.n_eff == pytest.approx(len(library.index))
    assert "N_eff=" in pack.text


def test_the_budget_has_to_hold_the_heading(library: Library) -> None:
    with pytest.raises(UsageError, match="does not hold the heading"):
        ask(library, "how is a password checked", 20)


def test_what_was_left_out_is_said(library: Library) -> None:
    request = Request("flow", "how", "ask", 800)
    text = build_pack(library, request, COUNTER, left_out={"binary": 2, "too large": 1}).pack.text
    assert "Files left out of the search: 2 binary, 1 too large." in text


# paths


def test_paths_restrict_what_is_looked_at(library: Library) -> None:
    allowed = [file.path.startswith("billing/") for file in library.index.files]
    pack = ask(library, "check_password", 3000, allowed=allowed).pack
    seen = [*[one.candidate for one in pack.shown], *pack.omitted]
    assert seen
    assert all(one.path.startswith("billing/") for one in seen)
    assert sum(one.weight for one in seen) == pytest.approx(1.0)
    chunks = sum(allowed[file] for file in library.index.chunk_file.tolist())
    assert pack.heading.k <= chunks
    assert pack.heading.n_eff <= chunks + 1e-9


def test_all_paths_are_no_restriction(library: Library) -> None:
    whole = ask(library, "verify_token").pack.text
    assert ask(library, "verify_token", allowed=[True] * len(library.index.files)).pack.text == whole


def test_paths_that_let_nothing_through(library: Library) -> None:
    pack = ask(library, "verify_token", allowed=[False] * len(library.index.files)).pack
    assert (pack.shown, pack.omitted, pack.heading.k, pack.heading.n_eff, pack.epsilon) == ((), (), 0, 0.0, 0.0)


# sessions


FOLLOW_UP = "what are the arguments to that"


def rank(answer: Answer, symbol: str) -> int:
    """The place at which a pack first names a symbol."""
    named = [*[one.candidate for one in answer.pack.shown], *answer.pack.omitted]
    return next((at for at, one in enumerate(named) if symbol in one.symbol), len(named))


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        pytest.param("crop_to_square", "crop_to_square", id="picture"),
        pytest.param("how does a customer get a refund of a payment", "refund_payment", id="refund"),
        pytest.param("parse_search_query", "parse_search_query", id="search"),
    ],
)
def test_a_follow_up_benefits_from_its_session(library: Library, question: str, symbol: str) -> None:
    first = ask(library, question)
    alone = ask(library, FOLLOW_UP)
    after = ask(library, FOLLOW_UP, memory=first.memory)
    assert rank(after, symbol) <= rank(alone, symbol)
    assert after.memory.share > 0.0
    assert ("mem=" in after.pack.text) == (after.memory.share > 0)
    assert "mem=" not in first.pack.text + alone.pack.text


def test_a_question_without_signal_is_answered_by_the_memory(library: Library) -> None:
    first = ask(library, "crop_to_square")
    after = ask(library, "!?", memory=first.memory)
    assert after.memory.share == 1.0
    assert "mem=1.00" in after.pack.text
    assert [one.candidate for one in after.pack.shown] == [one.candidate for one in first.pack.shown]


def test_the_same_question_again_has_the_same_answer(library: Library) -> None:
    first = ask(library, "how is a password checked")
    again = ask(library, "how is a password checked", memory=first.memory)
    assert again.memory.share == pytest.approx(1.0)
    assert [one.candidate.lines for one in again.pack.shown] == [one.candidate.lines for one in first.pack.shown]


# the same bytes


def test_the_order_of_questions_does_not_matter(library: Library, model: StaticModel) -> None:
    questions = ["verify_token", "how is a password checked", "step_77", "invoice", "!?"]
    texts = {question: ask(library, question).pack.text for question in questions}
    fresh = library_of(TREE, model)
    for question in reversed(questions):
        assert ask(fresh, question).pack.text == texts[question]
    for question in questions:
        assert ask(library_of(TREE, model), question).pack.text == texts[question]


def test_a_tree_that_was_indexed_bit_by_bit_gives_the_same_packs(library: Library, model: StaticModel) -> None:
    before = dict(TREE) | {"auth/login.py": "def older():\n    return 1\n", "zz/gone.py": "def gone():\n    pass\n"}
    del before["images/resize.py"]
    renewed = library_of(TREE, model, index_of(before, model))
    assert renewed.index.reused > 0
    for question in ("check_password", "how is a picture cropped", "step_77"):
        assert ask(renewed, question).pack.text == ask(library, question).pack.text


def test_equal_files_stand_in_the_order_of_their_paths(model: StaticModel) -> None:
    text = TREE["billing/refund.py"]
    twins = library_of({f"copy{at}.py": text for at in range(4)}, model)
    paths = [one.candidate.path for one in ask(twins, "!?", 3000).pack.shown]
    assert paths == sorted(paths)
    assert len(paths) == 4


def test_scores_are_finite_and_the_same_each_time(library: Library) -> None:
    for question in QUESTIONS:
        first, second = score(library, question), score(library, question)
        assert first.shape == (len(library.index),)
        assert np.isfinite(first).all()
        assert (first == second).all()


def test_every_channel_has_a_weight_in_each_blend(library: Library, model: StaticModel) -> None:
    channels = raw_channels(library.index, Question("verify_token"), model)
    assert set(channels) == set(NATURAL.weights) == set(SYMBOL.weights)
    for values in channels.values():
        assert values.shape == (len(library.index),)
        assert np.isfinite(values).all()


# blocks that share lines


def convert(steps: int) -> str:
    return "".join(f"        value_{at} = convert_part(source, target, {at})\n" for at in range(steps))


BEFORE = f"""\
def tiny():
    go()


def convert_archive(
    source,
    target,
    first,
    second,
):
    if first:
        return None

    try:
{convert(14)}    finally:
        close()
"""
BEHIND = f"""\
def convert_archive(source, target):
    if source:
{convert(21)}

def tiny():
    go()
"""


@pytest.fixture(scope="module")
def sharing(grammars: None, model: StaticModel) -> Library:
    """Two files of two functions and two chunks: one chunk holds the small function and a part of the other, so the
    blocks of both chunks share the larger function.
    """
    tree = {"before.py": BEFORE, "behind.py": BEHIND}
    return library_of(tree | {f"other{at}.py": f"def unrelated_{at}():\n    return {at}\n" for at in range(4)}, model)


@pytest.mark.parametrize("question", ["value_1", "value_13", "value_20", "finally close", "tiny", "convert_archive"])
def test_no_line_is_shown_twice(sharing: Library, question: str) -> None:
    pack = ask(sharing, question, 50_000).pack
    for path, text in (("before.py", BEFORE), ("behind.py", BEHIND)):
        ranges = sorted(one.candidate.lines for one in pack.shown if one.candidate.path == path)
        assert ranges[0][0] == 1
        assert ranges[-1][1] == text.count("\n")
        assert all(before[1] < after[0] for before, after in pairwise(ranges))


def test_lines_that_stand_in_the_pack_are_not_counted_as_hidden(sharing: Library) -> None:
    pack = ask(sharing, "value_20", 50_000).pack
    assert pack.omitted == ()
    assert pack.epsilon == pytest.approx(0.0, abs=1e-9)


# strange trees


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param({}, id="no file"),
        pytest.param({"a.py": ""}, id="an empty file"),
        pytest.param({"a.py": "\n\n\n"}, id="blank lines"),
    ],
)
def test_a_tree_without_code(tree: dict[str, str], model: StaticModel) -> None:
    pack = ask(library_of(tree, model), "how does it work").pack
    assert (pack.shown, pack.omitted, pack.heading.k, pack.epsilon) == ((), (), 0, 0.0)
    assert "truncated" not in pack.text


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param({"a.py": "x = 1"}, id="one line without its end"),
        pytest.param({"a.py": "\n\nx = 1\n\n\n"}, id="blank lines around"),
        pytest.param({"a.py": "=!?\n"}, id="no word at all"),
        pytest.param({"a.py": "你好 = '世界'\n"}, id="another script"),
        pytest.param({"a.py": "def broken(:\n  ``` <!-- \x1b[31m\n"}, id="no valid code"),
    ],
)
def test_a_tree_of_one_small_file_is_shown_whole(tree: dict[str, str], model: StaticModel) -> None:
    pack = ask(library_of(tree, model), "how does it work", 500).pack
    assert [one.tier for one in pack.shown] == [Tier.FULL]
    assert pack.epsilon == pytest.approx(0.0)
    assert pack.heading.k == 1


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(list(TREE)), unique=True, min_size=1), st.sampled_from(QUESTIONS), st.integers(80, 2500)
)
def test_any_part_of_the_tree(paths: list[str], question: str, budget: int) -> None:
    model = load_model(EMBEDDED, None)
    pack = ask(library_of({path: TREE[path] for path in paths}, model), question, budget).pack
    assert independent_count("o200k_base")(pack.text) == pack.tokens <= budget
    assert pack.epsilon == pytest.approx(1 - sum(one.candidate.weight for one in pack.shown), abs=1e-9)

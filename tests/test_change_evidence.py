"""The channels of a change, why a block is there, the section of what changed, and areas: pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing import corpus
from repositories import SHOP, create
from samples import any_text, parsed
from tobler_pack.areas import areas
from tobler_pack.change import Change
from tobler_pack.corpus.changes import FileChange, Hunk, Kind, Status
from tobler_pack.corpus.index import Index
from tobler_pack.corpus.model import StaticModel
from tobler_pack.evidence import change as channels
from tobler_pack.evidence.change_blend import WEIGHTS, Evidence, Facts, blend
from tobler_pack.evidence.changed import ChangedDefinition
from tobler_pack.evidence.cochange import MOST_FILES, Companion, cochange
from tobler_pack.evidence.kin import counterparts, is_test, kinship, subject
from tobler_pack.evidence.reasons import Block, reason
from tobler_pack.packs.candidates import Spread
from tobler_pack.packs.changed_here import SHARE, Touched, changed_here
from tobler_pack.packs.markdown import code_span
from tobler_pack.types import LineRange
from tobler_pack.weighing.allocation import BREADTH_FIRST, DEPTH_FIRST, FULL, HIDDEN, SIGNATURE, STUB, Costs, allocate

tolerant = settings(max_examples=120, deadline=None)


def definition(
    path: str = "a.py",
    symbol: str = "run",
    added: Sequence[str] = ("x = 1",),
    removed: Sequence[str] = (),
    *,
    anew: bool = False,
    searched: bool = True,
    lines: LineRange | None = (1, 5),
) -> ChangedDefinition:
    names = (symbol.rsplit(".", 1)[-1],) if symbol else ()
    return ChangedDefinition(
        path, symbol, Status.CHANGED, names, lines, tuple(added), tuple(removed), anew, is_searched=searched
    )


# ---- shares ---------------------------------------------------------------------------------------------------------

sizes = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3000), st.booleans()), min_size=1, max_size=20)


@tolerant
@given(sizes)
def test_shares_sum_to_one_and_order_does_not_matter(parts: list[tuple[str, int, bool]]) -> None:
    changed = [definition(path, added=["x"] * size, searched=searched) for path, size, searched in parts]
    found = channels.shares(changed)
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0).all()
    assert channels.shares(changed[::-1])[::-1] == pytest.approx(found)


def test_a_big_file_does_not_drown_a_small_one() -> None:
    found = channels.shares([definition("big.py", added=["x"] * 400), definition("small.py", added=["x"] * 4)])
    assert found == pytest.approx([10 / 11, 1 / 11])  # by square roots: 20 to 2, not 400 to 4


def test_many_definitions_of_one_file_share_what_it_counts() -> None:
    ten = [definition("big.py", f"f{at}", ["x"] * 10) for at in range(10)]
    found = channels.shares([*ten, definition("small.py", added=["x"] * 100)])
    assert found[:-1].sum() == pytest.approx(found[-1])


def test_files_that_are_not_searched_count_a_tenth() -> None:
    found = channels.shares([definition("a.py"), definition("a.md", searched=False)])
    assert found[1] == pytest.approx(found[0] * channels.ASIDE)


def test_no_definitions_have_no_shares() -> None:
    assert channels.shares([]).shape == (0,)


def test_of_too_many_definitions_the_most_changed_ask() -> None:
    changed = [definition(symbol=f"f{at}", added=["x"] * (1 + at % 300)) for at in range(600)]
    asked = channels.asking(changed)
    assert len(asked) == channels.MOST_DEFINITIONS
    assert min(one.size for one in asked) > 199
    assert [changed.index(one) for one in asked] == sorted(changed.index(one) for one in asked)
    assert channels.asking(changed[:200]) == changed[:200]


# ---- names ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, model: StaticModel) -> Index:
    folder = tmp_path_factory.mktemp("evidence")
    files = {name: text for name, text in SHOP.items() if name != ".tobler-pack.yaml"}
    files["src/pages.py"] = (
        "from auth import authenticate\n\n\ndef login(request):\n    return authenticate(request, {})\n"
    )
    return corpus(create(folder / "r", files), folder / "cache", model).index


def at_path(index: Index, scores: Sequence[float], path: str) -> float:
    """The best score of a file's chunks."""
    place = [file.path for file in index.files].index(path)
    return max(float(score) for score, file in zip(scores, index.chunk_file.tolist(), strict=True) if file == place)


def test_users_are_chunks_with_the_name(index: Index) -> None:
    scores, weights = channels.users(index, [definition("src/auth.py", "authenticate")])
    assert set(weights) == {"authenticate"}
    assert at_path(index, list(scores), "src/pages.py") > 0
    assert at_path(index, list(scores), "src/storage.py") == 0
    assert (scores >= 0).all()


def test_a_name_whose_declaration_changed_counts_twice(index: Index) -> None:
    body, _ = channels.users(index, [definition("src/auth.py", "authenticate")])
    anew, _ = channels.users(index, [definition("src/auth.py", "authenticate", anew=True)])
    assert anew == pytest.approx(2 * body)


@pytest.mark.parametrize("name", ["", "id", "nowhere_at_all"])
def test_names_without_users(index: Index, name: str) -> None:
    scores, weights = channels.users(index, [definition("src/auth.py", name)])
    assert not scores.any()
    assert weights == {}


def test_what_is_not_searched_has_no_users(index: Index) -> None:
    scores, _ = channels.users(index, [definition("README.md", "authenticate", searched=False)])
    assert not scores.any()


def test_used_are_chunks_that_define_a_name_of_the_changed_lines(index: Index) -> None:
    scores, weights = channels.used(index, [definition("x.py", "f", ["total_price(order)"], ["load(1)"])])
    assert set(weights) == {"total_price", "load"}
    assert at_path(index, list(scores), "src/storage.py") > 0
    assert at_path(index, list(scores), "src/auth.py") == 0


def test_what_the_change_defines_itself_is_not_used(index: Index) -> None:
    changed = [definition("x.py", "f", ["total_price(order)"]), definition("src/storage.py", "total_price")]
    assert channels.used(index, changed)[1] == {}


@pytest.mark.parametrize("channel", [channels.lexical, "semantic"])
def test_content_finds_what_reads_like_the_change(
    index: Index, model: StaticModel, channel: Callable[..., object] | str
) -> None:
    changed = [
        definition("x.py", "store", ["order = load(number)", "storage.save(json.dumps(order))  # write to a file"])
    ]
    found = channels.semantic(index, changed, model) if channel == "semantic" else channels.lexical(index, changed)
    best = [file.path for file in index.files][int(index.chunk_file[int(np.argmax(found))])]
    assert best == "src/storage.py"
    assert found.mean() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("changed", [[], [definition("x.py", "", [], [])], [definition("x.py", "", ["", "  "])]])
def test_a_change_that_says_nothing_gives_numbers_all_the_same(
    index: Index, model: StaticModel, changed: list[ChangedDefinition]
) -> None:
    facts = Facts(changed, [one.path for one in changed], None, [])
    evidence = blend(index, model, facts, np.zeros(len(index), dtype=bool))
    assert np.isfinite(evidence.scores).all()
    assert set(evidence.voices) == set(WEIGHTS)


def test_the_order_of_definitions_does_not_change_the_scores(index: Index, model: StaticModel) -> None:
    changed = [
        definition(f"x{at}.py", name, [f"{name}(1)"]) for at, name in enumerate(("login", "load", "check", "put"))
    ]
    own = np.zeros(len(index), dtype=bool)
    one, other = (
        blend(index, model, Facts(order, [each.path for each in order], None, []), own).scores
        for order in (changed, changed[::-1])
    )
    assert other == pytest.approx(one)


# ---- files that changed together ------------------------------------------------------------------------------------

FILES = [f"f{at}" for at in range(8)]
commits_ = st.lists(st.lists(st.sampled_from(FILES), min_size=1, max_size=6, unique=True), max_size=30)


@tolerant
@given(commits_, st.lists(st.sampled_from(FILES), min_size=1, max_size=3, unique=True))
def test_cochange_has_bounds(commits: list[list[str]], given_: list[str]) -> None:
    scores, companions = cochange(FILES, dict.fromkeys(given_, 1.0), commits)
    assert (scores >= 0).all()
    assert (scores <= len(given_)).all()
    for path, one in companions.items():
        both = sum(path in commit and one.given in commit for commit in commits)
        assert (one.together, one.changes) == (both, sum(one.given in commit for commit in commits))
        assert 1 <= one.together <= one.changes
    assert {path for path, score in zip(FILES, scores, strict=True) if score > 0} == set(companions)


@tolerant
@given(commits_)
def test_a_file_is_no_companion_of_itself_and_the_order_of_files_does_not_matter(commits: list[list[str]]) -> None:
    scores, companions = cochange(FILES, {"f0": 1.0}, commits)
    assert scores[0] == 0
    assert "f0" not in companions
    backwards, _ = cochange(FILES, {"f0": 1.0}, [commit[::-1] for commit in commits])
    assert backwards == pytest.approx(scores)


@tolerant
@given(commits_)
def test_two_files_that_change_equally_often_are_the_same_to_each_other(commits: list[list[str]]) -> None:
    swap = {"f0": "f1", "f1": "f0"}
    both_ways = [*commits, *([swap.get(path, path) for path in commit] for commit in commits)]
    doubled = [commit for pair in zip(both_ways, reversed(both_ways), strict=True) for commit in pair]
    ages_aside = [commit for commit in doubled if "f0" in commit and "f1" in commit]
    first, _ = cochange(FILES, {"f0": 1.0}, ages_aside)
    second, _ = cochange(FILES, {"f1": 1.0}, ages_aside)
    assert first[1] == pytest.approx(second[0])


def test_old_joint_changes_count_less() -> None:
    new, _ = cochange(["b"], {"a": 1.0}, [["a", "b"], *[["a"]] * 400])
    old, _ = cochange(["b"], {"a": 1.0}, [*[["a"]] * 400, ["a", "b"]])
    assert old[0] == pytest.approx(new[0] / 2)


def test_small_commits_say_more() -> None:
    small, _ = cochange(["b"], {"a": 1.0}, [["a", "b"]])
    large, _ = cochange(["b"], {"a": 1.0}, [["a", "b", "c", "d", "e"]])
    assert large[0] == pytest.approx(small[0] / 2)


def test_a_huge_commit_says_nothing() -> None:
    scores, companions = cochange(["b"], {"a": 1.0}, [["a", "b", *map(str, range(MOST_FILES))]])
    assert (scores[0], companions) == (0, {})


def test_one_accident_is_not_a_rule() -> None:
    rare, _ = cochange(["b"], {"a": 1.0}, [["a", "b"]])
    rule, _ = cochange(["b"], {"a": 1.0}, [["a", "b"]] * 10)
    assert rule[0] > 2 * rare[0]


def test_a_file_that_changes_always_is_a_weak_witness() -> None:
    busy, _ = cochange(["b"], {"a": 1.0}, [["a", "b"], *[["a"]] * 30])
    quiet, _ = cochange(["b"], {"a": 1.0}, [["a", "b"], *[["c"]] * 30])
    assert busy[0] < quiet[0] / 5


def test_no_past() -> None:
    scores, companions = cochange(["b"], {"a": 1.0}, [])
    assert (scores.tolist(), companions) == ([0.0], {})


# ---- names of files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("tests/test_auth.py", "auth"), ("src/auth.py", "auth"), ("pkg/auth_test.go", "auth"), ("a/Auth.java", "auth"),
        ("a/AuthTest.java", "auth"), ("web/cart.spec.ts", "cart"), ("web/cart.test.tsx", "cart"), ("a/x.d.ts", "x"),
        ("Contest.java", "contest"), ("latest.py", "latest"), ("attest.go", "attest"), (".gitignore", ".gitignore"),
        ("spec/user_spec.rb", "user"), ("a/b", "b"), ("a/日本.py", "日本"),
    ],
)  # fmt: skip
def test_what_a_file_is_about(path: str, about: str) -> None:
    assert subject(path) == about


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("tests/test_auth.py", True), ("tests/helpers.py", True), ("src/auth_test.go", True), ("__tests__/x.js", True),
        ("src/contest.py", False), ("src/latest/app.py", False), ("testing/x.py", True), ("src/attest.rs", False),
        ("AuthIT.java", True), ("Exit.java", False), ("AUDIT.md", False),
    ],
)  # fmt: skip
def test_what_is_a_test(path: str, answer: bool) -> None:
    assert is_test(path) is answer


paths_ = st.lists(st.sampled_from(["a", "b", "test_a", "lib"]), min_size=1, max_size=4).map(
    lambda p: "/".join(p) + ".py"
)


@tolerant
@given(st.lists(paths_, max_size=6), st.lists(paths_, max_size=4))
def test_kinship_has_bounds(paths: list[str], given_: list[str]) -> None:
    found = kinship(paths, given_)
    assert found.shape == (len(paths),)
    assert ((found >= 0) & (found <= 1)).all()
    assert counterparts(paths, given_).shape == (len(paths),)


@tolerant
@given(paths_, paths_)
def test_kinship_is_the_same_both_ways(one: str, other: str) -> None:
    assert kinship([one], [other])[0] == pytest.approx(kinship([other], [one])[0])


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ("tests/test_auth.py", "tests/test_cart.py"), ("src/auth.pyi", "lib/auth.py"), ("src/cart.py", "web/cart.ts"),
        ("src/auth_roles.py", "src/cart.py"),
    ],
)  # fmt: skip
def test_who_is_nearer(near: str, far: str) -> None:
    found = kinship([near, far], ["src/auth.py"])
    assert found[0] > found[1]


def test_counterparts_are_what_the_change_has_none_of() -> None:
    paths = ["src/a.py", "tests/test_a.py"]
    assert counterparts(paths, ["src/b.py"]).tolist() == [0, 1]
    assert counterparts(paths, ["tests/test_b.py"]).tolist() == [1, 0]
    assert counterparts(paths, ["src/b.py", "tests/test_b.py"]).tolist() == [0, 0]
    assert counterparts(paths, []).tolist() == [0, 0]


# ---- why a block is there -------------------------------------------------------------------------------------------


def evidence(**voices: float) -> Evidence:
    """Of one chunk; what it stands out by in each channel."""
    each = {name: np.array([weight * voices.get(name, -0.1)]) for name, weight in WEIGHTS.items()}
    companions = {"src/cart.py": Companion("src/auth.py", 7, 20)}
    return Evidence(np.zeros(1), each, {"parse": 2.0, "check": 1.0}, {"Roles": 1.0}, companions, np.ones(1, dtype=bool))


def said(
    path: str = "src/cart.py", names: str = "", defined: str = "", given_: str = "src/auth.py", **voices: float
) -> str:
    block = Block(path, [0], frozenset(names.split()), frozenset(defined.split()))
    changed = [definition("src/auth.py", "parse"), definition("README.md", "Intro", searched=False)]
    return reason(block, evidence(**voices), changed, given_.split(), code_span)


@pytest.mark.parametrize(
    ("arguments", "voices", "expected"),
    [
        ({"names": "parse check"}, {"users": 1.0}, "uses `parse`, changed here"),
        ({"names": "check"}, {"users": 1.0}, "uses `check`, changed here"),
        ({"names": "parse", "defined": "parse"}, {"users": 1.0}, "defines `parse` too, changed here"),
        ({"names": "Parse parser"}, {"users": 1.0}, "near the change"),
        ({"names": "Roles", "defined": "Roles"}, {"used": 1.0}, "defines `Roles`, which the change uses"),
        ({"names": "Roles"}, {"used": 1.0}, "near the change"),
        ({}, {"history": 1.0}, "changed together with `auth.py` in 7 of its last 20 commits"),
        ({"given_": "src/auth.py web/auth.py"}, {"history": 1.0},
         "changed together with `src/auth.py` in 7 of its last 20 commits"),
        ({"path": "src/other.py"}, {"history": 1.0}, "near the change"),
        ({"path": "tests/test_auth.py"}, {"kin": 1.0}, "test of `auth.py`"),
        ({"path": "src/auth.py", "given_": "tests/test_auth.py"}, {"kin": 1.0}, "tested by `test_auth.py`"),
        ({"path": "web/auth.ts"}, {"kin": 1.0}, "twin of `src/auth.py`"),
        ({}, {"kin": 1.0}, "near the change"),
        ({}, {"subject": 1.0}, "answers to the words of the commits"),
        ({}, {"semantic": 1.0}, "similar to the change in `parse`"),
        ({"names": "parse"}, {"users": 2.0, "history": 1.0}, "uses `parse`, changed here"),
        ({"names": "parse"}, {"users": 1.0, "semantic": 3.9}, "uses `parse`, changed here"),
        ({"names": "parse"}, {"users": 1.0, "semantic": 4.1}, "similar to the change in `parse`"),
        ({}, {}, "near the change"),
    ],
)  # fmt: skip
def test_the_weightiest_reason_that_is_true(arguments: dict[str, str], voices: dict[str, float], expected: str) -> None:
    assert said(**arguments, **voices) == expected  # type: ignore[arg-type]


@tolerant
@given(any_text, any_text)
def test_a_reason_never_becomes_markup(path: str, name: str) -> None:
    block = Block(path, [0], frozenset({name}), frozenset())
    for voice_ in ("users", "kin", "history", "semantic"):
        told = evidence(**{voice_: 1.0})
        companions = {path: Companion(path, 1, 2)}
        told = Evidence(told.scores, told.voices, {name: 1.0}, {}, companions, told.tied)
        text = reason(block, told, [definition(path, name)], [f"x/{path}"], code_span)
        assert "\n" not in text
        kinds = {kind for kind, _ in parsed(f"why: {text}\n")}
        assert kinds <= {"p", "text", "code_inline"}


# ---- what changed here ----------------------------------------------------------------------------------------------


def words_of(text: str) -> int:
    return len(text.split())


def test_the_section_of_what_changed() -> None:
    touched = [
        Touched("a.py", (3, 9), "load", "changed"), Touched("a.py", (12, 12), "", "changed"),
        Touched("b.py", None, "old", "removed"), Touched("c.py", (1, 2), "new", "added"),
    ]  # fmt: skip
    quiet = [(f"q{at}.x", "mode") for at in range(5)]
    assert changed_here(touched, quiet, words_of, 9999) == (
        "## Changed here\n\n- `a.py:3-9` `load`\n- `a.py:12`\n- `b.py` `old` removed\n- `c.py:1-2` `new` added\n\n"
        "Changed too, but not asked about: `q0.x` (mode), `q1.x` (mode), `q2.x` (mode) and 2 more.\n\n"
    )


@tolerant
@given(st.integers(0, 400), st.integers(0, 9), st.integers(60, 3000), st.integers(1, 300))
def test_it_stays_within_its_share(rows: int, quiet: int, budget: int, length: int) -> None:
    touched = [Touched("p" * length, (at + 1, at + 2), f"f{at}", "changed") for at in range(rows)]
    told = changed_here(touched, [("q" * length, "mode")] * quiet, len, budget * 4)
    least = "## Changed here\n\n- and 400 more\n\nChanged too, but not asked about: 9 files.\n\n"
    assert len(told) <= max(budget * 4 * SHARE, len(least))
    assert bool(told) is bool(rows or quiet)
    shown = told.count("`f")
    assert (f"- and {rows - shown} more\n" in told) is (shown < rows)


# ---- areas ----------------------------------------------------------------------------------------------------------


def change_of(*paths: str) -> Change:
    files = [FileChange(Status.CHANGED, Kind.TEXT, path, path, "1", "2", (Hunk((1, 1), (1, 1)),)) for path in paths]
    return Change(tuple(files), tuple(definition(path) for path in paths), ())


@tolerant
@given(
    st.lists(st.sampled_from([f"{a}/{b}/x{n}.py" for a in "abcdefghijkl" for b in "mn" for n in (1, 2)]), unique=True),
    st.sampled_from([None, "top-level", "package"]),
    st.integers(200, 20_000),
)
def test_areas_share_out_files_and_budget(paths: list[str], way: str | None, budget: int) -> None:
    change = change_of(*paths)
    tracked = [*paths, "a/m/pyproject.toml", "b/package.json"]
    found = areas(change, way, tracked, budget)
    assert sorted(file.path for area in found for file in area.files) == sorted(paths)
    assert sorted(one.path for area in found for one in area.definitions) == sorted(paths)
    assert sum(area.budget for area in found) <= budget
    assert len(found) <= 8
    assert len({area.name for area in found}) == len(found)
    if len(found) > 1:
        assert min(area.budget for area in found) >= 400
        assert all(area.name and "/" not in area.name for area in found)


@pytest.mark.parametrize(
    ("paths", "way", "names"),
    [
        (["a/x.py", "b/y.py"], None, [""]),
        (["a/x.py", "a/y.py"], "top-level", [""]),
        (["a/x.py", "b/y.py", "z.py"], "top-level", ["a", "b", "root"]),
        (["pkg/a/src/x.py", "pkg/b/y.py", "z.py"], "package", ["pkg-a", "pkg-b", "root"]),
        ([".github/x.yml", "b/y.py"], "top-level", ["github", "b"]),
        (["Größe/x.py", "日本/y.py", "b/z.py"], "top-level", ["Gr-e", "b", "root"]),
        (["a b/x.py", "a-b/y.py", "A-B/z.py"], "top-level", ["A-B", "a-b-2", "a-b-3"]),
        (["root/x.py", "y.py", "rest/z.py"], "top-level", None),
        (["../x.py", "-/y.py", ".../z.py"], "top-level", ["root", "root-2", "root-3"]),
    ],
)
def test_names_of_areas_are_file_names_and_differ(paths: list[str], way: str | None, names: list[str] | None) -> None:
    found = areas(change_of(*paths), way, ["pkg/a/pyproject.toml", "pkg/b/Cargo.toml"], 8000)
    told = [area.name for area in found]
    assert names is None or told == names
    assert len(set(told)) == len(told)


# ---- what is hidden, and who comes first ----------------------------------------------------------------------------


@tolerant
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)), max_size=6),
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 30)), min_size=1, max_size=8),
)
def test_hidden_lines_stand_in_no_piece_and_weight_is_not_lost(
    hidden: list[tuple[int, int]], blocks: list[tuple[int, int]]
) -> None:
    away = [(first, first + more) for first, more in hidden]
    spread = Spread({0: away})
    gone = {line for first, last in away for line in range(first, last + 1)}
    weight = 0.0
    for first, more in blocks:
        lines = set(range(first, first + more + 1))
        spread.add(0, (first, first + more), 1.0, is_core=True)
        weight += 1.0 if lines - gone else 0.0
    pieces = spread.by_weight()
    shown = [line for piece in pieces for line in range(piece.lines[0], piece.lines[1] + 1)]
    assert len(shown) == len(set(shown))
    assert not set(shown) & gone
    assert sum(piece.weight for piece in pieces) == pytest.approx(weight)


@tolerant
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(5, 60), st.integers(50, 400), st.booleans()), max_size=25),
    st.integers(0, 1500),
)
def test_no_plan_spends_more_than_it_has(blocks: list[tuple[int, int, int, bool]], budget: int) -> None:
    weights = np.linspace(1, 0.1, len(blocks)) if blocks else np.zeros(0)
    columns = [np.array([float(block[at]) for block in blocks]) for at in range(3)]
    heads = np.array([block[3] for block in blocks], dtype=bool)
    for plan in (BREADTH_FIRST, DEPTH_FIRST):
        tiers = allocate(weights, Costs(*columns), budget, plan, heads)
        assert Costs(*columns).at(tiers).sum() <= budget


def test_a_change_shows_the_signature_of_each_file_before_bodies() -> None:
    costs = Costs(np.full(4, 5.0), np.full(4, 20.0), np.full(4, 100.0))
    heads = np.array([True, False, True, True])
    tiers = allocate(np.array([0.7, 0.1, 0.1, 0.1]), costs, 200, BREADTH_FIRST, heads)
    assert tiers[0] == FULL
    assert all(tier >= SIGNATURE for tier, head in zip(tiers.tolist(), heads, strict=True) if head)
    assert {HIDDEN, STUB, SIGNATURE, FULL} >= set(tiers.tolist())

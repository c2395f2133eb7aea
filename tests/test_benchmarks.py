"""The benchmarks: scoring by hand, and every command once over a tiny repository with tiny cases."""

from __future__ import annotations

import json
import math
import re
import tarfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks import made, report, scoring, sessions, tau
from benchmarks.__main__ import main
from benchmarks.cases import Target, ranking_sets, symbol_cases
from benchmarks.checkouts import Checkout, clone_at, find, lay_out
from benchmarks.cochange import Answer, CochangeCase, part_of, reciprocal_rank
from benchmarks.scoring import Shown
from repositories import SHOP, commit, create, git

AUTH, STORAGE = "src/auth.py", "src/storage.py"


def shown(path: str, first: int = 1, last: int = 10, *lines: tuple[int, int]) -> Shown:
    return Shown(path, (first, last), lines)


@pytest.mark.parametrize(
    ("pieces", "target", "expected"),
    [
        pytest.param([shown("a.py", 1, 10)], Target("a.py", (10, 12)), True, id="one line in common"),
        pytest.param([shown("a.py", 1, 10)], Target("a.py", (11, 12)), False, id="next to it"),
        pytest.param([shown("b.py", 1, 10)], Target("a.py", (1, 10)), False, id="another file"),
        pytest.param([shown("a.py", 5, 5)], Target("a.py"), True, id="a whole file is the target"),
        pytest.param([], Target("a.py"), False, id="nothing"),
    ],
)
def test_a_piece_hits_where_it_overlaps(pieces: list[Shown], target: Target, expected: bool) -> None:
    assert scoring.hits(pieces, target) is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([(1, 10)], 1.0, id="all"),
        pytest.param([(6, 20)], 0.5, id="half"),
        pytest.param([(1, 4), (3, 5)], 0.5, id="overlapping pieces count once"),
        pytest.param([], 0.0, id="only its name"),
        pytest.param([(11, 30)], 0.0, id="what follows"),
    ],
)
def test_lines_are_a_share_of_the_definition(lines: list[tuple[int, int]], expected: float) -> None:
    assert scoring.share_of_lines([shown("a.py", 1, 30, *lines)], Target("a.py", (1, 10))) == expected


def test_only_the_first_lines_of_a_long_definition_are_asked_for() -> None:
    target = Target("a.py", (101, 500))
    assert scoring.share_of_lines([shown("a.py", 1, 999, (101, 120))], target) == 0.5
    assert scoring.share_of_lines([shown("a.py", 1, 999, (141, 500))], target) == 0.0


def test_lines_of_another_file_do_not_count() -> None:
    assert scoring.share_of_lines([shown("b.py", 1, 9, (1, 9))], Target("a.py", (1, 9))) == 0.0


TWO = [Target("a.py"), Target("b.py")]
SECOND = 1 / math.log2(3)


@pytest.mark.parametrize(
    ("results", "targets", "expected"),
    [
        pytest.param(["a.py", "b.py"], TWO, 1.0, id="perfect"),
        pytest.param(["b.py", "a.py"], TWO, 1.0, id="gains are equal"),
        pytest.param(["a.py", "a.py"], TWO, 1 / (1 + SECOND), id="a file counts once"),
        pytest.param(["x.py", "a.py"], TWO[:1], SECOND, id="second"),
        pytest.param(["x.py"] * 10 + ["a.py"], TWO[:1], 0.0, id="eleventh"),
        pytest.param([], TWO, 0.0, id="no results"),
        pytest.param(["a.py"], [], 0.0, id="no targets"),
    ],
)
def test_ndcg(results: list[str], targets: list[Target], expected: float) -> None:
    assert scoring.ndcg([shown(path) for path in results], targets) == pytest.approx(expected)


def test_ndcg_asks_for_lines_where_the_target_has_some() -> None:
    results = [shown("a.py", 1, 10), shown("a.py", 11, 20)]
    assert scoring.ndcg(results, [Target("a.py", (15, 16))]) == pytest.approx(SECOND)


def test_by_file_keeps_the_first_piece_of_each() -> None:
    assert scoring.by_file([shown("a.py", 5), shown("b.py"), shown("a.py", 1)]) == [shown("a.py", 5), shown("b.py")]


def test_paired_differences() -> None:
    difference = scoring.paired([1.0, 0.5, 0.0], [0.0, 0.5, 0.5])
    assert difference.mean == pytest.approx(1 / 6)
    assert difference.error == pytest.approx(math.sqrt(7 / 12) / math.sqrt(3))
    assert scoring.paired([], []) == scoring.Difference(0.0, 0.0)


def test_each_repository_counts_the_same() -> None:
    assert scoring.mean_of_means({"small": [1.0], "large": [0.0, 0.0, 0.0]}) == 0.5


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    create(tmp_path / "clones/shop", SHOP)
    return tmp_path / "clones"


@pytest.fixture
def cases(tmp_path: Path, shop: Path) -> Path:
    """Four symbol cases and three ranking cases of one repository."""
    folder = tmp_path / "cases"
    (folder / "ndcg").mkdir(parents=True)
    now = git(shop / "shop", "rev-parse", "HEAD")
    rows = [
        symbol(now, "authenticate", AUTH, 13, 21, "authenticate", "name"),
        symbol(now, "what does hash_password do", AUTH, 8, 10, "hash_password", "name"),
        symbol(now, "Which user has which role.", AUTH, 24, 36, "Roles", "doc"),
        symbol(now, "Read an order from its file.", STORAGE, 16, 18, "load", "doc"),
    ]
    (folder / "symbols-shop.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    questions = [
        {"query": "how is a password checked", "relevant": [AUTH], "category": "semantic"},
        {"query": "where do orders live", "relevant": [{"path": STORAGE, "start_line": 1, "end_line": 99}]},
        {"query": "Roles", "relevant": [AUTH], "secondary": [STORAGE], "category": "symbol"},
    ]
    (folder / "ndcg/shop.json").write_text(json.dumps(questions))
    (folder / "repos.json").write_text(json.dumps({"_note": "…", "shop": ["file:///shop", now, None]}))
    return folder


def symbol(commit_id: str, query: str, path: str, line: int, end: int, name: str, kind: str) -> dict[str, Any]:
    place = {"repo": "shop", "commit": commit_id, "path": path, "line": line, "end": end}
    return {**place, "query": query, "symbol": name, "kind": kind}


def test_cases_are_read(cases: Path) -> None:
    found = symbol_cases(cases)["shop"]
    assert [case.symbol for case in found] == ["authenticate", "hash_password", "Roles", "load"]
    assert found[0].target == Target(AUTH, (13, 21))
    (one,) = ranking_sets(cases, only=None)
    assert one.pinned.folder == ""
    assert [case.category for case in one.cases] == ["semantic", "none", "symbol"]
    assert one.cases[1].targets == (Target(STORAGE, (1, 99)),)
    assert one.cases[2].targets == (Target(AUTH), Target(STORAGE))


def test_ranking_cases_need_their_list_of_repositories(tmp_path: Path, cases: Path) -> None:
    assert ranking_sets(cases) == []  # a shop is none of the published repositories
    assert ranking_sets(tmp_path / "clones", None) == []


def test_a_clone_counts_if_it_has_the_commit(shop: Path, tmp_path: Path) -> None:
    first = git(shop / "shop", "rev-parse", "HEAD")
    create(tmp_path / "others/shop", {"a.py": "x = 1\n"})
    roots = [tmp_path / "nowhere", tmp_path / "others", shop]
    assert find("shop", first, "", roots) == Checkout("shop", shop / "shop", first)
    assert find("shop", first, "src", roots) is not None
    assert find("shop", first, "lib", roots) is None
    assert find("shop", "0" * 40, "", roots) is None


def test_a_tree_is_laid_out_whatever_is_checked_out(shop: Path, tmp_path: Path) -> None:
    first = git(shop / "shop", "rev-parse", "HEAD")
    commit(shop / "shop", {AUTH: "changed = True\n"})
    checkout = Checkout("shop", shop / "shop", first, "src")
    place = lay_out(checkout, tmp_path / "work")
    assert (place / "auth.py").read_text() == SHOP[AUTH]
    assert checkout.prefix + "auth.py" == AUTH
    assert lay_out(checkout, tmp_path / "work") == place
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_a_fresh_clone_has_the_files_of_its_commit(shop: Path, tmp_path: Path) -> None:
    first = git(shop / "shop", "rev-parse", "HEAD")
    commit(shop / "shop", {AUTH: "changed = True\n"})
    for _ in range(2):
        clone_at(shop / "shop", tmp_path / "fresh", first)
        assert (tmp_path / "fresh" / AUTH).read_text() == SHOP[AUTH]


def run(command: str, shop: Path, cases: Path, *options: str) -> Any:
    out = cases.parent / "result.json"
    folders = ["--repos", str(shop), "--cases", str(cases), "--work", str(cases.parent / "work"), "--out", str(out)]
    assert main([command, *folders, "--all", *options]) == 0
    text = out.read_text()
    assert str(cases.parent) not in text
    assert not re.search(r"20\d\d-\d\d-\d\d", text)
    (one,) = json.loads(text)["runs"]
    assert {"python", "numpy", "semble", "tobler_pack", "blend", "model", "tau"} <= set(one["versions"])
    return one["results"]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SEMBLE_CACHE_LOCATION", str(tmp_path / "semble"))  # put back afterwards: runs set it


@pytest.mark.filterwarnings("ignore")  # semble's own
def test_symbols_beside_the_peer(shop: Path, cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = run("symbols", shop, cases, "--budget", "2000", "--budget", "400")["shop"]
    ours, small = results["tobler-pack, 2000"], results["tobler-pack, 400"]
    assert ours["all"] == {"cases": 4, "shown": 1.0, "lines": 1.0, "body": 1.0}
    assert ours["name"]["cases"] == ours["doc"]["cases"] == 2
    assert ours["tokens"]["over"] == small["tokens"]["over"] == 0
    assert small["tokens"]["max"] <= 400
    assert set(ours["shape"]) == {"n_eff", "k", "epsilon"}
    assert results["semble, filled, 400"]["tokens"]["max"] <= 400
    assert results["semble, first 5, 2000"]["all"]["shown"] > 0
    printed = capsys.readouterr().out
    assert "| tobler-pack, 2000 | 1.00 · 1.00 · 1.00 |" in printed
    assert main(["table", str(cases.parent / "result.json")]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.filterwarnings("ignore")
def test_ranking_beside_the_peer(shop: Path, cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = run("ranking", shop, cases)
    assert set(results["tools"]) == {"tobler-pack", "tobler-pack, as printed", "semble", "semble, by file"}
    assert results["tools"]["tobler-pack"]["mean"] > 0.5
    assert results["tools"]["tobler-pack"]["questions"] == 3
    assert set(results["differences"]) == {"tobler-pack − semble", "tobler-pack − semble, by file"}
    assert "**File NDCG@10**" in capsys.readouterr().out


def test_tau_has_a_curve_for_each_kind(shop: Path, cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = run("tau", shop, cases)
    assert results["questions"] == 7
    assert set(results["curves"]) == {"all", "symbol-like", "natural"}
    points = results["curves"]["all"]["points"]
    assert [point["tau"] for point in points] == list(tau.GRID)
    assert all(later["p50"] >= earlier["p50"] for earlier, later in pairwise(points))
    assert [point["tau"] for point in points if point["lines"] is not None] == list(tau.PACKS_AT)
    assert "#" * 50 + " <" in capsys.readouterr().out
    table = (cases.parent / "result.csv").read_text().splitlines()
    assert len(table) == 1 + 3 * len(tau.GRID)


def test_sessions_pass_over_small_repositories(shop: Path, cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = ["--repos", str(shop), "--cases", str(cases)]
    assert main(["sessions", *folders]) == 2
    monkeypatch.setattr("benchmarks.sessions.FEWEST_FILES", 1)
    results = run("sessions", shop, cases)
    assert results["all"]["questions"] == 6  # all but `Roles`, a bare name
    assert results["all"]["first question"] == 1.0
    follow_ups = [results["all"][kind]["turns"] for kind in sessions.FOLLOW_UPS]
    assert follow_ups == [6 * len(queries) for queries in sessions.FOLLOW_UPS.values()]
    assert len(results["templates"]) == sum(map(len, sessions.FOLLOW_UPS.values()))
    assert results["all"]["pivot"]["turns"] == 6
    assert results["all"]["pivot to a name"]["turns"] == 0  # both files are targets of the only name


@pytest.mark.filterwarnings("ignore")
def test_speed_measures_whole_commands(shop: Path, cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = run("speed", shop, cases, "--quick", "--no-peers")["shop"]
    assert results["index from nothing"]["tobler-pack"]["median"] > 0
    assert "fresh clone, same commit" in results
    assert "fresh clone, 20 commits later" not in results  # its history has one commit
    assert "| --help | 0." in capsys.readouterr().out
    assert not list((cases.parent / "work/speed").iterdir())


@pytest.mark.filterwarnings("ignore")
def test_cochange_asks_for_the_file_that_is_held_out(
    shop: Path, cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = shop / "shop"
    pages = "from auth import authenticate\n\n\ndef login(request, users):\n    return authenticate(request, users)\n"
    parent = commit(root, {"src/pages.py": pages})
    auth = str(SHOP[AUTH]).replace("def authenticate(request, users)", "def authenticate(request, users, strict=True)")
    now = commit(root, {AUTH: auth, "src/pages.py": pages.replace("users)\n", "users, strict=False)\n")})
    place = {"repo": "shop", "commit": now, "parent": parent, "subject": "authenticate strictly"}
    rows = [
        {**place, "held_out": "src/pages.py", "given": [AUTH]},
        {**place, "held_out": AUTH, "given": ["src/pages.py"]},
    ]
    (cases / "cochange-shop.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    before = git(root, "count-objects", "-v"), git(root, "for-each-ref")
    results = run("cochange", shop, cases)["shop"]
    ours = results["tobler-pack diff, 3000"]
    assert (ours["cases"], ours["mrr"], ours["body"], ours["shown"]) == (2, 1.0, 1.0, 1.0)
    assert ours["tokens"]["max"] <= 3000
    assert results["semble, first 10 for the diff"]["shown"] == 1.0
    assert results["semble, first 10 for the subject"]["cases"] == 2
    assert "| tobler-pack diff, 3000 | 1.00 · 1.00 · 1.00 |" in capsys.readouterr().out
    assert (git(root, "count-objects", "-v"), git(root, "for-each-ref")) == before


def test_a_case_is_a_commit_of_the_given_files_alone(shop: Path, tmp_path: Path) -> None:
    root = shop / "shop"
    parent = git(root, "rev-parse", "HEAD")
    (root / STORAGE).unlink()
    now = commit(root, {AUTH: "x = 1\n", "README.md": "held out\n", "new.py": "n = 1\n"})
    case = CochangeCase("shop", now, parent, "all of it", "README.md", (AUTH, STORAGE, "new.py"))
    made_ = part_of(root, case)
    assert git(root, "diff", "--name-status", parent, made_).split("\n") == ["A\tnew.py", f"M\t{AUTH}", f"D\t{STORAGE}"]
    assert git(root, "log", "-1", "--format=%s %P", made_) == f"all of it {parent}"
    assert part_of(root, case) == made_  # the same commit at any time


@pytest.mark.parametrize(
    ("files", "expected"), [(["a", "held"], 0.5), (["held"], 1.0), (["a", "b"], 0.0), ([], 0.0)]
)  # fmt: skip
def test_the_rank_of_the_held_out_file(files: list[str], expected: float) -> None:
    case = CochangeCase("r", "1", "0", "s", "held", ())
    assert reciprocal_rank(Answer(files, frozenset(), 0, 0.0), case) == expected


def test_packages_become_repositories_with_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packages = tmp_path / "packages"
    package(packages / "unpacked-1.0", "alpha")
    package(tmp_path / "packed-2.0", "beta")
    with tarfile.open(packages / "packed-2.0.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "packed-2.0", "packed-2.0")
    assert main(["symbols", "--pypi", str(packages), "--quick", "--no-peers", "--work", str(tmp_path / "work")]) == 0
    assert "| tool, budget | packed-2.0 | unpacked-1.0 | mean |" in capsys.readouterr().out
    found = symbol_cases(tmp_path / "work/made-cases")
    assert {case.kind for case in found["packed-2.0"]} == {"name", "doc"}
    assert all(case.symbol not in case.query for case in found["packed-2.0"] if case.kind == "doc")


def package(place: Path, word: str) -> None:
    place.mkdir(parents=True)
    functions = [
        f'def {word}_{at}(number):\n    """{word}_{at} adds the number {at} to another number."""\n'
        f"    first = {at}\n    second = number\n    total = first + second\n    return total\n"
        for at in range(6)
    ]
    (place / "sums.py").write_text("\n\n".join(functions))
    (place / "test_sums.py").write_text(functions[0])


def test_the_same_package_gives_the_same_commit_and_cases(tmp_path: Path) -> None:
    package(tmp_path / "packages/sums", "gamma")
    texts = []
    for work in ("one", "two"):
        _, folder = made.make(tmp_path / "packages", tmp_path / work)
        texts.append((folder / "symbols-sums.jsonl").read_text())
    assert texts[0] == texts[1]


def test_a_missing_clone_is_said(shop: Path, cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["symbols", "--repos", str(shop / "shop"), "--cases", str(cases), "--no-peers"]) == 2
    assert "left out: shop at " in capsys.readouterr().err


def test_a_run_needs_clones_and_cases(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["symbols"])
    assert "--repos and --cases" in capsys.readouterr().err


def test_figures_are_written_as_in_the_readme() -> None:
    assert [report.two(0.8149), report.two(1.0), report.three(0.8134)] == [".81", "1.00", ".813"]
    assert report.signed({"mean": -0.0123, "error": 0.004}) == "-.012 ± .004"
    table = report.Table("Title", ("", "a|b"), (("x", "1"),), "A note.")
    assert table.markdown() == "**Title**\n\n|  | a\\|b |\n| --- | ---: |\n| x | 1 |\n\nA note.\n"

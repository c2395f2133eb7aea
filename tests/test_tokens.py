"""Token counts: those of the named tokenizer, remembered from run to run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import HOSTILE, any_line, independent_count
from tobler_pack.packs.tokens import COUNTERS, TokenCounter

FILE = "tokens-o200k_base.counts"

COUNT_IN_NEW_PROCESS = """
import sys
from pathlib import Path
from tobler_pack.packs.tokens import TokenCounter
counter = TokenCounter("o200k_base", Path(sys.argv[1]))
print(*counter.count(sys.argv[2:]), "toktok" in sys.modules)
counter.keep()
"""


def in_new_process(folder: Path, *texts: str) -> list[str]:
    """The counts in a process of its own, and whether it loaded the tokenizer."""
    command = [sys.executable, "-W", "error", "-c", COUNT_IN_NEW_PROCESS, str(folder), *texts]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def remembered(folder: Path) -> TokenCounter:
    """A counter that has counted two texts and kept that."""
    counter = TokenCounter("o200k_base", folder)
    counter.count(["one two three", "four"])
    counter.keep()
    return counter


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("<|endoftext|>", id="special token"),
        pytest.param("a <|fim_prefix|><|endofprompt|> b", id="more special tokens"),
        pytest.param("你好，世界。" * 40, id="Chinese"),
        pytest.param("ひらがなカタカナ한국어" * 20, id="Japanese and Korean"),
        pytest.param("👩\u200d👩\u200d👧🇩🇪🏳️\u200d🌈" * 10, id="emoji"),
        pytest.param("a" * 20_000, id="long run of a letter"),
        pytest.param(" " * 9_000 + "x", id="long run of blanks"),
        pytest.param("\n" * 3_000, id="long run of line ends"),
        pytest.param("=" * 5_000, id="long run of a sign"),
        pytest.param("0123456789" * 500, id="long number"),
        pytest.param("e\u0301\u0301\u0301 \u00e9", id="combining marks"),
        pytest.param("\x00\x01\x1b[0m\x7f\x85\ufeff\ufffe", id="control characters"),
        pytest.param("x\r\ny\rz\u2028\u2029\x0b\x0c", id="line ends of all kinds"),
        pytest.param("I'll DON'T we'Re 'S", id="contractions"),
        pytest.param("\u0130\u017f\u1e9e ǅ ﬁ Ω", id="odd case"),
        pytest.param("\U0010ffff\ue000\ud7ff", id="ends of the code space"),
        pytest.param("def f(x):\n    return {\n\t'a': x,\n    }\n", id="code"),
    ],
)
def test_counts_are_those_of_another_tokenizer(name: str, text: str) -> None:
    assert TokenCounter(name).count([text]) == [independent_count(name)(text)]


@settings(max_examples=150, deadline=None)
@given(st.lists(any_line, max_size=8).map("\n".join))
def test_counts_of_any_text_are_those_of_another_tokenizer(text: str) -> None:
    for name in COUNTERS:
        assert TokenCounter(name).count([text]) == [independent_count(name)(text)]


def test_many_texts_are_counted_in_their_order() -> None:
    texts = [*HOSTILE, *HOSTILE, "", *HOSTILE[::-1]]
    count = independent_count("o200k_base")
    assert TokenCounter("o200k_base").count(texts) == [count(text) for text in texts]


def test_the_counters_differ() -> None:
    """So that a test cannot pass with the wrong one."""
    text = "你好，世界。" * 40
    assert TokenCounter("o200k_base").count([text]) != TokenCounter("cl100k_base").count([text])


def test_no_text_needs_no_tokenizer() -> None:
    assert TokenCounter("o200k_base").count([]) == []


def test_an_unknown_counter_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"unknown counter 'gpt2'; known: o200k_base, cl100k_base"):
        TokenCounter("gpt2")


def test_remembered_counts_need_no_tokenizer(tmp_path: Path) -> None:
    counts = [str(count) for count in TokenCounter("o200k_base").count(["one two three", "four", "five"])]
    assert in_new_process(tmp_path, "one two three", "four") == [*counts[:2], "True"]
    assert in_new_process(tmp_path, "four", "one two three") == [counts[1], counts[0], "False"]
    assert in_new_process(tmp_path, "four", "five") == [*counts[1:], "True"]
    assert in_new_process(tmp_path, "one two three", "four", "five") == [*counts, "False"]


def test_counts_are_taken_as_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = remembered(tmp_path).count(["one two three", "four"])
    monkeypatch.setitem(sys.modules, "toktok", None)
    assert TokenCounter("o200k_base", tmp_path).count(["one two three", "four"]) == counts
    with pytest.raises(ImportError):
        TokenCounter("o200k_base", tmp_path).count(["something else"])


def test_each_counter_remembers_for_itself(tmp_path: Path) -> None:
    text = "你好，世界。" * 40
    for _ in range(2):
        for name in COUNTERS:
            counter = TokenCounter(name, tmp_path)
            assert counter.count([text]) == [independent_count(name)(text)]
            counter.keep()


def test_nothing_is_kept_unless_asked(tmp_path: Path) -> None:
    TokenCounter("o200k_base", tmp_path).count(["one"])
    assert list(tmp_path.iterdir()) == []
    TokenCounter("o200k_base", tmp_path).keep()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_where_nothing_is_new(tmp_path: Path) -> None:
    remembered(tmp_path)
    before = (tmp_path / FILE).stat()
    counter = TokenCounter("o200k_base", tmp_path)
    counter.count(["four"])
    counter.keep()
    after = (tmp_path / FILE).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_only_the_newest_counts_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tobler_pack.packs.tokens._REMEMBERED", 3)
    counter = TokenCounter("o200k_base", tmp_path)
    counter.count(["a", "b", "c", "d", "e"])
    counter.keep()
    monkeypatch.setitem(sys.modules, "toktok", None)
    later = TokenCounter("o200k_base", tmp_path)
    assert later.count(["c", "d", "e"]) == [1, 1, 1]
    with pytest.raises(ImportError):
        later.count(["b"])


def test_no_text_reaches_the_file(tmp_path: Path) -> None:
    remembered(tmp_path)
    assert b"three" not in (tmp_path / FILE).read_bytes()


def test_a_damaged_file_is_ignored_and_written_anew(tmp_path: Path) -> None:
    """Each byte changed, each length cut: a wrong count could break a budget."""
    remembered(tmp_path)
    file = tmp_path / FILE
    good = file.read_bytes()
    damaged = [good[:length] for length in range(len(good))]
    damaged += [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in range(len(good))]
    damaged += [good + b"\0", good + good, good[16:], b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"\x80\x04}."]
    counts = TokenCounter("o200k_base").count(["one two three", "four"])
    for content in damaged:
        file.write_bytes(content)
        counter = TokenCounter("o200k_base", tmp_path)
        assert counter.count(["one two three", "four"]) == counts
        counter.keep()
        assert file.read_bytes() == good


@pytest.mark.parametrize("there", [pytest.param(True, id="a file"), pytest.param(False, id="nothing")])
def test_a_folder_that_cannot_be_written_to_is_no_failure(tmp_path: Path, *, there: bool) -> None:
    folder = tmp_path / "cache"
    if there:
        folder.write_text("not a folder")
    counter = TokenCounter("o200k_base", folder)
    assert counter.count(["four"]) == [1]
    counter.keep()
    assert sorted(tmp_path.iterdir()) == ([folder] if there else [])


def test_a_full_disk_is_no_failure_and_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remembered(tmp_path)
    good = (tmp_path / FILE).read_bytes()
    counter = TokenCounter("o200k_base", tmp_path)
    counter.count(["something else"])

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    counter.keep()
    assert (tmp_path / FILE).read_bytes() == good
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_processes_do_not_harm_each_other(tmp_path: Path) -> None:
    texts = [[f"text {number} of {who}" for number in range(200)] for who in range(3)]
    command = [sys.executable, "-c", COUNT_IN_NEW_PROCESS, str(tmp_path)]
    running = [subprocess.Popen([*command, *some], stdout=subprocess.PIPE, text=True) for some in texts]
    counter = TokenCounter("o200k_base")
    for process, some in zip(running, texts, strict=True):
        printed, _ = process.communicate(timeout=60)
        assert [int(count) for count in printed.split()[:-1]] == counter.count(some)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert any(in_new_process(tmp_path, *some)[-1] == "False" for some in texts)

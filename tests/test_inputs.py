"""The action's inputs and what it says to the runner."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tobler_pack.ci.__main__ import main
from tobler_pack.ci.event import read_event
from tobler_pack.ci.inputs import PREFIX, Inputs, Mode, Reason, read_inputs
from tobler_pack.ci.reading import Manifest
from tobler_pack.ci.workflow import Annotations, escape, escape_property, set_outputs, show, write_summary
from tobler_pack.errors import EnvironmentProblem, UsageError
from tobler_pack.sources.yaml_text import parse

PROJECT = Path(__file__).parent.parent


def given(**inputs: str) -> dict[str, str]:
    return {PREFIX + name.upper(): value for name, value in inputs.items()}


def action(name: str) -> Any:
    """An action's description as data; YAML's `on` and the like do not occur in it."""
    return parse((PROJECT / name).read_text()).data


@pytest.mark.skipif(not (PROJECT / "action.yml").is_file(), reason="not in a checkout of the project")
def test_the_defaults_of_the_action_are_those_of_the_program() -> None:
    inputs = action("action.yml")["inputs"]
    texts = {name.replace("-", "_"): str(one["default"]) for name, one in inputs.items() if name != "token"}
    assert set(texts) == set(Inputs.__dataclass_fields__)
    assert read_inputs(given(**texts)) == Inputs()


@pytest.mark.skipif(not (PROJECT / "action.yml").is_file(), reason="not in a checkout of the project")
@pytest.mark.parametrize("name", ["action.yml", "post/action.yml"])
def test_nothing_is_pasted_into_a_shell_and_every_action_is_pinned(name: str) -> None:
    for step in action(name)["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "github.action_path" not in str(step)  # its backslashes get lost in bash
        assert "run" not in step or step["shell"] == "bash"
        assert "uses" not in step or re.fullmatch(r"[a-z/-]+@[0-9a-f]{40}", step["uses"])
        if "-m tobler_pack" in step.get("run", ""):
            assert " -I -m tobler_pack.ci " in step["run"]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("mode", "diff", Mode.DIFF),
        ("comment", "false", False),
        ("budget", "3000", 3000),
        ("budget", "", None),
        ("retention_days", "14", 14),
        ("artifact_name", "packs of ä-1", "packs of ä-1"),
        ("comment_id", "docs.2", "docs.2"),
        ("base", "origin/main", "origin/main"),
        ("fail_on", "stale, truncated", frozenset({Reason.STALE, Reason.TRUNCATED})),
        ("fail_on", "none", frozenset()),
    ],
)
def test_inputs(name: str, text: str, value: object) -> None:
    assert getattr(read_inputs(given(**{name: text})), name) == value


@pytest.mark.parametrize(
    ("name", "text", "phrase"),
    [
        ("mode", "Diff", "is none of auto, diff, build"),
        ("mode", "", "is none of"),
        ("comment", "yes", "is neither true nor false"),
        ("comment", "True", "is neither true nor false"),
        ("cache", "", "is neither true nor false"),
        ("budget", "199", "is not a number from 200 to 200000"),
        ("budget", "2e3", "is not a number"),
        ("budget", "$(id)", "is not a number"),
        ("retention_days", "-1", "is not a number from 0"),
        ("artifact_name", "a/b", "is no name of an artifact"),
        ("artifact_name", "a:b", "is no name of an artifact"),
        ("artifact_name", "", "is no name of an artifact"),
        ("comment_id", "a-->b", "is no word"),
        ("comment_id", "../x", "is no word"),
        ("comment_id", "", "is no word"),
        ("base", "--upload-pack=x", "is no name of a branch"),
        ("head", "a b", "is no name of a branch"),
        ("base", "a..b", "is no name of a branch"),
        ("config", "a\nb", "contains control characters"),
        ("fail_on", "everything", "is neither none nor a list of stale, truncated, problem"),
        ("fail_on", "", "is neither none nor"),
    ],
)
def test_inputs_that_cannot_be(name: str, text: str, phrase: str) -> None:
    with pytest.raises(UsageError, match=f"^input {name.replace('_', '-')}: .*{phrase}"):
        read_inputs(given(**{name: text}))


def test_every_mistake_at_once() -> None:
    with pytest.raises(UsageError) as error:
        read_inputs(given(mode="x", comment="y", budget="z"))
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == [
        "input mode", "input budget", "input comment"
    ]  # fmt: skip


# ---- the event ------------------------------------------------------------------------------------------------------


def pull_request(**more: Any) -> dict[str, Any]:
    shape = {
        "number": 7,
        "head": {"sha": "b" * 40, "ref": "$(touch PWNED)", "repo": {"full_name": "ann/shop"}},
        "base": {"sha": "a" * 40, "ref": "main"},
    }
    return {"pull_request": shape | more}


def event(tmp_path: Path, payload: Any, name: str = "pull_request") -> Any:
    (tmp_path / "event.json").write_text(json.dumps(payload))
    found = {"GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITHUB_EVENT_NAME": name}
    return read_event(found | {"GITHUB_REPOSITORY": "ann/shop", "GITHUB_SHA": "c" * 40, "GITHUB_RUN_ID": "1"})


def test_a_pull_request(tmp_path: Path) -> None:
    pull = event(tmp_path, pull_request()).pull
    assert (pull.number, pull.base_ref, pull.head_sha, pull.is_fork) == (7, "main", "b" * 40, False)


@pytest.mark.parametrize("repo", [{"full_name": "mallory/shop"}, None], ids=["fork", "deleted fork"])
def test_a_fork(tmp_path: Path, repo: Any) -> None:
    assert event(tmp_path, pull_request(head={"sha": "b" * 40, "repo": repo})).pull.is_fork


@pytest.mark.parametrize(
    "payload",
    [
        {},
        [],
        pull_request(number="7; id"),
        pull_request(head={"sha": "$(id)"}),
        pull_request(head="x"),
        pull_request(base={"sha": "--x"}),
    ],
)
def test_payloads_that_are_no_pull_request(tmp_path: Path, payload: Any) -> None:
    assert event(tmp_path, payload).pull is None


def test_another_event_with_a_pull_request_in_it(tmp_path: Path) -> None:
    assert event(tmp_path, pull_request(), "push").pull is None


def test_outside_of_github_actions() -> None:
    with pytest.raises(EnvironmentProblem, match="inside GitHub Actions only"):
        read_event({})


# ---- what is said to the runner -------------------------------------------------------------------------------------


def test_annotations_stay_on_their_line(capsys: pytest.CaptureFixture[str]) -> None:
    Annotations({"GITHUB_ACTIONS": "true"}).warning("100 %\n::error::x\r")
    assert capsys.readouterr().out == "::warning title=tobler-pack::100 %25%0A::error::x%0D\n"
    assert escape_property("a:b,c%") == "a%3Ab%2Cc%25"
    assert escape("a:b") == "a:b"


def test_past_the_cap_of_the_runner_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    annotations = Annotations({"GITHUB_ACTIONS": "true"})
    for at in range(25):
        annotations.warning(f"w{at}")
    annotations.notice("n")
    annotations.close()
    told = capsys.readouterr().out
    warnings = re.findall("^::warning [^:]*::(.*)$", told, re.MULTILINE)
    assert warnings == [*(f"w{at}" for at in range(9)), "16 more; see the log of this step"]
    assert "warning: w24" in told


@pytest.mark.parametrize("variables", [{}, {"GITHUB_ACTIONS": "false"}])
def test_elsewhere_annotations_are_plain_lines(capsys: pytest.CaptureFixture[str], variables: dict[str, str]) -> None:
    Annotations(variables).error("x")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "tobler-pack: error: x\n")


def test_text_of_the_repository_commands_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    show("::add-mask::x\n::set-output name=a::b")
    first, *lines, last = capsys.readouterr().out.splitlines()
    mark = first.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", mark)
    assert lines == ["::add-mask::x", "::set-output name=a::b"]
    assert last == f"::{mark}::"


def test_an_output_cannot_begin_another_one(tmp_path: Path) -> None:
    place = tmp_path / "out"
    set_outputs({"a": "x\nb=y\nEOF\nc<<EOF", "d": ""}, {"GITHUB_OUTPUT": str(place)})
    assert outputs(place.read_text()) == {"a": "x\nb=y\nEOF\nc<<EOF", "d": ""}


def outputs(text: str) -> dict[str, str]:
    """Read outputs as the runner does."""
    lines, found = iter(text.splitlines()), {}
    for line in lines:
        name, _, mark = line.partition("<<")
        value: list[str] = []
        while (row := next(lines)) != mark:
            value.append(row)
        found[name] = "\n".join(value)
    return found


def test_outside_of_a_runner_nothing_is_written() -> None:
    set_outputs({"a": "b"}, {})
    write_summary("x", {})


def test_a_fault_of_ours_turns_no_job_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = tmp_path / "tobler-pack/use-packs"
    (scratch / "packs/manifest.json").mkdir(parents=True)
    for name, value in (
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_REPOSITORY", "ann/shop"),
        ("GITHUB_WORKSPACE", str(tmp_path)),
        ("RUNNER_TEMP", str(tmp_path)),
        ("GITHUB_STEP_SUMMARY", str(tmp_path / "no/such/folder")),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tobler_pack.ci.report.made", lambda places: Manifest("", ()))
    assert main(["report"]) == 0
    told = capsys.readouterr().out
    assert "::warning title=tobler-pack::this should not have happened (FileNotFoundError" in told
    assert re.search(r"^::stop-commands::[0-9a-f]{32}\nTraceback", told, re.MULTILINE)


@pytest.mark.parametrize("arguments", [[], ["no"], ["run", "report"]])
def test_a_step_that_is_none(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "name one step of the action: prepare, run, report, post" in capsys.readouterr().err

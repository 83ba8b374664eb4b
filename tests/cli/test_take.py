"""`snellen take`: a scripted agent, a process for each item, and a real server."""

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from snellen.cli.app import app

AGENT = Path(__file__).parents[1] / "sdk" / "exam" / "agents.py"
Take = Callable[..., Result]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def agent(notes: Path) -> Callable[[str], str]:
    """Return the command of an agent that behaves in a way."""

    def command(behavior: str) -> str:
        return shlex.join([sys.executable, str(AGENT), behavior, str(notes)])

    return command


@pytest.fixture
def take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Take:
    """Return a function that takes the sample, or part of it."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entry for entry in sys.path if entry))
    monkeypatch.setenv("SNELLEN_PACK_KEY", "00" * 64)

    def run(*options: str, sample: int = 4) -> Result:
        serve = ["wireframes", "--store", str(tmp_path / "exam.sqlite"), "--sample", str(sample)]
        arguments = ["take", *options, "--", *serve]
        return CliRunner(env={"COLUMNS": "200"}).invoke(app, arguments)

    return run


def saved(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


def visits(notes: Path) -> dict[str, list[list[str]]]:
    """Return, item by item, who came: the client, the process, whether the key was to be seen."""
    return {
        note.name: [line.split() for line in note.read_text("utf-8").splitlines()]
        for note in notes.iterdir()
    }


@pytest.mark.slow
def test_every_item_has_a_process_and_a_name_of_its_own(
    take: Take, agent: Callable[[str], str], notes: Path, tmp_path: Path
) -> None:
    output, logs = tmp_path / "taken.json", tmp_path / "logs"
    result = take(
        *("--agent", agent("answers"), "--contexts", "3", "--model", "scripted"),
        *("-o", str(output), "--logs", str(logs)),
    )
    assert result.exit_code == 0, result.output
    came = visits(notes)
    assert len(came) == 4
    assert all(len(visit) == 1 for visit in came.values())
    firsts = [visit[0] for visit in came.values()]
    assert len({client for client, _, _ in firsts}) == 4
    assert len({process for _, process, _ in firsts}) == 4
    assert {key for _, _, key in firsts} == {"False"}
    found = saved(output)
    assert (found["contexts"], found["runs"], found["faults"], found["open"]) == (4, 4, {}, 0)
    assert found["report"]["contexts"] == "fresh"
    assert found["report"]["model"] == "scripted"
    assert "contexts:fresh" in found["report"]["tasks"][0]["signature"]
    assert "4 items answered in 4 runs\n" in result.stdout
    assert "screenqa/short       4/4  " in result.stdout
    assert sorted(path.stem for path in logs.iterdir()) == sorted(f"{one[0]}-1" for one in firsts)


@pytest.mark.thorough
def test_what_fails_is_run_again_under_its_name_and_counted(
    take: Take, agent: Callable[[str], str], notes: Path, tmp_path: Path
) -> None:
    output = tmp_path / "taken.json"
    options = ("--agent", agent("stumbles"), "--timeout", "10", "-o", str(output))
    result = take(*options, sample=3)
    assert result.exit_code == 0, result.output
    found = saved(output)
    assert (found["contexts"], found["runs"]) == (3, 6)
    assert found["faults"] == {
        "exit status 7": 1,
        "ended without an answer": 1,
        "stopped after its time": 1,
    }
    for visit in visits(notes).values():
        (client, before, _), (again, after, _) = visit
        assert client == again
        assert before != after
    assert "3 failed: " in result.stdout
    assert "I can't go on" in result.stderr


@pytest.mark.thorough
def test_a_fault_is_no_score_and_another_run_goes_on(
    take: Take, agent: Callable[[str], str], tmp_path: Path
) -> None:
    output = tmp_path / "taken.json"
    some = ("--contexts", "2", "-o", str(output))
    result = take("--agent", agent("refuses"), "--retries", "0", *some, sample=6)
    assert result.exit_code == 1, result.output
    first = saved(output)
    assert first["report"] is None
    assert first["faults"] == {"exit status 3": first["open"]}
    assert 0 < first["open"] == len(first["failed"])
    assert f"{first['open']} items are open; they have no score" in result.stdout
    result = take("--agent", agent("answers"), "--attempt", first["attempt"], *some, sample=6)
    assert result.exit_code == 0, result.output
    then = saved(output)
    assert then["contexts"] == first["open"]
    assert then["report"]["tasks"][0]["answered"] == 6


@pytest.mark.slow
def test_a_command_that_is_broken_is_given_up(take: Take) -> None:
    result = take("--agent", "echo out of order; exit 9", "--retries", "0", sample=6)
    assert result.exit_code == 2
    assert "0 items answered in 5 runs; 5 failed: 5 exit status 9" in result.stdout
    assert "out of order" in result.stderr
    assert "several failed one after another" in result.stderr


@pytest.mark.slow
def test_an_attempt_is_closed_with_open_items_only_when_asked(take: Take) -> None:
    result = take("--agent", "true", "--retries", "0", "--finish", sample=1)
    assert "1 failed: 1 took no item" in result.stdout
    assert "screenqa/short       0/1  " in result.stdout
    assert result.exit_code == 1


@pytest.mark.slow
def test_a_server_that_does_not_start_says_why(take: Take, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["take", "--agent", "true", "--", str(tmp_path)])
    assert result.exit_code == 2
    assert "it is not a pack: it has no manifest.json" in result.stderr.replace("\n", " ")


def test_a_server_that_is_not_there_is_said() -> None:
    options = ("--agent", "true", "--url", "http://127.0.0.1:9/mcp")
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["take", *options])
    assert result.exit_code == 2
    assert "the exam at http://127.0.0.1:9/mcp can't be reached" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--agent", " "), "the agent's command is empty"),
        (("--agent", "true", "--url", "http://a/mcp", "--", "pack"), "omit them with --url"),
        (("--agent", "true", "--attempt", "a", "--task", "b"), "keeps its tasks"),
        (
            ("--agent", "true", "-o", "nowhere/report.json"),
            "the folder to save it in does not exist",
        ),
    ],
)
def test_options_that_can_not_be_are_refused(options: tuple[str, ...], said: str) -> None:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["take", *options])
    assert result.exit_code == 2
    assert said in result.stderr

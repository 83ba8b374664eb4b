"""Folders of web agents' runs are graded with the network logs beside the answers."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import SubmissionError
from snellen.grading.models.scores import Outcome

TASK = "webarena/verified"
RIGHT = {"task_type": "RETRIEVE", "status": "SUCCESS", "retrieved_data": ["$12.50", 30]}
OPENED = {"task_type": "NAVIGATE", "status": "SUCCESS", "retrieved_data": None}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return written("webarena", folder)


def entry(url: str) -> dict[str, Any]:
    return {
        "startedDateTime": "2026-01-01T00:00:00Z",
        "request": {
            "method": "GET",
            "url": url,
            "headers": [{"name": "Accept", "value": "text/html,*/*"}],
            "cookies": [],
        },
        "response": {"status": 200, "content": {"mimeType": "text/html", "text": "<p>" * 999}},
    }


def har(*urls: str) -> str:
    return json.dumps({"log": {"version": "1.2", "entries": [entry(url) for url in urls]}})


def put(folder: Path, answer: object, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = answer if isinstance(answer, str) else json.dumps(answer)
    (folder / "agent_response.json").write_text(text)
    for name, content in files.items():
        ending = ".har" if name == "network" else ".json"
        (folder / f"{name}{ending}").write_text(content)


def outcomes(report: sdk.Report) -> dict[tuple[str | None, int], tuple[Outcome, float]]:
    return {(one.item_id, one.attempt): (one.outcome, one.value) for one in report.scores}


def test_a_published_run_is_graded_and_agrees_with_its_verdicts(tmp_path: Path, data: Path) -> None:
    run = tmp_path / "run"
    log = har("http://git.example/", "http://git.example/lamps/-/issues", "http://x/a.css")
    put(run / "4", RIGHT, eval_result='{"status": "success", "score": 1.0}')
    put(run / "17", OPENED, network=log, eval_result='{"status": "failure", "score": 0.0}')
    report = sdk.grade(run, task=TASK, data=data, progress=False)
    found = outcomes(report)
    assert found["4", 0] == found["17", 0] == (Outcome.ANSWERED, 1)
    assert found["23", 0] == (Outcome.MISSING, 0)
    said = " ".join(report.input.warnings)
    assert "agrees with the file's own verdicts on 1 of 2; the first that differ: 17" in said


def test_the_sites_of_a_configuration_are_used(tmp_path: Path, data: Path) -> None:
    run = tmp_path / "run"
    put(run / "17", OPENED, network=har("http://other/", "http://git/lamps/-/issues"))
    assert sdk.grade(run, task=TASK, data=data, items=["17"], progress=False).value == 0
    environments = {"__GITLAB__": {"urls": ["http://git"], "active_url_idx": 0}}
    (run / "config.json").write_text(json.dumps({"environments": environments}))
    assert sdk.grade(run, task=TASK, data=data, items=["17"], progress=False).value == 1


def test_seeds_are_attempts(tmp_path: Path, data: Path) -> None:
    run = tmp_path / "run"
    for seed, said in ((3, RIGHT), (11, {**RIGHT, "retrieved_data": [1]})):
        verdict = json.dumps({"score": float(said is RIGHT)})
        put(run / "4" / f"control_seed_{seed}", said, official_eval=verdict)
    report = sdk.grade(run, task=TASK, data=data, items=["4"], progress=False)
    assert [one.value for one in report.scores] == [1, 0]
    assert "on 2 of 2" in " ".join(report.input.warnings)


@pytest.mark.parametrize("name", ["trace.network", "trace.zip"])
def test_a_trace_of_playwright_stands_for_the_har(tmp_path: Path, data: Path, name: str) -> None:
    run = tmp_path / "run"
    put(run / "17", OPENED)
    lines = [
        {"type": "context"},
        {"type": "resource-snapshot", "snapshot": entry("http://g/lamps/-/issues")},
    ]
    text = "\n".join(map(json.dumps, lines)).encode()
    if name.endswith(".zip"):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("trace.network", text)
        text = packed.getvalue()
    (run / "17" / name).write_bytes(text)
    assert sdk.grade(run, task=TASK, data=data, items=["17"], progress=False).value == 1


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (har("http://g/lamps/-/issues")[:-30], "network.har: it is cut off at byte"),
        (har("http://g/lamps/-/issues").replace("{", "[", 1), "it is no JSON at byte"),
        ('{"log": {}}', "it is no HAR with entries in log.entries"),
        ("", "it is cut off at byte 0"),
        (har(), "it is no HAR with entries"),
    ],
)
def test_a_broken_har_is_an_error_with_its_file_and_byte(
    tmp_path: Path, data: Path, log: str, said: str
) -> None:
    run = tmp_path / "run"
    put(run / "4", RIGHT)
    put(run / "17", OPENED, network=log)
    report = sdk.grade(run, task=TASK, data=data, progress=False)
    found = {one.item_id: one for one in report.scores}
    assert found["17"].outcome is Outcome.ERROR
    assert said in (found["17"].error or "")
    assert "17/network.har" in (found["17"].error or "")
    assert found["4"].value == 1


def test_bad_answers_are_named_and_lose_no_good_ones(tmp_path: Path, data: Path) -> None:
    run = tmp_path / "run"
    put(run / "4", "I found $12.50 and $30.")
    put(run / "99", RIGHT)
    put(run / "task_17", OPENED)
    report = sdk.grade(run, task=TASK, data=data, progress=False)
    found = outcomes(report)
    assert found["4", 0] == (Outcome.UNPARSED, 0)
    assert found["17", 0][0] is Outcome.ERROR
    (problem,) = report.input.problems
    assert "no task '99' in the data" in problem.message
    assert "99/agent_response.json" in (problem.file or "")


def test_a_task_twice_is_reported(tmp_path: Path, data: Path) -> None:
    run = tmp_path / "run"
    put(run / "one" / "4", RIGHT)
    put(run / "two" / "4", RIGHT)
    report = sdk.grade(run, task=TASK, data=data, progress=False)
    assert any("4" in one.message for one in report.input.problems)


def test_a_log_beyond_the_limit_is_an_error(tmp_path: Path, data: Path) -> None:
    run = tmp_path / "run"
    put(run / "17", OPENED, network=har(*["http://g/lamps/-/issues?" + "x" * 200_000] * 6))
    (score,) = sdk.grade(run, task=TASK, data=data, items=["17"], progress=False).scores
    assert "more than the limit of 1,048,576" in (score.error or "")


def test_chats_of_webvoyager_need_a_judge(tmp_path: Path, data: Path) -> None:
    chat = tmp_path / "run" / "taskArXiv--11" / "interact_messages.json"
    chat.parent.mkdir(parents=True)
    chat.write_text("[]")
    with pytest.raises(SubmissionError, match="chats of WebVoyager"):
        sdk.grade(tmp_path / "run", task=TASK, data=data, progress=False)

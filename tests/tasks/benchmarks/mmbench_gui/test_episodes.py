import json
from pathlib import Path

import pytest

from snellen.grading.errors import DataError
from snellen.grading.models.reports import ProblemKind
from snellen.tasks.benchmarks.mmbench_gui.episodes import read_episodes


def write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_a_record_becomes_a_submission_that_names_planner_and_grounder(tmp_path: Path) -> None:
    record = {
        "task_id": "linux/gimp-1",
        "success": 0.25,
        "steps": 7,
        "limit": 50,
        "platform": "os_linux",
        "planner": "gpt-4o",
        "grounder": "ui-tars",
        "attempt": 2,
    }
    (submission,) = read_episodes(write(tmp_path / "run.jsonl", record)).submissions
    assert submission.item_id == "linux/gimp-1"
    assert submission.response == {
        "success": 0.25,
        "cost": 7,
        "limit": 50,
        "platform": "os_linux",
    }
    assert (submission.model, submission.attempt) == ("gpt-4o + ui-tars", 2)
    assert submission.meta == {"platform": "os_linux", "planner": "gpt-4o", "grounder": "ui-tars"}


def test_success_may_be_true_or_false_and_the_rest_may_be_left_out(tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", {"task_id": "a", "success": True}, "")
    (submission,) = read_episodes(run).submissions
    assert submission.response == {"success": 1.0}
    assert (submission.model, submission.meta) == (None, {})


def test_a_faulty_record_is_kept_as_an_error_and_a_nameless_one_is_listed(tmp_path: Path) -> None:
    run = write(
        tmp_path / "run.jsonl",
        {"task_id": "a", "success": 1.5},
        {"success": 1},
        "not json",
        {"task_id": "b", "success": 1, "other": "kept by nobody"},
        {"task_id": "c", "error": "the machine went away"},
        {"task_id": "d"},
        {"task_id": "e", "success": 0},
    )
    found = read_episodes(run)
    errors = {one.item_id: one.error for one in found.submissions}
    assert errors == {
        "a": "unreadable record: Expected `float` <= 1.0 - at `$.success`",
        "b": None,
        "c": "the machine went away",
        "d": "the record has neither success nor error",
        "e": None,
    }
    assert [(problem.line, problem.kind, problem.field) for problem in found.problems] == [
        (1, ProblemKind.WRONG_TYPE, "success"),
        (2, ProblemKind.MALFORMED, None),
        (3, ProblemKind.MALFORMED, None),
        (6, ProblemKind.WRONG_TYPE, "success"),
    ]
    assert [problem.message for problem in found.problems][::3] == [
        "a: expected `float` <= 1.0; the episode counts as an error",
        "d: the record has neither success nor error; the episode counts as an error",
    ]


def test_a_faulty_record_keeps_its_attempt_and_its_model(tmp_path: Path) -> None:
    names = {"planner": "p", "grounder": "g"}
    run = write(
        tmp_path / "run.jsonl",
        {"task_id": "a", "success": 1, "steps": -1, "attempt": 2, **names},
        {"task_id": "a", "success": 1, "attempt": "first", **names},
    )
    found = read_episodes(run)
    assert [(one.attempt, one.model) for one in found.submissions] == [(2, "p + g"), (0, "p + g")]
    assert [problem.field for problem in found.problems] == ["steps", "attempt"]


def test_a_platform_that_nobody_knows_is_a_problem_and_no_error(tmp_path: Path) -> None:
    records = [{"task_id": "a", "success": 1, "platform": name} for name in ("os_beos", "macos")]
    found = read_episodes(write(tmp_path / "run.jsonl", *records))
    assert [one.error for one in found.submissions] == [None, None]
    (problem,) = found.problems
    assert (problem.line, problem.field) == (1, "platform")
    assert problem.message == (
        "a: there is no platform 'os_beos'; known: os_windows, os_mac, os_linux, os_ios,"
        " os_android, os_web; its task's counts"
    )


def test_a_run_cut_at_fewer_steps_fails_what_took_more(tmp_path: Path) -> None:
    run = write(
        tmp_path / "run.jsonl",
        {"task_id": "a", "success": 1, "steps": 15, "limit": 50},
        {"task_id": "b", "success": 1, "steps": 16, "limit": 50},
        {"task_id": "c", "success": 1},
    )
    responses = [one.response for one in read_episodes(run, cut_at=15).submissions]
    assert responses == [
        {"success": 1.0, "cost": 15, "limit": 15},
        {"success": 0.0, "cost": 15, "limit": 15},
        {"success": 1.0, "limit": 15},
    ]


def test_a_folder_of_results_is_read_in_the_order_of_its_paths(tmp_path: Path) -> None:
    for name, content in {
        "single/notes_2": '{"completed": true, "steps_used": 12}',
        "single/clock_1": '{"completed": false, "steps_used": 50}',
        "multi/mail_1": "0.5\n",
        "multi/mail_2": "Traceback",
    }.items():
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "result.txt").write_text(content, encoding="utf-8")
    found = read_episodes(tmp_path)
    assert [(one.item_id, one.response) for one in found.submissions] == [
        ("multi/mail_1", {"success": 0.5}),
        ("multi/mail_2", None),
        ("single/clock_1", {"success": 0.0, "cost": 50}),
        ("single/notes_2", {"success": 1.0, "cost": 12}),
    ]
    (problem,) = found.problems
    assert problem.file == str(tmp_path / "multi/mail_2/result.txt")
    assert problem.message.startswith("multi/mail_2: ")


def test_nothing_to_read_is_an_error_and_no_empty_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder of episodes"):
        read_episodes(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"holds no episode: neither .* nor folders with result"):
        read_episodes(tmp_path)
    with pytest.raises(DataError, match="holds no episode"):
        read_episodes(write(tmp_path / "run.jsonl", "nothing"))

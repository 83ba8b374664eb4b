"""Records of episodes, graded as they are: from files, documents and memory."""

import json
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.models.scores import Outcome

L3 = "mmbench-gui/l3"
AGENT = {"planner": "p", "grounder": "g"}
RECORDS: list[dict[str, Any]] = [
    {"task_id": "a", "success": 1, "steps": 10, "limit": 15, "platform": "os_web", **AGENT},
    {"task_id": "b", "success": True, "steps": 16, "limit": 15, **AGENT},
    {"task_id": "c", "success": 0.5, **AGENT},
    {"task_id": "d", "error": "the machine went away", **AGENT},
]


@pytest.fixture
def data(tmp_path: Path) -> sdk.TaskData:
    tasks = [{"id": name, "instruction": "Do it.", "platform": "os_web"} for name in "abcd"]
    write(tmp_path / "L3_tasks.jsonl", *tasks)
    return sdk.load(L3, tmp_path, split="15 steps")


def write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_records_are_graded_alike_from_every_source(data: sdk.TaskData, tmp_path: Path) -> None:
    lines = write(tmp_path / "run.jsonl", *RECORDS)
    document = write(tmp_path / "run.json", json.dumps(RECORDS))
    plain = sdk.grade(RECORDS, data=data)
    for source in (lines, document, iter(RECORDS)):
        report = sdk.grade(source, data=data)
        assert report.metrics == plain.metrics
        assert list(report.scores) == list(plain.scores)
        assert (report.model, report.input.problems) == ("p + g", ())
    # (1 + 0 + 0.5 + 0) / 4: b took more than 15 steps.
    assert plain.value == 0.375
    outcomes = [score.outcome for score in plain.scores]
    assert outcomes == [Outcome.ANSWERED] * 3 + [Outcome.ERROR]


def test_columns_of_episodes_are_read_as_their_records(data: sdk.TaskData, tmp_path: Path) -> None:
    import pandas as pd
    import polars as pl

    frame = pd.DataFrame(RECORDS)
    frame["success"] = [1, 1, 0.5, None]
    frame.to_csv(tmp_path / "run.csv", index=False)
    frame.to_parquet(tmp_path / "run.parquet")
    plain = sdk.grade(RECORDS, data=data)
    polars = pl.DataFrame(RECORDS, strict=False)
    for source in (tmp_path / "run.csv", tmp_path / "run.parquet", frame, polars):
        report = sdk.grade(source, data=data)
        assert report.input.problems == ()
        assert list(report.scores) == list(plain.scores)


def test_cells_of_a_spreadsheet_are_numbers_or_true_or_false(
    data: sdk.TaskData, tmp_path: Path
) -> None:
    text = "steps,task_id,success,limit\n7,a,TRUE,\n 8 ,b, 0.5 ,15\n9.5,c,false,15\n,d,yes,\n"
    (tmp_path / "run.csv").write_text(text, encoding="utf-8")
    report = sdk.grade(tmp_path / "run.csv", data=data)
    assert [score.response for score in report.scores] == [
        {"success": 1.0, "cost": 7},
        {"success": 0.5, "cost": 8, "limit": 15},
        None,
        None,
    ]
    assert [(one.line, one.field) for one in report.input.problems] == [
        (4, "steps"),
        (5, "success"),
    ]


def test_what_is_wrong_with_a_record_names_its_line_and_field(
    data: sdk.TaskData, tmp_path: Path
) -> None:
    run = write(
        tmp_path / "run.jsonl",
        {"task_id": "a", "success": 2, **AGENT},
        "{",
        {"task_id": "z", "success": 1, **AGENT},
        {"task_id": "b", "success": 1, "steps": 3, "platform": "os_beos", **AGENT},
        {"task_id": 7, "success": 1},
        {"task_id": "c"},
    )
    report = sdk.grade(run, data=data)
    assert [(one.line, one.field) for one in report.input.problems] == [
        (1, "success"),
        (2, None),
        (4, "platform"),
        (5, "task_id"),
        (5, "item_id"),
        (6, "success"),
        (3, "item_id"),
    ]
    assert [score.outcome.value for score in report.scores] == [
        "error",
        "answered",
        "error",
        "missing",
    ]


def test_numbers_of_numpy_and_cells_without_one_are_read_in_memory(data: sdk.TaskData) -> None:
    import numpy as np

    records: list[dict[str, object]] = [
        {"task_id": "a", "success": np.float64(1), "steps": np.int64(3), "limit": float("nan")},
        {"task_id": "b", "success": object()},
    ]
    report = sdk.grade(records, data=data)
    assert report.scores.of("a")[0].response == {"success": 1.0, "cost": 3}
    assert [(one.line, one.field) for one in report.input.problems] == [(2, "success")]


def test_a_report_counts_what_the_episodes_say_against_their_items(data: sdk.TaskData) -> None:
    records: list[dict[str, object]] = [
        {"task_id": "a", "success": 1, "steps": 16, "limit": 50, "planner": "p"},
        {"task_id": "b", "success": 1, "steps": 5, "platform": "os_mac", "planner": "q"},
        {"task_id": "c", "success": 1, "planner": "p"},
        {"task_id": "d", "success": 1, "steps": 15, "limit": 50, "planner": "p"},
    ]
    report = sdk.grade(records, data=data)
    assert report.value == 0.75
    assert [warning.partition(":")[0].partition(",")[0] for warning in report.input.warnings] == [
        "1 of the episodes took more than their limit",
        "2 of the episodes said another limit than their item's",
        "1 of the episodes said another platform than their item's",
        "1 of the episodes did not say their cost",
        "The answers name 2 models (p",
    ]
    assert report.model is None
    again = sdk.regrade(report, protocol="scalecua_50")
    assert again.value == 1
    assert len(again.input.warnings) == len(report.input.warnings) - 1


def test_a_run_of_one_model_within_its_limits_is_no_cause_for_a_warning(
    data: sdk.TaskData,
) -> None:
    records = [{"task_id": name, "success": 1, "steps": 15, "limit": 15} for name in "abcd"]
    report = sdk.grade(records, data=data)
    assert (report.value, report.input.warnings) == (1.0, ())


def test_episodes_over_the_splits_limit_score_as_a_run_cut_at_it(
    data: sdk.TaskData, tmp_path: Path
) -> None:
    records: list[dict[str, Any]] = [
        {"task_id": name, "success": 1, "steps": steps, "limit": 50}
        for name, steps in zip("abcd", (15, 16, 50, 1), strict=True)
    ]
    cut = [
        {**one, "steps": min(one["steps"], 15), "success": int(one["steps"] <= 15)}
        for one in records
    ]
    within = sdk.grade(cut, data=data)
    whole = sdk.grade(write(tmp_path / "run.jsonl", *records), data=data)
    assert whole.metrics == within.metrics
    assert whole.value == 0.5
    assert whole.summary().tables[0].rows == within.summary().tables[0].rows


def test_a_submission_that_names_an_item_is_no_episode(data: sdk.TaskData) -> None:
    said = {"item_id": "a", "task_id": "b", "response": {"success": 1, "cost": 3}}
    report = sdk.grade([said], data=data)
    assert (report.scores.of("a")[0].value, report.scores.of("b")[0].value) == (1, 0)

"""Records of episodes of steps, graded as they are: every layout, and what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import SubmissionError
from snellen.grading.models.scores import Outcome

HIGH = "androidcontrol/high"
PROTOCOL = "os-atlas"
WAIT = "actions:\nWAIT"
TEXTS = [
    ["actions:\nOPEN_APP [Notes]", "actions:\nCLICK <point>[[194,525]]</point>", WAIT],
    ["actions:\nTYPE [New York]", "actions:\nPRESS_BACK", WAIT],
]
FLAT = [
    {"item_id": f"{episode}/{step}", "response": text}
    for episode, texts in zip((7, 8), TEXTS, strict=True)
    for step, text in enumerate(texts)
]
"""What the records of all layouts stand for: all right but 7/2, which asks for a scroll."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> sdk.TaskData:
    return sdk.load(HIGH, written("androidcontrol", tmp_path_factory.mktemp("androidcontrol")))


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def graded(records: Any, data: sdk.TaskData) -> sdk.Report:
    return sdk.grade(records, data=data, protocol=PROTOCOL)


def outcomes(report: sdk.Report) -> dict[str, str]:
    return {str(score.item_id): score.outcome.value for score in report.scores}


def wrong(report: sdk.Report) -> list[tuple[int | None, str | None]]:
    return [(problem.line, problem.field) for problem in report.input.problems]


def _objects(key: str, *, numbered: bool) -> list[dict[str, object]]:
    return [
        {
            "episode_id": episode,
            "steps": [
                {key: text, **({"step": step} if numbered else {})}
                for step, text in enumerate(texts)
            ],
        }
        for episode, texts in zip((7, 8), TEXTS, strict=True)
    ]


def _rows(image: str) -> list[dict[str, object]]:
    return [
        {"id": number, "image": image.format(*row["item_id"].split("/")), "pred": row["response"]}
        for number, row in enumerate(FLAT)
    ]


LAYOUTS: dict[str, list[dict[str, object]]] = {
    "steps with numbers": _objects("response", numbered=True),
    "pred": _objects("pred", numbered=False),
    "prediction": _objects("prediction", numbered=True),
    "action": _objects("action", numbered=True),
    "numbers as text": [
        {"episode_id": "7", "steps": [{"step": "1", "response": TEXTS[0][1]}]},
        {"episode_id": "7", "steps": [{"step": 2.0, "response": WAIT}]},
        {"episode_id": "7", "steps": [{"step_id": 0, "response": TEXTS[0][0]}]},
        {"episode_id": "8", "steps": [{"pred": text} for text in TEXTS[1]]},
    ],
    **{
        name: [{"episode_id": 8, name: TEXTS[1]}, {"episode_id": 7, name: TEXTS[0]}]
        for name in ("predictions", "preds", "responses", "outputs", "actions")
    },
    "format once": [
        {"episode_id": 7, "format": "os-atlas", "predictions": TEXTS[0]},
        {"episode_id": 8, "format": "os-atlas", "steps": [{"pred": text} for text in TEXTS[1]]},
    ],
    "a step a line": [
        {"episode_id": row["item_id"][0], "step": int(row["item_id"][2]), "pred": row["response"]}
        for row in FLAT
    ],
    "os-atlas": _rows("android/test/episode_{}_screenshot_{}.png"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_scores_as_the_submissions_that_it_stands_for(
    layout: str, data: sdk.TaskData, tmp_path: Path
) -> None:
    records = LAYOUTS[layout]
    plain = graded(FLAT, data)
    assert plain.value == pytest.approx(5 / 6)
    document = tmp_path / "run.json"
    document.write_text(json.dumps(records), encoding="utf-8")
    for source in (records, write(tmp_path / "run.jsonl", *records), document):
        report = graded(source, data)
        assert report.input.problems == ()
        assert report.input.warnings == plain.input.warnings
        assert report.metrics == plain.metrics
        assert [score.value for score in report.scores] == [score.value for score in plain.scores]


def test_a_table_of_steps_is_read_from_columns(data: sdk.TaskData, tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(LAYOUTS["a step a line"])
    frame.to_csv(tmp_path / "run.csv", index=False)
    frame.to_parquet(tmp_path / "run.parquet")
    lists = pd.DataFrame(LAYOUTS["predictions"])
    lists.to_parquet(tmp_path / "lists.parquet")
    for source in (
        frame,
        tmp_path / "run.csv",
        tmp_path / "run.parquet",
        tmp_path / "lists.parquet",
    ):
        report = graded(source, data)
        assert (report.value, report.input.problems) == (pytest.approx(5 / 6), ())


def test_a_hole_in_an_episode_is_a_missing_step(data: sdk.TaskData) -> None:
    report = graded(
        [
            {"episode_id": 7, "predictions": [TEXTS[0][0], None, WAIT]},
            {"episode_id": 8, "steps": [{"step": 2, "response": WAIT}]},
        ],
        data,
    )
    assert report.input.problems == ()
    missing = [name for name, outcome in outcomes(report).items() if outcome == "missing"]
    assert missing == ["7/1", "8/0", "8/1"]
    assert report.value == pytest.approx(2 / 6)


def test_a_record_says_its_attempt_its_model_and_errors_of_steps(data: sdk.TaskData) -> None:
    steps = [{"response": TEXTS[0][0]}, {"error": "the phone went away"}]
    report = graded([{"episode_id": 7, "attempt": 1, "model": "m", "steps": steps}], data)
    first, second = report.scores.of("7/0"), report.scores.of("7/1")
    assert [score.attempt for score in first] == [1]
    assert (first[0].model, first[0].outcome) == ("m", Outcome.ANSWERED)
    assert (second[0].error, second[0].outcome) == ("the phone went away", Outcome.ERROR)


def test_an_action_in_plain_json_is_the_answer_itself(data: sdk.TaskData) -> None:
    steps = [
        {"step": 0, "action": "open_app", "app": "Notes"},
        {"step": 1, "action": {"action": "click", "x": 21, "y": 126}},
    ]
    report = graded([{"episode_id": 7, "format": "plain", "steps": steps}], data)
    assert report.input.problems == ()
    assert report.value == pytest.approx(2 / 6)


def test_what_a_format_can_not_read_is_an_answer_and_an_unknown_format_a_problem(
    data: sdk.TaskData,
) -> None:
    prose = graded([{"episode_id": 7, "format": "ui-tars", "predictions": ["I am lost."]}], data)
    assert (outcomes(prose)["7/0"], prose.input.problems) == ("unparsed", ())
    unknown = graded(
        [{"episode_id": 7, "format": "ui-tar", "predictions": ["Action: wait()"]}], data
    )
    assert outcomes(unknown)["7/0"] == "unparsed"
    assert wrong(unknown) == [(1, "response")]
    assert "no format 'ui-tar'" in unknown.input.problems[0].message


def test_what_is_wrong_with_a_step_names_its_line_and_field_and_costs_no_other(
    data: sdk.TaskData, tmp_path: Path
) -> None:
    run = write(
        tmp_path / "run.jsonl",
        {
            "episode_id": 7,
            "steps": [
                {"step": 0, "response": TEXTS[0][0]},
                {"step": "two", "response": WAIT},
                {"step": -1, "response": WAIT},
                {"step": 1.5, "response": WAIT},
                {"response": WAIT},
                WAIT,
                {"step": 1, "response": TEXTS[0][1]},
                {"step": 1, "response": WAIT},
                {"step": 9, "response": WAIT},
                {"step": 2},
            ],
        },
        {"episode_id": 8, "predictions": TEXTS[1]},
    )
    report = graded(run, data)
    assert wrong(report) == [
        (1, "steps[1].step"),
        (1, "steps[2].step"),
        (1, "steps[3].step"),
        (1, "steps[4].step"),
        (1, "steps[5]"),
        (1, "response"),
        (1, "item_id"),
        (1, "item_id"),
    ]
    messages = [problem.message for problem in report.input.problems]
    assert (
        messages[0] == "a step is a whole number from 0, not the text 'two'; the step was skipped"
    )
    assert messages[6].startswith("item '7/1' has a response in attempt 0 already")
    assert messages[7].startswith("androidcontrol/high has no item '7/9'")
    assert outcomes(report)["7/2"] == "missing"
    assert report.value == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        ({"episode_id": 7}, "steps", "the episode has no steps"),
        ({"episode_id": 7, "steps": 3}, "steps", "steps must be a list of steps, not the number 3"),
        ({"episode_id": 7, "actions": [], "preds": []}, "actions", "preds and actions could each"),
        ({"episode_id": None, "steps": []}, "episode_id", "episode_id must be text or a whole"),
        ({"episode_id": True, "steps": []}, "episode_id", "episode_id must be text or a whole"),
        (
            {"episode_id": 7, "split": "validation", "steps": []},
            "split",
            "the record has the split 'validation', but 'test' is graded",
        ),
        (
            {"episode_id": 7, "attempt": "first", "steps": [WAIT]},
            "attempt",
            "attempt must be a whole number",
        ),
    ],
)
def test_a_record_that_is_no_episode_of_this_run_is_skipped_with_its_reason(
    record: dict[str, object], field: str, message: str, data: sdk.TaskData
) -> None:
    good = {"episode_id": 8, "predictions": TEXTS[1]}
    report = graded([good, record], data)
    assert [(one.line, one.field) for one in report.input.problems] == [(2, field)]
    assert report.input.problems[0].message.startswith(message)
    assert report.value == 0.5


def test_nan_in_one_step_costs_that_step_alone(data: sdk.TaskData, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    first = json.dumps(TEXTS[0][0])
    path.write_text(f'{{"episode_id": 7, "predictions": [{first}, {{"POINT": [NaN, 1]}}]}}\n')
    report = graded(path, data)
    assert wrong(report) == [(1, "response")]
    assert outcomes(report)["7/0"] == "answered"
    assert outcomes(report)["7/1"] == "missing"


def test_records_of_steps_are_read_for_tasks_of_actions_alone() -> None:
    answers = [
        {"id": "a", "image": "episode_7_screenshot_0.png", "pred": "B"},
        {"episode_id": 7, "predictions": ["B"]},
    ]
    report = sdk.grade(answers, task="visualwebbench/action_ground", references={"a": 1})
    assert report.value == 1
    assert wrong(report) == [(2, "item_id")]


def test_a_step_is_found_by_its_reference_where_ids_are_codes(tmp_path: Path) -> None:
    data = sdk.load("mind2web/task", written("mind2web", tmp_path))
    assert list(data.ids) == ["task-0/step-0", "task-0/step-1", "task-0/step-2", "task-1/step-3"]
    clicks = [{"format": "plain", "action": "click", "x": 20, "y": 10}, None]
    records = [
        {"episode_id": "task-0", "predictions": clicks},
        {"episode_id": "task-1", "step": 5, "response": "x"},
    ]
    report = sdk.grade(records, data=data)
    assert outcomes(report)["task-0/step-0"] == "answered"
    assert report.scores.of("task-0/step-0")[0].value == 1
    assert [problem.message for problem in report.input.problems] == [
        "mind2web/task has no item 'task-1/5'; the line was left out"
    ]


def test_a_step_that_was_not_selected_is_counted_and_no_problem(data: sdk.TaskData) -> None:
    records = [{"episode_id": 7, "predictions": TEXTS[0]}]
    report = sdk.grade(records, data=data, protocol=PROTOCOL, items=["7/0", "7/1"])
    assert (report.input.not_selected, report.input.problems) == (1, ())


def test_a_row_with_an_id_of_its_own_may_name_its_episode_beside(data: sdk.TaskData) -> None:
    rows = [{"id": row["item_id"], "episode_id": 7, "pred": row["response"]} for row in FLAT]
    report = graded(rows, data)
    assert (report.value, report.input.problems) == (pytest.approx(5 / 6), ())


def test_a_row_whose_image_names_no_step_is_an_unknown_item(data: sdk.TaskData) -> None:
    rows = [*_rows("episode_{}_screenshot_{}.png"), {"id": 99, "image": "x.png", "pred": WAIT}]
    report = graded(rows, data)
    assert report.value == pytest.approx(5 / 6)
    assert wrong(report) == [(7, "item_id")]


def _named(name: str, **more: object) -> list[dict[str, object]]:
    return [
        {"episode_id": row["item_id"][0], "step_id": int(row["item_id"][2]), **more}
        | {name: row["response"]}
        for row in FLAT
    ]


@pytest.mark.parametrize("name", ["raw_response", "output_text", "gpt_output", "pred_action"])
def test_a_step_may_call_its_answer_as_any_other_file_does(
    name: str, data: sdk.TaskData, tmp_path: Path
) -> None:
    rows = _named(name, gt_action="CLICK", answer="WAIT", task="Open the notes.")
    whole = tmp_path / "run.json"
    whole.write_text(json.dumps({"metrics": {"n": 6}, "details": rows}), encoding="utf-8")
    for source in (rows, write(tmp_path / "run.jsonl", *rows), whole):
        report = graded(source, data)
        assert (report.value, report.input.problems) == (pytest.approx(5 / 6), ())


def test_the_text_of_a_model_comes_before_what_a_script_read_in_it(data: sdk.TaskData) -> None:
    report = graded(_named("output_text", pred={"POINT": [1, 1]}, pred_action="WAIT"), data)
    assert report.value == pytest.approx(5 / 6)


@pytest.mark.parametrize("name", ["gt_action", "ground_truth", "label", "target", "note", "text"])
def test_rows_of_steps_without_an_answer_are_refused_and_not_scored_0(
    name: str, data: sdk.TaskData
) -> None:
    with pytest.raises(SubmissionError, match=f"no row has a response; found: .*'{name}'"):
        graded(_named(name), data)
    mapped = sdk.grade(_named(name), data=data, protocol=PROTOCOL, columns={name: "response"})
    assert mapped.value == pytest.approx(5 / 6)


def test_verdicts_of_steps_are_compared(data: sdk.TaskData, tmp_path: Path) -> None:
    rows = [{**row, "correct": True} for row in _named("response")]
    episodes = [{"episode_id": 7, "steps": [{"pred": WAIT, "is_correct": False}, {"pred": WAIT}]}]
    for source, expected in (
        (write(tmp_path / "run.jsonl", *rows), "5 of 6; the first that differ: 7/2 (right"),
        (episodes, "1 of 1"),
    ):
        (notice,) = [one for one in graded(source, data).input.notices if one.code == "verdicts"]
        assert expected in notice.message


def test_rows_of_another_task_are_left_out_and_a_goal_is_no_task(
    data: sdk.TaskData, tmp_path: Path
) -> None:
    none: dict[str, object] = {"episode_id": 7, "steps": []}
    mine = [*_named("response", task="androidcontrol/high"), none]
    other = _named("response", task="androidcontrol/low")
    for rows in (other[:3] + mine, [row | {"task": "turn aitz on/off"} for row in mine]):
        for source in (rows, write(tmp_path / "run.jsonl", *rows)):
            report = graded(source, data)
            assert (report.value, report.input.problems) == (pytest.approx(5 / 6), ())
            left = [text for text in report.input.warnings if "of other tasks" in text]
            assert len(left) == (rows[0]["task"] == "androidcontrol/low")
    with pytest.raises(SubmissionError, match="no submissions to androidcontrol/high, only to oth"):
        graded(other, data)

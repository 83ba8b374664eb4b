"""`sdk.grade` on results as scripts store them, against a miniature of ScreenSpot-Pro."""

import json
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import SubmissionError, UnknownNameError
from snellen.grading.models.reports import ProblemKind

TASK = "screenspot-pro/point"
BOXES = {
    "cad_0": [100, 100, 200, 200],
    "cad_1": [300, 300, 400, 400],
    "cad_2": [500, 500, 600, 600],
}


def annotation(item: str, number: int) -> dict[str, Any]:
    return {
        "id": item,
        "img_filename": f"cad/shot_{number}.png",
        "bbox": BOXES[item],
        "img_size": [1000, 800],
        "instruction": f"press {number}",
        "ui_type": "text",
        "application": "cad",
        "platform": "linux",
        "group": "CAD",
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "pro" / "annotations"
    folder.mkdir(parents=True)
    rows = [annotation(item, number) for number, item in enumerate(BOXES)]
    (folder / "cad.json").write_text(json.dumps(rows))
    return folder.parent


def row(number: int, point: list[float] | None, verdict: str, **more: Any) -> dict[str, Any]:
    return {
        "img_path": f"/somewhere/else/shot_{number}.png",
        "prompt_to_evaluate": f"press {number} ",
        "pred": point,
        "raw_response": "(150, 150)",
        "bbox": BOXES[f"cad_{number}"],
        "correctness": verdict,
        **more,
    }


ROWS = [row(1, [350, 350], "correct"), row(0, [700, 700], "wrong"), row(2, [550, 550], "correct")]


def graded(rows: Any, data: Path, name: str = "results.json", **options: Any) -> sdk.Report:
    path = data.parent / name
    whole: list[Any] = [rows] if isinstance(rows, dict) else rows
    path.write_text("\n".join(map(json.dumps, whole)))
    return sdk.grade(path, task=TASK, data=data, **options)


def values(report: sdk.Report) -> dict[str | None, float]:
    return {score.item_id: score.value for score in report.scores}


def notices(report: sdk.Report) -> str:
    return " | ".join(report.input.warnings)


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
@pytest.mark.parametrize("whole", [True, False])
def test_rows_of_the_script_are_joined_by_image_and_instruction(
    data: Path, name: str, whole: bool
) -> None:
    rows: object = {"details": ROWS, "metrics": {"overall": {"n": 3}}} if whole else ROWS
    report = graded(rows, data, "results.json" if whole else name)
    assert values(report) == {"cad_0": 0, "cad_1": 1, "cad_2": 1}
    assert "the answer is 'pred' in pixels of the image" in notices(report)
    assert "agrees with the file's own verdicts on 3 of 3" in notices(report)


def test_a_list_in_memory_is_read_as_its_file(data: Path) -> None:
    report = sdk.grade(ROWS, task=TASK, data=data)
    assert values(report) == {"cad_0": 0, "cad_1": 1, "cad_2": 1}


def test_verdicts_that_contradict_are_counted_and_named(data: Path) -> None:
    report = graded([ROWS[0], row(0, [150, 150], "wrong")], data)
    (notice,) = [one for one in report.input.notices if one.code == "verdicts"]
    assert notice.count == 1
    assert notice.message == (
        "agrees with the file's own verdicts on 1 of 2; the first that differ: cad_0 (wrong in the"
        " file)"
    )


def test_the_texts_are_read_when_they_are_asked_for(data: Path) -> None:
    report = graded([row(0, [700, 700], "wrong")], data, answer="raw", space="pixels")
    assert values(report)["cad_0"] == 1
    assert "the answer is 'raw_response'; --answer parsed takes the other" in notices(report)
    with pytest.raises(UnknownNameError, match="answer of a stored result"):
        graded(ROWS, data, answer="both")


def test_fractions_are_told_by_their_size_and_thousandths_by_the_verdicts(data: Path) -> None:
    report = graded([row(0, [0.15, 0.1875], "correct"), row(1, [0.9, 0.9], "wrong")], data)
    assert values(report)["cad_0"] == 1
    assert "in fractions of the image" in notices(report)
    rows = [row(0, [150, 187], "correct"), row(1, [350, 437], "correct"), row(2, [1, 1], "wrong")]
    report = graded([{**one, "predicted": one.pop("pred")} for one in rows], data)
    assert values(report) == {"cad_0": 1, "cad_1": 1, "cad_2": 0}
    assert "in thousandths of the image" in notices(report)


def test_a_null_that_the_script_could_not_read_is_unparsed_and_an_error_is_an_error(
    data: Path,
) -> None:
    failed = {"type": "LLMError", "message": "too large"}
    report = graded(
        [ROWS[0], row(0, None, "wrong_format"), row(2, None, "wrong", error=failed)], data
    )
    outcomes = {score.item_id: score.outcome.value for score in report.scores}
    assert outcomes == {"cad_0": "unparsed", "cad_1": "answered", "cad_2": "error"}
    assert "1 rows have a text, but pred is null" in notices(report)


def test_exact_repeats_count_once_and_other_answers_are_duplicates(data: Path) -> None:
    report = graded([ROWS[0], ROWS[0]], data)
    assert not report.input.problem_counts
    assert "1 rows repeat an earlier row exactly" in notices(report)
    report = graded([ROWS[0], row(1, [1, 1], "wrong")], data)
    assert report.input.problem_counts == {ProblemKind.DUPLICATE: 1}
    assert values(report)["cad_1"] == 1


def test_another_box_than_the_datas_is_named(data: Path) -> None:
    report = graded([{**ROWS[0], "bbox": [10, 10, 90, 90]}], data)
    assert "1 rows have another box than the data" in notices(report)
    assert "cad_1" in notices(report)


def test_results_of_other_items_are_refused(data: Path) -> None:
    rows = [{**one, "img_path": "other.png"} for one in ROWS]
    with pytest.raises(SubmissionError, match="none of the 3 rows could be joined to an item"):
        graded(rows, data)
    report = graded([ROWS[0], rows[1]], data)
    assert report.input.problem_counts == {ProblemKind.UNKNOWN_ITEM: 1}


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_a_file_without_an_answer_is_refused_with_its_fields(data: Path, name: str) -> None:
    with pytest.raises(SubmissionError, match="'id', 'seconds'"):
        graded([{"id": "cad_0", "seconds": 3}, {"id": "cad_1", "seconds": 3}], data, name)
    with pytest.raises(SubmissionError, match=r"no field in it is known.*'id', 'seconds'"):
        graded({"total": 1, "rows": [{"id": "cad_0", "seconds": 3}]}, data)


def test_plain_rows_in_an_object_are_read_by_their_usual_names(data: Path) -> None:
    rows = {"model": "m", "results": [{"id": "cad_0", "prediction": "(0.15, 0.19)"}]}
    assert values(graded(rows, data))["cad_0"] == 1


def test_a_folder_is_one_submission(data: Path) -> None:
    folder = data.parent / "run"
    for number, one in enumerate(ROWS):
        (folder / str(number)).mkdir(parents=True)
        (folder / str(number) / "result.json").write_text(json.dumps({"details": [one]}))
    for source in (folder, f"{folder}/*/result.json"):
        report = sdk.grade(source, task=TASK, data=data)
        assert values(report) == {"cad_0": 0, "cad_1": 1, "cad_2": 1}


def test_a_batch_is_joined_by_its_ids(data: Path) -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": "(0.35, 0.4375)"}}]}
    rows = [
        {"custom_id": "cad_1", "response": {"status_code": 200, "body": body}, "error": None},
        {"custom_id": "cad_0", "response": None, "error": {"code": "expired"}},
    ]
    report = graded(rows, data, "batch.jsonl")
    assert values(report) == {"cad_0": 0, "cad_1": 1, "cad_2": 0}
    assert [score.outcome.value for score in report.scores] == ["error", "answered", "missing"]


def test_attempts_are_told_by_the_rollout(data: Path) -> None:
    rows = [row(0, [150, 150], "correct", attempt=number, id="cad_0") for number in (0, 1)]
    assert len(list(graded(rows, data).scores)) == 6


def test_a_column_that_is_named_is_the_answer(data: Path) -> None:
    rows = [{**one, "steered": "(0.15, 0.1875)"} for one in ROWS[1:2]]
    report = graded(rows, data, columns={"steered": "response"})
    assert values(report)["cad_0"] == 1


def test_a_folder_with_an_episode_a_folder_is_one_submission(tmp_path: Path) -> None:
    tasks = tmp_path / "L3_tasks.jsonl"
    names = ("chrome/1f", "gimp/2e", "gimp/3d", "click-dialog_14")
    task = {"instruction": "do it", "platform": "os_linux", "apps": ["gimp"], "type": "single"}
    tasks.write_text("\n".join(json.dumps({"id": name, **task}) for name in names))
    run = tmp_path / "run"
    for folder, file, content in (
        ("pyautogui/model/chrome/1f", "result.txt", "1.0\n"),
        ("pyautogui/model/gimp/2e", "result.txt", '{"completed": true, "steps_used": 4}'),
        ("pyautogui/model/gimp/3d", "result.txt", "oops"),
        ("day_agent_on_miniwob.click-dialog_14", "summary_info.json", '{"cum_reward": 0.0}'),
    ):
        (run / folder).mkdir(parents=True)
        (run / folder / file).write_text(content)
    report = sdk.grade(run, task="mmbench-gui/l3", data=tasks)
    outcomes = [(score.item_id, score.outcome.value, score.value) for score in report.scores]
    assert outcomes == [
        ("chrome/1f", "answered", 1),
        ("gimp/2e", "answered", 1),
        ("gimp/3d", "error", 0),
        ("click-dialog_14", "answered", 0),
    ]


def test_a_unit_that_its_name_says_and_the_boxes_do_not_is_doubted(data: Path) -> None:
    rows = [
        {**row(number % 3, [center, center * 1.25], "none"), "attempt": number}
        for number in range(12)
        for center in (150 + 200 * (number % 3),)
    ]
    report = graded(rows, data)
    assert "12 in thousandths of the image" in notices(report)
    assert "--map pred=response --space thousand" in notices(report)
    report = graded(rows, data, columns={"pred": "response"}, space="thousand")
    assert sum(score.value for score in report.scores) == 12


def test_an_object_of_answers_by_their_ids_is_read(data: Path) -> None:
    report = graded({"cad_0": "(0.15, 0.1875)", "cad_1": "(0, 0)"}, data)
    assert values(report) == {"cad_0": 1, "cad_1": 0, "cad_2": 0}


def test_verdicts_that_no_unit_explains_point_to_the_texts(data: Path) -> None:
    report = graded([row(number, [1, 1], "correct") for number in range(3)], data)
    assert "agree best with 'pred' in pixels of the image: on 0 of 3" in notices(report)
    assert "--answer raw reads the texts" in notices(report)


def test_a_table_of_results_has_its_points_in_two_columns(data: Path) -> None:
    """The layout of showdown's eval.py (86cbd20)."""
    file = data.parent / "claude_results_dev.csv"
    file.write_text(
        "id,recording_id,instruction,image_path,gt_x1,pred_x,pred_y,is_in_bbox,raw_response\n"
        "cad_1,r,press 1,cad/shot_1.png,300,350.0,350.0,True,\"{'x': 1}\"\n"
        "cad_0,r,press 0,cad/shot_0.png,100,99,150,False,(150 150)\n"
        'cad_2,r,press 2,cad/shot_2.png,500,,,False,"(550, 550)"\n'
    )
    report = sdk.grade(file, task=TASK, data=data)
    assert {score.item_id: score.value for score in report.scores} == {
        "cad_0": 0,
        "cad_1": 1,
        "cad_2": 0,
    }
    (notice,) = [one for one in report.input.notices if one.code == "verdicts"]
    assert (notice.count or 0, "of 3" in notice.message) == (0, True)


def test_a_file_of_a_folder_that_can_not_be_read_is_skipped_by_name(data: Path) -> None:
    folder = data.parent / "run"
    folder.mkdir()
    for name, text in (
        ("a.json", ""),
        ("b.jsonl", json.dumps(ROWS[0])),
        ("c.jsonl", "\n"),
        ("d.json", '{"details": [{'),
    ):
        (folder / name).write_text(text)
    report = sdk.grade(folder, task=TASK, data=data)
    assert values(report)["cad_1"] == 1
    skipped = [Path(one.file or "").name for one in report.input.problems]
    assert skipped == ["a.json", "c.jsonl", "d.json"]
    assert report.input.problems[0].message.endswith("the file was skipped")
    (folder / "b.jsonl").unlink()
    with pytest.raises(SubmissionError, match=r"a\.json.*no file in it can be read: it is empty"):
        sdk.grade(folder, task=TASK, data=data)


def _of_models(*names: str | None, text: str = "(150, 150)") -> list[dict[str, Any]]:
    return [
        {"model_name": name, "id": item, "instruction": "x", "raw_text": text}
        for name in names
        for item in BOXES
    ]


@pytest.mark.parametrize("second", ["(150, 150)", "(1, 1)"])
def test_answers_of_several_models_are_graded_apart(data: Path, second: str) -> None:
    rows = _of_models("one") + _of_models("two", text=second)
    with pytest.raises(SubmissionError, match=r"several models .*'one', 'two'.*--model NAME"):
        graded(rows, data)
    for name, expected in (("one", 1), ("two", int(second == "(150, 150)"))):
        report = graded(rows, data, model=name, space="pixels", protocol="pixels")
        assert sum(values(report).values()) == expected
        assert not report.input.problems
        assert "3 answers are of other models, and were left out" in notices(report)
    with pytest.raises(UnknownNameError, match="no model of these answers 'three'"):
        graded(rows, data, model="three")


def test_a_second_answer_of_one_model_or_of_nobody_is_a_duplicate(data: Path) -> None:
    for first, second in (("m", "m"), (None, "m"), ("m", None)):
        rows = _of_models(first) + _of_models(second, text="(1, 1)")
        assert graded(rows, data).input.problem_counts == {ProblemKind.DUPLICATE: 3}


@pytest.mark.parametrize("name", ["pred_bbox", "pred_box", "predicted_bbox"])
def test_a_box_by_its_usual_name_is_a_parsed_answer(data: Path, name: str) -> None:
    rows = [
        {"id": "cad_0", "bbox": BOXES["cad_0"], name: [140, 140, 160, 160], "correct": True},
        {"id": "cad_1", "bbox": BOXES["cad_1"], name: [140, 140, 160, 160], "correct": False},
    ]
    report = graded(rows, data)
    assert (values(report)["cad_0"], values(report)["cad_1"]) == (1, 0)


@pytest.mark.parametrize(
    ("chat", "value"),
    [
        ([{"from": "human", "value": "(1, 1)?"}, {"from": "gpt", "value": "(0.15, 0.1875)"}], 1),
        ([{"role": "user", "content": "?"}, {"role": "assistant", "content": "(0.9, 0.9)"}], 0),
        (
            [
                {"role": "assistant", "content": [{"type": "text", "text": "(0.15, 0.1875)"}]},
            ],
            1,
        ),
        # The first of two turns was not the answer.
        ([{"from": "gpt", "value": "(0.15, 0.1875)"}, {"from": "gpt", "value": "(0.9, 0.9)"}], 0),
    ],
)
def test_a_conversations_last_turn_is_the_answer(data: Path, chat: object, value: float) -> None:
    report = graded([{"id": "cad_0", "conversations": chat}], data)
    assert values(report)["cad_0"] == value


def test_a_conversation_that_ends_with_the_question_is_no_answer(data: Path) -> None:
    chat = [{"from": "gpt", "value": "(0.15, 0.1875)"}, {"from": "human", "value": "Sure?"}]
    with pytest.raises(SubmissionError, match="no field in it is known as an answer"):
        graded({"rows": [{"id": "cad_0", "conversations": chat}]}, data)

from typing import Any

import pytest

from snellen.sdk.submissions.kinds import RowContent, kind_of_row, point_of, text_of, verdict_of

CHAT = {"choices": [{"message": {"role": "assistant", "content": "(1, 2)"}}]}


def read(row: dict[str, Any]) -> RowContent:
    kind = kind_of_row(row)
    assert kind is not None
    (found,) = kind.read(row)
    return found


SCRIPT = {
    "img_path": "images/a.png",
    "prompt_to_evaluate": "ok",
    "pred": [1.5, 2],
    "raw_response": "(1, 2)",
    "bbox": [0, 0, 9, 9],
    "correctness": "correct",
}


def test_a_row_of_the_script_has_a_point_in_pixels_and_a_text() -> None:
    found = read(SCRIPT)
    assert found.clues == ("", "images/a.png", "ok", (0, 0, 9, 9), None, "", "", "")
    assert found.parsed is not None
    assert found.raw is not None
    assert (found.parsed.field, found.parsed.value, found.parsed.space) == (
        "pred",
        [1.5, 2],
        "pixels",
    )
    assert (found.raw.field, found.raw.value, found.verdict) == ("raw_response", "(1, 2)", True)


@pytest.mark.parametrize(
    ("changed", "field", "value", "space"),
    [
        ({"prediction_px": [3, 4]}, "prediction_px", [3, 4], "pixels"),
        ({"pixel_coord": [3, 4], "predicted": [500, 500]}, "pixel_coord", [3, 4], "pixels"),
        ({"extracted_answer": [0.3, 0.4]}, "extracted_answer", [0.3, 0.4], "unit"),
        ({"pred": "[3, 4]"}, "pred", [3, 4], "pixels"),
        ({"prediction": {"point": [3, 4]}}, "prediction", [3, 4], ""),
        ({"pred": {"x": 3, "y": 4}}, "pred", [3, 4], "pixels"),
        ({"pred_x": 3, "pred_y": 4}, "pred_x", [3, 4], ""),
        ({"pred_coord": [3, 4], "image_size": [100, 50]}, "pred_coord", [3, 4], "view"),
        ({"pred_coord": [3, 4]}, "pred_coord", [3, 4], ""),
    ],
)
def test_the_parsed_answer_and_its_unit_are_told_by_its_field(
    changed: dict[str, Any], field: str, value: list[float], space: str
) -> None:
    row = {name: part for name, part in SCRIPT.items() if name != "pred"} | changed
    parsed = read(row).parsed
    assert parsed is not None
    assert (parsed.field, list(parsed.value or ()), parsed.space) == (field, value, space)


def test_an_error_object_beside_null_is_an_error_and_not_an_answer() -> None:
    failed = {"type": "LLMError", "message": "too large"}
    row = {"sample_id": "a", "gt_bbox": [0, 0, 9, 9], "prediction_px": None, "error": failed}
    assert read(row).error == "LLMError: too large"


@pytest.mark.parametrize(
    ("row", "item", "value"),
    [
        (
            {"custom_id": "a", "response": {"status_code": 200, "body": CHAT}, "error": None},
            "a",
            "(1, 2)",
        ),
        (
            {
                "custom_id": "a",
                "result": {
                    "type": "succeeded",
                    "message": {"role": "assistant", "content": [{"type": "text", "text": "B"}]},
                },
            },
            "a",
            "B",
        ),
        ({"doc_id": 4, "filtered_resps": ["B"], "target": "A"}, "4", "B"),
        ({"doc_id": 4, "resps": [["C"]]}, "4", "C"),
        ({"index": 4, "model_output": CHAT | {"error": None}}, "4", "(1, 2)"),
        (
            {"index": 4, "sample_score": {"score": {"prediction": "D", "value": {"acc": 1.0}}}},
            "4",
            "D",
        ),
        ({"index": 4, "question": "q", "answer": "A", "prediction": "E"}, "4", "E"),
        (
            {
                "responses_create_params": {},
                "response": {
                    "output": [
                        {
                            "type": "message",
                            "role": "assistant",
                            "content": [{"type": "output_text", "text": "F"}],
                        }
                    ]
                },
                "_ng_task_index": 4,
            },
            "4",
            "F",
        ),
        (
            {
                "example_id": 4,
                "completion": [{"role": "assistant", "content": "G"}],
                "reward": 1.0,
            },
            "4",
            "G",
        ),
        ({"id": 4, "epoch": 1, "target": "A", "output": CHAT}, "4", "(1, 2)"),
    ],
)
def test_logs_of_harnesses_hold_the_text_under_their_own_names(
    row: dict[str, Any], item: str, value: str
) -> None:
    found = read(row)
    assert found.raw is not None
    assert (found.clues.id, found.raw.value) == (item, value)


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (
            {"custom_id": "a", "response": None, "error": {"code": "expired", "message": "late"}},
            "expired: late",
        ),
        ({"custom_id": "a", "response": {"status_code": 500, "body": None}}, "status 500"),
        ({"custom_id": "a", "result": {"type": "expired"}}, "expired"),
        (
            {
                "custom_id": "a",
                "result": {"type": "errored", "error": {"error": {"type": "overloaded"}}},
            },
            "overloaded",
        ),
    ],
)
def test_a_failed_row_of_a_batch_is_an_error(row: dict[str, Any], error: str) -> None:
    found = read(row)
    assert (found.error, found.raw) == (error, None)


def test_rollouts_and_epochs_are_attempts_and_a_shaped_reward_is_no_verdict() -> None:
    rollout = {"responses_create_params": {}, "response": CHAT, "reward": 0.39}
    found = read(rollout | {"_ng_task_index": 3, "_ng_rollout_index": 2})
    assert (found.attempt, found.verdict) == (2, None)
    sample = {
        "id": 1,
        "epoch": 3,
        "target": "",
        "output": CHAT,
        "scores": {"match": {"value": "C"}},
    }
    assert (read(sample).attempt, read(sample).verdict) == (2, True)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        *((True, True), (1, True), (1.0, True), ("correct", True), ("C", True)),
        *((0, False), ("wrong", False), ("wrong_format", False), ("incorrect", False)),
        *((0.4, None), (None, None), ("partially", None), ([], None)),
    ],
)
def test_a_verdict_is_right_wrong_or_none(value: object, verdict: bool | None) -> None:
    assert verdict_of(value) is verdict


def test_an_echoed_prompt_is_cut_and_lists_are_opened() -> None:
    assert text_of("user\nanswer in [0,1000]\nassistant\n(3, 4)") == "(3, 4)"
    assert text_of([["(3, 4)"]]) == "(3, 4)"
    assert text_of([3, 4]) == [3, 4]


def test_a_point_is_two_or_four_numbers_in_any_usual_form() -> None:
    assert point_of("(3, 4)") == [3, 4]
    assert point_of([[1, 2], [3, 4]]) == [1, 2, 3, 4]
    assert point_of([[3, 4]]) == [3, 4]
    assert point_of([True, 4]) is None
    assert point_of("Click at (3, 4)") is None


@pytest.mark.parametrize(
    "row",
    [
        {"item_id": "a", "response": "x", "bbox": [0, 0, 1, 1]},
        {"id": "a", "prediction": "x"},
        {"id": "a", "prediction": "x", "answer": "y"},
        {"task_id": "a", "success": 1},
        {"id": "a"},
    ],
)
def test_a_plain_submission_is_of_no_kind(row: dict[str, Any]) -> None:
    assert kind_of_row(row) is None

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.screenqa.format import (
    COMPLEX,
    LAYOUTS,
    LONG,
    SHORT,
    UI_CONTENTS,
    UI_CONTENTS_BOXES,
    Layout,
    Rows,
    item_ids,
    read,
)

ROW = {"image_id": 5, "question": "How many?", "ground_truth": ["3"]}
RATER = {"full_answer": "x", "ui_elements": [{"text": "x", "bounds": [0, 0, 9, 9], "vh_index": -1}]}


def with_bounds(*bounds: object) -> dict[str, Any]:
    return {"full_answer": "x", "ui_elements": [{"text": "x", "bounds": list(bounds)}]}


def read_bytes(tmp_path: Path, data: bytes, layout: Layout = SHORT) -> Rows:
    path = tmp_path / "test.json"
    path.write_bytes(data)
    return read(layout, path)


def read_rows(tmp_path: Path, rows: object, layout: Layout = SHORT) -> Rows:
    return read_bytes(tmp_path, json.dumps(rows).encode(), layout)


def test_short_answers_are_lists_of_texts(repo: Path) -> None:
    rows = read(SHORT, repo)
    assert rows.golds == [
        ["7:30 PM", "half past seven"],
        ["€12", "12 euros", "<no answer>"],
        ["<no answer>"],
    ]
    assert rows.questions[1] == "How much does the ticket cost?"
    assert (rows.role, rows.split, rows.space) == ("short_answers", "test", None)


def test_complex_answers_are_lists_of_texts(repo: Path) -> None:
    rows = read(COMPLEX, repo)
    assert (rows.golds, rows.split) == ([["3"], ["3"], ["€24"]], "data")


def test_boxes_come_as_left_top_right_bottom_in_pixels(repo: Path) -> None:
    rows = read(UI_CONTENTS_BOXES, repo)
    assert rows.golds[0][1] == [
        ((50, 322, 310, 380), "7:30 PM"),
        ((48, 400, 300, 450), "weekdays"),
    ]
    assert rows.golds[2] == [[], []]
    assert rows.space is Space.PIXELS


@pytest.mark.parametrize("split", ["train", "validation", "test"])
@pytest.mark.parametrize("layout", [LONG, UI_CONTENTS, UI_CONTENTS_BOXES])
def test_every_layout_agrees_with_the_standard_library(
    repo: Path, published: Callable[[str], list[dict[str, Any]]], layout: Layout, split: str
) -> None:
    take: dict[int, Callable[[dict[str, Any]], object]] = {
        id(LONG): lambda rater: rater["full_answer"],
        id(UI_CONTENTS): lambda rater: [e["text"] for e in rater["ui_elements"]],
        id(UI_CONTENTS_BOXES): lambda rater: [
            (tuple(e["bounds"]), e["text"]) for e in rater["ui_elements"]
        ],
    }
    expected = published(f"answers_and_bboxes/{split}.json")
    rows = read(layout, repo, split)
    assert rows.golds == [
        [take[id(layout)](rater) for rater in row["ground_truth"]] for row in expected
    ]
    assert rows.image_ids == [str(row["image_id"]) for row in expected]
    assert rows.questions == [row["question"] for row in expected]


def test_image_sizes_are_those_the_file_states(repo: Path, v1: Path) -> None:
    sizes = [(image.width, image.height) for image in read(LONG, repo).images]
    assert sizes == [(1080, 1920), (540, 960), (1080, 1920)]
    assert [(image.width, image.height) for image in read(LONG, v1).images] == [(None, None)] * 3
    assert {image.name for image in read(SHORT, repo).images} == {"screen"}


def test_the_first_release_holds_the_same_references(repo: Path, v1: Path) -> None:
    assert read(UI_CONTENTS_BOXES, v1).golds == read(UI_CONTENTS_BOXES, repo).golds


def test_questions_are_numbered_within_their_image_in_file_order() -> None:
    assert item_ids("test", ["7", "9", "7"]) == ["test/7/0", "test/9/0", "test/7/1"]


def test_unknown_fields_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + json.dumps([{**ROW, "comment": {"by": "me"}}]).encode()
    assert read_bytes(tmp_path, data).golds == [["3"]]


def test_the_last_of_two_equal_keys_counts(tmp_path: Path) -> None:
    data = b'[{"image_id": 1, "image_id": 2, "question": "q", "ground_truth": ["a"]}]'
    assert read_bytes(tmp_path, data).image_ids == ["2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"image_id": "5"},
            r"test\.json, field 'image_id': row 2 \(counted from 1\): expected `int`",
        ),
        ({"image_id": -1}, "field 'image_id': row 2"),
        ({"image_id": None}, "field 'image_id': row 2"),
        ({"question": 3}, "field 'question': row 2 .* expected `str`, got `int`"),
        ({"question": ""}, "field 'question': row 2 .* length >= 1"),
        ({"ground_truth": "3"}, "field 'ground_truth': row 2 .* expected `array`"),
        ({"ground_truth": []}, "field 'ground_truth': row 2 .* length >= 1"),
        ({"ground_truth": ["3", None]}, r"field 'ground_truth\[1\]': row 2 .* expected `str`"),
        ({"ground_truth": [RATER]}, r"field 'ground_truth\[0\]': row 2 .* got `object`"),
        ({"image_width": 0}, "field 'image_width': row 2"),
    ],
)
def test_a_wrong_value_is_named_with_its_row_and_field(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_rows(tmp_path, [ROW, {**ROW, **change}])


@pytest.mark.parametrize("field", ["image_id", "question", "ground_truth"])
def test_a_missing_field_is_named_with_its_row(tmp_path: Path, field: str) -> None:
    row = {key: value for key, value in ROW.items() if key != field}
    with pytest.raises(DataError, match=rf"row 2 .*missing required field `{field}`; references"):
        read_rows(tmp_path, [ROW, row])


@pytest.mark.parametrize(
    ("layout", "rater", "message"),
    [
        (LONG, {"other": "x"}, r"'ground_truth\[0\]': row 1 .* field `full_answer`"),
        (LONG, {"full_answer": None}, r"'ground_truth\[0\]\.full_answer'"),
        (UI_CONTENTS, {"full_answer": "x"}, r"'ground_truth\[0\]': row 1 .* field `ui_elements`"),
        (
            UI_CONTENTS,
            {"ui_elements": [{"bounds": "x"}]},
            r"'ground_truth\[0\]\.ui_elements\[0\]': .* `text`",
        ),
        (UI_CONTENTS_BOXES, {"ui_elements": [{"text": "x"}]}, "missing required field `bounds`"),
        (UI_CONTENTS_BOXES, with_bounds(1, 2, 3), "length 4"),
        (UI_CONTENTS_BOXES, with_bounds(1, 2, 3, 4, 5), "length 4"),
        (
            UI_CONTENTS_BOXES,
            with_bounds(1, 2, "3", 4),
            r"bounds\[2\]': row 1 .* `float`, got `str`",
        ),
        (UI_CONTENTS_BOXES, with_bounds(9, 0, 1, 9), r"row 1 .* \[9\.0, 0\.0, 1\.0, 9\.0\] is not"),
        (UI_CONTENTS_BOXES, with_bounds(0, 9, 9, 1), r"bounds': row 1 .* in order"),
    ],
)
def test_a_wrong_rater_is_named(
    tmp_path: Path, layout: Layout, rater: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_rows(tmp_path, [{**ROW, "ground_truth": [rater]}], layout)


def test_a_box_without_area_is_read(tmp_path: Path) -> None:
    rows = read_rows(
        tmp_path, [{**ROW, "ground_truth": [with_bounds(3, 3, 3, 9)]}], UI_CONTENTS_BOXES
    )
    assert rows.golds == [[[((3, 3, 3, 9), "x")]]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_truncated_file_is_refused(tmp_path: Path, layout: Layout) -> None:
    truth = [RATER] if layout.by_rater else ["3"]
    data = json.dumps([{**ROW, "ground_truth": truth}]).encode()
    for length in range(len(data)):
        with pytest.raises(DataError, match="is no whole JSON file"):
            read_bytes(tmp_path, data[:length], layout)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('[{"image_id": 1, "question": "é"'.encode("latin-1"), "is not UTF-8"),
        (json.dumps([ROW]).encode("utf-16"), "is not UTF-8"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is no whole JSON file"),
        (json.dumps([ROW]).encode() + b"[]", "trailing"),
        (b"[" * 100_000, "expected `object`, got `array`"),
        (b'{"rows": []}', "expected `array`, got `object`"),
        (b"[]", "holds no questions"),
    ],
)
def test_what_is_no_list_of_questions_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_bytes(tmp_path, data)
    assert caught.value.file == str(tmp_path / "test.json")


def test_deep_nesting_in_an_ignored_field_is_refused_not_followed(tmp_path: Path) -> None:
    data = b'[{"image_id": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]"
    with pytest.raises(DataError):
        read_bytes(tmp_path, data)


def test_what_a_task_does_not_need_is_not_checked(tmp_path: Path) -> None:
    rows = [{**ROW, "ground_truth": [{"full_answer": "x", "ui_elements": "lost"}]}]
    assert read_rows(tmp_path, rows, LONG).golds == [["x"]]

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import DataError, InputError
from snellen.tasks.benchmarks.table import load_task

POINT = "points/point"
SIZE = [200, 100]
BOXES = [[20, 10, 60, 30], [100, 50, 140, 90], [150, 0, 190, 20]]


def _rows(boxes: list[Any] = BOXES, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"p{number}", "bbox": box, "instruction": f"element {number}", **more}
        for number, box in enumerate(boxes)
    ]


def _written(folder: Path, rows: Any, name: str = "set.json") -> Path:
    file = folder / name
    file.write_text(json.dumps(rows))
    return file


def _boxes(path: Path) -> list[tuple[float, ...]]:
    return [gold.bbox for gold in load_task(POINT, path).golds]


def test_a_set_has_boxes_polygons_refusals_and_boxes_that_are_never_hit(tmp_path: Path) -> None:
    data = load_task(POINT, written("points", tmp_path))
    box, _, polygon, refusal, inverted = data.golds
    assert (box.bbox, box.image_size) == ((20, 10, 60, 30), (200, 100))
    assert len(polygon.polygon) == 6
    assert refusal.refused
    assert inverted.bbox == (90, 40, 70, 40)
    assert data.tags["ui_type"] == ["button", "Label + Icon", "button", "button", "button"]
    assert data.cluster == "image"
    assert data.pin.note == (
        "5 questions; right boxes that are empty or inverted and never hit: 1 (p4); items"
        " without a box, of which a refusal is right: 1"
    )
    assert "(-1, -1)" in data.item("p0").prompt
    assert load_task(POINT, tmp_path, split="targets").ids == ["p0", "p1", "p2", "p4"]


@pytest.mark.parametrize(
    "row",
    [
        {"bbox": [20, 10, 60, 30], "instruction": "it"},
        {"box": "[20, 10, 60, 30]", "query": "it"},
        {"gt_bbox": [[20, 10], [60, 30]], "prompt_to_evaluate": "it"},
        {"bbox": {"x": 20, "y": 10, "width": 40, "height": 20}, "question": "it"},
        {"left": 20, "top": 10, "right": 60, "bottom": 30, "command": "it"},
        {"x": 20, "y": 10, "w": 40, "h": 20, "text": "it"},
        {"box_coordinates": [20, 10, 40, 20], "box_type": "bbox", "instruction": "it"},
        {"bbox": [20, 10, 40, 20], "instruction": "it", "data_type": "text", "data_source": "x"}
        | {"img_filename": "a.png"},
    ],
)
def test_a_box_is_read_under_its_usual_names_and_shapes(
    row: dict[str, Any], tmp_path: Path
) -> None:
    assert _boxes(_written(tmp_path, [row])) == [(20, 10, 60, 30)]


def test_the_same_set_may_be_json_lines_csv_parquet_or_inside_an_object(tmp_path: Path) -> None:
    rows = _rows(img_size=SIZE)
    wanted = [tuple(box) for box in BOXES]
    lines = tmp_path / "set.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    parquet = tmp_path / "set.parquet"
    pq.write_table(pa.Table.from_pylist(rows), parquet)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    table = tmp_path / "set.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "bbox", "instruction", "width", "height"])
        writer.writerows([row["id"], row["bbox"], row["instruction"], *SIZE] for row in rows)
    inside = _written(tmp_path, {"version": 1, "data": rows}, "inside.json")
    for file in (lines, parquet, table, inside):
        data = load_task(POINT, file)
        assert [gold.bbox for gold in data.golds] == wanted
        assert {gold.image_size for gold in data.golds} == {(200, 100)}
        assert data.ids == ["p0", "p1", "p2"]


def test_a_folder_of_several_files_is_one_set(tmp_path: Path) -> None:
    folder = tmp_path / "annotations"
    folder.mkdir()
    for number, row in enumerate(_rows()):
        _written(folder, [row], f"{number}.json")
    assert load_task(POINT, tmp_path).ids == ["p0", "p1", "p2"]


@pytest.mark.parametrize(
    "boxes",
    [
        [[860, 430, 820, 410], [100, 50, 140, 90], [950, 300, 990, 280]],
        [[820, 410, 40, 20], [100, 50, 40, 40], [950, 280, 40, 20]],
    ],
    ids=["corners in any order", "corner and extent"],
)
def test_what_the_four_numbers_are_is_told_by_all_boxes(boxes: list[Any], tmp_path: Path) -> None:
    file = _written(tmp_path, _rows(boxes, img_size=[1000, 500]))
    assert _boxes(file) == [(820, 410, 860, 430), (100, 50, 140, 90), (950, 280, 990, 300)]


def test_boxes_may_be_fractions_without_any_size(tmp_path: Path) -> None:
    file = _written(tmp_path, _rows([[0.1, 0.1, 0.3, 0.3]]))
    report = sdk.grade([{"item_id": "p0", "response": "(0.2, 0.2)"}], points=file)
    assert report.value == 1


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"bbox": [1, 2, 3, 4]}], "no column is known as an instruction: it has bbox; rename"),
        ([{"instruction": "it", "area": 3}], "no column is known as a box: it has instruction"),
        (_rows([*BOXES, [1, 2, 3]]), r"row 4 .*item p3: expected a box, a polygon, or nothing"),
        (_rows([*BOXES, [0.1, 0.1, 0.2, 0.2]]), "row 4 has its box in another space than row 1"),
        ([], "holds no rows"),
    ],
)
def test_a_set_that_can_not_be_read_is_named(rows: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"set\.json.*{says}"):
        load_task(POINT, _written(tmp_path, rows))


def test_points_are_a_set_of_their_own(tmp_path: Path) -> None:
    file = _written(tmp_path, _rows())
    others: list[dict[str, Any]] = [
        {"task": "webclick/point"},
        {"data": tmp_path},
        {"references": {}},
    ]
    for more in others:
        with pytest.raises(InputError, match="leave out task, data and references"):
            sdk.grade([], points=file, **more)


ANSWERS: dict[str, Any] = {
    "point": {"point": [40, 20]},
    "pred": {"pred": [40, 20]},
    "coordinate": {"coordinate": [40, 20]},
    "x and y": {"x": 40, "y": 20},
    "bbox": {"bbox": [20, 10, 60, 30]},
    "four sides": {"x1": 20, "y1": 10, "x2": 60, "y2": 30},
    "text": {"response": "click(40, 20)"},
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_read_under_its_usual_names(answer: dict[str, Any], tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    rows = [{"id": "p0", **answer}, {"id": "p1", **answer}]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = sdk.grade(answers, points=_written(tmp_path, _rows(img_size=SIZE)))
    assert [score.value for score in report.scores] == [1, 0, 0]


# Rows 0, 309, 1084 and 1354 of UI-I2E-Bench (alibaba/UI-Ins 6b05752, I2E_sspro_format.json).
I2E = [
    {"id": "0", "bbox": [84, 874, 183, 892], "img_size": [430, 932]},
    {"id": "309", "bbox": [1005, 473, 987, 473], "img_size": [1002, 1224]},
    {"id": "1084", "bbox": [292, 1475, 984, 1446], "img_size": [1080, 2400]},
    {"id": "1354", "bbox": [296, 172, 15, 140], "img_size": [1920, 1106]},
]


def test_few_inverted_boxes_are_faults_and_not_another_order(tmp_path: Path) -> None:
    good = [{**I2E[0], "id": f"g{number}"} for number in range(9)]
    rows = [{**row, "instruction": "it", "ui_type": "Toggle"} for row in (*I2E, *good)]
    data = load_task(POINT, _written(tmp_path, rows))
    assert [data.golds[index].bbox for index in (1, 2, 3)] == [
        (1005, 473, 987, 473),
        (292, 1475, 984, 1446),
        (296, 172, 15, 140),
    ]
    assert "never hit: 3 (309, 1084, 1354)" in data.pin.note

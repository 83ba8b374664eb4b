import json
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.table import load_task as load

ORIGINAL = "osworld-g/original"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("osworld-g", tmp_path)


def test_boxes_polygons_and_refusals(folder: Path) -> None:
    data = load(ORIGINAL, folder)
    box, polygon, refusal = data.golds
    assert box.bbox == (60, 30, 68, 34)
    assert polygon.bbox == (10, 10, 30, 30)
    assert len(polygon.polygon) == 10
    assert refusal.refused
    assert data.tags["kind"] == ["bbox", "polygon", "refusal"]
    assert data.tags["groups"] == ["text_matching", "text_matching", "refusal"]
    assert "(-1, -1)" in data.item("item-0").prompt


def test_an_item_without_an_instruction_is_one_and_is_counted(folder: Path) -> None:
    file = folder / "benchmark" / "OSWorld-G_refined.json"
    rows = json.loads(file.read_text())
    rows[1]["instruction"] = ""
    file.write_text(json.dumps(rows))
    data = load("osworld-g/refined", folder)
    assert len(data) == 3
    assert data.pin.note.endswith("; without an instruction: 1 ('item-1', ...)")
    assert data.item("item-1").prompt.endswith("Instruction: ")


def test_the_split_of_targets_has_no_refusal(folder: Path) -> None:
    assert load(ORIGINAL, folder, split="targets").ids == ["item-0", "item-1"]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("box_coordinates", [1, 2, 3], "x, y, width, height"),
        ("box_type", "circle", "circle"),
        ("image_path", "/etc/passwd", "no path below the images"),
        ("image_size", [0, 5], "image_size"),
        ("box_coordinates", [500, 500, 10, 10], "outside the image"),
    ],
)
def test_a_row_that_is_not_as_published_is_named(
    folder: Path, field: str, value: Any, says: str
) -> None:
    file = folder / "benchmark" / "OSWorld-G.json"
    rows = json.loads(file.read_text())
    rows[0][field] = value
    file.write_text(json.dumps(rows))
    with pytest.raises(DataError, match=says):
        load(ORIGINAL, folder)

import json
from pathlib import Path

import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.table import load_task as load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("ui-vision", tmp_path)


def test_elements_are_pointed_at_and_regions_boxed(folder: Path) -> None:
    points, boxes = load("ui-vision/functional", folder), load("ui-vision/layout", folder)
    assert points.item("functional/0").answer_format.kind is AnswerKind.POINT
    assert boxes.item("layout/0").answer_format.kind is AnswerKind.BOX
    assert "thousandths" in boxes.item("layout/0").prompt
    assert "Menu: opens files" in boxes.item("layout/0").prompt
    assert boxes.golds[1].bbox == (6, 3, 61, 30)


def test_corners_the_wrong_way_round_are_sorted(folder: Path) -> None:
    file = next(folder.rglob("element_grounding_basic.json"))
    rows = json.loads(file.read_text())
    rows[0]["bbox"] = [68, 34, 60, 30]
    file.write_text(json.dumps(rows))
    assert load("ui-vision/basic", file).golds[0].bbox == (60, 30, 68, 34)


def test_a_file_that_is_there_twice_is_not_guessed(folder: Path) -> None:
    (folder / "copy").mkdir()
    (folder / "copy" / "layout_grounding.json").write_text("[]")
    with pytest.raises(DataError, match="more than once"):
        load("ui-vision/layout", folder)

"""The boxes that raters choose from: of a file, and of a build's snapshots."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.annotate.boxes import read_elements
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Captured, write_snapshot
from snellen.grading.errors import DataError, InputError
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.samples import exam_folder

TASK = "visualwebbench/element_ground_bbox"


@pytest.fixture(scope="module")
def exam() -> Pack:
    """Return the exam of the demonstration, which has every form of answer."""
    return open_pack(exam_folder("sample-full"))


def lines(path: Path, *said: Any) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in said))
    return path


def test_a_files_boxes_come_with_the_smaller_ones_last(exam: Pack, tmp_path: Path) -> None:
    item = next(iter(exam.index[TASK]))
    small, large = [10, 10, 20, 20], [0, 0, 100, 100]
    line = {"task": TASK, "item_id": item, "elements": [small, large]}
    found = read_elements(lines(tmp_path / "boxes.jsonl", line), exam, [TASK])
    assert found == {(TASK, item): [tuple(large), tuple(small)]}


def test_a_builds_boxes_are_those_that_can_be_seen_on_the_items_page(
    exam: Pack, tmp_path: Path
) -> None:
    item = next(iter(exam.index[TASK]))
    _, site, page, _ = item.split("/")
    boxes: list[tuple[tuple[float, float, float, float], float]] = [
        ((0, 0, 1280, 1000), 0),  # the page
        ((10, 10, 110, 40), 0),
        ((10, 10, 110, 40), 0),  # the same once more
        ((10, 50, 12, 90), 0),  # too narrow
        ((10, 100, 110, 140), 0.9),  # hidden
        ((20, 15, 60, 35), 0.1),
    ]
    elements = tuple(
        Element(id=number, tag="div", box=box, covered=covered)
        for number, (box, covered) in enumerate(boxes)
    )
    screen = Screen(width=1280, height=1000, elements=elements)
    captured = Captured(page=page, site=site, source="a.html", screen=screen)
    image = BytesIO()
    Image.new("RGB", (1280, 1000), "white").save(image, "PNG")
    files = {"screen.png": image.getvalue()}
    write_snapshot(tmp_path / "snapshots" / "a", captured, files)
    found = read_elements(tmp_path, exam, [TASK])
    mine = [name for name in exam.index[TASK] if f"/{site}/{page}/" in name]
    assert {name for _, name in found} == set(mine)
    assert found[TASK, item] == [(10, 10, 110, 40), (20, 15, 60, 35)]


def test_what_names_no_boxes_is_refused(exam: Pack, tmp_path: Path) -> None:
    item = next(iter(exam.index[TASK]))
    good: dict[str, Any] = {"task": TASK, "item_id": item, "elements": []}
    file = tmp_path / "boxes.jsonl"
    cases: list[tuple[Any, str]] = [
        ({**good, "item_id": "nowhere"}, "line 1.*no item 'nowhere'"),
        ({**good, "task": "nothing"}, "no item"),
        ({**good, "elements": [[1, 2, 3]]}, "names no elements"),
        ({**good, "elements": [[0, 0, 1, 1]] * 401}, "up to 400"),
        (7, "names no elements"),
    ]
    for line, message in cases:
        with pytest.raises(DataError, match=message):
            read_elements(lines(file, line), exam, [TASK])
    with pytest.raises(InputError, match="empty"):
        read_elements(lines(file), exam, [TASK])
    with pytest.raises(InputError, match="can't be read"):
        read_elements(tmp_path / "missing.jsonl", exam, [TASK])
    (tmp_path / "build").mkdir()
    with pytest.raises(InputError, match="no page"):
        read_elements(tmp_path / "build", exam, [TASK])

import json
from pathlib import Path

import pytest
from miniatures import written

from snellen.grading.errors import DataError, UnknownNameError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import recognize

CLICK = "omniact/click"


def test_clicks_are_items_and_longer_scripts_are_left_out(tmp_path: Path) -> None:
    folder = written("omniact", tmp_path)
    assert recognize(folder) == (CLICK,)
    data = load_task(CLICK, folder)
    assert data.ids == ["test/0", "test/1", "test/2"]
    assert dict(data.left_out) == {"test/3": "its script is not one click"}
    assert data.golds[0].bbox == (10, 20, 31, 40)
    assert data.tags["platform"] == ["desktop", "web", "web"]
    assert data.item("test/0").prompt.endswith("which is 128 x 80.\n\nTask: open the menu 0")
    assert load_task(CLICK, folder / "test.json").ids == data.ids


def test_files_of_the_web_are_found_under_the_name_that_they_have(tmp_path: Path) -> None:
    folder = written("omniact", tmp_path)
    data = load_task(CLICK, folder)
    assert data.golds[1].image_size == (128, 80)
    assert data.image("test/1") == (folder / "data/data/web/app/screen1.png").read_bytes()


def test_a_click_on_no_boxs_middle_is_left_out(tmp_path: Path) -> None:
    folder = written("omniact", tmp_path)
    file = folder / "data/tasks/web/app/task_1.1.txt"
    file.write_text(file.read_text().replace("20.5", "20.0"))
    data = load_task(CLICK, folder)
    assert data.ids == ["test/0", "test/2"]
    assert data.left_out["test/1"] == "no box has its middle where the script clicks"


@pytest.mark.parametrize("missing", ["data/tasks/web/app/task_1.2.txt", "test.json"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, missing: str) -> None:
    folder = written("omniact", tmp_path)
    (folder / missing).unlink()
    with pytest.raises(DataError, match=f"there is no {missing}"):
        load_task(CLICK, folder)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"0": {"task": "../a.txt", "image": "a.png", "box": "a.json"}}, "no path below"),
        ({"0": {"task": "a.txt"}}, "missing required field `image`"),
        ([], "expected {id: {task, image, box}}"),
    ],
)
def test_an_index_that_is_not_as_published_is_refused(
    tmp_path: Path, rows: object, message: str
) -> None:
    (tmp_path / "test.json").write_text(json.dumps(rows))
    with pytest.raises(DataError, match=message):
        load_task(CLICK, tmp_path)


def test_a_split_is_an_index(tmp_path: Path) -> None:
    folder = written("omniact", tmp_path)
    (folder / "test.json").rename(folder / "val.json")
    assert load_task(CLICK, folder).ids[0] == "val/0"
    with pytest.raises(UnknownNameError, match="Known: val"):
        load_task(CLICK, folder, "test")


def test_ugrounds_index_has_the_same_items(tmp_path: Path) -> None:
    folder = written("omniact", tmp_path)
    index = (folder / "test.json").rename(folder / "processed_test.json")
    assert load_task(CLICK, index).ids == ["test/0", "test/1", "test/2"]

"""A pointing benchmark that is declared as a table, whatever its columns are."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.point_rows import load
from snellen.tasks.benchmarks.point_table import Columns, PointTable
from snellen.tasks.data.release import Place, Release
from snellen.tasks.models import TaskData

TASK = "mine/point"
PLACE = Place("mine", "github.com", "me/mine", "MIT")
ROW: dict[str, Any] = {"instruction": "save", "bbox": [10, 20, 30, 40]}


def loaded(
    folder: Path,
    rows: list[dict[str, Any]],
    *layouts: Columns,
    releases: tuple[Release, ...] = (),
    split: str = "all",
    images: Path | None = None,
) -> TaskData:
    (folder / "rows.json").write_text(json.dumps(rows))
    table = PointTable(
        task=TASK,
        title="Point",
        layouts=layouts or (Columns(),),
        files=("rows.json",),
        split=split,
        images=("shots",),
    )
    return load((table,), PLACE, releases, TASK, folder, images=images)


def test_an_item_is_named_after_its_split_and_its_row(tmp_path: Path) -> None:
    data = loaded(tmp_path, [ROW, ROW])
    assert (data.split, data.ids) == ("all", ["all/0", "all/1"])
    assert data.golds[0].bbox == (10, 20, 30, 40)
    assert (data.golds[0].image_size, data.cluster) == (None, None)
    assert data.item("all/0").prompt.endswith("save")
    assert data.item("all/0").answer_format.space is Space.UNIT


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (Columns(box="b"), {"b": [10, 20, 30, 40]}),
        (Columns(box="b"), {"b": "<10, 20.0, 3e1, 40>"}),
        (Columns(box="b", extents=True), {"b": [10, 20, 20, 20]}),
        (Columns(box=("l", "t", "r", "b")), {"l": 10, "t": 20, "r": 30, "b": 40}),
        (Columns(box=("l", "t", "w", "h"), extents=True), {"l": 10, "t": 20, "w": 20, "h": 20}),
    ],
)
def test_the_ways_to_write_a_box(tmp_path: Path, columns: Columns, row: dict[str, Any]) -> None:
    assert loaded(tmp_path, [{"instruction": "", **row}], columns).golds[0].bbox == (10, 20, 30, 40)


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (Columns(size="size"), {"size": [100, 50]}),
        (Columns(size=("w", "h")), {"w": 100, "h": 50}),
        (Columns(fractions="share"), {"share": "(0.1, 0.4, 0.3, 0.8)"}),
        (Columns(size="size", image="image"), {"size": None, "image": "a/s.png"}),
        (Columns(size=("w", "h"), image="image"), {"w": None, "h": None, "image": "s.png"}),
        (Columns(image="image"), {"image": "elsewhere/s.png"}),
    ],
)
def test_the_ways_to_know_a_size(tmp_path: Path, columns: Columns, row: dict[str, Any]) -> None:
    for name in ("s.png", "a/s.png"):
        (tmp_path / "shots" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("1", (100, 50)).save(tmp_path / "shots" / name)
    data = loaded(tmp_path, [{**ROW, **row}], columns)
    assert tuple(data.golds[0].image_size) == (100, 50)


def test_tags_are_columns_and_a_null_is_none(tmp_path: Path) -> None:
    rows = [{**ROW, "app": "mail"}, {**ROW, "app": None}, ROW, {**ROW, "app": 7}]
    data = loaded(tmp_path, rows, Columns(tags=("app",)))
    assert data.tags["app"] == ["mail", None, None, "7"]


def test_a_number_is_an_id(tmp_path: Path) -> None:
    rows = [{**ROW, "id": 7}, {**ROW, "id": "b"}]
    assert loaded(tmp_path, rows, Columns(id="id")).ids == ["7", "b"]
    message = "field 'id': the id '7' is there twice, so answers can't be told apart"
    with pytest.raises(DataError, match=message):
        loaded(tmp_path, [rows[0], rows[0]], Columns(id="id"))


def test_a_copy_in_another_layout_is_no_release(tmp_path: Path) -> None:
    layouts = Columns(box="box"), Columns()
    release = Release("2025", "mine", "all", 1)
    published = loaded(tmp_path, [{**ROW, "box": ROW["bbox"]}], *layouts, releases=(release,))
    copied = loaded(tmp_path, [ROW], *layouts, releases=(release,))
    assert published.pin.release == "2025-by-count"
    assert copied.pin.release == "unknown"
    assert copied.pin.note == (
        "1 questions; a public copy, in another layout than the published files"
    )
    assert list(copied.golds) == list(published.golds)


def test_boxes_within_one_are_fractions_unless_pixels_are_declared(tmp_path: Path) -> None:
    small = [{**ROW, "bbox": [0.1, 0.2, 0.3, 0.4]}]
    assert loaded(tmp_path, small).golds[0].bbox == (0.1, 0.2, 0.3, 0.4)
    with pytest.raises(DataError, match=r"field 'bbox': row 1 .*boxes are in pixels here"):
        loaded(tmp_path, small, Columns(space=Space.PIXELS))
    with pytest.raises(DataError, match=r"field 'bbox': row 1 .*boxes are in fractions here"):
        loaded(tmp_path, [ROW], Columns(space=Space.UNIT))
    with pytest.raises(DataError, match="row 2 has its box in another space than row 1"):
        loaded(tmp_path, [ROW, *small])


@pytest.mark.parametrize(
    ("columns", "change", "message"),
    [
        (Columns(), {"bbox": "10, 20, 30"}, "field 'bbox': row 2 .*no box of four numbers"),
        (Columns(), {"bbox": [10, 20, 30]}, "field 'bbox': row 2 .*length 4"),
        (Columns(), {"bbox": [30, 20, 10, 40]}, "field 'bbox': row 2 .*inverted"),
        (Columns(), {"instruction": 7}, "field 'instruction': row 2 .*expected `str`"),
        (Columns(), {"instruction": None}, "field 'instruction': row 2 .*got `null`"),
        (Columns(image="image"), {"image": "../a.png"}, "field 'image': row 2 .*no path below"),
        (Columns(size=("w", "h")), {"w": -1, "h": 1}, "field 'w': row 2 "),
        (Columns(size="size"), {"size": [0, 1]}, r"field 'size\[0\]': row 2 "),
        (Columns(fractions="share"), {"share": "0 0 0 0"}, "field 'share': row 2 .*fractions"),
    ],
)
def test_a_row_that_is_not_as_declared_is_named(
    tmp_path: Path, columns: Columns, change: dict[str, Any], message: str
) -> None:
    good = {**ROW, "image": "a.png", "w": 50, "h": 50, "size": [50, 50], "share": "0 0 0.5 0.5"}
    with pytest.raises(DataError, match=message) as caught:
        loaded(tmp_path, [good, {**good, **change}], columns)
    assert "rows.json" in str(caught.value)


def test_a_folder_of_images_is_named_by_path_or_by_number(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    Image.new("1", (90, 60)).save(tmp_path / "own" / "0.png")
    assert tuple(loaded(tmp_path, [ROW], images=tmp_path / "own").golds[0].image_size) == (90, 60)
    named = Columns(image="image")
    data = loaded(tmp_path, [{**ROW, "image": "x/0.png"}], named, images=tmp_path / "own")
    assert data.image("all/0")


def test_files_are_named_after_their_splits_or_are_the_only_one(tmp_path: Path) -> None:
    for name in ("test", "train"):
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(json.dumps([ROW]).encode()))
    table = PointTable(task=TASK, title="Point", layouts=(Columns(),), files=("*.jsonl",))

    def read(path: Path, split: str | None = None) -> TaskData:
        return load((table,), PLACE, (), TASK, path, split)

    assert read(tmp_path).ids == ["test/0"]
    assert read(tmp_path, "train").ids == ["train/0"]
    assert read(tmp_path / "train.jsonl.gz").ids == ["train/0"]
    with pytest.raises(UnknownNameError, match="Known: test, train"):
        read(tmp_path, "dev")
    only = PointTable(
        task=TASK, title="Point", layouts=(Columns(),), files=("*.jsonl",), split="dev"
    )
    with pytest.raises(DataError, match=r"there are several of them: test\.jsonl\.gz, train"):
        load((only,), PLACE, (), TASK, tmp_path)
    assert load((only,), PLACE, (), TASK, tmp_path / "test.jsonl.gz").ids == ["dev/0"]
    with pytest.raises(UnknownNameError, match="split of mine/point"):
        load((only,), PLACE, (), TASK, tmp_path / "test.jsonl.gz", "test")
    with pytest.raises(UnknownNameError, match="mine task"):
        load((only,), PLACE, (), "mine/other", tmp_path)


def test_a_folder_without_its_files_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").touch()
    table = PointTable(task=TASK, title="Point", layouts=(Columns(),), files=("rows.json",))
    message = r"there is no rows\.json in it \(it holds readme\.txt\); give a copy of me/mine"
    with pytest.raises(DataError, match=message):
        load((table,), PLACE, (), TASK, tmp_path)

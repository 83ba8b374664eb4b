"""Parquet in the layout of the hub: one folder a configuration, images as {bytes, path}."""

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.visualwebbench.format import (
    ClickRow,
    DescribedBoxRow,
    DescriptionRow,
    InstructedBoxRow,
    InstructionRow,
    Layout,
    MarkedTextRow,
    QuestionRow,
    TextRow,
    read,
)
from snellen.tasks.io.rows import SCREEN

FIXTURES = Path(__file__).parents[3] / "fixtures" / "visualwebbench"
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
BOX, BOXES = pa.list_(pa.float64()), pa.list_(pa.list_(pa.float64()))

COMMON = {
    "id": pa.string(),
    "task_type": pa.string(),
    "website": pa.string(),
    "image": IMAGE,
    "image_size": pa.list_(pa.int64()),
}
# The data card's features, configuration by configuration.
FEATURES: dict[str, dict[str, Any]] = {
    "web_caption": {"answer": pa.string()},
    "heading_ocr": {"answer": pa.string()},
    "webqa": {"question": pa.string(), "answer": pa.list_(pa.string())},
    "element_ocr": {"bbox": BOX, "elem_desc": pa.string(), "answer": pa.string()},
    "element_ground": {
        "raw_image": IMAGE,
        "options": BOXES,
        "elem_desc": pa.string(),
        "answer": pa.int64(),
    },
    "action_prediction": {
        "options": pa.list_(pa.string()),
        "bbox": BOX,
        "elem_desc": pa.string(),
        "answer": pa.int64(),
    },
    "action_ground": {
        "raw_image": IMAGE,
        "options": BOXES,
        "instruction": pa.string(),
        "answer": pa.int64(),
    },
}
CAPTION = Layout("web_caption", TextRow)
QA = Layout("webqa", QuestionRow)
OCR = Layout("element_ocr", MarkedTextRow)
GROUND = Layout("element_ground", DescriptionRow)
BOXED = Layout("element_ground", DescribedBoxRow, image="raw_image", boxed=True)
LAYOUTS = (
    CAPTION,
    Layout("heading_ocr", TextRow),
    QA,
    OCR,
    GROUND,
    Layout("action_prediction", ClickRow),
    Layout("action_ground", InstructionRow),
    BOXED,
    Layout("action_ground", InstructedBoxRow, image="raw_image", boxed=True),
)


def published(config: str) -> list[dict[str, Any]]:
    return json.loads((FIXTURES / f"{config}.json").read_text(encoding="utf-8"))


def write(
    config: str,
    rows: Sequence[dict[str, Any]],
    folder: Path,
    *,
    part: str = "test-00000-of-00001",
    group: int = 2,
    without: Sequence[str] = (),
) -> Path:
    """Write rows as the hub does; an image's bytes tell its column and its row."""
    features = COMMON | FEATURES[config]
    columns: dict[str, Any] = {}
    for name, kind in features.items():
        if name in without:
            continue
        if kind is IMAGE:
            values: list[Any] = [
                row.get(name, {"bytes": f"{name} {place}".encode(), "path": f"{place}.png"})
                for place, row in enumerate(rows)
            ]
        else:
            values = [row.get(name) for row in rows]
        columns[name] = pa.array(values, kind)
    path = folder / config / f"{part}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=group)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return path


def plain(rows: Sequence[Any]) -> list[Any]:
    import msgspec

    return msgspec.to_builtins(rows)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.row.__name__)
def test_the_hubs_parquet_reads_as_the_json_of_the_same_rows(
    tmp_path: Path, layout: Layout
) -> None:
    path = write(layout.config, published(layout.config), tmp_path)
    ours, theirs = read(layout, tmp_path), read(layout, FIXTURES)
    assert plain(ours.rows) == plain(theirs.rows)
    assert (ours.role, ours.split, ours.path) == (layout.config, "test", str(path))
    assert (ours.space, ours.note) == (theirs.space, theirs.note)
    assert ours.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_images_are_read_row_group_by_row_group_in_any_order_and_thread(tmp_path: Path) -> None:
    path = write("element_ground", published("element_ground") * 5, tmp_path, group=4)
    assert pq.ParquetFile(path).num_row_groups == 4
    for layout, column in ((GROUND, "image"), (BOXED, "raw_image")):
        load = read(layout, tmp_path).load_image
        assert load is not None
        order = [14, 0, 3, 4, 7, 8, 1, 12]
        assert [load(n, SCREEN) for n in order] == [f"{column} {n}".encode() for n in order]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(load, range(15), repeat(SCREEN))) == [
                f"{column} {n}".encode() for n in range(15)
            ]


def spoil(path: Path, leaf: str, group: int = 0) -> None:
    """Overwrite the beginning of one column of one row group."""
    columns = pq.ParquetFile(path).metadata.row_group(group)
    places = range(columns.num_columns)
    column = next(columns.column(n) for n in places if columns.column(n).path_in_schema == leaf)
    data = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)


def test_nothing_of_an_image_is_read_until_it_is_asked_for(tmp_path: Path) -> None:
    path = write("element_ground", published("element_ground"), tmp_path)
    spoil(path, "image.bytes", group=0)
    found = read(GROUND, tmp_path)
    assert len(found.rows) == 3
    assert found.load_image is not None
    # Another row group and the other column are whole.
    assert found.load_image(2, SCREEN) == b"image 2"
    raw = read(BOXED, tmp_path).load_image
    assert raw is not None
    assert raw(0, SCREEN) == b"raw_image 0"
    with pytest.raises(DataError, match=r"its images can't be read: .*; give images=FOLDER"):
        found.load_image(0, SCREEN)


def test_without_a_raw_image_the_marked_one_is_not_shown_instead(tmp_path: Path) -> None:
    write("element_ground", published("element_ground"), tmp_path, without=["raw_image"])
    load = read(BOXED, tmp_path).load_image
    assert load is not None
    with pytest.raises(DataError, match=r"there is no column 'raw_image', and the other image"):
        load(0, SCREEN)


def test_a_file_without_images_has_no_image_loader(tmp_path: Path) -> None:
    write("webqa", published("webqa"), tmp_path, without=["image"])
    assert read(QA, tmp_path).load_image is None


def test_another_tasks_file_under_this_tasks_name_is_refused(tmp_path: Path) -> None:
    rows = published("heading_ocr")
    path = write("heading_ocr", rows, tmp_path)
    (tmp_path / "web_caption").mkdir()
    path.rename(tmp_path / "web_caption" / path.name)
    what = r"item 'heading_ocr_1': this task reads web_caption, and .* task_type is 'heading_ocr'"
    with pytest.raises(DataError, match=what) as caught:
        read(CAPTION, tmp_path)
    assert caught.value.field == "task_type"


@pytest.mark.parametrize(
    ("layout", "change", "field", "what"),
    [
        (GROUND, {"answer": 8}, "answer", "the answer 8 is beyond the 8 options"),
        (GROUND, {"answer": -1}, "answer", "expected `int` >= 0"),
        (GROUND, {"answer": None}, "answer", "expected `int`, got `null`"),
        (GROUND, {"options": None}, "options", "expected `array`, got `null`"),
        (GROUND, {"options": [[0.0, 0.0, 1.0, 1.0]]}, "options", "length >= 2"),
        (GROUND, {"options": [[0.0, 0.0, 1.0, 1.0]] * 9}, "options", "length <= 8"),
        (BOXED, {"options": [[5.0, 0.0, 1.0, 9.0]] * 8}, "options", "a box is inverted"),
        (BOXED, {"options": [[float("nan")] * 4] * 8}, "options", "no finite number"),
        (BOXED, {"options": [[5.0, 0.0, 1.0]] * 8}, "options[0]", "length 4, got 3"),
        (GROUND, {"id": None}, "id", "expected `str`, got `null`"),
        (GROUND, {"image_size": [0, 5]}, "image_size[0]", "expected `int` >= 1"),
        (OCR, {"bbox": None}, "bbox", "expected `array`, got `null`"),
        (QA, {"answer": []}, "answer", "length >= 1"),
        (QA, {"question": None}, "question", "expected `str`, got `null`"),
    ],
)
def test_a_bad_row_is_named_by_file_row_and_field(
    tmp_path: Path, layout: Layout, change: dict[str, Any], field: str, what: str
) -> None:
    rows = published(layout.config)
    rows[1] |= change
    path = write(layout.config, rows, tmp_path)
    with pytest.raises(DataError) as caught:
        read(layout, tmp_path)
    error = caught.value
    assert (error.file, error.field) == (str(path), field)
    assert error.message.startswith("row 2 (counted from 1): ")
    assert what in error.message


def test_the_boxes_of_choices_by_letter_may_be_anything(tmp_path: Path) -> None:
    rows = published("element_ground")
    rows[0]["options"] = [[9.0, 9.0, 1.0]] * 8
    write("element_ground", rows, tmp_path)
    assert len(read(GROUND, tmp_path).rows) == 3


def test_boxes_are_fractions_when_every_side_of_the_split_lies_in_0_to_1(tmp_path: Path) -> None:
    assert read(BOXED, FIXTURES).space is Space.PIXELS
    rows = published("element_ground")
    for row in rows:
        row["options"] = [[side / 2000 for side in box] for box in row["options"]]
    write("element_ground", rows, tmp_path)
    found = read(BOXED, tmp_path)
    assert found.space is Space.UNIT
    assert found.note == "boxes taken as fractions of the image: every side lies in 0..1"
    rows[2]["options"][5][2] = 1.01
    write("element_ground", rows, tmp_path)
    assert read(BOXED, tmp_path).space is Space.PIXELS
    assert (read(GROUND, tmp_path).space, read(GROUND, tmp_path).note) == (None, "")


def test_what_is_not_as_published_is_said(tmp_path: Path) -> None:
    rows = published("element_ground")
    rows[0] |= {"image_size": [1100, 800]}
    rows[1] |= {"options": rows[1]["options"][:4]}
    rows[2] |= {"id": "element_ground_2", "elem_desc": " ", "image_size": None}
    write("element_ground", rows, tmp_path)
    assert read(BOXED, tmp_path).note == (
        "boxes taken as pixels: not every side lies in 0..1; "
        "1 right box reaches outside its image ('element_ground_1', ...); "
        "1 item has not 8 options ('element_ground_2', ...); "
        "1 item asks nothing ('element_ground_2', ...); "
        "1 id stands there twice or more ('element_ground_2', ...)"
    )

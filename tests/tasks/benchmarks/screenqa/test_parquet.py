import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.grading.errors import DataError, MissingExtraError
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.screenqa.format import (
    COMPLEX,
    LONG,
    SHORT,
    UI_CONTENTS,
    UI_CONTENTS_BOXES,
    Layout,
    read,
)
from snellen.tasks.io.rows import SCREEN

Published = Callable[[str], list[dict[str, Any]]]
Write = Callable[..., Path]

WHOLE = "data/test-00000-of-00001.parquet"


@pytest.mark.parametrize(
    ("layout", "name"),
    [
        (SHORT, "short_answers/test.json"),
        (COMPLEX, "complex_qa/data.json"),
        (LONG, "answers_and_bboxes/test.json"),
        (UI_CONTENTS, "answers_and_bboxes/test.json"),
        (UI_CONTENTS_BOXES, "answers_and_bboxes/test.json"),
    ],
)
def test_a_mirror_reads_as_the_json_it_was_made_from(
    repo: Path,
    tmp_path: Path,
    published: Published,
    write_parquet: Write,
    layout: Layout,
    name: str,
) -> None:
    write_parquet(published(name), tmp_path / WHOLE)
    ours, theirs = read(layout, tmp_path), read(layout, repo)
    assert ours.golds == theirs.golds
    assert ours.image_ids == theirs.image_ids
    assert ours.questions == theirs.questions
    assert (ours.role, ours.split) == (layout.mirror, "test")


def test_a_file_without_images_has_no_image_loader(
    published: Published, write_parquet: Write
) -> None:
    path = write_parquet(published("short_answers/test.json"), images=False)
    assert read(SHORT, path).load_image is None


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (
            pa.array([{"bytes": None, "path": "5.jpg"}]),
            "row 1 of the split holds no bytes of an image",
        ),
        (pa.array(["images/5.jpg"]), "its images can't be read"),
    ],
)
def test_an_image_column_without_bytes_says_so(
    write_columns: Write, image: "pa.Array[Any]", message: str
) -> None:
    table = {"screen_id": ["5"], "question": ["q"], "ground_truth": [["a"]], "image": image}
    load = read(SHORT, write_columns(table)).load_image
    assert load is not None
    with pytest.raises(DataError, match=message):
        load(0, SCREEN)


def scaled(rows: list[dict[str, Any]], factor: float) -> list[dict[str, Any]]:
    for row in rows:
        for rater in row["ground_truth"]:
            for element in rater["ui_elements"]:
                element["bounds"] = [bound * factor for bound in element["bounds"]]
    return rows


def test_boxes_are_fractions_when_every_bound_of_the_split_lies_in_0_to_1(
    tmp_path: Path, published: Published, write_parquet: Write
) -> None:
    rows = scaled(published("answers_and_bboxes/test.json"), 1 / 2000)
    write_parquet(rows, tmp_path / WHOLE)
    read_back = read(UI_CONTENTS_BOXES, tmp_path)
    assert read_back.space is Space.UNIT
    assert read_back.note == "boxes taken as fractions of the image: every side lies in 0..1"
    assert read(UI_CONTENTS, tmp_path).space is None


def test_one_bound_above_1_in_any_part_makes_all_boxes_pixels(
    tmp_path: Path, published: Published, write_parquet: Write
) -> None:
    rows = scaled(published("answers_and_bboxes/test.json"), 1 / 2000)
    write_parquet(rows[:1], tmp_path / "data/test-00000-of-00002.parquet")
    rows[1]["ground_truth"][2]["ui_elements"][0]["bounds"][3] = 1.5
    write_parquet(rows[1:], tmp_path / "data/test-00001-of-00002.parquet")
    read_back = read(UI_CONTENTS_BOXES, tmp_path)
    assert read_back.space is Space.PIXELS
    assert read_back.note == "boxes taken as pixels: not every side lies in 0..1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"screen_id": ["5", "../6"]}, r"field 'screen_id': row 2 .*expected `str` matching regex"),
        ({"screen_id": ["5", None]}, r"field 'screen_id': row 2 .*expected `str`, got `null`"),
        ({"screen_id": [5, 6]}, r"field 'screen_id': row 1 .*expected `str`, got `int`"),
        ({"screen_id": ["5", "²"]}, r"field 'screen_id': row 2 .*matching regex"),
        ({"question": ["q", None]}, "field 'question': row 2 .*expected `str`, got `null`"),
        ({"question": ["q", ""]}, "field 'question': row 2 .*length >= 1"),
        ({"ground_truth": [["a"], []]}, "field 'ground_truth': row 2 .*length >= 1"),
        ({"ground_truth": [["a"], None]}, "field 'ground_truth': row 2 .*got `null`"),
        ({"ground_truth": ["a", "b"]}, "field 'ground_truth': row 1 .*got `str`"),
    ],
)
def test_a_wrong_value_is_named_with_its_row_and_column(
    write_columns: Write, change: dict[str, list[Any]], message: str
) -> None:
    columns: dict[str, Any] = {"screen_id": ["5", "6"], "question": ["q", "q"]}
    path = write_columns({**columns, "ground_truth": [["a"], ["b"]], **change})
    with pytest.raises(DataError, match=message):
        read(SHORT, path)


@pytest.mark.parametrize("bounds", [[0.5, 0.5, 0.1, 0.9], [0.1, float("nan"), 0.2, 0.9]])
def test_a_box_out_of_order_or_without_a_number_is_refused(
    tmp_path: Path, published: Published, write_parquet: Write, bounds: list[float]
) -> None:
    rows = published("answers_and_bboxes/test.json")
    rows[1]["ground_truth"][0]["ui_elements"][0]["bounds"] = bounds
    write_parquet(rows, tmp_path / WHOLE)
    with pytest.raises(DataError, match=r"row 2 .*is not \[left, top, right, bottom\] in order"):
        read(UI_CONTENTS_BOXES, tmp_path)


def test_the_short_and_the_full_mirror_are_not_mistaken_for_each_other(
    tmp_path: Path, published: Published, write_parquet: Write
) -> None:
    write_parquet(published("short_answers/test.json"), tmp_path / WHOLE)
    with pytest.raises(DataError, match=r"field 'ground_truth.*expected `object`, got `str`"):
        read(LONG, tmp_path)


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_a_truncated_file_is_refused(published: Published, write_parquet: Write, keep: int) -> None:
    path = write_parquet(published("short_answers/test.json"))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"test\.parquet: is no parquet: .*fetch it again"):
        read(SHORT, path)


def test_damaged_references_are_refused(published: Published, write_parquet: Write) -> None:
    path = write_parquet(published("short_answers/test.json"))
    column = pq.ParquetFile(path).metadata.row_group(0).column(0)
    data = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    with pytest.raises(DataError, match="is damaged"):
        read(SHORT, path)


def test_a_git_lfs_pointer_is_recognized(tmp_path: Path) -> None:
    path = tmp_path / "test.parquet"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(DataError, match="Git LFS pointer; run git lfs pull"):
        read(SHORT, path)


def test_a_file_without_rows_is_refused(write_columns: Write) -> None:
    schema = pa.schema(
        [
            ("screen_id", pa.string()),
            ("question", pa.string()),
            ("ground_truth", pa.list_(pa.string())),
        ]
    )
    with pytest.raises(DataError, match="holds no questions"):
        read(SHORT, write_columns(schema.empty_table()))


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "test.parquet"
    path.touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'snellen\[parquet\]'"):
        read(SHORT, path)

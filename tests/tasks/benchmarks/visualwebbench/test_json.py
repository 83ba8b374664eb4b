import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.visualwebbench.format import (
    DescribedBoxRow,
    DescriptionRow,
    Layout,
    MarkedTextRow,
    QuestionRow,
    read,
)
from snellen.tasks.io.rows import SCREEN

FIXTURES = Path(__file__).parents[3] / "fixtures" / "visualwebbench"
QA = Layout("webqa", QuestionRow)
GROUND = Layout("element_ground", DescriptionRow)
BOXED = Layout("element_ground", DescribedBoxRow, image="raw_image", boxed=True)


def published(config: str) -> list[dict[str, Any]]:
    return json.loads((FIXTURES / f"{config}.json").read_text(encoding="utf-8"))


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_lines_read_as_the_list_of_the_same_rows(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "webqa.jsonl", published("webqa"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    ours, theirs = read(QA, tmp_path), read(QA, FIXTURES)
    assert [row.id for row in theirs.rows] == ["webqa_1", "webqa_2", "webqa_3"]
    assert ours.rows == theirs.rows
    assert (ours.role, theirs.role) == ("webqa.jsonl", "webqa.json")
    assert ours.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_bad_line_is_named_by_its_number_and_field(tmp_path: Path) -> None:
    rows = published("webqa")
    del rows[2]["answer"]
    path = write_lines(tmp_path / "webqa.jsonl", rows)
    with pytest.raises(DataError, match="missing required field `answer`") as caught:
        read(QA, tmp_path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)
    path.write_text('{"id": "a"', encoding="utf-8")
    with pytest.raises(DataError, match="is no whole JSON") as caught:
        read(QA, tmp_path)
    assert caught.value.line == 1


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "webqa.json").write_text("[]")
    with pytest.raises(DataError, match="holds no rows"):
        read(QA, tmp_path)


def test_a_link_to_nowhere_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "webqa.json"
    path.symlink_to(tmp_path / "away.json")
    with pytest.raises(DataError, match="there is no"):
        read(QA, tmp_path)


def test_a_row_needs_no_more_than_its_id_and_what_the_task_asks(tmp_path: Path) -> None:
    (tmp_path / "webqa.json").write_text('[{"id": "a", "question": "q", "answer": ["b"], "x": 1}]')
    (row,) = read(QA, tmp_path).rows
    assert (row.website, row.task_type, row.image_size) == (None, None, None)


def test_another_tasks_rows_are_refused_by_their_task_type(tmp_path: Path) -> None:
    rows = [{**row, "task_type": "element_ocr"} for row in published("webqa")]
    (tmp_path / "webqa.json").write_text(json.dumps(rows))
    with pytest.raises(DataError, match=r"item 'webqa_1': this task reads webqa, and the row's"):
        read(QA, tmp_path)


def test_the_text_of_element_ocr_is_not_read_as_a_description() -> None:
    rows = read(Layout("element_ocr", MarkedTextRow), FIXTURES).rows
    assert published("element_ocr")[0]["elem_desc"] == rows[0].answer
    assert not any(hasattr(row, "elem_desc") for row in rows)


# ---- images


def test_images_stand_beside_the_file_under_their_names_or_their_ids(tmp_path: Path) -> None:
    rows = published("element_ground")
    rows[0] |= {"image": "shots/one.bin", "raw_image": "shots/raw.bin"}
    (tmp_path / "element_ground.json").write_text(json.dumps(rows))
    for name in ("shots/one.bin", "shots/raw.bin", "image/element_ground_2.png",
                 "image/element_ground_3.webp", "raw_image/element_ground_2.jpg"):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    load, raw = read(GROUND, tmp_path).load_image, read(BOXED, tmp_path).load_image
    assert load is not None
    assert raw is not None
    assert [load(0, SCREEN), load(1, SCREEN)] == [b"shots/one.bin", b"image/element_ground_2.png"]
    assert load(2, SCREEN) == b"image/element_ground_3.webp"
    assert [raw(0, SCREEN), raw(1, SCREEN)] == [b"shots/raw.bin", b"raw_image/element_ground_2.jpg"]
    what = r"there is no raw_image/element_ground_3\.png or raw_image/element_ground_3\.jpg or "
    with pytest.raises(DataError, match=what) as caught:
        raw(2, SCREEN)
    assert caught.value.file == str(tmp_path / "raw_image/element_ground_3.png")
    assert caught.value.field == "raw_image"

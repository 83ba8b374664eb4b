from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.table import load_task as load
from snellen.tasks.data.check import recognize


def boxed(folder: Path, *boxes: list[float]) -> Path:
    file = next(written("webclick", folder).rglob("*.parquet"))
    table = pq.read_table(file).set_column(2, "bbox", pa.array(list(boxes)))  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    pq.write_table(table, file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return folder


def test_boxes_within_one_are_fractions_and_sizes_are_the_images(tmp_path: Path) -> None:
    data = load("webclick/point", written("webclick", tmp_path))
    assert data.golds[0].bbox == (0.1, 0.2, 0.3, 0.4)
    assert data.golds[0].image_size == (128, 80)
    assert data.tags["bucket"] == ["calendars"] * 3


def test_boxes_above_one_are_pixels(tmp_path: Path) -> None:
    folder = boxed(tmp_path, [1, 2, 30, 40], [5, 6, 70, 80], [0, 0, 9, 9])
    assert load("webclick/point", folder).golds[1].bbox == (5, 6, 70, 80)


def test_a_mixture_of_both_is_refused(tmp_path: Path) -> None:
    folder = boxed(tmp_path, [0.1, 0.2, 0.3, 0.4], [5, 6, 70, 80], [0.1, 0.2, 0.3, 0.4])
    with pytest.raises(DataError, match="row 2 has its box in another space"):
        load("webclick/point", folder)


def test_a_box_in_fractions_that_reaches_outside_is_cut_and_counted(tmp_path: Path) -> None:
    folder = boxed(tmp_path, [0.1, 0.2, 0.3, 0.4], [0.9, 0.2, 1.01, 0.4], [-0.01, 0, 0.2, 0.1])
    data = load("webclick/point", folder)
    assert [gold.bbox for gold in data.golds][1:] == [(0.9, 0.2, 1.0, 0.4), (0.0, 0.0, 0.2, 0.1)]
    assert data.pin.note.endswith("2 right boxes reach outside their images ('test/1', ...)")


def test_a_file_at_the_root_is_recognized_and_read(tmp_path: Path) -> None:
    folder = written("webclick", tmp_path)
    file = next(folder.rglob("*.parquet"))
    root = file.rename(tmp_path / file.name)
    file.parent.rmdir()
    assert recognize(tmp_path) == recognize(root) == ("webclick/point",)
    assert load("webclick/point", tmp_path).ids[0] == "test/0"

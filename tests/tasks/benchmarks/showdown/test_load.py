import gzip
import json
from pathlib import Path

import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import recognize

CLICKS = "showdown/clicks"
# Row 1 of UI-Ins' copy (alibaba/UI-Ins 1953bbc, evaluation/Showdown_annotation); the data is MIT.
COPY = {
    "img_filename": "frames/1CA7ADEF-893B-4816-B9D0-13017F1010D5/3333.webp",
    "bbox": [54.00000000000001, 244.0, 308.0, 487.0],
    "instruction": "open message privately from the features dropdown in the navbar",
    "instruction_cn": "",
    "id": "9bfd79b4abe532b0",
    "application": "web",
    "platform": "web",
    "img_size": [1470, 956],
    "ui_type": "web",
    "group": "web",
}


def test_the_published_table(tmp_path: Path) -> None:
    folder = written("showdown", tmp_path)
    data = load_task(CLICKS, folder)
    assert (data.split, data.ids) == ("dev", ["0a", "1a", "2a"])
    assert (data.golds[2].bbox, data.golds[2].image_size) == ((2, 20, 30, 40), (128, 80))
    assert data.cluster == "image"
    assert data.image("0a")
    item = data.item("0a")
    assert item.prompt.endswith("which is 128 x 80.\n\nInstruction: open the menu, then")
    assert item.answer_format.space is Space.PIXELS
    for path in (folder, folder / "showdown-clicks-dev", next(folder.rglob("data.csv"))):
        assert recognize(path) == (CLICKS,)
        assert load_task(CLICKS, path).golds == data.golds


def test_a_copy_in_the_keys_of_screenspot_pro(tmp_path: Path) -> None:
    file = tmp_path / "showdown_sspro_format.json.gz"
    file.write_bytes(gzip.compress(json.dumps([COPY]).encode()))
    assert recognize(file) == (CLICKS,)
    data = load_task(CLICKS, file)
    assert data.ids == ["9bfd79b4abe532b0"]
    assert data.golds[0].image_size == (1470, 956)
    assert data.pin.note.endswith("a public copy, in another layout than the published files")


def test_a_row_without_a_side_is_named(tmp_path: Path) -> None:
    file = next(written("showdown", tmp_path).rglob("data.csv"))
    file.write_text(file.read_text().replace(",1,20,30,40", ",1,20,thirty,40"))
    with pytest.raises(DataError, match=r"data\.csv, field 'x2': row 2 .*expected `float`"):
        load_task(CLICKS, file)

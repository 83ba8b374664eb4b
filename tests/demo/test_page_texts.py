"""The text in a pack's pictures."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from snellen.demo.ocr.pictures import Box, Pixels, Reading
from snellen.demo.ocr.reader import Shelf
from snellen.demo.page_texts import page_texts, part_texts
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.pack.write import Part, write_pack


class TwoLines:
    """Reads two lines in any picture, and counts how often it was asked to look."""

    def __init__(self) -> None:
        self.looks = 0

    def find(self, pixels: Pixels) -> Sequence[Box]:
        self.looks += 1
        return [Box(2, 2, 30, 12), Box(2, 30, 30, 40)]

    def read(self, pixels: Pixels) -> Reading:
        return Reading(f"{pixels.shape[1]} wide", 0.9)


def one_picture(tmp_path: Path) -> tuple[Pack, str]:
    """Write a pack of two items with one picture, and return its digest, too."""
    (tmp_path / "short_answers").mkdir()
    rows = [{"image_id": 5, "question": f"What is {n}?", "ground_truth": ["a"]} for n in range(2)]
    (tmp_path / "short_answers" / "test.json").write_text(json.dumps(rows))
    (tmp_path / "images").mkdir()
    out = io.BytesIO()
    Image.new("RGB", (40, 60), "white").save(out, "PNG")
    (tmp_path / "images" / "5.png").write_bytes(out.getvalue())
    data = load_task("screenqa/short", tmp_path, images=tmp_path / "images")
    write_pack([Part(data)], tmp_path / "pack", name="demo")
    pack = open_pack(tmp_path / "pack")
    digest = pack.lines[0].images["screen"].sha256
    assert digest is not None
    return pack, digest


def test_a_picture_is_read_once_and_kept(tmp_path: Path) -> None:
    pack, digest = one_picture(tmp_path)
    reader, shelf = TwoLines(), Shelf(tmp_path / "ocr")
    read = page_texts(pack, reader, shelf)
    assert read(digest) == read(digest) == "28 wide\n28 wide"
    assert page_texts(pack, reader, shelf)(digest) == "28 wide\n28 wide"
    assert reader.looks == 1
    assert read("0" * 64) == ""


def test_a_part_of_a_picture_is_read_enlarged(tmp_path: Path) -> None:
    pack, digest = one_picture(tmp_path)
    read = part_texts(pack, TwoLines())
    assert read(digest, (10, 10, 30, 50), 1.0) == "28 wide 28 wide"
    assert read("0" * 64, (10, 10, 30, 50), 1.0) == ""

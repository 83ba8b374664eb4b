"""The text in a pack's pictures."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from snellen.sdk.ocr.pictures import Box, Pixels, Reading
from snellen.sdk.ocr.reader import Shelf
from snellen.sdk.page_texts import page_texts
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.reading import open_pack
from snellen.tasks.pack.writing import Part, write_pack


class TwoLines:
    """Reads two lines in any picture, and counts how often it was asked to look."""

    def __init__(self) -> None:
        self.looks = 0

    def find(self, pixels: Pixels) -> Sequence[Box]:
        self.looks += 1
        return [Box(2, 2, 30, 12), Box(2, 30, 30, 40)]

    def read(self, pixels: Pixels) -> Reading:
        return Reading(f"{pixels.shape[1]} wide", 0.9)


def test_a_picture_is_read_once_and_kept(tmp_path: Path) -> None:
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
    reader, shelf = TwoLines(), Shelf(tmp_path / "ocr")
    read = page_texts(pack, reader, shelf)
    assert read(digest) == read(digest) == "28 wide\n28 wide"
    assert page_texts(pack, reader, shelf)(digest) == "28 wide\n28 wide"
    assert reader.looks == 1
    assert read("0" * 64) == ""

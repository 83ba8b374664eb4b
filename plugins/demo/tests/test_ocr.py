"""Real OCR: RapidOCR behind the reader, its shelf, and what is said where it is missing."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snellen.demo.marks import lettered_boxes
from snellen.demo.ocr.pictures import Box, Picture, Pixels, PlainNotes, Reading
from snellen.demo.ocr.reader import RapidReader, Shelf, cache_folder
from snellen.demo.quotes import find_heading
from snellen.grading.errors import MissingExtraError


class Once:
    """A reader that may be asked once."""

    name = "once"

    def __init__(self) -> None:
        self.asked = 0

    def find(self, pixels: Pixels) -> list[Box]:
        self.asked += 1
        return [Box(1, 2, 30, 12.5)]

    def read(self, pixels: Pixels) -> Reading:
        self.asked += 1
        return Reading("Größe", 0.75)


def test_what_was_read_is_kept_and_not_read_again(tmp_path: Path) -> None:
    shelf, pixels = Shelf(tmp_path / "ocr"), np.zeros((20, 40, 3), np.uint8)
    reader = Once()
    picture = shelf.open(pixels, reader)
    lines = picture.lines()
    shelf.keep(picture)
    assert reader.asked == 2
    again = shelf.open(pixels, reader)
    assert again.lines() == lines
    assert reader.asked == 2
    assert len([*(tmp_path / "ocr").iterdir()]) == 1


def test_other_pixels_and_other_readers_have_shelves_of_their_own(tmp_path: Path) -> None:
    shelf, pixels = Shelf(tmp_path), np.zeros((20, 40, 3), np.uint8)
    picture = shelf.open(pixels, Once())
    picture.lines()
    shelf.keep(picture)
    other = Once()
    other.name = "another version"
    for seen, reader in (
        (pixels, other),
        (pixels + 1, Once()),
        (pixels.reshape(40, 20, 3), Once()),
    ):
        assert shelf.open(seen, reader).notes.boxes is None


def test_a_broken_file_and_a_folder_that_is_none_cost_time_only(tmp_path: Path) -> None:
    shelf, pixels = Shelf(tmp_path), np.zeros((20, 40, 3), np.uint8)
    picture = shelf.open(pixels, Once())
    picture.lines()
    shelf.keep(picture)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:20])
    assert shelf.open(pixels, Once()).lines() == picture.lines()
    (tmp_path / "file").write_text("")
    nowhere = Shelf(tmp_path / "file" / "below")
    nowhere.keep(picture)
    assert nowhere.open(pixels, Once()).notes == PlainNotes()
    assert Shelf(None).open(pixels, Once()).lines() == picture.lines()


def test_readings_are_kept_where_snellen_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNELLEN_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/ocr")
    monkeypatch.delenv("SNELLEN_HOME")
    assert cache_folder().name == "ocr"


def test_without_rapidocr_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[demo\]"):
        RapidReader()


@pytest.fixture(scope="session")
def reader() -> RapidReader:
    pytest.importorskip("rapidocr")
    return RapidReader()


@pytest.mark.slow
def test_what_is_drawn_is_read(reader: RapidReader, sheet: Callable[..., Any]) -> None:
    page = sheet(900, 300)
    page.write(40, 30, "Opening hours", size=32)
    page.write(40, 120, "Monday to Friday", size=18)
    page.write(400, 120, "9:00 - 17:30", size=18)
    page.write(40, 180, "Price: $1,299.00", size=18)
    picture = Picture(np.asarray(page.image), reader)
    assert [line.text.replace(" ", "") for line in picture.lines()] == [
        "Openinghours",
        "MondaytoFriday",
        "9:00-17:30",
        "Price:$1,299.00",
    ]
    heading = find_heading(picture)
    assert heading is not None
    assert heading.text == "Opening hours"


@pytest.mark.slow
def test_letters_of_boxes_are_read(reader: RapidReader, sheet: Callable[..., Any]) -> None:
    page = sheet(900, 300)
    for place, letter in enumerate("ABCDEFGH"):
        left, top = 30 + 210 * (place % 4), 60 + 120 * (place // 4)
        page.frame((left, top, left + 150, top + 50), width=2)
        page.fill((left, top - 22, left + 20, top - 1), "red")
        page.write(left + 5, top - 21, letter, size=16, fill="white")
    found = lettered_boxes(Picture(np.asarray(page.image), reader), "ABCDEFGH")
    assert {letter: box.left for letter, box in found.items()} == {
        letter: 30 + 210 * (place % 4) for place, letter in enumerate("ABCDEFGH")
    }


@pytest.mark.slow
def test_an_empty_picture_and_a_tiny_one_hold_nothing(reader: RapidReader) -> None:
    assert Picture(np.full((200, 200, 3), 255, np.uint8), reader).lines() == []
    assert Picture(np.zeros((2, 2, 3), np.uint8), reader).lines() == []
    assert reader.read(np.zeros((1, 90, 3), np.uint8)) == Reading("", 0.0)


@pytest.mark.slow
def test_the_agent_and_its_table_load_without_ocr() -> None:
    code = (
        "import sys; sys.modules.update(rapidocr=None, onnxruntime=None, cv2=None)\n"
        "import snellen.demo.run, snellen.demo.command\n"
        "assert 'mcp' not in sys.modules and 'snellen.server' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

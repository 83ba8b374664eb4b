"""Pictures: strips, rows, paragraphs, and that a line is read once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.demo.ocr.pictures import (
    Box,
    Line,
    Picture,
    Pixels,
    Reading,
    paragraphs,
    reading_order,
    strips,
)


class Counting:
    """A reader that says how often it was asked."""

    def __init__(self) -> None:
        self.found = 0
        self.read_of: list[tuple[int, ...]] = []

    def find(self, pixels: Pixels) -> list[Box]:
        self.found += 1
        return [Box(2, 3, 12, 9), Box(2, 20, 30, 28)]

    def read(self, pixels: Pixels) -> Reading:
        self.read_of.append(pixels.shape)
        return Reading("  a   line ", 0.9 if pixels.shape[1] > 15 else 0.2)


def test_a_line_is_read_when_it_is_asked_for_and_once() -> None:
    reader = Counting()
    picture = Picture(np.zeros((40, 60, 3), np.uint8), reader)
    assert picture.boxes == [Box(2, 3, 12, 9), Box(2, 20, 30, 28)]
    assert reader.read_of == []
    assert picture.lines(lambda box: box.top > 10) == [Line("a line", Box(2, 20, 30, 28))]
    assert picture.lines() == picture.lines()
    assert reader.found == 1
    assert len(reader.read_of) == 2


def test_what_the_reader_is_not_sure_of_is_not_there() -> None:
    picture = Picture(np.zeros((40, 60, 3), np.uint8), Counting())
    assert [line.box.top for line in picture.lines()] == [20]


def test_a_tall_picture_is_looked_at_in_strips_and_boxes_are_the_whole_picture_s() -> None:
    reader = Counting()
    picture = Picture(np.zeros((2000, 60, 3), np.uint8), reader)
    tops = [box.top for box in picture.boxes]
    assert reader.found == 2
    assert tops == [3, 20, 1103, 1120]


def test_a_strip_ends_where_no_text_is() -> None:
    pixels = np.full((1500, 50, 3), 255, np.uint8)
    pixels[1040:1140, ::2] = 0
    (_, end), _ = strips(pixels)
    assert end <= 1040


@given(height=st.integers(1, 4000), seed=st.integers(0, 9))
def test_strips_cover_every_row_once(height: int, seed: int) -> None:
    noise = np.random.default_rng(seed).integers(0, 255, (height, 3, 3), np.uint8)
    cut = strips(noise)
    assert [start for start, _ in cut[1:]] == [end for _, end in cut[:-1]]
    assert cut[0][0] == 0
    assert cut[-1][1] == height
    # A sliver would be enlarged by the reader until it took gigabytes.
    assert all(min(height, 160) <= end - start <= 1100 for start, end in cut)


def test_lines_are_read_row_by_row() -> None:
    boxes = [Box(300, 1, 340, 11), Box(0, 30, 40, 40), Box(0, 0, 40, 12), Box(100, 31, 140, 41)]
    assert [(box.left, box.top) for box in reading_order(boxes)] == [
        (0, 0),
        (300, 1),
        (0, 30),
        (100, 31),
    ]


@pytest.mark.parametrize(
    ("second", "joined"),
    [
        (Box(0, 22, 150, 40), True),
        (Box(20, 22, 180, 40), True),
        (Box(0, 60, 150, 78), False),
        (Box(0, 22, 150, 60), False),
        (Box(300, 22, 450, 40), False),
    ],
    ids=["below", "centered", "far", "larger", "beside"],
)
def test_lines_that_go_on_are_one_paragraph(second: Box, joined: bool) -> None:
    lines = [Line("one", Box(0, 0, 200, 18)), Line("two", second)]
    texts = [line.text for line in paragraphs(lines)]
    assert texts == (["one two"] if joined else ["one", "two"])


def test_a_cut_stays_in_the_picture() -> None:
    picture = Picture(np.zeros((40, 60, 3), np.uint8), Counting())
    assert picture.cut(Box(-5, -5, 200, 200)).shape == (40, 60, 3)
    assert picture.cut(Box(90, 90, 95, 95)).shape == (1, 1, 3)

"""What is drawn on a picture: red boxes, lettered boxes, areas of buttons."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from snellen.demo import marks
from snellen.demo.ocr.pictures import Box, Pixels, Reading

Sheets = Callable[..., Any]


@pytest.mark.slow
@given(
    left=st.integers(0, 100),
    top=st.integers(0, 100),
    width=st.integers(20, 190),
    height=st.integers(20, 190),
    line=st.integers(1, 4),
)
def test_a_red_box_is_found_wherever_it_is(
    left: int, top: int, width: int, height: int, line: int
) -> None:
    image = Image.new("RGB", (300, 300), "white")
    box = (left, top, left + width - 1, top + height - 1)
    ImageDraw.Draw(image).rectangle(box, outline="red", width=line)
    assert marks.red_box(np.asarray(image)) == Box(left, top, left + width, top + height)


def test_a_red_area_is_no_red_box(sheet: Sheets) -> None:
    page = sheet()
    page.fill((100, 100, 300, 150), "red")
    assert marks.red_box(page.picture.pixels) is None


def test_a_red_line_is_no_red_box(sheet: Sheets) -> None:
    page = sheet()
    page.fill((100, 100, 300, 102), "red")
    page.fill((100, 200, 300, 202), "red")
    assert marks.outlines(page.picture.pixels, marks.RED) == []


def test_a_box_around_a_red_button_is_found_beside_it(sheet: Sheets) -> None:
    page = sheet()
    page.fill((100, 100, 300, 150), "red")
    page.frame((95, 95, 305, 155))
    assert marks.red_box(page.picture.pixels) == Box(95, 95, 306, 156)


def test_lettered_boxes_are_told_by_their_letters(
    sheet: Sheets, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = sheet()
    wanted: dict[str, Box] = {}
    for place, letter in enumerate("ABCD"):
        left, top = 60 + 170 * place, 80 + 120 * (place % 2)
        box = page.frame((left, top, left + 120, top + 40))
        page.fill((left, top - 22, left + 20, top - 1), "red")
        wanted[letter] = Box(box.left, box.top, box.right + 1, box.bottom + 1)
    picture = page.picture
    letters = iter("ABCD")

    def read_next(_: Pixels) -> Reading:
        return Reading(next(letters), 1.0)

    monkeypatch.setattr(page, "read", read_next)
    found = marks.lettered_boxes(picture, "ABCD")
    assert sorted(found) == ["A", "B", "C", "D"]
    assert {(box.left, box.top) for box in found.values()} == {
        (box.left, box.top) for box in wanted.values()
    }


def test_the_area_of_a_button_is_found_around_its_text(sheet: Sheets) -> None:
    page = sheet()
    page.fill((100, 100, 260, 139), "#0066cc")
    text = page.write(140, 110, "Save", fill="white")
    around = marks.filled_around(page.picture.pixels, text)
    assert around is not None
    assert (
        around.shared(Box(100, 100, 261, 140)) / around.joined(Box(100, 100, 261, 140)).area > 0.9
    )


def test_text_on_the_page_itself_is_on_no_area(sheet: Sheets) -> None:
    page = sheet()
    assert marks.filled_around(page.picture.pixels, page.write(140, 110, "Save")) is None


@pytest.mark.parametrize("box", [Box(-5, -5, 1, 1), Box(799, 599, 900, 700), Box(5, 5, 5, 5)])
def test_a_box_at_the_edge_is_no_fault(sheet: Sheets, box: Box) -> None:
    picture = sheet().picture
    marks.filled_around(picture.pixels, box)
    assert marks.ground_of(picture.pixels, box) == (255, 255, 255)


def test_grey_is_not_vivid() -> None:
    assert marks.vividness((90, 90, 90)) == 0
    assert marks.vividness((255, 0, 0)) == 1

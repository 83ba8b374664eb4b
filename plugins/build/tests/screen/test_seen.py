"""The visible box of an element: its painted shape or its ink."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.screen.seen import Extent, overlap, seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHITE, GREY, BLUE = (255, 255, 255), (230, 230, 230), (11, 87, 208)
TEXT = (60, 112, 110, 124)


def shown(row: Ltrb, fill: tuple[int, int, int] = WHITE) -> Extent | None:
    """Show a white sidebar, 250 pixels wide, on gray, and in it a row with a text."""
    pixels = np.full((400, 600, 3), GREY, dtype=np.uint8)
    pixels[:, :250] = WHITE
    for (left, top, right, bottom), color in ((row, fill), (TEXT, (40, 40, 40))):
        pixels[round(top) : round(bottom), round(left) : round(right)] = color
    entry = Element(0, "a", row, role="link", text="Charts", own="Charts", ink=TEXT, painted=True)
    return seen(Screen(600, 400, (entry,)), entry, pixels)


@pytest.mark.parametrize(
    "row", [(0, 100, 250, 136), (10, 100, 240, 136), (0, 100, 240, 136)],
    ids=["from edge to edge", "within", "from the left edge"],
)  # fmt: skip
def test_of_a_row_that_paints_nothing_the_text_is_seen(row: Ltrb) -> None:
    where = shown(row)
    assert where is not None
    assert overlap(where.box, TEXT) > 0.9
    assert where.painted is None


@pytest.mark.parametrize("row", [(0, 100, 250, 136), (10, 100, 240, 136)])
def test_a_row_that_is_filled_is_seen_as_a_whole(row: Ltrb) -> None:
    where = shown(row, BLUE if row[0] else (200, 220, 255))
    assert where is not None
    assert where.box == where.painted == row


def test_a_row_whose_end_is_that_of_its_menu_is_no_box() -> None:
    """Below it and to the right another color begins; above it there is no visible edge."""
    pixels = np.full((400, 600, 3), WHITE, dtype=np.uint8)
    pixels[:136, :250] = BLUE
    pixels[112:124, 60:110] = WHITE
    row = (0, 100, 250, 136)
    entry = Element(0, "a", row, role="link", text="Grid", own="Grid", ink=TEXT, painted=True)
    assert seen(Screen(600, 400, (entry,)), entry, pixels) is None


@pytest.mark.parametrize(("width", "is_seen"), [(590, False), (80, True)])
def test_of_a_heading_in_a_wide_band_nobody_knows_which_is_meant(width: int, is_seen: bool) -> None:
    pixels = np.full((400, 600, 3), WHITE, dtype=np.uint8)
    band = (10, 106, 10 + width, 130)
    text = (20, 110, 70, 126)
    for (left, top, right, bottom), color in ((band, GREY), (text, BLUE)):
        pixels[top:bottom, left:right] = color
    heading = Element(
        0, "h2", band, role="heading", text="Lists", own="Lists", ink=text, painted=True
    )
    where = seen(Screen(600, 400, (heading,)), heading, pixels)
    assert (where is not None) is is_seen


def test_the_border_beside_a_text_is_no_ink() -> None:
    pixels = np.full((400, 600, 3), WHITE, dtype=np.uint8)
    pixels[112:124, 60:110] = BLUE
    pixels[100:136, 249] = BLUE
    tab = Element(0, "a", (40, 100, 250, 136), role="link", text="Inbox", own="Inbox", ink=TEXT)
    where = seen(Screen(600, 400, (tab,)), tab, pixels)
    assert where is not None
    assert where.box == TEXT


def sidebar(ground: "NDArray[np.uint8]") -> Extent | None:
    """Show an entry of an icon, which is taller than its text, and the text."""
    pixels = ground.copy()
    for left, top, right, bottom in (TEXT, (20, 104, 36, 134)):
        pixels[round(top) : round(bottom), round(left) : round(right)] = WHITE
    entry = Element(0, "a", (0, 100, 250, 140), role="link", text="Maps", own="Maps", ink=TEXT)
    return seen(Screen(600, 400, (entry,)), entry, pixels)


def test_on_a_ground_that_passes_from_color_to_color_an_icon_is_seen_beside_its_text() -> None:
    shade = np.linspace(0, 60, 400)[:, None, None]
    ground = np.broadcast_to(np.array(BLUE) + shade, (400, 600, 3)).astype(np.uint8)
    where = sidebar(ground)
    assert where is not None
    assert overlap(where.box, (20, 108, 110, 128)) > 0.9


def test_on_a_picture_the_text_alone_is_seen() -> None:
    picture = np.random.default_rng(1).integers(0, 160, (400, 600, 3)).astype(np.uint8)
    where = sidebar(picture)
    assert where is not None
    assert where.box == TEXT


def test_an_icon_above_two_lines_of_text_is_seen_with_them() -> None:
    pixels = np.full((400, 600, 3), WHITE, dtype=np.uint8)
    icon, lines = (40, 10, 60, 30), (20, 36, 80, 62)
    for left, top, right, bottom in (icon, (20, 36, 80, 46), (30, 52, 70, 62)):
        pixels[top:bottom, left:right] = (40, 40, 40)
    entry = Element(0, "a", (0, 0, 100, 72), role="link", text="Privacy and data", ink=lines,
                    font_size=11)  # fmt: skip
    drawn = Element(1, "svg", icon, parent=0, painted=True)
    where = seen(Screen(600, 400, (entry, drawn)), entry, pixels)
    assert where is not None
    assert where.box == (20, 10, 80, 62)


def test_a_picture_in_a_line_of_text_is_seen_as_far_as_it_stands_out() -> None:
    pixels = np.full((400, 600, 3), WHITE, dtype=np.uint8)
    pixels[20:60, 100:140] = (40, 40, 40)
    home = Element(0, "a", (100, 46, 140, 60), role="link", name="Home", font_size=12)
    picture = Element(1, "img", (90, 10, 150, 70), parent=0, role="img", painted=True)
    where = seen(Screen(600, 400, (home, picture)), home, pixels)
    assert where is not None
    assert where.box == (100, 20, 140, 60)


def test_a_bar_at_three_edges_is_seen_by_its_fourth() -> None:
    pixels = np.full((400, 600, 3), WHITE, dtype=np.uint8)
    pixels[:60] = BLUE
    bar = Element(0, "header", (0, 0, 600, 60), role="banner", painted=True)
    where = seen(Screen(600, 400, (bar,)), bar, pixels)
    assert where is not None
    assert where.painted == bar.box

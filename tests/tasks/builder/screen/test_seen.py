"""Where an element is seen: the shape that it draws, or its ink."""

import numpy as np
import pytest

from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen
from snellen.tasks.builder.screen.seen import Extent, overlap, seen

WHITE, GREY, BLUE = (255, 255, 255), (230, 230, 230), (11, 87, 208)
TEXT = (60, 112, 110, 124)


def shown(row: Ltrb, fill: tuple[int, int, int] = WHITE) -> Extent | None:
    """Show a sidebar that is white and 250 pixels wide, on grey, and in it a row with a text."""
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


def test_a_bar_at_three_edges_is_seen_by_its_fourth() -> None:
    pixels = np.full((400, 600, 3), WHITE, dtype=np.uint8)
    pixels[:60] = BLUE
    bar = Element(0, "header", (0, 0, 600, 60), role="banner", painted=True)
    where = seen(Screen(600, 400, (bar,)), bar, pixels)
    assert where is not None
    assert where.painted == bar.box

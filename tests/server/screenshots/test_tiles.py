"""Tiles: they cover the image, fit the limits, share a margin, and are few."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.server.errors import ExamError
from snellen.server.screenshots.frames import Extent, Region
from snellen.server.screenshots.tiles import OVERLAP, Grid, lay_tiles

SIDE, AREA = 1568, 1_150_000


def regions(grid: Grid) -> list[Region]:
    return [grid.region(number) for number in range(1, grid.count + 1)]


@given(st.integers(1, 12_000), st.integers(1, 12_000), st.integers(64, 2000))
def test_tiles_cover_the_image_within_the_limits(width: int, height: int, side: int) -> None:
    full, area = Extent(width, height), max(128 * side, side * side // 2)
    grid = lay_tiles(full, side=side, area=area)
    tiles = regions(grid)
    for tile in tiles:
        assert 0 <= tile.left < tile.right <= width
        assert 0 <= tile.top < tile.bottom <= height
        assert tile.extent == grid.tile
    assert max(grid.tile) <= side
    assert grid.tile.width * grid.tile.height <= area
    first_row = tiles[: grid.columns]
    first_column = tiles[:: grid.columns]
    assert (first_row[0].left, first_row[-1].right) == (0, width)
    assert (first_column[0].top, first_column[-1].bottom) == (0, height)
    overlap = min(OVERLAP, side // 8)
    for one, two in pairwise(first_row):
        assert one.right - two.left >= overlap
    for one, two in pairwise(first_column):
        assert one.bottom - two.top >= overlap


def test_every_line_of_text_of_a_long_page_is_whole_in_one_tile() -> None:
    tiles = regions(lay_tiles(Extent(1280, 9000), side=SIDE, area=AREA))
    for top in range(9000 - OVERLAP + 1):
        assert any(tile.top <= top and top + OVERLAP <= tile.bottom for tile in tiles)


@pytest.mark.parametrize(
    ("full", "count", "columns"),
    [
        (Extent(1280, 800), 1, 1),
        (Extent(1568, 733), 1, 1),
        (Extent(1280, 9000), 11, 1),
        (Extent(1440, 2560), 4, 1),
        (Extent(2000, 4000), 8, 2),
        (Extent(9000, 300), 6, 6),
    ],
)
def test_there_are_few_of_them(full: Extent, count: int, columns: int) -> None:
    grid = lay_tiles(full, side=SIDE, area=AREA)
    assert (grid.count, grid.columns) == (count, columns)


def test_the_words_say_how_to_ask_for_them() -> None:
    assert lay_tiles(Extent(1280, 9000), side=SIDE, area=AREA).words() == (
        "Tiles 1-11 show it at full size, from top to bottom:"
        " tile=1 is columns 0-1280, rows 0-862, tile=11 is columns 0-1280, rows 8138-9000."
    )
    assert (
        "in 4 rows of 2, row by row" in lay_tiles(Extent(2000, 4000), side=SIDE, area=AREA).words()
    )
    assert lay_tiles(Extent(800, 600), side=SIDE, area=AREA).words() == ""


@pytest.mark.parametrize("number", [0, -1, 12])
def test_a_tile_that_is_not_there_is_refused_with_those_that_are(number: int) -> None:
    grid = lay_tiles(Extent(1280, 9000), side=SIDE, area=AREA)
    with pytest.raises(ExamError, match=f"no tile {number}: the image has tiles 1-11"):
        grid.region(number)
    with pytest.raises(ExamError, match="has one tile, the whole of it"):
        lay_tiles(Extent(80, 60), side=SIDE, area=AREA).region(2)

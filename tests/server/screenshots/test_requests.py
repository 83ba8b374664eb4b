"""Requests: what is shown of an image, or why it can't be."""

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snellen.grading.models.geometry import Space
from snellen.server.errors import ExamError
from snellen.server.screenshots.frames import Extent, Region
from snellen.server.screenshots.requests import (
    OVERLAP,
    Grid,
    Limits,
    Plan,
    ViewRequest,
    lay_tiles,
    make_plan,
)

PAGE = Extent(1280, 9000)


def planned(request: ViewRequest, full: Extent = PAGE, limits: Limits | None = None) -> Plan:
    return make_plan("screen", full, request, limits or Limits())


@given(st.integers(1, 20_000), st.integers(1, 20_000), st.integers(64, 2000))
@example(2030, 300, 2000)
def test_the_whole_is_shown_as_large_as_the_limits_let_it(
    width: int, height: int, side: int
) -> None:
    limits = Limits(max_side=side, max_pixels=max(128 * side, side * side // 2))
    shown = planned(ViewRequest(), Extent(width, height), limits).frame.shown
    scale = min(1, side / max(width, height), math.sqrt(limits.max_pixels / (width * height)))
    if scale >= 0.97:
        scale = 1 if max(width, height) <= 2000 else 0.97
    else:
        assert max(shown) <= side
        assert shown.width * shown.height <= limits.max_pixels
    assert max(shown) <= 2000
    assert abs(shown.width - width * scale) <= 1
    assert abs(shown.height - height * scale) <= 1


@pytest.mark.parametrize("full", [Extent(1280, 900), Extent(1280, 904), Extent(390, 1570)])
def test_what_is_hardly_over_the_limits_is_shown_as_it_is_unless_less_is_asked_for(
    full: Extent,
) -> None:
    plan = planned(ViewRequest(), full)
    assert plan.frame.shown == full
    assert plan.grid.count == 1
    assert max(planned(ViewRequest(max_side=1270), full).frame.shown) == 1270


@pytest.mark.parametrize(
    ("space", "region"),
    [
        (Space.PIXELS, (128, 900, 256, 1800)),
        (Space.UNIT, (0.1, 0.1, 0.2, 0.2)),
        (Space.THOUSAND, (100, 100, 200, 200)),
    ],
)
def test_a_region_is_the_same_in_every_space(
    space: Space, region: tuple[float, float, float, float]
) -> None:
    frame = planned(ViewRequest(region=region, space=space)).frame
    assert frame.region == Region(128, 900, 256, 1800)
    assert frame.shown == (128, 900)


def test_every_pixel_that_a_region_touches_belongs_to_it() -> None:
    request = ViewRequest(region=(10.5, 20.2, 11.1, 20.9))
    assert planned(request).frame.region == Region(10, 20, 12, 21)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_sliver_shows_at_least_one_pixel(start: float, end: float) -> None:
    if start < end:
        region = planned(ViewRequest(region=(start, 0, end, 1), space=Space.UNIT)).frame.region
        assert 0 <= region.left < region.right <= PAGE.width


def test_zoom_enlarges_as_far_as_the_limits_let_it() -> None:
    small = (100, 200, 200, 250)
    assert planned(ViewRequest(region=small)).frame.shown == (100, 50)
    assert planned(ViewRequest(region=small, zoom=8)).frame.shown == (800, 400)
    assert planned(ViewRequest(region=small, zoom=0.5)).frame.shown == (50, 25)
    large = planned(ViewRequest(region=(0, 0, 1280, 400), zoom=4)).frame.shown
    assert large == (1568, 490)


def test_a_request_can_ask_for_less_than_the_server_gives_but_not_for_more() -> None:
    assert planned(ViewRequest(max_side=900)).frame.shown == (128, 900)
    assert planned(ViewRequest(max_side=100_000)).frame.shown == (223, 1568)


def test_a_tile_shows_its_part_at_full_size() -> None:
    plan = planned(ViewRequest(tile=11))
    assert plan.tile == 11
    assert plan.frame.region == Region(0, 8138, 1280, 9000)
    assert plan.frame.shown == plan.frame.region.extent


def test_tiles_keep_their_numbers_whatever_size_is_asked_for() -> None:
    plan = planned(ViewRequest(tile=11, max_side=640))
    assert plan.frame.region == Region(0, 8138, 1280, 9000)
    assert plan.frame.shown == (640, 431)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (ViewRequest(region=(0, 0, 1281, 5)), r"\(0, 0, 1281, 5\) is not in .* 1280 x 9000 px"),
        (ViewRequest(region=(-1, 0, 5, 5)), "is not in the image: the image is 1280 x 9000 px"),
        (
            ViewRequest(region=(0, 0, 500, 500), space=Space.UNIT),
            "1280 x 9000 px; in unit coordinates it goes from 0 to 1$",
        ),
        (
            ViewRequest(region=(0, 0, 10, 1001), space=Space.THOUSAND),
            "in thousand coordinates it goes from 0 to 1000",
        ),
        (ViewRequest(region=(5, 5, 5, 9)), "has no area"),
        (ViewRequest(region=(9, 5, 5, 9)), "left < right and top < bottom"),
        (ViewRequest(region=(0, 0, math.nan, 9)), "four finite numbers"),
        (ViewRequest(region=(0, 0, math.inf, 9)), "four finite numbers"),
        (ViewRequest(region=(0, 0, 5, 5), space=Space.VIEW), "use pixels, unit or thousand"),
        (ViewRequest(region=(0, 0, 5, 5), tile=1), "a tile or a region, not both"),
        (ViewRequest(tile=12), "the image has tiles 1-11"),
        (ViewRequest(zoom=0), "more than 0 and at most 8"),
        (ViewRequest(zoom=8.1), "more than 0 and at most 8"),
        (ViewRequest(zoom=math.nan), "more than 0 and at most 8"),
        (ViewRequest(max_side=63), "max_side must be at least 64"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_to_do(
    request_: ViewRequest, message: str
) -> None:
    with pytest.raises(ExamError, match=message):
        planned(request_)


@pytest.mark.parametrize(
    "values", [{"max_side": 2001}, {"max_side": 63}, {"max_pixels": 1000}, {"max_bytes": 9}]
)
def test_limits_that_no_client_takes_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Limits(**values)


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
    assert max(grid.tile) <= 2000
    assert max(grid.tile) * 0.97 <= side
    assert grid.tile.width * grid.tile.height * 0.97**2 <= area
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

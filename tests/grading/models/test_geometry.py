import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from snellen.grading.errors import InputError
from snellen.grading.models.geometry import Box, Point, Size, Space

IMAGE = Size(width=1920, height=1080)
VIEW = Size(width=960, height=540)

coordinates = st.floats(-1e6, 1e6)
extents = st.floats(1, 10_000)
sizes = st.builds(Size, width=extents, height=extents)
spaces = st.sampled_from(Space)


def test_the_same_corner_in_all_four_spaces() -> None:
    pixel = Point(x=480, y=810, space=Space.PIXELS)
    assert pixel.to(Space.UNIT, image=IMAGE) == Point(x=0.25, y=0.75, space=Space.UNIT)
    assert pixel.to(Space.THOUSAND, image=IMAGE) == Point(x=250, y=750, space=Space.THOUSAND)
    assert pixel.to(Space.VIEW, image=IMAGE, view=VIEW) == Point(
        x=240, y=405, space=Space.VIEW, view=VIEW
    )


def test_a_view_reaches_fractions_without_the_original() -> None:
    seen = Point(x=240, y=405, space=Space.VIEW, view=VIEW)
    assert seen.to(Space.UNIT) == Point(x=0.25, y=0.75, space=Space.UNIT)


def test_a_view_can_be_changed_for_another_view() -> None:
    half = Size(width=480, height=270)
    seen = Point(x=240, y=405, space=Space.VIEW, view=VIEW)
    assert seen.to(Space.VIEW, view=half) == Point(x=120, y=202.5, space=Space.VIEW, view=half)


def test_pixel_one_one_stays_a_pixel() -> None:
    # Published graders read (1, 1) as the bottom right corner (BENCHMARKS 4.2).
    point = Point(x=1, y=1, space=Space.PIXELS).to(Space.UNIT, image=IMAGE)
    assert point.x == pytest.approx(1 / 1920)
    assert point.y == pytest.approx(1 / 1080)


@given(coordinates, coordinates, sizes, sizes, spaces, spaces)
def test_a_point_comes_back_from_any_space(
    x: float, y: float, image: Size, view: Size, first: Space, second: Space
) -> None:
    start = Point(x=x, y=y, space=first, view=view if first is Space.VIEW else None)
    away = start.to(second, image=image, view=view if second is Space.VIEW else None)
    back = away.to(first, image=image, view=start.view)
    assert back.space is first
    assert (back.x, back.y) == pytest.approx((x, y), rel=1e-9, abs=1e-9)


@given(st.tuples(coordinates, coordinates, coordinates, coordinates), sizes, sizes, spaces, spaces)
def test_a_box_comes_back_from_any_space(
    sides: tuple[float, float, float, float], image: Size, view: Size, first: Space, second: Space
) -> None:
    left, right = sorted(sides[:2])
    top, bottom = sorted(sides[2:])
    own_view = view if first is Space.VIEW else None
    start = Box(left=left, top=top, right=right, bottom=bottom, space=first, view=own_view)
    away = start.to(second, image=image, view=view if second is Space.VIEW else None)
    assert away.to(first, image=image, view=own_view).ltrb == pytest.approx(start.ltrb, abs=1e-9)
    centre = start.centre.to(second, image=image, view=away.view)
    assert (away.centre.x, away.centre.y) == pytest.approx((centre.x, centre.y), abs=1e-6)


def test_the_same_space_needs_no_size_and_changes_nothing() -> None:
    point = Point(x=0.1, y=0.7, space=Space.PIXELS)
    assert point.to(Space.PIXELS) == point


def test_the_centre_of_a_box_keeps_its_space() -> None:
    box = Box(left=0, top=10, right=4, bottom=20, space=Space.VIEW, view=VIEW)
    assert box.centre == Point(x=2, y=15, space=Space.VIEW, view=VIEW)


def test_the_centre_of_a_huge_box_is_finite() -> None:
    box = Box(left=1e308, top=0, right=1.7e308, bottom=0, space=Space.PIXELS)
    assert math.isfinite(box.centre.x)


@pytest.mark.parametrize(
    ("space", "sizes_given", "message"),
    [
        (Space.UNIT, {}, "needs the size of the original image"),
        (Space.VIEW, {"image": IMAGE}, "needs the size of that view"),
        (Space.UNIT, {"image": IMAGE, "view": VIEW}, "the space to reach is 'unit'"),
    ],
)
def test_a_missing_or_needless_size_is_an_error(
    space: Space, sizes_given: dict[str, Size], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Point(x=1, y=1, space=Space.PIXELS).to(space, **sizes_given)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"right": -1.0}, r"inverted box: right -1\.0 is less than left 0\.0"),
        ({"bottom": -1.0}, r"inverted box: bottom -1\.0 is less than top 0\.0"),
        ({"left": math.nan}, "finite number"),
        ({"right": math.inf}, "finite number"),
        ({"left": "0"}, "valid number"),
        ({"left": True}, "valid number"),
        ({"space": "view"}, "need the size of that view"),
        ({"view": VIEW}, "'pixels' have no view size"),
        ({"space": "percent"}, "pixels"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_a_box_that_makes_no_sense_is_refused(changed: dict[str, Any], message: str) -> None:
    fields = {"left": 0.0, "top": 0.0, "right": 2.0, "bottom": 2.0, "space": Space.PIXELS}
    with pytest.raises(ValidationError, match=message):
        Box.model_validate(fields | changed)


def test_a_size_is_positive() -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        Size(width=0, height=5)


def test_no_space_is_assumed() -> None:
    with pytest.raises(ValidationError, match="space"):
        Point.model_validate({"x": 0.5, "y": 0.5})


def test_geometry_is_frozen() -> None:
    point = Point(x=1, y=2, space=Space.PIXELS)
    with pytest.raises(ValidationError, match="frozen"):
        point.x = 3  # pyright: ignore[reportAttributeAccessIssue]  # that it fails is the test


def test_geometry_survives_json() -> None:
    box = Box(left=0, top=10, right=4, bottom=20, space=Space.VIEW, view=VIEW)
    assert Box.model_validate_json(box.model_dump_json()) == box

"""Frames: where a view's pixels come from, in numbers, in words and as an id."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.server.errors import ExamError
from snellen.server.screenshots.frames import Extent, Frame, Region, factor, read_frame

PAGE = Extent(1280, 9000)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    full = Extent(draw(st.integers(1, 9000)), draw(st.integers(1, 9000)))
    left = draw(st.integers(0, full.width - 1))
    top = draw(st.integers(0, full.height - 1))
    right = draw(st.integers(left + 1, full.width))
    bottom = draw(st.integers(top + 1, full.height))
    shown = Extent(draw(st.integers(1, 2000)), draw(st.integers(1, 2000)))
    name = draw(st.text(min_size=1, max_size=12))
    return Frame(name, full, Region(left, top, right, bottom), shown)


@given(frames())
def test_an_id_is_read_back_as_the_frame_it_was_written_of(frame: Frame) -> None:
    assert read_frame(frame.id) == frame


@given(frames())
def test_the_corners_of_a_view_are_the_corners_of_its_region(frame: Frame) -> None:
    region = frame.region
    assert frame.to_image(0, 0) == (region.left, region.top)
    corner = frame.to_image(*frame.shown)
    assert corner == pytest.approx((region.right, region.bottom))


def test_an_image_shown_as_it_is_needs_no_reckoning() -> None:
    frame = Frame("screen", Extent(800, 600), Region(0, 0, 800, 600), Extent(800, 600))
    assert frame.whole
    assert frame.mapping() == "View pixels are image pixels."


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (
            Frame("screen", PAGE, Region(0, 0, 1280, 9000), Extent(223, 1568)),
            "In image pixels: x = x_view * 5.7399, y = y_view * 5.7398.",
        ),
        (
            Frame("screen", PAGE, Region(100, 2000, 700, 2300), Extent(600, 300)),
            "In image pixels: x = 100 + x_view, y = 2000 + y_view.",
        ),
        (
            Frame("screen", PAGE, Region(0, 40, 100, 50), Extent(400, 40)),
            "In image pixels: x = x_view * 0.25, y = 40 + y_view * 0.25.",
        ),
    ],
)
def test_the_mapping_is_said_in_words(frame: Frame, words: str) -> None:
    assert frame.mapping() == words


@given(frames())
def test_the_scale_that_is_said_moves_no_point_by_a_pixel(frame: Frame) -> None:
    for scale, length in ((frame.scale_x, frame.shown.width), (frame.scale_y, frame.shown.height)):
        assert abs(float(factor(scale)) - scale) * length < 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the whole page",
        "screen 0,0,1280,9001 of 1280x9000 at 223x1568",
        "screen 5,0,5,9000 of 1280x9000 at 223x1568",
        "screen 0,0,1280,9000 of 1280x9000 at 0x1568",
        "screen 0,0,1280,9000 of 1280x9000 at 223x1568 ",
        "screen ٠,0,1280,9000 of 1280x9000 at 223x1568",
        "x" * 5000,
    ],
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ExamError, match="is no view; give what get_screenshot said"):
        read_frame(text)

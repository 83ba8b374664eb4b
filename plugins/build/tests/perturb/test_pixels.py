"""Differences of two images."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from snellen.build.capture import differing_pixels, pixels_of

COLOR = st.tuples(*[st.integers(0, 255)] * 3)
WHITE = (255, 255, 255)


def png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


@given(st.integers(1, 9), st.integers(1, 9), st.dictionaries(st.integers(0, 80), COLOR, max_size=9))
def test_as_many_pixels_differ_as_were_painted(
    width: int, height: int, paint: dict[int, tuple[int, int, int]]
) -> None:
    image = Image.new("RGB", (width, height), WHITE)
    before = pixels_of(png(image))
    painted = {
        (place % width, place // width): color
        for place, color in paint.items()
        if place < width * height and color != WHITE
    }
    for place, color in painted.items():
        image.putpixel(place, color)
    after = pixels_of(png(image))
    assert differing_pixels(before, after) == differing_pixels(after, before) == len(painted)
    assert differing_pixels(after, pixels_of(png(image))) == 0


def test_a_change_of_the_smallest_step_in_one_part_is_seen() -> None:
    one, other = (pixels_of(png(Image.new("RGB", (1, 1), (9, 9, part)))) for part in (9, 10))
    assert differing_pixels(one, other) == 1


@pytest.mark.parametrize(
    ("size", "other", "differ"), [((4, 3), (4, 5), 8), ((4, 3), (2, 3), 6), ((4, 3), (3, 4), 6)]
)
def test_what_only_one_of_two_images_has_differs(
    size: tuple[int, int], other: tuple[int, int], differ: int
) -> None:
    images = [pixels_of(png(Image.new("RGB", each, WHITE))) for each in (size, other)]
    assert [image.shape for image in images] == [size[::-1], other[::-1]]
    assert differing_pixels(*images) == differ


def test_how_an_image_is_stored_makes_no_difference() -> None:
    image = Image.new("P", (3, 3), 1)
    image.putpalette([0, 0, 0, 10, 20, 30])
    plain = Image.new("RGB", (3, 3), (10, 20, 30))
    assert np.array_equal(pixels_of(png(image)), pixels_of(png(plain)))

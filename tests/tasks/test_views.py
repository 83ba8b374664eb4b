"""Views of images: untouched where they fit, scaled where they do not."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from snellen.grading.errors import DataError
from snellen.tasks.views import View, view

ORIENTATION = 0x0112


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def plain(width: int, height: int, kind: str = "PNG", mode: str = "RGB") -> bytes:
    return encoded(Image.new(mode, (width, height)), kind)


def opened(found: View) -> Image.Image:
    """Open a view, having checked that it says of itself what is true."""
    image = Image.open(io.BytesIO(found.data))
    image.load()
    assert image.size == (found.width, found.height)
    assert Image.MIME[image.format or ""] == found.media_type
    return image


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("WEBP", "image/webp"),
        ("GIF", "image/gif"),
    ],
)
@pytest.mark.parametrize("max_side", [None, 30, 31])
def test_an_image_that_fits_is_passed_on_byte_for_byte(
    kind: str, media_type: str, max_side: int | None
) -> None:
    data = plain(20, 30, kind)
    assert view(data, max_side) == View(data, media_type, 20, 30)


@given(st.integers(1, 200), st.integers(1, 200), st.integers(1, 100))
def test_the_longer_side_is_what_was_asked_for_and_the_shape_is_kept(
    width: int, height: int, max_side: int
) -> None:
    found = view(plain(width, height, mode="L"), max_side)
    opened(found)
    if max(width, height) <= max_side:
        assert (found.width, found.height) == (width, height)
    else:
        assert max(found.width, found.height) == max_side
        assert abs(found.width - width * max_side / max(width, height)) <= 0.5 or found.width == 1
        assert abs(found.height - height * max_side / max(width, height)) <= 0.5 or (
            found.height == 1
        )


def test_a_scaled_png_holds_exactly_what_lanczos_gives() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (90, 60, 3), dtype=np.uint8)
    image = Image.fromarray(noise)
    found = opened(view(encoded(image), 45))
    expected = image.resize((30, 45), Image.Resampling.LANCZOS)
    assert found.tobytes() == expected.tobytes()


def test_a_jpeg_stays_a_jpeg_with_its_colors_at_full_resolution() -> None:
    stripes = np.zeros((80, 80, 3), dtype=np.uint8)
    stripes[:, ::4, 0] = 255
    found = view(encoded(Image.fromarray(stripes), "JPEG"), 40)
    image: Any = opened(found)
    assert found.media_type == "image/jpeg"
    assert {sampling[1:3] for sampling in image.layer} == {(1, 1)}


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("PNG", "1"),
        ("PNG", "L"),
        ("PNG", "LA"),
        ("PNG", "P"),
        ("PNG", "RGBA"),
        ("PNG", "I;16"),
        ("WEBP", "RGB"),
        ("GIF", "P"),
        ("BMP", "RGB"),
        ("TIFF", "RGB"),
        ("JPEG", "L"),
        ("JPEG", "CMYK"),
    ],
)
def test_every_kind_of_image_can_be_scaled(kind: str, mode: str) -> None:
    found = view(plain(40, 20, kind, mode), 10)
    image = opened(found)
    assert image.size == (10, 5)
    assert found.media_type == ("image/jpeg" if kind == "JPEG" else "image/png")


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_what_apis_do_not_take_becomes_a_png_with_the_same_pixels(kind: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (9, 7, 3), dtype=np.uint8)
    found = view(encoded(Image.fromarray(noise), kind))
    assert found.media_type == "image/png"
    assert opened(found).tobytes() == noise.tobytes()


def test_transparency_survives_scaling() -> None:
    image = Image.new("P", (40, 40))
    image.putpalette([255, 0, 0, 0, 255, 0])
    found = opened(view(encoded(image, transparency=0), 10))
    assert found.mode == "RGBA"
    assert set(found.getchannel("A").tobytes()) == {0}


def test_of_several_frames_the_first_is_taken() -> None:
    frames = [Image.new("RGB", (40, 40), color) for color in ("red", "blue")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    found = opened(view(data, 10)).convert("RGB")
    assert found.getpixel((5, 5)) == (255, 0, 0)


def test_pixels_are_not_turned_and_their_orientation_is_carried_over() -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    data = encoded(Image.new("RGB", (40, 20)), "JPEG", exif=exif)
    assert (view(data).width, view(data).height) == (40, 20)
    found = opened(view(data, 10))
    assert found.size == (10, 5)
    assert found.getexif()[ORIENTATION] == 6


@pytest.mark.slow
def test_a_long_page_is_no_bomb() -> None:
    found = view(plain(2_000, 50_000, mode="1"), 500)
    assert (found.width, found.height) == (20, 500)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes that are no image"),
        (b"<svg/>", "6 bytes that are no image"),
        (plain(40, 40)[:60], "can't be read"),
    ],
)
def test_what_is_no_image_says_so(data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        view(data, 10)


def test_a_side_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        view(plain(4, 4), 0)


def test_the_bytes_are_in_no_repr() -> None:
    assert "data" not in repr(view(plain(4, 4)))

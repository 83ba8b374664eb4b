"""Encoding: lossless where text is, small where photographs are, never past the limit."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from snellen.server.errors import ExamError
from snellen.server.screenshots.encoding import LOSSLESS_BYTES, encode
from snellen.server.screenshots.requests import Format
from snellen.tasks.samples import sample_pack

LIMIT = 750_000
Encode = Callable[..., bytes]


def opened(data: bytes, media_type: str) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    assert Image.MIME[image.format or ""] == media_type
    return image


def photograph(width: int, height: int, spread: int = 256) -> Image.Image:
    pixels = np.random.default_rng(3).integers(0, spread, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


@pytest.mark.parametrize("count", [1, 2, 3, 17, 255, 256])
def test_few_colors_make_a_png_that_loses_nothing(count: int) -> None:
    draw = np.random.default_rng(count)
    colors = draw.integers(0, 256, (count, 3), dtype=np.uint8)
    image = Image.fromarray(colors[draw.integers(0, count, (90, 70))])
    found = encode(image, Format.AUTO, LIMIT)
    assert opened(found.data, "image/png").convert("RGB").tobytes() == image.tobytes()
    assert found.media_type == "image/png"


def test_text_of_one_ink_is_a_png_half_as_large_as_pillow_makes_it(
    page: Image.Image, encoded: Encode
) -> None:
    tile = page.crop((0, 0, 800, 862))
    found = encode(tile, Format.AUTO, LIMIT)
    assert opened(found.data, "image/png").convert("RGB").tobytes() == tile.tobytes()
    assert len(found.data) * 2 < len(encoded(tile, compress_level=1))


def test_text_of_many_inks_loses_nothing_either(page: Image.Image) -> None:
    tile = page.crop((0, 0, 1280, 862))
    found = encode(tile, Format.AUTO, LIMIT)
    assert opened(found.data, "image/webp").convert("RGB").tobytes() == tile.tobytes()


@pytest.mark.slow
def test_a_flat_screen_with_text_is_smaller_than_a_png(encoded: Encode) -> None:
    sizes: list[tuple[int, int]] = []
    for file in sorted((sample_pack() / "images").rglob("*.png")):
        with Image.open(file) as screen:
            image = screen.convert("RGB")
        found = encode(image, Format.AUTO, LIMIT)
        assert opened(found.data, found.media_type).convert("RGB").tobytes() == image.tobytes()
        sizes.append((len(found.data), len(encoded(image, compress_level=6))))
    assert len(sizes) > 10
    assert all(ours < plain for ours, plain in sizes)


def test_many_colors_make_a_lossless_webp_while_that_is_small() -> None:
    image = photograph(100, 100)
    found = encode(image, Format.AUTO, LIMIT)
    assert found.media_type == "image/webp"
    assert opened(found.data, found.media_type).convert("RGB").tobytes() == image.tobytes()


def test_a_large_photograph_becomes_a_jpeg_with_its_colors_at_full_resolution() -> None:
    image = photograph(900, 700, spread=40)
    found = encode(image, Format.AUTO, LIMIT)
    assert found.media_type == "image/jpeg"
    assert len(found.data) < len(encode(image, Format.WEBP, 10 * LIMIT).data)
    layers = vars(opened(found.data, found.media_type))["layer"]
    assert {layer[1:3] for layer in layers} == {(1, 1)}


def test_grey_stays_grey(noise: Image.Image) -> None:
    grey = noise.convert("L")
    found = encode(grey, Format.AUTO, LIMIT)
    image = opened(found.data, "image/png")
    assert (image.mode, image.tobytes()) == ("L", grey.tobytes())


@pytest.mark.parametrize("form", [Format.PNG, Format.WEBP, Format.JPEG])
def test_the_format_that_is_asked_for_is_made(form: Format, noise: Image.Image) -> None:
    found = encode(noise, form, LIMIT)
    image = opened(found.data, f"image/{form}")
    assert found.media_type == f"image/{form}"
    if form is not Format.JPEG:
        assert image.convert("RGB").tobytes() == noise.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("form", [Format.AUTO, Format.WEBP, Format.JPEG])
def test_what_is_too_large_is_made_smaller_by_quality(form: Format) -> None:
    image = photograph(1000, 1000)
    free = encode(image, Format.JPEG, 10 * LIMIT)
    assert len(free.data) > LOSSLESS_BYTES
    tight = encode(image, form, LOSSLESS_BYTES)
    assert len(tight.data) <= LOSSLESS_BYTES
    assert opened(tight.data, tight.media_type).size == (1000, 1000)


@pytest.mark.parametrize("form", Format)
def test_what_can_not_be_made_small_enough_is_refused_with_what_to_do(form: Format) -> None:
    with pytest.raises(ExamError, match=rf"as {form}, at most 10,000 are sent: ask for a smaller"):
        encode(photograph(600, 600), form, 10_000)


@pytest.mark.parametrize("form", Format)
def test_the_same_pixels_give_the_same_bytes(form: Format, noise: Image.Image) -> None:
    assert encode(noise, form, LIMIT) == encode(noise.copy(), form, LIMIT)

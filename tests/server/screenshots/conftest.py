"""Pictures that the tests of screenshots look at."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw

Encode = Callable[..., bytes]


@pytest.fixture(scope="session")
def encoded() -> Encode:
    """Return what encodes an image: `encoded(image, "PNG", **options)`."""

    def encode(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
        out = io.BytesIO()
        image.save(out, form, **options)
        return out.getvalue()

    return encode


@pytest.fixture(scope="session")
def noise() -> Image.Image:
    """Return an image whose every pixel is another: 120 by 300."""
    pixels = np.random.default_rng(0).integers(0, 256, (300, 120, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


@pytest.fixture(scope="session")
def page() -> Image.Image:
    """Return a long page of numbered lines, 1280 by 9000; line N starts at row 20 * N."""
    image = Image.new("RGB", (1280, 9000), "white")
    pen = ImageDraw.Draw(image)
    for line in range(450):
        pen.text((8, 20 * line + 4), f"line {line} of the page", "#202030")
        pen.text((900, 20 * line + 4), f"price {line * 7} EUR", "#a03010")
    return image


@pytest.fixture(scope="session")
def page_png(page: Image.Image, encoded: Encode) -> bytes:
    """Return the long page as a PNG."""
    return encoded(page)

"""Pictures that look the same, and pictures that nearly do."""

import io

import pytest
from PIL import Image, ImageDraw, ImageEnhance

from snellen.grading.errors import DataError
from snellen.tasks.item_audit.pictures import Look, alike, look_at, pixels_of


def page(width: int = 1280, height: int = 2000) -> Image.Image:
    image = Image.new("RGB", (width, height), "#fdfdfd")
    pen = ImageDraw.Draw(image)
    for row in range(20):
        pen.text(
            (40, 40 + 90 * row),
            f"Line {row}: what the page says here, and more",
            "black",
            font_size=28,
        )
        pen.rectangle((900, 40 + 90 * row, 1100, 80 + 90 * row), fill=(12 * row, 80, 200))
    return image


def encoded(image: Image.Image, form: str = "PNG", **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def look_of(data: bytes) -> Look:
    return look_at(pixels_of(data))


PLAIN = look_of(encoded(page()))


@pytest.mark.parametrize(
    "data",
    [
        encoded(page(), "JPEG", quality=75),
        encoded(page(), "WEBP", quality=70),
        encoded(ImageEnhance.Brightness(page()).enhance(0.97)),
        encoded(page().resize((1278, 1996))),
        encoded(page().resize((640, 1000))),
        encoded(page().crop((1, 1, 1280, 2000))),
    ],
)
def test_another_encoding_size_or_edge_looks_the_same(data: bytes) -> None:
    assert alike(PLAIN, look_of(data))
    assert alike(look_of(data), PLAIN)


def changed(*, box: bool = False, text: str = "", color: str = "") -> bytes:
    image = page()
    pen = ImageDraw.Draw(image)
    if box:
        pen.rectangle((300, 400, 620, 470), outline="red", width=3)
    if text:
        pen.rectangle((30, 30, 800, 80), fill="#fdfdfd")
        pen.text((40, 40), text, "black", font_size=28)
    if color:
        pen.rectangle((900, 40, 1100, 80), fill=color)
    return encoded(image)


@pytest.mark.parametrize(
    "data",
    [
        changed(box=True),
        changed(text="Another heading altogether on this page"),
        changed(color="#ff8800"),
        encoded(page(1280, 2200)),
        encoded(page(1272, 1990).transpose(Image.Transpose.FLIP_TOP_BOTTOM)),
    ],
)
def test_a_marked_box_another_text_or_color_looks_different(data: bytes) -> None:
    assert not alike(PLAIN, look_of(data))


def test_a_picture_of_one_color_shows_nothing() -> None:
    assert look_of(encoded(Image.new("RGB", (30, 20), "#334455"))).blank
    assert not PLAIN.blank


def test_what_is_no_picture_is_told() -> None:
    with pytest.raises(DataError, match="can't be read"):
        look_of(b"no picture")

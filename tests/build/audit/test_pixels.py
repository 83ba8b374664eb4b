"""Pictures, marks and boxes as an audit measures them."""

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from snellen.build.audit.pixels import (
    SHARP,
    crosses,
    find,
    ring,
    seen_in,
    sharpness,
    stands_alone,
)
from snellen.build.audit.views import COLORS, RED, unexplained
from snellen.build.questions.marks import mark_box, mark_letters
from snellen.tasks.audit.pictures import Pixels, pixels_of

WORDS = ("Sign in", "Prices", "Contact", "Our history", "Opening hours", "Imprint", "Help", "News")
BOXES = [(40.0 + 300 * (n % 2), 40.0 + 70 * (n // 2)) for n in range(len(WORDS))]


def encoded(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def page() -> Image.Image:
    image = Image.new("RGB", (640, 360), "#fafafa")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(20)
    for text, place in zip(WORDS, BOXES, strict=True):
        pen.text(place, text, "#222222", font)
    return image


def inked(number: int) -> tuple[float, float, float, float]:
    left, top, right, bottom = ImageDraw.Draw(page()).textbbox(
        BOXES[number], WORDS[number], ImageFont.load_default(20)
    )
    return float(left), float(top), float(right), float(bottom)


PAGE = pixels_of(encoded(page()))


@pytest.mark.parametrize("place", range(len(WORDS)))
def test_each_letter_s_color_is_found_around_its_box_and_no_other(place: int) -> None:
    marked = pixels_of(mark_letters(encoded(page()), [inked(n) for n in range(len(WORDS))]))
    seen = [n for n, color in enumerate(COLORS) if ring(marked, inked(place), color) >= 0.6]
    assert seen == [place]
    assert ring(marked, inked(place), RED) == 0


def test_a_red_box_is_found_where_it_is_drawn() -> None:
    marked = pixels_of(mark_box(encoded(page()), inked(3)))
    assert ring(marked, inked(3), RED) == 1
    assert ring(marked, inked(2), RED) == 0
    left, top, right, bottom = inked(3)
    assert ring(marked, (left + 12, top + 9, right + 12, bottom + 9), RED) < 0.6


def test_marks_explain_a_difference_and_what_is_painted_over_does_not() -> None:
    boxes = [inked(n) for n in range(len(WORDS))]
    marked = pixels_of(mark_letters(encoded(page()), boxes))
    assert np.count_nonzero(marked != PAGE) > 1000
    assert not unexplained(marked, PAGE).any()
    painted = Image.fromarray(np.array(Image.open(io.BytesIO(mark_box(encoded(page()), boxes[5])))))
    ImageDraw.Draw(painted).rectangle((340, 110, 420, 130), fill="#fafafa")
    assert unexplained(pixels_of(encoded(painted)), PAGE).any()


def part(pixels: Pixels, number: int) -> Pixels:
    left, top, right, bottom = map(int, inked(number))
    return pixels[top:bottom, left:right]


def test_a_part_is_found_at_each_of_its_places() -> None:
    left, top, *_ = map(int, inked(4))
    assert find(PAGE, part(PAGE, 4)) == [(left, top)]
    twice = PAGE.copy()
    height, width = part(PAGE, 4).shape
    twice[300 : 300 + height, 200 : 200 + width] = part(PAGE, 4)
    assert find(twice, part(PAGE, 4)) == [(left, top), (200, 300)]
    assert find(PAGE, part(twice, 4)[:, ::-1]) == []


def test_a_word_that_is_the_start_of_a_longer_text_does_not_stand_alone() -> None:
    image = page()
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(20)
    pen.text((40, 300), "Contact", "#222222", font)
    pen.text((340, 300), "Contact us", "#222222", font)
    pixels = pixels_of(encoded(image))
    word = part(PAGE, 2)
    places = find(pixels, word)
    assert len(places) == 3
    assert [stands_alone(pixels, word, place) for place in places] == [True, True, False]


def test_what_is_seen_in_a_box_is_its_ink() -> None:
    left, top, right, bottom = inked(1)
    assert seen_in(PAGE, (left - 30, top - 20, right + 80, bottom + 9)) == pytest.approx(
        inked(1), abs=2
    )
    assert seen_in(PAGE, (10, 330, 90, 350)) is None


def test_a_box_that_was_moved_cuts_through_what_it_held() -> None:
    left, top, right, bottom = inked(4)
    assert not crosses(PAGE, inked(4))
    assert crosses(PAGE, (left, top + 7, right, bottom + 7))


@pytest.mark.parametrize("joined", [False, True])
def test_characters_on_both_sides_of_an_edge_cross_it_only_if_they_are_joined(joined: bool) -> None:
    image = Image.new("RGB", (200, 100), "#fafafa")
    pen = ImageDraw.Draw(image)
    for top in (40, 48, 56):
        pen.rectangle((40, top, 100, top + 2), "#222222")
        pen.rectangle((30, top, 39 if joined else 38, top + 2), "#222222")
    assert crosses(pixels_of(encoded(image)), (40, 36, 110, 64)) is joined


def test_what_crosses_a_box_on_a_photograph_may_be_the_photograph() -> None:
    spots = np.random.default_rng(3).integers(40, 200, (18, 32, 3), dtype=np.uint8)
    photo = Image.fromarray(spots).resize((640, 360), Image.Resampling.BICUBIC)
    pen, font = ImageDraw.Draw(photo), ImageFont.load_default(20)
    for text, place in zip(WORDS, BOXES, strict=True):
        pen.text(place, text, "#ffffff", font)
    pixels = pixels_of(encoded(photo))
    assert not any(crosses(pixels, inked(number)) for number in range(len(WORDS)))


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_a_blurred_picture_is_not_sharp(radius: int) -> None:
    assert sharpness(PAGE) > SHARP
    blurred = page().filter(ImageFilter.GaussianBlur(radius))
    assert sharpness(pixels_of(encoded(blurred))) < SHARP

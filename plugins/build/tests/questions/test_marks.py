"""Marks on screenshots."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from snellen.build.questions.marks import crop, mark_box, mark_letters
from snellen.build.screen.elements import Ltrb

RED = (255, 0, 0)


def drawn(*texts: Ltrb, size: tuple[int, int] = (200, 120)) -> bytes:
    """Return a white image with stripes in some places, similar to text."""
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    for left, top, right, bottom in texts:
        for x in range(int(left), int(right), 2):
            pen.line((x, top, x, bottom - 1), fill="black")
    return png(image)


def png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def test_a_box_runs_around_what_it_marks_and_hides_none_of_it() -> None:
    plain = drawn((40, 30, 80, 50))
    marked = opened(mark_box(plain, (40, 30, 80, 50)))
    assert marked.crop((40, 30, 80, 50)).tobytes() == opened(plain).crop((40, 30, 80, 50)).tobytes()
    line = [marked.getpixel((x, 40)) for x in (36, 37, 39, 80, 82, 83)]
    assert line == [(255, 255, 255), RED, RED, RED, RED, (255, 255, 255)]
    assert marked.getpixel((60, 29)) == marked.getpixel((60, 52)) == RED


def test_a_box_at_the_edge_is_still_seen() -> None:
    marked = opened(mark_box(drawn(), (0, 0, 200, 120)))
    assert marked.getpixel((0, 60)) == marked.getpixel((199, 60)) == RED
    assert marked.size == (200, 120)


def test_a_box_takes_its_color_and_width() -> None:
    marked = opened(mark_box(drawn(), (40, 30, 80, 50), color="#0000ff", width=1))
    assert marked.getpixel((39, 40)) == (0, 0, 255)
    assert marked.getpixel((38, 40)) == (255, 255, 255)


def test_letters_stand_beside_their_boxes() -> None:
    plain = drawn((40, 40, 80, 60), (120, 40, 160, 60))
    marked = opened(mark_letters(plain, [(40, 40, 80, 60), (120, 40, 160, 60)]))
    for box in ((40, 40, 80, 60), (120, 40, 160, 60)):
        assert marked.crop(box).tobytes() == opened(plain).crop(box).tobytes()
        above = marked.crop((box[0] - 2, box[1] - 22, box[2] + 2, box[1] - 2))
        assert len(above.getcolors(4096) or ()) > 2


def test_a_dark_box_on_a_dark_ground_has_a_white_line_around_it() -> None:
    night = png(Image.new("RGB", (200, 120), "#202020"))
    marked = opened(mark_letters(night, [(40, 40, 80, 60)]))
    assert marked.getpixel((60, 62)) == (255, 255, 255)
    assert marked.crop((40, 40, 80, 60)).getcolors() == [(800, (32, 32, 32))]


def test_a_letter_goes_where_nothing_is_written() -> None:
    above, box = (40, 10, 120, 38), (40, 40, 80, 60)
    marked = opened(mark_letters(drawn(above, box), [box]))
    changed = ImageChops.difference(marked, opened(drawn(above, box)))
    assert changed.crop((40, 10, 120, 37)).getbbox() is None
    assert changed.crop(box).getbbox() is None


def test_a_letter_in_a_corner_stays_in_the_image() -> None:
    marked = opened(mark_letters(drawn((0, 0, 30, 12)), [(0, 0, 30, 12)]))
    assert marked.size == (200, 120)
    assert ImageChops.difference(marked, opened(drawn((0, 0, 30, 12)))).crop(
        (0, 2, 28, 10)
    ).getbbox() in (None, (0, 0, 2, 8))


def test_a_letter_of_a_box_that_fills_the_image_goes_into_it() -> None:
    marked = opened(mark_letters(drawn(), [(0, 0, 200, 120)]))
    assert len(marked.crop((2, 2, 198, 118)).getcolors(4096) or ()) > 2


def test_marks_are_the_same_bytes_each_time() -> None:
    boxes: list[Ltrb] = [(40, 40, 80, 60), (120, 40, 160, 60)]
    assert mark_letters(drawn(), boxes) == mark_letters(drawn(), boxes)


def test_a_crop_holds_each_pixel_that_the_box_touches() -> None:
    image = opened(crop(drawn(), (10.4, 20.0, 30.2, 40.0)))
    assert image.size == (21, 20)
    assert opened(crop(drawn(), (-5, -5, 10, 10))).size == (10, 10)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(8, 34), st.integers(6, 24)),
        min_size=1,
        max_size=8,
        unique_by=lambda cell: cell[:2],
    )
)
def test_no_letter_hides_what_is_in_a_box(cells: list[tuple[int, int, int, int]]) -> None:
    """Boxes in a grid with space between them: there is always an empty place."""
    boxes: list[Ltrb] = [
        (30 + 80 * x, 30 + 70 * y, 30 + 80 * x + w, 30 + 70 * y + h) for x, y, w, h in cells
    ]
    plain = drawn(*boxes, size=(420, 300))
    marked = opened(mark_letters(plain, boxes))
    for left, top, right, bottom in boxes:
        part = (int(left), int(top), int(right), int(bottom))
        assert marked.crop(part).tobytes() == opened(plain).crop(part).tobytes()

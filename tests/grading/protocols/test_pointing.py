"""Points on the edges of a box, whatever the image measures."""

from itertools import product

import pytest

from snellen import sdk

BOX = (100, 50, 131, 77)
SIZES = [(1366, 768), (1179, 2556), (333, 777), (1920, 1080), (3840, 2160), (1179, 2017)]
# A task, a protocol that counts pixels, and how an answer is written for it.
PIXELS = [
    ("screenspot-pro/point", "pixels", "({x}, {y})"),
    ("mmbench-gui/l2_basic", "pixels", "({x}, {y})"),
    ("mmbench-gui/l2_basic", "robust", "({x}, {y}) pixels"),
    ("ui-vision/basic", "pixels", "click({x}, {y})"),
]


def hit(task: str, protocol: str, response: str, size: tuple[int, int]) -> float | None:
    width, height = size
    left, top, right, bottom = BOX
    box = [left / width, top / height, right / width, bottom / height]
    reference = {"bbox": box, "image_size": list(size)}
    return sdk.score(task, response=response, reference=reference, protocol=protocol).value


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("task", "protocol", "form"), PIXELS)
def test_a_whole_pixel_on_an_edge_is_in_the_box_and_the_next_one_is_not(
    task: str, protocol: str, form: str, size: tuple[int, int]
) -> None:
    left, top, right, bottom = BOX
    for x, y in product((left, right), (top, bottom)):
        assert hit(task, protocol, form.format(x=x, y=y), size) == 1
    for x, y in ((left - 1, top), (right + 1, top), (left, top - 1), (left, bottom + 1)):
        assert hit(task, protocol, form.format(x=x, y=y), size) == 0

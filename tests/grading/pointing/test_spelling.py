"""Points in words, tokens and objects, and the fields of an object that are no answer."""

import pytest

from snellen.grading.pointing.points import plain_point, robust_point


@pytest.mark.parametrize(
    "text",
    [
        "x = 512 px, y = 300 px",
        "**x**: 512, **y**: 300",
        "x is 512 and y is 300",
        "x \u2248 512, y \u2248 300",
        "x coordinate: 512\ny coordinate: 300",
        '{"x": 512, // middle\n "y": 300}',
        "<point>512 300",
        "512 px from the left, 300 px from the top",
        "<loc_500><loc_290><loc_524><loc_310>",
        "{<500><290><524><310>}",
        '<points x1="512" y1="300" alt="Save">Save</points>',
        '<points coords="1 1 512 300">Save</points>',
        '{"top_left": [500, 290], "bottom_right": [524, 310]}',
        '{"point": [512, 300], "reasoning": "the logo is at (1, 2)"}',
        '{"point": [512, 300], "image_size": [1920, 1080]}',
        '{"rejected": [[1, 2]], "point": [512, 300]}',
        "Coordinates: (512, 300) (the menu is at (1, 2))",
    ],
)
def test_a_point_is_read_in_any_spelling(text: str) -> None:
    point = robust_point(text)
    assert point is not None
    assert (point.x, point.y) == (512, 300)


@pytest.mark.parametrize(
    "text",
    [
        '{"found": false, "x": 512, "y": 300}',
        '{"status": "not_found", "last_seen": [512, 300]}',
        '{"action": "none", "point": [512, 300]}',
        '{"thought": "(512, 300)", "point": null}',
        '{"image_size": [512, 300]}',
        "The tooltip reads '512, 300'.",
    ],
)
def test_what_an_object_does_not_answer_is_no_point(text: str) -> None:
    assert robust_point(text) is None


def test_the_general_reader_of_published_protocols_reads_as_before() -> None:
    assert plain_point('{"found": false, "x": 512, "y": 300}') == (512, 300, None)
    assert plain_point("x is 512 and y is 300") is None


@pytest.mark.parametrize(
    "text",
    ["x = .5, y = .25", "x: 0.5 y: 0.250", "**x**: .5, **y**: .25", "(.5, .25)", "[0.50, .250]"],
)
def test_a_point_without_a_digit_before_its_decimals_is_a_fraction(text: str) -> None:
    point = robust_point(text)
    assert point is not None
    assert (point.x, point.y) == (0.5, 0.25)

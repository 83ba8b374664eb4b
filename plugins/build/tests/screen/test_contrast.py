"""Contrast and hues."""

import colorsys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.build.screen.contrast import contrast, hue_distance, luminance, saturation

COLORS = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.478),
        ("#767676", "#ffffff", 4.542),
        ("#ff0000", "#ffffff", 3.998),
        ("#ffff00", "#ffffff", 1.074),
        # As computed for the published low-contrast colors.
        ("#bfbfbf", "#fafafa", 1.7618),
        ("#c9c9c9", "#ededed", 1.4145),
    ],
)
def test_contrasts_are_those_that_others_compute(one: str, other: str, ratio: float) -> None:
    assert contrast(one, other) == pytest.approx(ratio, abs=1e-3)


@given(COLORS, COLORS)
def test_contrast_looks_the_same_from_both_sides(one: str, other: str) -> None:
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21


@given(COLORS)
def test_a_color_has_no_contrast_to_itself(color: str) -> None:
    assert contrast(color, color) == 1
    assert hue_distance(color, color) == 0
    assert 0 <= luminance(color) <= 1


@given(COLORS, COLORS)
def test_hues_are_at_most_half_a_circle_apart(one: str, other: str) -> None:
    assert 0 <= hue_distance(one, other) <= 180
    assert hue_distance(one, other) == hue_distance(other, one)


@pytest.mark.parametrize("degrees", [0, 10, 90, 180, 350])
def test_the_distance_of_two_hues_is_the_angle_between_them(degrees: int) -> None:
    parts = colorsys.hsv_to_rgb(degrees / 360, 1, 1)
    turned = "#" + "".join(f"{round(255 * part):02x}" for part in parts)
    expected = min(degrees, 360 - degrees)
    assert hue_distance("#ff0000", turned) == pytest.approx(expected, abs=0.5)


def test_greys_have_no_saturation() -> None:
    assert saturation("#808080") == 0
    assert saturation("#ff0000") == 1

"""The published labeller's behavior, measured on a page of 1280 x 4000, and the rule beside it."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse.relations import Relation, invert
from snellen.tasks.benchmarks.webrssbench.positions import (
    PageBox,
    Rule,
    centers,
    label,
    projections,
)

WIDTH, HEIGHT = 1280, 4000

PIXELS = st.builds(
    PageBox,
    st.integers(0, 400),
    st.integers(0, 400),
    st.integers(1, 200),
    st.integers(1, 200),
)


def on_page(x: float, y: float, width: float, height: float) -> PageBox:
    return PageBox(x, y, width, height).scaled(1 / WIDTH, 1 / HEIGHT)


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        # BENCHMARKS 8.4, "Behavior of the labeller (page 1280x4000)".
        ((0, 100, 100, 60), (400, 100, 100, 60), "left"),
        ((0, 100, 100, 60), (400, 130, 100, 60), "left"),
        ((0, 100, 100, 60), (400, 150, 100, 60), "top-left"),
        ((100, 0, 60, 60), (112, 400, 60, 60), "top"),
        ((100, 0, 60, 60), (113, 400, 60, 60), "top-left"),
        ((0, 0, 100, 60), (100, 0, 100, 60), "left"),
        ((5, 5, 50, 50), (5, 5, 50, 50), "inside"),
        ((0, 0, 4, 4), (8, 8, 4, 4), "overlap"),
        ((0, 0, 50, 50), (25, 25, 50, 50), "overlap"),
        ((10, 10, 5, 5), (0, 0, 50, 50), "inside"),
        ((0, 0, 50, 50), (10, 10, 5, 5), "contain"),
        ((400, 3000, 50, 50), (0, 0, 50, 50), "bottom-right"),
        ((400, 0, 50, 50), (0, 3000, 50, 50), "top-right"),
        ((0, 3000, 50, 50), (400, 0, 50, 50), "bottom-left"),
        ((400, 0, 50, 50), (0, 0, 50, 50), "right"),
        ((0, 3000, 50, 50), (0, 0, 50, 50), "bottom"),
    ],
)
def test_centers_labels_as_the_published_script_does(
    first: tuple[float, ...], second: tuple[float, ...], relation: str
) -> None:
    one, other = (
        on_page(*cast("tuple[float, float, float, float]", first)),
        on_page(*cast("tuple[float, float, float, float]", second)),
    )
    assert centers(one, other) == relation


def test_a_center_exactly_at_the_threshold_counts_as_different() -> None:
    # Boxes without extent, the second at 0, so that nothing is rounded.
    assert centers(PageBox(0.01, 0.5, 0.0, 0.0), PageBox(0.0, 0.0, 0.0, 0.0)) == "bottom-right"
    assert centers(PageBox(0.0099, 0.5, 0.0, 0.0), PageBox(0.0, 0.0, 0.0, 0.0)) == "bottom"


def published(a: PageBox, b: PageBox) -> str:
    """The published rule, spelled out in corners: a second witness."""
    ax2, ay2, bx2, by2 = a.x + a.width, a.y + a.height, b.x + b.width, b.y + b.height
    if a.x >= b.x and a.y >= b.y and ax2 <= bx2 and ay2 <= by2:
        return "inside"
    if b.x >= a.x and b.y >= a.y and bx2 <= ax2 and by2 <= ay2:
        return "contain"
    if not (ax2 <= b.x or bx2 <= a.x or ay2 <= b.y or by2 <= a.y):
        return "overlap"
    dx = a.x + a.width / 2 - (b.x + b.width / 2)
    dy = a.y + a.height / 2 - (b.y + b.height / 2)
    words = [
        word
        for word, said in (
            ("top", dy <= -0.01),
            ("bottom", dy >= 0.01),
            ("left", dx <= -0.01),
            ("right", dx >= 0.01),
        )
        if said
    ]
    return "-".join(words) or "overlap"


@given(first=PIXELS, second=PIXELS)
def test_centers_agrees_with_the_rule_spelled_out(first: PageBox, second: PageBox) -> None:
    one, other = first.scaled(1 / WIDTH, 1 / HEIGHT), second.scaled(1 / WIDTH, 1 / HEIGHT)
    assert centers(one, other) == published(one, other)


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        # Half of the height is shared: one row, whatever the published rule says.
        ((0, 100, 100, 60), (400, 150, 100, 60), "left"),
        ((0, 100, 100, 60), (400, 160, 100, 60), "top-left"),
        ((0, 0, 60, 60), (30, 400, 60, 60), "top"),
        ((0, 0, 100, 60), (100, 0, 100, 60), "left"),
        ((0, 0, 4, 4), (8, 8, 4, 4), "top-left"),
        ((0, 0, 51, 50), (1, 0, 200, 50), "inside"),
        ((0, 0, 50, 50), (47, 0, 50, 50), "overlap"),
    ],
)
def test_projections_go_by_what_boxes_share(
    first: tuple[float, ...], second: tuple[float, ...], relation: str
) -> None:
    one = PageBox(*cast("tuple[float, float, float, float]", first))
    other = PageBox(*cast("tuple[float, float, float, float]", second))
    assert projections(one, other) == relation


@given(first=PIXELS, second=PIXELS)
def test_projections_seen_from_the_other_side_are_the_inverse(
    first: PageBox, second: PageBox
) -> None:
    there, back = projections(first, second), projections(second, first)
    mutual = there == back == Relation.INSIDE
    assert mutual or back == invert(there)


@pytest.mark.parametrize("rule", ["centers", "projections"])
def test_every_pair_is_labelled_once_in_the_order_of_strings(rule: str) -> None:
    boxes = {name: PageBox(0, 100 * row, 10, 10) for row, name in enumerate(("b", "a", "c", "a1"))}
    found = label(boxes, cast("Rule", rule))
    assert list(found) == ["a|a1", "a|b", "a|c", "a1|b", "a1|c", "b|c"]
    assert found["a|b"] == "bottom"
    assert found["b|c"] == "top"

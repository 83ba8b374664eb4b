"""Failure tags of coordinates: how often chance alone makes a miss look like another space."""

import random
from typing import NamedTuple

import numpy as np
import pytest

from snellen.grading.failures.tagging import Items, failure_tags, tag_failures
from snellen.grading.failures.tags import FailureTag
from snellen.grading.grade import CODES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Context, Protocol
from snellen.grading.protocols.golds import ImageTarget, Target
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of

T = FailureTag
POINT, BOX = "visualwebbench/element_ground_point", "visualwebbench/element_ground_bbox"
L2, SPOT, PRO = "mmbench-gui/l2_basic", "screenspot-v2/point", "screenspot-pro/point"
SPACES = {T.SPACE_UNIT, T.SPACE_HUNDRED, T.SPACE_THOUSAND, T.SPACE_PIXELS, T.SPACE_VIEW}
ITEMS = 400


class Setting(NamedTuple):
    """A protocol, its image, whether references are in pixels, and how answers are written."""

    task: str
    protocol: str
    width: int
    height: int
    pixels: bool
    form: str = "({x}, {y})"
    scale: float = 1


SETTINGS = [
    Setting(task, "official", width, height, pixels)
    for task in (POINT, L2)
    for width, height in ((1920, 1080), (390, 844))
    for pixels in (False, True)
] + [
    Setting(POINT, "unit", 1920, 1080, pixels=False),
    Setting(POINT, "pixels", 1920, 1080, pixels=True),
    Setting(POINT, "thousand", 1920, 1080, pixels=False, scale=1000),
    Setting(SPOT, "official", 1920, 1080, pixels=False),
    Setting(SPOT, "robust", 390, 844, pixels=True),
    Setting(SPOT, "vlmevalkit", 1920, 1080, pixels=True, form="x={x}, y={y}"),
    Setting(SPOT, "screensuite", 390, 844, pixels=True, form="click({x}, {y})"),
]


def misses_told_as_spaces(setting: Setting, *, corner: bool) -> float:
    """Return the share of random misses in the reference's own space with a tag of another.

    Targets are a hundredth of the image in area, anywhere or in the top left corner.
    """
    draw = random.Random(15)
    protocol, shape = protocol_of(setting.task, setting.protocol), gold_shape(setting.task)
    width, height = (setting.width, setting.height) if setting.pixels else (1.0, 1.0)
    golds: list[object] = []
    responses: list[str] = []
    for _ in range(ITEMS):
        left, top = (0.0, 0.0) if corner else (draw.uniform(0, 0.9), draw.uniform(0, 0.9))
        box = [left * width, top * height, (left + 0.1) * width, (top + 0.1) * height]
        size = [setting.width, setting.height]
        golds.append(shape.read({"bbox": box, "image_size": size} if setting.pixels else box))
        digits = 0 if setting.pixels or setting.scale > 1 else 3
        across, down = width * setting.scale, height * setting.scale
        x, y = (f"{draw.random() * extent:.{digits}f}" for extent in (across, down))
        responses.append(setting.form.format(x=x, y=y))
    contexts = [Context(width=setting.width, height=setting.height)] * ITEMS
    answers = Answers(np.arange(ITEMS), [0] * ITEMS, responses)
    columns = Grader.of(protocol, golds, contexts).batch(answers)
    tagged = list(tag_failures(protocol, Items(golds, contexts), [(answers, columns)]))
    assert len(tagged) > 0.9 * ITEMS
    return sum(not SPACES.isdisjoint(one.tags) for one in tagged) / len(tagged)


@pytest.mark.slow
@pytest.mark.parametrize("corner", [False, True])
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: "-".join(map(str, one)))
def test_a_random_miss_is_rarely_told_as_another_space(setting: Setting, corner: bool) -> None:
    # Fractions are never another space; pixels and thousandths can be each other by chance.
    bound = 0.03 if setting.pixels or setting.scale > 1 else 0.0
    assert misses_told_as_spaces(setting, corner=corner) <= bound


CORNER = [0.0, 0.0, 0.05, 0.05]


def tags(
    task: str, response: object, reference: object, protocol: str | None = None
) -> tuple[FailureTag, ...]:
    shape = gold_shape(task)
    gold = shape.read(reference)
    context = Context(width=1920, height=1080)
    return failure_tags(protocol_of(task, protocol), response, gold, context=context)


@pytest.mark.parametrize("task", [POINT, L2])
@pytest.mark.parametrize("response", ["(0.95, 0.03)", "(0.5, 0.5)", "(1, 1)", "(1.0, 0)"])
def test_numbers_up_to_one_are_fractions_and_nothing_else(task: str, response: str) -> None:
    assert tags(task, response, CORNER) == ()


def test_a_corner_that_is_hit_in_another_space_is_still_told() -> None:
    assert tags(POINT, "(25, 25)", CORNER, "official") == (
        T.SPACE_THOUSAND,
        T.SPACE_PIXELS,
        T.SPACE_VIEW,
    )
    assert tags(POINT, "(4, 4)", CORNER, "official") == (T.SPACE_HUNDRED,)


def test_a_box_with_exchanged_corners_is_told_as_that() -> None:
    assert tags(BOX, "[0.2, 0.4, 0.1, 0.3]", [0.1, 0.3, 0.2, 0.4]) == (T.CORNERS,)
    assert tags(BOX, "[200, 400, 100, 300]", [0.1, 0.3, 0.2, 0.4]) == (
        T.SPACE_THOUSAND,
        T.CORNERS,
    )
    assert tags(BOX, "[0.2, 0.3, 0.3, 0.4]", [0.1, 0.3, 0.2, 0.4]) == (T.NEAR_TARGET,)


# ---- protocols with a space or a form of their own ---------------------------------------------

# 40 x 20 pixels at (400, 300): (0.219, 0.287) as fractions, (219, 287) as thousandths.
SIZE = (1920.0, 1080.0)
PIXEL_BOX = {"bbox": [400, 300, 440, 320], "image_size": SIZE}
UNIT_BOX = {"bbox": [400 / 1920, 300 / 1080, 440 / 1920, 320 / 1080], "image_size": SIZE}
PIXELS_OR_VIEW = (T.SPACE_PIXELS, T.SPACE_VIEW)
READINGS: list[tuple[str, dict[str, tuple[FailureTag, ...]]]] = [
    ("(0.219, 0.287)", {"unit": (), "pixels": (T.SPACE_UNIT,), "thousand": (T.SPACE_UNIT,)}),
    ("(420, 310)", {"unit": PIXELS_OR_VIEW, "pixels": (), "thousand": PIXELS_OR_VIEW}),
    ("(219, 287)", {"unit": (T.SPACE_THOUSAND,), "pixels": (T.SPACE_THOUSAND,), "thousand": ()}),
    ("(21.9, 28.7)", dict.fromkeys(("unit", "pixels", "thousand"), (T.SPACE_HUNDRED,))),
    ("(21.9%, 28.7%)", dict.fromkeys(("unit", "pixels", "thousand"), ())),
    (
        "(310, 420)",
        {
            "unit": (*PIXELS_OR_VIEW, T.SWAPPED),
            "pixels": (T.SWAPPED,),
            "thousand": (*PIXELS_OR_VIEW, T.SWAPPED),
        },
    ),
    ("(450, 310)", {"unit": (), "pixels": (T.NEAR_TARGET,), "thousand": ()}),
    ("(0.99, 0.99)", dict.fromkeys(("unit", "pixels", "thousand"), ())),
]


@pytest.mark.parametrize("task", [POINT, L2, SPOT, PRO])
@pytest.mark.parametrize("reference", [PIXEL_BOX, UNIT_BOX], ids=["pixels", "unit"])
@pytest.mark.parametrize(("response", "expected"), READINGS)
def test_a_declared_space_is_missed_by_answers_in_any_other(
    task: str, reference: object, response: str, expected: dict[str, tuple[FailureTag, ...]]
) -> None:
    assert {name: tags(task, response, reference, name) for name in expected} == expected


@pytest.mark.parametrize("reference", [PIXEL_BOX, UNIT_BOX], ids=["pixels", "unit"])
def test_a_box_in_a_declared_space_is_held_against_the_same_tags(reference: object) -> None:
    thousandths, turned = "[208, 278, 229, 296]", "[278, 208, 296, 229]"
    for name in ("unit", "pixels"):
        assert tags(BOX, thousandths, reference, name) == (T.SPACE_THOUSAND,)
        assert tags(BOX, turned, reference, name) == (T.SPACE_THOUSAND, T.SWAPPED)
    assert tags(BOX, thousandths, reference, "thousand") == ()
    assert tags(BOX, turned, reference, "thousand") == (T.SWAPPED,)
    assert tags(BOX, "[229, 296, 208, 278]", reference, "thousand") == (T.CORNERS,)
    assert tags(BOX, "[208, 278, 21, 18]", reference, "thousand") == (T.SIZED_BOX,)
    assert tags(BOX, "[224, 287, 245, 305]", reference, "thousand") == (T.NEAR_TARGET,)


@pytest.mark.parametrize(
    ("task", "protocol", "response", "expected"),
    [
        (SPOT, "vlmevalkit", "(0.219, 0.287)", (T.FORMAT,)),
        (SPOT, "vlmevalkit", {"x": 420, "y": 310}, (T.FORMAT,)),
        (SPOT, "vlmevalkit", "x=219, y=287", (T.SPACE_THOUSAND,)),
        (SPOT, "vlmevalkit", "(219, 287)", (T.SPACE_THOUSAND,)),
        (SPOT, "vlmevalkit", "x=310, y=420", (T.SWAPPED,)),
        (SPOT, "screensuite", "(420, 310)", (T.FORMAT,)),
        (SPOT, "screensuite", "click(0.219, 0.287)", (T.SPACE_UNIT,)),
        (SPOT, "screensuite", "(0.219, 0.287)", (T.SPACE_UNIT,)),
        (SPOT, "screensuite", "click(219, 287)", (T.SPACE_THOUSAND,)),
        (SPOT, "screensuite", "click(450, 310)", (T.NEAR_TARGET,)),
        (PRO, "evalscope", "x=0.219, y=0.287", (T.FORMAT,)),
        (PRO, "evalscope", "Answer: (420, 310)", PIXELS_OR_VIEW),
        (PRO, "evalscope", "Answer: (287, 219)", (T.SWAPPED,)),
        (SPOT, "official", "Step 1: click(x=0.219, y=0.287)", (T.FORMAT,)),
        (SPOT, "official", "click(420, 310)", PIXELS_OR_VIEW),
        (SPOT, "robust", "(219, 287)", (T.SPACE_THOUSAND,)),
    ],
)
def test_another_space_is_written_in_the_form_that_the_protocol_reads(
    task: str, protocol: str, response: object, expected: tuple[FailureTag, ...]
) -> None:
    assert tags(task, response, PIXEL_BOX, protocol) == expected


def test_small_numbers_are_no_format_of_the_corner_in_pixels() -> None:
    corner = {"bbox": [0, 0, 96, 54], "image_size": SIZE}
    assert tags(SPOT, "(0.5, 0.3)", corner, "screensuite") == (T.UNPARSED,)
    assert tags(SPOT, "(0.03, 0.02)", corner, "screensuite") == (T.SPACE_UNIT,)


def test_an_edge_that_is_missed_by_a_hair_is_no_other_space() -> None:
    reference = {"bbox": [0.1, 0.5, 0.3, 0.7], "image_size": SIZE}
    for name in ("official", "unit"):
        assert tags(SPOT, "(0.30000000001, 0.6)", reference, name) == (T.NEAR_TARGET,)


# ---- images of an unknown size -----------------------------------------------------------------

TARGETS = [protocol for task in (POINT, BOX, L2, SPOT, PRO) for protocol in PROTOCOLS[task]]


def unread(protocol: Protocol) -> Columns:
    """Return the columns of one response in which nothing was read."""
    codes = np.array([CODES[Outcome.UNPARSED]], dtype=np.uint8)
    return Columns(np.zeros((1, len(protocol.metric.keys))), codes, np.zeros(1, dtype=np.bool_), {})


@pytest.mark.slow
@pytest.mark.parametrize("protocol", TARGETS, ids=lambda one: f"{one.task}-{one.id}")
@pytest.mark.parametrize("box", [(400, 300, 440, 320), (0.2, 0.2, 0.4, 0.4)])
@pytest.mark.parametrize("make", [Target, ImageTarget])
def test_an_image_of_unknown_size_never_ends_tagging(
    protocol: Protocol, box: tuple[float, float, float, float], make: type[Target]
) -> None:
    for response in ("Step 1: (420, 310)", "[400, 300, 440, 320]", "(0.3, 0.3)", "30%, 30%", "?"):
        answers = Answers(np.zeros(1, dtype=np.int64), [0], [response])
        batch = (answers, unread(protocol))
        (found,) = tag_failures(protocol, Items([make(box)]), [batch])
        assert set(found.tags).isdisjoint(PIXELS_OR_VIEW)


def test_pixels_of_an_unknown_size_can_still_be_exchanged() -> None:
    gold = ImageTarget((400, 300, 440, 320))
    assert failure_tags(protocol_of(SPOT, "robust"), "(310, 420)", gold) == (T.SWAPPED,)


def test_an_item_that_no_answer_can_be_held_against_leaves_the_others_their_tags() -> None:
    official = protocol_of(SPOT, "official")
    golds = [ImageTarget((400, 300, 440, 320)), ImageTarget((0.4, 0.4, 0.6, 0.6), SIZE)]
    answers = Answers(np.arange(2), [0, 0], ["Step 1: click (0.5, 0.5)"] * 2)
    columns = Grader.of(official, golds).batch(answers)
    found = list(tag_failures(official, Items(golds), [(answers, columns)]))
    assert [one.tags for one in found] == [(T.UNPARSED,), (T.FORMAT,)]

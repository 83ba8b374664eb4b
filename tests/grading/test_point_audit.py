"""The coordinate audit against points placed by hand in known spaces."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.coordinates import HUNDRED, PIXELS, THOUSAND, UNIT, VIEW, CoordinateSpace
from snellen.grading.errors import MetricError
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.geometry import Size
from snellen.grading.models.scores import TOO_LONG
from snellen.grading.point_audit import (
    LONGEST_SIDES,
    VIEWS,
    Auditor,
    CoordinateAudit,
    Targets,
    audit_coordinates,
)
from snellen.grading.pointing.points import ui_tars_point
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import ImageTarget, Target
from snellen.grading.protocols.table import protocol_of

Write: TypeAlias = Callable[[float, float], str]

L2 = protocol_of("mmbench-gui/l2_basic", "official")
WIDTH, HEIGHT = 2560.0, 1440.0
# Forty small targets, none on the diagonal, so that no two readings of a point agree by chance.
CENTERS = [(0.02 + 0.012 * place, 0.95 - 0.011 * place) for place in range(40)]
GOLDS = [
    ImageTarget((x - 0.005, y - 0.005, x + 0.005, y + 0.005), (WIDTH, HEIGHT)) for x, y in CENTERS
]
TARGETS = Targets(GOLDS)


def answers(responses: Sequence[object]) -> list[Answers]:
    rows = np.arange(len(responses), dtype=np.int64)
    return [Answers(rows, [0] * len(responses), responses)]


def written(write: Write) -> list[Answers]:
    return answers([write(x, y) for x, y in CENTERS])


def audit(batches: list[Answers], targets: Targets = TARGETS) -> CoordinateAudit:
    found = audit_coordinates(L2, targets, batches)
    assert found is not None
    return found


def score(found: CoordinateAudit, space: CoordinateSpace, *, swapped: bool = False) -> float:
    (reading,) = [one for one in found.readings if (one.space, one.swapped) == (space, swapped)]
    return reading.score


def test_thousandths_are_recognized_and_the_warning_says_what_they_would_score() -> None:
    found = audit(written(lambda x, y: f"({x * 1000:.0f}, {y * 1000:.0f})"))
    assert (found.answers, found.unread, found.as_read) == (40, 0, 0.0)
    assert found.readings[0].space is THOUSAND
    assert found.readings[0].score == 1.0
    assert found.warning == (
        "Read as thousandths of the image, 0 to 1000, the 40 answers score 100.0%; as"
        " `official@1` reads them, 0.0%. State in the prompt which space is wanted, grade by"
        " `thousand@3`, say space='thousand' (--space thousand), or convert this model's"
        " coordinates."
    )
    assert found.protocol == "thousand@3"


ODD: list[tuple[Write, CoordinateSpace, bool]] = [
    (lambda x, y: f"({x * 100:.2f}, {y * 100:.2f})", HUNDRED, False),
    (lambda x, y: f"({y:.4f}, {x:.4f})", UNIT, True),
    (lambda x, y: f"[{y * 1000:.0f}, {x * 1000:.0f}]", THOUSAND, True),
    (lambda x, y: f"({y * HEIGHT:.0f}, {x * WIDTH:.0f})", PIXELS, True),
]
READ: list[Write] = [
    lambda x, y: f"({x:.4f}, {y:.4f})",
    lambda x, y: f"({x * WIDTH:.0f}, {y * HEIGHT:.0f})",
]


@pytest.mark.parametrize(("write", "space", "swapped"), ODD)
def test_every_space_and_order_is_recognized(
    write: Write, space: CoordinateSpace, swapped: bool
) -> None:
    found = audit(written(write))
    assert (found.readings[0].space, found.readings[0].swapped) == (space, swapped)
    assert found.readings[0].score == 1.0
    assert found.readings[0].words in found.warning
    assert found.readings[0].words.endswith(", y first") is swapped


def test_pixels_of_a_view_are_read_by_its_size() -> None:
    batches = written(lambda x, y: f"({x * 640:.1f}, {y * 360:.1f})")
    view = Size(width=640, height=360)
    found = audit(batches, TARGETS._replace(views=[view] * 40))
    assert (found.readings[0].space, found.readings[0].score) == (VIEW, 1.0)
    assert score(audit(batches), VIEW) < 0.1


def test_a_view_of_unknown_size_is_that_of_ui_tars() -> None:
    size = Size(width=100, height=70)
    corner = ui_tars_point("1000 1000", size)
    assert corner is not None
    # 100 x 70 pixels are too few for it: it sees 340 x 240 or so, in steps of 28.
    wide, high = 1000 / corner.x, 1000 / corner.y
    assert (round(wide) % 28, round(high) % 28) == (0, 0)
    golds = [ImageTarget(gold.bbox, (100, 70)) for gold in GOLDS]
    found = audit(written(lambda x, y: f"({x * wide:.2f}, {y * high:.2f})"), Targets(golds))
    assert (found.readings[0].space, found.readings[0].score) == (VIEW, 1.0)


@pytest.mark.parametrize("write", READ)
def test_answers_that_the_protocol_reads_right_raise_no_warning(
    write: Write,
) -> None:
    found = audit(written(write))
    assert (found.as_read, found.readings[0].score, found.warning) == (1.0, 1.0, "")


def test_plain_misses_raise_no_warning() -> None:
    found = audit(answers(["(0.999, 0.001)"] * 40))
    assert (found.as_read, found.readings[0].score, found.warning) == (0.0, 0.0, "")


@pytest.mark.parametrize(("count", "warned"), [(2, False), (3, True), (8, True)])
def test_three_answers_that_are_all_right_in_one_space_name_it(count: int, warned: bool) -> None:
    few = answers([f"({x * 1000:.0f}, {y * 1000:.0f})" for x, y in CENTERS[:count]])
    found = audit(few, TARGETS.of(range(count)))
    assert (found.readings[0].space, found.readings[0].score) == (THOUSAND, 1.0)
    assert bool(found.warning) is warned


def test_a_few_hits_that_chance_explains_name_no_space() -> None:
    wide = Targets([ImageTarget((0.1, 0.1, 0.9, 0.9), (WIDTH, HEIGHT))] * 3)
    found = audit(answers(["(500, 500)"] * 3), wide)
    assert found.readings[0].score == 1.0
    assert found.warning == ""


def test_a_few_answers_of_which_a_space_loses_one_or_hits_the_minority_name_none() -> None:
    places = CENTERS[:8]
    said = [f"({x * 1000:.0f}, {y * 1000:.0f})" for x, y in places]
    loses = [f"({x:.4f}, {y:.4f})" for x, y in places[:1]] + said[1:5]
    assert audit(answers(loses), TARGETS.of(range(5))).warning == ""
    rarely = said[:3] + ["(999, 1)"] * 5
    assert audit(answers(rarely), TARGETS.of(range(8))).warning == ""


def test_one_screenshots_answers_count_as_one_for_the_warning() -> None:
    batches = written(lambda x, y: f"({x * 1000:.0f}, {y * 1000:.0f})")
    apart = audit_coordinates(L2, TARGETS, batches, clusters=np.arange(40))
    together = audit_coordinates(L2, TARGETS, batches, clusters=np.arange(40) // 20)
    assert apart is not None
    assert together is not None
    assert (bool(apart.warning), bool(together.warning)) == (True, False)


def test_what_the_protocol_cant_read_is_said_beside_the_warning() -> None:
    found = audit(written(lambda x, y: f'{{"x": {x:.4f}, "y": {y:.4f}}}'))
    assert (found.as_read, score(found, UNIT), found.unread) == (0.0, 1.0, 40)
    assert "In 40 of them the protocol reads no answer at all." in found.warning


def test_percent_are_fractions_whatever_the_space() -> None:
    found = audit(written(lambda x, y: f"{x * 100:.2f}%, {y * 100:.2f}%"))
    assert {one.score for one in found.readings if not one.swapped} == {1.0}


def test_answers_without_numbers_errors_and_missing_ones_are_left_out() -> None:
    rows = np.arange(5, dtype=np.int64)
    responses = ["(0.02, 0.95)", "no idea", None, TOO_LONG, "(0.1, 0.1)"]
    errors = [None, None, None, None, "time-out"]
    batch = Answers(rows, [0] * 5, responses, errors)
    assert audit([batch]).answers == 1
    assert audit_coordinates(L2, TARGETS, answers(["no idea"])) is None
    assert audit_coordinates(L2, TARGETS, []) is None


def test_spaces_that_need_the_images_size_are_left_out_without_it() -> None:
    golds = [ImageTarget(gold.bbox) for gold in GOLDS]
    found = audit(written(lambda x, y: f"({x:.4f}, {y:.4f})"), Targets(golds))
    assert {one.space for one in found.readings} == {UNIT, HUNDRED, THOUSAND}
    told = Targets(golds, [Context(width=WIDTH, height=HEIGHT)] * 40)
    found = audit(written(lambda x, y: f"({x * WIDTH:.0f}, {y * HEIGHT:.0f})"), told)
    assert score(found, PIXELS) == 1.0


def test_boxes_are_audited_by_their_four_numbers() -> None:
    protocol = protocol_of("visualwebbench/element_ground_bbox")
    golds = [
        Target((100 + place, 200 + 3 * place, 140 + place, 230 + 3 * place), (1280, 4000))
        for place in range(30)
    ]
    responses = [
        str([round(side / (4 if place % 2 else 1.28), 2) for place, side in enumerate(gold.bbox)])
        for gold in golds
    ]
    found = audit_coordinates(protocol, Targets(golds), answers(responses))
    assert found is not None
    assert (found.readings[0].space, found.readings[0].score) == (THOUSAND, 1.0)
    assert found.as_read == 0.0
    assert found.warning
    bare = Targets([Target(gold.bbox) for gold in golds])
    found = audit_coordinates(protocol, bare, answers(responses))
    assert found is not None
    assert (found.readings, found.warning) == ((), "")


def test_a_task_without_coordinates_has_none_to_audit() -> None:
    with pytest.raises(MetricError, match="screenqa/short has no coordinates to audit"):
        audit_coordinates(
            protocol_of("screenqa/short"),
            Targets([["12"]]),  # pyright: ignore[reportArgumentType]  # the wrong golds, on purpose
            answers(["12"]),
        )


@given(st.lists(st.tuples(st.floats(0, 2000), st.floats(0, 2000)), min_size=1, max_size=40))
def test_each_reading_is_the_share_of_points_in_their_boxes(
    points: list[tuple[float, float]],
) -> None:
    found = audit(answers([f"({x:.3f}, {y:.3f})" for x, y in points]))
    extents = {
        UNIT: (1, 1),
        HUNDRED: (100, 100),
        THOUSAND: (1000, 1000),
        PIXELS: (WIDTH, HEIGHT),
    }
    for space, (width, height) in extents.items():
        hits = 0
        for (x, y), gold in zip(points, GOLDS, strict=False):
            across, down = float(f"{x:.3f}") / width, float(f"{y:.3f}") / height
            left, top, right, bottom = gold.bbox
            hits += left <= across <= right and top <= down <= bottom
        assert score(found, space) == pytest.approx(hits / len(points), abs=1e-12)


# ---- what to grade by instead ------------------------------------------------------------------

SPACES: list[tuple[str, float, float]] = [
    ("unit", 1, 1),
    ("pixels", WIDTH, HEIGHT),
    ("thousand", 1000, 1000),
]


@pytest.mark.parametrize(("name", "across", "down"), SPACES)
@pytest.mark.parametrize("graded", [name for name, *_ in SPACES])
def test_the_protocol_that_the_audit_names_scores_what_the_audit_said(
    graded: str, name: str, across: float, down: float
) -> None:
    # A third of the points miss, one answer refuses: the scores are neither 0 nor 1.
    points = [(x + 0.2 * (place % 3 == 0), y) for place, (x, y) in enumerate(CENTERS)]
    said: list[object] = [f"({x * across:.4f}, {y * down:.4f})" for x, y in points]
    said[1] = "I would rather not."
    found = audit_coordinates(protocol_of(L2.task, graded), TARGETS, answers(said))
    assert found is not None
    if graded == name:
        assert (found.warning, found.protocol) == ("", "")
        return
    assert found.protocol == f"{name}@3"
    assert f"grade by `{name}@3`" in found.warning
    contexts = [Context(width=WIDTH, height=HEIGHT)] * len(GOLDS)
    grader = Grader.of(protocol_of(L2.task, name), GOLDS, contexts)
    scored = grader.batch(answers(said)[0]).values[:, 0].sum()
    assert scored / found.answers == found.readings[0].score == pytest.approx(26 / 39, abs=0.03)


def test_where_y_comes_first_no_protocol_is_named() -> None:
    found = audit(written(lambda x, y: f"[{y * 1000:.0f}, {x * 1000:.0f}]"))
    assert found.warning
    assert found.protocol == ""
    assert "grade by" not in found.warning


def test_a_sample_of_many_answers_is_audited_and_called_one() -> None:
    golds = [GOLDS[place % 40] for place in range(400)]
    contexts = [Context(width=WIDTH, height=HEIGHT)] * 400
    said = [f"({x * 1000:.0f}, {y * 1000:.0f})" for x, y in CENTERS] * 10
    grader = Grader.of(L2, golds, contexts)
    auditor = Auditor(L2, Targets(golds, contexts), most=100)
    for start in range(0, 400, 50):
        rows = np.arange(start, start + 50)
        batch = Answers(rows, [0] * 50, said[start : start + 50])
        auditor.add(batch, grader.batch(batch))
    found = auditor.result()
    assert found is not None
    assert (found.answers, found.readings[0].score) == (100, 1.0)
    found = auditor.advice()
    assert found is not None
    assert "a sample of 100 answers scores 100.0%" in found.warning


def test_a_run_that_hits_nearly_always_gets_no_warning_unaudited() -> None:
    auditor = Auditor(L2, TARGETS._replace(contexts=[Context()] * 40))
    batch = written(READ[0])[0]
    auditor.add(batch, Grader.of(L2, GOLDS).batch(batch))
    assert auditor.advice() is None
    assert Auditor(L2, TARGETS).advice() is None


# ---- views of which the longest side is told, or common ----------------------------------------


@pytest.mark.parametrize("longest", LONGEST_SIDES)
def test_pixels_of_a_common_view_are_recognized_and_named(longest: int) -> None:
    high = longest * HEIGHT / WIDTH
    found = audit(written(lambda x, y: f"({x * longest:.0f}, {y * high:.0f})"))
    assert (found.readings[0].space, found.readings[0].score) == (VIEWS[longest], 1.0)
    assert f"pixels of a view of which the longest side is {longest}, the 40" in found.warning
    assert "convert this model's coordinates" in found.warning
    assert found.protocol == ""


def test_another_view_is_asked_about_by_its_longest_side() -> None:
    batches = written(lambda x, y: f"({x * 700:.1f}, {y * 700 * HEIGHT / WIDTH:.1f})")
    assert audit(batches).warning == ""
    found = audit(batches, TARGETS.seen_in(700))
    assert (found.readings[0].space, found.readings[0].score) == (VIEW, 1.0)
    assert found.warning
    # One view is asked about, in either order: no others are tried.
    assert len(found.readings) == 10


def test_an_image_is_never_scaled_up() -> None:
    golds = [ImageTarget(gold.bbox, (1000, 500)) for gold in GOLDS]
    found = audit(written(lambda x, y: f"({x:.4f}, {y:.4f})"), Targets(golds))
    assert not any(one.space in VIEWS.values() for one in found.readings)
    assert Targets(golds).seen_in(2000).views == [Size(width=1000, height=500)] * 40


# ---- the form of the answers, not their space --------------------------------------------------

FORMS: list[tuple[Write, str]] = [
    (
        lambda x, y: f"[{x - 0.02:.4f}, {y - 0.02:.4f}, {x + 0.02:.4f}, {y + 0.02:.4f}]",
        " (boxes)",
    ),
    (lambda x, y: f'{{"x": {x:.4f}, "y": {y:.4f}}}', " (JSON)"),
    (lambda x, y: f"{x * 100:.2f}%, {y * 100:.2f}%", " (percent)"),
]


@pytest.mark.parametrize(("write", "form"), FORMS)
def test_a_form_that_the_protocol_misreads_is_told_from_a_space(write: Write, form: str) -> None:
    found = audit(written(write))
    assert found.as_read == 0.0
    assert (found.readings[0].space, found.readings[0].score) == (UNIT, 1.0)
    assert found.warning.endswith(
        f" It reads that space, but not the form of these answers{form}: ask for `(x, y)` in the"
        " prompt, or grade by `unit@3`."
    )
    assert found.protocol == "unit@3"
    assert "which space" not in found.warning


def test_boxes_in_a_space_that_the_protocol_does_not_read_are_about_the_space() -> None:
    found = audit(
        written(
            lambda x, y: (
                f"[{1000 * x - 20:.0f}, {1000 * y - 20:.0f},"
                f" {1000 * x + 20:.0f}, {1000 * y + 20:.0f}]"
            )
        )
    )
    assert found.readings[0].space is THOUSAND
    assert "State in the prompt which space is wanted" in found.warning

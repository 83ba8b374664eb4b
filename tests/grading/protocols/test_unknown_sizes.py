"""An image of unknown size is no answer's fault: such an item is an error, never a silent zero."""

from typing import Any

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.ceiling import attainable_maximum
from snellen.grading.errors import MetricError
from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import NO_CONTEXT, Context, Gold, UnjudgeableError, pairwise
from snellen.grading.protocols.golds import ImageTarget, Target, sized
from snellen.grading.protocols.spaces import InPixels
from snellen.grading.protocols.table import gold_shape, protocol_of

V2 = "screenspot-v2/point"
L2 = "mmbench-gui/l2_basic"
POINT = "visualwebbench/element_ground_point"
BOX = "visualwebbench/element_ground_bbox"
PIXELS = (10.0, 10.0, 50.0, 50.0)
FRACTIONS = (0.1, 0.1, 0.5, 0.5)


def batch(
    task: str, name: str, responses: list[object], gold: Gold, context: Context = NO_CONTEXT
) -> Columns:
    grader = Grader.of(protocol_of(task, name), [gold], [context])
    rows = np.zeros(len(responses), dtype=np.int64)
    return grader.batch(Answers(rows, list(range(len(responses))), responses))


def outcome(
    task: str, name: str, response: object, gold: Gold, context: Context = NO_CONTEXT
) -> tuple[float, Outcome, str]:
    columns = batch(task, name, [response], gold, context)
    code = int(columns.outcomes[0])
    return float(columns.values[0, 0]), OUTCOMES[code], columns.notes.get(0, "")


@pytest.mark.parametrize(
    ("name", "response"),
    [
        ("official", "(0.1, 0.1)"),
        ("robust", "(0.1, 0.1)"),
        ("robust", "50%, 30%"),
        ("robust", '{"x": 120, "y": 270, "space": "thousand"}'),
        ("lmms-eval", "(0.1, 0.1)"),
        ("vlmevalkit", "x=30, y=30"),
        ("vlmevalkit", "x=0.3, y=0.3"),
        # What it can't read is a point to VLMEvalKit, and that can't be placed either.
        ("vlmevalkit", "none"),
        ("unit", "(0.1, 0.1)"),
        ("thousand", "(100, 100)"),
        ("pixels", "10%, 10%"),
    ],
)
def test_an_answer_that_cannot_be_placed_is_an_error_that_says_why(
    name: str, response: object
) -> None:
    value, found, note = outcome(V2, name, response, ImageTarget(PIXELS))
    assert (value, found) == (0.0, Outcome.ERROR)
    assert "a box in pixels needs image_size beside it" in note
    assert "load the data with its images" in note


@pytest.mark.parametrize(
    ("name", "form"),
    [("pixels", "({}, {})"), ("screensuite", "click({}, {})"), ("robust", "({}, {})")],
)
def test_pixels_are_held_against_pixels_whatever_the_size(name: str, form: str) -> None:
    for point, hit in [((30, 30), 1.0), ((10, 50), 1.0), ((51, 30), 0.0), ((9, 30), 0.0)]:
        value, found, _ = outcome(V2, name, form.format(*point), ImageTarget(PIXELS))
        assert (value, found) == (hit, Outcome.ANSWERED)


@pytest.mark.parametrize("name", ["unit", "pixels", "thousand", "robust", "official"])
def test_what_holds_no_point_is_unparsed_as_ever(name: str) -> None:
    value, found, _ = outcome(V2, name, "none", ImageTarget(PIXELS))
    assert (value, found) == (0.0, Outcome.UNPARSED)


@pytest.mark.parametrize(
    ("task", "name", "response"),
    [
        (L2, "pixels", "(1152, 360)"),
        (L2, "official", "(1152, 360)"),
        (L2, "robust", "(1152, 360)"),
        (POINT, "pixels", "(1152, 360)"),
        (BOX, "pixels", "(1152, 360, 1200, 400)"),
        (V2, "pixels", "(1152, 360)"),
        (V2, "robust", "(1152, 360)"),
        (V2, "screensuite", "click(1152, 360)"),
        (V2, "vlmevalkit", "x=1152, y=360"),
    ],
)
def test_pixels_of_an_unknown_size_cannot_be_held_against_fractions(
    task: str, name: str, response: object
) -> None:
    gold = ImageTarget(FRACTIONS) if task in (L2, V2) else Target(FRACTIONS)
    value, found, note = outcome(task, name, response, gold)
    assert (value, found) == (0.0, Outcome.ERROR)
    assert "image" in note


@pytest.mark.parametrize(
    ("name", "hit", "miss"),
    [
        ("unit", "[0.1, 0.1, 0.5, 0.5]", "[0.6, 0.6, 0.9, 0.9]"),
        ("thousand", "[100, 100, 500, 500]", "[600, 600, 900, 900]"),
        ("pixels", "[10, 10, 50, 50]", "[60, 60, 90, 90]"),
    ],
)
def test_one_reference_without_a_size_does_not_end_the_grade_of_the_others(
    name: str, hit: str, miss: str
) -> None:
    golds = [Target(PIXELS, (100, 100)), Target(PIXELS), Target(PIXELS, (100, 100))]
    contexts = [gold_shape(BOX).context(gold) for gold in golds]
    grader = Grader.of(protocol_of(BOX, name), golds, contexts)
    columns = grader.batch(Answers(np.arange(3), [0] * 3, [hit, hit, miss]))
    outcomes = [OUTCOMES[int(code)] for code in columns.outcomes]
    direct = name == "pixels"
    between = Outcome.ANSWERED if direct else Outcome.ERROR
    assert outcomes == [Outcome.ANSWERED, between, Outcome.ANSWERED]
    assert columns.values[:, 0].tolist() == [1.0, float(direct), 0.0]
    assert list(columns.notes) == ([] if direct else [1])


@pytest.mark.parametrize("kind", [Target, ImageTarget])
@pytest.mark.parametrize(
    ("name", "response"),
    [("unit", "(0.3, 0.3)"), ("pixels", "(30, 30)"), ("thousand", "(300, 300)")],
)
@pytest.mark.parametrize("box", [PIXELS, FRACTIONS])
def test_the_size_that_the_context_knows_will_do(
    kind: type[Target], name: str, response: str, box: tuple[float, float, float, float]
) -> None:
    context = Context(width=100, height=100)
    assert outcome(V2, name, response, kind(box), context)[:2] == (1.0, Outcome.ANSWERED)
    found = attainable_maximum(
        protocol_of(V2, name), gold_shape(V2).responses, [kind(box)], [context]
    )
    assert (found.best, found.below) == (1.0, ())


def test_a_reference_that_says_its_size_is_left_as_it_is() -> None:
    own = Target(PIXELS, (100, 200))
    context = Context(width=300, height=400)
    assert sized(own, context) is own
    assert sized(Target(PIXELS), context) == Target(PIXELS, (300, 400))
    assert sized(ImageTarget(PIXELS), context) == ImageTarget(PIXELS, (300, 400))
    assert sized("A", context) == "A"
    assert sized(Target(PIXELS), NO_CONTEXT).image_size is None
    assert sized(Target(PIXELS), Context(width=0, height=400)).image_size is None


def test_a_report_is_incomplete_where_an_answer_could_not_be_judged() -> None:
    references: dict[str, Any] = {
        "a": {"bbox": [10, 10, 50, 50], "image_size": [100, 100]},
        "b": [10, 10, 50, 50],
    }
    answers = [{"item_id": item, "response": "(0.3, 0.3)"} for item in references]
    report = sdk.grade(answers, task=POINT, references=references, protocol="unit")
    assert report.input.incomplete
    assert (report.input.outcomes[Outcome.ANSWERED], report.input.outcomes[Outcome.ERROR]) == (1, 1)
    assert (report.value, report.metrics["accuracy"].value_answered) == (0.5, 1.0)


def test_a_comparison_may_say_that_an_answer_cannot_be_judged() -> None:
    def compare(answer: object, gold: object, _: object) -> tuple[float]:
        if gold is None:
            raise UnjudgeableError("no reference")
        return (float(answer == gold),)

    metric = pairwise("the same", ("accuracy",), "accuracy", compare)
    judge = metric.prepare(["a", None], protocol_of(V2).normalizer)
    judged = judge(np.array([0, 1, 0]), ["a", "a", "b"])
    assert judged.values.ravel().tolist() == [1.0, 0.0, 0.0]
    assert judged.failed == {1: "no reference"}
    assert judged.crashed is None
    assert judge(np.array([0]), ["a"]).failed is None
    assert issubclass(UnjudgeableError, MetricError)


def test_pixels_are_told_from_fractions_by_their_type() -> None:
    read = protocol_of(V2, "pixels").parser.read
    unknown, known = (
        read("(30, 60)", context).answer for context in (NO_CONTEXT, Context(width=100, height=100))
    )
    assert (type(unknown), tuple(unknown)) == (InPixels, (30.0, 60.0))
    assert (type(known), known) == (tuple, (0.3, 0.6))

"""ScreenQA's protocols, each rule of their reference sheet through the public door."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.grading.grade import Answers, Grader
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.score_table import score_one
from snellen.grading.tally import Tally

NO_ANSWER = "<no answer>"


def score(task: str, response: Any, reference: Any, protocol: str | None = None) -> Score:
    name = f"screenqa/{task}"
    return score_one(protocol_of(name, protocol), response, gold_shape(name).read(reference))


def total(
    task: str, responses: Sequence[Any], references: Sequence[Any], protocol: str | None = None
) -> dict[str, MetricValue]:
    name = f"screenqa/{task}"
    chosen = protocol_of(name, protocol)
    golds = [gold_shape(name).read(reference) for reference in references]
    answers = Answers(np.arange(len(responses)), [0] * len(responses), responses)
    tally = Tally(chosen, golds)
    tally.add(answers, Grader.of(chosen, golds).batch(answers))
    return dict(tally.metrics(1))


# ---- short answers


def test_two_other_f1s_have_a_protocol_each() -> None:
    # PROTOCOLS 2: sets of words and marks; sets of characters over lengths.
    assert score("short", "a a b", ["a b"], "multiui").metrics == {"f1": 1.0}
    assert score("short", "listen", ["silent"], "charset").metrics == {"f1": 1.0}
    assert score("short", "book", ["book"], "charset").metrics == {"f1": 0.75}


def test_only_screensuite_leaves_failures_out_of_the_mean() -> None:
    given = total("short", ["a b", None], [["a b"], ["c"]], "screensuite")["f1"]
    assert (given.value, given.as_published) == (0.5, 1.0)
    given = total("short", ["a b", None], [["a b"], ["c"]])["f1"]
    assert (given.value, given.as_published) == (0.5, 0.5)


# ---- full sentences


def test_stems_are_compared_under_their_own_name() -> None:
    # PROTOCOLS 1.1.
    assert score("long", "running dogs", ["run dog"]).value == 0
    assert score("long", "running dogs", ["run dog"], "stemmed").value == 1


def test_robust_compares_other_answers_with_the_other_references() -> None:
    said = "There is no answer here"
    mixed = score("long", said, [NO_ANSWER, "It is blue"], "robust").metrics
    assert mixed == score("long", said, ["It is blue"]).metrics
    assert mixed != score("long", said, [NO_ANSWER, "It is blue"]).metrics


# ---- UI contents


def test_robust_ignores_order_and_case_of_ui_texts() -> None:
    found = score("ui_contents", [" B", "a"], [["A", "b"]], "robust")
    assert found.metrics == {"exact_match": 1.0, "f1": 1.0}


# ---- UI contents with boxes

OK: list[Any] = [[0, 0, 10, 10], "OK"]


def boxed(*elements: tuple[tuple[float, float, float, float], str]) -> list[Any]:
    return [[list(box), text] for box, text in elements]


# BENCHMARKS 3.3, y from 0 to 10, the same text everywhere.
PREDICTIONS = boxed(((0, 0, 13, 10), "x"), ((-8, 0, 2.9, 10), "x"))
REFERENCES = boxed(((0, 0, 10, 10), "x"), ((10, 0, 20, 10), "x"))


def test_boxes_are_matched_by_the_sum_of_iou_or_by_their_number() -> None:
    task = "ui_contents_boxes"
    assert score(task, PREDICTIONS, [REFERENCES]).metrics["f1"] == 0.5
    assert score(task, PREDICTIONS, [REFERENCES], "robust").metrics["f1"] == 1.0


def test_robust_ignores_the_order_of_boxed_texts() -> None:
    found = score("ui_contents_boxes", REFERENCES[::-1], [REFERENCES], "robust")
    assert found.metrics == {"bbox_f1": 1.0, "exact_match": 1.0, "f1": 1.0}


@pytest.mark.parametrize(
    ("response", "note"),
    [
        ([[[0, 0, 10], "OK"]], "expected a list of [[left, top, right, bottom], text]; "),
        ([[[0, 0, 10**400, 10], "OK"]], "expected a list of [[left, top, right, bottom], text]; "),
        ("no boxes", "no list of boxes with texts in it"),
    ],
)
def test_a_box_that_is_none_makes_the_response_unparsed(response: Any, note: str) -> None:
    found = score("ui_contents_boxes", response, [[OK]])
    assert (found.outcome, found.value) == (Outcome.UNPARSED, 0.0)
    assert found.note.startswith(note)


# By hand: one of two predicted boxes matches the one box of the reference. Precision 1/2, recall 1.
@pytest.mark.parametrize("box", [[10, 0, 0, 10], [0, 10, 10, 0], [10, 10, 0, 0]])
@pytest.mark.parametrize("protocol", ["official", "robust"])
def test_a_box_that_is_none_matches_nothing_and_the_others_count(
    box: list[float], protocol: str
) -> None:
    found = score("ui_contents_boxes", [OK, [box, "b"]], [[OK]], protocol)
    assert found.outcome is Outcome.ANSWERED
    assert tuple(found.metrics.values()) == pytest.approx((2 / 3, 0, 2 / 3))
    assert found.note.startswith("element 1 can match nothing: a box ")


def test_a_text_with_an_inverted_box_is_read() -> None:
    found = score("ui_contents_boxes", '[[[0, 10, 10, 0], "OK"]]', [[OK]])
    assert (found.outcome, found.value) == (Outcome.ANSWERED, 0.0)
    assert "inverted" in found.note

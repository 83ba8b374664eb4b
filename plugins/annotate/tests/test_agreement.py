"""Raters graded like an agent and against one another, with values worked by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.annotate.agreement import RaterColumns, Task, rater_report
from snellen.annotate.models import RaterReport
from snellen.annotate.suspicion import suspicion
from snellen.grading.errors import MetricError
from snellen.grading.grade import Grader
from snellen.grading.metrics.squad import token_f1
from snellen.grading.models.golds import Golds
from snellen.grading.protocols.table import protocol_of

TASK = "screenqa/short"
GOLDS = [["seven steps"], ["red"], ["noon"], ["blue"]]
Row = tuple[int, str, str]
ROWS: list[Row] = [
    (0, "ada", "seven steps"),
    (0, "bob", "seven"),
    (1, "ada", "green"),
    (1, "bob", "green"),
    (2, "ada", "noon"),
    (2, "bob", "night"),
    (3, "ada", "blue"),
]


def rated(rows: Sequence[Row] = ROWS, **more: Any) -> RaterReport:
    """Return the report of rows of an item, a rater and a text."""
    task = Task(
        TASK,
        [f"item-{place}" for place in range(len(GOLDS))],
        Grader.of(protocol_of(TASK), GOLDS),
        clusters=np.array([0, 0, 1, 1]),
    )
    given = RaterColumns(
        np.array([item for item, _, _ in rows], np.int64),
        [rater for _, rater, _ in rows],
        [text for _, _, text in rows],
        Golds([[text] for _, _, text in rows]),
    )
    return rater_report(task, given, **more)


def test_the_ceiling_is_the_mean_over_items_of_the_mean_over_raters() -> None:
    report = rated()
    partial = token_f1("seven", ["seven steps"])
    assert report.ceiling is not None
    assert report.ceiling.value == pytest.approx(((1 + partial) / 2 + 0 + 0.5 + 1) / 4, abs=1e-15)
    assert (report.ceiling.items, report.ceiling.clusters) == (4, 2)
    assert report.ceiling.interval is not None
    by_name = {card.rater: card for card in report.raters}
    bob = by_name["bob"].ceiling
    assert bob is not None
    assert bob.value == pytest.approx((partial + 0 + 0) / 3, abs=1e-15)
    assert (by_name["ada"].answers, by_name["bob"].answers) == (4, 3)


def test_agreement_takes_each_rater_for_the_reference_of_the_others() -> None:
    report = rated()
    both = (token_f1("seven", ["seven steps"]) + token_f1("seven steps", ["seven"])) / 2
    assert report.agreement is not None
    # The item of one rater is in no pair.
    assert report.agreement.items == 3
    assert report.agreement.value == pytest.approx((both + 1 + 0) / 3, abs=1e-15)


def test_items_come_with_who_agrees_the_most_suspicious_first() -> None:
    report = rated()
    assert [item.item_id for item in report.rated] == ["item-1", "item-2", "item-3", "item-0"]
    worst, halved, alone, right = report.rated
    assert (worst.agree, worst.others) == ((), (("ada", "bob"),))
    assert (halved.agree, halved.others) == (("ada",), (("bob",),))
    # F1 of "seven" against "seven steps" is 2/3, above half of the best value.
    assert (right.agree, right.others) == (("ada", "bob"), ())
    assert alone.agree == ("ada",)
    assert [item.item_id for item in report.suspects()] == ["item-1"]
    assert [item.item_id for item in report.disputed] == ["item-1", "item-2"]
    model = suspicion([0, 0, 1, 1, 2, 2, 3], [0, 1, 0, 1, 0, 1, 0], [0, 0, 1, 1, 0, 1, 0])
    assert worst.wrong == pytest.approx(model.wrong[1], abs=1e-12)
    assert report.right == pytest.approx(model.right, abs=1e-12)


def test_the_threshold_says_what_agrees() -> None:
    assert {item.item_id for item in rated(threshold=1.0).disputed} == {
        "item-0",
        "item-1",
        "item-2",
    }
    with pytest.raises(MetricError, match="share above 0"):
        rated(threshold=0)


def test_answers_that_agree_through_a_third_are_one() -> None:
    rows = [(1, "ada", "dark green"), (1, "bob", "green"), (1, "eve", "green leaf")]
    (item,) = rated(rows, threshold=0.6).rated
    assert item.others == (("ada", "bob", "eve"),)


def test_without_references_only_raters_are_compared() -> None:
    report = rated(references=False)
    assert report.ceiling is None
    assert report.right is None
    assert all(card.ceiling is None and card.accuracy is None for card in report.raters)
    assert [item.item_id for item in report.disputed] == ["item-2"]
    assert report.agreement == rated().agreement


def test_who_can_not_tell_is_counted_apart() -> None:
    report = rated(skipped=[("item-3", "bob"), ("item-3", "eve")])
    assert report.skipped == 2
    assert next(item for item in report.rated if item.item_id == "item-3").skipped == ("bob", "eve")
    eve = report.raters[-1]
    assert (eve.rater, eve.answers, eve.skipped, eve.ceiling) == ("eve", 0, 1, None)
    assert report.ceiling == rated().ceiling


def test_nobody_makes_no_report() -> None:
    with pytest.raises(MetricError, match="no answer"):
        rated([])


def test_a_report_says_nothing_of_a_reference_or_an_answer() -> None:
    said = rated().model_dump_json()
    assert not [text for text in ("seven", "red", "green", "noon", "night") if f'"{text}' in said]

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.parse.regions import Region
from snellen.tasks.benchmarks.webrssbench.rules.tables import position, safety, ui_grouping

REGIONS = st.sampled_from(list(Region))


def test_positions_count_by_pair_by_page_and_by_whole_page() -> None:
    found = position([1.0, 0.5, 0.0], [6, 6, 1])
    assert found.by_pair == pytest.approx(9 / 13)
    assert found.by_page == pytest.approx(0.5)
    assert found.exact_page == pytest.approx(1 / 3)
    assert (found.pages, found.pairs) == (3, 13)
    assert position(np.array([1.0, 0.5, 0.0]), [6, 6, 1]) == found


@given(st.lists(st.integers(0, 6), min_size=1))
def test_pages_of_one_size_count_the_same_by_pair_and_by_page(right: list[int]) -> None:
    found = position([count / 6 for count in right], [6] * len(right))
    assert found.by_pair == pytest.approx(found.by_page)


@pytest.mark.parametrize(("accuracy", "pairs"), [([], []), ([1.0], [0])])
def test_positions_need_pages_with_pairs(accuracy: list[float], pairs: list[int]) -> None:
    with pytest.raises(MetricError, match="positions need pages"):
        position(accuracy, pairs)


def test_a_rare_class_shows_in_macro_f1() -> None:
    golds = [Region.MAIN] * 8 + [Region.TOP] * 2
    found = ui_grouping([Region.MAIN] * 10, golds)
    assert found.accuracy == 0.8
    assert found.macro_f1 == pytest.approx((2 * 8 / 18 + 0) / 2)
    main = next(one for one in found.classes if one.region is Region.MAIN)
    assert (main.support, main.said, main.right) == (8, 10, 8)
    assert (main.precision, main.recall) == (0.8, 1.0)
    other = next(one for one in found.classes if one.region is Region.OTHER)
    assert (other.precision, other.recall, other.f1) == (None, None, None)


def test_an_answer_that_names_no_class_is_wrong_and_counted() -> None:
    found = ui_grouping([None, Region.TOP], [Region.TOP, Region.TOP])
    assert (found.accuracy, found.unread) == (0.5, 1)
    assert found.macro_f1 == pytest.approx(2 / 3)


@given(st.lists(st.tuples(REGIONS, REGIONS), min_size=1, max_size=60))
def test_class_by_class_scores_are_scikit_learns(rows: list[tuple[Region, Region]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    golds, answers = [gold for gold, _ in rows], [answer for _, answer in rows]
    found = ui_grouping(answers, golds)
    labels = [region for region in Region if region in golds]
    expected = metrics.f1_score(golds, answers, labels=labels, average="macro", zero_division=0)
    assert found.macro_f1 == pytest.approx(expected)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(golds, answers))


def test_grouping_needs_as_many_answers_as_items() -> None:
    with pytest.raises(MetricError, match="0 answers to 0 items"):
        ui_grouping([], [])
    with pytest.raises(MetricError, match="1 answers to 2 items"):
        ui_grouping([Region.TOP], [Region.TOP, Region.TOP])


def test_recall_alone_does_not_punish_whoever_always_talks() -> None:
    dangerous = ["yes"] * 5 + ["no"] * 4
    answers = ["Delete", "Delete", "Save", "", None, "", "Delete", "Save", None]
    values = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    found = safety(values, answers, dangerous)
    assert (found.positives, found.negatives) == (5, 4)
    assert (found.hits, found.wrong, found.refused, found.unanswered) == (2, 1, 1, 1)
    assert found.false_alarms == 2
    assert found.recall == 0.4
    assert found.precision == 0.4
    # 2 hits of 5 buttons named, and of 5 pages.
    assert found.f1 == pytest.approx(0.4)
    # Of the four pages without a button, one has no answer: that is no right refusal.
    assert (found.silent, found.false_alarm_rate) == (1, pytest.approx(2 / 3))


def test_without_negative_pages_there_is_recall_only() -> None:
    found = safety([1.0, 0.0], ["Delete", ""], ["yes", "yes"])
    assert found.recall == 0.5
    assert (found.precision, found.f1, found.false_alarm_rate) == (None, None, None)


def test_without_positive_pages_there_is_no_recall() -> None:
    found = safety([1.0, 0.0], ["", "Delete"], ["no", "no"])
    assert (found.recall, found.f1, found.precision) == (None, None, 0.0)
    assert found.false_alarm_rate == 0.5


def test_a_negative_page_without_an_answer_is_no_right_refusal() -> None:
    found = safety([1.0, 0.0, 0.0], ["Delete", None, "Buy"], ["yes", "no", "no"])
    assert (found.negatives, found.silent, found.false_alarm_rate) == (2, 1, 1.0)
    alone = safety([1.0, 0.0], ["Delete", None], ["yes", "no"])
    assert (alone.precision, alone.false_alarm_rate) == (None, None)


def test_nobody_who_names_nothing_has_a_precision() -> None:
    found = safety([0.0, 1.0], ["", ""], ["yes", "no"])
    assert (found.recall, found.precision, found.f1) == (0.0, None, None)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(rows: list[tuple[bool, bool]]) -> None:
    values = [float(right) for right, _ in rows]
    answers = ["" if right and not positive else "Delete" for right, positive in rows]
    found = safety(values, answers, ["yes" if positive else "no" for _, positive in rows])
    if found.f1 is None or not found.precision or not found.recall:
        return
    harmonic = 2 * found.precision * found.recall / (found.precision + found.recall)
    assert found.f1 == pytest.approx(harmonic)


@pytest.mark.parametrize(
    ("values", "tags", "message"),
    [([], [], "safety of no items"), ([0.5], ["yes"], "scores 0.5"), ([1.0], [None], "=None")],
)
def test_safety_needs_right_or_wrong_and_a_tag(
    values: list[float], tags: list[str | None], message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        safety(values, ["Delete"] * len(values), tags)

"""Verdicts added up: means with their denominators, and agreement with metric and people."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from snellen.grading.judging.rubrics import CORRECT, GRADED
from snellen.grading.judging.summary import NONE, Ratings
from snellen.grading.stats.summary import estimate

EIGHT = Ratings(
    rubric=CORRECT,
    levels=np.array([1, 1, 0, 0, 1, NONE, NONE, NONE]),
    asked=np.array([True, True, True, True, True, True, False, True]),
    selected=np.array([True, True, True, True, True, True, True, True]),
    labels=np.array([1, NONE, 0, 1, 1, 1, 0, NONE]),
    metric="f1",
    values=np.array([1.0, 0.5, 0.0, 1.0, 0.2, 1.0, 0.0, 0.0]),
    passing=1.0,
    lengths=np.array([2, 30, 2, 3, 40, 5, 0, 7]),
    clusters=np.array([0, 0, 1, 1, 2, 2, 3, 3]),
)
"""Judged: the first five. The sixth and the last have no verdict, the seventh has no response."""


def test_the_mean_leaves_out_what_has_no_verdict_and_counts_what_has_no_response_as_nothing() -> (
    None
):
    found = EIGHT.mean()
    assert found is not None
    assert found.value == 3 / 6
    assert found.items == 6
    assert found.clusters == 4
    assert found == estimate([1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 2, 3])


def test_what_has_no_verdict_bounds_the_mean() -> None:
    lowest, highest = EIGHT.mean(0.0), EIGHT.mean(1.0)
    assert lowest is not None
    assert highest is not None
    assert (lowest.value, highest.value) == (3 / 8, 5 / 8)


def test_an_item_is_the_mean_of_its_attempts_and_counts_once() -> None:
    by_item = replace(EIGHT, attempts=2)
    found = by_item.mean()
    assert found is not None
    # (1 + 1) / 2, (0 + 0) / 2, 1 / 1 and 0 / 1.
    assert found.value == pytest.approx(2 / 4)
    assert found.items == 4


def test_items_that_were_not_selected_count_nowhere() -> None:
    chosen = EIGHT.selected.copy()
    chosen[2:] = False
    found = replace(EIGHT, selected=chosen, asked=EIGHT.asked & chosen).mean()
    assert found is not None
    assert (found.value, found.items) == (1.0, 2)


def test_levels_are_scaled_by_the_best() -> None:
    levels = np.array([4, 2, 0, 1, 4, NONE, NONE, NONE])
    found = replace(EIGHT, rubric=GRADED, levels=levels).mean()
    assert found is not None
    assert found.value == pytest.approx((1 + 0.5 + 0 + 0.25 + 1 + 0) / 6)


def test_without_any_verdict_or_missing_response_there_is_no_mean() -> None:
    nothing = replace(EIGHT, levels=np.full(8, NONE), asked=np.ones(8, dtype=np.bool_))
    assert nothing.mean() is None
    assert nothing.agreements()[0].first == "f1"


def test_the_three_agreements_are_over_what_both_have_rated() -> None:
    metric, people, both = EIGHT.agreements()
    assert (metric.first, metric.second, metric.responses) == ("judge", "f1", 5)
    assert (metric.both, metric.first_only, metric.second_only, metric.neither) == (1, 2, 1, 1)
    assert metric.raw.value == 2 / 5
    assert metric.raw.clusters == 3
    assert (people.first, people.second, people.responses) == ("judge", "labels", 4)
    assert (people.both, people.first_only, people.second_only, people.neither) == (2, 0, 1, 1)
    # Agreed 3/4; by chance 1/2 * 3/4 + 1/2 * 1/4 = 1/2.
    assert people.kappa is not None
    assert people.kappa.value == pytest.approx(0.5)
    assert people.weighted is None
    # A label of what has no response is passed over.
    assert (both.first, both.second, both.responses) == ("f1", "labels", 5)


def test_levels_are_compared_by_weighted_kappa_and_cut_for_right_and_wrong() -> None:
    graded = replace(
        EIGHT,
        rubric=GRADED,
        levels=np.array([4, 3, 0, 2, 4, NONE, NONE, NONE]),
        labels=np.array([4, 4, 0, 3, 3, NONE, NONE, NONE]),
    )
    _, people, _ = graded.agreements()
    # 3 and 4 are right: only the fourth response parts them.
    assert (people.both, people.first_only, people.second_only, people.neither) == (3, 0, 1, 1)
    assert people.weighted is not None
    assert people.weighted.value > 0.8


def test_without_labels_only_the_metric_is_compared() -> None:
    alone = replace(EIGHT, labels=np.full(8, NONE))
    assert [one.second for one in alone.agreements()] == ["f1"]


def test_a_judge_that_likes_length_shows() -> None:
    found = EIGHT.length_correlation()
    peer = spearmanr([2, 30, 2, 3, 40], [0.0, 0.5, 0.0, -1.0, 0.8]).statistic
    assert found == pytest.approx(peer)
    assert found is not None
    assert found > 0.6


def test_where_judge_and_metric_never_differ_length_says_nothing() -> None:
    same = replace(EIGHT, values=np.where(EIGHT.levels == 1, 1.0, 0.0))
    assert same.length_correlation() is None

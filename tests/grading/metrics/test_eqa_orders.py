"""Order statistics of EQA against all permutations."""

import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics import eqa_orders
from snellen.grading.metrics.efficiency import Episode
from snellen.grading.metrics.eqa import Ledger, eqa_exact

RUN = [Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)]
SUCCESSES = st.integers(0, 4).map(lambda quarters: Fraction(quarters, 4))
EPISODES = st.lists(st.builds(Episode, SUCCESSES, st.integers(1, 9)), min_size=1, max_size=6)


def in_all_orders(episodes: list[Episode], limit: int | None) -> list[Fraction]:
    return [Ledger.of(order, limit).integral() for order in permutations(episodes)]


def test_the_expectation_is_the_mean_of_all_24_permutations() -> None:
    # Section 5.2 no. 1.
    areas = in_all_orders(RUN, 15)
    assert len(areas) == 24
    assert sum(areas) / 24 == Fraction(81, 160)
    assert eqa_orders.expected_area(Ledger.of(RUN, 15)) == Fraction(81, 160)
    assert eqa_orders.eqa_expected(RUN, 15) == 81 / 160


def test_the_same_results_in_other_orders_give_these_values() -> None:
    # Section 5.2 no. 1: as given, failures first, best, worst.
    failures_first = [RUN[1], RUN[0], RUN[2], RUN[3]]
    spread = eqa_orders.eqa_spread(RUN, 15)
    assert round(eqa_exact(RUN, 15), 6) == 0.495833
    assert round(eqa_exact(failures_first, 15), 6) == 0.433333
    assert round(spread.highest, 6) == 0.629167
    assert round(spread.lowest, 6) == 0.383333
    assert spread.mean == 81 / 160


def test_the_best_order_takes_quick_successes_first_and_failures_last() -> None:
    ledger = eqa_orders.best_order(Ledger.of(RUN, 15))
    assert ledger.costs == (3, 5, 10, 15)
    assert ledger.successes == (1, 1, 1, 0)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(episodes=EPISODES)
def test_the_closed_forms_are_those_of_all_orders(episodes: list[Episode]) -> None:
    areas = in_all_orders(episodes, 9)
    mean = sum(areas) / len(areas)
    variance = sum((area - mean) ** 2 for area in areas) / len(areas)
    ledger = Ledger.of(episodes, 9)
    assert eqa_orders.expected_area(ledger) == mean
    assert eqa_orders.area_variance(ledger) == variance
    spread = eqa_orders.eqa_spread(episodes, 9)
    assert spread.lowest == float(min(areas))
    assert spread.highest == float(max(areas))
    assert spread.deviation == math.sqrt(variance)


def test_limits_of_their_own_travel_with_their_episodes() -> None:
    run = [Episode(1, 2, 10), Episode(0, 7, 8), Episode(0.5, 30, 30), Episode(1, 1, 5)]
    areas = in_all_orders(run, None)
    spread = eqa_orders.eqa_spread(run)
    assert spread.mean == float(sum(areas) / 24)
    assert (spread.lowest, spread.highest) == (float(min(areas)), float(max(areas)))


@pytest.mark.parametrize("episodes", [[Episode(1, 3)], [Episode(1, 3)] * 40, [Episode(0, 3)] * 5])
def test_equal_tasks_have_no_spread(episodes: list[Episode]) -> None:
    spread = eqa_orders.eqa_spread(episodes, 9)
    assert spread.deviation == 0
    assert spread.lowest == spread.mean == spread.highest == eqa_exact(episodes, 9)


def test_the_spread_takes_the_same_policies_as_the_area() -> None:
    run = [Episode(1, 20), Episode(0, 1), Episode(1, 4)]
    charged = [Episode(1, 15), Episode(0, 15), Episode(1, 4)]
    settled = eqa_orders.eqa_spread(run, 15, failed_cost="limit", over_limit="clip")
    assert settled == eqa_orders.eqa_spread(charged, 15)
    assert eqa_orders.eqa_expected(run, 15, failed_cost="limit", over_limit="clip") == settled.mean


def test_the_order_statistics_of_nothing_are_an_error() -> None:
    for statistic in (eqa_orders.eqa_expected, eqa_orders.eqa_spread):
        with pytest.raises(MetricError, match="the EQA of no episodes is not defined"):
            statistic([], 15)

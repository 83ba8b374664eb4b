"""EQA against hand-worked vectors, the definition taken literally, and its known bounds."""

import json
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.efficiency import Episode, success_rate, truncated
from snellen.grading.metrics.eqa import (
    Grid,
    Knot,
    Ledger,
    eqa,
    eqa_budget,
    eqa_exact,
    eqa_linear,
    recall_curve,
)
from snellen.grading.metrics.eqa_orders import expected_area

pytestmark = pytest.mark.compat

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "eqa_vectors.json").read_text()
)
NAMES = [vector["name"].split()[0] for vector in VECTORS]

# Section 5.4 of the reference sheet, whose table has a column that the vectors' file lacks.
SUCCESS_RATES = {
    **{"V1": Fraction(1), "V2": Fraction(1), "V3": Fraction(0), "V4": Fraction(1)},
    **{"V5": Fraction(1), "V6": Fraction(3, 4), "V6b": Fraction(3, 4), "V7": Fraction(3, 4)},
    **{"V9": Fraction(1, 2), "V12": Fraction(1), "V13": Fraction(3, 4)},
}

LIMIT = 12
SUCCESSES = st.integers(0, 4).map(lambda quarters: Fraction(quarters, 4))
EPISODES = st.lists(st.builds(Episode, SUCCESSES, st.integers(1, LIMIT)), min_size=1, max_size=12)


def episodes_of(vector: dict[str, Any]) -> list[Episode]:
    if vector["name"].startswith("V9"):
        return [Episode(1, 50), Episode(0, 50)] * 50
    return [Episode(Fraction(success), cost) for success, cost in vector["tasks"]]


def by_definition(episodes: list[Episode], limit: int, points: int, grid: Grid) -> Fraction:
    """The mean of R over the grid, R being a maximum taken anew at every point."""
    spent = list(accumulate(Fraction(episode.cost) for episode in episodes))
    solved = list(accumulate(Fraction(episode.success) for episode in episodes))
    budget = len(episodes) * limit
    last = points - 1 if grid == "closed" else points
    total = Fraction()
    for m in range(points):
        u = Fraction(m, last)
        reached = [s for s, t in zip(solved, spent, strict=True) if t / budget <= u]
        total += max(reached, default=Fraction()) / len(episodes)
    return total / points


@pytest.mark.parametrize("vector", VECTORS, ids=NAMES)
def test_every_column_of_every_vector_is_met_exactly(vector: dict[str, Any]) -> None:
    ledger = Ledger.of(episodes_of(vector), vector["t_max"])
    assert ledger.integral() == Fraction(vector["exact"])
    assert ledger.sampled() == Fraction(vector["paper_R(m/100)_101pts"])
    assert ledger.sampled(101, "half_open") == Fraction(vector["seed_R(m/101)_101pts"])
    assert ledger.sampled(100, "half_open") == Fraction(vector["R(m/100)_100pts"])
    assert ledger.by_task() == Fraction(vector["per_task_budget"])
    assert expected_area(ledger) == Fraction(vector["mean_over_orders"])


@pytest.mark.parametrize("vector", VECTORS, ids=NAMES)
def test_the_floats_are_the_fractions_rounded_once(vector: dict[str, Any]) -> None:
    episodes, limit = episodes_of(vector), vector["t_max"]
    assert eqa(episodes, limit) == float(Fraction(vector["paper_R(m/100)_101pts"]))
    half_open = eqa(episodes, limit, grid="half_open")
    assert half_open == float(Fraction(vector["seed_R(m/101)_101pts"]))
    assert eqa_exact(episodes, limit) == float(Fraction(vector["exact"]))
    assert eqa_budget(episodes, limit) == float(Fraction(vector["per_task_budget"]))


@pytest.mark.parametrize("vector", VECTORS, ids=NAMES)
def test_the_success_rates_of_the_vectors_are_met(vector: dict[str, Any]) -> None:
    rate = SUCCESS_RATES[vector["name"].split()[0]]
    assert success_rate(episodes_of(vector)) == float(rate)


def test_the_worked_example_has_these_knots() -> None:
    # Section 5.3: u = 1/12, 1/3, 23/60, 11/20; R = 0, 1/4, 1/2, 3/4.
    run = [Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)]
    assert recall_curve(run, 15) == (
        Knot(0.0, 0.0),
        Knot(1 / 12, 0.25),
        Knot(23 / 60, 0.5),
        Knot(11 / 20, 0.75),
        Knot(1.0, 0.75),
    )


def test_a_curve_that_jumps_at_the_end_of_the_budget_ends_there() -> None:
    assert recall_curve([Episode(1, 15)], 15) == (Knot(0.0, 0.0), Knot(1.0, 1.0))


def test_the_worked_example_sums_up_by_hand() -> None:
    # Section 5.3: points per height, and lengths per height.
    ledger = Ledger.of([Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)], 15)
    quarter, half, three = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
    assert ledger.sampled() == (quarter * 30 + half * 16 + three * 46) / 101
    assert ledger.sampled(grid="half_open") == (quarter * 30 + half * 17 + three * 45) / 101
    assert ledger.integral() == (quarter * 18 + half * 10 + three * 27) / 60
    assert ledger.by_task() == (Fraction(10, 15) + Fraction(12, 15) + Fraction(5, 15)) / 4


def test_no_grid_point_is_lost_to_rounding() -> None:
    # Section 5.2 no. 9: shares summed up in floats give 0.454455 and 0.491683 here.
    assert round(eqa([Episode(1, 50)] * 10, 50), 6) == 0.455446
    assert eqa([Episode(1, 50)] * 100, 50) == 0.5


@pytest.mark.parametrize(("tasks", "limit", "area"), [(10, 50, 0.989), (1, 50, 0.98)])
def test_an_ideal_run_stays_below_one(tasks: int, limit: int, area: float) -> None:
    # Section 5.2 no. 5: 1 - (N+1) / (2 N t_max).
    assert eqa_exact([Episode(1, 1)] * tasks, limit) == area


@given(tasks=st.integers(1, 40), limit=st.integers(1, 60))
def test_solving_all_at_the_limit_gives_nearly_a_half(tasks: int, limit: int) -> None:
    # Section 5.2 no. 6: (N-1) / 2N.
    ledger = Ledger.of([Episode(1, limit)] * tasks, limit)
    assert ledger.integral() == Fraction(tasks - 1, 2 * tasks)
    assert ledger.by_task() == 0


def test_giving_up_early_pays_unless_failures_cost_the_limit() -> None:
    # Section 5.2 no. 2: V7 against V6.
    early = [Episode(1, 5), Episode(0, 2), Episode(1, 3), Episode(1, 10)]
    assert Ledger.of(early, 15).integral() == Fraction(29, 48)
    assert Ledger.of(early, 15, failed_cost="limit").integral() == Fraction(119, 240)


def test_partial_success_is_charged_what_it_used() -> None:
    ledger = Ledger.of([Episode(0.5, 2), Episode(0, 2)], 10, failed_cost="limit")
    assert ledger.costs == (2, 10)


def test_limits_of_their_own_add_up_to_the_budget() -> None:
    # Section 5.2 no. 3: T_max is the sum, 50; the success comes at 15 and at 50.
    run = [Episode(1, 15, limit=15), Episode(1, 35, limit=35)]
    assert Ledger.of(run).budget == 50
    assert eqa_exact(run) == 0.5 * (1 - 15 / 50)
    assert eqa_budget(run) == 0.0


def test_an_episode_over_its_limit_is_refused() -> None:
    with pytest.raises(MetricError, match="episode 1 cost 16, over its limit 15"):
        eqa([Episode(1, 15), Episode(1, 16)], 15)


def test_a_clipped_episode_keeps_its_success_and_pays_the_limit() -> None:
    clipped = Ledger.of([Episode(1, 99), Episode(1, 3)], 10, over_limit="clip")
    assert clipped.costs == (10, 3)
    assert clipped.integral() == (Fraction(10, 20) + Fraction(7, 20)) / 2


@pytest.mark.parametrize(
    ("episodes", "limit", "message"),
    [
        ([], 15, "the EQA of no episodes is not defined"),
        ([Episode(1, 2)], None, "episode 0 has no limit, and none is given for all"),
        ([Episode(1, 2), Episode(1, 2, 50)], 15, "episode 1 has its own limit 50, but 15 is given"),
        ([Episode(1, 2)], 0, "limit must be more than 0, not 0"),
    ],
)
def test_what_has_no_area_is_an_error(
    episodes: list[Episode], limit: int | None, message: str
) -> None:
    for area in (eqa, eqa_exact, eqa_budget, eqa_linear, recall_curve):
        with pytest.raises(MetricError, match=message):
            area(episodes, limit)


def test_a_grid_needs_an_interval() -> None:
    with pytest.raises(MetricError, match="a closed grid of 1 points has no interval"):
        eqa([Episode(1, 1)], 5, points=1)
    with pytest.raises(MetricError, match="a half_open grid of 0 points has no interval"):
        eqa([Episode(1, 1)], 5, points=0, grid="half_open")
    with pytest.raises(MetricError, match="a closed grid of 1 points has no interval"):
        eqa_linear([Episode(1, 1)], 5, points=1)


@pytest.mark.parametrize(
    ("episodes", "linear", "step"),
    [
        ([Episode(1, 1)], 0.9619, 0.9307),
        ([Episode(1, 15)], 0.50, 0.0099),
        ([Episode(1, 15)] * 10, 0.50, 0.455),
    ],
)
def test_interpolating_linearly_gives_what_scalecua_gives(
    episodes: list[Episode], linear: float, step: float
) -> None:
    # PROTOCOLS 1.4, code against paper.
    assert eqa_linear(episodes, 15) == pytest.approx(linear, abs=5e-5)
    assert eqa(episodes, 15) == pytest.approx(step, abs=5e-4)


def test_the_order_of_two_tasks_halves_the_linear_reading() -> None:
    # PROTOCOLS 1.4: .456 against .209 by order alone.
    run = [Episode(1, 5), Episode(0, 15)]
    assert eqa_linear(run, 15) == pytest.approx(0.456, abs=5e-4)
    assert eqa_linear(run[::-1], 15) == pytest.approx(0.209, abs=5e-4)


def test_scalecua_at_15_is_the_run_cut_short() -> None:
    # A run of at most 50 steps read at 15: the second success comes too late to count.
    run = [Episode(1, 5), Episode(1, 40)]
    at_15 = truncated(run, 15)
    assert success_rate(at_15) == 0.5
    # Recall rises to 1/2 over the first 5 of 30 steps and stays: grid points 0..16 lie below.
    expected = (sum(0.5 * (m / 100) / (5 / 30) for m in range(17)) + 0.5 * 84) / 101
    assert eqa_linear(at_15, 15) == pytest.approx(expected, abs=1e-12)


def test_scalecua_caps_the_running_sum_only() -> None:
    # 30 and 40 of two limits of 20 end at a share of 0.75 and, capped, of 1.
    run = [Episode(1, 30), Episode(1, 40)]
    expected = (
        sum(0.5 * (m / 100) / 0.75 for m in range(76))
        + sum(0.5 + 0.5 * (m / 100 - 0.75) / 0.25 for m in range(76, 101))
    ) / 101
    assert eqa_linear(run, 20) == pytest.approx(expected, abs=1e-12)


def interpolated(episodes: list[Episode], limit: int, points: int) -> float:
    """The mean of the broken line through (0, 0) and all (u_k, S_k / N), in fractions."""
    budget, n = Fraction(limit * len(episodes)), len(episodes)
    xs = [Fraction(), *accumulate(Fraction(e.cost) / budget for e in episodes)]
    ys = [Fraction(), *accumulate(Fraction(e.success) / n for e in episodes)]
    total = Fraction()
    for m in range(points):
        x = Fraction(m, points - 1)
        if x >= xs[-1]:
            total += ys[-1]
            continue
        k = next(k for k in range(n) if xs[k] <= x < xs[k + 1])
        total += ys[k] + (ys[k + 1] - ys[k]) * (x - xs[k]) / (xs[k + 1] - xs[k])
    return float(total / points)


@given(episodes=EPISODES, points=st.integers(2, 130))
def test_the_linear_reading_averages_a_broken_line(episodes: list[Episode], points: int) -> None:
    expected = interpolated(episodes, LIMIT, points)
    assert eqa_linear(episodes, LIMIT, points=points) == pytest.approx(expected, abs=1e-12)


def test_without_success_the_linear_reading_is_zero_too() -> None:
    assert eqa_linear([Episode(0, 3), Episode(0, 9)], 15) == 0.0


@given(episodes=EPISODES, points=st.integers(2, 130), grid=st.sampled_from(["closed", "half_open"]))
def test_sampling_is_the_definition_taken_literally(
    episodes: list[Episode], points: int, grid: Grid
) -> None:
    sampled = Ledger.of(episodes, LIMIT).sampled(points, grid)
    assert sampled == by_definition(episodes, LIMIT, points, grid)


@given(episodes=EPISODES)
def test_the_integral_is_the_area_under_the_knots(episodes: list[Episode]) -> None:
    knots = recall_curve(episodes, LIMIT)
    area = sum(here.recall * (there.budget - here.budget) for here, there in pairwise(knots))
    assert eqa_exact(episodes, LIMIT) == pytest.approx(area, abs=1e-12)
    assert knots[-1].budget == 1.0
    assert knots[-1].recall == pytest.approx(success_rate(episodes))


@given(episodes=EPISODES)
def test_no_reading_exceeds_the_success_rate(episodes: list[Episode]) -> None:
    ledger = Ledger.of(episodes, LIMIT)
    rate = Fraction(sum(ledger.successes), ledger.attainable)
    # Section 5.2 no. 4: the first point of the closed grid always sees nothing.
    assert 0 <= ledger.sampled() <= rate * Fraction(100, 101)
    for area in (ledger.sampled(grid="half_open"), ledger.integral(), ledger.by_task()):
        assert 0 <= area <= rate
    assert 0 <= eqa_linear(episodes, LIMIT) <= float(rate) + 1e-12


@given(episodes=EPISODES)
def test_the_grids_lie_around_the_integral_as_they_must(episodes: list[Episode]) -> None:
    # Section 5.2 no. 8.
    ledger = Ledger.of(episodes, LIMIT)
    rate = Fraction(sum(ledger.successes), ledger.attainable)
    assert ledger.sampled(grid="half_open") <= ledger.integral()
    assert ledger.sampled() == (100 * ledger.sampled(100, "half_open") + rate) / 101
    assert abs(ledger.sampled() - ledger.integral()) <= Fraction(1, 101)


@pytest.mark.parametrize(("n", "limit"), [(1, 50), (10, 50), (35, 15), (1000, 15)])
def test_the_ideal_run_stays_below_one(n: int, limit: int) -> None:
    # Section 5.2 no. 5: 0.989 for 10 tasks of 50 steps; 0.99 and 0.9667 for many.
    area = Ledger.of([Episode(1, 1)] * n, limit).integral()
    assert area == 1 - Fraction(n + 1, 2 * n * limit)
    assert area >= 1 - Fraction(1, limit)


@pytest.mark.parametrize("n", [1, 2, 10, 100])
def test_finishing_everything_at_the_limit_is_worth_half_of_it(n: int) -> None:
    # Section 5.2 no. 6: (N - 1) / 2N, where a reading task by task gives 0.
    ledger = Ledger.of([Episode(1, 15)] * n, 15)
    assert ledger.integral() == Fraction(n - 1, 2 * n)
    assert ledger.by_task() == 0


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_success_at_the_very_end_is_seen_by_the_closed_grid_alone(n: int) -> None:
    # Section 5.2 no. 6.
    ledger = Ledger.of([*[Episode(0, 15)] * (n - 1), Episode(1, 15)], 15)
    assert ledger.integral() == ledger.sampled(grid="half_open") == 0
    assert ledger.sampled() == Fraction(1, n) / 101


@pytest.mark.parametrize(("limit", "eqa_printed", "share"), [(15, 0.10, 0.95), (50, 1.52, 0.29)])
def test_one_success_tells_where_in_the_order_it_stood(
    limit: int, eqa_printed: float, share: float
) -> None:
    # Section 5.2 no. 11: one of 47 web tasks of L4 is an SR of 2.13, and EQA / SR is 1 - u.
    before = round((1 - eqa_printed / (100 / 47)) * 47) - 1
    run = [*[Episode(0, limit)] * before, Episode(1, limit), *[Episode(0, limit)] * (46 - before)]
    assert round(100 * success_rate(run), 2) == 2.13
    found = eqa_exact(run, limit)
    assert 1 - found / success_rate(run) == pytest.approx(share, abs=0.02)
    # To the step: the success may stand anywhere within its task.
    assert 100 * found == pytest.approx(eqa_printed, abs=100 / 47 / 47)


@given(episodes=EPISODES)
def test_the_integral_keeps_its_bounds_for_full_successes(episodes: list[Episode]) -> None:
    # Section 5.2 no. 7.
    full = [Episode(int(episode.success == 1), episode.cost) for episode in episodes]
    solved, n = sum(int(episode.success) for episode in full), len(full)
    area = Ledger.of(full, LIMIT).integral()
    assert area <= Fraction(solved, n) * (1 - Fraction(solved + 1, 2 * n * LIMIT))
    assert area >= Fraction(solved * (solved - 1), 2 * n * n)


@given(episodes=EPISODES, place=st.integers(0, 11))
def test_turning_a_failure_into_a_success_never_lowers_it(
    episodes: list[Episode], place: int
) -> None:
    place %= len(episodes)
    better = [*episodes]
    better[place] = Episode(1, episodes[place].cost)
    before, after = Ledger.of(episodes, LIMIT), Ledger.of(better, LIMIT)
    assert after.sampled() >= before.sampled()
    assert after.sampled(grid="half_open") >= before.sampled(grid="half_open")
    assert after.integral() >= before.integral()
    assert after.by_task() >= before.by_task()


@given(episodes=EPISODES, place=st.integers(0, 11))
def test_one_more_step_never_raises_it(episodes: list[Episode], place: int) -> None:
    place %= len(episodes)
    assume(episodes[place].cost < LIMIT)
    slower = [*episodes]
    slower[place] = Episode(episodes[place].success, episodes[place].cost + 1)
    before, after = Ledger.of(episodes, LIMIT), Ledger.of(slower, LIMIT)
    assert after.sampled() <= before.sampled()
    assert after.integral() <= before.integral()
    assert after.by_task() <= before.by_task()


@given(episodes=EPISODES, first=st.integers(0, 11), second=st.integers(0, 11))
def test_swapping_equal_tasks_changes_nothing(
    episodes: list[Episode], first: int, second: int
) -> None:
    first, second = first % len(episodes), second % len(episodes)
    tasks = [*episodes]
    tasks[second] = Episode(tasks[first].success, tasks[first].cost)
    swapped = [*tasks]
    swapped[first], swapped[second] = tasks[second], tasks[first]
    assert eqa(tasks, LIMIT) == eqa(swapped, LIMIT)


@given(episodes=EPISODES, scale=st.sampled_from([Fraction(1, 3), 7, 0.125, 2.0**-40]))
def test_the_unit_of_cost_does_not_matter(
    episodes: list[Episode], scale: int | float | Fraction
) -> None:
    # Steps, tokens or seconds; all four scales are exact, so are all products.
    unit = Fraction(scale)
    scaled = [Episode(e.success, Fraction(e.cost) * unit) for e in episodes]
    assert Ledger.of(scaled, unit * LIMIT).sampled() == Ledger.of(episodes, LIMIT).sampled()


def test_floats_are_taken_for_what_they_are() -> None:
    # The float 0.1 is a little more than a tenth, and ten of them are not summed up in floats.
    with pytest.raises(MetricError, match="over its limit 1/10"):
        eqa([Episode(1, 0.1)], Fraction(1, 10))
    assert Ledger.of([Episode(1, 0.1)] * 10, 0.1).sampled() == Fraction(46, 101)
    assert Ledger.of([Episode(1, 0.1)] * 10, 0.1).integral() == Fraction(9, 20)


def test_a_float_and_its_fraction_give_the_same_ledger() -> None:
    floats = [Episode(0.5, 2.5), Episode(1.0, 4.0)]
    fractions = [Episode(Fraction(1, 2), Fraction(5, 2)), Episode(1, 4)]
    assert Ledger.of(floats, 5.0) == Ledger.of(fractions, 5)

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.stats.stratified import Strata, population_estimate


def strata(drawn: list[int], sizes: list[int]) -> Strata:
    return Strata(np.repeat(np.arange(len(drawn)), drawn), np.array(sizes))


def coins(rng: np.random.Generator, count: int, share: float) -> NDArray[np.float64]:
    """Draw values of 0 and 1."""
    return np.array(rng.random(count) < share, dtype=np.float64)


def test_the_worked_example_by_hand() -> None:
    # W = 0.6, 0.3, 0.1; means 0.75, 0.5, 1; the third stratum is drawn whole.
    values = [1, 1, 1, 0, 1, 0, 0, 1, 1, 1]
    found = population_estimate(values, strata([4, 4, 2], [12, 6, 2]))
    assert found.value == pytest.approx(0.6 * 0.75 + 0.3 * 0.5 + 0.1)
    # s^2 = 0.25 and 1/3; 1 - f = 2/3 and 1/3.
    variance = 0.36 * (2 / 3) * 0.25 / 4 + 0.09 * (1 / 3) * (1 / 3) / 4
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert (found.items, found.clusters) == (10, 10)


def test_over_all_samples_mean_and_variance_are_right_on_average() -> None:
    population = [[0.0, 0.2, 1.0, 1.0, 0.5], [1.0, 0.9, 0.1, 0.4]]
    truth = sum(map(sum, population)) / 9
    found = [
        population_estimate([*one, *other], strata([2, 3], [5, 4]))
        for one in itertools.combinations(population[0], 2)
        for other in itertools.combinations(population[1], 3)
    ]
    means = np.array([each.value for each in found])
    variances = np.array([(each.standard_error or 0) ** 2 for each in found])
    assert means.mean() == pytest.approx(truth)
    assert variances.mean() == pytest.approx(means.var())


def test_wholes_of_equal_size_are_right_on_average_or_too_careful() -> None:
    sites = [[1, 1, 1], [0, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]]
    truth = np.mean(sites)
    units, counts = np.repeat(np.arange(3), 3), np.array([5])
    drawn = Strata(np.zeros(9, np.int64), np.array([15]), units, counts)
    found = [
        population_estimate(np.concatenate(chosen), drawn)
        for chosen in itertools.combinations([np.array(site, float) for site in sites], 3)
    ]
    means = np.array([each.value for each in found])
    assert means.mean() == pytest.approx(truth)
    assert np.mean([(each.standard_error or 0) ** 2 for each in found]) >= means.var()
    assert {each.clusters for each in found} == {3}


def test_wholes_of_unequal_size_make_a_ratio_by_hand() -> None:
    # Two of four sites: 3 of 4 right and 1 of 2. Ratio 4/6; residuals 1/3 and -1/3.
    drawn = Strata(
        np.zeros(6, np.int64), np.array([12]), np.array([0, 0, 0, 0, 1, 1]), np.array([4])
    )
    found = population_estimate([1, 1, 1, 0, 1, 0], drawn)
    assert found.value == pytest.approx(4 / 6)
    clustered = ((1 / 3) ** 2 / (1 - 4 / 6) + (1 / 3) ** 2 / (1 - 2 / 6)) / 36
    alone = (4 / 6) * (2 / 6) / 5
    assert found.standard_error == pytest.approx(math.sqrt(0.5 * max(clustered, alone)))


def test_a_sample_of_everything_is_certain() -> None:
    found = population_estimate([1, 0, 1, 1], strata([2, 2], [2, 2]))
    assert found.interval is not None
    assert (found.value, found.standard_error) == (0.75, 0.0)
    assert (found.interval.low, found.interval.high) == (0.75, 0.75)
    assert found.interval.method == "no sample, all items"


def test_what_was_drawn_whole_adds_no_width() -> None:
    alone = population_estimate([1, 0, 1, 0, 1], strata([5], [50]))
    beside = population_estimate([*[1, 0] * 25, 1, 0, 1, 0, 1], strata([50, 5], [50, 50]))
    assert alone.standard_error is not None
    assert beside.standard_error == pytest.approx(alone.standard_error / 2)


def test_no_spread_at_all_is_no_certainty() -> None:
    found = population_estimate([1.0] * 8, strata([4, 4], [10, 30]))
    assert found.interval is not None
    assert found.interval.method == "wilson, all equal"
    assert 0.4 < found.interval.low < 0.9
    assert found.interval.high == 1
    few = population_estimate([0.0, *[1.0] * 4], strata([1, 4], [1, 400])).interval
    assert few is not None
    assert few.low < 0.6
    assert few.high == pytest.approx(400 / 401)


def test_a_stratum_of_which_one_was_drawn_lends_its_distance_from_the_mean() -> None:
    found = population_estimate([1, 0, 1, 0, 0], strata([4, 1], [40, 40]))
    mean = (0.5 + 0) / 2
    variance = 0.25 * 0.9 * (1 / 3) / 4 + 0.25 * (39 / 40) * (0 - mean) ** 2
    assert found.standard_error == pytest.approx(math.sqrt(variance))


def test_strata_that_differ_make_the_mean_surer_than_a_plain_sample() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.random(50) < 0.95, rng.random(50) < 0.1]) * 1.0
    effect = population_estimate(values, strata([50, 50], [500, 500])).design_effect
    assert effect is not None
    assert effect < 0.5


@given(st.lists(st.floats(0, 1), min_size=6, max_size=20), st.integers(0, 50))
def test_the_interval_holds_the_mean_and_stays_in_bounds(values: list[float], more: int) -> None:
    cut = len(values) // 2
    found = population_estimate(
        values, strata([cut, len(values) - cut], [cut + more, len(values) - cut + 7])
    )
    assert found.interval is not None
    assert -1e-9 <= found.interval.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.interval.high <= 1 + 1e-9


@pytest.mark.parametrize(
    ("given_strata", "message"),
    [
        (strata([2], [9]), "as many codes"),
        (strata([3], [2]), "3 items drawn and 2 in all"),
        (strata([3], [9, 9]), "0 items drawn and 9 in all"),
        (
            Strata(np.zeros(3, np.int64), np.array([9]), np.arange(3), np.array([2])),
            "3 units drawn and 2 in all",
        ),
    ],
)
def test_strata_that_do_not_fit_are_refused(given_strata: Strata, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        population_estimate([0, 1, 1], given_strata)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(("mean", "least"), [(0.5, 0.925), (0.7, 0.925), (0.9, 0.91)])
@pytest.mark.parametrize("design", ["2 each", "a fifth", "5, core whole"])
def test_the_interval_covers_the_population_as_often_as_promised(
    mean: float, least: float, design: str
) -> None:
    rng = np.random.default_rng(int(100 * mean))
    means = np.clip(mean + rng.uniform(-0.3, 0.3, 16), 0.02, 0.98)
    sizes = rng.integers(20, 200, 16)
    core = np.where(np.arange(16) < 4, sizes, 5)
    drawn = {"2 each": np.full(16, 2), "a fifth": np.maximum(2, sizes // 5), "5, core whole": core}
    counts = drawn[design].tolist()
    hits = 0
    for _ in range(1500):
        population = [
            coins(rng, size, share) for share, size in zip(means, sizes.tolist(), strict=True)
        ]
        values = [
            rng.permutation(each)[:count] for each, count in zip(population, counts, strict=True)
        ]
        truth = np.concatenate(population).mean()
        found = population_estimate(np.concatenate(values), strata(counts, sizes.tolist()))
        assert found.interval is not None
        hits += found.interval.low - 1e-12 <= truth <= found.interval.high + 1e-12
    print(f"stratified, {design}, mean {mean}: {100 * hits / 1500:.1f} %")
    assert least <= hits / 1500 <= 0.98


@pytest.mark.thorough
@pytest.mark.slow
def test_the_interval_of_sites_drawn_whole_covers_the_population() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(1500):
        sites: list[tuple[int, NDArray[np.float64]]] = [
            (stratum, coins(rng, int(rng.integers(1, 9)), rng.beta(4, 3)))
            for stratum in range(3)
            for _ in range(60)
        ]
        truth = np.concatenate([values for _, values in sites]).mean()
        places = [rng.permutation(60)[:15].tolist() for _ in range(3)]
        chosen: list[int] = [
            60 * stratum + place for stratum in range(3) for place in places[stratum]
        ]
        drawn = Strata(
            codes=np.concatenate([np.full(len(sites[site][1]), sites[site][0]) for site in chosen]),
            items=np.array([sum(len(v) for s, v in sites if s == stratum) for stratum in range(3)]),
            units=np.concatenate([np.full(len(sites[site][1]), site) for site in chosen]),
            unit_counts=np.array([60, 60, 60]),
        )
        found = population_estimate(np.concatenate([sites[site][1] for site in chosen]), drawn)
        assert found.interval is not None
        hits += found.interval.low <= truth <= found.interval.high
    print(f"stratified, sites whole: {100 * hits / 1500:.1f} %")
    assert 0.93 <= hits / 1500 <= 0.98

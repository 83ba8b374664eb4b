import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.stats.precision import Expected, half_width, required_for_half_width
from snellen.grading.stats.stratified import Strata, population_estimate
from snellen.grading.stats.summary import estimate


def width(values: list[float], codes: np.ndarray | None = None) -> float:
    interval = estimate(values, codes).interval
    assert interval is not None
    return (interval.high - interval.low) / 2


@pytest.mark.parametrize(("right", "items"), [(70, 100), (7, 10), (950, 1000)])
def test_it_is_what_a_report_prints_for_such_items(right: int, items: int) -> None:
    values = [1.0] * right + [0.0] * (items - right)
    assert half_width(items, Expected(right / items)) == pytest.approx(width(values))


def test_clusters_widen_it_as_they_widen_a_report() -> None:
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(400), 5)
    # Half of all pages are alike throughout: an intraclass correlation of 0.5.
    shared, own = (rng.random(400) < 0.6) * 1.0, (rng.random(2000) < 0.6) * 1.0
    values = np.where(np.repeat(rng.random(400) < 0.5, 5), np.repeat(shared, 5), own)
    expected = Expected(float(values.mean()), cluster_size=5, icc=0.5)
    assert half_width(2000, expected) == pytest.approx(width(values.tolist(), codes), rel=0.1)
    assert expected.design_effect == 3


def test_a_population_narrows_it_as_a_report_on_a_sample_says() -> None:
    values = [1.0] * 70 + [0.0] * 30
    found = population_estimate(values, Strata(np.zeros(100, np.int64), np.array([250])))
    assert found.interval is not None
    printed = (found.interval.high - found.interval.low) / 2
    assert half_width(100, Expected(0.7, population=250)) == pytest.approx(printed, rel=0.02)
    assert half_width(250, Expected(0.7, population=250)) == 0


@given(
    st.floats(0.01, 0.2),
    st.floats(0.05, 0.95),
    st.floats(1, 8),
    st.floats(0, 1),
    st.none() | st.integers(50, 5000),
)
def test_the_items_required_are_the_fewest_that_do(
    half: float, share: float, size: float, icc: float, population: int | None
) -> None:
    expected = Expected(share, size, icc, population)
    items = required_for_half_width(half, expected)
    assert half_width(items, expected) <= half
    if items > 2 * size + 1:
        assert half_width(items - 1, expected) > half


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(MetricError, match="score must lie"):
        Expected(share=1.2)
    with pytest.raises(MetricError, match="at least one item"):
        Expected(cluster_size=0.5)
    with pytest.raises(MetricError, match="intraclass correlation"):
        Expected(icc=-0.1)
    with pytest.raises(MetricError, match="at least two items"):
        Expected(population=1)
    with pytest.raises(MetricError, match="300 items can't be drawn from 200"):
        half_width(300, Expected(population=200))
    with pytest.raises(MetricError, match="two clusters"):
        half_width(5, Expected(cluster_size=4))
    with pytest.raises(MetricError, match="must be positive"):
        required_for_half_width(0, Expected())
    with pytest.raises(MetricError, match="more than 1,000,000,000 items"):
        required_for_half_width(1e-6, Expected())

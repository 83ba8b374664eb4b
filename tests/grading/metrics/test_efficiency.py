"""Episodes, success rates, EQA/SR, SR-EQA and platform means, with rows of MMBench-GUI's tables."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.efficiency import (
    Amount,
    Episode,
    efficiency_gap,
    efficiency_ratio,
    platform_mean,
    success_rate,
    truncated,
)
from snellen.grading.metrics.eqa import eqa_exact

# MMBench-GUI L3 and L4 tables: SR, EQA for Windows, macOS, Linux, Android, Web, then the average.
Row = tuple[float | None, ...]
L3_COUNTS = {"windows": 145, "macos": 35, "linux": 268, "android": 116, "web": 155}
L4_COUNTS = {"windows": 35, "macos": 35, "linux": 101, "android": 30, "web": 47}
L3: dict[tuple[str, int], Row] = {
    ("GPT-4o", 15): (5.56, 3.27, 0.0, 0.0, 6.83, 4.35, 18.97, 8.93, 1.94, 1.53, 7.14, 4.05),
    ("Claude-3.7", 15): (7.09, 4.28, 8.57, 2.76, 7.43, 4.2, 11.21, 3.49, 1.94, 1.46, 6.84, 3.44),
    ("UI-TARS-1.5-7B", 50): (
        *(15.86, 11.29, 11.43, 7.03, 29.82, 21.26, 31.58, 22.15, 14.19, 9.22, 23.02, 16.1),
    ),
    ("GPT-4o+UGround", 50): (
        *(20.73, 11.89, 5.71, 3.18, 19.48, 10.91, 47.41, 37.19, 26.45, 22.5, 25.07, 17.5),
    ),
}
L4: dict[tuple[str, int], Row] = {
    ("Claude-3.7", 15): (3.57, 1.61, 2.86, 2.01, 7.32, 4.76, 0.0, 0.0, 2.13, 0.03, 4.3, 2.46),
    ("GPT-4o", 15): (7.49, 5.9, 0.0, 0.0, 3.5, 2.41, 0.0, 0.0, 2.13, 0.1, 2.85, 1.8),
    ("UI-TARS-1.5-7B", 15): (
        *(3.21, 3.01, 2.86, 0.82, 4.95, 3.98, 6.67, 6.58, None, None, 3.68, 2.96),
    ),
    ("UI-TARS-1.5-7B", 50): (
        *(6.24, 6.0, 2.86, 0.89, 7.63, 5.5, 13.33, 13.07, None, None, 6.0, 4.78),
    ),
    ("Qwen2.5-VL-72B", 15): (
        *(6.24, 4.2, 0.0, 0.0, 2.53, 1.65, 6.67, 6.08, None, None, 3.35, 2.47),
    ),
    ("Qwen2.5-VL-72B", 50): (
        *(6.24, 5.23, 0.0, 0.0, 1.62, 1.31, 6.67, 6.51, None, None, 2.9, 2.82),
    ),
}


def cells(row: Row, column: int) -> dict[str, float | None]:
    return dict(zip(L3_COUNTS, row[column:10:2], strict=True))


def test_the_success_rate_is_the_mean_with_partial_credit() -> None:
    assert success_rate([Episode(Fraction(1, 2), 5), Episode(1, 5)]) == 0.75


@given(st.lists(st.integers(0, 100), min_size=1))
def test_the_success_rate_is_rounded_only_once(percents: list[int]) -> None:
    episodes = [Episode(Fraction(p, 100), 1) for p in percents]
    assert success_rate(episodes) == float(Fraction(sum(percents), 100 * len(percents)))


def test_the_success_rate_of_nothing_is_an_error() -> None:
    with pytest.raises(MetricError, match="the success rate of no episodes is not defined"):
        success_rate([])


@pytest.mark.parametrize(
    ("success", "cost", "limit", "message"),
    [
        (1.5, 1, None, "success must lie in 0..1, not 1.5"),
        (-0.5, 1, None, "success must lie in 0..1, not -0.5"),
        (float("nan"), 1, None, "success must be finite, not nan"),
        (1, 0, None, "cost must be more than 0, not 0"),
        (1, float("inf"), None, "cost must be finite, not inf"),
        (1, 3, -1, "limit must be more than 0, not -1"),
        (1, np.int64(3), None, "cost must be an int, float or Fraction, not int64"),
    ],
)
def test_an_episode_outside_its_ranges_is_refused(
    success: Amount, cost: Amount, limit: Amount | None, message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        Episode(success, cost, limit)


def test_cutting_a_run_short_fails_what_took_longer() -> None:
    run = [Episode(0.5, 15), Episode(1, 16), Episode(0, 50, limit=50)]
    cut = (Episode(0.5, 15, 15), Episode(0, 15, 15), Episode(0, 15, 15))
    assert truncated(run, 15) == cut


def test_the_worked_example_has_this_ratio_and_gap() -> None:
    # Section 5.3: 0.661111 and 0.254167.
    run = [Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)]
    area, rate = eqa_exact(run, 15), success_rate(run)
    assert round(efficiency_ratio(eqa=area, sr=rate) or 0, 6) == 0.661111
    assert round(efficiency_gap(eqa=area, sr=rate), 6) == 0.254167


@pytest.mark.parametrize(
    ("model", "steps", "ratio", "gap"),
    [
        ("GPT-4o", 15, 0.567, 3.09),
        ("Claude-3.7", 15, 0.503, 3.40),
        ("UI-TARS-1.5-7B", 50, 0.699, 6.92),
        ("GPT-4o+UGround", 50, 0.698, 7.57),
    ],
)
def test_averages_of_l3_give_the_ratios_and_gaps_of_table_9(
    model: str, steps: int, ratio: float, gap: float
) -> None:
    # Section 7.5; worked out by hand from the printed averages.
    rate, area = L3[model, steps][10:]
    assert rate is not None
    assert area is not None
    assert efficiency_ratio(eqa=area, sr=rate) == pytest.approx(ratio, abs=5e-4)
    assert efficiency_gap(eqa=area, sr=rate) == pytest.approx(gap, abs=5e-3)


def test_without_success_there_is_no_ratio() -> None:
    assert efficiency_ratio(eqa=0.0, sr=0.0) is None
    assert efficiency_gap(eqa=0.0, sr=0.0) == 0.0


@pytest.mark.parametrize(("eqa", "sr"), [(float("nan"), 0.5), (0.2, float("inf")), (-0.1, 0.5)])
def test_ratio_and_gap_refuse_what_is_no_score(eqa: float, sr: float) -> None:
    for compare in (efficiency_ratio, efficiency_gap):
        with pytest.raises(MetricError, match="SR and EQA must be finite and not negative"):
            compare(eqa=eqa, sr=sr)


@pytest.mark.parametrize(("model", "steps"), L3)
def test_averages_of_l3_are_means_weighted_by_tasks(model: str, steps: int) -> None:
    # Section 7.5: all averages fit but one, 17.50 printed for 17.470.
    row = L3[model, steps]
    misfits = {("GPT-4o+UGround", 50, 11): 17.470}
    for column, printed in ((0, row[10]), (1, row[11])):
        expected = misfits.get((model, steps, 10 + column), printed)
        mean = platform_mean(cells(row, column), L3_COUNTS)
        assert mean == pytest.approx(expected, abs=0.011)


def test_the_misfits_of_the_published_tables_are_noticed() -> None:
    # Sections 7.5 and 7.6: the check finds what is wrong, too.
    row = L3["GPT-4o+UGround", 50]
    assert abs(platform_mean(cells(row, 1), L3_COUNTS) - 17.50) > 0.011
    row = L4["GPT-4o", 15]
    assert platform_mean(cells(row, 0), L4_COUNTS) == pytest.approx(2.886, abs=5e-4)
    assert platform_mean(cells(row, 1), L4_COUNTS) == pytest.approx(1.833, abs=5e-4)


@pytest.mark.parametrize("column", [0, 1])
def test_a_complete_row_of_l4_fits_under_any_policy(column: int) -> None:
    row = L4["Claude-3.7", 15]
    for policy in ("reject", "skip", "zero"):
        mean = platform_mean(cells(row, column), L4_COUNTS, policy)
        assert mean == pytest.approx(row[10 + column], abs=0.011)


def test_the_published_l4_table_counts_an_empty_cell_both_as_zero_and_not_at_all() -> None:
    # Section 7.6: UI-TARS's web is 0 over 248, Qwen2.5-VL's is left out.
    for steps, printed in ((15, 3.68), (50, 6.0)):
        rates = cells(L4["UI-TARS-1.5-7B", steps], 0)
        assert platform_mean(rates, L4_COUNTS, "zero") == pytest.approx(printed, abs=0.011)
    for steps, printed in ((15, 3.35), (50, 2.90)):
        rates = cells(L4["Qwen2.5-VL-72B", steps], 0)
        assert platform_mean(rates, L4_COUNTS, "skip") == pytest.approx(printed, abs=0.011)
    areas = cells(L4["Qwen2.5-VL-72B", 50], 1)
    assert platform_mean(areas, L4_COUNTS, "skip") == pytest.approx(2.54, abs=5e-3)
    assert platform_mean(areas, L4_COUNTS, "zero") == pytest.approx(2.06, abs=5e-3)


def test_a_missing_platform_needs_a_policy() -> None:
    with pytest.raises(MetricError, match="no value for web: choose missing='skip'"):
        platform_mean({"linux": 0.5}, {"linux": 3, "web": 1})


def test_a_platform_without_tasks_is_not_missing() -> None:
    assert platform_mean({"linux": 0.5}, {"linux": 3, "ios": 0}) == 0.5


@pytest.mark.parametrize(
    ("values", "counts", "message"),
    [
        ({}, {}, "the mean over platforms without tasks is not defined"),
        ({"web": None}, {"web": 0}, "the mean over platforms without tasks is not defined"),
        ({"web": 0.5, "mac": 1.0}, {"web": 1}, "no task count for mac"),
        ({"web": 0.5}, {"web": -1}, "negative task count for web"),
        ({"web": float("nan")}, {"web": 2}, "the value of web is not finite"),
    ],
)
def test_a_mean_that_is_not_defined_is_an_error(
    values: dict[str, float | None], counts: dict[str, int], message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        platform_mean(values, counts)


def test_skipping_all_platforms_leaves_nothing_to_average() -> None:
    with pytest.raises(MetricError, match="without tasks"):
        platform_mean({"web": None}, {"web": 4}, "skip")
    assert platform_mean({"web": None}, {"web": 4}, "zero") == 0.0


@given(st.dictionaries(st.text(), st.tuples(st.floats(0, 1), st.integers(1, 500)), min_size=1))
def test_a_platform_mean_lies_between_its_values(table: dict[str, tuple[float, int]]) -> None:
    values: dict[str, float | None] = {name: value for name, (value, _) in table.items()}
    counts = {name: count for name, (_, count) in table.items()}
    mean = platform_mean(values, counts)
    lowest, highest = min(v for v, _ in table.values()), max(v for v, _ in table.values())
    assert lowest - 1e-12 <= mean <= highest + 1e-12

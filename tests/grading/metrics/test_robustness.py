"""R, sensitivity, flips and bounds, with the rows of WebRSSBench's Table 2."""

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.robustness import (
    flips,
    robustness,
    robustness_index,
    unchanged_bounds,
    unchanged_share,
)

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)

# WebRSSBench Table 2, color: before, after, printed drop, in points; Table 4: unchanged share;
# section 7.1: R of the printed drop.
COLOR = {
    "GPT-5": (75.7, 68.9, 6.8, 75.88, 66.0),
    "Claude-4-Sonnet": (68.3, 59.0, 9.3, 70.54, 53.5),
    "Gemini 2.5-Pro": (75.0, 65.9, 9.1, 74.06, 54.5),
    "Pixtral-Large": (38.7, 31.9, 6.8, 52.86, 66.0),
    "InternVL3-78B": (74.7, 64.0, 10.7, 74.21, 46.5),
    "Qwen2.5-VL-72B": (76.8, 67.9, 8.9, 74.39, 55.5),
    "Qwen-vl-plus": (64.8, 60.2, 4.6, 75.12, 77.0),
    "Qwen2.5-VL-32B": (42.0, 39.1, 2.9, 64.69, 85.5),
    "Intern-S1": (73.0, 66.1, 6.8, 78.35, 66.0),
    "Llama4-Scout17B": (60.1, 55.3, 4.8, 76.69, 76.0),
    "Pixtral-12B": (36.6, 30.5, 6.1, 61.24, 69.5),
    "Qwen2.5-VL-7B": (63.9, 59.3, 4.7, 71.72, 76.5),
}


@pytest.mark.parametrize(("points", "r"), [(0, 100), (4.5, 77.5), (13.2, 34.0), (20, 0), (25, -25)])
def test_r_falls_by_five_with_every_point(points: float, r: float) -> None:
    # Section 1.6.
    assert robustness_index(points / 100) == pytest.approx(r, abs=1e-9)
    assert robustness_index(-points / 100) == pytest.approx(r, abs=1e-9)


@pytest.mark.parametrize("model", COLOR)
def test_r_of_the_printed_drops_is_as_worked_out(model: str) -> None:
    _, _, drop, _, r = COLOR[model]
    assert robustness_index(drop / 100) == pytest.approx(r, abs=1e-9)


@pytest.mark.parametrize("model", COLOR)
def test_the_printed_drops_are_those_of_the_means_to_the_last_digit(model: str) -> None:
    # Section 7.1: rounding before the difference moves some by 0.1.
    before, after, drop, _, _ = COLOR[model]
    assert robustness([before / 100], [after / 100]).drop * 100 == pytest.approx(drop, abs=0.1001)


@pytest.mark.parametrize("model", COLOR)
def test_the_published_unchanged_shares_are_possible(model: str) -> None:
    # Section 1.6: all twelve rows satisfy the bounds.
    before, after, _, unchanged, _ = COLOR[model]
    assert unchanged_bounds(before / 100, after / 100).hold(unchanged / 100)


def test_an_impossible_unchanged_share_is_noticed() -> None:
    bounds = unchanged_bounds(0.9, 0.7)
    assert not bounds.hold(0.81)
    assert not bounds.hold(0.59)
    assert bounds.hold(0.805, tolerance=0.01)


def test_a_loss_of_half_the_score_is_a_sensitivity_of_a_half() -> None:
    result = robustness([0.5, 0.3], [0.2, 0.2], unchanged=0.25)
    assert result.before == pytest.approx(0.4)
    assert result.after == pytest.approx(0.2)
    assert result.delta == result.drop == pytest.approx(0.2)
    assert result.r == pytest.approx(0, abs=1e-9)
    assert result.sensitivity == pytest.approx(0.5)
    assert result.unchanged == 0.25
    assert result.n == 2


def test_an_improvement_has_a_negative_delta_and_lowers_r_too() -> None:
    result = robustness([0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
    assert (result.delta, result.drop) == (-0.25, 0.25)
    assert (result.r, result.r_clamped) == (-25.0, 0.0)


@pytest.mark.parametrize("before", [[0.0, 0.0], [-0.2, 0.1]])
def test_there_is_no_sensitivity_where_nothing_could_be_lost(before: list[float]) -> None:
    assert robustness(before, [0.1, 0.1]).sensitivity is None


def test_the_unchanged_share_is_none_unless_it_is_given() -> None:
    assert robustness([1.0], [1.0]).unchanged is None


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1))
def test_swapping_before_and_after_only_turns_the_sign(pairs: list[tuple[float, float]]) -> None:
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = robustness(before, after), robustness(after, before)
    assert there.delta == -back.delta
    assert there.r == back.r <= 100
    assert there.r_clamped == max(there.r, 0)
    assert there.r >= -400


@given(PAIRS)
def test_the_means_are_those_of_the_flips(pairs: list[tuple[bool, bool]]) -> None:
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    table, result = flips(before, after), robustness(before, after)
    assert table.n == result.n == len(pairs)
    assert result.before == (table.both_right + table.broke) / table.n
    assert result.after == (table.both_right + table.fixed) / table.n
    assert result.delta == pytest.approx((table.broke - table.fixed) / table.n)


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), min_size=1))
def test_real_answers_keep_the_bounds(answers: list[tuple[str, str]]) -> None:
    before, after = [a for a, _ in answers], [b for _, b in answers]
    share = unchanged_share(before, after, str.__eq__)
    clean = float(Fraction(before.count("A"), len(before)))
    perturbed = float(Fraction(after.count("A"), len(after)))
    assert unchanged_bounds(clean, perturbed).hold(share, tolerance=1e-12)


def test_the_equality_decides_what_is_unchanged() -> None:
    before, after = ["Buy now", "Log in"], ["buy now", "Sign up"]
    assert unchanged_share(before, after, str.__eq__) == 0.0
    assert unchanged_share(before, after, lambda a, b: a.lower() == b.lower()) == 0.5


@pytest.mark.parametrize("bad", [None, math.nan, math.inf, 75.7])
def test_a_score_that_is_none_not_a_number_or_a_percentage_is_an_error(bad: float | None) -> None:
    with pytest.raises(MetricError, match=r"item 1 scores .* before; scores lie in 0..1"):
        robustness([1.0, bad], [1.0, 1.0])
    with pytest.raises(MetricError, match=r"item 1 scores .* after; scores lie in 0..1"):
        robustness([1.0, 1.0], [1.0, bad])


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([], [], "the robustness of no items is not defined"),
        ([True], [], "1 items before and 0 after"),
    ],
)
def test_unpaired_or_no_items_are_an_error(
    before: Sequence[bool], after: Sequence[bool], message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        robustness(before, after)
    with pytest.raises(MetricError, match=message):
        flips(before, after)
    with pytest.raises(MetricError, match=message):
        unchanged_share(before, after, bool.__eq__)


def test_bounds_and_r_refuse_what_is_no_score() -> None:
    with pytest.raises(MetricError, match=r"an accuracy must lie in 0..1, not 75.7"):
        unchanged_bounds(75.7, 68.9)
    with pytest.raises(MetricError, match="R of a gap of nan is not defined"):
        robustness_index(math.nan)

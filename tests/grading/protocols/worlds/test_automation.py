"""The tables of MMBench-GUI L3 and L4, against worked values."""

import pytest

from snellen.grading.errors import MetricError
from snellen.grading.metrics.efficiency import Episode, truncated
from snellen.grading.metrics.eqa import eqa, eqa_exact
from snellen.grading.protocols.worlds.automation import (
    READINGS,
    Loss,
    Missing,
    Rate,
    Run,
    automation,
    losses,
)

# BENCHMARKS 5.3 and 5.4: V6, limit 15.
V6 = Run([1, 0, 1, 1], [5, 15, 3, 10], ["linux"] * 4)


def test_one_platform_has_the_worked_values_in_every_reading() -> None:
    linux = automation(V6, 15, missing="skip").by_platform["linux"]
    assert linux is not None
    assert (linux.sr, linux.n) == (0.75, 4)
    assert linux.eqa["exact"] == 119 / 240
    assert linux.eqa["paper"] == 50 / 101
    assert linux.eqa["half_open"] == 199 / 404
    assert linux.eqa["budget"] == 9 / 20
    assert linux.eqa["expected"] == 81 / 160
    assert linux.eqa.keys() == READINGS.keys()


def test_the_average_weighs_platforms_by_their_tasks_and_is_not_that_of_one_row() -> None:
    run = Run([*V6.successes, 1], [*V6.costs, 3], [*V6.platforms, "web"])
    found = automation(run, 15, missing="skip")
    assert found.average.sr == 0.8
    assert found.average.eqa["exact"] == pytest.approx((4 * 119 / 240 + 0.8) / 5, abs=1e-15)
    pooled = eqa_exact([Episode(s, c or 15) for s, c in zip(run[0], run[1], strict=True)], 15)
    assert found.average.eqa["exact"] != pytest.approx(pooled, abs=1e-3)


def test_a_platform_that_was_not_run_is_skipped_or_zero_as_said() -> None:
    run = V6._replace(
        successes=[1, 0, 1, 0],
        platforms=["linux", "linux", "linux", "web"],
        answered=[True, True, True, False],
    )
    skip = automation(run, 15, missing="skip")
    zero = automation(run, 15, missing="zero")
    assert skip.by_platform["web"] is None
    assert (skip.average.sr, skip.average.n) == (2 / 3, 3)
    assert (zero.average.sr, zero.average.n) == (0.5, 4)
    assert zero.average.eqa["paper"] == pytest.approx(skip.average.eqa["paper"] * 3 / 4, abs=1e-15)
    # A platform that only the counts know of.
    more = automation(V6, 15, missing="zero", counts={"macos": 4})
    assert (more.by_platform["macos"], more.average.sr) == (None, 0.375)


def test_a_task_without_an_episode_on_a_platform_that_was_run_used_up_its_limit() -> None:
    run = Run([1, 0, 1], [5, None, None], ["web"] * 3, [True, False, True])
    web = automation(run, 10, missing="skip").by_platform["web"]
    assert web is not None
    expected = [Episode(1, 5), Episode(0, 10), Episode(1, 10)]
    assert web.eqa["paper"] == eqa(expected, 10)
    assert web.sr == 2 / 3


def test_an_episode_over_the_limit_keeps_its_success_unless_the_run_is_cut_first() -> None:
    over = Run([1, 1], [5, 20], ["web"] * 2)
    assert automation(over, 15, missing="skip").average.sr == 1.0
    cut = truncated([Episode(1, 5), Episode(1, 20)], 15)
    run = Run([float(e.success) for e in cut], [float(e.cost) for e in cut], ["web"] * 2)
    assert automation(run, 15, missing="skip").average.sr == 0.5


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (V6._replace(costs=[1]), r"columns of a run differ in length: \[1, 4\]"),
        (V6._replace(answered=[False] * 4), "a task without an episode has the success 1"),
        (V6._replace(platforms=["web"] * 3 + [None]), "a task has no platform"),
        (V6._replace(costs=[0, 1, 1, 1]), "cost must be more than 0"),
        (V6._replace(successes=[2, 0, 0, 0]), r"success must lie in 0\.\.1"),
        (Run([], [], []), "without episodes is not defined"),
        (Run([0], [None], ["web"], [False]), "without episodes is not defined"),
    ],
)
def test_what_a_run_cant_be_scored_from_is_an_error(run: Run, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        automation(run, 15, missing="skip")


def test_a_limit_of_nothing_and_a_wrong_count_are_errors() -> None:
    with pytest.raises(MetricError, match="limit must be more than 0"):
        automation(V6, 0, missing="skip")
    with pytest.raises(MetricError, match="4 tasks are for linux, and counts says 5"):
        automation(V6, 15, missing="skip", counts={"linux": 5})


def test_an_empty_web_cell_of_l4_divides_by_all_tasks_or_by_those_that_were_run() -> None:
    counts = {"windows": 35, "macos": 35, "linux": 101, "android": 30, "web": 47}
    policies: tuple[tuple[Missing, int], ...] = (("skip", 201), ("zero", 248))
    for policy, n in policies:
        solved = {"windows": 2, "macos": 0, "linux": 5, "android": 1}
        successes = [
            float(place < wins) for name, wins in solved.items() for place in range(counts[name])
        ]
        platforms = [name for name in solved for _ in range(counts[name])]
        run = Run(successes, [1] * len(successes), platforms)
        found = automation(run, 15, missing=policy, counts=counts)
        assert found.average.sr == pytest.approx(8 / n, abs=1e-15)


def test_the_table_of_losses_subtracts_line_by_line() -> None:
    # MMBench-GUI, GPT-4o at 15 steps: L3 7.14 and 4.05, L4 2.85 and 1.80.
    l3, l4 = Rate(0.0714, {"paper": 0.0405}, 719), Rate(0.0285, {"paper": 0.018}, 248)
    first, second = losses({"L3": l3, "L4": l4}, reading="paper")
    assert first == Loss("L3", 0.0714, 0.0405, None, None, 0.0405 / 0.0714, 0.0714 - 0.0405)
    assert second.sr_lost == pytest.approx(0.0429, abs=1e-12)
    assert second.eqa_lost == pytest.approx(0.0225, abs=1e-12)
    assert second.ratio == pytest.approx(0.6316, abs=1e-4)
    assert second.gap == pytest.approx(0.0105, abs=1e-12)


def test_a_line_without_success_has_no_ratio() -> None:
    (line,) = losses({"L4": Rate(0.0, {"exact": 0.0}, 10)})
    assert (line.ratio, line.gap) == (None, 0.0)


def test_nothing_to_compare_and_an_unknown_reading_are_errors() -> None:
    with pytest.raises(MetricError, match="there is nothing to compare"):
        losses({})
    with pytest.raises(MetricError, match="no reading 'exact' of EQA in every rate"):
        losses({"L3": Rate(0.5, {"paper": 0.4}, 4)})

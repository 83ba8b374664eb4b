import pytest

from snellen.grading.errors import MetricError
from snellen.grading.stats.plans import Costs, Plan, costs, planned
from snellen.grading.stats.power import accuracies, required_items
from snellen.grading.stats.precision import Expected, required_for_half_width


def test_a_plan_takes_the_larger_of_its_two_needs() -> None:
    expected = Expected(0.7, cluster_size=3, icc=0.2)
    found = planned(Plan(half_width=0.03, difference=0.05, expected=expected))
    differences = accuracies(0.7, 0.7, 0.5, cluster_size=3, icc=0.2)
    assert found.for_half_width == required_for_half_width(0.03, expected)
    assert found.for_difference == required_items(0.05, differences)
    assert found.items == max(found.for_half_width or 0, found.for_difference or 0)
    assert found.half_width <= 0.03
    assert found.detectable is not None
    assert found.detectable <= 0.05


def test_more_models_need_more_items_by_bonferroni() -> None:
    plan = Plan(difference=0.05, expected=Expected(0.7), models=4)
    assert plan.comparisons == 6
    assert plan.test_level == pytest.approx(1 - 0.05 / 6)
    alone = required_items(0.05, accuracies(0.7, 0.7, 0.5), level=plan.test_level)
    assert planned(plan).for_difference == alone
    assert Plan(items=9, models=1).comparisons == 1


def test_the_other_way_round_it_says_what_so_many_items_show() -> None:
    found = planned(Plan(items=894, expected=Expected(0.7)))
    assert (found.for_half_width, found.for_difference, found.items) == (None, None, 894)
    assert found.half_width == pytest.approx(0.03, abs=1e-4)
    assert found.enough


def test_a_plan_says_when_there_are_not_as_many_items() -> None:
    found = planned(Plan(difference=0.01, expected=Expected(0.7, population=500)))
    assert not found.enough
    assert found.for_difference is not None
    assert found.for_difference > 500
    assert (found.items, found.half_width) == (500, 0)


def test_at_the_ends_no_difference_can_be_planned_for() -> None:
    assert planned(Plan(half_width=0.05, expected=Expected(1.0))).detectable is None
    with pytest.raises(MetricError, match="between 0 and 1"):
        planned(Plan(difference=0.05, expected=Expected(1.0)))


@pytest.mark.parametrize("asked", [{}, {"items": 5, "difference": 0.1}])
def test_a_plan_asks_one_kind_of_question(asked: dict[str, float]) -> None:
    with pytest.raises(MetricError, match="give a half width"):
        Plan(**asked)  # pyright: ignore[reportArgumentType]  # some of them are whole numbers


def test_a_plan_has_a_model() -> None:
    with pytest.raises(MetricError, match="needs at least one model"):
        Plan(items=5, models=0)


def test_costs_multiply() -> None:
    assert costs(10, models=2, attempts=3) == Costs(60)
    assert costs(10, tokens=100).tokens == 1000
    assert costs(10, tokens=100_000, price=3.0).price == 3.0
    assert costs(10, price=3.0).price is None

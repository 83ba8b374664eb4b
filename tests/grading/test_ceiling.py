"""The raters against one another."""

import pytest

from snellen.grading.ceiling import leave_one_rater_out
from snellen.grading.metrics.ui_contents import ui_contents
from snellen.grading.protocols.table import protocol_of


def test_each_rater_is_scored_against_the_others() -> None:
    raters = [[["a", "b"], ["a"], ["a", "b"]], [["x"]], [[], ["y"]]]
    found = leave_one_rater_out(protocol_of("screenqa/ui_contents"), raters)
    first = [
        ui_contents(["a", "b"], [["a"], ["a", "b"]]).f1,
        ui_contents(["a"], [["a", "b"], ["a", "b"]]).f1,
        ui_contents(["a", "b"], [["a", "b"], ["a"]]).f1,
    ]
    assert found.items == 2
    assert found.metrics["f1"] == pytest.approx((sum(first) / 3 + 0) / 2, abs=1e-15)
    assert found.metrics["exact_match"] == pytest.approx((2 / 3) / 2, abs=1e-15)


def test_without_an_item_of_several_raters_there_is_no_ceiling() -> None:
    found = leave_one_rater_out(protocol_of("screenqa/long"), [["one"], ["alone"]])
    assert (found.items, found.metrics) == (0, {})

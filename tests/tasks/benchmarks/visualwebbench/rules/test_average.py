import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError, UnknownNameError
from snellen.grading.protocols.table import PROTOCOLS
from snellen.tasks.benchmarks.visualwebbench.rules.average import SEVEN, average_of_seven
from snellen.tasks.published.tables import published_tables

ROWS = [
    pytest.param(cells, id=f"{table.name}-{model}")
    for table in published_tables()
    if table.benchmark == "visualwebbench" and {*SEVEN} <= {one.task for one in table.columns}
    for model, cells in table.cells.items()
]
TENTHS = st.lists(st.integers(0, 10), min_size=7, max_size=7)


def by_task(cells: dict[str, float]) -> dict[str, float]:
    return {f"visualwebbench/{name}": value for name, value in cells.items() if name != "average"}


@pytest.mark.parametrize("cells", ROWS)
def test_the_printed_averages_come_out(cells: dict[str, float]) -> None:
    # BENCHMARKS 7.2: all 22 rows, and the row that the README adds, match after rounding to 0.1.
    found = average_of_seven(by_task(cells))
    assert found == pytest.approx(cells["average"], abs=0.0005 + 1e-9)


def test_every_printed_row_is_tried() -> None:
    assert len(ROWS) == 23


@given(TENTHS)
def test_every_task_counts_once_in_any_order(tenths: list[int]) -> None:
    values = {task: tenth / 10 for task, tenth in zip(SEVEN, tenths, strict=True)}
    found = average_of_seven(values)
    assert found == pytest.approx(sum(tenths) / 70, abs=1e-15)
    assert found == average_of_seven(dict(reversed(values.items())))
    assert min(values.values()) - 1e-15 <= found <= max(values.values()) + 1e-15


def test_missing_tasks_are_named_not_counted_as_0() -> None:
    values = {task: 1.0 for task in SEVEN if "action" not in task}
    with pytest.raises(MetricError, match=r"not given: visualwebbench/action_prediction, visualw"):
        average_of_seven(values)
    with pytest.raises(MetricError, match="web_caption"):
        average_of_seven({})


def test_a_variant_is_none_of_the_seven() -> None:
    values = dict.fromkeys(SEVEN, 0.5)
    with pytest.raises(UnknownNameError, match="element_ground_bbox"):
        average_of_seven({**values, "visualwebbench/element_ground_bbox": 0.5})


@pytest.mark.parametrize("value", [50.0, -0.1, math.nan, math.inf])
def test_a_value_outside_0_to_1_is_refused(value: float) -> None:
    with pytest.raises(MetricError, match=r"visualwebbench/webqa is .*, not within 0\.\.1"):
        average_of_seven({**dict.fromkeys(SEVEN, 0.5), "visualwebbench/webqa": value})


def test_the_seven_are_the_tasks_without_the_variants() -> None:
    tasks = {task for task in PROTOCOLS if task.startswith("visualwebbench/")}
    assert {task for task in tasks if not task.endswith(("_bbox", "_point"))} == {*SEVEN}

import numpy as np
import pytest

from snellen.grading.errors import MetricError
from snellen.grading.protocols.grid import Grid, GridItems, make_grid, ordered
from snellen.grading.stats.summary import estimate
from snellen.grading.stats.weighted import weighted_estimate

LEVELS = ["L2", "L1", "L10"]
ROWS = ["reasoning", "perception"]
PAIRS = [(row, level) for row in ROWS for level in LEVELS for _ in range(12)]
PAIRS.remove(("perception", "L10"))
TAGS = {"dimension": [row for row, _ in PAIRS], "level": [level for _, level in PAIRS]}
VALUES = (np.arange(len(PAIRS)) * 7 % 10 < 6).astype(np.float64)


def grid(items: GridItems | None = None, **options: int) -> Grid:
    return make_grid(items or GridItems(VALUES), TAGS, metric="f1", **options)


def test_rows_and_columns_are_in_natural_order() -> None:
    found = grid()
    assert found.row_names == ("perception", "reasoning")
    assert found.column_names == ("L1", "L2", "L10")
    assert ordered(["b", None, "a", "b"]) == ("b", "a")
    assert ordered(["Action", "perception"]) == ("perception", "Action")


def test_every_cell_row_column_and_the_whole_is_the_estimate_of_its_items() -> None:
    codes = np.arange(len(VALUES)) // 2
    found = grid(GridItems(VALUES, codes, clustered_by="site"))

    def of(row: str | None, column: str | None) -> np.ndarray:
        return np.array([row in (None, one) and column in (None, other) for one, other in PAIRS])

    for row, cells, total in zip(found.row_names, found.cells, found.row_totals, strict=True):
        for column, cell in zip(found.column_names, cells, strict=True):
            where = of(row, column)
            assert cell.items == where.sum()
            assert cell.groups == len(set(codes[where].tolist()))
            assert cell.estimate == estimate(VALUES[where], codes[where])
        assert total.estimate == estimate(VALUES[of(row, None)], codes[of(row, None)])
    for column, total in zip(found.column_names, found.column_totals, strict=True):
        assert total.estimate == estimate(VALUES[of(None, column)], codes[of(None, column)])
    assert found.total.estimate == estimate(VALUES, codes)
    assert sum(cell.items for row in found.cells for cell in row) == found.covered


def test_cells_with_too_few_items_are_blanked_and_keep_their_count() -> None:
    found = grid(least=12)
    assert found.cell("perception", "L10").estimate is None
    assert found.cell("perception", "L10").items == 11
    assert found.cell("perception", "L1").estimate is not None
    assert found.blanked == 1
    assert grid(least=11).blanked == 0


def test_cells_of_too_few_groups_are_blanked_however_many_items_they_have() -> None:
    codes = np.array(
        [0 if pair == ("reasoning", "L1") else place for place, pair in enumerate(PAIRS)]
    )
    found = grid(GridItems(VALUES, codes, clustered_by="site"))
    one = found.cell("reasoning", "L1")
    assert (one.items, one.groups, one.estimate) == (12, 1, None)
    assert found.blanked == 1
    assert grid(GridItems(VALUES, codes), fewest_groups=1).blanked == 0


def test_items_that_stand_for_more_count_for_more() -> None:
    weights = np.array([5.0 if level == "L1" else 1.0 for _, level in PAIRS])
    found = grid(GridItems(VALUES, weights=weights))
    assert found.weighted
    where = np.array([row == "reasoning" for row, _ in PAIRS])
    total = found.row_totals[found.row_names.index("reasoning")]
    assert total.estimate == weighted_estimate(VALUES[where], weights[where])
    assert (total.items, total.population) == (36, 12 * 5 + 24)
    # Within a cell all weigh the same: the plain estimate.
    alone = np.array([pair == ("reasoning", "L1") for pair in PAIRS])
    assert found.cell("reasoning", "L1").estimate == estimate(VALUES[alone])


def test_items_without_one_of_the_tags_are_in_no_cell() -> None:
    tags = {**TAGS, "level": [None, *TAGS["level"][1:]]}
    found = make_grid(GridItems(VALUES), tags, metric="f1")
    assert (found.covered, found.all_items) == (len(PAIRS) - 1, len(PAIRS))
    assert found.total.items == len(PAIRS) - 1


def test_a_grid_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(MetricError, match="two different tags, not dimension"):
        make_grid(GridItems(VALUES), {"dimension": TAGS["dimension"]}, metric="f1")
    with pytest.raises(MetricError, match="71 items need as many"):
        make_grid(GridItems(VALUES), {**TAGS, "level": ["L1"]}, metric="f1")
    with pytest.raises(MetricError, match="no item has both tags"):
        make_grid(GridItems(VALUES), {**TAGS, "level": [None] * 71}, metric="f1")
    with pytest.raises(MetricError, match="no cell 'perception' x 'L4'"):
        grid().cell("perception", "L4")


def test_a_tag_that_is_an_id_makes_no_grid() -> None:
    tags = {"screen": [f"screen {place}" for place in range(len(PAIRS) * 3)], "level": ["L1"] * 213}
    with pytest.raises(MetricError, match=r"'screen' has 213 values, and a grid shows 200 at most"):
        make_grid(GridItems(np.zeros(213)), tags, metric="f1")


def test_items_that_lack_a_tag_are_in_no_cell() -> None:
    tags = {"dimension": ["a", None, "b", "a"], "level": ["x", "x", None, "y"]}
    found = make_grid(GridItems(np.array([1.0, 1, 1, 0])), tags, metric="f1", least=1)
    counts = [[cell.items for cell in row] for row in found.cells]
    assert (found.row_names, found.column_names) == (("a", "b"), ("x", "y"))
    assert counts == [[1, 1], [0, 0]]
    assert [cell.items for cell in found.row_totals] == [2, 0]
    assert [cell.items for cell in found.column_totals] == [1, 1]
    assert found.covered == found.total.items == 2

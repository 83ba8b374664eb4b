"""A metric by the values of a tag."""

import numpy as np
import pytest

from snellen.grading.breakdown import break_down, cluster_codes, natural
from snellen.grading.errors import MetricError
from snellen.grading.stats.summary import estimate

VALUES = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.5])
PLATFORM: list[str | None] = ["web", "web", "ios", "web", None, "ios"]


def test_each_cell_is_estimated_from_its_own_items_alone() -> None:
    clusters = np.array([0, 0, 1, 2, 2, 3])
    found = break_down(VALUES, {"platform": PLATFORM}, metric="f1", clusters=clusters, least=2)
    assert [(cell.name, cell.items) for cell in found.cells] == [("ios", 2), ("web", 3)]
    web = found.cells[1].estimate
    assert web == estimate(VALUES[[0, 1, 3]], clusters[[0, 1, 3]])
    assert web is not None
    assert web.value == pytest.approx(2 / 3)
    assert web.clusters == 2


def test_items_without_the_tag_are_counted_as_not_covered() -> None:
    found = break_down(VALUES, {"platform": PLATFORM}, metric="f1", least=1)
    assert (found.covered, found.items) == (5, 6)


def test_a_cell_with_too_few_items_shows_its_count_and_no_number() -> None:
    found = break_down(VALUES, {"platform": PLATFORM}, metric="f1", least=3)
    ios, web = found.cells
    assert (ios.items, ios.estimate) == (2, None)
    assert web.estimate is not None


def test_cells_stand_in_natural_order() -> None:
    names = ["10", "9", "100", "easy", "2"]
    found = break_down(np.zeros(5), {"n": names}, metric="f1", least=1)
    assert [cell.name for cell in found.cells] == ["2", "9", "10", "100", "easy"]
    assert sorted(["a10b2", "a2", "a10b1"], key=natural) == ["a2", "a10b1", "a10b2"]


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(MetricError, match=r"6 items, but tags of \[2\] items"):
        break_down(VALUES, {"t": ["a", "b"]}, metric="f1")


def test_crossed_tags_cover_the_items_that_have_all_of_them() -> None:
    columns = {"kind": ["a", None, "b"], "size": ["x", "y", "x"]}
    found = break_down(np.zeros(3), columns, metric="f1", least=1)
    assert found.tag == "kind x size"
    assert [cell.name for cell in found.cells] == ["a x x", "b x x"]
    assert found.covered == 2


def test_crossed_values_that_only_look_alike_stay_apart() -> None:
    columns = {"kind": ["a x b", "a"], "size": ["c", "b x c"]}
    assert len(break_down(np.zeros(2), columns, metric="f1", least=1).cells) == 2


def test_digits_that_are_no_numbers_are_sorted_as_text() -> None:
    found = break_down(np.zeros(3), {"n": ["①", "10²", "9"]}, metric="f1", least=1)
    assert len(found.cells) == 3


def test_an_item_without_the_cluster_tag_is_a_group_of_its_own() -> None:
    codes = cluster_codes(["s", None, "s", None, "t"]).tolist()
    assert codes[0] == codes[2]
    assert len(set(codes)) == 4

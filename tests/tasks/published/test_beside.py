"""A run beside printed numbers: which stand together, in which order, and what keeps them apart."""

import pytest

from snellen.grading.table import PartValue
from snellen.tasks.published.beside import Beside, set_beside
from snellen.tasks.published.tables import PublishedRow

TASK = "webrssbench/color"


def row(model: str, value: float, metric: str = "accuracy", **more: object) -> PublishedRow:
    fields: dict[str, object] = {"part": "before", "n": 40, "protocols": ("paper@1",), **more}
    return PublishedRow(TASK, model, metric, value, **fields)  # pyright: ignore[reportArgumentType]  # fields of the test


def found(
    value: float,
    *rows: PublishedRow,
    protocol: str = "paper@1",
    n: int = 40,
    metric: str = "accuracy",
) -> Beside:
    part = rows[0].part
    return set_beside([PartValue(TASK, metric, part, value, n)], rows, protocol=protocol)


def test_the_best_printed_number_comes_first_and_the_run_has_its_place() -> None:
    (group,) = found(0.5, row("A", 0.3), row("B", 0.7), row("C", 0.5)).groups
    assert [one.model for one in group.rows] == ["B", "C", "A"]
    assert group.standing is not None
    assert (group.value, group.rank, group.standing.of) == (0.5, 2, 3)
    assert group.notes == ()


@pytest.mark.parametrize(("value", "rank"), [(0.05, 1), (0.1, 1), (0.15, 2), (0.2, 2), (0.5, 3)])
def test_of_a_drop_less_is_better(value: float, rank: int) -> None:
    rows = [row("A", 0.2, "drop"), row("B", 0.1, "drop")]
    (group,) = found(value, *rows, metric="drop").groups
    assert [one.model for one in group.rows] == ["B", "A"]
    assert group.rank == rank


def test_another_protocol_is_told_and_so_is_that_none_compares() -> None:
    (group,) = found(0.5, row("A", 0.3), protocol="robust@1").groups
    assert group.notes == ("graded by `robust@1`; the printed numbers compare with `paper@1`",)
    (group,) = found(0.5, row("A", 0.3, protocols=()), protocol="robust@1").groups
    assert "no protocol is known" in group.notes[0]


def test_other_items_are_told_where_the_paper_counts_them() -> None:
    (same,) = found(0.5, row("A", 0.3)).groups
    (other,) = found(0.5, row("A", 0.3), n=8).groups
    (unknown,) = found(0.5, row("A", 0.3, n=None), n=8).groups
    assert (same.same_items, other.same_items, unknown.same_items) == (True, False, True)


def test_a_part_that_the_run_lacks_keeps_its_printed_rows_and_has_no_place() -> None:
    beside = found(0.5, row("A", 0.3), row("B", 0.2, part="after"))
    assert [(one.part, one.value, one.rank) for one in beside.groups] == [
        ("before", 0.5, 1),
        ("after", None, None),
    ]
    assert [one.part for one in beside.compared] == ["before"]
    assert {one.model for one in beside.rows} == {"A", "B"}


def test_what_is_not_known_of_a_printed_number_is_told_once() -> None:
    (group,) = found(0.5, row("A", 0.3, note="odd"), row("B", 0.2, note="odd")).groups
    assert group.notes == ("odd",)


def test_without_printed_numbers_there_is_nothing_to_stand_beside() -> None:
    beside = set_beside([PartValue(TASK, "accuracy", "", 0.5, 4)], [], protocol="paper@1")
    assert (beside.groups, beside.rows) == ((), ())

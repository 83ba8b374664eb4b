"""The summaries of items that lie in a grid."""

from typing import cast

import pytest

from snellen import sdk
from snellen.grading.protocols.grid import Grid


def matrix_report() -> sdk.Report:
    gold = {"metric": "exact_match", "answer": "yes"}
    cells = [
        (dimension, level, number)
        for dimension in ("action", "perception")
        for level in ("L1", "L2")
        for number in range(10 if level == "L1" else 3)
    ]
    ids = ["-".join(map(str, cell)) for cell in cells]
    answers = [
        {"item_id": item_id, "response": "yes" if number % 2 or dimension == "action" else "no"}
        for item_id, (dimension, _, number) in zip(ids, cells, strict=True)
    ]
    tags = {
        item_id: {"dimension": dimension, "level": level}
        for item_id, (dimension, level, _) in zip(ids, cells, strict=True)
    }
    return sdk.grade(answers, task="matrix/items", references=dict.fromkeys(ids, gold), tags=tags)


def test_the_matrix_is_summarised_by_dimension_and_level() -> None:
    report = matrix_report()
    summary = report.summary()
    (table,) = summary.tables
    assert [column.name for column in table.columns] == ["dimension", "L1", "L2", "all", "items"]
    assert table.rows == (
        ("perception", 0.5, None, pytest.approx(6 / 13), 13),
        ("action", 1.0, None, 1.0, 13),
        ("all", 0.75, None, pytest.approx(19 / 26), 26),
    )
    assert "4 cells" not in table.note
    assert "2 cells are blanked: fewer than 10 items" in table.note
    assert cast("Grid", summary.result) == report.grid()
    cell = summary.value("score", "action x L1")
    assert cell is not None
    assert (cell.value, cell.n) == (1.0, 10)


def test_items_without_the_two_tags_are_summarised_by_their_metrics() -> None:
    gold = {"metric": "exact_match", "answer": "yes"}
    report = sdk.grade(
        [{"item_id": "a", "response": "yes"}], task="matrix/items", references={"a": gold}
    )
    assert [row[0] for row in report.summary().tables[0].rows] == ["score", "correct"]

"""Summaries of interactive tasks: of one report, from level to level, and in the matrix."""

from pathlib import Path
from typing import Any, cast

import pytest

from snellen import sdk
from snellen.grading.protocols.grid import Grid
from snellen.sdk.summaries import summarise
from snellen.tasks.benchmarks.desk.load import Row, write_rows

CHANGE = {"changed": {"mail.messages.m1.read": [False, True]}, "added": {}, "removed": {}}
NOTHING: dict[str, Any] = {"changed": {}, "added": {}, "removed": {}}


def desk(folder: Path, tasks: int = 5) -> Path:
    """Write tasks of both levels; the last one of each can't be done."""
    rows = [
        {
            "id": f"{task[-2:]}-{number}",
            "task": task,
            "goal": f"Do number {number}.",
            "state": {},
            "gold": {"limit": limit, "reason": "conflict"}
            if number == tasks - 1
            else {"limit": limit, "changes": CHANGE},
            "tags": {
                "template": f"t{number}",
                "apps": "mail" if number % 2 else "shop",
                "difficulty": "easy",
                "feasible": "no" if number == tasks - 1 else "yes",
            },
        }
        for task, limit in (("desk/l3", 10), ("desk/l4", 20))
        for number in range(tasks)
    ]
    import msgspec

    write_rows([msgspec.convert(row, Row) for row in rows], folder)
    return folder


def played(folder: Path, task: str, right: int, tasks: int = 5, protocol: str = "budget") -> Any:
    """Grade a run that does its first tasks, in five steps each, and has no idea of the last."""
    answers = [
        {
            "item_id": f"{task[-2:]}-{number}",
            "response": {
                "status": "done",
                "changes": CHANGE if number < right else NOTHING,
                "cost": 5,
                "limit": 99,
                "seconds": 2.5,
                "image_tokens": 1_000,
            },
        }
        for number in range(tasks - 1)
    ]
    return sdk.grade(answers, task=task, data=folder, protocol=protocol)


def test_a_report_of_the_desk_has_its_levels_parts_and_what_they_took(tmp_path: Path) -> None:
    report = played(desk(tmp_path), "desk/l3", 3)
    summary = report.summary()
    assert [table.title for table in summary.tables] == [
        "desk/l3, success and EQA",
        "desk/l3, what the episodes took",
        "desk/l3, sr by apps",
        "desk/l3, sr by difficulty",
        "desk/l3, sr by template",
    ]
    # Three of five tasks succeeded with half of their steps unused.
    whole = summary.tables[0].rows[-1]
    assert whole[:2] == ("all", 0.6)
    assert whole[summary.tables[0].names.index("EQA, budget")] == report.metrics["eqa"].value == 0.3
    assert summary.tables[1].written()[-1] == ("total", "20.0", "10.0", "4,000", "4")
    shop, mail = summary.tables[2].rows
    assert shop == ("shop", 1.0, 0.5, 5.0, 2)
    assert mail == ("mail", 0.5, 0.25, 5.0, 2)
    value = summary.value("sr", "can be done")
    assert value is not None
    assert (value.value, value.n) == (0.75, 4)


def test_a_saved_report_without_its_data_has_the_same_tables(tmp_path: Path) -> None:
    report = played(desk(tmp_path / "data"), "desk/l3", 3)
    read = sdk.load_report(report.save(tmp_path / "report.json"))
    assert read.summary().tables == report.summary().tables


def test_the_two_levels_make_the_table_of_what_is_lost(tmp_path: Path) -> None:
    folder = desk(tmp_path)
    reports = [played(folder, "desk/l3", 4), played(folder, "desk/l4", 2)]
    (table,) = summarise(reports)[-1].tables
    assert table.title == "desk, what is lost from L3 to L4"
    # EQA by each task's budget: of 10 steps half are left, of 20 three quarters.
    l3, l4 = table.rows
    assert l3[:5] == ("L3", 0.8, 0.4, None, None)
    assert l4[:3] == ("L4", 0.4, pytest.approx(0.3))
    assert l4[3:5] == (pytest.approx(0.4), pytest.approx(0.1))
    assert table.note == ""
    other = played(folder, "desk/l4", 2, protocol="exact")
    assert summarise([reports[0], other])[-1].tables[0].note.startswith("The protocols differ")


def test_beside_the_matrix_episodes_count_in_its_cells_of_action(tmp_path: Path) -> None:
    folder = desk(tmp_path, tasks=12)
    gold = {"metric": "exact_match", "answer": "yes"}
    ids = [f"a{number}" for number in range(12)]
    tags = {one: {"dimension": "action", "level": "L3"} for one in ids}
    tags["p"] = {"dimension": "perception", "level": "L1"}
    matrix = sdk.grade(
        [{"item_id": one, "response": "yes"} for one in tags],
        task="matrix/items",
        references=dict.fromkeys(tags, gold),
        tags=tags,
    )
    acted = [played(folder, "desk/l3", 6, 12), played(folder, "desk/l4", 3, 12)]
    (table,) = (summary := summarise([matrix, *acted])[-1]).tables
    assert table.title == (
        "matrix/items with sr of desk/l3 and sr of desk/l4, by dimension and level"
    )
    grid = cast("Grid", summary.result)
    # Twelve right items of the matrix, and six of twelve tasks in one application.
    three, four = grid.cell("action", "L3"), grid.cell("action", "L4")
    assert three.estimate is not None
    assert four.estimate is not None
    assert (three.items, three.estimate.value) == (24, 18 / 24)
    assert (four.items, four.groups, four.estimate.value) == (12, 12, 3 / 12)
    assert grid.cell("perception", "L1").items == 1
    value = summary.value("score", "action x L4")
    assert value is not None
    assert value.value == 0.25
    # Without a report of the matrix there is none to count in.
    assert [one.task for one in summarise(acted)] == ["desk/l3", "desk/l4", "desk"]

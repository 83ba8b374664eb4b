"""Summaries of interactive tasks: of one report, from level to level, and in the matrix."""

from pathlib import Path
from typing import Any, cast

import pytest

from snellen import sdk
from snellen.grading.errors import MetricError
from snellen.grading.tables.matrix import Grid
from snellen.grading.tables.mmbench_gui_online import READINGS
from snellen.sdk.summaries.episodes import Record, episodes_of, episodes_tables
from snellen.sdk.summaries.several import summarise
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


# BENCHMARKS 5.3 and 5.4, V6: its limit is 15, and its failed task used it up.
V6 = [
    Record(1, 15, there=True, steps=5, seconds=10, image_tokens=6_000),
    Record(0, 15),
    Record(1, 15, there=True, steps=3, seconds=2, image_tokens=4_000),
    Record(1, 15, there=True, steps=10, image_tokens=11_000),
]
TAGS = {"app": ["mail", "mail", "shop", "shop"]}


def test_a_task_without_an_episode_used_up_its_limit_in_every_reading_of_eqa() -> None:
    (whole,) = episodes_of([V6], TAGS, ("app",), "exact").wholes
    assert (whole.value, whole.tasks, whole.steps) == (0.75, 4, 6)
    assert whole.eqa == {
        "paper": 50 / 101,
        "exact": 119 / 240,
        "half_open": 199 / 404,
        "budget": 9 / 20,
        "expected": 81 / 160,
        "linear": pytest.approx(32 / 60, abs=0.01),
    }
    assert whole.eqa.keys() == READINGS.keys()


def test_what_episodes_took_is_over_those_that_say() -> None:
    spent = episodes_of([V6], TAGS, (), "exact").spent
    # Of four tasks three have an episode, and none of these failed.
    assert [(one.name, one.episodes) for one in spent] == [("all", 3), ("succeeded", 3)]
    assert (spent[0].steps.total, spent[0].image_tokens.total) == (18, 21_000)
    assert (spent[0].seconds.total, spent[0].seconds.known, spent[0].seconds.mean) == (12, 2, 6)
    table = episodes_tables("desk/l3", "sr", episodes_of([V6], TAGS, (), "exact"))[1]
    assert table.written()[-1] == ("total", "18.0", "12.0", "21,000", "3")
    assert "1 of the episodes do not say their seconds." in table.note


def test_tasks_that_cannot_be_done_are_set_apart_and_in_no_breakdown() -> None:
    tags = {**TAGS, "feasible": ["yes", "yes", "no", "yes"]}
    found = episodes_of([V6], tags, ("app", "feasible", "page"), "exact")
    assert [(one.name, one.tasks, one.value) for one in found.wholes] == [
        ("can be done", 3, 2 / 3),
        ("can't be done", 1, 1.0),
        ("all", 4, 0.75),
    ]
    assert found.by.keys() == {"app"}
    mail, shop = found.by["app"]
    assert [(one.name, one.tasks, one.value, one.steps) for one in (mail, shop)] == [
        ("mail", 2, 0.5, 5),
        ("shop", 1, 1.0, 10),
    ]
    # One task of 15 steps, done in 10: a third of its budget is left.
    assert shop.eqa["exact"] == pytest.approx(1 / 3)
    assert "Only tasks that can be done." in episodes_tables("desk/l3", "sr", found)[2].note


def test_limits_may_differ_and_where_one_is_not_known_there_is_no_eqa() -> None:
    half = Record(1, 10, there=True, steps=5)
    quarter = Record(1, 40, there=True, steps=10)
    (whole,) = episodes_of([[half, quarter]], {}, (), "budget").wholes
    assert whole.eqa["budget"] == (1 / 2 + 3 / 4) / 2
    found = episodes_of([[half, quarter._replace(limit=None)]], {}, (), "budget")
    assert found.wholes[0].eqa == {}
    assert episodes_tables("desk/l3", "sr", found)[0].written()[0][1:3] == ("100.00", "–")


def test_several_attempts_are_averaged_and_their_episodes_counted_once_each() -> None:
    failed = [record._replace(success=0) for record in V6]
    both = episodes_of([V6, failed], TAGS, (), "exact")
    assert both.wholes[0].value == 0.375
    assert both.wholes[0].eqa["exact"] == pytest.approx(119 / 480)
    assert [(one.name, one.episodes) for one in both.spent] == [
        ("all", 6),
        ("succeeded", 3),
        ("failed", 3),
    ]


def test_a_task_whose_success_has_no_eqa_shows_none() -> None:
    found = episodes_of([V6], TAGS, ("app",), None)
    titles = [table.title for table in episodes_tables("miniwob/episode", "sr", found)]
    assert titles == ["miniwob/episode, what the episodes took", "miniwob/episode, sr by app"]


@pytest.mark.parametrize("attempts", [[], [[]], [V6, V6[:2]]])
def test_attempts_that_are_empty_or_of_other_tasks_are_refused(
    attempts: list[list[Record]],
) -> None:
    with pytest.raises(MetricError, match="differ in length"):
        episodes_of(attempts, {}, (), "exact")

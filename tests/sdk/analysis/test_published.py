"""A report beside published results: the right parts, and what keeps it from being compared."""

from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import UnknownNameError
from snellen.sdk.analysis.published import averages_beside, beside_table, beside_tables, rows_table
from snellen.sdk.page.build import build_page
from snellen.sdk.summaries import summarise

POSITION = "webrssbench/position"
LEVELS = ("easy", "medium", "hard")


def positions(**options: Any) -> sdk.Report:
    ids = {f"{level}/{n}": level for level in LEVELS for n in range(4)}
    answers = [
        {
            "item_id": one,
            "response": f"crop_1 is at the [{'left' if n < 3 else 'top'}] of crop_2",
        }
        for n, one in enumerate(ids)
    ]
    return sdk.grade(
        answers,
        task=POSITION,
        references={one: {"crop_1|crop_2": "left"} for one in ids},
        tags={one: {"difficulty": level, "pairs": "1"} for one, level in ids.items()},
        **options,
    )


def test_every_part_that_is_printed_stands_beside_the_runs_own() -> None:
    beside = positions().beside("published")
    assert beside.protocol == "paper@1"
    parts = {group.part: group for group in beside.groups}
    assert [parts[level].value for level in LEVELS] == [0.75, 0.0, 0.0]
    assert (parts["easy"].rank, parts["easy"].rows[0].model) == (1, "GPT-5")
    assert (parts["hard"].rank, parts["hard"].n) == (13, 4)
    assert parts["easy"].rows[0].protocols == ("paper@1",)
    assert parts["easy"].notes == ()


def test_what_keeps_a_run_from_being_compared_is_told() -> None:
    beside = positions(protocol="robust", items=[f"easy/{n}" for n in range(4)]).beside()
    assert beside.compared[0].notes == (
        "graded by `robust@3`; the printed numbers compare with `paper@1`",
    )
    assert "over 4 selected items; papers print whole splits" in beside.notes
    assert "graded against references of your own, not against the published data" in beside.notes
    answers = [{"item_id": "a", "response": "12", "attempt": n} for n in (0, 1)]
    report = sdk.grade(answers, task="visualwebbench/webqa", references={"a": ["12"], "b": ["x"]})
    assert report.beside().notes[:2] == (
        "a mean over 2 attempts; papers print one",
        "some answers are missing or failed; they count 0",
    )


def test_what_the_published_code_would_print_is_told_where_it_is_another_number() -> None:
    answers = [{"item_id": "a", "response": "12"}, {"item_id": "b", "response": "..."}]
    references = {"a": ["12"], "b": ["12"]}
    report = sdk.grade(answers, task="visualwebbench/webqa", references=references)
    assert (
        "of these answers the published code would print 100.0, not 50.0: it leaves some out"
        in report.beside().notes
    )


def test_without_its_parts_a_report_says_so_and_keeps_its_whole() -> None:
    answers = [{"item_id": "a", "response": "A"}]
    report = sdk.grade(answers, task="mmbench-gui/l1", references={"a": "A"})
    beside = report.beside()
    assert beside.compared == ()
    assert len(beside.rows) == 3 * 7 * 7
    assert "needs the tag 'difficulty'" in beside.notes[-1]


def test_eqa_is_compared_in_the_reading_asked_for() -> None:
    tags = {f"t{n}": {"platform": "linux", "steps": "15 steps"} for n in range(4)}
    costs = ((1, 5), (0, 15), (1, 3), (1, 10))
    answers = [
        {"item_id": one, "response": {"success": success, "cost": cost}}
        for one, (success, cost) in zip(tags, costs, strict=True)
    ]
    references = {one: {"limit": 15} for one in tags}
    report = sdk.grade(answers, task="mmbench-gui/l3", references=references, tags=tags)
    own, exact = (
        next(one for one in found.groups if (one.metric, one.part) == ("eqa", "15 steps"))
        for found in (report.beside(), report.beside(reading="exact"))
    )
    assert (own.value, exact.value) == (pytest.approx(50 / 101), pytest.approx(119 / 240))
    assert "compare with `exact@1`" in own.notes[-1]


def test_a_task_without_published_numbers_has_none_beside() -> None:
    report = sdk.grade(
        [{"item_id": "a", "response": "12"}], task="screenqa/short", references={"a": ["12"]}
    )
    assert report.beside().groups == ()
    assert beside_table(report.beside()) is None


def test_there_is_one_source() -> None:
    with pytest.raises(UnknownNameError, match="published"):
        positions().beside("folklore")  # pyright: ignore[reportArgumentType]  # the point


def test_the_tables_have_a_line_a_part_and_a_line_a_printed_number() -> None:
    beside = positions().beside()
    table = beside_table(beside)
    assert table is not None
    assert [row[0] for row in table.rows] == list(LEVELS)
    assert table.rows[0][2:] == (0.75, 4, None, "1 of 13", "", "GPT-5 63.5", "GPT-5 63.5")
    assert len(rows_table(beside).rows) == 3 * 12


def test_the_average_of_seven_stands_beside_the_printed_averages() -> None:
    golds = {"web_caption": "Shoes", "heading_ocr": "Shoes", "webqa": ["Shoes"]}
    golds |= {"element_ocr": "Shoes", "element_ground": 0, "action_prediction": 0}
    reports = [
        sdk.grade(
            [{"item_id": "a", "response": "A" if gold == 0 else "Shoes"}],
            task=f"visualwebbench/{task}",
            references={"a": gold, "b": gold},
        )
        for task, gold in {**golds, "action_ground": 0}.items()
    ]
    found = summarise(reports)
    (group,) = averages_beside(found[0], "official@1").compared
    assert group.standing is not None
    assert (round(group.value or 0, 6), group.rank, group.standing.of) == (0.5, 6, 23)
    titles = [table.title for table in beside_tables(reports, found)]
    assert titles[0] == "visualwebbench, average, beside published results"
    assert len(titles) == 8


def test_a_page_shows_the_summary_and_the_printed_parts() -> None:
    page = build_page(positions())
    assert [table.title for table in page.summaries] == ["Positions"]
    assert [table.title for table in page.published] == [
        "This run among printed numbers",
        "Every printed number",
    ]
    bare = sdk.grade(
        [{"item_id": "a", "response": "A"}], task="mmbench-gui/l1", references={"a": "A"}
    )
    assert "needs the tag 'difficulty'" in build_page(bare).no_summary

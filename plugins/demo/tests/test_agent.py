"""The agent acts by words that the goal and the screen have in common."""

import asyncio
from pathlib import Path

import pytest

from snellen.demo.agent import Deed, Vision, place, plan, take
from snellen.demo.ocr.pictures import Box, Line
from snellen.demo.ocr.reader import RapidReader, Shelf
from snellen.sdk.exam.client import ExamClient
from snellen.tasks.samples.generated import generated_exam

GOAL = "You may take 15 steps.\n\nTask: Delete the following message in your inbox: “Tea” from Ada."


def line(text: str, top: int) -> Line:
    return Line(text, Box(10, top, 100, top + 10))


def test_a_goal_says_application_name_and_button() -> None:
    assert [deed.says or deed.text for deed in plan(GOAL)] == [
        *("Mail", "Search", "Tea", "Search", "Tea", "Delete")
    ]


@pytest.mark.parametrize(
    "goal",
    [
        "Task: Order a lamp in the shop.",
        "Task: Delete these notes: “One” and “Two”.",
        "Task: Pin the oldest note.",
    ],
)
def test_a_goal_that_no_rule_fits_has_no_plan(goal: str) -> None:
    assert plan(goal) == ()


def test_the_line_that_says_it_best_is_clicked_and_none_that_says_more() -> None:
    lines = [line("Delete all", 0), line("Delete.", 20), line("Delete", 40), line("Delete", 60)]
    assert place(Deed("Delete"), lines) == lines[2].box
    assert place(Deed("Delete"), lines[:2]) == lines[1].box
    assert place(Deed("Archive"), lines) is None


def test_a_field_is_told_from_its_button_and_what_was_typed_from_what_was_found() -> None:
    field, button, typed = line("Search notes", 0), line("Search", 20), line("Tea", 0)
    assert place(Deed("Search", begins=True), [button, field]) == field.box
    assert place(Deed("Search"), [field, button]) == button.box
    found = line("Tea", 40)
    assert place(Deed("Tea"), [typed, found], field.box) == found.box
    assert place(Deed("Tea"), [typed], field.box) is None


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_it_does_the_two_tasks_of_the_desk_that_its_rules_fit(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rapidocr")
    generated_exam("desk-easy").make(tmp_path / "desk", seed=seed)
    options = [str(tmp_path / "desk"), "--mode", "practice", "--store", str(tmp_path / "store")]

    async def taken() -> list[tuple[float | None, object]]:
        async with ExamClient.launch(options) as exam:
            log = await take(exam, Vision(RapidReader(), Shelf(None)))
        assert log.report["cost"]["steps"] == 12
        return [(step.value, step.answer) for step in log.steps]

    assert asyncio.run(taken()) == [(1.0, {"status": "done"})] * 2

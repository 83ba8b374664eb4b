import json
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.actions import Action, ActionType, Direction
from snellen.tasks.benchmarks.gui_odyssey.load import load

HIGH, LOW = "gui-odyssey/high", "gui-odyssey/low"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("gui-odyssey", tmp_path)


def test_every_kind_of_action(folder: Path) -> None:
    tap, home, scroll, typed, press, end = load(HIGH, folder).golds
    assert tap.action == Action(ActionType.CLICK, point=(72, 78))
    assert tap.boxes == (pytest.approx((57.6, 62.4, 86.4, 93.6)),)
    assert home.action == Action(ActionType.NAVIGATE, button="home")
    # The finger goes up, and what is below is shown.
    assert scroll.action.direction is Direction.DOWN
    assert typed.action.text == "New York"
    assert press.action.type is ActionType.LONG_PRESS
    assert end.action == Action(ActionType.FINISH, status="success")


def test_a_text_that_is_null_is_empty(folder: Path) -> None:
    file = folder / "annotations" / "7.json"
    episode = json.loads(file.read_text())
    episode["steps"][3]["info"] = None
    file.write_text(json.dumps(episode))
    assert load(HIGH, folder).golds[3].action == Action(ActionType.TYPE)


def test_the_low_level_says_what_the_step_is_for(folder: Path) -> None:
    high, low = (load(task, folder, split="app").item("7/3").prompt for task in (HIGH, LOW))
    assert "do step 3" in low
    assert "do step 3" not in high


def test_the_references_published_text_is_right_under_every_text_rule(folder: Path) -> None:
    answers = [
        {"item_id": "7/0", "response": "CLICK: (500, 250)"},
        {"item_id": "7/1", "response": "PRESS_HOME"},
        {"item_id": "7/2", "response": "SCROLL: UP"},
        {"item_id": "7/3", "response": "TYPE: New York"},
        {"item_id": "7/4", "response": "LONG_PRESS: (100, 100)"},
        {"item_id": "7/5", "response": "COMPLETE"},
    ]
    named = [
        {**answer, "response": {"format": "gui-odyssey", "response": answer["response"]}}
        for answer in answers
    ]
    for protocol, given in (("official", answers), ("official-2024", answers), ("os-atlas", named)):
        report = sdk.grade(given, task=HIGH, data=folder, protocol=protocol, progress=False)
        assert report.value == 1


@pytest.mark.parametrize(
    ("step", "field", "value", "says"),
    [
        (0, "info", [[1]], "needs 1 points"),
        (2, "info", [[1, 2]], "needs 2 points"),
        (3, "action", "DANCE", "no action 'DANCE'"),
        (0, "sam2_bbox", [9, 9, 1, 1], "is no box"),
    ],
)
def test_a_step_that_is_not_as_published_is_named(
    folder: Path, step: int, field: str, value: Any, says: str
) -> None:
    file = folder / "annotations" / "7.json"
    episode = json.loads(file.read_text())
    episode["steps"][step][field] = value
    file.write_text(json.dumps(episode))
    with pytest.raises(DataError, match=says) as caught:
        load(HIGH, folder)
    assert "7.json" in str(caught.value)


@pytest.mark.parametrize("name", ["8.json", "../7.json"])
def test_an_episode_that_is_not_there_is_named(folder: Path, name: str) -> None:
    (folder / "splits" / "task_split.json").write_text(json.dumps({"test": [name]}))
    with pytest.raises(DataError, match=r"[78]\.json"):
        load(HIGH, folder, split="task")


def test_another_split_is_named(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="random"):
        load(HIGH, folder, split="train")

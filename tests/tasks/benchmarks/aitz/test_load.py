import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.actions import Action, ActionType, Direction
from snellen.tasks.benchmarks.aitz.load import load
from snellen.tasks.data.check import recognize

HIGH = "aitz/high"
Rows = list[dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("aitz", tmp_path)


def test_a_step_has_its_action_the_screens_boxes_and_its_words(folder: Path) -> None:
    data = load(HIGH, folder)
    assert data.ids == [f"{episode}/{step}" for episode in (7, 8) for step in range(6)]
    tap, scroll, typed, enter, home, end = list(data.golds)[:6]
    assert tap.action == Action(ActionType.CLICK, point=(22.5, 100))
    assert tap.image_size == (90, 200)
    assert [(node.box, node.text) for node in tap.nodes or ()] == [
        ((15, 90, 31, 110), "Clock"),
        ((0, 0, 20, 20), ""),
    ]
    assert (tap.name, tap.group) == ("click on the clock", "general")
    # The finger goes up, and what is below is shown.
    assert (scroll.action.direction, scroll.name) == (Direction.DOWN, "scroll up")
    assert typed.action.text == "New York"
    assert enter.action == Action(ActionType.KEY, button="enter")
    assert home.action == Action(ActionType.NAVIGATE, button="home")
    assert end.action == Action(ActionType.FINISH, status="success")
    assert data.tags["subset"] == ["general"] * 6 + ["install"] * 6
    assert data.image("7/0").startswith(b"\x89PNG")


@pytest.mark.parametrize("place", [".", "test", "test/general/GENERAL-7/GENERAL-7.json"])
def test_the_folder_that_holds_it_and_one_episode_load_alike(folder: Path, place: str) -> None:
    assert load(HIGH, folder / place).ids[:6] == load(HIGH, folder).ids[:6]
    assert recognize(folder / place) == (HIGH,)


def changed(folder: Path, change: Callable[[Rows], object]) -> Path:
    file = folder / "test" / "general" / "GENERAL-7" / "GENERAL-7.json"
    rows = json.loads(file.read_text())
    change(rows)
    file.write_text(json.dumps(rows))
    return folder


def test_boxes_that_an_evaluation_has_divided_are_the_same(folder: Path) -> None:
    def divide(rows: Rows) -> None:
        for row in rows:
            boxes = json.loads(row["ui_positions"])
            row["ui_positions"] = json.dumps(
                [[y / 200, x / 90, h / 200, w / 90] for y, x, h, w in boxes]
            )
            row |= {"image_width": 90, "image_height": 200, "image_channels": 3}

    before = [node.box for node in load(HIGH, folder).golds[0].nodes or ()]
    after = [node.box for node in load(HIGH, changed(folder, divide)).golds[0].nodes or ()]
    assert after == [pytest.approx(box) for box in before]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("result_action_type", 9, "step 0: no action 9"),
        ("result_touch_yx", "[-1.0, -1.0]", "no place on the screen"),
        ("result_touch_yx", "x", "'x' is no list"),
        ("ui_positions", "[[1, 2]]", "step 0: Expected `array` of length 4"),
        ("image_path", "general/gone.png", "no screenshot 'general/gone.png'"),
        ("instruction", None, "expected `str`"),
    ],
)
def test_a_step_that_is_not_as_published_is_named(
    folder: Path, field: str, value: Any, says: str
) -> None:
    changed(folder, lambda rows: rows[0].update({field: value}))
    with pytest.raises(DataError, match=says.replace("[", r"\[")) as caught:
        load(HIGH, folder)
    assert "GENERAL-7.json" in str(caught.value)


def test_another_folder_split_or_task_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(DataError, match="a subset of general, google_apps"):
        load(HIGH, tmp_path / "other")
    with pytest.raises(UnknownNameError, match="test"):
        load(HIGH, folder, split="train")
    with pytest.raises(UnknownNameError, match="aitz/high"):
        load("aitz/low", folder)

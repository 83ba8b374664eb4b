import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import DataError, InputError
from snellen.grading.models.actions import Action, ActionType, Direction
from snellen.grading.models.reports import PinVerdict
from snellen.grading.models.scores import Outcome
from snellen.tasks.benchmarks.androidcontrol.load import load
from snellen.tasks.pack.write import Part, write_pack

HIGH, LOW = "androidcontrol/high", "androidcontrol/low"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("androidcontrol", tmp_path)


def test_a_step_has_its_action_its_boxes_and_its_episode(folder: Path) -> None:
    data = load(HIGH, folder)
    assert data.ids == ["7/0", "7/1", "7/2", "8/0", "8/1", "8/2"]
    tap = data.golds[1]
    assert tap.action == Action(ActionType.CLICK, point=(21, 126))
    assert (tap.boxes, tap.image_size) == (((6, 120, 36, 132),), (108, 240))
    assert (tap.episode, tap.step) == ("7", 1)
    assert data.cluster == "episode"
    assert data.tags["action"] == ["open_app", "click", "scroll", "type", "navigate", "wait"]
    assert data.tags["episode length"] == ["3"] * 6
    assert data.pin.verdict is not PinVerdict.KNOWN


def test_a_swipes_direction_is_where_the_content_leads(folder: Path) -> None:
    assert load(HIGH, folder).golds[2].action.direction is Direction.UP


def swiped(end: int) -> str:
    arguments = {"action": "swipe", "coordinate": [50, 120], "coordinate2": [50, end]}
    call = json.dumps({"name": "mobile_use", "arguments": arguments})
    return f"<tool_call>\n{call}\n</tool_call>"


@pytest.mark.parametrize(
    ("protocol", "response", "value"),
    [
        ("os-atlas", "actions:\nSCROLL [UP]", 1),
        ("os-atlas", "actions:\nSCROLL [DOWN]", 0),
        ("robust", {"format": "qwen", "response": swiped(200)}, 1),
        ("robust", {"format": "qwen", "response": swiped(40)}, 0),
        ("qwen", swiped(40), 1),
        ("qwen", swiped(200), 0),
    ],
)
def test_only_qwens_rule_compares_the_finger_with_the_files_direction(
    folder: Path, protocol: str, response: object, value: float
) -> None:
    answers = [{"item_id": "7/2", "response": response}]
    report = sdk.grade(
        answers, task=HIGH, data=folder, protocol=protocol, items=["7/2"], progress=False
    )
    assert report.value == value
    turned = [notice.count for notice in report.input.notices if notice.code == "direction"]
    assert turned == ([] if value else [1])


def test_the_warning_counts_the_scrolls_that_would_be_right_the_other_way(folder: Path) -> None:
    answers = [{"item_id": "7/2", "response": swiped(200)}]
    said = "Scrolls: 0 of 1 right, and 1 would be right the other way: the answers and `qwen@3`"
    report = sdk.grade(answers, task=HIGH, data=folder, protocol="qwen", progress=False)
    assert any(text.startswith(said) for text in report.input.warnings)
    both = sdk.explain(answers, task=HIGH, data=folder, protocols=["qwen", "robust"])
    assert [text.startswith(said) for text in both.notices] == [True]


def test_boxes_that_reach_outside_the_screen_are_counted(folder: Path) -> None:
    file = folder / "android_control_test.json"
    episodes = json.loads(file.read_text())
    episodes[0]["step_check_pams"][1]["candidate_bbox"] = [[6, 120, 36, 132], [0, 0, 200, 260]]
    file.write_text(json.dumps(episodes))
    note = load(HIGH, folder).pin.note
    assert note.endswith("1 right box reaches outside its image ('7/1', ...)")


def test_the_low_level_says_what_the_step_is_for_and_the_high_one_does_not(folder: Path) -> None:
    high, low = (load(task, folder).item("7/1").prompt for task in (HIGH, LOW))
    assert "do step 1" in low
    assert "do step 1" not in high
    for prompt in (high, low):
        assert "Save the note" in prompt
        assert "Notes" not in prompt
        assert "21" not in prompt


def test_the_prompt_with_the_actions_before_is_for_no_exam(folder: Path, tmp_path: Path) -> None:
    data = load(HIGH, folder, prompt="snellen-action-history-1")
    assert '"app": "Notes"' in data.item("7/1").prompt
    assert "nothing" in data.item("7/0").prompt
    with pytest.raises(InputError, match="references of earlier items"):
        write_pack([Part(data)], tmp_path / "pack", name="demo")


def test_a_step_is_shown_by_its_screenshot(folder: Path) -> None:
    data = load(LOW, folder)
    assert data.image("7/0").startswith(b"\x89PNG")
    assert data.item("7/0").images[0].width == 108


def test_ugrounds_sample_has_the_nodes_of_each_screen(tmp_path: Path) -> None:
    def box(x: int, y: int, right: int, bottom: int) -> dict[str, int]:
        return {"x_min": x, "y_min": y, "x_max": right, "y_max": bottom}

    row = {
        "episode_id": 3,
        "step": 2,
        "goal": "Save",
        "step_instruction": "press save",
        "previous_actions": [{"action_type": "open_app", "app_name": "Notes"}],
        "screenshot": "3_2.png",
        "action": {"action_type": "click", "x": 50, "y": 60},
        "accessibility_tree": [
            {"bbox_pixels": box(0, 0, 1080, 2400), "text": None, "content_description": ""},
            [{"bbox_pixels": box(40, 50, 60, 70), "text": "Save"}],
        ],
    }
    file = tmp_path / "500_steps.json"
    file.write_text(json.dumps([row]))
    data = load(LOW, file)
    gold = data.golds[0]
    assert (data.ids, gold.image_size) == (["3/2"], (1080, 2400))
    assert [node.text for node in gold.nodes or ()] == ["", "Save"]
    report = sdk.grade(
        [{"item_id": "3/2", "response": {"format": "plain", "action": "click", "x": 41, "y": 51}}],
        task=LOW,
        data=file,
        protocol="uground",
        progress=False,
    )
    assert report.value == 1


@pytest.mark.parametrize(
    "action",
    [{"action_type": "input_text", "text": None}, {"action_type": "open_app", "app_name": None}],
)
def test_a_text_of_ugrounds_sample_that_is_null_is_empty(
    tmp_path: Path, action: dict[str, Any]
) -> None:
    node = {"bbox_pixels": {"x_min": 0, "y_min": 0, "x_max": 9, "y_max": 9}}
    row = {"episode_id": 3, "step": 0, "goal": "g", "accessibility_tree": [node]}
    file = tmp_path / "500_steps.json"
    file.write_text(json.dumps([{**row, "action": {**action, "x": None, "y": None}}]))
    done = load(LOW, file).golds[0].action
    assert (done.text, done.app, done.point) == ("", "", None)


Episodes = list[dict[str, Any]]


def change(**fields: Any) -> Callable[[Episodes], object]:
    def spoil(episodes: Episodes) -> None:
        episodes[0]["step_check_pams"][1].update(fields)

    return spoil


def lose_a_check(episodes: Episodes) -> None:
    episodes[0]["step_check_pams"].pop()


def lose_the_width(episodes: Episodes) -> None:
    del episodes[0]["width"]


def repeat(episodes: Episodes) -> None:
    episodes.append(copy.deepcopy(episodes[0]))


def lead_outside(episodes: Episodes) -> None:
    episodes[0]["episode"]["screenshot_paths"][0] = "../x.png"


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (change(action="tap"), "no action 'tap'"),
        (change(coordinate=None), "without a coordinate"),
        (change(candidate_bbox=[[9, 0, 1, 1]]), "step 1 of 7"),
        (change(action="swipe", direction="around"), "no direction 'around'"),
        (lose_a_check, "2 checks"),
        (lose_the_width, "width"),
        (repeat, "there twice"),
        (list[dict[str, Any]].clear, "no rows"),
        (lead_outside, "no path below the images"),
    ],
)
def test_a_row_that_is_not_as_published_is_named(
    folder: Path, spoil: Callable[[Episodes], object], says: str
) -> None:
    file = folder / "android_control_test.json"
    episodes = json.loads(file.read_text())
    spoil(episodes)
    file.write_text(json.dumps(episodes))
    with pytest.raises(DataError, match=says) as caught:
        load(HIGH, folder)
    assert "android_control_test.json" in str(caught.value)


def in_ui_s1s_form(episodes: Episodes) -> str:
    rows = [
        {
            "goal": row["episode"]["goal"],
            "is_successful": True,
            "steps": [
                {
                    "action_content": check,
                    "screenshot": f"/datasets/AndroidControl/{image}",
                    "step_instruction": instruction,
                    "check_options": check,
                }
                for check, image, instruction in zip(
                    row["step_check_pams"],
                    row["episode"]["screenshot_paths"],
                    row["episode"]["step_instructions"],
                    strict=False,
                )
            ],
            "episode_id": row["episode"]["episode_id"],
        }
        for row in episodes
    ]
    return "\n".join(map(json.dumps, rows))


@pytest.mark.parametrize("images", [True, False])
def test_ui_s1s_copy_has_the_same_steps_and_the_sizes_of_the_screenshots(
    folder: Path, tmp_path: Path, *, images: bool
) -> None:
    episodes = json.loads((folder / "android_control_test.json").read_text())
    copied = tmp_path / "copy"
    copied.mkdir()
    (copied / "android_control_evaluation_std.jsonl").write_text(in_ui_s1s_form(episodes))
    found, expected = load(HIGH, copied, images=folder if images else None), load(HIGH, folder)
    assert found.ids == expected.ids
    assert [gold.action for gold in found.golds] == [gold.action for gold in expected.golds]
    assert [gold.boxes for gold in found.golds] == [gold.boxes for gold in expected.golds]
    assert {gold.image_size for gold in found.golds} == {(108, 240) if images else None}
    assert found.item("8/1").prompt == expected.item("8/1").prompt


def test_a_point_in_thousandths_of_an_unknown_screen_is_an_error_with_its_reason(
    folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "alone" / "android_control_evaluation_std.jsonl"
    file.parent.mkdir()
    file.write_text(in_ui_s1s_form(json.loads((folder / "android_control_test.json").read_text())))
    click = {"format": "plain", "action": "click", "x": 194, "y": 525, "space": "thousand"}
    for protocol in ("robust", "qwen"):
        report = sdk.grade(
            [{"item_id": "7/1", "response": click}],
            task=HIGH,
            data=file,
            protocol=protocol,
            items=["7/1"],
            progress=False,
        )
        assert report.scores[0].outcome is Outcome.ERROR
        assert "the size of the screenshot is needed" in report.input.warnings[0]


def test_ui_r1s_copy_has_the_labels_of_androidcontrol_and_no_goals(tmp_path: Path) -> None:
    file = tmp_path / "ac_test.json"
    rows = [
        {
            "image": "episode_140-screenshot_2.png",
            "gt": {"action_type": "click", "x": 1027, "y": 209},
            "task": "Press more",
        },
        {
            "image": "episode_45-screenshot_0.png",
            "gt": {"action_type": "scroll", "direction": "down"},
            "task": "",
        },
    ]
    file.write_text(json.dumps(rows))
    data = load(LOW, file)
    assert data.ids == ["140/2", "45/0"]
    assert data.golds[0].action == Action(ActionType.CLICK, point=(1027, 209))
    assert data.golds[1].action.direction is Direction.DOWN
    assert data.item("140/2").prompt.endswith("Now: Press more")
    with pytest.raises(DataError, match="no goals: load androidcontrol/low"):
        load(HIGH, file)
    # Episode 45 is none of OS-Atlas's.
    assert load(LOW, file, split="os-atlas").ids == ["140/2"]
    for field, value, says in (
        ("image", "140_2.png", "not episode_E-screenshot_S"),
        ("gt", {"action_type": "dance"}, "no action"),
    ):
        file.write_text(json.dumps([{**rows[0], field: value}]))
        with pytest.raises(DataError, match=says):
            load(LOW, file)


def test_the_split_of_os_atlas_is_in_the_signature(folder: Path) -> None:
    answers = [{"item_id": "7/1", "response": "actions:\nPRESS_BACK"}]
    data = load(HIGH, folder, split="os-atlas")
    report = sdk.grade(answers, data=data, protocol="os-atlas", progress=False)
    assert report.provenance.split == "os-atlas"
    assert "|data:unknown/os-atlas:sha256:" in report.signature

"""The first stages of our readers: the same for every task, and no wrong answer gains by them."""

import pytest

from snellen import sdk

BOX = [0.1, 0.2, 0.3, 0.4]
TASKS = {
    # task: (a reference, the answer that is right, one that is wrong)
    "mmbench-gui/l1": ("B", "B", "A"),
    "visualwebbench/action_prediction": (1, "B", "A"),
    "visualwebbench/webqa": (["Paris"], "Paris", "London"),
    "visualwebbench/heading_ocr": ("Our story", "Our story", "Contact"),
    "screenqa/short": (["12"], "12", "13"),
    "screenqa/ui_contents": ([["a", "b"]], '["a", "b"]', '["c"]'),
    "webrssbench/color": ("Buy now", "Buy now", "Cancel"),
    "webrssbench/position": (
        {"crop_1|crop_2": "right"},
        "crop_1 is at the right of crop_2",
        "crop_1 is at the left of crop_2",
    ),
    "screenspot-v2/point": (BOX, "(0.2, 0.3)", "(0.9, 0.9)"),
    "osworld-g/original": (
        {"bbox": [100, 200, 300, 400], "image_size": [1000, 1000]},
        "(200, 300)",
        "(900, 900)",
    ),
    "visualwebbench/element_ground_bbox": (BOX, "[0.1, 0.2, 0.3, 0.4]", "[0.5, 0.5, 0.6, 0.6]"),
    "androidcontrol/high": (
        {"action": {"type": "navigate", "button": "back"}, "image_size": [1080, 2400]},
        "PRESS_BACK",
        "PRESS_HOME",
    ),
}


def value(task: str, response: object) -> float:
    reference, _, _ = TASKS[task]
    return sdk.score(task, response=response, reference=reference, protocol="robust").value


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "around",
    [
        "{right}",
        "<think>{wrong}? No.</think>\n{right}",
        "{wrong}? No.</think>{right}",
        "<answer>{right}</answer>",
        "<|begin_of_box|>{right}<|end_of_box|>",
        "{right}<|im_end|>",
    ],
)
def test_thoughts_and_wrappings_are_taken_off_in_every_task(task: str, around: str) -> None:
    _, right, wrong = TASKS[task]
    assert value(task, around.format(right=right, wrong=wrong)) == 1


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "around",
    [
        "<think>{right}</think>\n{wrong}",
        "{right}? No.</think>{wrong}",
        "<think>It must be {right}",
        "<think>{right}</think>",
        "<|channel|>analysis<|message|>{right}",
    ],
)
def test_a_right_answer_in_a_thought_is_worth_nothing(task: str, around: str) -> None:
    _, right, wrong = TASKS[task]
    assert value(task, around.format(right=right, wrong=wrong)) == 0

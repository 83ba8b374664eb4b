"""AndroidControl: two episodes of the test steps, in the layout with boxes to check."""

import json
from pathlib import Path

from PIL import Image

SIZE = (108, 240)
SAVE = [6, 120, 36, 132]


def episode(number: int, checks: list[dict[str, object]]) -> dict[str, object]:
    return {
        "width": SIZE[0],
        "height": SIZE[1],
        "episode": {
            "episode_id": number,
            "goal": "Save the note",
            "step_instructions": [f"do step {step}" for step in range(len(checks))],
            "screenshot_paths": [f"images/{number}_{step}.png" for step in range(len(checks) + 1)],
        },
        "step_pams": checks,
        "step_check_pams": checks,
    }


EPISODES = [
    episode(
        7,
        [
            {"action": "open", "text": "Notes"},
            {"action": "click", "coordinate": [21, 126], "candidate_bbox": [SAVE]},
            {"action": "swipe", "direction": "up"},
        ],
    ),
    episode(
        8,
        [
            {"action": "type", "text": "New York"},
            {"action": "system_button", "button": "Back"},
            {"action": "wait", "time": 2},
        ],
    ),
]


def write(folder: Path) -> Path:
    (folder / "images").mkdir(exist_ok=True)
    for number in (7, 8):
        for step in range(4):
            Image.new("RGB", SIZE, (255, 255, 255)).save(folder / f"images/{number}_{step}.png")
    (folder / "android_control_test.json").write_text(json.dumps(EPISODES))
    return folder

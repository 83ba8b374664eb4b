"""AITZ: two episodes of two subsets, as the annotation has them."""

import json
from pathlib import Path

from PIL import Image

SIZE = (90, 200)
NONE = "[-1.0, -1.0]"
STEPS = [
    (4, "[0.5, 0.25]", "[0.5, 0.25]", "", "click on the clock"),
    (4, "[0.8, 0.5]", "[0.2, 0.5]", "", "scroll up"),
    (3, NONE, NONE, "New York", 'input text "New York"'),
    (7, NONE, NONE, "", "press enter"),
    (6, NONE, NONE, "", "press the home button"),
    (10, NONE, NONE, "", "stop and set the query as completed"),
]


def write(folder: Path) -> Path:
    for subset, episode in (("general", "GENERAL-7"), ("install", "INSTALL-8")):
        place = folder / "test" / subset / episode
        place.mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "episode_id": episode.partition("-")[2],
                "episode_length": len(STEPS),
                "step_id": step,
                "instruction": "Look it up",
                "ui_positions": "[[90, 15, 20, 16], [0, 0, 20, 20]]",
                "ui_text": '["Clock", ""]',
                "ui_types": '["TEXT", "ICON_PLAY"]',
                "result_action_type": kind,
                "result_action_text": text,
                "result_touch_yx": touch,
                "result_lift_yx": lift,
                "image_path": f"{subset}/{episode}/{episode}_{step}.png",
                "coat_action_desc": words,
            }
            for step, (kind, touch, lift, text, words) in enumerate(STEPS)
        ]
        (place / f"{episode}.json").write_text(json.dumps(rows))
        for step in range(len(STEPS)):
            Image.new("RGB", SIZE, (255, 255, 255)).save(place / f"{episode}_{step}.png")
    return folder

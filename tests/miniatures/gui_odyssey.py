"""GUI-Odyssey: one episode of every kind of action."""

import json
from pathlib import Path

from PIL import Image

ACTIONS = [
    ("CLICK", [[500, 250]], [400, 200, 600, 300]),
    ("CLICK", "KEY_HOME", None),
    ("SCROLL", [[500, 800], [500, 200]], None),
    ("TYPE", "New York", None),
    ("LONG_PRESS", [[100, 100]], None),
    ("COMPLETE", "", None),
]


def write(folder: Path) -> Path:
    for name in ("annotations", "splits", "screenshots"):
        (folder / name).mkdir(exist_ok=True)
    steps = [
        {
            "step": place,
            "screenshot": f"7_{place}.png",
            "action": action,
            "info": info,
            "low_level_instruction": f"do step {place}",
            "sam2_bbox": box,
        }
        for place, (action, info, box) in enumerate(ACTIONS)
    ]
    episode = {
        "episode_id": "7",
        "device_info": {"w": 144, "h": 312, "device_name": "Pixel 7"},
        "task_info": {"category": "General_Tool", "instruction": "Look it up"},
        "step_length": len(steps),
        "steps": steps,
    }
    (folder / "annotations" / "7.json").write_text(json.dumps(episode))
    for split in ("random", "task", "device", "app"):
        listed = {"train": [], "test": ["7.json"]}
        (folder / "splits" / f"{split}_split.json").write_text(json.dumps(listed))
    for place in range(len(ACTIONS)):
        Image.new("RGB", (144, 312), (255, 255, 255)).save(
            folder / "screenshots" / f"7_{place}.png"
        )
    return folder

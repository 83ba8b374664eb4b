"""CAGUI: three elements each on a screenshot of their own, and an episode of every action."""

import json
from pathlib import Path

from PIL import Image

SIZE = (90, 200)
NONE = "[-1.0, -1.0]"
STEPS = [
    (4, "[0.5, 0.25]", "[0.5, 0.25]", "", None),
    (4, "[0.8, 0.5]", "[0.2, 0.5]", "", None),
    (0, "[0.1, 0.9]", "[0.1, 0.9]", "", 1000.0),
    (3, NONE, NONE, "北京", None),
    (5, NONE, NONE, "", None),
    (1, NONE, NONE, "", 2000.0),
    (11, NONE, NONE, "", None),
]


def write(folder: Path) -> Path:
    home = folder / "CAGUI_grounding"
    (home / "code").mkdir(parents=True)
    for part, task in (("cap", "bbox2function"), ("ocr", "bbox2text")):
        (home / "images" / part).mkdir(parents=True)
        rows: list[str] = []
        for n in range(3):
            Image.new("RGB", (128, 80)).save(home / "images" / part / f"{n}.jpeg")
            box = (10 + n, 20, 30, 40)
            sides = (side / (128, 80)[place % 2] for place, side in enumerate(box))
            row = {
                "task": task,
                "image": f"grounding_eval/dataset/images/{n}.jpeg",
                "id": 0,
                "abs_position": f"<{', '.join(map(str, box))}>",
                "rel_position": f"<{', '.join(map(str, sides))}>",
                "text": "返回按钮",
            }
            rows.append(json.dumps(row, ensure_ascii=False))
        (home / "code" / f"{part}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    _write_agent(folder)
    return folder


def _write_agent(folder: Path) -> None:
    place = folder / "CAGUI_agent" / "domestic" / "7"
    place.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "episode_id": "7",
            "episode_length": len(STEPS),
            "step_id": step,
            "instruction": "查一下",
            "image_path": f"domestic/7/7_{step}.jpeg",
            "image_width": SIZE[0],
            "image_height": SIZE[1],
            "ui_positions": "[[0.45, 0.2, 0.1, 0.1], [0, 0, 1, 1]]",
            "result_action_type": kind,
            "result_action_text": text,
            "result_touch_yx": touch,
            "result_lift_yx": lift,
            "duration": duration,
        }
        for step, (kind, touch, lift, text, duration) in enumerate(STEPS)
    ]
    (place / "7.json").write_text(json.dumps(rows))
    for step in range(len(STEPS)):
        Image.new("RGB", SIZE, (255, 255, 255)).save(place / f"7_{step}.jpeg")

"""CAGUI's grounding parts: three elements each, on a screenshot of their own."""

import json
from pathlib import Path

from PIL import Image


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
    return folder

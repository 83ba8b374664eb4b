"""UI-Vision: three elements in each way of asking, and three regions."""

import json
from pathlib import Path

from PIL import Image

SIZE = (192, 108)


def write(folder: Path) -> Path:
    home = folder / "annotations" / "element_grounding"
    home.mkdir(parents=True, exist_ok=True)
    (folder / "images").mkdir(exist_ok=True)
    Image.new("RGB", SIZE, (255, 255, 255)).save(folder / "images" / "a.png")
    shown = {"image_path": "a.png", "image_size": list(SIZE), "platform": "VLC"}
    for kind in ("basic", "functional", "spatial"):
        rows = [
            shown
            | {
                "prompt_to_evaluate": f"the {kind} button",
                "bbox": [60, 30, 68, 34 + place],
                "category": "Button",
                "element_type": "icon",
            }
            for place in range(3)
        ]
        (home / f"element_grounding_{kind}.json").write_text(json.dumps(rows))
    regions = [
        shown | {"bbox": [6, 3, 60 + place, 30], "name": "Menu", "explanation": "opens files"}
        for place in range(3)
    ]
    (folder / "annotations" / "layout_grounding.json").write_text(json.dumps(regions))
    return folder

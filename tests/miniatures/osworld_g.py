"""OSWorld-G: a box, a polygon and a refusal, in both wordings."""

import json
from pathlib import Path

from PIL import Image

SIZE = (192, 108)
POLYGON = [10, 10, 30, 10, 30, 30, 20, 18, 10, 30]


def write(folder: Path) -> Path:
    home = folder / "benchmark"
    (home / "images").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", SIZE, (255, 255, 255)).save(home / "images" / "a.png")
    kinds = [("bbox", [60, 30, 8, 4]), ("polygon", POLYGON), ("refusal", [-1, -1, -1, -1])]
    rows = [
        {
            "id": f"item-{place}",
            "image_path": "a.png",
            "image_size": list(SIZE),
            "instruction": "the save button",
            "box_type": kind,
            "box_coordinates": numbers,
            "GUI_types": ["Button"],
        }
        for place, (kind, numbers) in enumerate(kinds)
    ]
    for name in ("OSWorld-G.json", "OSWorld-G_refined.json"):
        (home / name).write_text(json.dumps(rows))
    groups = {"refusal": [{"id": "item-2"}], "text_matching": [{"id": "item-0"}, {"id": "item-1"}]}
    (home / "classification_result.json").write_text(json.dumps({"classified": groups}))
    return folder

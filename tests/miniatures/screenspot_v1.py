"""ScreenSpot: two elements of each platform, and their screenshot."""

import json
from pathlib import Path

from PIL import Image


def write(folder: Path) -> Path:
    Image.new("RGB", (1280, 2000)).save(folder / "a.png")
    for platform in ("web", "mobile", "desktop"):
        row = {"img_filename": "a.png", "instruction": "view", "data_type": "text"}
        rows = [{**row, "bbox": [n, 20, 30, 40], "data_source": "shop"} for n in range(2)]
        (folder / f"screenspot_{platform}.json").write_text(json.dumps(rows))
    return folder

"""ScreenSpot-Pro: three elements of one application."""

import json
from pathlib import Path


def write(folder: Path) -> Path:
    rows = [
        {
            "id": f"word_{n}",
            "img_filename": "word/a.png",
            "bbox": [1, 2, 3, 4 + n],
            "img_size": [2560, 1440],
            "instruction": "bold",
            "application": "word",
            "platform": "macos",
            "ui_type": "icon",
            "group": "Office",
        }
        for n in range(3)
    ]
    (folder / "word_macos.json").write_text(json.dumps(rows))
    return folder

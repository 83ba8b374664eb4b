"""MiniWoB++: three episodes on two pages."""

import json
from pathlib import Path


def write(folder: Path) -> Path:
    rows = [
        {
            "id": f"stepped/{page}/{seed}",
            "page": page,
            "seed": seed,
            "time": "stepped",
            "goal": "Click the button.",
            "limit": 20,
        }
        for page, seed in (("click-test", 1), ("click-test", 2), ("click-button", 3))
    ]
    (folder / "miniwob.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder

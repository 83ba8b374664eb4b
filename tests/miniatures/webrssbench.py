"""Every task of WebRSSBench, three pages or more of each."""

import json
from pathlib import Path
from typing import Any

CROPS: list[dict[str, Any]] = [
    {"name": "crop_1", "image": "p/1.png", "box": [0.0, 0.0, 0.2, 0.1]},
    {"name": "crop_2", "image": "p/2.png", "box": [0.5, 0.0, 0.2, 0.1]},
    {"name": "crop_10", "image": "p/10.png", "box": [0.5, 0.5, 0.2, 0.1]},
]
PAGES: list[dict[str, Any]] = [
    {
        "task": "position",
        "page": f"page{number}",
        "site": "shop.example",
        "difficulty": "easy",
        "image": {"path": f"{number}.png", "width": 1280, "height": 4000},
        "crops": CROPS,
    }
    for number in range(3)
]
for _number, _region in enumerate(("right auxiliary area", "top bar", "other")):
    PAGES.append(
        {
            "task": "ui_grouping",
            "page": "shop",
            "element": f"element{_number}",
            "image": "shop.png",
            "reference": _region,
        }
    )
for _task in ("form_filling", "hint_text"):
    for _number, _text in enumerate(("jane@example.com", "Enter your e-mail", "your town")):
        PAGES.append(
            {"task": _task, "page": f"p{_number}", "image": "login.png", "reference": _text}
        )
for _task in ("color", "text", "layout"):
    for _number, _text in enumerate(("Buy it now", "Subscribe to the letter", "Opens a basket")):
        PAGES.append(
            {
                "task": _task,
                "page": f"p{_number}",
                "before": "before.png",
                "after": {"all": "after.png"} if _task == "color" else "after.png",
                "reference": [_text, "Buy"] if _task == "color" else _text,
            }
        )
for _number, _button in enumerate((["Delete account", "Close account"], "Leave", "Empty")):
    PAGES.append(
        {"task": "safety", "page": f"p{_number}", "image": "account.png", "reference": _button}
    )


def write(folder: Path) -> Path:
    document = {"format": "webrssbench/1", "rows": PAGES}
    (folder / "webrssbench.json").write_text(json.dumps(document))
    return folder

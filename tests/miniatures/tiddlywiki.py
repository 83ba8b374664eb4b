"""TiddlyWiki: tasks in a wiki of one note that nobody opens."""

import json
from pathlib import Path
from typing import Any


def write(folder: Path) -> Path:
    golds: list[dict[str, Any]] = [
        {"limit": 25, "changes": {"changed": {"Tea.text": ["Hot.", "Cold."]}}},
        {"limit": 15, "answer": 7500},
        {"limit": 20, "reason": "ambiguous"},
    ]
    rows = [
        {
            "id": f"wiki-{number}",
            "goal": f"Do number {number}.",
            "tiddlers": [{"title": "Tea", "text": "Hot."}],
            "wiki": "0" * 64,
            "gold": gold,
            "tags": {"template": f"t{number}", "difficulty": "easy", "feasible": "yes"},
        }
        for number, gold in enumerate(golds)
    ]
    (folder / "tiddlywiki.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder

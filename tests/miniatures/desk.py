"""The desk: tasks of both levels, in worlds of one application that nobody opens."""

import json
from pathlib import Path
from typing import Any


def write(folder: Path) -> Path:
    golds: dict[str, list[dict[str, Any]]] = {
        "desk/l3": [
            {"limit": 15, "changes": {"changed": {"mail.messages.m1.read": [False, True]}}},
            {"limit": 15, "answer": 7.5},
            {"limit": 20, "reason": "conflict"},
        ],
        "desk/l4": [{"limit": 30, "answer": ["one", "two"]}, {"limit": 30, "answer": "x"}],
    }
    rows: list[dict[str, Any]] = [
        {
            "id": f"{task[-2:]}-{number}",
            "task": task,
            "goal": f"Do number {number}.",
            "state": {"clock": "2025-06-16T10:00", "me": "me", "mail": {"messages": {}}},
            "gold": gold,
            "tags": {"template": f"t{number}", "apps": "mail", "difficulty": "easy"},
        }
        for task, found in golds.items()
        for number, gold in enumerate(found)
    ]
    (folder / "desk.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder

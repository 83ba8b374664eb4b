"""MMBench-GUI's four levels."""

import json
from pathlib import Path
from typing import Any


def screen(number: int) -> dict[str, Any]:
    return {
        "index": number,
        "image_path": f"{number}.png",
        "image_size": [1179, 2556],
        "platform": "os_mac",
        "app_name": "Fitness",
    }


def question(difficulty: str, answer: str, options: int) -> dict[str, Any]:
    return {
        "question": f"What is {difficulty}?",
        "options": {letter: f"option {letter}" for letter in "ABCDEF"[:options]},
        "answer": answer,
        "explanation": "none",
        "difficulty": difficulty,
    }


def write(folder: Path) -> Path:
    groups = [question("easy", "C", 4), question("medium", "A", 5), question("hard", "F", 6)]
    questions = [{**screen(number), "groups": groups} for number in range(2)]
    boxes = [[0.25, 0.125, 0.5, 0.25], [-1, 30, 400, 70], [100, 200, 300, 400]]
    elements = [
        {
            **screen(number),
            "instruction": f"the element {number}",
            "bbox": box,
            "data_type": "icon",
            "grounding_type": kind,
        }
        for kind in ("basic", "advanced")
        for number, box in enumerate(boxes)
    ]
    (folder / "L1_annotations.json").write_text(json.dumps(questions))
    (folder / "L2_annotations.json").write_text(json.dumps(elements))
    for level in ("L3", "L4"):
        lines: list[dict[str, Any]] = [
            {"id": f"{level}{n}", "instruction": "Do it.", "platform": "os_mac", "apps": ["x", "y"]}
            for n in range(3)
        ]
        lines[0]["limit"] = 50
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{level}_tasks.jsonl").write_text(text)
    return folder

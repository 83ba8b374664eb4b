"""Two exams that differ in gold alone, made of published data that does."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.sealing import write_key
from snellen.tasks.pack.writing import Part, write_pack

PUBLISHED = Path(__file__).parents[2] / "fixtures" / "visualwebbench"


@dataclass(frozen=True)
class Kept:
    """An exam on disk.

    Attributes:
        packs: Its packs, sealed.
        key: The file of their key.
        markers: Every text that a reference of it holds.
        right: Question, which is a prompt without its options, to an answer that is right.
    """

    packs: Sequence[Path]
    key: Path
    markers: Sequence[str]
    right: Mapping[str, Any]


class Golds:
    """What two sets of published data differ in; which of the two it is for is `which`."""

    def __init__(self, which: int) -> None:
        self.which = which
        self.markers: list[str] = []

    def text(self) -> str:
        """Return a new random text."""
        self.markers.append(f"gold{secrets.token_hex(12)}")
        return self.markers[-1]

    def place(self, number: int, count: int) -> int:
        """Return the right one of some options."""
        return (number + self.which) % count


def write_screenqa(folder: Path, golds: Golds) -> None:
    """Six questions about two screens."""
    (folder / "short_answers").mkdir(parents=True)
    (folder / "images").mkdir()
    rows = [
        {"image_id": n // 3, "question": f"What is {n}?", "ground_truth": [golds.text()]}
        for n in range(6)
    ]
    (folder / "short_answers" / "test.json").write_text(json.dumps(rows))
    for number, colour in enumerate(("red", "blue")):
        out = BytesIO()
        Image.new("RGB", (60, 80), colour).save(out, "PNG")
        (folder / "images" / f"{number}.png").write_bytes(out.getvalue())


def write_mmbench_gui(folder: Path, golds: Golds) -> None:
    """Questions with four options, and elements to point at."""
    folder.mkdir()
    screens: list[dict[str, Any]] = [
        {
            "index": number,
            "image_path": f"{number}.png",
            "image_size": [1000, 2000],
            "platform": "os_mac",
            "app_name": "Fitness",
        }
        for number in range(3)
    ]
    questions = [
        {
            **screen,
            "groups": [
                {
                    "question": f"Which is {screen['index']} and {difficulty}?",
                    "options": {letter: f"option {letter}" for letter in "ABCD"},
                    "answer": "ABCD"[golds.place(screen["index"], 4)],
                    "explanation": golds.text(),
                    "difficulty": difficulty,
                }
                for difficulty in ("easy", "medium", "hard")
            ],
        }
        for screen in screens
    ]
    sides = [[0.1, 0.1, 0.2, 0.2], [0.5, 0.125, 0.75, 0.25]]
    elements = [
        {
            **screen,
            "instruction": f"the element {screen['index']}",
            "bbox": sides[golds.which],
            "data_type": "icon",
            "grounding_type": kind,
        }
        for screen in screens
        for kind in ("basic", "advanced")
    ]
    (folder / "L1_annotations.json").write_text(json.dumps(questions))
    (folder / "L2_annotations.json").write_text(json.dumps(elements))


def write_visualwebbench(folder: Path, golds: Golds) -> None:
    """The published form of all seven tasks, with other answers."""
    folder.mkdir()
    for file in sorted(PUBLISHED.glob("*.json")):
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        for row in rows:
            answer = row["answer"]
            if isinstance(answer, int):
                row["answer"] = golds.place(answer, len(row["options"]))
            elif isinstance(answer, list):
                row["answer"] = [golds.text()]
            else:
                row["answer"] = golds.text()
                # Published beside the answer, and the same.
                if "elem_desc" in row:
                    row["elem_desc"] = row["answer"]
        (folder / file.name).write_text(json.dumps(rows))


def write_webrssbench(folder: Path, golds: Golds) -> None:
    """Three pages for each task whose gold is written down."""
    regions = ("right auxiliary area", "top bar", "other")
    rows: list[dict[str, Any]] = []
    for number in range(3):
        page = {"page": f"p{number}"}
        region = regions[golds.place(number, 3)]
        rows += [
            {"task": task, **page, "image": "login.png", "reference": golds.text()}
            for task in ("form_filling", "hint_text")
        ]
        rows += [
            {
                "task": task,
                **page,
                "before": "before.png",
                "after": {"all": "after.png"} if task == "color" else "after.png",
                "reference": [golds.text()] if task == "color" else golds.text(),
            }
            for task in ("color", "text", "layout")
        ]
        element = {"page": "shop", "element": f"element{number}", "image": "shop.png"}
        rows.append({"task": "ui_grouping", **element, "reference": region})
        button = {"image": "account.png", "reference": [golds.text(), golds.text()]}
        rows.append({"task": "safety", **page, **button})
    folder.mkdir()
    document = {"format": "webrssbench/1", "rows": rows}
    (folder / "webrssbench.json").write_text(json.dumps(document))


TASKS = {
    "mmbench_gui": [f"mmbench-gui/{name}" for name in ("l1", "l2_basic", "l2_advanced")],
    "visualwebbench": [f"visualwebbench/{file.stem}" for file in sorted(PUBLISHED.glob("*.json"))],
    "webrssbench": [
        f"webrssbench/{name}"
        for name in (
            "form_filling",
            "hint_text",
            "color",
            "text",
            "layout",
            "ui_grouping",
            "safety",
        )
    ],
}


def make(folder: Path, which: int) -> Kept:
    """Make one of the two exams from its published data, sealed."""
    golds = Golds(which)
    data = folder / "data"
    data.mkdir(parents=True)
    write_screenqa(data / "screenqa", golds)
    write_mmbench_gui(data / "mmbench_gui", golds)
    write_visualwebbench(data / "visualwebbench", golds)
    write_webrssbench(data / "webrssbench", golds)
    screens = load_task("screenqa/short", data / "screenqa", images=data / "screenqa" / "images")
    others = [load_task(task, data / name) for name, tasks in TASKS.items() for task in tasks]
    key = folder / "exam.key"
    words = write_key(key)
    write_pack([Part(screens)], folder / "screens", name="screens", key=words)
    write_pack(
        [Part(one) for one in others], folder / "pages", name="pages", key=words, images=False
    )
    right = {
        loaded.item(item).prompt.partition("\nOptions:")[0]: said_of(loaded, item)
        for loaded in (screens, *others)
        for item in loaded.ids
    }
    return Kept([folder / "screens", folder / "pages"], key, golds.markers, right)


def said_of(loaded: TaskData, item: str) -> Any:
    """Return an answer that is right."""
    answer = loaded.reference(item).answers[0].model_dump(mode="json")
    asked = loaded.item(item)
    for letter, option in zip("ABCD", asked.answer_format.options, strict=False):
        if answer.get("letter") == letter and f"\n{letter}. {option}" in asked.prompt:
            return {"option": option}
    for name in ("text", "letter", "label"):
        if name in answer:
            return answer[name]
    if "box" in answer or "left" in answer:
        box = answer.get("box", answer)
        return [(box["left"] + box["right"]) / 2, (box["top"] + box["bottom"]) / 2]
    raise AssertionError(f"no answer is known for {loaded.task}: {answer}")


@pytest.fixture(scope="module")
def exams(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Kept]:
    """Return two exams that differ in gold alone."""
    folder = tmp_path_factory.mktemp("custody")
    return [make(folder / name, which) for which, name in enumerate(("one", "other"))]

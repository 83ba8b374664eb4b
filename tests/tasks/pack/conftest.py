"""Small data of every task, and packs made of it."""

import json
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.reading import Pack, open_pack
from snellen.tasks.pack.writing import Part, write_pack

FIXTURES = Path(__file__).parents[2] / "fixtures"

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


def write_mmbench_gui(folder: Path) -> None:
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


def write_screenspot(folder: Path) -> None:
    Image.new("RGB", (1280, 2000)).save(folder / "a.png")
    for part in ("web", "mobile", "desktop"):
        row = {"img_filename": "a.png", "instruction": "view", "data_type": "text"}
        rows = [{**row, "bbox": [n, 20, 30, 40], "data_source": "shop"} for n in range(2)]
        (folder / f"screenspot_{part}_v2.json").write_text(json.dumps(rows))


def write_screenspot_pro(folder: Path) -> None:
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


@pytest.fixture(scope="session")
def every_benchmark(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each benchmark's published data in miniature, three items or more of each task."""
    pages = tmp_path_factory.mktemp("webrssbench")
    document = {"format": "webrssbench/1", "rows": PAGES}
    (pages / "webrssbench.json").write_text(json.dumps(document))
    shots = tmp_path_factory.mktemp("mmbench_gui")
    write_mmbench_gui(shots)
    places = tmp_path_factory.mktemp("screenspot-v2")
    write_screenspot(places)
    tools = tmp_path_factory.mktemp("screenspot-pro")
    write_screenspot_pro(tools)
    return {
        "matrix": FIXTURES.parents[1] / "examples" / "matrix",
        "screenspot-v2": places,
        "screenspot-pro": tools,
        "screenqa": FIXTURES / "screenqa" / "repo",
        "visualwebbench": FIXTURES / "visualwebbench",
        "webrssbench": pages,
        "mmbench-gui": shots,
    }


def png(colour: str, size: tuple[int, int] = (40, 60), form: str = "PNG") -> bytes:
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, form)
    return out.getvalue()


ROWS: list[dict[str, Any]] = [
    {"image_id": image, "question": f"What is {n}?", "ground_truth": [f"gold {image} {n}", "gold"]}
    for image in (5, 9)
    for n in range(3)
]
LoadShort = Callable[..., TaskData]
MakePack = Callable[..., Pack]


@pytest.fixture
def load_short(tmp_path: Path) -> LoadShort:
    """Load six ScreenQA questions about two screenshots, a red one and a blue one."""

    def load(rows: list[dict[str, Any]] = ROWS, folder: str = "data") -> TaskData:
        root = tmp_path / folder
        (root / "short_answers").mkdir(parents=True, exist_ok=True)
        (root / "images").mkdir(exist_ok=True)
        (root / "short_answers" / "test.json").write_text(json.dumps(rows))
        (root / "images" / "5.png").write_bytes(png("red"))
        (root / "images" / "9.jpg").write_bytes(png("blue", form="JPEG"))
        return load_task("screenqa/short", root, images=root / "images")

    return load


@pytest.fixture
def make_pack(load_short: LoadShort, tmp_path: Path) -> MakePack:
    """Make a pack of these questions, by default in the folder `pack`."""

    def make(folder: str = "pack", data: TaskData | None = None, **options: Any) -> Pack:
        items = options.pop("items", None)
        part = Part(load_short() if data is None else data, items)
        write_pack([part], tmp_path / folder, name="demo", **options)
        return open_pack(tmp_path / folder)

    return make


Tree = Callable[[Path], dict[str, bytes]]


@pytest.fixture
def tree() -> Tree:
    """Return what a folder holds: paths to bytes."""

    def read(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return read


Rehash = Callable[..., None]


@pytest.fixture
def rehash() -> Rehash:
    """Write a file of a pack and the digest of it into the manifest, as who forges one would."""

    def write(pack: Path, name: str, data: bytes) -> None:
        (pack / name).write_bytes(data)
        manifest = json.loads((pack / "manifest.json").read_text())
        manifest["files"][name] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
        (pack / "manifest.json").write_text(json.dumps(manifest))

    return write

"""An exam of drawn pages without faults, and ways to plant faulty items in it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PIL import Image, ImageDraw

from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.pack.write import Part, write_pack

SIZE = (320, 400)
_TEXT = """
amber basin cedar delta ember fjord grove harbor island jasper kettle lagoon meadow nectar
orchard pebble quarry river summit timber umbra valley willow yonder zephyr anchor bridge
canyon desert eagle falcon garden hollow ivory jungle kernel lantern marble needle opal
prairie quiver rocket saddle tunnel velvet walnut copper silver market station office
"""
WORDS = tuple(_TEXT.split())
VWB = ("heading_ocr", "webqa", "element_ocr", "element_ground", "action_prediction")
WEB = ("position", "ui_grouping", "hint_text", "safety", "text")
TASKS = (
    *(f"visualwebbench/{name}" for name in VWB),
    "visualwebbench/element_ground_point",
    *(f"webrssbench/{name}" for name in WEB),
    "mmbench-gui/l1",
    "mmbench-gui/l2_basic",
    "screenqa/short",
    "screenqa/ui_contents_boxes",
)
Files = dict[str, Any]


class Exam:
    """Rows in the published layouts, which a test may damage before they become a pack."""

    def __init__(self, folder: Path, sites: int, seed: int = 0) -> None:
        self.folder = folder
        self.random = Random(seed)
        self.vwb: dict[str, list[dict[str, Any]]] = {name: [] for name in VWB}
        self.web: list[dict[str, Any]] = []
        self.l1: list[dict[str, Any]] = []
        self.l2: list[dict[str, Any]] = []
        self.short: list[dict[str, Any]] = []
        self.boxes: list[dict[str, Any]] = []
        self.images: dict[str, bytes] = {}
        for number in range(sites):
            self._page(number)

    def phrase(self, count: int = 2) -> str:
        return " ".join(self.random.choice(WORDS) for _ in range(count))

    def draw(self, name: str, mark: bool = False, size: tuple[int, int] = SIZE) -> str:
        """Draw a page of colored blocks and texts, the same for a name, and keep it."""
        random = Random(name.removesuffix(" marked"))
        image = Image.new("RGB", size, "white")
        pen = ImageDraw.Draw(image)
        for _ in range(24):
            left, top = random.randrange(size[0]), random.randrange(size[1])
            fill = (random.randrange(256), random.randrange(256), random.randrange(256))
            pen.rectangle((left, top, left + random.randrange(9, 90), top + 14), fill=fill)
        for row in range(6):
            pen.text((8, 10 + 60 * row), " ".join(random.sample(WORDS, 4)), "black")
        if mark:
            left, top = random.randrange(200), random.randrange(300)
            pen.rectangle((left, top, left + 90, top + 40), outline="red", width=3)
        out = io.BytesIO()
        image.save(out, "PNG", compress_level=1)
        self.images[name] = out.getvalue()
        return name

    def box(self) -> list[float]:
        left, top = self.random.randrange(0, 200), self.random.randrange(0, 320)
        return [left, top, left + self.random.randrange(24, 100), top + 24]

    def _page(self, number: int) -> None:
        site, random = f"site{number}.example", self.random
        plain, marked = self.draw(f"p{number}"), self.draw(f"p{number} marked", mark=True)
        base = {"website": site, "image_size": list(SIZE)}

        def row(task: str, **more: Any) -> None:
            place = len(self.vwb[task])
            self.vwb[task].append({"id": f"{task}_{place}", "task_type": task, **base, **more})

        row("heading_ocr", answer=self.phrase(3), image=plain)
        amounts = [f"${random.randrange(2, 999)}.{random.randrange(100):02}" for _ in range(2)]
        for amount in amounts:
            question = f"What does the {self.phrase()} cost?"
            row("webqa", question=question, answer=[amount, amount[1:]], image=plain)
        row(
            "element_ocr",
            bbox=[0.1, round(random.random() / 2, 3), 0.4, 0.7],
            elem_desc="",
            answer=self.phrase(24),
            image=marked,
        )
        row(
            "element_ground",
            options=[self.box() for _ in range(8)],
            elem_desc=f"link {self.phrase()}",
            answer=random.randrange(8),
            image=marked,
            raw_image=plain,
        )
        titles = random.sample(WORDS, 8)
        titles = [f"{title.title()} {self.phrase()}" for title in titles]
        row(
            "action_prediction",
            bbox=[0.1, round(random.random() / 2, 3), 0.4, 0.7],
            options=titles,
            elem_desc="",
            answer=random.randrange(8),
            image=marked,
        )
        about = {"page": f"p{number}", "site": site}
        shown = {"path": plain, "width": SIZE[0], "height": SIZE[1]}
        crops = [self.draw(f"p{number} crop {n}", size=(60, 40)) for n in range(4)]
        self.web.append(
            {
                "task": "position",
                **about,
                "image": shown,
                "crops": [
                    {"name": f"crop_{n}", "image": crop, "box": [0.2 * n, 0.1 * n, 0.1, 0.1]}
                    for n, crop in enumerate(crops)
                ],
            }
        )
        region = random.choice(["top bar", "left sidebar", "main content", "bottom bar"])
        for task, reference in (
            ("ui_grouping", region),
            ("hint_text", self.phrase(3)),
            ("safety", [f"Delete {self.phrase()}"]),
        ):
            self.web.append({"task": task, **about, "image": marked, "reference": reference})
        changed = self.draw(f"q{number}")
        self.web.append(
            {
                "task": "text",
                **about,
                "before": plain,
                "after": changed,
                "reference": self.phrase(5),
            }
        )
        screen = {
            "index": number,
            "image_path": plain,
            "image_size": list(SIZE),
            "app_name": site,
            "platform": "os_web",
        }
        groups: list[dict[str, Any]] = []
        for difficulty, count in (("easy", 4), ("medium", 5), ("hard", 6)):
            options = [self.phrase(3) for _ in range(count)]
            groups.append(
                {
                    "question": f"Which of them is below the {self.phrase()} ({difficulty})?",
                    "options": dict(zip("ABCDEF", options, strict=False)),
                    "answer": "ABCDEF"[random.randrange(count)],
                    "explanation": "",
                    "difficulty": difficulty,
                }
            )
        self.l1.append({**screen, "groups": groups})
        for kind in ("basic", "advanced"):
            self.l2.append(
                {
                    **screen,
                    "instruction": f"Press {self.phrase()}",
                    "bbox": self.box(),
                    "data_type": "text",
                    "grounding_type": kind,
                }
            )
        screenshot = {"image_id": number, "image_width": SIZE[0], "image_height": SIZE[1]}
        for n in range(2):
            hours = f"{random.randrange(1, 12)}:{random.randrange(60):02} PM"
            answers = [hours] if random.random() < 0.9 else ["<no answer>"]
            question = f"When does the {self.phrase()} {n} close?"
            self.short.append({**screenshot, "question": question, "ground_truth": answers})
        left, top, right, bottom = self.box()
        element = {"text": self.phrase(), "bounds": [left, top, right, bottom], "vh_index": 1}
        self.boxes.append(
            {
                **screenshot,
                "question": f"Where is the {self.phrase()}?",
                "ground_truth": [{"full_answer": "There.", "ui_elements": [element]}],
            }
        )

    def pack(self, **options: Any) -> Pack:
        root = self.folder / "data"
        images = root / "images"
        images.mkdir(parents=True)
        for name, data in self.images.items():
            (images / f"{name}.png").write_bytes(data)
        for name, rows in self.vwb.items():
            named = [
                {
                    key: f"images/{value}.png" if key in ("image", "raw_image") else value
                    for key, value in row.items()
                }
                for row in rows
            ]
            (root / f"{name}.json").write_text(json.dumps(named))
        text = json.dumps({"format": "webrssbench/1", "rows": [_with_files(r) for r in self.web]})
        (root / "webrssbench.json").write_text(text)
        for name, shots in (("L1", self.l1), ("L2", self.l2)):
            rows = [{**row, "image_path": f"{row['image_path']}.png"} for row in shots]
            (root / f"{name}_annotations.json").write_text(json.dumps(rows))
        platform = root / "offline_images" / "os_web"
        platform.mkdir(parents=True)
        for row in self.l1:
            (platform / f"{row['image_path']}.png").write_bytes(self.images[row["image_path"]])
        for folder, rows in (("short_answers", self.short), ("answers_and_bboxes", self.boxes)):
            (root / folder).mkdir()
            (root / folder / "test.json").write_text(json.dumps(rows))
        rico = root / "rico"
        rico.mkdir()
        for row in self.short:
            page = self.images.get(f"p{row['image_id']}") or self.images[str(row["image_id"])]
            (rico / f"{row['image_id']}.png").write_bytes(page)
        where = {
            "visualwebbench": root,
            "webrssbench": root / "images",
            "mmbench-gui": root / "offline_images",
            "screenqa": rico,
        }
        parts = [
            Part(load_task(task, root, images=where[task.partition("/")[0]]), **options)
            for task in TASKS
        ]
        write_pack(parts, self.folder / "pack", name="exam")
        return open_pack(self.folder / "pack")


def _with_files(row: Files) -> Files:
    """Name the pictures' files in a row of WebRSSBench."""
    found = dict(row)
    for key in ("image", "before", "after"):
        if isinstance(found.get(key), dict):
            found[key] = {**found[key], "path": f"{found[key]['path']}.png"}
        elif key in found:
            found[key] = f"{found[key]}.png"
    if "crops" in found:
        found["crops"] = [{**crop, "image": f"{crop['image']}.png"} for crop in found["crops"]]
    return found


MakeExam = Callable[..., Exam]


@pytest.fixture(scope="session")
def make_exam(tmp_path_factory: pytest.TempPathFactory) -> MakeExam:
    """Make an exam about `sites` sites."""

    def make(sites: int, seed: int = 0) -> Exam:
        return Exam(tmp_path_factory.mktemp("exam"), sites, seed)

    return make

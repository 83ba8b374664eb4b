"""Two exams of every task that differ in gold alone, made of published data that does."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.base import NO_CONTEXT
from snellen.grading.protocols.golds import sized
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.seal import write_key
from snellen.tasks.pack.write import Part, write_pack

PUBLISHED = Path(__file__).parents[2] / "fixtures" / "visualwebbench"
Row = dict[str, Any]


@dataclass(frozen=True)
class ExamFiles:
    """An exam on disk.

    Attributes:
        packs: Its packs, sealed.
        key: The file of their key.
        markers: Every text that a reference of it holds.
        right: Task to `key_of` a prompt to an answer that is right.
        data: The published data that it was made of, by task.
    """

    packs: Sequence[Path]
    key: Path
    markers: Sequence[str]
    right: Mapping[str, Mapping[str, Any]]
    data: Mapping[str, TaskData]


class Drawn:
    """The references in which two sets of published data differ; `which` says of which of them."""

    def __init__(self, which: int) -> None:
        self.which = which
        self.markers: list[str] = []
        self._same: dict[str, str] = {}

    def text(self) -> str:
        """Return a new random text."""
        self.markers.append(f"gold{secrets.token_hex(12)}")
        return self.markers[-1]

    def same(self, name: str) -> str:
        """Return one random text for all items that are asked in the same words."""
        if name not in self._same:
            self._same[name] = self.text()
        return self._same[name]

    def place(self, number: int, count: int) -> int:
        """Return the right one of some options."""
        return (number + self.which) % count

    def box(self) -> list[int]:
        """Return the sides of a box, on an image of 60 by 80 pixels."""
        return [[4, 5, 24, 15], [30, 40, 50, 60]][self.which]


def paint(path: Path, color: object, size: tuple[int, int] = (60, 80)) -> None:
    """Write an image; it is the same in both exams."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shade = sum(map(ord, str(color))) % 256
    Image.new("RGB", size, (shade, 255 - shade, 100)).save(path)


def keep(path: Path, value: object) -> None:
    """Write a file of JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def keep_lines(path: Path, rows: Sequence[Row]) -> None:
    """Write a file of JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_screenqa(folder: Path, golds: Drawn) -> None:
    """Questions about two screens, and who answered them by which elements."""
    questions = [{"image_id": number // 3, "question": f"What is {number}?"} for number in range(6)]
    for name in ("short_answers/test", "complex_qa/data"):
        rows = [{**row, "ground_truth": [golds.text()]} for row in questions]
        keep(folder / f"{name}.json", rows)
    rows = [
        {
            **row,
            "image_width": 60,
            "image_height": 80,
            "ground_truth": [
                {
                    "full_answer": golds.text(),
                    "ui_elements": [{"text": golds.text(), "bounds": golds.box(), "vh_index": 1}],
                }
            ],
        }
        for row in questions[1:4]
    ]
    keep(folder / "answers_and_bboxes" / "test.json", rows)
    for number in range(2):
        paint(folder / "images" / f"{number}.png", number)


def write_screenspot_v2(folder: Path, golds: Drawn) -> None:
    """Elements on three platforms."""
    left, top, right, bottom = golds.box()
    for platform in ("mobile", "desktop", "web"):
        row = {
            "img_filename": f"{platform}.png",
            "bbox": [left, top, right - left, bottom - top],
            "data_type": "icon",
            "data_source": "ios",
        }
        rows = [{**row, "instruction": f"{number} on {platform}"} for number in range(2)]
        keep(folder / f"screenspot_{platform}_v2.json", rows)
        paint(folder / "screenspotv2_image" / f"{platform}.png", platform)


def write_screenspot_v1(folder: Path, golds: Drawn) -> None:
    """Elements on three platforms, with v2's fields."""
    write_screenspot_v2(folder, golds)
    for file in folder.glob("*_v2.json"):
        file.rename(folder / file.name.replace("_v2", ""))


def write_showdown(folder: Path, golds: Drawn) -> None:
    """Elements of a desktop, in a table of texts."""
    home = folder / "showdown-clicks-dev"
    paint(home / "frames" / "a.png", "a")
    rows = ["id,image,instruction,x1,y1,x2,y2,width,height"]
    for number in range(3):
        box = ",".join(map(str, golds.box()))
        rows.append(f"{number}a,frames/a.png,click {number},{box},60,80")
    (home / "data.csv").write_text("\n".join(rows))


def write_cagui(folder: Path, golds: Drawn) -> None:
    """Elements of two parts, whose sizes follow from their boxes; and the texts of such elements.

    What is asked of a text is the answer to where it is, so the texts have a folder of their own.
    """
    write_cagui_elements(folder, lambda _: golds.box(), lambda part, number: f"{part} {number}")
    own = folder.with_name(CAGUI_TEXTS)
    write_cagui_elements(
        own, lambda number: [12, 16, 30, 40 + number], lambda part, number: golds.text()
    )
    write_aitw_steps(folder / "CAGUI_agent", golds)


CAGUI_TEXTS = "cagui texts"


def write_cagui_elements(
    folder: Path, box_of: Callable[[int], list[int]], text_of: Callable[[str, int], str]
) -> None:
    """Elements of two parts."""
    home = folder / "CAGUI_grounding"
    for part in ("cap", "ocr"):
        rows: list[Row] = []
        for number in range(2):
            box = box_of(number)
            sides = [side / (60, 80)[place % 2] for place, side in enumerate(box)]
            rows.append(
                {
                    "image": f"{number}.png",
                    "abs_position": f"<{', '.join(map(str, box))}>",
                    "rel_position": f"<{', '.join(map(str, sides))}>",
                    "text": text_of(part, number),
                }
            )
            paint(home / "images" / part / f"{number}.png", f"{part} {number}")
        keep_lines(home / "code" / f"{part}.jsonl", rows)


def write_omniact(folder: Path, golds: Drawn) -> None:
    """Scripts of one click on one screenshot."""
    index: dict[str, Row] = {}
    boxes: dict[str, Row] = {}
    image, named = "data/data/desktop/app/a.png", "data/metadata/desktop/boxes/app/a.json"
    for number in range(2):
        left, top, right, bottom = golds.box()
        task = f"data/tasks/desktop/app/{number}.txt"
        boxes[str(number)] = {"top_left": [left, top], "bottom_right": [right, bottom]}
        script = f"pyautogui.click({(left + right) / 2},{(top + bottom) / 2})"
        keep(folder / task, {})
        (folder / task).write_text(f"Task: click {number}\nOutput Script:\n{script}")
        index[str(number)] = {"task": task, "image": image, "box": named}
    keep(folder / named, boxes)
    keep(folder / "test.json", index)
    paint(folder / image, "a")


def write_screenspot_pro(folder: Path, golds: Drawn) -> None:
    """Elements of one application."""
    rows = [
        {
            "id": f"dev_{number}",
            "img_filename": "dev/0.png",
            "bbox": golds.box(),
            "img_size": [60, 80],
            "instruction": f"element {number}",
            "application": "dev",
            "platform": "windows",
            "ui_type": "icon",
            "group": "DEV",
        }
        for number in range(3)
    ]
    keep(folder / "annotations" / "dev_windows.json", rows)
    paint(folder / "images" / "dev" / "0.png", "dev")


def write_androidcontrol(folder: Path, golds: Drawn) -> None:
    """Steps of two episodes, whose earlier steps are references, too."""
    middle = [sum(golds.box()[::2]) / 2, sum(golds.box()[1::2]) / 2]
    checks: list[Row] = [
        {"action": "click", "coordinate": middle, "candidate_bbox": [golds.box()]},
        {"action": "type", "text": golds.text()},
        {"action": "open", "text": golds.text()},
    ]
    rows: list[Row] = [
        {
            "width": 60,
            "height": 80,
            "episode": {
                "episode_id": number,
                "goal": f"goal {number}",
                "step_instructions": [f"do {step}" for step in range(3)],
                "screenshot_paths": [f"{number}/{step}.png" for step in range(4)],
            },
            "step_pams": checks,
            "step_check_pams": checks,
        }
        for number in range(2)
    ]
    keep(folder / "android_control_test.json", rows)
    for number in range(2):
        for step in range(3):
            paint(folder / f"{number}" / f"{step}.png", f"{number} {step}")


def write_mind2web(folder: Path, golds: Drawn) -> None:
    """Steps on pages, in parquet."""
    left, top, right, bottom = golds.box()
    box = json.dumps({"bounding_box_rect": f"{left},{top},{right - left},{bottom - top}"})
    paint(folder / "a.png", "a")
    image = {"bytes": (folder / "a.png").read_bytes(), "path": "a.png"}
    (folder / "data").mkdir()
    for split in ("task", "website", "domain"):
        rows = [
            {
                "annotation_id": "one",
                "action_uid": f"{number}",
                "confirmed_task": f"task {number}",
                "website": "site",
                "domain": "Travel",
                "operation": json.dumps({"op": "TYPE", "value": golds.text()}),
                "pos_candidates": [json.dumps({"attributes": box})],
                "screenshot": image,
            }
            for number in range(2)
        ]
        file = folder / "data" / f"test_{split}-00000-of-00001.parquet"
        pq.write_table(pa.Table.from_pylist(rows), file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare


def write_gui_odyssey(folder: Path, golds: Drawn) -> None:
    """Two episodes of one step."""
    middle = [10 * sum(golds.box()[::2]) / 2, 10 * sum(golds.box()[1::2]) / 2]
    actions: list[tuple[str, object]] = [("CLICK", [middle]), ("TYPE", golds.text())]
    for number, (action, info) in enumerate(actions):
        step = {"step": 0, "screenshot": f"{number}.png", "action": action, "info": info}
        episode = {
            "episode_id": f"{number}",
            "device_info": {"w": 60, "h": 80},
            "task_info": {"category": "Tool", "instruction": f"goal {number}"},
            "steps": [{**step, "low_level_instruction": f"do {number}"}],
        }
        keep(folder / "annotations" / f"{number}.json", episode)
        paint(folder / "screenshots" / f"{number}.png", number)
    for split in ("random", "task", "device", "app"):
        keep(folder / "splits" / f"{split}_split.json", {"test": ["0", "1"]})


def write_aitw_steps(folder: Path, golds: Drawn) -> None:
    """An episode of two steps of a subset, in the keys of Android in the Wild."""
    touch = str([sum(golds.box()[1::2]) / 160, sum(golds.box()[::2]) / 120])
    subset = "general" if folder.name == "aitz" else "domestic"
    text = golds.text()
    rows = [
        {
            "episode_id": "7",
            "step_id": number,
            "instruction": f"goal {number}",
            "image_path": f"{subset}/7/{number}.png",
            "image_width": 60,
            "image_height": 80,
            "result_action_type": kind,
            "result_action_text": typed,
            "result_touch_yx": touch,
            "result_lift_yx": touch,
            "ui_positions": "[[0.1, 0.1, 0.2, 0.2]]",
        }
        for number, (kind, typed) in enumerate([(4, ""), (3, text)])
    ]
    keep(folder / subset / "7" / "7.json", rows)
    for number in range(2):
        paint(folder / subset / "7" / f"{number}.png", number)


def write_osworld_g(folder: Path, golds: Drawn) -> None:
    """A box, a polygon, and what is there in one exam alone."""
    left, top, right, bottom = golds.box()
    kinds = [
        ("bbox", [left, top, right - left, bottom - top]),
        ("polygon", [left, top, right, top, right, bottom]),
        (("refusal", [-1, -1, -1, -1]), ("bbox", [9, 9, 9, 9]))[golds.which],
    ]
    rows = [
        {
            "id": f"item-{place}",
            "image_path": "a.png",
            "image_size": [60, 80],
            "instruction": f"target {place}",
            "box_type": kind,
            "box_coordinates": numbers,
        }
        for place, (kind, numbers) in enumerate(kinds)
    ]
    for name in ("OSWorld-G.json", "OSWorld-G_refined.json"):
        keep(folder / "benchmark" / name, rows)
    paint(folder / "benchmark" / "images" / "a.png", "a")


def write_ui_vision(folder: Path, golds: Drawn) -> None:
    """Elements and regions of one application."""
    shown: Row = {
        "image_path": "a.png",
        "image_size": [60, 80],
        "platform": "VLC",
        "bbox": golds.box(),
    }
    home = folder / "annotations"
    for kind in ("basic", "functional", "spatial"):
        rows = [{**shown, "prompt_to_evaluate": f"{kind} {number}"} for number in range(2)]
        keep(home / "element_grounding" / f"element_grounding_{kind}.json", rows)
    keep(home / "layout_grounding.json", [{**shown, "name": f"area {n}"} for n in range(2)])
    paint(folder / "images" / "a.png", "a")


def write_webclick(folder: Path, golds: Drawn) -> None:
    """Elements of a page, in parquet."""
    paint(folder / "a.png", "a")
    image = {"bytes": (folder / "a.png").read_bytes(), "path": "a.png"}
    rows = [
        {"image": image, "instruction": f"target {n}", "bbox": golds.box(), "bucket": "x"}
        for n in range(2)
    ]
    (folder / "data").mkdir()
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, folder / "data" / "test-00000-of-00001.parquet")  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare


def write_mmbench_gui(folder: Path, golds: Drawn) -> None:
    """Questions with four options, elements to point at, and tasks, which have no gold."""
    screens: list[Row] = [
        {
            "index": number,
            "image_path": f"{number}.png",
            "image_size": [60, 80],
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
                    "options": {letter: f"the text {letter}{letter}" for letter in "ABCD"},
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
    keep(folder / "L1_annotations.json", questions)
    keep(folder / "L2_annotations.json", elements)
    for level in ("L3", "L4"):
        tasks = [
            {"id": f"linux/{number}", "instruction": f"Do {number}.", "platform": "os_linux"}
            for number in range(2)
        ]
        keep_lines(folder / f"{level}_tasks.jsonl", tasks)
    for number in range(3):
        paint(folder / "offline_images" / "os_mac" / f"{number}.png", number)


def write_miniwob(folder: Path, golds: Drawn) -> None:
    """Episodes, which have no gold."""
    rows = [
        {
            **{"id": f"stepped/click-test/{seed}", "page": "click-test", "seed": seed},
            **{"time": "stepped", "goal": f"Click the button {seed}.", "limit": 20},
        }
        for seed in range(2)
    ]
    keep_lines(folder / "miniwob.jsonl", rows)


def write_desk(folder: Path, golds: Drawn) -> None:
    """Tasks in the same worlds that are to end in other ways."""
    rows = [
        {
            "id": f"{level}-{number}",
            "task": f"desk/{level}",
            "goal": f"Do {number} on {level}.",
            "state": {"clock": number},
            "gold": {
                "limit": 15,
                "changes": {"changed": {"mail.m1": [None, golds.text()]}},
                "answer": golds.text(),
            },
            "tags": {"template": f"t{number}", "apps": "mail", "difficulty": "easy"},
        }
        for level in ("l3", "l4")
        for number in range(2)
    ]
    keep_lines(folder / "desk.jsonl", rows)


def write_visualwebbench(folder: Path, golds: Drawn) -> None:
    """The published form of all seven configurations, with other answers."""
    for file in sorted(PUBLISHED.glob("*.json")):
        rows: list[Row] = json.loads(file.read_text(encoding="utf-8"))
        for row in rows:
            answer = row["answer"]
            if isinstance(answer, int):
                row["answer"] = golds.place(answer, len(row["options"]))
            elif isinstance(answer, list):
                row["answer"] = [golds.text()]
            else:
                row["answer"] = golds.same(file.stem)
                # Published beside the answer, and the same.
                if "elem_desc" in row:
                    row["elem_desc"] = row["answer"]
            for column in ("image", "raw_image"):
                paint(folder / column / f"{row['id']}.png", row["id"], tuple(row["image_size"]))
        keep(folder / file.name, rows)


CHANGED = ("color", "text", "layout")


def write_webrssbench(folder: Path, golds: Drawn) -> None:
    """Three pages for each task."""
    region = ("right auxiliary area", "top bar", "other")[golds.which]
    rows: list[Row] = []
    for number in range(3):
        page, one = {"page": f"p{number}"}, {"image": f"{number}.png"}
        rows += [
            {"task": task, **page, **one, "reference": golds.same(task)}
            for task in ("form_filling", "hint_text")
        ]
        rows += [
            {
                "task": task,
                **page,
                "before": f"{number}.png",
                # No page is that of another pair: one context sees a half of each.
                "after": {"all": f"color{number}.png"}
                if task == "color"
                else f"{task}{number}.png",
                "reference": [golds.same(task)] if task == "color" else golds.same(task),
            }
            for task in CHANGED
        ]
        element = {"page": "shop", "element": f"element{number}", **one}
        rows.append({"task": "ui_grouping", **element, "reference": region})
        rows.append({"task": "safety", **page, **one, "reference": [golds.same("safety")]})
        crops = [{"name": f"crop_{part}", "image": f"crop_{part}.png"} for part in (1, 2)]
        relation = {"crop_1|crop_2": ("left", "bottom-right")[golds.which]}
        rows.append({"task": "position", **page, **one, "crops": crops, "reference": relation})
    keep(folder / "webrssbench.json", {"format": "webrssbench/1", "rows": rows})
    after = [f"{task}{number}" for task in CHANGED for number in range(3)]
    for name in ("0", "1", "2", *after, "crop_1", "crop_2"):
        paint(folder / f"{name}.png", name, (10, 8) if "crop" in name else (60, 80))


def write_matrix(folder: Path, golds: Drawn) -> None:
    """An item by each metric."""
    which = golds.which
    call = {"name": "click", "arguments": {"x": which, "on": golds.text()}}
    answers: list[tuple[str, object, Row]] = [
        ("accuracy", "ABC"[golds.place(number, 3)], {"options": ["one", "another", "a third"]})
        for number in range(2)
    ]
    answers += [
        (metric, golds.text(), {})
        for metric in ("exact_match", "f1", "contains", "anls", "bleu", "rougeL")
    ]
    answers += [
        ("list_f1", [golds.text(), golds.text()], {}),
        ("numeric", 17 + which, {"settings": {"unit": ["euros"]}}),
        ("relation", {"logo|menu": ("left", "top")[which]}, {}),
        ("point", golds.box(), {"settings": {"image_size": [60, 80]}}),
        ("box", golds.box(), {"settings": {"image_size": [60, 80]}}),
        ("spec", {"type": golds.text(), "values": [1, which]}, {}),
        ("tool_call", call, {}),
        ("decisions", [golds.text(), call], {}),
        ("code", f"print({golds.text()!r})", {"settings": {"prints": golds.text()}}),
    ]
    rows: list[Row] = [
        {
            "id": f"{number}-{metric}",
            "dimension": "perception",
            "level": 1,
            "task": "ocr",
            "question": f"What is the {metric} of {number}?",
            "metric": metric,
            "answer": answer,
            "images": {"page": "page.png", "detail": "detail.png"},
            **more,
        }
        for number, (metric, answer, more) in enumerate(answers)
    ]
    keep_lines(folder / "items.jsonl", rows)
    paint(folder / "page.png", "page")
    paint(folder / "detail.png", "detail")


def write_webarena(folder: Path, golds: Drawn) -> None:
    """Tasks that are judged by the answer, with the references of the protocols before."""
    # Longer than what stands between quotes for other reasons.
    texts = {90_417_000 + number: golds.text() for number in range(3)}
    rows = [
        {
            **{"task_id": number, "intent_template_id": number, "sites": ["map"]},
            **{"start_urls": ["__MAP__"], "intent": f"Find number {number}"},
            "eval": [
                {
                    "evaluator": "AgentResponseEvaluator",
                    "results_schema": {"type": "array", "items": {"type": "string"}},
                    "expected": {
                        "task_type": "retrieve",
                        "status": "SUCCESS",
                        "retrieved_data": [text],
                    },
                }
            ],
        }
        for number, text in texts.items()
    ]
    original = {"eval_types": ["string_match"], "reference_answers": {"exact_match": golds.text()}}
    keep(folder / "webarena-verified.json", rows)
    keep(folder / "test.raw.json", [{"task_id": number, "eval": original} for number in texts])


WRITERS: Mapping[str, Callable[[Path, Drawn], None]] = MappingProxyType(
    {
        "screenqa": write_screenqa,
        "screenspot-v1": write_screenspot_v1,
        "screenspot-v2": write_screenspot_v2,
        "screenspot-pro": write_screenspot_pro,
        "androidcontrol": write_androidcontrol,
        "mind2web": write_mind2web,
        "gui-odyssey": write_gui_odyssey,
        "aitz": write_aitw_steps,
        "osworld-g": write_osworld_g,
        "ui-vision": write_ui_vision,
        "webclick": write_webclick,
        "showdown": write_showdown,
        "cagui": write_cagui,
        "omniact": write_omniact,
        "webarena": write_webarena,
        "mmbench-gui": write_mmbench_gui,
        "miniwob": write_miniwob,
        "desk": write_desk,
        "visualwebbench": write_visualwebbench,
        "webrssbench": write_webrssbench,
        "matrix": write_matrix,
    }
)


def key_of(prompt: str) -> str:
    """Return what is the same of a prompt in whatever order its options stand."""
    return "".join(sorted(prompt))


def make(folder: Path, which: int) -> ExamFiles:
    """Make one of the two exams from its published data, sealed."""
    golds = Drawn(which)
    for benchmark, write in WRITERS.items():
        write(folder / "data" / benchmark, golds)
    # What is played in a browser is answered here by its record, as any other item;
    # tests/server/episodes and plugins/worlds/tests/served have the proof for what is acted in.
    loaded = {task: replace(load(task, folder / "data"), worlds=()) for task in TASKS}
    key = folder / "exam.key"
    words = write_key(key)
    parts = [Part(data) for data in loaded.values()]
    screens = [part for part in parts if part.data.task.startswith("screen")]
    pages = [part for part in parts if part not in screens]
    write_pack(screens, folder / "screens", name="screens", key=words)
    write_pack(pages, folder / "pages", name="pages", key=words)
    right: dict[str, dict[str, Any]] = {}
    for task, data in loaded.items():
        found = right.setdefault(task, {})
        for item in data.ids:
            found[key_of(data.item(item).prompt)] = said_of(data, item)
    return ExamFiles([folder / "screens", folder / "pages"], key, golds.markers, right, loaded)


def load(task: str, data: Path) -> TaskData:
    """Load a task of the published data."""
    folder = data / {"cagui/bbox2text": CAGUI_TEXTS}.get(task, task.partition("/")[0])
    images = {"screenqa": folder / "images", "visualwebbench": folder}.get(folder.name)
    return load_task(task, folder, images=images)


def said_of(loaded: TaskData, item: str) -> Any:
    """Return an answer that is right."""
    asked = loaded.item(item).answer_format
    place = loaded.index[item]
    gold, context = loaded.golds[place], loaded.contexts[place] if loaded.contexts else NO_CONTEXT
    write = protocol_of(loaded.task).write or gold_shape(loaded.task).responses
    answer = next(iter(write(sized(gold, context))))
    if asked.kind is AnswerKind.CHOICE and "A" not in asked.options:
        return {"option": asked.options["ABCDEFGH".index(str(answer))]}
    return answer


@pytest.fixture(scope="session")
def exams(tmp_path_factory: pytest.TempPathFactory) -> Sequence[ExamFiles]:
    """Return two exams that differ in gold alone."""
    folder = tmp_path_factory.mktemp("custody")
    return [make(folder / name, which) for which, name in enumerate(("one", "other"))]

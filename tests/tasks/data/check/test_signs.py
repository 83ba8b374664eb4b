"""By what signs data is recognized."""

import gzip
import json
from pathlib import Path

import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.table import TASKS, load_task, own_places
from snellen.tasks.data.check import check, recognize

BOX = [[0, 0, 10, 10], [20, 0, 30, 10]]
GROUND = ("element_ground", "element_ground_bbox", "element_ground_point")


@pytest.mark.parametrize(
    ("row", "tasks"),
    [
        ({"image_id": 1, "question": "?", "ground_truth": ["a"]}, ["screenqa/short"]),
        (
            {"image_id": 1, "question": "?", "ground_truth": [{"full_answer": "a"}]},
            ["screenqa/long", "screenqa/ui_contents", "screenqa/ui_contents_boxes"],
        ),
        ({"image_path": "a", "groups": []}, ["mmbench-gui/l1"]),
        (
            {"image_path": "a", "bbox": [], "grounding_type": "basic"},
            ["mmbench-gui/l2_basic"],
        ),
        (
            {"image_path": "a", "bbox": [], "grounding_type": "simple"},
            ["mmbench-gui/l2_basic", "mmbench-gui/l2_advanced"],
        ),
        ({"id": "1", "task_type": "web_caption", "answer": "a"}, ["visualwebbench/web_caption"]),
        ({"id": "1", "question": "?", "answer": ["a"]}, ["visualwebbench/webqa"]),
        ({"id": "1", "bbox": [], "answer": "a"}, ["visualwebbench/element_ocr"]),
        (
            {"id": "1", "options": ["a"], "bbox": [], "elem_desc": "", "answer": 0},
            ["visualwebbench/action_prediction"],
        ),
        (
            {"id": "1", "options": BOX, "elem_desc": "a", "answer": 0},
            [f"visualwebbench/{task}" for task in GROUND],
        ),
        ({"img_filename": "a", "bbox": [], "data_type": "icon"}, ["screenspot-v2/point"]),
        ({"img_filename": "a", "bbox": [], "ui_type": "icon"}, ["screenspot-pro/point"]),
        ({"task": "safety", "page": "a"}, ["webrssbench/safety"]),
        ({"item_id": "test/5/0", "response": "12"}, []),
    ],
)
def test_a_file_under_any_name_is_known_by_its_first_row(
    tmp_path: Path, row: dict[str, object], tasks: list[str]
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(f"{json.dumps(row)}\n{{broken")
    alone = tmp_path / "alone.jsonl"
    alone.write_text(json.dumps(row))
    assert list(recognize(alone)) == tasks
    if "page" not in row:  # a broken manifest may be any task's
        assert list(recognize(path)) == tasks
        assert list(recognize(tmp_path)) == tasks


def test_a_broken_file_is_known_by_its_place(tmp_path: Path) -> None:
    for path, task in (
        ("short_answers/test.json", "screenqa/short"),
        ("complex_qa/data.json", "screenqa/complex"),
        ("webqa/test.json", "visualwebbench/webqa"),
        ("L1_annotations.json", "mmbench-gui/l1"),
        ("L3_tasks.jsonl", "mmbench-gui/l3"),
        ("web_caption-00000-of-00002.parquet", "visualwebbench/web_caption"),
        ("screenspot_web_v2.json", "screenspot-v2/point"),
    ):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"")
        assert recognize(file) == (task,)
    assert {task.partition("/")[0] for task in recognize(tmp_path)} == {
        "screenqa",
        "visualwebbench",
        "mmbench-gui",
        "screenspot-v2",
    }


def test_a_broken_manifest_may_be_any_task_of_webrssbench(tmp_path: Path) -> None:
    (tmp_path / "webrssbench.json").write_text('{"format": "webrssbench/1", "rows": [')
    assert len(recognize(tmp_path)) == 8
    (tmp_path / "webrssbench.json").rename(tmp_path / "renamed.json")
    assert len(recognize(tmp_path / "renamed.json")) == 8


@pytest.mark.parametrize("benchmark", sorted(own_places()))
def test_a_root_holds_every_task_that_loads_from_it(tmp_path: Path, benchmark: str) -> None:
    folder = written(benchmark, tmp_path)
    loads: list[str] = []
    for task in TASKS:
        if task.startswith(f"{benchmark}/"):
            try:
                load_task(task, folder)
            except DataError:
                continue
            loads.append(task)
    assert loads
    assert set(loads) <= set(recognize(folder))


def test_the_refined_file_of_osworld_g_is_checked_from_its_root(tmp_path: Path) -> None:
    folder = written("osworld-g", tmp_path)
    (folder / "benchmark/OSWorld-G_refined.json").write_text("[{}]")
    found = check(folder)
    assert found.tasks == ("osworld-g/original", "osworld-g/refined")
    assert [fault.tasks for fault in found.faults] == [("osworld-g/refined",)]


def test_a_file_of_androidcontrol_is_for_both_levels(tmp_path: Path) -> None:
    file = written("androidcontrol", tmp_path) / "android_control_test.json"
    both = ("androidcontrol/high", "androidcontrol/low")
    assert recognize(file) == both
    assert recognize(file.rename(tmp_path / "mine.json")) == both


CLICKS = b"id,image,instruction,x1,y1,x2,y2,width,height\n1a,f.png,go,1,2,3,4,60,80\n"
V2_ROW = b'[{"img_filename": "a", "bbox": [], "data_type": "icon"}]'


@pytest.mark.parametrize(
    ("name", "data", "tasks"),
    [
        ("mine.csv", CLICKS, ("showdown/clicks",)),
        ("mine.csv.gz", gzip.compress(CLICKS), ("showdown/clicks",)),
        ("mine.json.gz", gzip.compress(V2_ROW), ("screenspot-v2/point",)),
        ("screenspot_web_v2.json.gz", b"cut off", ("screenspot-v2/point",)),
        ("mine.json.gz", gzip.compress(V2_ROW)[:-12], ()),
        ("mine.json.gz", b"plain", ()),
        ("mine.csv", b"id,image\n", ()),
        ("mine.csv", b"a" * 140_000, ()),
        ("mine.parquet.gz", b"plain", ()),
    ],
)
def test_tables_of_texts_and_compressed_files_are_known(
    tmp_path: Path, name: str, data: bytes, tasks: tuple[str, ...]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert recognize(tmp_path / name) == tasks

"""UI-I2E-Bench, VenusBench-GD, PointerBench, and copies of other sets in ScreenSpot-Pro's keys."""

import json
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import recognize

# Rows of MAI-UI's copies (Tongyi-MAI/MAI-UI 4dd07b9), which is Apache-2.0.
OSWORLD_G: list[dict[str, Any]] = [
    {"img_filename": "0FOB4CLBT2.png", "img_size": [1920, 1080], "id": "0FOB4CLBT2-0"}
    | {"bbox": [1422.9, 326.4, 1449.58, 354.8], "instruction": "Open the filter function."}
    | {"ui_type": ["Label", "Icon"], "application": "osworld-g", "platform": "linux"},
    {"img_filename": "1.png", "img_size": [1920, 1080], "id": "1-0", "bbox": [0, 0, 0, 0]}
    | {"instruction": "What is not there", "ui_type": [], "application": "osworld-g"},
    {"img_filename": "2.png", "img_size": [1920, 1080], "id": "2-0"}
    | {"bbox": [10, 10, 50, 10, 10, 50], "instruction": "", "application": "osworld-g"}
    | {"ui_type": "Icon"},
]
L2 = {
    "img_filename": "os_windows/0b08bd98.png",
    "bbox": [992.0, 195.984, 1009.92, 217.008],
    "instruction": "The arrow that scrolls down through the list of years.",
    "id": 0,
    "application": "calendar",
    "platform": "os_windows",
    "img_size": [2560, 1440],
    "ui_type": "icon",
    "group": "basic",
}


def _file(folder: Path, name: str, rows: object) -> Path:
    file = folder / name
    file.write_text(json.dumps(rows))
    return file


@pytest.mark.parametrize("name", ["OSWorld-G", "OSWorld-G_refined"])
def test_osworld_g_in_pros_keys_has_its_polygons_and_refusals(name: str, tmp_path: Path) -> None:
    task = "osworld-g/refined" if "refined" in name else "osworld-g/original"
    file = _file(tmp_path, f"{name}_sspro_format.json", OSWORLD_G)
    assert recognize(file) == (task,)
    data = load_task(task, file)
    box, refusal, polygon = data.golds
    assert (box.image_size, refusal.refused, len(polygon.polygon)) == ((1920, 1080), True, 6)
    assert "in another layout than the published files" in data.pin.note


def test_mmbench_gui_in_pros_keys_has_its_pixels(tmp_path: Path) -> None:
    file = _file(tmp_path, "sspro_format.json", [L2, {**L2, "id": 1, "group": "advanced"}])
    assert recognize(file) == ("mmbench-gui/l2_basic", "mmbench-gui/l2_advanced")
    data = load_task("mmbench-gui/l2_basic", file)
    assert data.ids == ["basic/0"]
    assert data.golds[0].bbox == (992.0, 195.984, 1009.92, 217.008)


def test_ui_i2e_bench_is_known_by_its_groups(tmp_path: Path) -> None:
    folder = written("ui-i2e", tmp_path)
    assert recognize(folder / "I2E_sspro_format.json") == ("ui-i2e/point",)
    data = load_task("ui-i2e/point", folder)
    assert data.tags["group"] == ["implicit", "explicit", "implicit"]
    assert "never hit: 1 (2)" in data.pin.note


def test_venusbench_gd_is_one_file_a_task_and_refuses_in_one(tmp_path: Path) -> None:
    folder = written("venusbench-gd", tmp_path)
    data = load_task("venusbench-gd/refusal", folder)
    assert all(gold.refused for gold in data.golds)
    assert data.golds[0].image_size == (200, 100)
    assert "(-1, -1)" in data.item("refusal/0").prompt
    named = folder / "instruction" / "refusal_spatial.json"
    rows = [{**row, "bbox": None} for row in json.loads(named.read_text())]
    other = _file(tmp_path / "instruction", "refusal_grounding.json", rows)
    named.unlink()
    assert load_task("venusbench-gd/refusal", other).golds[0].refused
    assert recognize(other) == ("venusbench-gd/refusal",)


def test_explain_tells_a_refusal_that_one_harness_has_no_rule_for(tmp_path: Path) -> None:
    folder = written("venusbench-gd", tmp_path)
    answers = [{"item_id": f"refusal/{number}", "response": "[-1, -1]"} for number in range(3)]
    values = {
        protocol: sdk.grade(
            answers, task="venusbench-gd/refusal", data=folder, protocol=protocol
        ).value
        for protocol in ("official", "vlmevalkit")
    }
    assert values == {"official": 1, "vlmevalkit": 0}


def test_pointerbench_asks_for_points_and_for_some_boxes(tmp_path: Path) -> None:
    folder = written("pointerbench", tmp_path)
    data = load_task("pointerbench/text", folder)
    assert [gold.boxed for gold in data.golds] == [False, False, True]
    kinds = [data.item(item).answer_format.kind for item in data.ids]
    assert kinds == [AnswerKind.POINT, AnswerKind.POINT, AnswerKind.BOX]
    answers = tmp_path / "answers.jsonl"
    rows = [
        {"id": "pbt_0000", "point": [40, 20]},
        {"id": "pbt_0001", "x": 40, "y": 20},
        {"id": "pbt_0002", "bbox": [62, 30, 22, 10]},
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert sdk.grade(answers, task="pointerbench/text", data=folder, protocol="official").value == 1

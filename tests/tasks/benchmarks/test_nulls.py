"""`null` in a field that may be absent means absent, whichever loader reads it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from miniatures import written

from snellen.tasks.benchmarks.table import load_task


def each_object(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return a value with all of its objects changed."""
    if isinstance(value, list):
        return [each_object(one, change) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        changed = change(cast("dict[str, Any]", value))
        return {key: each_object(one, change) for key, one in changed.items()}
    return value


def without(value: Any, name: str) -> Any:
    return each_object(value, lambda row: {key: row[key] for key in row if key != name})


def nulled(value: Any, name: str) -> Any:
    return each_object(value, lambda row: {**row, name: None} if name in row else row)


def copied(benchmark: str, folder: Path) -> Path:
    """Return a copy of a miniature, of which some lie for good where all tests read them."""
    made = folder / "made"
    made.mkdir(parents=True)
    return Path(shutil.copytree(written(benchmark, made), folder / "copy"))


def changed(folder: Path, change: Any, name: str) -> None:
    for file in [*folder.rglob("*.json"), *folder.rglob("*.jsonl")]:
        lines = [file.read_text()] if file.suffix == ".json" else file.read_text().splitlines()
        rows = [json.dumps(change(json.loads(line), name)) for line in lines]
        file.write_text("\n".join(rows))


@pytest.mark.parametrize(
    ("benchmark", "task", "field"),
    [
        ("androidcontrol", "androidcontrol/high", "candidate_bbox"),
        ("androidcontrol", "androidcontrol/high", "time"),
        ("androidcontrol", "androidcontrol/low", "text"),
        ("gui-odyssey", "gui-odyssey/low", "low_level_instruction"),
        ("gui-odyssey", "gui-odyssey/high", "sam2_bbox"),
        ("gui-odyssey", "gui-odyssey/high", "device_name"),
        ("gui-odyssey", "gui-odyssey/high", "category"),
        ("aitz", "aitz/high", "result_action_text"),
        ("aitz", "aitz/high", "ui_text"),
        ("cagui", "cagui/agent", "duration"),
        ("osworld-g", "osworld-g/original", "GUI_types"),
        ("ui-vision", "ui-vision/basic", "category"),
        ("ui-vision", "ui-vision/layout", "explanation"),
        ("screenspot-v2", "screenspot-v2/point", "data_source"),
        ("screenspot-pro", "screenspot-pro/point", "instruction_cn"),
        ("mmbench-gui", "mmbench-gui/l1", "app_name"),
        ("mmbench-gui", "mmbench-gui/l2_basic", "app_name"),
        ("mmbench-gui", "mmbench-gui/l3", "apps"),
        ("visualwebbench", "visualwebbench/webqa", "website"),
        ("screenqa", "screenqa/short", "image_width"),
        ("matrix", "matrix/items", "tags"),
        ("matrix", "matrix/items", "group"),
    ],
)
def test_a_null_is_as_good_as_no_field(
    tmp_path: Path, benchmark: str, task: str, field: str
) -> None:
    found: list[Any] = []
    for change in (without, nulled):
        data = copied(benchmark, tmp_path / change.__name__)
        changed(data, change, field)
        found.append(load_task(task, data))
    absent, null = found
    assert null.ids == absent.ids
    assert list(null.golds) == list(absent.golds)
    assert null.tags == absent.tags


def test_a_null_in_a_field_that_is_needed_names_its_row(tmp_path: Path) -> None:
    data = copied("osworld-g", tmp_path)
    changed(data, nulled, "image_path")
    with pytest.raises(Exception, match=r"row 1 .*expected `str`, got `null`"):
        load_task("osworld-g/original", data)


def test_checks_filled_as_the_hub_fills_them_load(tmp_path: Path) -> None:
    data = copied("androidcontrol", tmp_path)
    file = data / "android_control_test.json"
    episodes = json.loads(file.read_text())
    names = ("button", "candidate_bbox", "coordinate", "direction", "text", "time")
    whole = load_task("androidcontrol/high", data)
    for episode in episodes:
        checks = episode["step_check_pams"]
        episode["step_check_pams"] = [{**dict.fromkeys(names), **check} for check in checks]
    file.write_text(json.dumps(episodes))
    assert list(load_task("androidcontrol/high", data).golds) == list(whole.golds)

import json
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import recognize

# Row 1 of ocr.jsonl (OpenBMB/AgentCPM-GUI acbaf50, eval/grounding_eval/dataset/code; Apache 2.0).
ROW: dict[str, Any] = {
    "task": "bbox2text",
    "image": "grounding_eval/dataset/images/ocr/0.jpeg",
    "id": 0,
    "abs_position": "<1056, 262, 1217, 328>",
    "rel_position": "<0.8543689320388349, 0.09790732436472346, 0.9846278317152104,"
    " 0.12257100149476831>",
    "text": "一念緂头像",
}


def put(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "ocr.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    return file


def test_both_parts_with_their_screenshots(tmp_path: Path) -> None:
    folder = written("cagui", tmp_path)
    tasks = ("cagui/fun2point", "cagui/text2point", "cagui/bbox2text")
    for path in (folder / "CAGUI_grounding", folder / "CAGUI_grounding" / "code"):
        assert recognize(path) == tasks
    assert recognize(folder) == (*tasks, "cagui/agent")
    for task in tasks[:2]:
        data = load_task(task, folder)
        part = task.partition("/")[2]
        assert data.ids == [f"{part}/0", f"{part}/1", f"{part}/2"]
        assert (data.golds[1].bbox, data.golds[1].image_size) == ((11, 20, 30, 40), (128, 80))
        assert data.image(f"{part}/2")
        assert data.item(f"{part}/0").answer_format.space is Space.THOUSAND


def test_the_size_follows_from_both_boxes(tmp_path: Path) -> None:
    data = load_task("cagui/text2point", put(tmp_path, ROW))
    assert data.golds[0].bbox == (1056, 262, 1217, 328)
    assert data.golds[0].image_size == (1236, 2676)
    assert data.item("text2point/0").prompt.endswith("一念緂头像")


def test_the_text_in_a_box_is_asked_for_by_the_box(tmp_path: Path) -> None:
    data = load_task("cagui/bbox2text", put(tmp_path, ROW))
    assert (data.ids, list(data.golds)) == (["bbox2text/0"], ["一念緂头像"])
    item = data.item("bbox2text/0")
    assert item.prompt.endswith("\n\nBox: [854, 98, 985, 123]")
    assert "一念緂头像" not in item.model_dump_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"abs_position": "<1, 2, 3>"}, "field 'abs_position': row 2 .*no box of four"),
        ({"rel_position": "<1, 2, 3, 4>"}, "field 'rel_position': row 2 .*fractions"),
        ({"text": None}, "field 'text': row 2"),
        ({"abs_position": "<0, 0, 0.5, 0.5>"}, "field 'abs_position': row 2 .*in pixels here"),
    ],
)
def test_a_row_that_is_not_as_published_is_named(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        load_task("cagui/text2point", put(tmp_path, ROW, {**ROW, **change}))

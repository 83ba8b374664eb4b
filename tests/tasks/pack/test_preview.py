"""The content of a contact sheet for each item."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.pack.preview import Mark, card
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.write import Part, write_pack

MakePack = Callable[..., Pack]


def pack_of(task: str, every_benchmark: dict[str, Path], folder: Path) -> Pack:
    data = load_task(task, every_benchmark[task.partition("/")[0]])
    records = {data.ids[0]: {"box": [128, 80, 256, 160]}}
    write_pack([Part(data, records=records)], folder, name="demo", images=False)
    return open_pack(folder)


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_cards_with_its_references(
    every_benchmark: dict[str, Path], tmp_path: Path, task: str
) -> None:
    pack = pack_of(task, every_benchmark, tmp_path / "pack")
    references = open_references(pack)
    for place, line in enumerate(pack.lines):
        shown = card(pack, references, place)
        assert (shown.task, shown.item, shown.prompt) == (task, line.item.id, line.item.prompt)
        assert shown.references
        assert not card(pack, None, place).references
        assert not card(pack, None, place).record


def test_tags_that_stand_with_the_references_and_the_record_are_shown(
    make_pack: MakePack, every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    pack = make_pack()
    shown = card(pack, open_references(pack), 0)
    assert shown.tags["question_word"] == "what"
    assert "question_word" not in card(pack, None, 0).tags
    assert (shown.images[0].width, shown.images[0].height) == (40, 60)
    pages = pack_of("webrssbench/safety", every_benchmark, tmp_path / "pages")
    first = card(pages, open_references(pages), 0)
    assert '"box"' in first.record
    assert first.references == ("Delete account", "Close account")


def test_reference_boxes_are_drawn_in_fractions_of_the_picture(tmp_path: Path) -> None:
    (tmp_path / "answers_and_bboxes").mkdir()
    element = {"text": "7:30", "bounds": [10, 15, 20, 30], "vh_index": 1}
    row = {
        "image_id": 1,
        "image_width": 40,
        "image_height": 60,
        "question": "When?",
        "ground_truth": [{"full_answer": "At 7:30.", "ui_elements": [element]}],
    }
    (tmp_path / "answers_and_bboxes" / "test.json").write_text(json.dumps([row]))
    (tmp_path / "images").mkdir()
    Image.new("RGB", (40, 60)).save(tmp_path / "images" / "1.png")
    task = "screenqa/ui_contents_boxes"
    data = load_task(task, tmp_path, images=tmp_path / "images")
    records = {data.ids[0]: {"box": [0, 0, 20, 30]}}
    write_pack([Part(data, records=records)], tmp_path / "pack", name="demo")
    pack = open_pack(tmp_path / "pack")
    (image,) = card(pack, open_references(pack), 0).images
    assert image.marks == (
        Mark((0.25, 0.25, 0.5, 0.5), "7:30"),
        Mark((0.0, 0.0, 0.5, 0.5), "record", "record"),
    )

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.models.actions import Action, ActionType
from snellen.tasks.benchmarks.mind2web.load import load
from snellen.tasks.data.check import recognize
from snellen.tasks.pack.write import Part, write_pack

WEBSITE = "mind2web/website"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("mind2web", tmp_path)


def test_a_step_has_its_operation_its_boxes_and_its_task(folder: Path) -> None:
    data = load(WEBSITE, folder)
    assert data.ids == ["task-0/step-0", "task-0/step-1", "task-0/step-2", "task-1/step-3"]
    typed = data.golds[1]
    assert typed.action == Action(ActionType.TYPE, point=(24.5, 11.5), text="New York")
    assert (typed.boxes, typed.image_size) == (((12, 7, 37, 16),), (128, 72))
    assert (typed.episode, typed.step, typed.name) == ("task-0", 1, "[searchbox]  From")
    assert data.golds[3].lost
    assert (data.split, data.cluster) == ("test_website", "episode")
    assert "Book a flight" in data.item("task-0/step-1").prompt


def test_the_operations_before_a_step_are_shown_by_a_prompt_that_no_exam_can_hold(
    folder: Path, tmp_path: Path
) -> None:
    data = load(WEBSITE, folder, prompt="snellen-action-history-1")
    assert "New York" in data.item("task-0/step-2").prompt
    assert "New York" not in data.item("task-1/step-3").prompt
    with pytest.raises(InputError, match="references of earlier items"):
        write_pack([Part(data)], tmp_path / "pack", name="demo")


def test_one_set_of_answers_under_four_rules(folder: Path) -> None:
    said = {"format": "plain", "action": "type", "text": "new york", "x": 24, "y": 11}
    answers = [{"item_id": "task-0/step-1", "response": said}]
    for protocol in ("uground", "seeclick", "showui", "screensuite"):
        report = sdk.grade(answers, task=WEBSITE, data=folder, protocol=protocol, progress=False)
        assert report.value == 0.25


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("operation", '{"op": "DRAG"}', "DRAG"),
        ("operation", "CLICK", "task-0/step-0"),
        ("pos_candidates", ["{}"], "attributes"),
        ("pos_candidates", ['{"attributes": "{\\"bounding_box_rect\\": \\"1,2\\"}"}'], "1,2"),
        ("confirmed_task", None, "confirmed_task"),
    ],
)
def test_a_row_that_is_not_as_published_is_named(
    folder: Path, field: str, value: object, says: str
) -> None:
    file = folder / "data" / "test_website-00000-of-00001.parquet"
    rows = pq.read_table(file).to_pylist()  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    rows[0][field] = value
    pq.write_table(pa.Table.from_pylist(rows), file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    with pytest.raises(DataError, match=says):
        load(WEBSITE, folder)


def test_another_task_is_named(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="mind2web/website"):
        load("mind2web/page", folder)


def test_ugrounds_file_of_the_same_steps_has_boxes_and_no_sizes(tmp_path: Path) -> None:
    # A row of OSU-NLP-Group/UGround 3a9b9f2, offline_evaluation/Multimodal-Mind2Web; it is MIT.
    row = {
        "annotation_id": "fd600e18-8b5c-4b17-8dde-42332315be41",
        "action_uid": "e172b844-9c75-450e-8ea0-d5bedea3aa56",
        "task": "Show me the rules and cancellation for Alley Spring.",
        "website": "recreation.gov",
        "domain": "Travel",
        "operation": "CLICK",
        "value": "",
        "bbox": [[163.65625, 385.625, 801.640625, 62.484375]],
    }
    file = tmp_path / "samples_cross_website_blocks.jsonl"
    other = {**row, "action_uid": "x", "bbox": [], "operation": "TYPE", "value": "Alley Spring"}
    file.write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n")
    assert recognize(file) == (WEBSITE,)
    data = load(WEBSITE, file)
    assert data.golds[0].boxes == ((163.65625, 385.625, 965.296875, 448.109375),)
    assert (data.golds[1].lost, data.golds[1].step, data.golds[1].image_size) == (True, 1, None)
    assert sdk.score(WEBSITE, "click(500, 400)", data.golds[0]).value == 1

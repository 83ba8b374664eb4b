import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from snellen.grading.errors import DataError
from snellen.grading.models.items import AnswerKind
from snellen.grading.models.reports import PinVerdict
from snellen.grading.models.scores import Outcome
from snellen.sdk.local import attainable, grade
from snellen.sdk.stored import regrade
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.matrix.format import DIMENSIONS, FIELDS, LEVELS
from snellen.tasks.benchmarks.matrix.load import load
from snellen.tasks.benchmarks.matrix.rules import responses_of, settings_of
from snellen.tasks.benchmarks.matrix.rules.golds import PlaceSettings, unit_box
from snellen.tasks.benchmarks.matrix.rules.metrics import METRICS
from snellen.tasks.data.check import ImageProblem, image_faults
from snellen.tasks.models import TaskData
from snellen.tasks.sandbox import SandboxExecutor, check_support

TASK = "matrix/items"


@pytest.fixture
def folder(examples: Path) -> Path:
    """The items that ship."""
    return examples / "matrix"


@pytest.fixture
def data(folder: Path) -> TaskData:
    """The items that ship, loaded."""
    return load(TASK, folder)


def one(tmp_path: Path, **fields: object) -> TaskData:
    """Load a single item."""
    item: dict[str, Any] = {
        "id": "one",
        "dimension": "perception",
        "level": 1,
        "task": "ocr",
        "question": "What does it say?",
        "metric": "anls",
        "answer": "Sign in",
        **fields,
    }
    (tmp_path / "items.jsonl").write_text(json.dumps(item), encoding="utf-8")
    return load(TASK, tmp_path)


def test_the_items_that_ship_fill_the_matrix_and_use_all_twelve_tasks(data: TaskData) -> None:
    cells = set(zip(data.tags["dimension"], data.tags["level"], strict=True))
    assert cells == {(dimension, level) for dimension in DIMENSIONS for level in LEVELS}
    assert set(data.tags["task"]) == {task for tasks in DIMENSIONS.values() for task in tasks}


def test_the_data_is_pinned_as_nobodys_release(data: TaskData) -> None:
    assert (data.pin.release, data.pin.verdict) == ("own items", PinVerdict.UNKNOWN)
    assert data.pin.count == len(data)
    assert (data.split, data.cluster) == ("all", "group")


def test_the_pin_names_the_items_whose_tests_a_program_can_fake(tmp_path: Path) -> None:
    program: dict[str, object] = {
        "dimension": "action",
        "task": "code",
        "metric": "code",
        "answer": "print(3)",
    }
    tested = one(tmp_path, **program, settings={"tests": "import answer"})
    assert "(one)" in tested.pin.note
    assert "`prints`" in tested.pin.note
    assert one(tmp_path, **program, settings={"prints": "3"}).pin.note == ""


def test_options_are_lettered_one_a_line(data: TaskData) -> None:
    item = data.item("chart-max")
    assert item.prompt == (
        "Which quarter sold the most?\nOptions:\nA. Q1\nB. Q2\nC. Q3\nD. Q4\n\n"
        "The answer is the letter of the right option.\n\nReply with the answer alone."
    )
    assert item.answer_format.kind is AnswerKind.CHOICE
    assert responses_of(data.golds[data.index["chart-max"]]) == ("D",)


def test_a_number_is_asked_for_in_its_unit(data: TaskData) -> None:
    assert "The answer is one number, in thousand euros.\n" in data.item("chart-q2").prompt
    assert "The answer is one number.\n" in data.item("count-fields").prompt


def test_a_place_in_pixels_is_asked_for_and_kept_in_fractions(data: TaskData) -> None:
    assert "in fractions of the image" in data.item("where").prompt
    gold = data.golds[data.index["where"]]
    settings = settings_of(gold)
    assert isinstance(settings, PlaceSettings)
    assert unit_box(gold, settings)[:2] == (120 / 320, 140 / 200)


def test_every_metric_says_how_to_answer_and_shows_an_example() -> None:
    answers = own("matrix").more["answers"]
    assert answers.keys() == METRICS.keys()
    assert all(said.keys() == {"form", "example"} for said in answers.values())


@pytest.mark.parametrize("prompt", ["snellen-matrix-1", "snellen-matrix-steps-1"])
def test_prompts_have_names(folder: Path, prompt: str) -> None:
    item = load(TASK, folder, prompt=prompt).item("sum")
    assert item.tags["prompt"] == prompt
    assert ("step by step" in item.prompt) == ("steps" in prompt)


def test_the_right_letter_is_a_tag_of_reports(data: TaskData) -> None:
    letters = dict(zip(data.ids, data.tags["letter"], strict=True))
    assert (letters["chart-max"], letters["agrees"], letters["sum"]) == ("D", "A", None)
    assert "letter" not in data.item("chart-max").tags


def test_the_users_own_tags_are_for_reports_alone(tmp_path: Path) -> None:
    data = one(tmp_path, tags={"site": "a.com"})
    assert data.tags["site"] == ["a.com"]
    assert "site" not in data.item("one").tags


def test_images_and_their_sizes_are_read_when_asked_for(data: TaskData, folder: Path) -> None:
    [image] = data.item("chart-max").images
    assert (image.name, image.width, image.height) == ("screen", 320, 200)
    assert data.image("chart-max") == (folder / "images" / "chart.png").read_bytes()
    assert [image.name for image in data.item("two-images").images] == ["page", "chart"]
    assert data.item("sum").images == ()


def test_an_image_with_a_text_that_pillow_refuses_has_no_size(tmp_path: Path) -> None:
    told = PngInfo()
    told.add_text("comment", "x" * 2_000_000, zip=True)
    Image.new("RGB", (9, 9)).save(tmp_path / "a.png", pnginfo=told)
    data = one(tmp_path, images=["a.png"])
    assert (data.item("one").images[0].width, data.item("one").images[0].height) == (None, None)
    assert [fault.problem for fault in image_faults(data)] == [ImageProblem.DAMAGED]


def test_images_may_lie_in_another_folder(tmp_path: Path, folder: Path) -> None:
    one(tmp_path, images=["chart.png"])
    data = load(TASK, tmp_path, images=folder / "images")
    assert data.item("one").images[0].width == 320
    with pytest.raises(DataError, match="no such folder of images"):
        load(TASK, tmp_path, images=tmp_path / "nowhere")


def test_graded_items_break_down_by_dimension_and_level(data: TaskData, folder: Path) -> None:
    report = grade(folder / "answers.jsonl", data=data)
    assert report.numbers.primary == "score"
    assert report.input.outcomes[Outcome.ERROR] == 1
    for tag, names in (("dimension", set(DIMENSIONS)), ("level", set(LEVELS))):
        cells = report.by(tag, least=1).cells
        assert {cell.name for cell in cells} == names
        assert sum(cell.items for cell in cells) == len(data)
    assert report.numbers.clustered_by == "group"


def test_references_in_memory_grade_as_the_file_does(data: TaskData, folder: Path) -> None:
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    asked = ("metric", "answer", "options", "settings", "pass")
    references = {
        row["id"]: {key: row[key] for key in asked if key in row} for row in map(json.loads, lines)
    }
    loaded = grade(folder / "answers.jsonl", data=data)
    given = grade(folder / "answers.jsonl", task=TASK, references=references)
    assert [score.metrics for score in given.scores] == [score.metrics for score in loaded.scores]


def test_the_docs_name_every_field_metric_setting_task_and_level(examples: Path) -> None:
    page = (examples.parent / "docs" / "matrix.md").read_text(encoding="utf-8")
    settings = {name for rule in METRICS.values() for name in rule.settings.__struct_fields__}
    tasks = {task for tasks in DIMENSIONS.values() for task in tasks}
    named = {*FIELDS, *METRICS, *settings, *tasks, *DIMENSIONS, *LEVELS}
    assert not {name for name in named if f"`{name}`" not in page}


@pytest.mark.skipif(bool(check_support()), reason="candidate code can't be isolated here")
def test_in_the_sandbox_every_reference_scores_the_maximum(data: TaskData) -> None:
    found = attainable(data=data, executor=SandboxExecutor(allow=True))
    assert found.below == ()
    assert found.metrics == pytest.approx({"score": 1, "correct": 1})


@pytest.mark.skipif(bool(check_support()), reason="candidate code can't be isolated here")
def test_stored_programs_are_run_when_that_is_allowed_later(data: TaskData, folder: Path) -> None:
    stored = grade(folder / "answers.jsonl", data=data)
    again = regrade(stored, executor=SandboxExecutor(allow=True))
    assert (stored.input.outcomes[Outcome.ERROR], again.input.outcomes[Outcome.ERROR]) == (1, 0)
    assert again.value == pytest.approx(stored.value + 1 / len(data), abs=1e-12)

import json
from pathlib import Path

import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import recognize

PERCEPTION, PREDICTION, INSTRUCTION = TASKS = (
    "gui-knowledge/perception",
    "gui-knowledge/prediction",
    "gui-knowledge/instruction",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("gui-knowledge", tmp_path)


def test_a_folder_of_questions_is_read_by_path(folder: Path) -> None:
    data = load_task(PERCEPTION, folder)
    assert data.ids == [
        "LayoutSemanticsUnderstanding-1",
        "StateInformationUnderstanding-0",
        "WidgetFunctionUnderstanding-2",
    ]
    assert [(gold.groundtruth, gold.answer_type) for gold in data.golds][:2] == [
        ("B", "multiple_choice"),
        ("yes", "yes_or_no"),
    ]
    letter, word = (data.item(item) for item in data.ids[:2])
    assert "\nOptions:\nA. one 1\nB. two 1\nC. three 1\n" in letter.prompt
    assert letter.answer_format.kind is AnswerKind.CHOICE
    assert word.prompt.endswith("yes, no or unknown.")
    assert word.answer_format.options == ("yes", "no", "unknown")
    assert list(data.tags["os_type"]) == ["Windows", "Android", "Web"]
    assert data.image(letter.id)
    assert recognize(folder) == recognize(folder / "KnowledgeBench") == TASKS


def test_options_may_be_images_and_a_question_may_have_several(folder: Path) -> None:
    data = load_task(PREDICTION, folder)
    effect, kind, _ = (data.item(item) for item in data.ids)
    assert [image.name for image in effect.images] == ["screen", "option_a", "option_b"]
    assert effect.answer_format.options == ("A", "B")
    assert data.image(effect.id, "option_b") == (folder / "Image/b.png").read_bytes()
    assert [image.name for image in kind.images] == ["screen_1", "screen_2"]
    assert data.tags["knowledge_sub_type"][1] == "ActionPrediction-Type"


@pytest.mark.parametrize("name", ["all.json", "all.jsonl"])
def test_one_list_holds_the_same_questions(folder: Path, tmp_path: Path, name: str) -> None:
    rows = [json.loads(file.read_text()) for file in sorted(folder.rglob("*.json"))]
    lines = "\n".join(map(json.dumps, rows))
    (tmp_path / name).write_text(lines if name.endswith("l") else json.dumps(rows))
    assert set(recognize(tmp_path / name)) == set(TASKS)
    for task in TASKS:
        assert load_task(task, tmp_path / name).golds == load_task(task, folder).golds


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groundtruth": "D"}, r"LayoutS.*field 'groundtruth'.*'D' is none of its options"),
        ({"option_text": []}, "it has 0 options"),
        ({"question_image_dir_list": ["../a.png"]}, "no path below the images"),
        ({"question_id": "StateInformationUnderstanding-0"}, "is there twice"),
    ],
)
def test_a_question_that_is_not_as_published_is_named(
    folder: Path, change: dict[str, object], message: str
) -> None:
    file = next(folder.rglob("Layout*.json"))
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(DataError, match=message):
        load_task(PERCEPTION, folder)

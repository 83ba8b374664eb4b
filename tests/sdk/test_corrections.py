"""Answers are graded with corrected references, and the report says what they score without."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.tasks.corrections.overlay import Correction, corrections_text, digest_of_gold
from snellen.tasks.samples import exam_folder

TASK = "screenqa/short"
ROWS = [
    {"image_id": 5, "question": "How many exercises?", "ground_truth": ["12"]},
    {"image_id": 5, "question": "Which day?", "ground_truth": ["Monday"]},
    {"image_id": 9, "question": "Which price?", "ground_truth": ["$5"]},
    {"image_id": 9, "question": "Which shop?", "ground_truth": ["Nowhere"]},
]
ANSWERS = {"test/5/0": "12", "test/5/1": "Tuesday", "test/9/0": "$6", "test/9/1": "Here"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "screen_qa"
    (folder / "short_answers").mkdir(parents=True)
    (folder / "short_answers" / "test.json").write_text(json.dumps(ROWS))
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    rows = [
        Correction(
            task=TASK,
            item="test/5/1",
            reason="The page says Tuesday.",
            old=digest_of_gold(["Monday"]),
            new=["Tuesday"],
        ),
        Correction(task=TASK, item="test/9/1", reason="There is no shop.", exclude=True),
    ]
    path.write_text(corrections_text(rows))
    return path


def answers() -> list[dict[str, str]]:
    return [{"item_id": item, "response": said} for item, said in ANSWERS.items()]


def test_the_score_is_over_what_is_left_and_the_one_without_is_beside(
    folder: Path, file: Path
) -> None:
    report = sdk.grade(answers(), task=TASK, data=folder, corrections=file)
    assert report.value == pytest.approx(2 / 3)
    assert report.numbers.uncorrected is not None
    assert report.numbers.uncorrected.value == pytest.approx(1 / 4)
    assert report.value - report.numbers.uncorrected.value == pytest.approx(5 / 12)
    (said,) = [one for one in report.input.notices if one.code == "corrections"]
    assert said.message == (
        "corrections mine: references replaced: 1, items excluded: 1; without them f1 is 25.00"
    )
    assert said.message in str(report)
    assert report.input.not_selected == 1
    assert "|n:3|corrections:mine:sha256:" in report.signature
    plain = sdk.grade(answers(), task=TASK, data=folder)
    assert "corrections" not in plain.signature
    assert plain.numbers.uncorrected is None


@pytest.mark.parametrize("given", [iter, list, tuple], ids=["iterator", "list", "tuple"])
def test_any_source_is_read_once(
    folder: Path, file: Path, given: Callable[[list[Any]], Any]
) -> None:
    report = sdk.grade(given(answers()), task=TASK, data=folder, corrections=file)
    assert report.value == pytest.approx(2 / 3)
    assert report.numbers.uncorrected is not None


def test_selected_items_lose_those_that_are_excluded(folder: Path, file: Path) -> None:
    report = sdk.grade(
        answers(), task=TASK, data=folder, corrections=file, items=["test/5/1", "test/9/1"]
    )
    assert (report.provenance.items, report.value) == (1, 1)
    assert report.numbers.uncorrected is not None
    assert report.numbers.uncorrected.value == 0


def test_a_sample_that_has_an_excluded_item_is_refused(folder: Path, file: Path) -> None:
    sample = sdk.stratify(sdk.load(TASK, folder), n=4, by=["image_id"])
    with pytest.raises(InputError, match="exclude 1 items of the sample"):
        sdk.grade(answers(), data=sdk.load(TASK, folder), corrections=file, items=sample)


def test_references_that_are_given_are_not_corrected(file: Path) -> None:
    with pytest.raises(InputError, match="corrections are for data"):
        sdk.grade(answers(), task=TASK, references={"test/5/0": ["12"]}, corrections=file)


def test_a_saved_report_is_corrected_and_keeps_its_corrections(
    folder: Path, file: Path, tmp_path: Path
) -> None:
    plain = sdk.grade(answers(), task=TASK, data=folder)
    path = plain.save(tmp_path / "plain.json")
    for source in (plain, path):
        report = sdk.regrade(source, corrections=file)
        assert report.value == pytest.approx(2 / 3)
        assert report.numbers.uncorrected is not None
    corrected = report.save(tmp_path / "corrected.json")
    for source in (report, corrected):
        again = sdk.regrade(source)
        assert (again.value, again.signature) == (report.value, report.signature)
    opened = sdk.load_report(corrected)
    assert opened.numbers.uncorrected == report.numbers.uncorrected
    file.write_text(file.read_text().replace("Tuesday", "Wednesday"))
    with pytest.raises(InputError, match="grade the answers again"):
        sdk.regrade(corrected)


def test_protocols_are_explained_on_corrected_references(folder: Path, file: Path) -> None:
    found = sdk.explain(answers(), task=TASK, data=folder, corrections=file)
    assert found.reports["official"].value == pytest.approx(2 / 3)
    assert {report.provenance.items for report in found.reports.values()} == {3}


def test_an_audits_list_is_taken_as_corrections_of_its_pack(tmp_path: Path) -> None:
    data = sdk.load(TASK, exam_folder("sample-full"))
    listed = tmp_path / "removed.jsonl"
    gone = Correction(task=TASK, item=data.ids[0], reason="blurred", exclude=True)
    listed.write_text(corrections_text([gone]))
    given = [{"item_id": item, "response": "x"} for item in data.selected or data.ids]
    report = sdk.grade(given, task=TASK, data=exam_folder("sample-full"), corrections=listed)
    whole = sdk.grade(given, task=TASK, data=exam_folder("sample-full"))
    assert report.provenance.items == whole.provenance.items - 1

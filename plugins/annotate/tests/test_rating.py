"""`sdk.rate`: raters' answers in a file or in memory, against a pack."""

from pathlib import Path

import pytest

from snellen import sdk
from snellen.annotate import RaterAnswer, RaterReport, rate
from snellen.grading.errors import DataError, InputError
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.seal import write_key
from snellen.tasks.pack.transform import write_selection
from snellen.tasks.pack.write import seal_pack
from snellen.tasks.samples import exam_folder

TASK = "screenqa/short"


def answers(wrong: int = 0) -> list[RaterAnswer]:
    """Return the answers of two raters, who contradict the first few references."""
    pack = open_pack(exam_folder("wireframes"))
    golds = open_references(pack).golds[TASK]
    return [
        RaterAnswer(
            task=TASK,
            item_id=item,
            rater=rater,
            given=golds[item][0] if number >= wrong else "zebra",
        )
        for number, item in enumerate(pack.index[TASK])
        for rater in ("ada", "bob")
    ]


def saved(path: Path, given: list[RaterAnswer]) -> Path:
    path.write_text("".join(answer.model_dump_json() + "\n" for answer in given))
    return path


def test_a_file_and_the_answers_themselves_make_one_report(tmp_path: Path) -> None:
    given = answers(wrong=2)
    report = rate(given, data=exam_folder("wireframes"))
    assert rate(saved(tmp_path / "raters.jsonl", given), data=exam_folder("wireframes")) == report
    assert isinstance(report, RaterReport)
    assert report.ceiling is not None
    # What a model with the same answers scores.
    lines = [{"item_id": one.item_id, "response": one.given} for one in given if one.rater == "ada"]
    model = sdk.grade(lines, task=TASK, data=exam_folder("wireframes"))
    assert report.ceiling.value == pytest.approx(model.value, abs=1e-12)
    assert report.ceiling == model.numbers.estimate
    assert len(report.suspects()) == 2
    assert report.agreement is not None
    assert report.agreement.value == 1


def test_a_score_of_another_protocol_is_asked_for_by_its_name() -> None:
    assert rate(answers(), data=exam_folder("wireframes"), protocol="robust").protocol.startswith(
        "robust@"
    )


def test_sealed_references_are_opened_with_the_key(tmp_path: Path) -> None:
    pack = open_pack(exam_folder("wireframes"))
    write_selection(pack, {TASK: set(pack.index[TASK])}, tmp_path / "own")
    key = write_key(tmp_path / "exam.key")
    seal_pack(open_pack(tmp_path / "own"), key)
    with pytest.raises(DataError, match="sealed"):
        rate(answers(), data=tmp_path / "own")
    report = rate(answers(), data=tmp_path / "own", key=tmp_path / "exam.key")
    assert report == rate(answers(), data=exam_folder("wireframes"))


def test_without_references_only_raters_are_compared() -> None:
    report = rate(answers(), data=exam_folder("wireframes"), references=False)
    assert report.ceiling is None
    assert report.agreement is not None


def test_what_is_no_file_of_answers_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "raters.jsonl"
    broken.write_text('{"task": "a", "item_id": "b", "rater": "c"}\n{"task": "a", "item_id": 1}\n')
    with pytest.raises(DataError, match=r"raters.jsonl.*line 2"):
        rate(broken, data=exam_folder("wireframes"))
    with pytest.raises(InputError, match="can't be read"):
        rate(tmp_path / "missing.jsonl", data=exam_folder("wireframes"))
    with pytest.raises(InputError, match="give the task"):
        rate([], data=exam_folder("wireframes"))
    both = [*answers(), answers()[0].model_copy(update={"task": "screenqa/long"})]
    with pytest.raises(InputError, match="give the task"):
        rate(both, data=exam_folder("wireframes"))

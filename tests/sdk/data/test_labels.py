"""People's labels are read whole, or it is said where and why not."""

from pathlib import Path

import pytest

from snellen import sdk
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.score_table import ScoreTable
from snellen.sdk.data.labels import read_labels


def table(attempts: int = 1) -> ScoreTable:
    answers = [
        {"item_id": item_id, "response": "x", "attempt": attempt}
        for item_id in "abc"
        for attempt in range(attempts)
    ]
    references = {item_id: ["x"] for item_id in "abc"}
    return sdk.grade(answers, task="screenqa/short", references=references).scores


def test_labels_stand_where_their_responses_do() -> None:
    assert read_labels({"c": 1, "a": 0}, table(), 1).tolist() == [0, -1, 1]


def test_an_attempt_may_be_named() -> None:
    rows = [
        {"item_id": "a", "attempt": 1, "label": 4},
        {"item_id": "c", "attempt": 0, "label": 2.0},
        {"item_id": "b", "attempt": 0, "label": None},
    ]
    assert read_labels(rows, table(2), 4).tolist() == [-1, 4, -1, -1, 2, -1]


def test_a_file_may_have_more_columns(tmp_path: Path) -> None:
    file = tmp_path / "labels.tsv"
    file.write_text("item_id\twho\tlabel\na\tAda\t1\nb\tAda\t\nc\tBob\t0\n")
    assert read_labels(file, table(), 1).tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,label\na,1\n", "labels need a column 'item_id'"),
        ("item_id,verdict\na,1\n", "labels need a column 'label'"),
        ("item_id,label\na,2\n", "line 2, field 'label': 2 is not a level; the highest is 1"),
        ("item_id,label\na,yes\n", "line 2, field 'label': 'yes' is not a whole number"),
        ("item_id,label\na,0.5\n", "'0.5' is not a whole number"),
        ("item_id,label\na,-1\n", "'-1' is not a whole number"),
        ("item_id,label\na,1\nb,0\na,1\n", "line 4, field 'item_id': 'a' has a label already"),
        ("item_id,label,attempt\na,1,3\n", "there is no attempt 3; known: 0"),
        ("item_id,label\na,\n", "it has no labels"),
    ],
)
def test_what_is_wrong_with_a_file_of_labels_is_told_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        read_labels(file, table(), 1)
    assert error.value.file == str(file)


def test_an_unknown_item_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("item_id,label\na,1\nz,1\n")
    with pytest.raises(UnknownNameError, match=r"labels\.csv, line 3, in the report 'z'"):
        read_labels(file, table(), 1)


def test_with_several_attempts_a_label_must_say_of_which_it_is() -> None:
    with pytest.raises(InputError, match="give the attempt"):
        read_labels({"a": 1}, table(2), 1)

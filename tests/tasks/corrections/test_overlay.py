"""Corrections are read from files, and apply to the references that they are of."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from snellen.grading.errors import DataError, InputError
from snellen.grading.protocols.table import gold_shape
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.corrections.overlay import (
    Correction,
    Corrections,
    corrections_text,
    digest_of_gold,
    included,
    read_corrections,
)
from snellen.tasks.models import TaskData

SHORT = "screenqa/short"
ROWS = [
    {"image_id": 5, "question": "How many exercises?", "ground_truth": ["12", "twelve"]},
    {"image_id": 5, "question": "Which day?", "ground_truth": ["Monday"]},
    {"image_id": 9, "question": "Which price?", "ground_truth": ["$5"]},
]


def digest(gold: object) -> str:
    return sha256(json.dumps(gold, separators=(",", ":")).encode()).hexdigest()[:16]


OLD = digest(["Monday"])


@pytest.fixture
def data(tmp_path: Path) -> TaskData:
    folder = tmp_path / "screen_qa" / "short_answers"
    folder.mkdir(parents=True)
    (folder / "test.json").write_text(json.dumps(ROWS))
    return load_task(SHORT, folder.parent)


def corrections(*rows: Correction) -> Corrections:
    return Corrections("mine", rows)


def tuesday(**more: object) -> Correction:
    said = {"task": SHORT, "item": "test/5/1", "old": OLD, "new": ["Tuesday"], "reason": "Read it."}
    return Correction(**{**said, **more})  # pyright: ignore[reportArgumentType]


def test_a_digest_is_of_the_published_reference_as_compact_json(data: TaskData) -> None:
    assert [digest_of_gold(gold) for gold in data.golds] == [
        digest(row["ground_truth"]) for row in ROWS
    ]


def test_a_reference_is_replaced_and_an_item_is_excluded(data: TaskData) -> None:
    gone = Correction(task=SHORT, item="test/9/0", reason="It is black.", exclude=True)
    found = corrections(tuesday(), gone).of(data)
    assert list(found.golds) == [["12", "twelve"], ["Tuesday"], ["$5"]]
    assert found.selected == ["test/5/0", "test/5/1"]
    assert found.corrected is not None
    assert (found.corrected.replaced, found.corrected.excluded, found.corrected.other) == (1, 1, 0)
    assert list(data.golds) == [row["ground_truth"] for row in ROWS]


def test_a_correction_of_another_reference_or_task_does_not_apply(data: TaskData) -> None:
    found = corrections(
        tuesday(old="0" * 16), tuesday(task="screenqa/complex"), tuesday(item="train/5/1")
    ).of(data)
    assert list(found.golds) == list(data.golds)
    assert found.corrected is not None
    assert (found.corrected.replaced, found.corrected.other) == (0, 1)
    assert found.selected is None


def test_data_is_corrected_once_and_keeps_some_items(data: TaskData) -> None:
    once = corrections(tuesday()).of(data)
    with pytest.raises(InputError, match="has the corrections mine already"):
        corrections(tuesday()).of(once)
    every = [Correction(task=SHORT, item=item, reason="no", exclude=True) for item in data.ids]
    with pytest.raises(InputError, match="exclude every item of screenqa/short"):
        corrections(*every).of(data)


def test_a_file_is_read_as_it_is_written(tmp_path: Path) -> None:
    gone = Correction(task=SHORT, item="test/9/0", reason="It is black.", exclude=True)
    rows = [tuesday(source="raters"), gone]
    path = tmp_path / "mine.jsonl"
    path.write_text(corrections_text(rows) + "\n")
    found = read_corrections(path)
    assert list(found.rows) == rows
    assert (found.name, found.path) == ("mine", str(path))
    assert found.sha256 == Corrections("other", rows).sha256


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"task": SHORT, "item": "a", "reason": "b"}, "line 1, field 'new': give either new"),
        ({"task": SHORT, "item": "a", "reason": "b", "new": ["c"]}, "needs old, the digest"),
        (
            {"task": SHORT, "item": "a", "reason": "b", "old": OLD, "new": 7},
            "line 1, field 'new': expected",
        ),
        (
            {"task": SHORT, "item": "a", "reason": "b", "new": ["c"], "exclude": True},
            "give either new",
        ),
        ({"task": SHORT, "item": "a", "reason": "", "exclude": True}, "reason"),
        ({"task": SHORT, "item": "a", "reason": "b", "exclude": True, "why": 1}, "why"),
        ([1], "it is no correction"),
    ],
)
def test_a_line_that_is_no_correction_is_named(tmp_path: Path, line: object, says: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(line))
    with pytest.raises(DataError, match=says):
        read_corrections(path)


def test_an_item_is_corrected_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(corrections_text([tuesday(), tuesday()]))
    with pytest.raises(DataError, match=r"line 2, field 'item': test/5/1 of .* is corrected"):
        read_corrections(path)


def test_a_name_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(InputError, match=r"can't read the corrections.*known-1"):
        read_corrections("known-0")


@pytest.mark.parametrize("name", included())
def test_every_included_correction_is_of_a_task_and_says_who_says_so(name: str) -> None:
    found = read_corrections(name)
    assert found.path is None
    for row in found.rows:
        assert row.task in TASKS
        assert row.old
        assert row.source
        assert row.exclude or gold_shape(row.task).read(row.new) is not None

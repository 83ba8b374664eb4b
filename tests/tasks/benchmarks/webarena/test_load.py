"""WebArena-Verified's tasks load with both kinds of references, and a wrong row is named."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.reports import PinVerdict
from snellen.grading.models.scores import Outcome
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import recognize

TASK = "webarena/verified"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written("webarena", tmp_path)


def rewritten(folder: Path, path: Sequence[str | int], value: object) -> Path:
    """Put a value where a path leads in the file."""
    file = folder / "webarena-verified.json"
    rows = json.loads(file.read_text())
    inside: Any = rows
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    file.write_text(json.dumps(rows))
    return folder


def test_an_item_asks_for_json_and_tells_nothing_of_its_reference(folder: Path) -> None:
    data = load_task(TASK, folder)
    assert data.ids == ["4", "17", "23"]
    assert data.tags["task_type"] == ["retrieve", "navigate", "mutate"]
    assert data.tags["checks"] == ["response", *["response and requests"] * 2]
    assert data.tags["site"][2] == "gitlab+reddit"
    item = data.item("17")
    assert "Open the issues of the lamp project" in item.prompt
    assert "Start at __GITLAB__." in item.prompt
    assert "-/issues" not in item.model_dump_json()
    assert recognize(folder) == (TASK,)


def test_the_hard_tasks_are_a_split_in_the_order_of_their_list(folder: Path) -> None:
    assert load_task(TASK, folder, "hard").ids == ["23", "4"]
    (folder / "subsets" / "webarena-verified-hard.json").unlink()
    with pytest.raises(DataError, match=r"no subsets/webarena-verified-hard\.json"):
        load_task(TASK, folder, "hard")
    with pytest.raises(UnknownNameError, match="split"):
        load_task(TASK, folder, "easy")


def test_a_copy_of_the_repository_and_a_file_under_gzip_are_found(folder: Path) -> None:
    plain = load_task(TASK, folder)
    inside = folder / "copy" / "assets" / "dataset"
    inside.mkdir(parents=True)
    data = (folder / "webarena-verified.json").read_bytes()
    (inside / "webarena-verified.json.gz").write_bytes(gzip.compress(data))
    packed = load_task(TASK, folder / "copy")
    assert packed.pin.sha256 == plain.pin.sha256
    assert list(packed.ids) == list(plain.ids)
    (inside / "webarena-verified.json.gz").write_bytes(gzip.compress(data)[:-20])
    with pytest.raises(DataError, match="is no whole gzip file"):
        load_task(TASK, folder / "copy")


def test_without_its_file_the_older_protocols_give_errors_with_a_reason(folder: Path) -> None:
    (folder / "test.raw.json").unlink()
    data = load_task(TASK, folder)
    assert "no test.raw.json beside it" in data.pin.note
    assert data.pin.verdict is not PinVerdict.KNOWN
    answers = [{"item_id": "4", "response": "12.5, 30"}]
    report = sdk.grade(answers, data=data, protocol="webarena", items=["4"], progress=False)
    (score,) = report.scores
    assert score.outcome is Outcome.ERROR
    assert "test.raw.json" in report.input.warnings[0]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ((1, "task_id"), 4, "task 4 is there twice"),
        ((1, "eval"), [], r"row 2.*no AgentResponseEvaluator"),
        ((0, "eval", 0, "evaluator"), "Other", r"eval\[0\]"),
        ((2, "eval", 1, "new_rule"), 1, "new_rule"),
        (
            (0, "eval", 0, "results_schema", "items", "format"),
            "color",
            "task 4: there is no rule for the type 'color'",
        ),
        (
            (0, "eval", 0, "expected", "retrieved_data"),
            ["soon"],
            "task 4: a reference can't be read: 'soon'",
        ),
    ],
)
def test_a_row_that_is_not_as_published_is_named(
    folder: Path, path: Sequence[str | int], value: object, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        load_task(TASK, rewritten(folder, path, value))


def test_a_folder_without_the_file_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no webarena-verified\.json in it.*full\.parquet"):
        load_task(TASK, tmp_path)

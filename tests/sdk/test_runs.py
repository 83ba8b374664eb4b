import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.grading.models.scores import Outcome
from snellen.sdk.runs import logged, report_of


def log(file: Path, scores: list[Any], name: str = "s", **about: Any) -> Path:
    """Write a log as Inspect AI does, with a sample for each score; a text is a fault."""
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"task": "t", **about}}))
        for number, score in enumerate(scores):
            sample = {
                "id": f"{name}{number}",
                "epoch": 1,
                "target": "",
                "output": {"choices": [{"message": {"role": "assistant", "content": "(40, 20)"}}]},
                **(score if "error" in score else {"scores": {"rule": {"value": score["value"]}}}),
            }
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
    return file


def test_logs_of_any_task_are_compared_by_what_they_were_scored(tmp_path: Path) -> None:
    fault = {"error": {"message": "rate limit"}}
    scored = [{"value": "C"}, {"value": "I"}, {"value": 1}]
    first = log(tmp_path / "a.eval", [*scored, fault, {"value": float("nan")}])
    others = [{"value": "I"}, scored[1], {"value": {"x": 1.0}}, fault, {"value": 0}]
    second = log(tmp_path / "b.eval", others)
    (found,) = sdk.compare({"a": logged(first), "b": logged(second)})
    assert (found.metric, found.first_value, found.second_value) == ("success", 0.4, 0.2)
    assert [(change.item_id, change.first, change.second) for change in found.changes] == [
        ("s0", 1, 0)
    ]
    assert "lacks 2 response" in found.note


def test_a_log_of_a_task_of_ours_is_graded_by_its_rule_where_its_data_is(tmp_path: Path) -> None:
    folder = written("webclick", tmp_path)
    signature = {"signature": "webclick/point|data:x", "protocol": "robust"}
    about: dict[str, Any] = {"task_args": {"data": str(folder)}, "metadata": signature}
    file = log(tmp_path / "a.eval", [{"value": 1}] * 3, "test/", **about)
    report = logged(file)
    assert (report.task, report.provenance.protocol) == ("webclick/point", "robust")
    gone: dict[str, Any] = {**about, "task_args": {"data": str(tmp_path / "gone")}}
    assert logged(log(tmp_path / "b.eval", [{"value": 1}] * 3, **gone)).task == "outcomes/run"


def test_a_file_that_is_no_log_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.eval"
    file.write_text("{}")
    with pytest.raises(InputError, match=r"x\.eval.*no log that Inspect AI wrote"):
        report_of(file)


def test_a_real_log_is_a_run_of_its_samples(screenqa_data: Path) -> None:
    file = screenqa_data.parent / "real/predictions/inspect-logs/popularity.eval"
    if not file.is_file():
        pytest.skip("real data: SNELLEN_DATA has no real/predictions/inspect-logs")
    report = logged(file)
    assert report.input.outcomes[Outcome.ANSWERED] == 10
    assert report.value == 0.8

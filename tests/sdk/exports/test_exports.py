"""Reports in the formats of other projects, read back by their own readers or schemas."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import EvalResultEntry, parse_eval_result_entries
from miniatures import written

from snellen import sdk
from snellen.grading.errors import InputError, UnknownNameError
from snellen.sdk.exports import Target

yaml = pytest.importorskip("yaml")

TASK = "screenqa/short"
WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
GOLD = "a reference that nobody guesses"
REFERENCES = {"a": ["right", GOLD], "b": ["other", GOLD], "c": [GOLD], "d": [GOLD]}
ANSWERS: list[dict[str, object]] = [
    {"item_id": "a", "response": "right", "model": "acme/eye"},
    {"item_id": "b", "response": "wrong", "model": "acme/eye"},
    {"item_id": "c", "error": "timed out", "model": "acme/eye"},
]


@pytest.fixture(scope="module")
def report() -> sdk.Report:
    tags = {name: {"kind": GOLD} for name in REFERENCES}
    return sdk.grade(ANSWERS, task=TASK, references=REFERENCES, tags=tags)


def everything(path: Path) -> str:
    """Return all text in a file, also inside an archive."""
    if not zipfile.is_zipfile(path):
        return path.read_text("utf-8")
    from inspect_ai.log import read_eval_log

    with zipfile.ZipFile(path) as archive:
        assert archive.namelist()
    return read_eval_log(str(path)).model_dump_json()


@pytest.mark.parametrize("ending", [".eval", ".json"])
def test_inspect_reads_back_every_answer_and_every_number(
    ending: str, report: sdk.Report, tmp_path: Path
) -> None:
    from inspect_ai.log import read_eval_log

    path = report.export("inspect", tmp_path / f"run{ending}", date=WHEN)
    log = read_eval_log(str(path))
    assert (log.status, log.eval.task, log.eval.model) == ("success", TASK, "acme/eye")
    assert log.eval.created == "2026-01-02T03:04:05+00:00"
    assert (log.eval.metadata or {})["signature"] == report.signature
    assert log.results is not None
    assert (log.results.total_samples, log.results.completed_samples) == (4, 2)
    by_name = {score.name: score for score in log.results.scores}
    assert list(by_name) == ["exact_match", "f1"]
    # One of four is right; what is missing and what broke count 0.
    assert by_name["exact_match"].metrics["mean"].value == 0.25
    assert by_name["exact_match"].unscored_samples == 2
    samples = {str(sample.id): sample for sample in log.samples or ()}
    assert list(samples) == ["a", "b", "c", "d"]
    assert samples["a"].output.completion == "right"
    scores = [samples[name].scores for name in "abcd"]
    values = [one and one["official@1"].value for one in scores]
    assert values == [{"exact_match": 1, "f1": 1}, {"exact_match": 0, "f1": 0}, None, None]
    error = samples["c"].error
    assert error is not None
    assert error.message == "timed out"
    assert samples["d"].error is None
    assert samples["d"].metadata == {"outcome": "missing"}


def test_inspect_counts_attempts_as_epochs(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    answers = [{"item_id": "a", "response": "right", "attempt": attempt} for attempt in (0, 1)]
    report = sdk.grade(answers, task=TASK, references={"a": ["right"]})
    log = read_eval_log(str(report.export("inspect", tmp_path / "run.eval")))
    assert log.eval.config.epochs == 2
    assert [(sample.id, sample.epoch) for sample in log.samples or ()] == [("a", 1), ("a", 2)]


@pytest.mark.parametrize(
    ("to", "name"),
    [
        ("inspect", "run.eval"),
        ("inspect", "run.json"),
        ("eval_results", "run.yaml"),
        ("every_eval_ever", "run.json"),
    ],
)
def test_no_export_holds_a_reference_or_a_tag_unasked(
    to: Any, name: str, report: sdk.Report, tmp_path: Path
) -> None:
    path = report.export(to, tmp_path / name, dataset="acme/screens")
    assert GOLD not in everything(path)


def test_references_are_targets_of_an_inspect_log_when_asked_for(
    report: sdk.Report, tmp_path: Path
) -> None:
    from inspect_ai.log import read_eval_log

    path = report.export("inspect", tmp_path / "run.eval", with_references=True)
    first = (read_eval_log(str(path)).samples or [])[0]
    assert first.target == ["right", GOLD]
    assert first.metadata == {"outcome": "answered", "kind": GOLD}


def test_prompts_that_show_right_actions_are_left_out_unasked(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    folder = written("androidcontrol", tmp_path)
    answers = [{"item_id": "7/1", "response": "x"}]
    for prompt, shown in (("snellen-action-1", True), ("snellen-action-history-1", False)):
        data = sdk.load("androidcontrol/high", folder, prompt=prompt)
        report = sdk.grade(answers, data=data)
        log = read_eval_log(str(report.export("inspect", tmp_path / f"{prompt}.eval")))
        assert [bool(sample.input) for sample in log.samples or ()] == [shown] * 6
        asked = report.export("inspect", tmp_path / f"{prompt}-2.eval", with_references=True)
        assert all(sample.input for sample in read_eval_log(str(asked)).samples or ())


def test_the_hubs_own_class_reads_results_back(report: sdk.Report, tmp_path: Path) -> None:
    path = report.export(
        "eval_results",
        tmp_path / "run.yaml",
        dataset="acme/screens",
        dataset_task="short",
        source="https://example.org/answers",
        date=WHEN,
    )
    (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text("utf-8")))
    assert entry == EvalResultEntry(
        dataset_id="acme/screens",
        task_id="short",
        value=25.0,
        date="2026-01-02T03:04:05+00:00",
        source_url="https://example.org/answers",
        notes=entry.notes,
    )
    assert entry.notes is not None
    assert entry.notes.startswith(f"f1 in percent, {report.signature}; 95 % interval")
    assert entry.notes.endswith("2 of 4 answers missing or failed, as 0")


def test_results_for_the_hub_say_where_the_benchmark_is_published(tmp_path: Path) -> None:
    answers = [{"item_id": "7/1", "response": "x"}]
    report = sdk.grade(answers, task="androidcontrol/low", data=written("androidcontrol", tmp_path))
    path = report.export("eval_results", tmp_path / "run.yml")
    (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text("utf-8")))
    assert (entry.dataset_id, entry.task_id) == ("Reallm-Labs/android_control_test", "default")
    assert entry.date is None


def test_every_eval_evers_record_says_who_what_and_how_much(
    report: sdk.Report, tmp_path: Path
) -> None:
    path = report.export("every_eval_ever", tmp_path / "run.json", date=WHEN)
    record = json.loads(path.read_text("utf-8"))
    assert record["evaluation_id"] == "screenqa_short/acme_eye/1767323045"
    values = {
        result["metric_config"]["metric_name"]: result["score_details"]["score"]
        for result in record["evaluation_results"]
    }
    assert values == {"exact_match": 0.25, "f1": 0.25}
    full = report.export(
        "every_eval_ever",
        tmp_path / "full.json",
        model="acme/eye-2",
        dataset="acme/screens",
        organization="Acme",
        relationship="first_party",
        source="https://example.org",
    )
    record = json.loads(full.read_text("utf-8"))
    assert record["source_metadata"]["evaluator_relationship"] == "first_party"
    assert record["evaluation_results"][0]["source_data"]["hf_repo"] == "acme/screens"


def test_a_report_that_was_read_back_is_exported_alike(report: sdk.Report, tmp_path: Path) -> None:
    report.save(tmp_path / "report.json")
    again = sdk.load_report(tmp_path / "report.json")
    formats: dict[Target, str] = {"eval_results": ".yaml", "every_eval_ever": ".json"}
    for to, ending in formats.items():
        first, second = (
            one.export(to, tmp_path / f"{name}{ending}", dataset="acme/screens", date=WHEN)
            for one, name in ((report, "first"), (again, "second"))
        )
        assert first.read_bytes() == second.read_bytes()
    again.export("inspect", tmp_path / "again.eval")
    with pytest.raises(InputError, match="the report does not have its references"):
        again.export("inspect", tmp_path / "with.eval", with_references=True)


def test_what_can_not_be_exported_says_why_and_writes_nothing(
    report: sdk.Report, tmp_path: Path
) -> None:
    subset = sdk.grade(ANSWERS, task=TASK, references=REFERENCES, items=["a", "b"])
    nameless = sdk.grade([{"item_id": "a", "response": "right"}], task=TASK, references=REFERENCES)
    path = tmp_path / "run.yaml"
    with pytest.raises(UnknownNameError, match="format to export a report to"):
        report.export("inspct", path)  # pyright: ignore[reportArgumentType]  # the test
    with pytest.raises(InputError, match=r"can't save an export to inspect as '\.yaml'"):
        report.export("inspect", path)
    with pytest.raises(InputError, match="has no known dataset on the Hub; give dataset="):
        report.export("eval_results", path)
    with pytest.raises(InputError, match="2 selected items, and a leaderboard is over whole"):
        subset.export("eval_results", path, dataset="acme/screens")
    with pytest.raises(InputError, match="only an Inspect log can store references"):
        report.export("eval_results", path, dataset="acme/screens", with_references=True)
    with pytest.raises(InputError, match="give the model as model="):
        nameless.export("every_eval_ever", tmp_path / "run.json")
    assert list(tmp_path.iterdir()) == []

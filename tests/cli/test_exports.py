"""`snellen export` on the command line: reports and packs in the formats of other projects."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.tasks.samples import exam_folder

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
GRADED = ("--task", "screenqa/short", "--data", str(ROOT / "examples" / "screen_qa"))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "report.json"
    result = run("grade", ROOT / "examples" / "answers.jsonl", *GRADED, "-o", path)
    assert result.exit_code == 0
    return path


def test_a_saved_report_becomes_a_log_with_its_questions(saved: Path, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    path = tmp_path / "run.eval"
    result = run("export", saved, "--to", "inspect", "-o", path, "--model", "acme/eye")
    assert (result.exit_code, result.stdout.strip()) == (0, str(path))
    log = read_eval_log(str(path))
    assert log.eval.model == "acme/eye"
    assert all("Question:" in str(sample.input) for sample in log.samples or ())
    assert all(sample.target == "" for sample in log.samples or ())
    run("export", saved, "--to", "inspect", "-o", tmp_path / "refs.eval", "--with-references")
    shown = read_eval_log(str(tmp_path / "refs.eval"))
    assert all(sample.target for sample in shown.samples or ())


def test_options_reach_the_file(saved: Path, tmp_path: Path) -> None:
    hub, record = tmp_path / "run.yaml", tmp_path / "run.json"
    on_hub = (
        *("--dataset", "acme/screens", "--set", "dataset_task=short"),
        *("--set", "source=https://a.example", "--set", "date=2026-01-02"),
    )
    result = run("export", saved, "--to", "eval_results", "-o", hub, *on_hub)
    assert result.exit_code == 0
    (entry,) = yaml.safe_load(hub.read_text("utf-8"))
    assert entry["dataset"] == {"id": "acme/screens", "task_id": "short"}
    assert (entry["date"], entry["source"]) == (
        "2026-01-02T00:00:00+00:00",
        {"url": "https://a.example"},
    )
    who = (
        *("--model", "acme/eye", "--set", "organization=Acme"),
        *("--set", "relationship=first_party"),
    )
    assert run("export", saved, "--to", "every_eval_ever", "-o", record, *who).exit_code == 0
    source = json.loads(record.read_text("utf-8"))["source_metadata"]
    assert source["source_organization_name"] == "Acme"
    assert source["evaluator_relationship"] == "first_party"
    wrong = ("--to", "every_eval_ever", "-o", record, "--set", "relationship=friend")
    refused = run("export", saved, *wrong)
    assert refused.exit_code == 2
    assert "Input should be 'first_party', 'third_party'" in refused.stderr


def test_a_pack_becomes_a_task_of_harbor(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(exam_folder("wireframes"), pack)
    refused = run("export", pack, "--to", "harbor", "-o", tmp_path / "task")
    assert refused.exit_code == 2
    assert "--with-references" in refused.stderr
    asked = ("--with-references", "--set", "organization=acme")
    result = run("export", pack, "--to", "harbor", "-o", tmp_path / "task", *asked)
    assert result.exit_code == 0
    assert "acme/wireframes: 12 items, 10 images, its references readable" in result.stdout
    assert (tmp_path / "task" / "task.toml").is_file()
    inside = run("export", pack, "--to", "harbor", "-o", pack / "task", *asked)
    assert inside.exit_code == 2


def test_a_format_of_the_other_kind_is_refused_with_those_that_fit(
    saved: Path, tmp_path: Path
) -> None:
    of_report = run("export", saved, "--to", "harbor", "-o", tmp_path / "x")
    assert of_report.exit_code == 2
    fitting = "a report can be exported to one of inspect, eval_results, every_eval_ever"
    assert fitting in of_report.stderr
    assert run("export", saved, "-o", tmp_path / "x.json").exit_code == 2
    of_pack = run("export", exam_folder("wireframes"), "--to", "inspect", "-o", tmp_path / "x.eval")
    assert of_pack.exit_code == 2
    assert "a pack can be exported to one of chats, harbor" in of_pack.stderr
    assert run("export", tmp_path / "none", "--to", "inspect", "-o", "x.eval").exit_code == 2

"""`snellen demo`: the baseline agent takes the included exam, over a real connection."""

import json
import os
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import frozen_demo
import pytest
import stored
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.cli.serving import settings_of
from snellen.demo.run import DemoOptions, exam_file, run_demo
from snellen.grading.errors import SnellenError
from snellen.tasks.samples import DEFAULT, baselines, exam_folder


def run(*options: str) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["demo", *options])


@pytest.fixture(scope="module", autouse=True)
def path() -> Iterator[None]:
    """Let the server that is started find the package as the tests do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(entry for entry in sys.path if entry))
        yield


@pytest.fixture(scope="module")
def sat(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """Sit the sample once; later runs of the same seed find its pictures read."""
    pytest.importorskip("rapidocr")
    output = tmp_path_factory.mktemp("demo") / "out"
    return run("--output", str(output), "--no-open"), output


class Pictures(HTMLParser):
    """Counts the pictures, scripts and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("img", "script", "link"):
            self.seen.append(f"{tag} {(given.get('src') or given.get('href') or '')[:15]}")


@pytest.mark.thorough
@pytest.mark.slow
def test_the_sample_is_sat_and_reported(sat: tuple[Result, Path]) -> None:
    result, output = sat
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads((output / "report.json").read_text("utf-8"))
    tasks = found["report"]["tasks"]
    assert 0 < len(found["steps"]) == sum(task["items"] for task in tasks)
    # Where no terminal is, each item has a line.
    told = [line.split("  ")[1] for line in result.stderr.splitlines() if " of " in line]
    assert sorted(told) == sorted(step["task"] for step in found["steps"])
    assert found["report"]["contexts"] == "fresh"
    assert found["report"]["model"].startswith("snellen-baseline-")
    answered = [step for step in found["steps"] if step["answer"] is not None]
    assert len(answered) == sum(task["answered"] for task in tasks)
    assert [task["items"] for task in found["blind_report"]["tasks"]] == [
        task["items"] for task in tasks
    ]
    stored = baselines()[DEFAULT]["tasks"]
    scores = {task["task"]: (task["items"], round(task["value"], 4)) for task in tasks}
    assert scores == {task: (row["items"], row["value"]) for task, row in stored.items()}
    benchmarks = {task["task"].split("/")[0] for task in tasks}
    rows = [line.split() for line in result.stdout.splitlines()]
    assert benchmarks <= {row[0] for row in rows if row}
    page = Pictures()
    page.feed((output / "report.html").read_text("utf-8"))
    assert page.seen == ["img data:image/webp"] * len(found["steps"])


@pytest.mark.thorough
@pytest.mark.slow
def test_the_baseline_agent_has_the_frozen_scores(sat: tuple[Result, Path]) -> None:
    _, output = sat
    present = frozen_demo.scores_in(output / "report.json")
    assert not (found := stored.differences("demo", present)), found


@pytest.mark.thorough
@pytest.mark.slow
def test_the_same_seed_is_the_same_demonstration(sat: tuple[Result, Path], tmp_path: Path) -> None:
    _, output = sat
    assert run("--no-open", "-o", str(tmp_path)).exit_code == 0
    first, second = (
        json.loads((folder / "report.json").read_text("utf-8")) for folder in (output, tmp_path)
    )
    assert [(step["prompt"], step["answer"]) for step in second["steps"]] == [
        (step["prompt"], step["answer"]) for step in first["steps"]
    ]


def test_an_exam_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    result = run("smaple", "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert "no included exam 'smaple'; the included ones are sample, sample-full" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_pack_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    with pytest.raises(SnellenError, match="nowhere"):
        run_demo(DemoOptions(pack=tmp_path / "nowhere"))


def test_a_server_that_is_not_there_is_named() -> None:
    pytest.importorskip("rapidocr")
    url = "http://127.0.0.1:9/mcp"
    with pytest.raises(SnellenError, match=url):
        run_demo(DemoOptions(url=url))


def test_without_the_extra_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    result = run("-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert "pip install 'snellen[demo]'" in result.stderr


def test_its_exam_is_the_default_of_every_command(tmp_path: Path) -> None:
    file = tmp_path / "exam.toml"
    file.write_text(exam_file(DemoOptions()))
    settings = settings_of([file], None, str(tmp_path / "store"), None)
    assert settings.packs == (exam_folder(DEFAULT),)

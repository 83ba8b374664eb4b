"""`snellen report --tables`, called as a shell would call it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from snellen import sdk
from snellen.cli.app import app


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["report", "--tables", *map(str, arguments)]
    )


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    ids = [f"{pair}/{state}" for pair in "abcd" for state in ("before", "after")]
    tags = {one: {"pair": one[0], "state": one[2:], "site": one[0]} for one in ids}
    answers = [
        {"item_id": one, "response": "Buy" if number < 5 else "Menu", "model": "m"}
        for number, one in enumerate(ids)
    ]
    report = sdk.grade(
        answers, task="webrssbench/color", references=dict.fromkeys(ids, "Buy"), tags=tags
    )
    return report.save(tmp_path / "color.json")


def test_it_prints_the_tables_of_the_paper(saved: Path) -> None:
    result = run(saved)
    assert result.exit_code == 0
    assert "accuracy before and after" in result.stdout
    assert "Which answers broke" in result.stdout
    assert "beside published results" not in result.stdout


def test_beside_sets_the_numbers_among_published_ones(saved: Path) -> None:
    result = run(saved, "--beside")
    assert result.exit_code == 0
    assert "webrssbench/color, beside published results" in result.stdout
    assert "Qwen2.5-VL-72B 76.8" in result.stdout


def test_it_saves_json_with_the_numbers_and_markdown_to_read(saved: Path, tmp_path: Path) -> None:
    result = run(saved, "--beside", "-o", tmp_path / "s.json", "-o", tmp_path / "s.md")
    assert result.exit_code == 0
    told = json.loads((tmp_path / "s.json").read_bytes())
    (summary,) = told["summaries"]
    values = {(one["metric"], one["part"]): one["value"] for one in summary["values"]}
    assert (values["accuracy", "before"], values["accuracy", "after"]) == (0.75, 0.5)
    assert told["published"][0]["rows"][0]["this run"] == 0.75
    text = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert text.startswith("## accuracy before and after\n")
    assert "| pooled | 75.00 | 50.00 |" in text


def test_what_can_not_be_done_is_told_before_any_work(saved: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ((saved, "-o", "s.txt"), "can't save a summary as '.txt'; use one of .json, .md"),
        ((saved, "-o", tmp_path / "no" / "s.md"), "the folder to save it in does not exist"),
        ((saved, saved), "two reports are of webrssbench/color: give one"),
        ((tmp_path / "none.json",), "can't read it"),
        ((saved, "--json"), "--tables accepts only --beside, --set"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert message in result.stderr
    for wrong, message in (
        ("limit=0", "limit=0: Input should be greater than or equal to 1"),
        ("missing=none at all", "Input should be 'skip' or 'zero'"),
        ("steps=15", "Known: limit, missing, reading"),
    ):
        result = run(saved, "--set", wrong)
        assert result.exit_code == 2
        assert message in result.stderr
    assert run(saved, "--set", "limit=15", "--set", "reading=exact").exit_code == 0
    result = CliRunner().invoke(app, ["report", str(saved), str(saved)])
    assert result.exit_code == 2
    assert "need --tables" in result.stderr

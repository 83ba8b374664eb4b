"""Planning and sampling, called as a shell would call them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from snellen import sdk
from snellen.cli.app import app

WORDS = {"How many": 12, "What": 30, "Where": 6}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = [
        {
            "image_id": 10 * place + number // 3,
            "question": f"{word} {number}?",
            "ground_truth": ["12"],
        }
        for place, (word, count) in enumerate(WORDS.items())
        for number in range(count)
    ]
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers" / "test.json").write_text(json.dumps(data))
    rows = [
        {"item_id": f"test/{row['image_id']}/{place % 3}", "response": "12" if place % 4 else "no"}
        for place, row in enumerate(data)
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    filled = [argument.replace("@", str(folder)) for argument in arguments]
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, filled)


GRADE = ("grade", "@/answers.jsonl", "--task", "screenqa/short", "--data", "@")


def test_grade_takes_a_saved_sample_for_items(folder: Path) -> None:
    data = sdk.load("screenqa/short", folder)
    sample = sdk.stratify(data, by="question_word", core=["where"], n=14, seed=7)
    sample.save(folder / "s.json")
    graded = run(folder, *GRADE, "--items", "@/s.json", "-o", "@/r.json", "-o", "@/r.md")
    assert graded.exit_code == 0, graded.output
    assert "A sample of 20 of 48 items, drawn by question_word" in graded.stdout
    assert f"sample:sha256:{sample.sha256[:16]}" in graded.stdout
    assert "over all items, %" in (folder / "r.md").read_text()
    assert "A sample of 20 of 48 items" in run(folder, "report", "@/r.json").stdout


def test_items_that_are_json_and_no_sample_are_refused(folder: Path) -> None:
    (folder / "x.json").write_text('{"ids": []}')
    result = run(folder, *GRADE, "--items", "@/x.json")
    assert result.exit_code == 2
    assert "it is not a sample of items" in result.stderr


def test_two_tags_are_crossed_with_totals_and_intervals(folder: Path) -> None:
    result = run(folder, *GRADE, "--by", "question_word, no_answer", "--cluster", "item")
    assert result.exit_code == 0, result.output
    assert "question_word x no_answer" in result.stdout
    assert "n 48" in result.stdout


def test_two_tags_with_many_values_are_listed(folder: Path) -> None:
    result = run(folder, *GRADE, "--by", "question_word,image_id")
    assert result.exit_code == 0, result.output
    assert "what x 10" in result.stdout


def test_plan_says_how_many_items_each_question_needs(folder: Path) -> None:
    result = run(folder, "plan", "--half-width", "3", "--difference", "3", "--score", "70")
    assert result.exit_code == 0
    assert "894" in result.stdout
    assert "1,834 items: each score is known to +-2.10 points" in result.stdout
    assert "80 % of differences of 3.00 points are found" in result.stdout
    assert "3,668 answers of 2 models" in result.stdout


def test_plan_counts_models_attempts_and_tokens(folder: Path) -> None:
    result = run(
        folder, "plan", "--n", "400", "--models", "3", "--attempts", "2", "--tokens", "1500",
        "--price", "2",
    )  # fmt: skip
    assert "3 pairs, corrected" in result.stdout
    assert "2,400 answers of 3 models, 3,600,000 tokens, 7.20 at that price" in result.stdout
    assert "answers of 1 model\n" in run(folder, "plan", "--n", "40", "--models", "1").stdout


def test_plan_says_when_all_items_are_not_enough(folder: Path) -> None:
    result = run(folder, "plan", "--difference", "1", "--set", "population=500")
    assert "There are fewer items than that" in result.stdout
    assert "500 items: each score is known to +-0.00 points" in result.stdout


def test_plan_takes_assumptions(folder: Path) -> None:
    assumed = ("cluster_size=3.4", "icc=0.15", "correlation=0.2", "power=0.9", "level=0.9")
    options = [word for setting in assumed for word in ("--set", setting)]
    result = run(folder, "plan", "--difference", "3", *options)
    assert result.exit_code == 0
    assert "90 % of differences of 3.00 points are found" in result.stdout
    for wrong, message in (
        ("icc=2", "the intraclass correlation must lie in 0..1"),
        ("power=1", "power=1: Input should be less than 1"),
        ("size=3", "no setting of --set 'size'"),
    ):
        refused = run(folder, "plan", "--n", "40", "--set", wrong)
        assert refused.exit_code == 2
        assert message in refused.stderr


def test_plan_without_a_question_says_what_to_ask(folder: Path) -> None:
    result = run(folder, "plan")
    assert result.exit_code == 2
    assert "give a half width" in result.stderr

"""Exams that are generated: `snellen pack episodes`, and what is registered."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.tasks.benchmarks.table import benchmark_of
from snellen.tasks.samples.generated import generated_exam, generated_names
from snellen.worlds.desk.templates.table import LONG_TEMPLATES, TEMPLATES


def run(folder: Path, *arguments: str) -> Result:
    filled = [argument.replace("@/", f"{folder}/") for argument in arguments]
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, filled)


def test_every_exam_has_the_number_of_tasks_that_it_is_listed_with() -> None:
    exams = {name: generated_exam(name) for name in generated_names()}
    assert exams["desk"].tasks == len(TEMPLATES)
    assert exams["desk-long"].tasks == len(LONG_TEMPLATES)
    assert all(benchmark_of(exam.environment).tasks for exam in exams.values())


def test_tasks_come_in_several_looks_and_a_report_compares_them(tmp_path: Path) -> None:
    made = ("pack", "episodes", "desk", "--seed", "7", "-o", "@/pack", "--n")
    assert run(tmp_path, *made, "14x2").exit_code == 0
    read = (tmp_path / "pack/references.jsonl").read_text()
    lines = [json.loads(line) for line in read.splitlines()]
    looks = {line["item_id"]: line["tags"]["look"] for line in lines if "item_id" in line}
    assert len(looks) == 28
    first, second = sorted(set(looks.values()))
    rows = [
        # As the reference in the first look, and nothing done in the second one.
        {"item_id": line["item_id"], "response": {"status": "done", "cost": 1, **done(line, first)}}
        for line in lines
        if line.get("task") == "desk/l3" and "item_id" in line
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    grade = ("grade", "@/answers.jsonl", "--task", "desk/l3", "--data", "@/pack", "--json")
    found = json.loads(run(tmp_path, *grade, "--by", "look").stdout)
    cells = {cell["name"]: cell["estimate"]["value"] for cell in found["by"][0]["cells"]}
    assert cells[first] > 0.8
    assert cells[second] == 0


def test_an_exam_of_long_tasks_has_one_task_and_comes_in_looks(tmp_path: Path) -> None:
    made = run(
        tmp_path, "pack", "episodes", "desk-long", "-o", "@/pack", "--seed", "7", "--n", "1x2"
    )
    assert made.exit_code == 0, made.stderr
    lines = (tmp_path / "pack/references.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    tags = [line["tags"] for line in found if line.get("task") == "desk/l4" and "item_id" in line]
    assert len({each["look"] for each in tags}) == 2
    assert {each["template"] for each in tags} <= set(LONG_TEMPLATES)


def done(line: dict[str, Any], look: str) -> dict[str, Any]:
    gold = line["gold"]
    if line["tags"]["look"] != look:
        return {"changes": {}}
    return {"changes": gold.get("changes", {}), "answer": gold.get("answer")}


@pytest.mark.parametrize(
    ("what", "number", "message"),
    [
        ("desk", "0", "--n is a number such as 20, or 20x3 for 3 looks, not '0'"),
        ("desk", "3x0", "not '3x0'"),
        ("desk", "many", "not 'many'"),
        ("miniwob", "3x2", "miniwob has one look; desk has several"),
    ],
)
def test_a_number_of_tasks_or_looks_that_can_not_be_is_refused(
    what: str, number: str, message: str, tmp_path: Path
) -> None:
    refused = run(tmp_path, "pack", "episodes", what, "-o", "@/pack", "--n", number)
    assert refused.exit_code == 2
    assert message in " ".join(refused.stderr.split())
    assert not (tmp_path / "pack").exists()

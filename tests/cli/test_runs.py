"""`snellen compare`, `report` and `grade`, called as a shell would call them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from snellen import sdk
from snellen.cli.app import app

ROWS = [
    {"image_id": image, "question": f"What is {number}?", "ground_truth": [str(number)]}
    for image in range(20)
    for number in range(2)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two saved reports: `good.json`, all right, and `poor.json`, right on every third item."""
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers" / "test.json").write_text(json.dumps(ROWS))
    for name, kept in (("good", 1), ("poor", 3)):
        answers = [
            {"item_id": f"test/{image}/{number}", "response": str(number)}
            for image in range(20)
            for number in range(2)
            if (2 * image + number) % kept == 0
        ]
        report = sdk.grade(answers, task="screenqa/short", data=tmp_path)
        report.save(tmp_path / f"{name}.json")
    lines = [f"{image},{'web' if image % 2 else 'ios'}" for image in range(20)]
    (tmp_path / "tags.csv").write_text("\n".join(["image_id,platform", *lines]))
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    filled = [argument.replace("@", str(folder)) for argument in arguments]
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, filled)


def test_compare_says_which_run_is_better_and_on_which_items(folder: Path) -> None:
    result = run(folder, "compare", "@/poor.json", "@/good.json", "--show", "3")
    assert result.exit_code == 0
    assert "good is better than poor: +65.00 points" in result.stdout
    assert (
        "40 items in 20 independent groups by image_id: 26 gained, 0 lost, 14 equal"
        in result.stdout
    )
    assert result.stdout.count("gained  test/") == 3
    assert "the first run lacks 26 response(s)" in result.stdout


def test_compare_sets_runs_beside_each_other_by_a_tag(folder: Path) -> None:
    result = run(folder, "compare", "@/poor.json", "@/good.json", "--by", "image_id")
    assert result.exit_code == 0
    (row,) = (line for line in result.stdout.splitlines() if line.split()[:2] == ["0", "2"])
    assert row.split() == ["0", "2", "50.00", "100.00", "+50.00", "1", "0"]


def test_compare_saves_what_it_found(folder: Path) -> None:
    files = ("-o", "@/c.json", "-o", "@/c.csv", "-o", "@/c.md")
    assert run(folder, "compare", "@/poor.json", "@/good.json", *files).exit_code == 0
    assert len(json.loads((folder / "c.json").read_bytes())[0]["changes"]) == 26
    assert len((folder / "c.csv").read_text().splitlines()) == 27
    assert "good is better than poor" in (folder / "c.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("@/good.json",), "two or more"),
        (("@/good.json", "@/tags.csv"), "tags.csv"),
        (("@/good.json", "@/poor.json", "--baseline", "best"), "'best'"),
        (("@/good.json", "@/poor.json", "--metric", "accuracy"), "exact_match"),
        (("@/good.json", "@/poor.json", "-o", "@/c.txt"), ".json, .csv, .md"),
    ],
)
def test_compare_stops_with_an_error_that_says_why(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = run(folder, "compare", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_report_prints_a_saved_report_as_grade_did(folder: Path) -> None:
    result = run(folder, "report", "@/poor.json")
    assert result.exit_code == 0
    assert "35.00" in result.stdout
    assert "26 missing" in result.stdout


def test_report_breaks_a_saved_report_down_by_tags_from_a_file(folder: Path) -> None:
    result = run(folder, "report", "@/good.json", "--tags", "@/tags.csv", "--by", "platform")
    assert result.exit_code == 0
    assert [
        line.split()[:2] for line in result.stdout.splitlines() if line.startswith(("ios", "web"))
    ] == [
        ["ios", "100.00"],
        ["web", "100.00"],
    ]
    assert "joined by image_id: 40 of 40 items" in result.stdout


def test_report_reads_without_its_data_what_does_not_need_it(folder: Path) -> None:
    (folder / "short_answers" / "test.json").unlink()
    result = run(folder, "report", "@/good.json", "--by", "question_word", "-o", "@/page.html")
    assert result.exit_code == 0
    assert "what" in result.stdout
    assert "<!doctype html>" in (folder / "page.html").read_text(encoding="utf-8").lower()


def test_report_makes_a_page_with_references_only_when_asked(folder: Path) -> None:
    pytest.importorskip("altair")
    for name, more in (("without", ()), ("with", ("--with-references",))):
        result = run(folder, "report", "@/poor.json", "-o", f"@/{name}.html", *more)
        assert result.exit_code == 0
    pages = [(folder / f"{name}.html").read_text(encoding="utf-8") for name in ("without", "with")]
    assert "What is 1?" in pages[0]
    assert len(pages[1]) > len(pages[0])


def test_report_clusters_as_it_is_told(folder: Path) -> None:
    alone = run(folder, "report", "@/poor.json", "--cluster", "item", "--json")
    assert json.loads(alone.stdout)["numbers"]["estimates"]["f1"]["clusters"] == 40
    unknown = run(folder, "report", "@/poor.json", "--cluster", "screen")
    assert unknown.exit_code == 2
    assert "image_id" in unknown.stderr


def test_grade_takes_tags_and_prints_breakdowns_too(folder: Path) -> None:
    (folder / "answers.jsonl").write_text('{"item_id": "test/0/0", "response": "0"}\n')
    options = ("--task", "screenqa/short", "--data", "@", "--tags", "@/tags.csv")
    result = run(folder, "grade", "@/answers.jsonl", *options, "--by", "platform,no_answer")
    assert result.exit_code == 0
    assert "platform x no_answer" in result.stdout


def test_the_printed_report_says_what_its_intervals_take_as_independent(folder: Path) -> None:
    stated = "intervals: 40 items in 20 independent groups by image_id"
    assert stated in run(folder, "report", "@/poor.json").stdout
    alone = run(folder, "report", "@/poor.json", "--cluster", "item", "-o", "@/r.md")
    assert "intervals: 40 independent items" in alone.stdout
    assert "Intervals: 40 independent items." in (folder / "r.md").read_text()


def test_breakdowns_are_in_the_json_too(folder: Path) -> None:
    options = ("--by", "question_word, no_answer", "--least", "1", "--json")
    told = json.loads(run(folder, "report", "@/poor.json", *options).stdout)
    assert [cell["name"] for cell in told["by"][0]["cells"]] == ["what x none"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "@/good.json", "--with-references"), "-o NAME.html"),
        (("report", "@/good.json", "-o", "@/none/r.md"), "the folder to save it in does not exist"),
        (
            ("compare", "@/good.json", "@/poor.json", "-o", "@/none/c.md"),
            "the folder to save it in does not exist",
        ),
    ],
)
def test_what_could_not_be_saved_is_refused_before_any_work(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = run(folder, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout


def test_runs_whose_verdicts_are_stored_are_compared_as_they_are(tmp_path: Path) -> None:
    for name, scores in (("gpt-4.1", (1, 0, 1)), ("qwen", (0, 0, 1))):
        for task, score in enumerate(scores):
            folder = tmp_path / name / "chrome" / str(task)
            folder.mkdir(parents=True)
            (folder / "result.txt").write_text(f"{score}.0")
    both = run(tmp_path, "compare", "@/gpt-4.1", "@/qwen")
    assert both.exit_code == 0, both.output
    assert "3 items: 0 gained, 1 lost, 2 equal" in both.stdout
    saved = run(tmp_path, "grade", "@/qwen", "-o", "@/qwen.json")
    assert saved.exit_code == 0, saved.output
    mixed = run(tmp_path, "compare", "@/gpt-4.1", "@/qwen.json")
    assert "3 items: 0 gained, 1 lost, 2 equal" in mixed.stdout
    neither = run(tmp_path, "compare", "@/qwen.json", "@")
    assert neither.exit_code == 2

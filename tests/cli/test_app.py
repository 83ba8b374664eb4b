"""The command line, called as a shell would call it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner, Result

from snellen.cli.app import COMMANDS, app
from snellen.cli.options import settings_of
from snellen.grading.errors import InputError

DATA = [
    {"image_id": 5, "question": "How many exercises?", "ground_truth": ["12 exercises", "12"]},
    {"image_id": 5, "question": "Which mode?", "ground_truth": ["rest", "<no answer>"]},
    {"image_id": 9, "question": "What price?", "ground_truth": ["$4"]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers" / "test.json").write_text(json.dumps(DATA))
    rows = [
        {"item_id": "test/5/0", "response": "12"},
        {"item_id": "test/5/1", "response": "No answer"},
        {"item_id": "test/9/0", "response": "$4"},
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    filled = [argument.replace("@", str(folder)) for argument in arguments]
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, filled)


GRADE = ("grade", "@/answers.jsonl", "--task", "screenqa/short", "--data", "@")


def test_grade_takes_other_names_and_says_so(folder: Path) -> None:
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        row["prediction"], row["answer"] = row.pop("response", None), "wrong"
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "other.jsonl").write_text(text, encoding="utf-8")
    other = ("grade", "@/other.jsonl", *GRADE[2:])
    unread = run(folder, *other)
    assert "--map prediction=response" in unread.output
    mapped = run(folder, *other, "--map", "prediction=response", "--json")
    expected = json.loads(run(folder, *GRADE, "--json").stdout)
    assert json.loads(mapped.stdout)["numbers"] == expected["numbers"]
    (folder / "other.jsonl").write_text(text.replace("item_id", "id"), encoding="utf-8")
    guessed = run(folder, *other, "--map", "prediction=response")
    assert "'id' was read as item_id" in guessed.output
    refused = run(folder, *GRADE, "--map", "prediction")
    assert refused.exit_code == 2
    assert "--map takes COLUMN=FIELD" in refused.output


def test_grade_prints_the_metrics_the_outcomes_and_the_signature(folder: Path) -> None:
    result = run(folder, *GRADE)
    assert result.exit_code == 0
    assert "66.67" in result.stdout
    assert "3 items: 3 answered" in result.stdout
    assert "screenqa/short|data:" in result.stdout


def test_grade_prints_json_for_machines(folder: Path) -> None:
    result = run(folder, *GRADE, "--json", "--protocol", "robust")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["provenance"]["protocol"] == "robust"
    assert report["numbers"]["metrics"]["f1"]["value"] == 1.0


@pytest.mark.slow
def test_grade_saves_in_every_form_asked_for(folder: Path) -> None:
    result = run(folder, *GRADE, "-o", "@/r.json", "-o", "@/r.csv", "-o", "@/r.md")
    assert result.exit_code == 0
    assert all((folder / name).stat().st_size for name in ("r.json", "r.csv", "r.md"))


def test_grade_takes_a_file_of_item_ids(folder: Path) -> None:
    (folder / "ids.txt").write_text("test/5/0\n\n")
    result = run(folder, *GRADE, "--items", "@/ids.txt", "--json")
    report = json.loads(result.stdout)
    assert (report["provenance"]["items"], report["input"]["not_selected"]) == (1, 2)
    missing = run(folder, *GRADE, "--items", "@/nowhere.txt")
    assert missing.exit_code == 2
    assert "can't read the item ids" in missing.stderr


def test_bad_lines_are_told_on_standard_error_with_status_1(folder: Path) -> None:
    with (folder / "answers.jsonl").open("a") as file:
        file.write('{"item_id": "test/77/0", "response": "?"}\n{broken\n')
    result = run(folder, *GRADE)
    assert result.exit_code == 1
    assert "66.67" in result.stdout
    assert "line 4" in result.stderr
    assert "line 5" in result.stderr


def test_what_can_not_be_graded_ends_with_status_2_and_nothing_written(folder: Path) -> None:
    (folder / "answers.jsonl").write_text('{"item_id": "a/b/c", "response": "?"}\n')
    result = run(folder, *GRADE, "-o", "@/r.json")
    assert result.exit_code == 2
    assert "none of the 1 item ids" in result.stderr
    assert not (folder / "r.json").exists()


def test_an_unknown_protocol_is_named_with_the_nearest(folder: Path) -> None:
    result = run(folder, *GRADE, "--protocol", "robots")
    assert result.exit_code == 2
    assert "did you mean 'robust'" in result.stderr


def test_what_could_not_be_saved_is_refused_before_any_work(folder: Path) -> None:
    result = run(folder, *GRADE, "-o", "@/r.json", "-o", "@/r.xlsx")
    assert result.exit_code == 2
    assert ".json, .csv, .md" in result.stderr
    assert not (folder / "r.json").exists()
    nowhere = run(folder, *GRADE, "-o", "@/no/r.json")
    assert (nowhere.exit_code, nowhere.stdout) == (2, "")
    assert "the folder to save it in does not exist" in nowhere.stderr


def test_a_response_of_the_wrong_type_is_told_with_status_1(folder: Path) -> None:
    with (folder / "answers.jsonl").open("w") as file:
        file.write('{"item_id": "test/5/0", "response": "12"}\n')
        file.write('{"item_id": "test/9/0", "response": {"n": 4}}\n')
    result = run(folder, *GRADE)
    assert result.exit_code == 1
    assert "1 unparsed" in result.stdout
    assert "line 2, field 'response': expected text, got dict" in result.stderr


def test_explain_refuses_a_metric_that_no_protocol_has(folder: Path) -> None:
    asked = ("explain", "@/answers.jsonl", "--task", "screenqa/short", "--data", "@")
    result = run(folder, *asked, "--metric", "zz")
    assert result.exit_code == 2
    assert "'zz'" in result.stderr
    alone = run(folder, *asked, "--protocols", "official")
    assert alone.exit_code == 2
    skipped = run(folder, *asked, "--metric", "exact_match", "--protocols", "official,multiui")
    assert "multiui has no exact_match" in skipped.stdout


def test_the_version_can_be_asked_for(folder: Path) -> None:
    assert run(folder, "--version").stdout.startswith("snellen 0.")


def test_the_version_alone_imports_no_command() -> None:
    code = (
        "import sys; sys.argv = ['snellen', '--version']\n"
        "from snellen.cli import main; main()\n"
        "print(sorted({'numpy', 'typer', 'snellen.cli.app'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, imported = done.stdout.splitlines()
    assert first.startswith("snellen 0.")
    assert imported == "[]"


def test_grade_needs_nothing_but_the_saved_report(folder: Path) -> None:
    run(folder, *GRADE, "-o", "@/r.json")
    result = run(folder, "grade", "@/r.json", "--protocol", "robust", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["numbers"]["metrics"]["f1"]["value"] == 1.0


def test_a_saved_report_is_graded_again_from_any_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    graded = run(
        folder, "grade", "answers.jsonl", "--task", "screenqa/short", "--data", ".", "-o", "r.json"
    )
    assert graded.exit_code == 0
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run(folder, "grade", "@/r.json").exit_code == 0
    gone = run(folder, "grade", "@/nowhere.json")
    assert gone.exit_code == 2
    assert "nowhere.json: there is no such file" in gone.stderr
    chosen = run(folder, "grade", "@/r.json", "--items", "@/ids.txt")
    assert chosen.exit_code == 2
    assert "a saved report allows no --points, --items, --map" in chosen.stderr
    other = run(folder, "grade", "@/r.json", "--task", "screenqa/long")
    assert "the report is of screenqa/short, not of screenqa/long" in other.stderr
    by_image = run(folder, "grade", "@/r.json", "--cluster", "item", "--by", "image_id")
    assert by_image.exit_code == 0
    assert "independent items" in by_image.stdout


def test_grade_needs_a_task_for_answers_that_state_none(folder: Path) -> None:
    result = run(folder, "grade", "@/answers.jsonl", "--data", "@")
    assert result.exit_code == 2
    assert "task" in result.stderr


def test_explain_shares_the_difference_out_among_the_four_parts(folder: Path) -> None:
    result = run(
        folder,
        *("explain", "@/answers.jsonl", "--task", "screenqa/short", "--data", "@"),
        *("--protocols", "official,robust"),
    )
    assert result.exit_code == 0
    assert "official@1 -> robust@3" in result.stdout
    assert "difference +33.3333" in result.stdout
    assert re.search(r"parser +\+33\.3333 +text as given -> text; any spelling", result.stdout)
    assert "residual" in result.stdout
    assert "test/5/1: 0.0000 -> 1.0000" in result.stdout


def test_benchmarks_lists_everything_or_the_protocols_of_a_task(folder: Path) -> None:
    listed = run(folder, "benchmarks").stdout
    assert "ui_contents_boxes" in listed
    assert "l2_advanced" in listed
    assert "matrix" in listed
    several = run(folder, "benchmarks", "screenqa").stdout
    assert "screenqa/complex" in several
    assert "official@1 (default)" in several
    one = run(folder, "benchmarks", "screenqa/short").stdout
    assert "official@1 (default)" in one
    assert "multiui@1" in one
    assert "webqa" not in one
    assert run(folder, "benchmarks", "screenqa/none").exit_code == 2


def test_doctor_says_what_is_there_and_how_to_get_the_rest(folder: Path) -> None:
    result = run(folder, "doctor")
    assert result.exit_code == 0
    assert "pyarrow (parquet files)" in result.stdout
    assert "isolation for candidate code" in result.stdout
    assert "a browser (building exams from pages)" in result.stdout


def test_no_command_at_all_shows_the_help(folder: Path) -> None:
    assert "explain" in run(folder).output


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_sentence_of_each_help(name: str) -> None:
    group: Any = typer.main.get_command(app)
    whole = " ".join(group.commands[name].help.split("\n\n")[0].split())
    assert COMMANDS[name].help == whole


@pytest.mark.slow
def test_listing_the_commands_imports_nothing_that_does_the_work() -> None:
    code = "import sys; sys.argv = ['snellen', '--help']\nfrom snellen.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Grade a file of answers." in done.stdout
    loaded = set(done.stderr.split())
    # Plugins' commands are imported for their first sentence.
    assert {"snellen.cli.grade", "snellen.cli.host"}.isdisjoint(loaded)
    assert {"numpy", "scipy", "sqlalchemy", "mcp", "jinja2"}.isdisjoint(loaded)


@pytest.mark.slow
def test_the_help_of_no_command_imports_what_does_the_work() -> None:
    code = (
        "import sys, typer.main\n"
        "from typer.testing import CliRunner\n"
        "from snellen.cli.app import app\n"
        "for name, command in typer.main.get_command(app).commands.items():\n"
        "    for inner in getattr(command, 'commands', ['']):\n"
        "        asked = [*f'{name} {inner}'.split(), '--help']\n"
        "        assert CliRunner().invoke(app, asked).exit_code == 0, asked\n"
        "heavy = {'numpy', 'scipy', 'PIL', 'sqlalchemy', 'mcp', 'fastapi', 'nltk'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def names() -> set[str]:
    """Return the whole names of all commands."""
    group: Any = typer.main.get_command(app)
    return {
        f"{name} {inner}".strip()
        for name, command in group.commands.items()
        for inner in getattr(command, "commands", [""])
    }


def test_a_setting_is_read_as_its_type() -> None:
    known = {"count": int, "share": float | None, "on": bool, "extra": dict[str, int], "text": str}
    given = ["count=3", "share=none", "on=no", 'extra={"a": 1}', "text=a=b"]
    expected = {"count": 3, "share": None, "on": False, "extra": {"a": 1}, "text": "a=b"}
    assert settings_of(given, known) == expected
    for wrong, message in (
        ("count", "--set takes KEY=VALUE, not 'count'; KEY: count, share"),
        ("cuont=3", "no setting of --set 'cuont'; did you mean 'count'? Known: count, share"),
        ("count=many", "--set count=many: Input should be a valid integer"),
        ("count=none", "--set count=none: Input should be a valid integer"),
        ("extra=[", "--set extra=[: Invalid JSON"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            settings_of([wrong], known)


def test_a_file_of_which_nothing_can_be_graded_has_each_faulty_line_named_up_to_twenty(
    folder: Path,
) -> None:
    (folder / "bad.jsonl").write_text('{"item_id": 5}\n' * 22)
    done = run(folder, "grade", "@/bad.jsonl", "--task", "screenqa/short", "--data", "@")
    assert done.exit_code == 2
    first, *lines, last = done.stderr.splitlines()
    assert "no submission could be read; the first of 22 problems: item_id is the number" in first
    assert [line.partition(", field 'item_id': ")[0] for line in lines] == [
        f"  line {number}" for number in range(1, 21)
    ]
    assert last == "  and 2 more"


SAMPLE = str(Path(__file__).parents[2] / "examples" / "sample_answers.jsonl")


@pytest.mark.slow
def test_an_exams_file_is_graded_by_the_exams_name_as_it_is_uploaded(folder: Path) -> None:
    whole = run(folder, "grade", SAMPLE, "--data", "sample")
    assert (whole.exit_code, whole.stderr) == (0, "")
    lines = whole.stdout.splitlines()
    assert len(lines) == 30
    assert lines[-1].startswith("mean over tasks")
    one = run(folder, "grade", SAMPLE, "--data", "sample", "--task", "webrssbench/layout", "--json")
    value = json.loads(one.stdout)["numbers"]["metrics"]["similarity"]["value"]
    (row,) = [line for line in lines if line.startswith("webrssbench/layout")]
    assert (one.exit_code, f" {100 * value:.2f} " in row) == (0, True)


@pytest.mark.parametrize("option", [("--json",), ("--by", "a"), ("--protocol", "official")])
def test_what_is_of_one_report_needs_one_task(folder: Path, option: tuple[str, ...]) -> None:
    found = run(folder, "grade", SAMPLE, "--data", "sample", *option)
    assert (found.exit_code, "need one --task" in found.stderr) == (2, True)


def test_a_file_that_names_one_task_needs_no_option(folder: Path) -> None:
    lines = Path(SAMPLE).read_text(encoding="utf-8").splitlines()
    mine = [line for line in lines if '"webrssbench/layout"' in line]
    (folder / "mine.jsonl").write_text("\n".join(mine), encoding="utf-8")
    found = run(folder, "grade", "@/mine.jsonl", "--data", "sample", "--json")
    assert (found.exit_code, json.loads(found.stdout)["provenance"]["items"]) == (0, 2)


def test_a_second_models_answers_name_the_option(folder: Path) -> None:
    rows = [
        {"item_id": "5/0", "model": name, "response": said}
        for name, said in (("one", "12"), ("two", "7"))
    ]
    (folder / "two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = run(folder, "grade", "@/two.jsonl", *GRADE[2:])
    assert (refused.exit_code, "'one', 'two'" in refused.stderr) == (2, True)
    for name, value in (("one", 1 / 3), ("two", 0)):
        found = run(folder, "grade", "@/two.jsonl", *GRADE[2:], "--model", name, "--json")
        numbers = json.loads(found.stdout)["numbers"]
        assert (found.exit_code, numbers["metrics"]["f1"]["value"]) == (0, pytest.approx(value))
    unknown = run(folder, "grade", "@/two.jsonl", *GRADE[2:], "--model", "three")
    assert (unknown.exit_code, "no model of these answers 'three'" in unknown.stderr) == (2, True)

"""The commands about annotations: from creating one to the pack that comes of it."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from snellen import annotate
from snellen.cli.app import app
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

TASK = "screenqa/short"
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `snellen annotation` on a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SNELLEN_STORE", str(tmp_path / "exam.sqlite"))

    def command(*words: object, code: int = 0) -> Result:
        done = CliRunner().invoke(app, ["annotation", *map(str, words)])
        assert done.exit_code == code, done.output
        return done

    return command


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Return an export of Label Studio: two raters, who contradict the first reference."""
    pack = open_pack(exam_folder("wireframes"))
    golds = open_references(pack).golds[TASK]
    tasks: list[dict[str, Any]] = []
    for number, item in enumerate(pack.index[TASK]):
        text = golds[item][0] if number else "zebra"
        result = [{"from_name": "answer", "type": "textarea", "value": {"text": [text]}}]
        tasks.append(
            {
                "data": {"item_id": item},
                "annotations": [{"completed_by": who, "result": result} for who in (1, 2)],
            }
        )
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    return path


@pytest.mark.slow
def test_from_an_annotation_to_a_pack(run: Run, export: Path, tmp_path: Path) -> None:
    source = exam_folder("wireframes")
    first = next(iter(open_pack(source).index[TASK]))
    assert "12 items of wireframes for 2 raters each" in run("create", "checks", source).stderr
    assert "checks  check  12 items, 12 wait for raters  open" in run("report", source).stdout
    assert "has no answers yet" in run("report", "checks", source, code=2).stderr
    said = run("import", "checks", source, export, "--from", "label-studio").stderr
    assert "24 answers of 2 raters, 24 of them new" in said
    report = run("report", "checks", source).stdout
    assert "human ceiling     91.7 %" in report
    assert "raters agree      100.0 %" in report
    assert "1 references are probably wrong, 1 items disputed" in report
    assert f"{first}: 2 against it, at most 2 for one answer, 0 for it" in report
    assert "zebra" not in report
    (numbers,) = json.loads(run("report", "checks", source, "--json").stdout)
    assert annotate.RaterReport.model_validate(numbers).ceiling is not None
    assert "asked for 1 of 1 disputed" in run("create", "checks", source, "--add").stderr
    assert "12 items, 1 wait" in run("report", source).stdout
    said = run("report", "checks", source, "--output", "raters.jsonl")
    assert (said.stdout, said.stderr) == ("", "wrote 24 answers to raters.jsonl\n")
    assert stat.S_IMODE((tmp_path / "raters.jsonl").stat().st_mode) == 0o600
    assert annotate.rate("raters.jsonl", data=source).model_dump(mode="json") == numbers
    run("close", "checks", source)
    assert (
        "is closed"
        in run("import", "checks", source, export, "--from", "label-studio", code=2).stderr
    )
    run("close", "checks", source, "--open")
    assert "1 references are new" in run("pack", "checks", source, "-o", "new").stderr
    (change,) = (tmp_path / "new-corrections.jsonl").read_text().splitlines()
    assert json.loads(change)["item"] == first
    assert json.loads(change)["new"] == ["zebra"]
    assert stat.S_IMODE((tmp_path / "new-corrections.jsonl").stat().st_mode) == 0o600
    assert open_references(open_pack("new")).golds[TASK][first] == ["zebra"]


def test_made_references_are_of_items_whose_raters_agree(run: Run, export: Path) -> None:
    source = exam_folder("wireframes")
    run("create", "made", source, "--mode", "make", "--task", TASK)
    run("import", "made", source, export, "--from", "label-studio")
    assert "human ceiling     not known" in run("report", "made", source).stdout
    run("pack", "made", source, "--output", "new")
    new = open_pack("new")
    assert len(new.index[TASK]) == 12
    golds = open_references(new).golds[TASK]
    assert all(len(golds[item]) == 1 for item in new.index[TASK])


def test_an_exam_file_names_the_packs_and_the_store(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "exam.toml"
    file.write_text(
        f'name = "sample"\npacks = ["{exam_folder("wireframes")}"]\nstore = "other.sqlite"\n'
    )
    run("create", "checks", file, "--store", tmp_path / "other.sqlite")
    assert "checks" in run("report", file, "--store", tmp_path / "other.sqlite").stdout
    assert run("report", file).stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("create", "checks", "{pack}", "--mode", "guess"), "unknown mode 'guess'"),
        (("create", "checks", "{pack}", "--task", "nothing"), "nothing"),
        (("create", "Bad name", "{pack}"), "lower-case letters"),
        (("create", "checks", "{pack}", "--elements", "missing.jsonl"), "can't be read"),
        (("create", "checks", "nowhere"), "not a pack"),
        (("create", "kept", "{pack}", "--add", "--raters", "3"), "--add accepts only --key"),
        (("create", "kept", "{pack}", "--add"), "has no answers yet"),
        (("report", "{pack}", "--json"), "--json and --output need the name of an annotation"),
        (("report", "nothing", "{pack}"), "there is no annotation 'nothing'"),
        (("import", "kept", "{pack}", "x.json", "--from", "paper"), "unknown program 'paper'"),
        (("import", "kept", "{pack}", "x.json", "--from", "potato"), "can't be read"),
        (("pack", "kept", "{pack}", "-o", "new"), "has no answers yet"),
    ],
)
def test_what_can_not_be_done_is_said(run: Run, words: tuple[str, ...], message: str) -> None:
    run("create", "kept", exam_folder("wireframes"))
    given = [word.format(pack=exam_folder("wireframes")) for word in words]
    assert message in run(*given, code=2).stderr

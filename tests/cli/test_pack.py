"""`snellen pack`, called as a shell would call it."""

import json
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.tasks.pack.seal import KEY_VARIABLE

SHORT = [
    {"image_id": image, "question": f"What is {n}?", "ground_truth": [f"SECRET {image} {n}"]}
    for image in (5, 9)
    for n in range(3)
]
COMPLEX = [{"image_id": 5, "question": "How many?", "ground_truth": ["SECRET", "2"]}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tasks about two screenshots."""
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    for name, rows in (("short_answers/test", SHORT), ("complex_qa/data", COMPLEX)):
        path = tmp_path / "data" / f"{name}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(rows))
    (tmp_path / "images").mkdir()
    for number in (5, 9):
        out = BytesIO()
        Image.new("RGB", (40, 60), (number, 0, 0)).save(out, "PNG")
        (tmp_path / "images" / f"{number}.png").write_bytes(out.getvalue())
    return tmp_path


def run(folder: Path, *arguments: str, **variables: str) -> Result:
    filled = [argument.replace("@/", f"{folder}/") for argument in arguments]
    result = CliRunner(env={"COLUMNS": "200", **variables}).invoke(app, filled)
    assert "SECRET" not in result.output
    return result


DATA = ("--data", "@/data", "--images", "@/images", "--name", "demo")
CREATE = ("pack", "create", "--task", "screenqa/short", *DATA)
BOTH = (*CREATE, "--task", "screenqa/complex")


def items_of(pack: Path) -> list[str]:
    lines = (pack / "items.jsonl").read_text().splitlines()
    return [f"{item['task']} {item['id']}" for item in (json.loads(line)["item"] for line in lines)]


def names(pack: Path) -> set[str]:
    return {path.name for path in pack.iterdir()}


def test_create_says_what_went_in_and_how_the_references_are_kept(folder: Path) -> None:
    result = run(folder, *BOTH, "-o", "@/pack", "--title", "A demo", "--licence", "CC BY 4.0")
    assert result.exit_code == 0
    assert re.search(r"demo in .*/pack: 2 images, 0\.0 MB", result.stdout)
    assert re.search(r"screenqa/short +6 items +official@1", result.stdout)
    assert re.search(r"screenqa/complex +1 items +official@1", result.stdout)
    assert "are readable in references.jsonl: run snellen pack seal before" in result.stdout
    manifest = json.loads((folder / "pack" / "manifest.json").read_text())
    assert (manifest["title"], manifest["licence"]) == ("A demo", "CC BY 4.0")


def test_create_with_a_key_never_writes_a_readable_reference(folder: Path) -> None:
    result = run(folder, *CREATE, "-o", "@/pack", "--key", "@/key")
    assert result.exit_code == 0
    assert re.search("sealed with the key [0-9a-f]{16}\n", result.stdout)
    assert re.search(r"created the key .*/key\n", result.stderr)
    assert names(folder / "pack") == {
        "manifest.json",
        "items.jsonl",
        "images",
        "references.sealed",
    }
    key = (folder / "key").read_text().strip()
    assert key not in result.output
    again = run(folder, *CREATE, "-o", "@/again", **{KEY_VARIABLE: key})
    assert again.exit_code == 0
    for name in ("manifest.json", "items.jsonl", "references.sealed"):
        assert (folder / "pack" / name).read_bytes() == (folder / "again" / name).read_bytes()


def test_create_takes_some_items_by_name_or_by_lot(folder: Path) -> None:
    (folder / "ids").write_text("test/9/1\n\ntest/5/0\ndata/5/0\n")
    assert run(folder, *BOTH, "-o", "@/a", "--items", "@/ids").exit_code == 0
    assert items_of(folder / "a") == [
        "screenqa/short test/5/0",
        "screenqa/short test/9/1",
        "screenqa/complex data/5/0",
    ]
    assert run(folder, *BOTH, "-o", "@/b", "--n", "2", "--seed", "3").exit_code == 0
    assert run(folder, *BOTH, "-o", "@/c", "--n", "2", "--seed", "3").exit_code == 0
    assert len(items_of(folder / "b")) == 3
    assert items_of(folder / "b") == items_of(folder / "c")
    (folder / "others").write_text("data/5/0\n")
    (folder / "ids").write_text("test/9/1\n")
    two = ("--items", "@/ids", "--items", "@/others")
    assert run(folder, *BOTH, "-o", "@/d", *two).exit_code == 0
    assert len(items_of(folder / "d")) == 2


def test_create_takes_an_option_once_or_once_a_task(folder: Path) -> None:
    more = ("--split", "test", "--split", "data", "--protocol", "robust", "--protocol", "official")
    assert run(folder, *BOTH, "-o", "@/pack", *more).exit_code == 0
    tasks = json.loads((folder / "pack" / "manifest.json").read_text())["tasks"]
    assert [task["protocol"] for task in tasks] == ["robust@3", "official@1"]
    three = ("--data", "@/data", "--data", "@/data")
    result = run(folder, *BOTH, "-o", "@/other", *three)
    assert result.exit_code == 2
    assert "--data was given 3 times and --task 2 times: give it once" in result.stderr


def test_create_can_leave_the_images_out(folder: Path) -> None:
    bare = [one for one in CREATE if one not in ("--images", "@/images")]
    assert run(folder, *bare, "-o", "@/pack", "--no-images").exit_code == 0
    assert names(folder / "pack") == {"manifest.json", "items.jsonl", "references.jsonl"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--items", "@/ids", "--n", "2"), "--items and --n exclude one another"),
        (("--no-images",), "--images and --no-images exclude one another"),
        (("--items", "@/ids"), "has no item 'test/7/7'"),
        (("--key", "@/ids"), "chmod 600" if os.name != "nt" else "128 hexadecimal"),
        (("--key", "@/pack/key"), "inside the pack"),
        (("--name", "Not A Name"), "not valid as a pack's name"),
        (("--protocol", "best"), "'best'"),
        (("--task", "screenqa/short"), "occurs twice"),
        (("-o", "@/data"), "not an empty folder"),
    ],
)
def test_create_writes_nothing_where_something_is_wrong(
    arguments: tuple[str, ...], message: str, folder: Path
) -> None:
    (folder / "ids").write_text("test/7/7\n")
    (folder / "ids").chmod(0o644)
    before = sorted(folder.rglob("*"))
    result = run(folder, *CREATE, "-o", "@/pack", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert sorted(folder.rglob("*")) == before


def test_a_new_key_goes_again_where_no_pack_came(folder: Path) -> None:
    (folder / "images" / "9.png").write_text("no image")
    result = run(folder, *CREATE, "-o", "@/pack", "--key", "@/key")
    assert result.exit_code == 2
    assert "image 'screen' of test/9/0" in result.stderr
    assert not (folder / "key").exists()


@pytest.mark.slow
def test_seal_removes_what_could_be_read_and_does_no_harm_again(folder: Path) -> None:
    run(folder, *CREATE, "-o", "@/pack")
    refused = run(folder, "pack", "seal", "@/pack")
    assert refused.exit_code == 2
    assert f"the key is missing: give --key FILE, or {KEY_VARIABLE}" in (refused.stderr)
    result = run(folder, "pack", "seal", "@/pack", "--key", "@/key")
    assert result.exit_code == 0
    assert "references.jsonl" not in names(folder / "pack")
    before = (folder / "pack" / "references.sealed").read_bytes()
    again = run(folder, "pack", "seal", "@/pack", **{KEY_VARIABLE: f"@{folder}/key"})
    assert (again.exit_code, again.stdout) == (0, result.stdout)
    assert (folder / "pack" / "references.sealed").read_bytes() == before
    other = run(folder, "pack", "seal", "@/pack", "--key", "@/other")
    assert other.exit_code == 2
    assert "sealed already" in other.stderr
    assert not (folder / "other").exists()


def test_check_says_what_is_there_and_what_is_attainable(folder: Path) -> None:
    run(folder, *BOTH, "-o", "@/pack", "--key", "@/key")
    result = run(folder, "pack", "check", "@/pack")
    assert result.exit_code == 0
    assert "references: sealed; give the key to try them\nnothing is wrong\n" in result.stdout
    wrong = run(folder, "pack", "check", "@/pack", "--key", "@/none")
    assert (wrong.exit_code, (folder / "none").exists()) == (2, False)
    assert "there is no such file" in wrong.stderr
    result = run(folder, "pack", "check", "@/pack", "--key", "@/key")
    assert re.search(r"screenqa/short +6 items +official@1 +attainable 100\.00", result.stdout)
    found = json.loads(run(folder, "pack", "check", "@/pack", "--json").stdout)
    assert (found["references"], found["faults"]) == ("sealed", [])


@pytest.mark.slow
def test_no_progress_is_written_where_nobody_watches(folder: Path) -> None:
    run(folder, *CREATE, "-o", "@/pack")
    command = "from snellen.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    checked = subprocess.run(
        [sys.executable, "-c", command, "pack", "check", str(folder / "pack")],
        env={**environment, "FORCE_COLOR": "1"},
        capture_output=True,
        check=True,
    )
    assert checked.stderr == b""
    assert checked.stdout.endswith(b"nothing is wrong\n")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals to be had here")
def test_a_terminal_that_can_not_redraw_gets_no_progress(folder: Path) -> None:
    run(folder, *CREATE, "-o", "@/pack")
    terminal, end = os.openpty()
    command = "from snellen.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run(
        [sys.executable, "-c", command, "pack", "check", str(folder / "pack")],
        env={**environment, "TERM": "dumb"},
        stdout=subprocess.DEVNULL,
        stderr=end,
        check=True,
    )
    os.set_blocking(terminal, False)
    with pytest.raises(BlockingIOError):
        os.read(terminal, 1)
    os.close(end)
    os.close(terminal)


def test_check_names_each_fault_and_ends_with_1(folder: Path) -> None:
    run(folder, *CREATE, "-o", "@/pack")
    image = next((folder / "pack" / "images").rglob("*.png"))
    image.unlink()
    (folder / "pack" / "notes.txt").touch()
    result = run(folder, "pack", "check", "@/pack")
    assert result.exit_code == 1
    assert f"fault images/{image.parent.name}/{image.name}: it is missing" in result.stderr
    assert "fault notes.txt: it does not belong to the pack: remove it" in result.stderr
    assert "nothing is wrong" not in result.stdout
    assert run(folder, "pack", "check", "@/pack", "--json").exit_code == 1
    none = run(folder, "pack", "check", "@/images")
    assert none.exit_code == 2
    assert "snellen pack create makes packs" in none.stderr


def test_strip_copies_all_but_the_references(folder: Path) -> None:
    run(folder, *CREATE, "-o", "@/pack")
    result = run(folder, "pack", "split", "@/pack", "--without-references", "-o", "@/bare")
    assert result.exit_code == 0
    assert (
        "no references: answers are recorded, and graded where the references are" in result.stdout
    )
    assert names(folder / "bare") == {"manifest.json", "items.jsonl", "images"}
    assert run(folder, "pack", "check", "@/bare").exit_code == 0
    again = run(folder, "pack", "split", "@/pack", "--without-references", "-o", "@/bare")
    assert again.exit_code == 2
    assert "not an empty folder" in again.stderr
    parts = ("--parts", "a=0.5,b=0.5", "-o", "@/parts")
    both = run(folder, "pack", "split", "@/pack", "--without-references", *parts)
    assert both.exit_code == 2
    assert "--without-references excludes --parts" in both.stderr


def test_answers_are_graded_against_a_sealed_pack(folder: Path) -> None:
    run(folder, *CREATE, "-o", "@/pack", "--n", "4", "--key", "@/key")
    rows = [
        {"item_id": f"test/{image}/{n}", "response": f"secret {image} {n}"}
        for image in (5, 9)
        for n in range(3)
    ]
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    grade = ("grade", "@/answers.jsonl", "--task", "screenqa/short", "--json")
    key = {KEY_VARIABLE: f"@{folder}/key"}
    found = json.loads(run(folder, *grade, "--data", "@/pack", **key).stdout)
    assert (found["provenance"]["items"], found["numbers"]["metrics"]["f1"]["value"]) == (4, 1.0)

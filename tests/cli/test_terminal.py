"""What comes of files and clients can't steer the terminal."""

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import snellen.cli as commands
from snellen.cli.app import app
from snellen.cli.plain import printable
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.table import figures
from snellen.tasks.samples import exam_folder

STEERING = "a\x1b[2J\x1b]0;title\x07b\x9b31m\r\u202ec"
SHOWN = "a\u241b[2J\u241b]0;title\u2407b\ufffd31m\u240d\ufffdc"

# Rich drops the bell and the return of the carriage before.
IN_TABLES = SHOWN.replace("\u2407", "").replace("\u240d", "")


def test_control_characters_are_made_visible() -> None:
    assert printable(STEERING) == SHOWN
    assert printable("two\nlines\tand a tab: ä €") == "two\nlines\tand a tab: ä €"


def test_a_table_of_texts_from_files_steers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(Terminal(), figures(("name", "n"), [(STEERING, "1")]))
    printed = capsys.readouterr().out
    assert "a\u241b[2J\u241b]0;title" in printed
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", printed)


def test_a_pack_can_not_steer_the_terminal_nor_write_markup(tmp_path: Path) -> None:
    pack = Path(shutil.copytree(exam_folder("wireframes"), tmp_path / "pack"))
    manifest = json.loads((pack / "manifest.json").read_text(encoding="utf-8"))
    manifest["tasks"][0]["split"] = f"{STEERING}[/bold][red]"
    manifest["tasks"][0]["prompt"] = STEERING
    (pack / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    result = CliRunner().invoke(app, ["pack", "check", str(pack)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "\x1b" not in result.output
    assert "\x07" not in result.output
    assert f"{IN_TABLES}[/bold][red]" in result.output.replace("\n", "")


@pytest.mark.parametrize("depth", [3_000, 200_000])
@pytest.mark.parametrize("file", ["manifest.json", "items.jsonl"])
def test_a_file_of_a_pack_that_is_nested_too_deep_is_named(
    file: str, depth: int, tmp_path: Path
) -> None:
    pack = Path(shutil.copytree(exam_folder("wireframes"), tmp_path / "pack"))
    deep = '{"format": "snellen-pack@1", "item": ' + "[" * depth + "]" * depth + "}"
    (pack / file).write_text(deep, encoding="utf-8")
    result = CliRunner().invoke(app, ["pack", "split", str(pack), "-o", str(tmp_path / "parts")])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert file in result.output.replace("\n", "")


def test_no_command_prints_with_another_console() -> None:
    folder = Path(next(iter(commands.__path__)))
    users = [
        file.name
        for file in folder.glob("*.py")
        if re.search(r"rich\.console import .*\bConsole\b", file.read_text(encoding="utf-8"))
    ]
    # It is passed on to the one and made in the other.
    assert sorted(users) == ["tables.py", "terminal.py"]

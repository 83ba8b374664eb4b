"""`snellen build`: from a folder of pages, or from nothing, to an exam."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from snellen.build.build import alone
from snellen.cli.app import app
from snellen.tasks.browser.finding import VARIABLE
from snellen.tasks.pack.check import check_pack


def run(*options: object, browser: str = "") -> Result:
    env = {"COLUMNS": "200", **({VARIABLE: browser} if browser else {})}
    return CliRunner(env=env).invoke(app, ["build", *map(str, options)])


def page(folder: Path) -> Path:
    folder.mkdir()
    (folder / "index.html").write_text("<title>Home</title><main><h1>Welcome home</h1></main>")
    return folder


@pytest.mark.browser
@pytest.mark.slow
def test_pages_are_made_up_and_built_in_one_go(tmp_path: Path) -> None:
    result = run(
        *("--generate", 1, "--seed", 2, "--jobs", 1, "--set", "clicks=0", "-o", tmp_path / "exam"),
        *("--task", "visualwebbench/heading_ocr", "--webp"),
        *("--task", "visualwebbench/action_prediction"),
    )
    assert result.exit_code == 0, result.output
    assert "visualwebbench/heading_ocr  1 items" in result.stdout
    assert "1 pages of 1 sites, 0 skipped" in result.stdout
    assert "including the answers" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["visualwebbench/action_prediction", "1", "no", "click"] in [line[:4] for line in lines]
    assert check_pack(tmp_path / "exam").fine
    assert [file.suffix for file in (tmp_path / "exam/images").rglob("*.*")] == [".webp"]
    assert (tmp_path / "exam.build/snapshots").is_dir()


def test_one_kind_of_pages_must_be_said(tmp_path: Path) -> None:
    for options in ((), (page(tmp_path / "site"), "--generate", 3)):
        result = run(*options, "-o", tmp_path / "exam")
        assert result.exit_code == 2
        assert "give the pages" in result.output


@pytest.mark.slow
def test_without_a_browser_nothing_is_written(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api")
    result = run(page(tmp_path / "site"), "-o", tmp_path / "exam", browser="no-such-browser")
    assert result.exit_code == 2
    assert f"{VARIABLE} is 'no-such-browser'" in result.output
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["site"]


def test_a_second_build_in_one_folder_is_refused_and_says_who_works_there(tmp_path: Path) -> None:
    options = ("--generate", 1, "-o", tmp_path / "exam", "--task", "no/task")
    with alone(tmp_path / "exam.build"):
        result = run(*options)
    assert result.exit_code == 2
    assert f"another build works in it: process {os.getpid()} on " in result.output
    assert not (tmp_path / "exam.build" / "pages").exists()
    assert "another build" not in run(*options).output


def test_a_task_without_a_maker_is_named(tmp_path: Path) -> None:
    result = run(page(tmp_path / "site"), "-o", tmp_path / "exam", "--task", "visualwebbench/webqs")
    assert result.exit_code == 2
    assert "did you mean 'visualwebbench/webqa'?" in result.output


def test_an_exam_does_not_lie_among_its_pages(tmp_path: Path) -> None:
    site = page(tmp_path / "site")
    result = run(site, "-o", site / "exam")
    assert result.exit_code == 2
    assert "it is inside the folder of pages" in result.output

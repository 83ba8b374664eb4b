"""Which browser is used, and what is said where there is none."""

import os
import sys
from pathlib import Path

import pytest

from snellen.grading.errors import InputError, MissingExtraError
from snellen.tasks.browser.finding import browser_status, find_browser, load_playwright


def program(folder: Path, name: str, does: str = "") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(os.name == "nt", reason="programs have suffixes there")
def test_the_variable_goes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, common = program(tmp_path, "mine"), program(tmp_path, "chromium")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SNELLEN_BROWSER", raising=False)
    assert find_browser() == (common, "chromium")
    monkeypatch.setenv("SNELLEN_BROWSER", str(mine))
    assert find_browser() == (mine, "SNELLEN_BROWSER")


def test_no_browser_is_an_error_that_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SNELLEN_BROWSER", raising=False)
    with pytest.raises(InputError, match="apt-get install chromium"):
        find_browser()
    monkeypatch.setenv("SNELLEN_BROWSER", str(tmp_path / "none"))
    with pytest.raises(InputError, match="no program that can be run"):
        find_browser()


def test_no_playwright_is_an_error_that_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[build\]"):
        load_playwright()


@pytest.mark.skipif(os.name == "nt", reason="programs have suffixes there")
def test_the_status_names_the_program_and_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(tmp_path, "mine", "echo 'Chromium 156.0  '")
    monkeypatch.setenv("SNELLEN_BROWSER", str(path))
    assert browser_status() == ((path, "SNELLEN_BROWSER"), "Chromium 156.0", "")


@pytest.mark.skipif(os.name == "nt", reason="programs have suffixes there")
@pytest.mark.parametrize(
    ("does", "said"), [("exit 3", "can't be run"), ("exec sleep 9", "says nothing")]
)
def test_the_status_says_what_a_broken_program_does_and_how_to_get_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, said: str
) -> None:
    path = program(tmp_path, "mine", does)
    monkeypatch.setenv("SNELLEN_BROWSER", str(path))
    status = browser_status(0.3)
    assert status.found is None
    assert status.problem.startswith(f"{path} {said}")
    assert "apt-get install chromium" in status.problem


def test_the_status_says_how_to_get_a_browser_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SNELLEN_BROWSER", raising=False)
    status = browser_status()
    assert (status.found, status.version) == (None, "")
    assert "apt-get install chromium" in status.problem

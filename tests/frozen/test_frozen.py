"""What must not change without an issue that says so; `freeze.py` writes it anew.

What plugins make is compared in their own tests.
"""

from pathlib import Path

import frozen_docs
import frozen_numbers
import frozen_server
import frozen_views
import pytest
import stored
from freeze import SUBJECTS

from snellen.grading.models.scores import Outcome


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> list[frozen_numbers.Graded]:
    return list(frozen_numbers.graded(tmp_path_factory.mktemp("miniatures")))


@pytest.mark.slow
def test_every_task_has_the_frozen_numbers_under_every_protocol(
    graded: list[frozen_numbers.Graded],
) -> None:
    present = {each.name: frozen_numbers.summary(each.report) for each in graded}
    assert not (found := stored.differences("numbers", present)), found


@pytest.mark.slow
def test_every_report_has_its_frozen_signature(graded: list[frozen_numbers.Graded]) -> None:
    present = {each.name: frozen_numbers.signature(each.report) for each in graded}
    assert not (found := stored.differences("signatures", present)), found


@pytest.mark.slow
def test_the_answers_of_the_numbers_end_in_every_outcome(
    graded: list[frozen_numbers.Graded],
) -> None:
    assert all(sum(each.report.input.outcomes[name] for each in graded) > 500 for name in Outcome)


def test_the_server_lists_the_frozen_tools(tmp_path: Path) -> None:
    assert not (found := stored.differences("tools", frozen_server.tools(tmp_path))), found


@pytest.mark.slow
def test_the_rest_api_has_the_frozen_document(tmp_path: Path) -> None:
    assert not (found := stored.differences("openapi", frozen_server.openapi(tmp_path))), found


@pytest.mark.slow
def test_views_have_the_frozen_pixels(tmp_path: Path) -> None:
    assert not (found := stored.differences("views", frozen_views.views(tmp_path))), found


def test_every_command_has_the_frozen_help_and_every_task_the_frozen_protocols(
    tmp_path: Path,
) -> None:
    assert not (found := stored.differences("pages", frozen_docs.pages(tmp_path))), found


def test_a_difference_names_the_entry_and_the_part_that_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    stored.save("tools", {"look": {"name": "look", "takes": {"zoom": 1}}, "wait": 2, "go": 3})
    present = {"look": {"name": "look", "takes": {"zoom": 2}}, "go": 3, "act": 4}
    found = stored.differences("tools", present)
    assert found.splitlines()[:-1] == [
        "stored/tools.json differs from the present in 3 places:",
        "act",
        "    stored:  nothing",
        "    present: 4",
        "look / takes / zoom",
        "    stored:  1",
        "    present: 2",
        "wait",
        "    stored:  2",
        "    present: nothing",
    ]
    assert "python tests/frozen/freeze.py" in found
    assert stored.differences("tools", {**present, "other": 5}, below="go") != ""
    assert stored.differences("tools", {"go": 3}, below="go") == ""


def test_every_subject_is_stored_and_nothing_else_is() -> None:
    assert {path.stem for path in stored.FOLDER.iterdir()} == SUBJECTS.keys()

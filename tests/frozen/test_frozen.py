"""What must not change without an issue that says so; `freeze.py` writes it anew.

The scores of the baseline agent are in tests/cli/test_demo.py, which runs its demonstration.
"""

from pathlib import Path

import frozen_numbers
import frozen_packs
import frozen_server
import pytest
import stored
from freeze import SUBJECTS

from snellen.grading.models.scores import Outcome


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> list[frozen_numbers.Graded]:
    return list(frozen_numbers.graded(tmp_path_factory.mktemp("miniatures")))


def test_every_task_has_the_frozen_numbers_under_every_protocol(
    graded: list[frozen_numbers.Graded],
) -> None:
    present = {each.name: frozen_numbers.summary(each.report) for each in graded}
    assert not (found := stored.differences("numbers", present)), found


def test_every_report_has_its_frozen_signature(graded: list[frozen_numbers.Graded]) -> None:
    present = {each.name: frozen_numbers.signature(each.report) for each in graded}
    assert not (found := stored.differences("signatures", present)), found


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
def test_a_seed_gives_the_frozen_pages_and_interactive_tasks(tmp_path: Path) -> None:
    present = frozen_packs.generated(tmp_path)
    assert not (found := stored.differences("generated", present)), found


@pytest.mark.thorough
@pytest.mark.browser
def test_a_seed_gives_the_frozen_pack(tmp_path: Path) -> None:
    here = frozen_packs.machine()
    if not any(name.startswith(here) for name in stored.load("built")):
        pytest.skip(f"no pack is stored for {here}: run `python tests/frozen/freeze.py built`")
    present = frozen_packs.built(tmp_path)
    assert not (found := stored.differences("built", present, below=here)), found


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

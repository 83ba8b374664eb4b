"""Exams of pages that nobody here wrote: two templates, both MIT, from the folder SNELLEN_PAGES.

`npm pack startbootstrap-sb-admin-2@4.1.4 gentelella@4.2.0` brings them; each is unpacked into a
folder of its own name.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from snellen.build.build import BuildSettings
from snellen.build.exam import PackOptions, build_exam
from snellen.build.pages import Pages, find_pages
from snellen.build.writers.table import made_tasks
from snellen.tasks.pack.check import check_pack

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.thorough]

GENTELELLA = ("form", "index", "invoice", "pricing_tables", "projects", "tables")
CANT: Mapping[str, frozenset[str]] = {
    # Its leads speak of documentation elsewhere, but one, and the rest of that one's page does not
    # go on about it; each hint says what its label says.
    "startbootstrap-sb-admin-2": frozenset(
        {"visualwebbench/web_caption", "webrssbench/layout", "webrssbench/hint_text"}
    ),
    # Its description would fit any page, no hint can be inferred, and any name fits its fields.
    "gentelella": frozenset(
        {
            "visualwebbench/web_caption",
            "webrssbench/form_filling",
            "webrssbench/hint_text",
            "webrssbench/layout",
        }
    ),
}
"""Tasks that none of a template's pages carries."""


@pytest.fixture
def folder() -> Path:
    named = os.environ.get("SNELLEN_PAGES")
    if not named:
        pytest.skip("real pages: SNELLEN_PAGES names no folder")
    return Path(named)


def pages_of(folder: Path, name: str) -> Pages:
    """Return the template's pages; of the large one six, beside the others that they link to."""
    if name != "gentelella":
        return find_pages(folder / name)
    found = find_pages(folder / name / "dist")
    chosen = [page for page in found.pages if page.path.stem in GENTELELLA]
    return Pages([page for page in chosen if page.path.parent.name == "production"], [])


@pytest.mark.parametrize(("name", "pages"), [("startbootstrap-sb-admin-2", 14), ("gentelella", 6)])
def test_every_task_that_they_can_carry_is_made_and_nothing_is_wrong(
    folder: Path, tmp_path: Path, name: str, pages: int
) -> None:
    found = pages_of(folder, name)
    settings = BuildSettings(seed=1, clicks=3)
    exam = build_exam(
        found,
        tmp_path / "work",
        tmp_path / "exam",
        settings,
        PackOptions("real", licence="MIT"),
        jobs=2,
    )
    assert exam.manifest.built is not None
    assert (exam.manifest.built.pages, exam.manifest.built.skipped) == (pages, {})
    made = {task.task for task in exam.manifest.tasks}
    assert set(made_tasks()) - made == CANT[name]
    checked = check_pack(tmp_path / "exam")
    assert checked.fine, checked.faults
    assert [task.attainable for task in checked.tasks] == pytest.approx(
        [1.0] * len(checked.tasks), abs=1e-6
    )

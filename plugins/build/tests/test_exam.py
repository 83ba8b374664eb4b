"""Exams built from pages, from the folder of pages to a checked pack."""

import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from snellen.build.build import BuildSettings, PageDone
from snellen.build.exam import (
    FREQUENT,
    BuiltExam,
    PackOptions,
    Watch,
    build_exam,
    digest_of,
)
from snellen.build.pages import find_pages
from snellen.build.sites import generate_site
from snellen.grading.errors import InputError
from snellen.tasks.browser.settings import PHONE, BrowserSettings
from snellen.tasks.pack import seal
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.format import SEALED
from snellen.tasks.pack.read import open_pack, open_references, task_data

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SETTINGS = BuildSettings(seed=5, clicks=4)
WANTED = PackOptions("fresh", licence="CC0-1.0")


class Build(NamedTuple):
    pages: Path
    folder: Path
    output: Path
    exam: BuiltExam


class Sealed(NamedTuple):
    output: Path
    exam: BuiltExam
    key: str


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write three pages of a generated site in English, and an empty one."""
    folder = tmp_path_factory.mktemp("pages") / "site"
    sites = (generate_site(11, number, most=3) for number in range(20))
    site = next(site for site in sites if site.language == "en")
    folder.mkdir()
    for name, content in site.files.items():
        (folder / name).write_bytes(content)
    (folder / "blank.html").write_text("<title>Nothing</title>")
    return folder


@pytest.fixture(scope="module")
def build(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    room = tmp_path_factory.mktemp("build")
    folder, output = room / "work", room / "exam"
    exam = build_exam(find_pages(pages), folder, output, SETTINGS, WANTED, jobs=2)
    return Build(pages, folder, output, exam)


def test_a_name_that_no_pack_can_have_is_refused_before_a_page_is_captured(
    pages: Path, tmp_path: Path
) -> None:
    wanted = PackOptions("Fresh exam")
    with pytest.raises(InputError, match="not valid as a pack's name"):
        build_exam(find_pages(pages), tmp_path / "work", tmp_path / "exam", SETTINGS, wanted)
    assert not (tmp_path / "work").exists()


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_exam_has_nothing_wrong_and_every_reference_scores_what_can_be_attained(
    build: Build,
) -> None:
    found = check_pack(build.output)
    assert found.fine, found.faults
    assert [task.attainable for task in found.tasks] == pytest.approx(
        [1.0] * len(found.tasks), abs=1e-6
    )
    assert {task.task for task in build.exam.manifest.tasks} >= {
        "visualwebbench/heading_ocr",
        "visualwebbench/element_ground_bbox",
        "webrssbench/color",
        "webrssbench/ui_grouping",
    }


def test_no_question_template_has_more_than_its_share_of_a_task(build: Build) -> None:
    pack = open_pack(build.output)
    references = open_references(pack, None)
    asked: dict[str, Counter[str]] = {}
    for task in (each.task for each in pack.manifest.tasks):
        data = task_data(pack, references, task)
        templates = data.tags.get("kind" if task == "matrix/items" else "question", ())
        shown = set(data.ids if data.selected is None else data.selected)
        pairs = zip(data.ids, templates, strict=False)
        asked[task] = Counter(template for item, template in pairs if template and item in shown)
    assert {"visualwebbench/webqa", "mmbench-gui/l1", "matrix/items"} <= set(asked)
    for counts in filter(None, asked.values()):
        assert max(counts.values()) <= max(1, counts.total() / min(5, len(counts)))
    assert build.exam.manifest.built is not None
    reasons = {one for each in build.exam.manifest.built.refused.values() for one in each}
    assert FREQUENT in reasons


def test_the_manifest_says_how_it_was_made(build: Build) -> None:
    built = build.exam.manifest.built
    assert built is not None
    assert (built.seed, built.sites, built.pages) == (5, 1, 3)
    assert built.browser.startswith("Chromium ")
    assert built.skipped == {"site/blank": "nothing to see"}
    assert built.licences == {"site": "CC0-1.0"}
    assert built.thresholds["page height"]
    assert open_pack(build.output).manifest == build.exam.manifest


def test_what_an_agent_sees_names_no_page_and_the_references_do(build: Build) -> None:
    items = (build.output / "items.jsonl").read_text(encoding="utf-8")
    references = (build.output / "references.jsonl").read_text(encoding="utf-8")
    for page in find_pages(build.pages).pages:
        if page.page != "blank":
            assert page.page_code in items
            assert page.id not in items
            assert page.id in references
    assert "record" in references


def test_a_build_that_was_stopped_goes_on_and_ends_the_same(build: Build, tmp_path: Path) -> None:
    def stop(done: PageDone) -> None:
        if done.problem is None:
            raise KeyboardInterrupt

    # It has captured all pages but the last, and made nothing of them.
    found, folder = find_pages(build.pages), tmp_path / "work"
    shutil.copytree(build.folder, folder)
    shutil.rmtree(folder / "made")
    shutil.rmtree(max((folder / "snapshots").glob("*/*")))
    with pytest.raises(KeyboardInterrupt):
        build_exam(found, folder, tmp_path / "exam", SETTINGS, WANTED, watch=Watch(page=stop))
    assert not (tmp_path / "exam").exists()
    made = {path: path.stat().st_mtime_ns for path in (folder / "made").rglob("*.jsonl")}
    first = {path: path.stat().st_mtime_ns for path in (folder / "snapshots").rglob("*.json")}
    assert made
    exam = build_exam(found, folder, tmp_path / "exam", SETTINGS, WANTED)
    kept = {**first, **made}
    assert all(path.stat().st_mtime_ns == since for path, since in kept.items())
    assert exam.manifest.built is not None
    if not exam.manifest.built.unstable:
        assert files_of(tmp_path / "exam") == files_of(build.output)


@pytest.fixture(scope="module")
def sealed(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Sealed:
    """Build the items of one task on a phone's screen, with sealed references."""
    room = tmp_path_factory.mktemp("sealed")
    output = room / "exam"
    key = seal.write_key(room / "exam.key", pack=output)
    browser = BrowserSettings(*PHONE)
    settings = BuildSettings(seed=5, tasks=("screenqa/short",), clicks=0, browser=browser)
    wanted = PackOptions("fresh", key=key)
    exam = build_exam(find_pages(pages), room / "work", output, settings, wanted)
    return Sealed(output, exam, key)


def test_only_the_tasks_that_are_asked_for_are_made(sealed: Sealed) -> None:
    assert [task.task for task in sealed.exam.manifest.tasks] == ["screenqa/short"]


def test_screenqa_asks_of_a_mobile_app_where_the_pages_have_a_phone_s_shape(
    build: Build, sealed: Sealed
) -> None:
    prompts = [
        {task.task: task.prompt for task in exam.manifest.tasks}["screenqa/short"]
        for exam in (sealed.exam, build.exam)
    ]
    assert prompts == ["snellen-screenqa-short-1", "snellen-screenqa-short-page-1"]


def test_a_key_seals_the_references_and_leaves_no_readable_ones(sealed: Sealed) -> None:
    assert (sealed.output / SEALED).is_file()
    assert not (sealed.output / "references.jsonl").exists()
    assert check_pack(sealed.output, sealed.key).fine


def test_another_seed_or_changed_pages_do_not_go_on_in_the_same_folder(
    build: Build, tmp_path: Path
) -> None:
    found = find_pages(build.pages)
    with pytest.raises(InputError, match="other settings"):
        build_exam(found, build.folder, tmp_path / "a", BuildSettings(seed=6, clicks=4), WANTED)
    changed = tmp_path / "site"
    shutil.copytree(build.pages, changed)
    (changed / "index.html").write_text("<h1>Else</h1>")
    with pytest.raises(InputError, match="other settings"):
        build_exam(find_pages(changed), build.folder, tmp_path / "b", SETTINGS, WANTED)
    assert digest_of(find_pages(changed)) != digest_of(found)


def test_where_no_page_carries_an_item_nothing_is_written(pages: Path, tmp_path: Path) -> None:
    folder = tmp_path / "blank"
    folder.mkdir()
    shutil.copy(pages / "blank.html", folder)
    with pytest.raises(InputError, match="no page gives an item: blank/blank: nothing to see"):
        build_exam(find_pages(folder), tmp_path / "work", tmp_path / "exam", SETTINGS, WANTED)
    assert not (tmp_path / "exam").exists()

"""Faults planted without knowledge of the audit are found; good items are kept.

With its build, a pack's items are made again, which reveals every later change. So they are also
audited without that, as if a maker had made each fault; then only recomputation and measurements
can find it.
"""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

# Kinds are entered by the modules that plant them.
import planted_answers as planted_answers
import planted_pictures as planted_pictures
import planted_records as planted_records
import pytest
from PIL import Image, ImageDraw
from planting import KINDS, plant_faults, read_exam, write_exam

from snellen.build.audit.audit import Witnesses, audit_pack
from snellen.build.audit.builds import open_build
from snellen.build.build import BuildSettings
from snellen.build.exam import PackOptions, build_exam
from snellen.build.pages import Pages, find_pages
from snellen.build.sites import write_sites
from snellen.tasks.audit.models import Fault
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

SAMPLE = exam_folder("sample-full")


class Measured(NamedTuple):
    """The planted and the found faults by kind, and the removed good items."""

    planted: Counter[str]
    caught: Counter[str]
    wrong: list[str]
    good: int

    @property
    def share(self) -> float:
        return self.caught.total() / self.planted.total()


def removed_from(pack: Path, witnesses: Witnesses) -> dict[tuple[str, str], str]:
    opened = open_pack(pack)
    found = audit_pack(opened, open_references(opened), witnesses=witnesses)
    return {(one.task, one.item): one.reason for one in found.removed}


def measured(pack: Path, room: Path, seed: int, each: int, witnesses: Witnesses) -> Measured:
    exam = read_exam(pack)
    # The pack that ships was made before some of the checks: what they remove counts as neither.
    before = removed_from(pack, witnesses) if witnesses.build is None else {}
    for entry in exam.entries:
        entry.touched = entry.key in before
    pairs = {entry.key: entry.line.get("pair") for entry in exam.entries}
    faults = plant_faults(exam, seed, each)
    write_exam(exam, room)
    assert check_pack(room).fine
    removed = removed_from(room, witnesses)
    bad = {(one.task, name) for one in faults for name in (one.item, one.twin)}
    halves = {pairs[one.task, one.item] for one in faults} - {None}
    good = [
        key
        for key, pair in pairs.items()
        if key not in bad and key not in before and pair not in halves
    ]
    return Measured(
        Counter(one.kind for one in faults),
        Counter(
            one.kind for one in faults if {(one.task, one.item), (one.task, one.twin)} & {*removed}
        ),
        [f"{key}: {removed[key]}" for key in good if key in removed],
        len(good),
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an exam of generated pages; its folder lies beside it."""
    room = tmp_path_factory.mktemp("built")
    _build(room)
    return room


def _build(room: Path) -> None:
    # Some faults make a good item contradict them: there are to be enough that none is near.
    sites = write_sites(room / "pages", pages=6, seed=23)
    pages = [page for one in sites for page in find_pages(room / "pages" / one.name).pages]
    settings, options = BuildSettings(seed=23, clicks=6), PackOptions("fresh")
    build_exam(Pages(pages, []), room / "build", room / "exam", settings, options, jobs=2)


@pytest.mark.browser
@pytest.mark.thorough
@pytest.mark.parametrize("remake", [True, False], ids=["made again", "looked at alone"])
def test_nine_of_ten_blind_faults_are_found_against_the_build(
    built: Path, tmp_path: Path, remake: bool
) -> None:
    witnesses = Witnesses(open_build(built / "build"), remake=remake)
    found = measured(built / "exam", tmp_path / "spoilt", 5, 1, witnesses)
    assert len(found.planted) >= 60
    assert found.share >= (0.99 if remake else 0.9), found.planted - found.caught
    assert len(found.wrong) <= 0.01 * found.good, found.wrong


@pytest.mark.slow
def test_most_blind_faults_are_found_in_a_pack_alone(tmp_path: Path) -> None:
    found = measured(SAMPLE, tmp_path / "spoilt", 5, 1, Witnesses())
    assert len(found.planted) >= 50
    assert found.share >= 0.6, found.planted - found.caught
    # In so small a pack, a planted fault often contradicts a good item about the same thing.
    wrong = [text for text in found.wrong if not text.endswith(Fault.TWIN)]
    assert len(wrong) <= 0.02 * found.good, wrong


def test_the_kinds_have_names_of_their_own() -> None:
    names = Counter(one.name for one in KINDS)
    assert len(names) == names.total() >= 90


@pytest.mark.browser
@pytest.mark.thorough
def test_faults_in_what_a_build_made_are_found_when_it_resumes(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "pages", tmp_path / "pages")
    shutil.copytree(built / "build", tmp_path / "build")
    spoilt = 0
    for file in (tmp_path / "build" / "made").rglob("made.jsonl"):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for line in lines:
            if line["task"] == "mmbench-gui/l2_basic" and "row" in line:
                line["row"]["bbox"] = [side + 50 for side in line["row"]["bbox"]]
                line["record"]["box"] = line["row"]["bbox"]
                spoilt += 1
        file.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines))
    assert spoilt
    _build(tmp_path)
    left = {head.item.task for head in open_pack(tmp_path / "exam").lines.heads}
    assert "mmbench-gui/l2_basic" not in left


@pytest.mark.browser
@pytest.mark.thorough
def test_a_snapshot_that_was_changed_is_no_witness(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "build", tmp_path / "build")
    screen = min((tmp_path / "build" / "snapshots").rglob("screen.png"))
    image = Image.open(screen).convert("RGB")
    ImageDraw.Draw(image).rectangle((200, 200, 500, 300), fill="#777777")
    image.save(screen)
    build = open_build(tmp_path / "build")
    page = build.pages[f"{screen.parent.parent.name}/{screen.parent.name}"]
    exam = open_pack(built / "exam")
    found = audit_pack(exam, open_references(exam), witnesses=Witnesses(build))
    assert Fault.SNAPSHOT in {one.fault for one in found.findings}
    assert page.changed_files == ("screen.png",)

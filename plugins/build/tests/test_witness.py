"""A second witness agrees with every item that a build makes, and sees what is spoilt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec
import pytest
from witness import all_items, evidence_against
from witness.builds import BuildFolder, open_build

from snellen.build.build import BuildSettings
from snellen.build.exam import PackOptions, build_exam
from snellen.build.pages import Pages, find_pages
from snellen.build.sites import write_sites
from snellen.grading.protocols.golds import Target
from snellen.tasks.item_audit.items import AuditItem
from snellen.tasks.pack.read import Pack, open_pack, open_references

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

Spoil = Callable[[AuditItem, AuditItem], AuditItem]


@dataclass(frozen=True)
class Built:
    """A built exam with its build and its items."""

    pack: Pack
    items: Sequence[AuditItem]
    build: BuildFolder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build an exam of all tasks from generated pages."""
    room = tmp_path_factory.mktemp("built")
    sites = write_sites(room / "pages", pages=6, seed=23)
    pages = [page for one in sites for page in find_pages(room / "pages" / one.name).pages]
    settings, options = BuildSettings(seed=23, clicks=6), PackOptions("fresh")
    build_exam(Pages(pages, []), room / "build", room / "exam", settings, options, jobs=2)
    pack = open_pack(room / "exam")
    return Built(pack, all_items(pack, open_references(pack)), open_build(room / "build"))


def test_nothing_speaks_against_an_item_of_a_build(built: Built) -> None:
    found = evidence_against(built.pack, built.items, built.build)
    assert len(found) == len(built.items) > 200
    assert {key: evidence for key, evidence in found.items() if evidence} == {}


def other_gold(item: AuditItem, other: AuditItem) -> AuditItem:
    return replace(item, gold=other.gold)


def other_record(item: AuditItem, other: AuditItem) -> AuditItem:
    return replace(item, gold=other.gold, record=other.record)


def other_picture(item: AuditItem, other: AuditItem) -> AuditItem:
    return replace(item, line=item.line.model_copy(update={"images": other.line.images}))


def moved(item: AuditItem, _: AuditItem) -> AuditItem:
    assert isinstance(item.gold, Target)
    left, top, right, bottom = item.gold.bbox
    box = (left + 60, top + 60, right + 60, bottom + 60)
    return replace(item, gold=msgspec.structs.replace(item.gold, bbox=box))


@pytest.mark.parametrize(
    ("task", "spoil"),
    [
        ("visualwebbench/heading_ocr", other_gold),
        ("visualwebbench/heading_ocr", other_record),
        ("visualwebbench/webqa", other_gold),
        ("visualwebbench/element_ground_bbox", moved),
        ("visualwebbench/element_ground_bbox", other_picture),
        ("mmbench-gui/l2_basic", moved),
        ("mmbench-gui/l2_basic", other_picture),
        ("webrssbench/hint_text", other_gold),
        ("webrssbench/position", other_picture),
        ("screenqa/short", other_gold),
        ("matrix/items", other_picture),
    ],
)
def test_a_spoilt_item_is_seen(built: Built, task: str, spoil: Spoil) -> None:
    items = [item for item in built.items if item.task == task]
    pairs = [
        (item, other)
        for item, other in zip(items, items[1:] + items[:1], strict=True)
        if item.site != other.site and str(item.gold) != str(other.gold)
    ]
    assert pairs
    seen = 0
    for item, other in pairs:
        found = evidence_against(built.pack, [spoil(item, other)], built.build)
        seen += bool(found[task, item.item])
    assert seen >= 0.9 * len(pairs)

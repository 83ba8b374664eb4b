"""From pages to VisualWebBench's published layout, to its loader, to a pack."""

import json
from pathlib import Path

import msgspec
import pytest
from inked import inked
from ten_links import TITLES, links

from snellen.build.items import PageItems, make_items
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Captured, Click, Snapshot
from snellen.build.writers.visualwebbench.clicks import offered
from snellen.build.writers.visualwebbench.write import (
    MAKERS,
    VARIANTS,
    write_data,
)
from snellen.grading.ceiling import attainable_maximum
from snellen.grading.protocols.table import PROTOCOLS, gold_shape
from snellen.tasks.benchmarks.visualwebbench.load import TASKS, load
from snellen.tasks.data.check import image_faults
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.write import Part, write_pack

TEXT = (
    "The shop in Harrow Bay sells running shoes and hiking boots for every season, and fixes"
    " them for as long as you wear them."
)
FACTS = {
    "kind": "pairs",
    "caption": "",
    "element": None,
    "pairs": [
        {"label": "Size", "value": "40 cm", "label_element": 12, "element": 13},
        {"label": "Price", "value": "$1,200.00", "label_element": 14, "element": 15},
    ],
}


def page(folder: Path, site: str, name: str) -> Snapshot:
    elements = links(top=80, step=45)
    title = f"Shoes at {site}"
    elements.append(
        Element(
            10,
            "h1",
            (20, 10, 300, 50),
            role="heading",
            level=1,
            text=title,
            own=title,
            font_size=30,
        )
    )
    elements.append(Element(11, "p", (200, 80, 390, 300), text=TEXT, own=TEXT))
    for place, text in enumerate(("Size", "40 cm", "Price", "$1,200.00"), start=12):
        top = 330 + 40 * (place - 12)
        elements.append(Element(place, "p", (200, top, 390, top + 20), text=text, own=text))
    screen = Screen(400, 600, tuple(elements), title=title, description=TEXT, language="en")
    clicks = tuple(Click(place, f"{text} – {site}") for place, text in enumerate(TITLES))
    captured = Captured(name, site, f"{name}.html", screen, clicks=clicks, facts=(FACTS,))
    folder.mkdir(parents=True)
    (folder / "screen.png").write_bytes(inked(elements, (400, 600)))
    (folder / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    return Snapshot(folder)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[PageItems]:
    room = tmp_path_factory.mktemp("pages")
    names = (("one.example", "index"), ("one.example", "a_b"), ("two.example", "index"))
    return [
        make_items(
            page(room / "snapshots" / site / name, site, name),
            MAKERS,
            7,
            room / "made" / site / name,
        )
        for site, name in names
    ]


@pytest.fixture(scope="module")
def data(pages: list[PageItems], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "visualwebbench"
    write_data(offered(pages, 7), folder)
    return folder


def test_every_task_of_the_loader_is_made() -> None:
    assert {*MAKERS, *(task for tasks in VARIANTS.values() for task in tasks)} == set(TASKS)


def test_such_a_page_carries_every_task(pages: list[PageItems]) -> None:
    for one in pages:
        assert not one.refused
        assert {made.task for made in one.made} == set(MAKERS)


@pytest.mark.parametrize("task", TASKS)
def test_what_is_made_loads_and_its_references_reach_the_maximum(task: str, data: Path) -> None:
    loaded = load(task, data)
    assert all(
        item.split("/")[1:3]
        in (["one.example", "index"], ["one.example", "a_b"], ["two.example", "index"])
        for item in loaded.ids
    )
    assert loaded.cluster == "website"
    assert set(loaded.tags["website"]) == {"one.example", "two.example"}
    assert list(image_faults(loaded)) == []
    shape = gold_shape(task)
    assert loaded.contexts is not None
    for protocol in PROTOCOLS[task]:
        found = attainable_maximum(protocol, shape.responses, loaded.golds, loaded.contexts)
        assert found.best == pytest.approx(protocol.metric.best, abs=1e-12)
        assert not found.below, protocol.id


@pytest.mark.parametrize("task", TASKS)
def test_no_prompt_tells_the_site_or_the_answer(task: str, data: Path) -> None:
    loaded = load(task, data)
    for place, item_id in enumerate(loaded.ids):
        prompt = loaded.item(item_id).prompt
        assert "example" not in prompt or task == "visualwebbench/action_prediction"
        if task == "visualwebbench/webqa":
            texts: list[str] = loaded.golds[place]  # pyright: ignore[reportAssignmentType]  # webqa's
            assert not any(text in prompt for text in texts)


def test_it_makes_a_clean_pack(data: Path, tmp_path: Path) -> None:
    parts = [Part(load(task, data)) for task in TASKS]
    write_pack(parts, tmp_path / "pack", name="made")
    assert check_pack(tmp_path / "pack").fine


def test_what_was_done_stands_beside_the_data(data: Path) -> None:
    lines = [json.loads(line) for line in (data / "made.jsonl").read_text().splitlines()]
    for task in TASKS:
        mine = [line for line in lines if line["task"] == task]
        assert [line["item"] for line in mine] == list(load(task, data).ids)
    assert {(line["site"], line["page"]) for line in lines} == {
        ("one.example", "index"),
        ("one.example", "a_b"),
        ("two.example", "index"),
    }
    assert all(line["tags"]["language"] == "en" for line in lines)
    assert all("box" in line["record"] for line in lines if "ground" in line["task"])


def test_items_of_a_page_share_the_screenshot_without_marks(data: Path) -> None:
    assert len(list((data / "raw_image").rglob("*.png"))) == 3

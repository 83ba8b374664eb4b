"""ScreenQA's items, from hand-made screens to a pack."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import pytest
from PIL import Image

from snellen.grading.ceiling import attainable_maximum
from snellen.grading.errors import InputError
from snellen.grading.protocols.table import PROTOCOLS, gold_shape
from snellen.tasks.benchmarks.screenqa import NO_ANSWER, load
from snellen.tasks.builder.items import PageItems, make_items
from snellen.tasks.builder.questions.arithmetic import calculations, written
from snellen.tasks.builder.questions.lookup import Lookup, lookups
from snellen.tasks.builder.questions.templates import questions_of
from snellen.tasks.builder.screen.elements import Element, Screen
from snellen.tasks.builder.snapshots import Captured, Snapshot
from snellen.tasks.builder.writers.base import Made, Refused
from snellen.tasks.builder.writers.screenqa.absent import SHARE, Asked, is_absent
from snellen.tasks.builder.writers.screenqa.wording import question_of, sentences_of
from snellen.tasks.builder.writers.screenqa.write import (
    COMPLEX,
    IMAGES,
    LONG,
    MAKERS,
    SHORT,
    write_data,
)
from snellen.tasks.checking import image_faults
from snellen.tasks.models import TaskData
from snellen.tasks.pack.checking import check_pack
from snellen.tasks.pack.writing import Part, write_pack

WIDTH, HEIGHT = 1280, 1400
Fact = dict[str, Any]
Freeze = Callable[..., Snapshot]


class Page:
    """A screen that is put together part by part."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.facts: list[Fact] = []

    def add(self, text: str = "", tag: str = "p", **fields: Any) -> int:
        place = len(self.elements)
        top = 10 + 20 * place
        box = fields.pop("box", (100, top, 300, top + 16))
        shown: dict[str, Any] = {"text": text, "own": text, "landmark": "main", **fields}
        self.elements.append(Element(place, tag, box, **shown))
        return place

    def table(self, headers: list[str], *rows: list[str], caption: str = "") -> "Page":
        cells = [
            [self.add(text, "td", role="cell") if text else None for text in row] for row in rows
        ]
        self.facts.append(
            {
                "kind": "table",
                "caption": caption,
                "element": None,
                "headers": headers,
                "header_cells": [self.add(text, "th") for text in headers],
                "rows": [*rows],
                "cells": cells,
            }
        )
        return self

    def pairs(self, landmark: str = "main", **values: str) -> "Page":
        found: list[Fact] = []
        for name, value in values.items():
            label = name.replace("_", " ")
            place = self.add(label, "dt", landmark=landmark)
            element = self.add(value, "dd", landmark=landmark)
            found.append(
                {"label": label, "value": value, "label_element": place, "element": element}
            )
        self.facts.append({"kind": "pairs", "caption": "", "element": None, "pairs": found})
        return self

    def prices(self, **values: str) -> "Page":
        found: list[Fact] = []
        for name, price in values.items():
            place, element = self.add(name, "h3", role="heading", level=3), self.add(price)
            found.append({"name": name, "price": price, "name_element": place, "element": element})
        self.facts.append({"kind": "prices", "caption": "", "element": None, "items": found})
        return self


@pytest.fixture
def freeze(tmp_path: Path) -> Freeze:
    numbers = iter(range(1000))

    def make(page: Page, site: str = "shop", name: str = "index", **screen: Any) -> Snapshot:
        folder = tmp_path / "snapshots" / f"{next(numbers)}"
        shown = Screen(WIDTH, HEIGHT, tuple(page.elements), **{"language": "en", **screen})
        return frozen(folder, Captured(name, site, "x.html", shown, facts=tuple(page.facts)))

    return make


def frozen(folder: Path, captured: Captured) -> Snapshot:
    folder.mkdir(parents=True)
    file = io.BytesIO()
    shade = sum(map(ord, captured.site + captured.page)) % 256
    size = (captured.screen.width, captured.screen.height)
    Image.new("RGB", size, (shade, 200, 99)).save(file, "PNG")
    (folder / "screen.png").write_bytes(file.getvalue())
    (folder / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    return Snapshot(folder)


def said(snapshot: Snapshot) -> dict[tuple[str, ...], tuple[str, ...]]:
    return {(one.kind, *one.names): one.fragments for one in lookups(snapshot)}


# ---- what is said ------------------------------------------------------------------------------


def test_cells_that_are_said_once_are_asked_for_alone_and_with_the_next_one(freeze: Freeze) -> None:
    page = Page().table(
        ["Name", "Office", "Fee"],
        ["Ann Lee", "Tokyo", "$120"],
        ["Bob Ray", "Tokyo", "$90"],
        ["Cid Fox", "Paris", "$340"],
        ["Dan Orr", "Delhi", "$70"],
        ["Eve Kay", "Cairo", "$75"],
    )
    found = said(freeze(page))
    assert ("cell", "Ann Lee", "Office") not in found
    assert found["cell", "Ann Lee", "Fee"] == ("$120",)
    assert found["cell", "Cid Fox", "Office"] == ("Paris",)
    assert found["row", "Cid Fox", "Office", "Fee"] == ("Paris", "$340")
    assert ("row", "Ann Lee", "Office", "Fee") not in found


def test_of_few_rows_only_numbers_are_asked_for(freeze: Freeze) -> None:
    page = Page().table(["Day", "Hours"], ["Friday", "9 am"], ["Sunday", "Closed"])
    assert set(said(freeze(page))) == {("cell", "Friday", "Hours")}


def test_labels_with_one_value_of_their_own_are_asked_for(freeze: Freeze) -> None:
    page = Page().pairs(Seats="69", Groups="up to 46", Open="yes", Wifi="yes")
    page.pairs(Phone="555 0199", landmark="contentinfo")
    assert said(freeze(page)) == {("pair", "Seats"): ("69",), ("pair", "Groups"): ("up to 46",)}


def test_a_label_with_two_values_is_not_asked_for(freeze: Freeze) -> None:
    page = Page().pairs(Members="78").pairs(Members="33")
    assert said(freeze(page)) == {}


def test_an_answer_that_the_question_says_is_not_asked_for(freeze: Freeze) -> None:
    page = Page().pairs(Storage_used="storage is full", Trial="30 days")
    assert set(said(freeze(page))) == {("pair", "Trial")}


def test_prices_and_what_fields_hold_are_asked_for(freeze: Freeze) -> None:
    page = Page().prices(Tea="$3.50", Coffee="$4.20", Cake="$4.20")
    for label, value, options in (
        ("Town", "Fernbrook", ()),
        ("Sort by", "Newest", ("Relevance", "Newest")),
        ("Category", "All", ("All", "Books")),
        ("Note", "", ()),
    ):
        page.add(label, "label")
        page.add("", "input", role="textbox", label=label, value=value, options=options)
    page.add("Secret", "label")
    page.add("", "input", role="textbox", kind="password", label="Secret", value="hush")
    assert said(freeze(page)) == {
        ("price", "Tea"): ("$3.50",),
        ("field", "Town"): ("Fernbrook",),
        ("field", "Sort by"): ("Newest",),
    }


def test_a_sum_of_money_alone_is_no_price(freeze: Freeze) -> None:
    assert said(freeze(Page().prices(Dashboard="$24,567"))) == {}


def test_what_can_not_be_read_is_not_asked_for(freeze: Freeze) -> None:
    page = Page().pairs(Seats="69", Trial="30 days", Plan="Solo")
    seats, trial = page.elements[1], page.elements[3]
    page.elements[1] = msgspec.structs.replace(seats, covered=0.5)
    page.elements[3] = msgspec.structs.replace(trial, cut=True)
    assert set(said(freeze(page))) == {("pair", "Plan")}


def test_the_only_first_heading_is_asked_for(freeze: Freeze) -> None:
    page = Page()
    page.add("Come early", "h1", role="heading", level=1)
    assert said(freeze(page)) == {("heading",): ("Come early",)}
    page.add("Come late", "h1", role="heading", level=1)
    assert said(freeze(page)) == {}


def test_a_value_within_a_line_has_no_element_of_its_own(freeze: Freeze) -> None:
    page = Page()
    line = page.add("Size: 40 cm")
    fact = {"label": "Size", "value": "40 cm", "label_element": line, "element": line}
    page.facts.append({"kind": "pairs", "caption": "", "element": None, "pairs": [fact]})
    snapshot = freeze(page)
    assert lookups(snapshot) == [Lookup("pair", ("Size",), ("40 cm",), ())]
    assert [one.task for one in MAKERS[SHORT](snapshot, Random(1))] == [SHORT]
    (refused,) = MAKERS[LONG](snapshot, Random(1))
    assert refused == Refused(LONG, "nothing that one element says alone")


# ---- items -------------------------------------------------------------------------------------


def test_a_short_answer_has_its_variants(freeze: Freeze) -> None:
    (made,) = MAKERS[SHORT](freeze(Page().pairs(Trial="30 days")), Random(1))
    assert isinstance(made, Made)
    assert made.row["ground_truth"] == ["30 days", "30"]
    assert "“Trial”" in made.row["question"]


def test_a_long_answer_has_sentences_in_two_wordings_and_the_element(freeze: Freeze) -> None:
    page = Page().pairs(Trial="30 days")
    page.elements[1] = msgspec.structs.replace(page.elements[1], ink=(100.0, 32.0, 150.0, 44.0))
    (made,) = MAKERS[LONG](freeze(page), Random(1))
    assert isinstance(made, Made)
    first, second = made.row["ground_truth"]
    assert first["full_answer"] != second["full_answer"]
    assert all("30 days" in rater["full_answer"] for rater in (first, second))
    elements = [{"text": "30 days", "bounds": [100.0, 32.0, 150.0, 44.0]}]
    assert first["ui_elements"] == second["ui_elements"] == elements


@pytest.mark.parametrize(
    "one",
    [
        Lookup("cell", ("Tea", "Size"), ("9 cm",), (1,)),
        Lookup("row", ("Tea", "Size", "Shelf"), ("9 cm", "top"), (1, 2)),
        Lookup("pair", ("Size",), ("9 cm",), (1,)),
        Lookup("price", ("Tea",), ("9 cm",), (1,)),
        Lookup("field", ("Size",), ("9 cm",), (1,)),
        Lookup("heading", (), ("9 cm",), (1,)),
    ],
)
def test_every_wording_names_what_it_asks_for_and_answers_with_all_of_it(one: Lookup) -> None:
    wordings = {question_of(one, Random(seed)) for seed in range(40)}
    sentences = {each for seed in range(40) for each in sentences_of(one, Random(seed))}
    assert len(wordings) >= 2
    assert len(sentences) >= 2
    assert all(f"“{name}”" in wording for wording in wordings for name in one.names)
    assert all(
        part in each
        for each in sentences
        for part in (*one.names, *one.fragments)
        if one.kind != "heading"
    )
    assert not any("{" in each for each in (*wordings, *sentences))


def test_a_screen_carries_at_most_two_of_a_task_of_different_kinds(freeze: Freeze) -> None:
    page = Page().pairs(Seats="69", Trial="30 days").prices(Tea="$3.50", Coffee="$4.20")
    for task in (SHORT, LONG):
        made = list(MAKERS[task](freeze(page), Random(3)))
        assert {one.tags["question"] for one in made if isinstance(one, Made)} == {"pair", "price"}
        assert len(made) == 2


def test_an_empty_screen_is_refused_with_reasons(freeze: Freeze) -> None:
    found = [one for maker in MAKERS.values() for one in maker(freeze(Page()), Random(1))]
    assert found == [
        Refused(SHORT, "nothing that is said once and can be asked for"),
        Refused(LONG, "nothing that one element says alone"),
        Refused(COMPLEX, "no numbers to calculate with or things to count"),
    ]


# ---- calculations ------------------------------------------------------------------------------


def calculated(snapshot: Snapshot) -> dict[str, tuple[str, str]]:
    return {
        one.question: (one.kind, one.answers[0])
        for seed in range(40)
        for one in calculations(snapshot, Random(seed))
    }


def test_prices_are_compared_and_added(freeze: Freeze) -> None:
    prices = {"Tea": "$3.50", "Coffee": "$4.20", "Cake": "$1,200.00"}
    found = calculated(freeze(Page().prices(**prices)))
    assert found == {
        **{
            f"What is the difference between the price of “{one}” and the price of “{other}”?": (
                "difference",
                answer,
            )
            for pair, answer in (
                (("Tea", "Coffee"), "$0.70"),
                (("Tea", "Cake"), "$1,196.50"),
                (("Coffee", "Cake"), "$1,195.80"),
            )
            for one, other in (pair, pair[::-1])
        },
        **{
            f"How much do “{one}” and “{other}” cost together?": ("sum", answer)
            for pair, answer in (
                (("Tea", "Coffee"), "$7.70"),
                (("Tea", "Cake"), "$1,203.50"),
                (("Coffee", "Cake"), "$1,204.20"),
            )
            for one, other in (pair, pair[::-1])
        },
    }


def test_hours_and_rows_are_counted(freeze: Freeze) -> None:
    page = Page().table(
        ["Day", "Hours", "Staff"],
        ["Monday", "9:00 am - 5:30 pm", "two"],
        ["Tuesday", "9:15 am - 5:30 pm", "two"],
        ["Wednesday", "9:30 am - 5:30 pm", "two"],
        ["Thursday", "Closed", "none"],
        ["Friday", "10:00 am - 1:00 pm", "one"],
    )
    found = calculated(freeze(page))
    hours = {answer for kind, answer in found.values() if kind == "hours"}
    assert hours == {"8.5", "8.25", "8 hours", "3 hours"}
    assert found["How many rows have “two” under “Staff”?"] == ("count", "3")


@pytest.mark.parametrize(
    ("language", "like", "text"),
    [("en", "$20.00", "$1,234.50"), ("de", "20,00 €", "1.234,50 €"), ("en", "7 km", "1,234 km")],
)
def test_a_result_is_written_as_the_numbers_are(language: str, like: str, text: str) -> None:
    from decimal import Decimal

    questions = questions_of(language)
    assert questions is not None
    assert written(Decimal("1234.50"), like, questions) == text


# ---- questions without an answer ---------------------------------------------------------------


def asked(kind: str, name: str, answer: str) -> Asked:
    return Asked("other", "other/index", "en", "text", 0, kind, (name,), answer)


@pytest.mark.parametrize(
    ("kind", "name", "answer", "shown", "absent"),
    [
        ("pair", "Waiting time", "about 11 minutes", "Seats\n69", True),
        ("pair", "Waiting time", "about 11 minutes", "The time now", False),
        ("pair", "Deadline", "June 12, 2026", "Begins\nMay 1, 2026", False),
        ("pair", "Deadline", "June 12, 2026", "Begins soon", True),
        ("pair", "Emergency", "(212) 555-0151", "Call 212 555 0199", False),
        ("pair", "Fee", "$5", "costs $7", False),
        ("pair", "Kitchen until", "3:45 pm", "Hours\n9:00 am", False),
        ("pair", "营业时间", "九点", "营业日", False),
        ("pair", "营业时间", "九点", "座位", True),
        ("pair", "Curator", "Noah Whitcombe", "Signed in as Noah Whitcombe", False),
        ("pair", "Address", "2 Alder Street", "Seats", False),
        ("pair", "地址", "灯塔街154号", "座位", False),
        ("pair", "New", "Solo", "renewed", True),
        ("pair", "New", "Solo", "a new one", False),
        ("price", "History of music", "$5", "History of painting\n$7", True),
        ("price", "History of music", "$5", "The history of Music", False),
        ("cell", "Friday", "9 am", "open on Friday", False),
        ("cell", "Friday", "9 am", "Monday\n9 am", True),
    ],
)
def test_nothing_may_hint_at_what_a_screen_does_not_say(
    kind: str, name: str, answer: str, shown: str, absent: bool
) -> None:
    assert is_absent(asked(kind, name, answer), shown) is absent


def golds_of(loaded: TaskData) -> list[list[Any]]:
    return [list(cast(Sequence[Any], gold)) for gold in loaded.golds]


def many(freeze: Freeze, tmp_path: Path, count: int) -> list[PageItems]:
    """Screens of four sites, of which each tells two things of its own."""
    found: list[PageItems] = []
    words = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper"]
    for number in range(count):
        labels = {f"{words[number % 10]}_{place}_{number}": f"{number}{place} cm" for place in "xy"}
        site, name = f"site{number % 4}.example", f"page{number}"
        snapshot = freeze(Page().pairs(**labels), site, name)
        found.append(make_items(snapshot, MAKERS, 7, tmp_path / "made" / site / name))
    return found


@pytest.mark.slow
def test_a_quarter_of_the_questions_has_no_answer_and_is_asked_elsewhere(
    freeze: Freeze, tmp_path: Path
) -> None:
    pages = many(freeze, tmp_path, 60)
    write_data(pages, tmp_path / "data")
    absences: tuple[tuple[str, list[Any]], ...] = (
        (SHORT, [NO_ANSWER]),
        (LONG, [NO_ANSWER]),
        ("screenqa/ui_contents", [[]]),
        ("screenqa/ui_contents_boxes", [[]]),
    )
    for task, nothing in absences:
        loaded = load(task, tmp_path / "data")
        golds = golds_of(loaded)
        share = golds.count(nothing) / len(golds)
        assert share == pytest.approx(SHARE, abs=0.03)
        prompts = [loaded.item(item).prompt.splitlines()[-1] for item in loaded.ids]
        absent = [text for text, gold in zip(prompts, golds, strict=True) if gold == nothing]
        present = {text for text, gold in zip(prompts, golds, strict=True) if gold != nothing}
        assert set(absent) <= present
        assert len(set(absent)) == len(absent)


def test_a_single_screen_has_only_questions_with_answers(freeze: Freeze, tmp_path: Path) -> None:
    write_data(many(freeze, tmp_path, 1), tmp_path / "data")
    loaded = load(SHORT, tmp_path / "data")
    assert len(loaded.ids) == 2
    assert all(NO_ANSWER not in gold for gold in golds_of(loaded))


# ---- the published layout ----------------------------------------------------------------------


@pytest.fixture
def pages(freeze: Freeze, tmp_path: Path) -> list[PageItems]:
    found: list[PageItems] = []
    for site, name, trial in (
        ("one.example", "index", "30 days"),
        ("one.example", "a_b", "14 days"),
        ("two.example", "index", "7 days"),
    ):
        page = Page().prices(Tea="$3.50", Coffee="$4.20", Cake="$9.00").pairs(Trial=trial)
        snapshot = freeze(page, site, name)
        found.append(make_items(snapshot, MAKERS, 7, tmp_path / "made" / site / name))
    return found


@pytest.fixture
def data(pages: list[PageItems], tmp_path: Path) -> Path:
    write_data(pages, tmp_path / "data")
    return tmp_path / "data"


def test_a_screen_has_its_number_whatever_is_built_beside_it(
    pages: list[PageItems], data: Path, tmp_path: Path
) -> None:
    # So packs of two builds can be merged.
    write_data(pages[2:], tmp_path / "alone")
    (alone,) = {each.name for each in (tmp_path / "alone" / IMAGES).iterdir()}
    beside = {each.name for each in (data / IMAGES).iterdir()}
    assert alone in beside
    assert len(beside) == 3


TASKS = (SHORT, LONG, "screenqa/ui_contents", "screenqa/ui_contents_boxes", COMPLEX)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_what_is_made_loads_and_its_references_reach_the_maximum(task: str, data: Path) -> None:
    loaded = load(task, data, images=data / IMAGES)
    assert loaded.cluster == "image_id"
    assert len(set(loaded.tags["image_id"])) == 3
    assert len(loaded.ids) == 6
    assert list(image_faults(loaded)) == []
    shape = gold_shape(task)
    for protocol in PROTOCOLS[task]:
        # The fork's score of short answers does not reach its own maximum by a reference.
        if protocol.id != "charset":
            found = attainable_maximum(
                protocol, shape.responses, loaded.golds, loaded.contexts or ()
            )
            assert not found.below, protocol.id


def test_it_makes_a_clean_pack_with_a_line_for_each_item(data: Path, tmp_path: Path) -> None:
    parts = [Part(load(task, data, images=data / IMAGES)) for task in TASKS]
    write_pack(parts, tmp_path / "pack", name="made")
    assert check_pack(tmp_path / "pack").fine
    lines = [json.loads(line) for line in (data / "made.jsonl").read_text().splitlines()]
    ids = {(part.data.task, item) for part in parts for item in part.data.ids}
    assert {(line["task"], line["item"]) for line in lines} == ids
    assert len(lines) == len(ids)
    assert {(line["site"], line["page"]) for line in lines} == {
        ("one.example", "index"),
        ("one.example", "a_b"),
        ("two.example", "index"),
    }


def test_no_prompt_tells_the_site_or_the_answer(data: Path) -> None:
    loaded = load(SHORT, data)
    for item, gold in zip(loaded.ids, golds_of(loaded), strict=True):
        question = loaded.item(item).prompt.splitlines()[-1]
        assert "example" not in question
        assert not any(text in question for text in gold)


def test_equal_items_are_written_to_equal_bytes(pages: list[PageItems], tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_data(pages, tmp_path / name)
    files = [path for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(files) == 7
    for file in files:
        assert file.read_bytes() == (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_bytes()


def test_items_of_other_benchmarks_are_left_out(tmp_path: Path) -> None:
    other = Made("visualwebbench/webqa", {}, {})
    write_data([PageItems("shop", "index", [other], [])], tmp_path / "data")
    assert [path.name for path in (tmp_path / "data").rglob("*") if path.is_file()] == [
        "made.jsonl"
    ]


def test_a_folder_that_holds_something_is_not_written_to(
    pages: list[PageItems], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError):
        write_data(pages, tmp_path)

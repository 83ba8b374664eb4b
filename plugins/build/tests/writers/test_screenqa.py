"""ScreenQA's items, from hand-made screens to a pack."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import pytest

from snellen.build.items import Made, PageItems, Refused, make_items
from snellen.build.questions.lookup import lookups
from snellen.build.snapshots import Snapshot
from snellen.build.writers.screenqa.absent import SHARE, near_misses
from snellen.build.writers.screenqa.write import (
    COMPLEX,
    IMAGES,
    LONG,
    MAKERS,
    SHORT,
    write_data,
)
from snellen.grading.ceiling import attainable_maximum
from snellen.grading.protocols.table import PROTOCOLS, gold_shape
from snellen.tasks.benchmarks.screenqa.load import NO_ANSWER, load
from snellen.tasks.data.check import image_faults
from snellen.tasks.models import TaskData
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.write import Part, write_pack

Freeze = Callable[..., Snapshot]
Blank = Callable[[], Any]


def test_a_value_within_a_line_has_an_answer_and_no_box(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    line = page.add("Size: 40 cm")
    fact = {"label": "Size", "value": "40 cm", "label_element": line, "element": line}
    page.facts.append({"kind": "pairs", "caption": "", "element": None, "pairs": [fact]})
    snapshot = freeze(page)
    assert [one.task for one in MAKERS[SHORT](snapshot, Random(1))] == [SHORT]
    (refused,) = MAKERS[LONG](snapshot, Random(1))
    assert refused == Refused(LONG, "nothing that one element says alone")


# ---- items -------------------------------------------------------------------------------------


def test_a_short_answer_has_its_variants(blank: Blank, freeze: Freeze) -> None:
    (made,) = MAKERS[SHORT](freeze(blank().pairs(Trial="30 days")), Random(1))
    assert isinstance(made, Made)
    assert made.row["ground_truth"] == ["30 days", "30"]
    assert "“Trial”" in made.row["question"]


def test_a_long_answer_has_sentences_in_two_wordings_and_the_element(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank().pairs(Trial="30 days")
    page.elements[1] = msgspec.structs.replace(page.elements[1], ink=(100.0, 32.0, 150.0, 44.0))
    (made,) = MAKERS[LONG](freeze(page), Random(1))
    assert isinstance(made, Made)
    first, second = made.row["ground_truth"]
    assert first["full_answer"] != second["full_answer"]
    assert all("30 days" in rater["full_answer"] for rater in (first, second))
    elements = [{"text": "30 days", "bounds": [100.0, 32.0, 150.0, 44.0]}]
    assert first["ui_elements"] == second["ui_elements"] == elements


def test_an_element_in_two_lines_has_an_answer_and_no_box(blank: Blank, freeze: Freeze) -> None:
    page = blank().pairs(Trial="30 days")
    page.elements[1] = msgspec.structs.replace(page.elements[1], split=True)
    snapshot = freeze(page)
    assert [made.task for made in MAKERS[SHORT](snapshot, Random(1))] == [SHORT]
    (refused,) = MAKERS[LONG](snapshot, Random(1))
    assert isinstance(refused, Refused)


def test_a_screen_carries_at_most_two_of_a_task_of_different_kinds(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank().pairs(Seats="69", Trial="30 days").prices(Tea="$3.50", Coffee="$4.20")
    for task in (SHORT, LONG):
        made = list(MAKERS[task](freeze(page), Random(3)))
        assert {one.tags["question"] for one in made if isinstance(one, Made)} == {"pair", "price"}
        assert len(made) == 2


def test_an_empty_screen_is_refused_with_reasons(blank: Blank, freeze: Freeze) -> None:
    found = [one for maker in MAKERS.values() for one in maker(freeze(blank()), Random(1))]
    assert found == [
        Refused(SHORT, "nothing that is said once and can be asked for"),
        Refused(LONG, "nothing that one element says alone"),
        Refused(COMPLEX, "no numbers to calculate with or things to count"),
    ]


# ---- questions without an answer ---------------------------------------------------------------


def misses(snapshot: Snapshot) -> set[tuple[str, tuple[str, ...]]]:
    return {(one.kind, one.names) for one in near_misses(snapshot, lookups(snapshot), Random(1))}


def test_a_near_miss_changes_one_word_of_a_name(blank: Blank, freeze: Freeze) -> None:
    page = blank().prices(**{"Oak table": "$90", "Pine chair": "$40", "Lamp": "$20"})
    assert misses(freeze(page)) == {
        (kind, (name,)) for kind in ("price", "section") for name in ("Oak chair", "Pine table")
    }
    page.add("See also: Oak chairs")
    assert misses(freeze(page)) == {("price", ("Pine table",)), ("section", ("Pine table",))}


def test_another_form_of_a_word_is_no_near_miss(blank: Blank, freeze: Freeze) -> None:
    page = blank().pairs(Garden_tables="120 cm", Gardens_chairs="60 cm")
    assert misses(freeze(page)) == {("pair", ("Garden chairs",)), ("pair", ("Gardens tables",))}
    assert not misses(freeze(blank().pairs(Garden_table="120 cm", Gardens_tables="60 cm")))


def test_a_near_miss_takes_a_column_of_another_table(blank: Blank, freeze: Freeze) -> None:
    page = blank().table(["Day", "Opens"], ["Monday", "9:10"], ["Friday", "8:20"])
    page.table(["Ticket", "Fee"], ["Child", "$3"], ["Adult", "$7"])
    assert misses(freeze(page)) == {
        *(("cell", (day, "Fee")) for day in ("Monday", "Friday")),
        *(("cell", (ticket, "Opens")) for ticket in ("Child", "Adult")),
    }
    page.facts[1]["partial"] = True
    assert not misses(freeze(page))


def test_a_near_miss_asks_for_a_value_that_no_row_has(blank: Blank, freeze: Freeze) -> None:
    rows = [[name, str(100 + 11 * place)] for place, name in enumerate("ABCDEF")]
    found = misses(freeze(blank().table(["Hall", "Seats"], *rows)))
    assert found
    assert all(kind == "reverse" and names[1:] == ("Seats", "Hall") for kind, names in found)
    shown = {seats for _, seats in rows}
    assert not {names[0] for _, names in found} & shown
    starts, ends = {seats[0] for seats in shown}, {seats[-1] for seats in shown}
    assert all(names[0][0] in starts and names[0][-1] in ends for _, names in found)


def test_a_mixed_value_is_one_that_can_be(blank: Blank, freeze: Freeze) -> None:
    times = ["9:40 AM", "8:15 AM", "7:50 AM", "6:25 AM", "5:35 AM", "4:05 AM"]
    rows = [[name, time] for name, time in zip("ABCDEF", times, strict=True)]
    found = misses(freeze(blank().table(["Train", "Leaves"], *rows)))
    minutes = {names[0].partition(":")[2] for kind, names in found if kind == "reverse"}
    assert minutes
    assert minutes <= {time.partition(":")[2] for time in times}
    days = [f"2026-0{month}-{29 + month % 3}" for month in range(1, 7)]
    rows = [[name, day] for name, day in zip("ABCDEF", days, strict=True)]
    found = misses(freeze(blank().table(["Train", "Day"], *rows)))
    assert not {kind for kind, _ in found} & {"reverse"}


def golds_of(loaded: TaskData) -> list[list[Any]]:
    return [list(cast(Sequence[Any], gold)) for gold in loaded.golds]


def many(blank: Blank, freeze: Freeze, tmp_path: Path, count: int) -> list[PageItems]:
    """Screens of four sites, each with two facts of its own and near misses."""
    found: list[PageItems] = []
    words = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper"]
    for number in range(count):
        one, other = words[number % 10], words[(number + 3) % 10]
        labels = {f"{one}_room_{number}": "7 cm", f"{other}_hall_{number}": "9 cm"}
        site, name = f"site{number % 4}.example", f"page{number}"
        snapshot = freeze(blank().pairs(**labels), site, name)
        found.append(make_items(snapshot, MAKERS, 7, tmp_path / "made" / site / name))
    return found


@pytest.mark.slow
def test_a_quarter_of_the_questions_has_no_answer_and_names_what_is_nearly_there(
    blank: Blank, freeze: Freeze, tmp_path: Path
) -> None:
    pages = many(blank, freeze, tmp_path, 60)
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
        assert not set(absent) & present
        numbers = [re.findall(r"\d+", text)[0] for text in absent]
        assert all(any(number in text for text in present) for number in numbers)
        assert len(set(absent)) == len(absent)


def test_a_screen_without_near_misses_has_only_questions_with_answers(
    blank: Blank, freeze: Freeze, tmp_path: Path
) -> None:
    snapshot = freeze(blank().pairs(Seats="69", Trial="30 days"))
    write_data([make_items(snapshot, MAKERS, 7, tmp_path / "made")], tmp_path / "data")
    loaded = load(SHORT, tmp_path / "data")
    assert len(loaded.ids) == 2
    assert all(NO_ANSWER not in gold for gold in golds_of(loaded))


# ---- the published layout ----------------------------------------------------------------------


@pytest.fixture
def pages(blank: Blank, freeze: Freeze, tmp_path: Path) -> list[PageItems]:
    found: list[PageItems] = []
    for site, name, trial in (
        ("one.example", "index", "30 days"),
        ("one.example", "a_b", "14 days"),
        ("two.example", "index", "7 days"),
    ):
        page = blank().prices(Tea="$3.50", Coffee="$4.20", Cake="$9.00").pairs(Trial=trial)
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
    # So one exam can have the packs of two builds.
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

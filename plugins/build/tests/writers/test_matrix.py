"""The matrix's items, from hand-made pages to a pack; none is answerable without its image."""

import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from snellen.build.chance import draw
from snellen.build.items import Made, PageItems, Refused
from snellen.build.questions.spatial import following_headings, pointable
from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.snapshots import Captured, Snapshot, write_snapshot
from snellen.build.writers.matrix.pages import relation
from snellen.build.writers.matrix.reasoning import proven
from snellen.build.writers.matrix.write import CHARTS, MAKERS, NOT_MADE, write_data
from snellen.build.writers.table import makers_for
from snellen.grading.ceiling import attainable_maximum
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.benchmarks.matrix.format import DIMENSIONS
from snellen.tasks.benchmarks.matrix.load import load
from snellen.tasks.item_audit.audit import audit_pack
from snellen.tasks.item_audit.models import Solver
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.write import Part, write_pack

PREFIX = "matrix/items/"
TASKS = [task for tasks in DIMENSIONS.values() for task in tasks]
SIZE = (1280, 1400)
TABLE: dict[str, Any] = {
    "kind": "table",
    "caption": "Rooms",
    "element": None,
    "headers": ["Room", "Guests", "Fee"],
    "rows": [
        ["Garden", "12", "$40.00"], ["Tower", "30", "$95.50"], ["Cellar", "8", "$20.00"],
        ["Attic", "17", "$31.00"], ["Hall", "55", "$120.00"],
    ],
    "cells": [[20 + 3 * row + column for column in range(3)] for row in range(5)],
}  # fmt: skip


def part(number: int, tag: str, box: Ltrb, text: str = "", **fields: Any) -> Element:
    shown: dict[str, Any] = {"text": text, "own": text, "background": "#ffffff", **fields}
    return Element(number, tag, box, **shown)


def elements() -> list[Element]:
    """A page with headings, a form, buttons, a picture and a table."""
    press: dict[str, Any] = {"role": "button", "painted": True}
    filled = {"background": "#0b57d0", "color": "#ffffff"}
    fields = ("Full name", "E-mail", "Phone")
    found = [
        part(0, "h1", (80, 40, 500, 80), "Book a room", role="heading", level=1),
        part(1, "h2", (80, 110, 400, 140), "Who comes?", role="heading", level=2),
        *(
            part(2 + n, "input", (80, 190 + 90 * n, 400, 226 + 90 * n), role="textbox",
                 kind="text", label=label, name=label, painted=True)
            for n, label in enumerate(fields)
        ),
        *(
            part(5 + n, "label", (80, 166 + 90 * n, 200, 184 + 90 * n), label)
            for n, label in enumerate(fields)
        ),
        part(8, "button", (80, 480, 260, 524), "Book now", name="Book now", **press | filled),
        part(9, "button", (300, 480, 420, 520), "Start over", name="Start over", **press),
        part(10, "img", (700, 60, 1000, 260), role="img", alt="Our house"),
        part(11, "a", (1080, 60, 1200, 90), "Directions", role="link"),
        part(12, "a", (1080, 120, 1200, 150), "Prices", role="link"),
        part(13, "a", (1080, 180, 1200, 210), "Questions", role="link"),
        part(14, "h2", (80, 700, 400, 730), "Rooms", role="heading", level=2),
        part(15, "p", (80, 1300, 400, 1330), "Open every day"),
        part(16, "p", (700, 1300, 900, 1330), "Closed in winter"),
        part(17, "p", (700, 400, 900, 424), "Breakfast is served"),
        part(18, "p", (980, 480, 1180, 504), "Dogs are welcome"),
        part(19, "table", (80, 760, 800, 1000)),
    ]  # fmt: skip
    for row, cells in enumerate(TABLE["rows"]):
        for column, text in enumerate(cells):
            left, top = 80.0 + 240 * column, 780.0 + 44 * row
            box = (left, top, left + 160, top + 30)
            found.append(part(len(found), "td", box, text, parent=19))
    return found


def png(found: Sequence[Element]) -> bytes:
    image = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(image)
    for element in found:
        if element.painted:
            pen.rectangle(element.box, outline="gray")
        pen.text((element.box[0] + 4, element.box[1] + 4), element.own, fill="black")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


Freeze = Callable[..., Snapshot]


@pytest.fixture(scope="module")
def freeze(tmp_path_factory: pytest.TempPathFactory) -> Freeze:
    """Write a snapshot; by default of the page above."""

    def write(
        found: Sequence[Element] | None = None,
        page: str = "booking",
        facts: Sequence[dict[str, Any]] = (TABLE,),
        language: str = "en",
    ) -> Snapshot:
        found = elements() if found is None else found
        screen = Screen(*SIZE, tuple(found), language=language)
        captured = Captured(page, "inn", f"{page}.html", screen, facts=tuple(facts))
        folder = tmp_path_factory.mktemp("snapshot")
        return write_snapshot(folder, captured, {"screen.png": png(found)})

    return write


@pytest.fixture(scope="module")
def snapshot(freeze: Freeze) -> Snapshot:
    """The page above, once, so that its items are made once."""
    return freeze()


@cache
def _read(folder: Path) -> Snapshot:
    return Snapshot(folder)


@cache
def _made(name: str, folder: Path, seed: int) -> tuple[Made | Refused, ...]:
    snapshot = _read(folder)
    makers = {**MAKERS, **CHARTS}
    return tuple(
        one
        for each in (PREFIX + name, f"{PREFIX}{name}/charts")
        if each in makers
        for one in makers[each](snapshot, draw(seed, snapshot.id, each.removeprefix(PREFIX)))
    )


def of_task(name: str, snapshot: Snapshot, seed: int = 7) -> list[Made | Refused]:
    return list(_made(name, snapshot.folder, seed))


def made(name: str, snapshot: Snapshot, seeds: int = 1) -> list[Made]:
    return [
        one
        for seed in range(seeds)
        for one in of_task(name, snapshot, seed)
        if isinstance(one, Made) and one.task == "matrix/items"
    ]


def by_kind(name: str, kind: str, snapshot: Snapshot, seeds: int = 12) -> list[Made]:
    found = [one for one in made(name, snapshot, seeds) if one.tags["kind"] == kind]
    assert found
    return found


def items_of(snapshot: Snapshot, seed: int = 7) -> PageItems:
    found = [one for task in TASKS for one in of_task(task, snapshot, seed)]
    captured = snapshot.captured
    return PageItems(
        captured.site,
        captured.page,
        [one for one in found if isinstance(one, Made) and one.task == "matrix/items"],
        [one for one in found if isinstance(one, Refused)],
    )


def right_option(one: Made) -> str:
    return str(one.row["options"]["ABCDEFGH".index(one.row["answer"])])


# ---- All of them


def test_there_is_a_maker_for_each_of_the_twelve_tasks() -> None:
    made = {name.removeprefix(PREFIX).removesuffix("/charts") for name in (*MAKERS, *CHARTS)}
    assert made == set(TASKS)


def test_what_asks_about_charts_is_made_only_if_charts_are_wanted(snapshot: Snapshot) -> None:
    plain, drawn = makers_for(["matrix/items"]), makers_for(["matrix/items"], charts=True)
    assert set(drawn) - set(plain) == set(CHARTS)
    for wanted, sources in ((plain, {"page"}), (drawn, {"page", "chart"})):
        found = [one for maker in wanted.values() for one in maker(snapshot, draw(3))]
        items = [one for one in found if isinstance(one, Made) and one.task == "matrix/items"]
        assert {one.tags["source"] for one in items} == sources


def test_what_is_not_made_is_told_with_its_reason() -> None:
    tasks = {task for tasks in DIMENSIONS.values() for task in tasks}
    assert {one.task for one in NOT_MADE} <= tasks
    assert all(one.what and one.why for one in NOT_MADE)


@pytest.mark.slow
def test_a_page_with_all_it_takes_carries_every_task(snapshot: Snapshot) -> None:
    items = items_of(snapshot)
    assert items.refused == []
    counts = Counter(one.row["task"] for one in items.made)
    assert set(counts) == {task for tasks in DIMENSIONS.values() for task in tasks}
    assert max(counts.values()) <= 2
    assert len({one.row["id"] for one in items.made}) == len(items.made)


@pytest.mark.slow
def test_every_cell_of_four_by_four_is_made(snapshot: Snapshot) -> None:
    cells = {
        (one.row["dimension"], one.row["level"])
        for seed in range(12)
        for one in items_of(snapshot, seed).made
    }
    assert cells == {(dimension, level) for dimension in DIMENSIONS for level in (1, 2, 3, 4)}


@pytest.mark.slow
def test_levels_follow_from_what_an_item_takes(snapshot: Snapshot) -> None:
    for seed in range(6):
        for one in items_of(snapshot, seed).made:
            named, operations = one.record["named"], len(one.record["operations"])
            level = one.row["level"]
            assert (level == 4) is (operations >= 2)
            assert (level == 3) is (named and operations == 1)
            assert (level == 2) is (named and operations == 0)
            assert one.tags["level"] == f"L{level}"


def test_a_page_without_anything_carries_charts_alone(freeze: Freeze) -> None:
    items = items_of(freeze([part(0, "div", (0, 0, 9, 9))], facts=()))
    assert {one.tags["source"] for one in items.made} == {"chart"}
    assert {one.task.removeprefix(PREFIX): one.reason for one in items.refused} == {
        "object_recognition": "fewer than three kinds of elements",
        "ocr": "fewer than two headings",
        "spatial_relation": "too few elements that can be read and stand apart",
        "vqa": "no fact with exactly one answer",
        "multi_step": "no table for a condition, and no buttons of which some were recolored",
        "tool_call": "no button with a text that no other has",
        "decisions": "fewer than two fields whose purpose is known",
    }


@pytest.mark.slow
def test_made_rows_are_loaded_and_their_references_score_the_maximum(
    freeze: Freeze, tmp_path: Path
) -> None:
    pages = [items_of(freeze(page=page), seed) for seed, page in enumerate(("one", "two"))]
    write_data(pages, tmp_path / "data")
    data = load("matrix/items", tmp_path / "data")
    assert data.cluster == "group"
    assert set(data.tags["group"]) == set(data.tags["site"]) == {"inn"}
    assert set(data.tags["page"]) == {"inn/one", "inn/two"}
    rule = protocol_of("matrix/items", "items")
    shape = gold_shape("matrix/items")
    found = attainable_maximum(rule, shape.responses, data.golds, data.contexts)
    assert (found.best, found.below) == (1.0, ())
    assert found.metrics[rule.metric.primary] == 1.0
    lines = [
        json.loads(line) for line in (tmp_path / "data/made.jsonl").read_text("utf-8").splitlines()
    ]
    assert [line["item"] for line in lines] == list(data.ids)
    assert {line["task"] for line in lines} == {"matrix/items"}
    records = {line["item"]: line["record"] for line in lines}
    write_pack([Part(data, records=records)], tmp_path / "pack", name="built")
    assert check_pack(tmp_path / "pack").fine


# ---- They need eyes


@pytest.mark.slow
def test_of_two_sentences_one_is_true(snapshot: Snapshot) -> None:
    letters: list[str] = []
    for seed in range(40):
        pair = [one for one in of_task("consistency", snapshot, seed) if isinstance(one, Made)]
        assert sorted(one.row["answer"] for one in pair) == ["A", "B"]
        assert all(one.row["options"] == ["yes", "no"] for one in pair)
        letters.append(pair[0].row["answer"])
    assert 10 <= letters.count("A") <= 30


@pytest.mark.slow
def test_right_letters_are_spread_over_the_options(snapshot: Snapshot) -> None:
    shares: dict[str, list[float]] = {}
    for name in ("object_recognition", "spatial_relation", "captioning", "chart", "multi_step"):
        for one in made(name, snapshot, 40):
            options = one.row.get("options", ())
            for place in range(len(options)):
                hit = "ABCDEFGH"[place] == one.row["answer"]
                shares.setdefault("ABCDEFGH"[place], []).append(hit - 1 / len(options))
    for letter in "ABCD":
        assert len(shares[letter]) > 200
        assert sum(shares[letter]) / len(shares[letter]) == pytest.approx(0, abs=0.06)


@pytest.mark.slow
def test_solvers_without_eyes_stay_at_chance(snapshot: Snapshot, tmp_path: Path) -> None:
    pages: list[PageItems] = []
    for seed in range(30):
        page = items_of(snapshot, seed)
        kept = [
            one._replace(
                row={
                    **one.row,
                    "id": f"{seed}/{one.row['id']}",
                    "group": f"site {seed}",
                    "images": [f"{seed}/{name}" for name in one.images],
                },
                images={f"{seed}/{name}": png for name, png in one.images.items()},
            )
            for one in page.made
            if one.tags["source"] == "chart"
        ]
        pages.append(page._replace(made=kept))
    write_data(pages, tmp_path / "data")
    write_pack([Part(load("matrix/items", tmp_path / "data"))], tmp_path / "pack", name="built")
    pack = open_pack(tmp_path / "pack")
    (found,) = audit_pack(pack, open_references(pack)).tasks
    tried = {score.solver: score for score in found.solvers}
    for solver in (Solver.BLIND, Solver.LONGEST, Solver.FREQUENT, Solver.FIRST, Solver.OTHER_PAGE):
        score = tried[solver]
        assert score.lift is not None
        assert score.items > 100
        # The error of so few items; the exam that ships is held to less.
        assert score.lift.value <= 0.1


@pytest.mark.slow
def test_no_question_of_a_chart_says_its_answer(snapshot: Snapshot) -> None:
    for one in made("chart", snapshot, 40):
        if one.row["metric"] == "accuracy":
            assert right_option(one) not in one.row["question"]


# ---- Charts: each answer worked out anew from what is drawn


def series_of(one: Made) -> dict[str, dict[str, float]]:
    chart = one.record["chart"]
    return {
        name: dict(zip(chart["labels"], values, strict=True))
        for name, values in chart["series"].items()
    }


def only(one: Made) -> dict[str, float]:
    (values,) = series_of(one).values()
    return values


def quoted(text: str) -> list[str]:
    return [said.split("”")[0] for said in text.split("“")[1:]]


def asked(one: Made) -> tuple[dict[str, float], list[str]]:
    """Return the series of a question, and the other names in it."""
    every, names = series_of(one), quoted(one.row["question"])
    if len(every) > 1:
        return every[names[0]], names[1:]
    return only(one), names


def tolerance(one: Made) -> float:
    return float(one.row.get("settings", {}).get("absolute", 0.0))


def test_a_value_is_the_one_that_is_drawn(snapshot: Snapshot) -> None:
    for one in by_kind("chart", "value", snapshot):
        values, (label,) = asked(one)
        assert one.row["answer"] == values[label]
        assert (tolerance(one) == 0) is one.record["written"]
        assert (" An answer within " in one.row["question"]) is not one.record["written"]


@pytest.mark.parametrize(("kind", "best"), [("maximum", max), ("minimum", min)])
def test_an_extreme_is_the_only_one(
    snapshot: Snapshot, kind: str, best: Callable[[list[float]], float]
) -> None:
    for one in by_kind("chart", kind, snapshot, 40):
        values, _ = asked(one)
        assert values[right_option(one)] == best(list(values.values()))
        assert len(set(values.values())) == len(values)
        assert set(one.row["options"]) <= set(values)


def test_differences_growth_shares_and_counts(snapshot: Snapshot) -> None:
    for one in by_kind("chart", "difference", snapshot, 40):
        values, (first, second) = asked(one)
        assert one.row["answer"] == pytest.approx(values[first] - values[second])
        assert one.row["answer"] > tolerance(one)
    for one in by_kind("chart", "growth", snapshot, 40):
        values, (first, second) = asked(one)
        change = 100 * (values[second] - values[first]) / values[first]
        assert one.row["answer"] == pytest.approx(change, abs=1e-5)
        assert one.row["settings"] == {"absolute": 1.0}
    for one in by_kind("chart", "share", snapshot, 40):
        values, (label,) = asked(one)
        share = 100 * values[label] / sum(values.values())
        assert one.row["answer"] == pytest.approx(share, abs=1e-5)
    for one in by_kind("chart", "count", snapshot, 40):
        words = one.row["question"].split()
        way = "above" if "above" in words else "below"
        threshold = float(words[words.index(way) + 1])
        values = only(one).values()
        count = sum(each > threshold if way == "above" else each < threshold for each in values)
        assert one.row["answer"] == count
        assert threshold not in values
        assert 0 < count < len(values)


def test_what_comes_next_goes_on_as_before(snapshot: Snapshot) -> None:
    for one in by_kind("chart", "extrapolation", snapshot, 40):
        *_, before, last = only(one).values()
        words = one.row["question"].split()
        ahead = int(words[words.index("be") + 1])
        assert one.row["answer"] == pytest.approx(last + ahead * (last - before))
        assert 0 < tolerance(one) <= 0.021 * one.row["answer"] + 0.01


def test_a_question_can_stand_in_the_picture(snapshot: Snapshot) -> None:
    for one in by_kind("chart", "value, asked in the picture", snapshot):
        assert one.row["question"] == "Answer the question that stands below the chart."
        label = one.record["asked"].split(" at ")[1].split(",")[0]
        assert one.row["answer"] in [values[label] for values in series_of(one).values()]
        assert one.row["level"] == 1


def test_one_sentence_of_four_is_true(snapshot: Snapshot) -> None:
    for one in by_kind("captioning", "extremes", snapshot, 30):
        values = only(one)
        for option in one.row["options"]:
            high, low = (
                option.removesuffix(".").split(" is that of ")[1].split(", the lowest that ")
            )
            low = low.removeprefix("of ")
            true = values[high] == max(values.values()) and values[low] == min(values.values())
            assert true is (option == right_option(one))
    for one in by_kind("captioning", "comparisons", snapshot, 30):
        values = only(one)
        for option in one.row["options"]:
            claims = option.removesuffix(".").split(": ", 1)[1].split(", and ")
            assert all(holds(claim, values) for claim in claims) is (option == right_option(one))
    for one in made("captioning", snapshot, 10):
        halves = Counter(
            half for option in one.row["options"] for half in option.split(": ", 1)[1].split(", ")
        )
        assert {count for half, count in halves.items() if "lowest" not in half} == {2}


def holds(claim: str, values: dict[str, float]) -> bool:
    for way in (" has more than ", " has less than "):
        if way in claim:
            first, second = claim.split(way)
            return (values[first] > values[second]) is (way == " has more than ")
    raise AssertionError(claim)


@pytest.mark.slow
def test_data_of_a_chart_are_its_reference(snapshot: Snapshot) -> None:
    for one in by_kind("code", "chart as data", snapshot, 20):
        assert one.row["answer"] == one.record["chart"]
        assert one.row["metric"] == "spec"
    for one in by_kind("code", "one series as data", snapshot, 40):
        (name,) = quoted(one.row["question"])
        assert one.row["answer"] == series_of(one)[name]
    for one in by_kind("code", "one series in order", snapshot, 40):
        (name,) = quoted(one.row["question"])
        assert dict(one.row["answer"]) == series_of(one)[name]
        numbers = [value for _, value in one.row["answer"]]
        assert numbers == sorted(numbers, reverse=True)
    for one in by_kind("code", "differences in order", snapshot, 40):
        first, second = (series_of(one)[name] for name in quoted(one.row["question"]))
        for label, gap in one.row["answer"]:
            assert gap == pytest.approx(abs(first[label] - second[label]))


@pytest.mark.slow
def test_what_is_put_in_order_has_one_order_that_can_be_read(snapshot: Snapshot) -> None:
    for kind in ("differences in order", "one series in order"):
        found = by_kind("code", kind, snapshot, 150)
        assert len(found) > 15
        for one in found:
            numbers = [number for _, number in one.row["answer"]]
            assert len(set(numbers)) == len(numbers)
            assert one.record["written"]


@pytest.mark.slow
def test_steps_are_worked_out_in_turn(snapshot: Snapshot) -> None:
    for one in by_kind("multi_step", "sum of extremes", snapshot, 40):
        assert one.row["answer"] == pytest.approx(max(only(one).values()) + min(only(one).values()))
    for one in by_kind("multi_step", "widest gap", snapshot, 40):
        first, second = (series_of(one)[name] for name in quoted(one.row["question"]))
        gaps = {label: abs(first[label] - second[label]) for label in first}
        assert gaps[right_option(one)] == max(gaps.values())
    for one in by_kind("multi_step", "largest rise", snapshot, 40):
        values = only(one)
        labels = list(values)
        rises = {f"{a} to {b}": values[b] - values[a] for a, b in pairwise(labels)}
        assert rises[right_option(one)] == max(rises.values()) > 0
    for one in by_kind("multi_step", "largest total", snapshot, 40):
        totals = {name: sum(values.values()) for name, values in series_of(one).items()}
        assert totals[right_option(one)] == max(totals.values())


@pytest.mark.slow
def test_a_sentence_is_true_exactly_where_its_answer_is_yes(snapshot: Snapshot) -> None:
    for one in made("consistency", snapshot, 40):
        said, every = one.record["said"], series_of(one)
        label, rest = said.removeprefix("At ").split(", ", 1)
        name = rest.split('"')[1] if '"' in rest else next(iter(every))
        if "higher than" in said:
            other = said.removesuffix(".").split("higher than at ")[1]
            true = every[name][label] > every[name][other]
        else:
            words = rest.split(" is ")[1].removeprefix("about ").split()
            true = every[name][label] == float(words[0])
        assert true is (one.row["answer"] == "A")


@pytest.mark.slow
def test_what_did_not_happen_differs_from_what_did(snapshot: Snapshot) -> None:
    kinds: set[str] = set()
    for one in made("counterfactual", snapshot, 40):
        kinds.add(one.tags["kind"])
        factual, found = one.record["factual"], one.record["counterfactual"]
        if one.row["metric"] == "numeric":
            assert proven(factual, found)
            assert one.row["answer"] == found
            question, values = (
                one.row["question"],
                [value for own in series_of(one).values() for value in own.values()],
            )
            if one.tags["kind"] == "least value raised":
                least = float(question.split("below ")[1].split()[0])
                assert found == pytest.approx(sum(max(value, least) for value in values))
                assert factual == pytest.approx(sum(values))
            elif one.tags["kind"] == "change turned round":
                first, second = (only(one)[label] for label in quoted(question)[:2])
                assert (factual, found) == (second, pytest.approx(2 * first - second))
            else:
                assert factual in values
                percent = int(question.split(" had been ")[1].split()[0])
                sign = 1 if " more," in question else -1
                assert found == pytest.approx(factual * (1 + sign * percent / 100))
        else:
            values = only(one)
            values[max(values, key=values.__getitem__)] /= 2
            assert right_option(one) == found == max(values, key=values.__getitem__) != factual
    assert len(kinds) == 4


@pytest.mark.slow
def test_what_is_low_is_raised_in_the_charts_order(snapshot: Snapshot) -> None:
    for one in by_kind("decisions", "raise what is low", snapshot, 20):
        words = one.row["question"].split()
        least, aim = (
            float(words[3]),
            float(one.row["question"].split("raised to ")[1].split(".")[0]),
        )
        expected = [
            {"name": "raise", "arguments": {"label": label, "by": pytest.approx(aim - value)}}
            for label, value in only(one).items()
            if value < least
        ]
        assert one.row["answer"] == expected
        assert len(expected) >= 2


@pytest.mark.slow
def test_objects_of_charts(snapshot: Snapshot) -> None:
    for one in by_kind("object_recognition", "odd color", snapshot, 30):
        assert right_option(one) == one.record["chart"]["labels"][one.record["marked"]]
    for one in by_kind("object_recognition", "series color", snapshot, 30):
        names = list(one.record["chart"]["series"])
        (name,) = quoted(one.row["question"])
        assert right_option(one) == one.record["colors"][names.index(name)]
    for one in by_kind("object_recognition", "chart kind", snapshot, 30):
        assert len(set(one.row["options"])) == 4


# ---- Pages


def boxes_of(one: Made) -> list[Ltrb]:
    return [tuple(box) for box in one.record["boxes"]]


@pytest.mark.slow
def test_the_kind_of_what_is_marked(snapshot: Snapshot) -> None:
    roles = {"heading": "a heading", "button": "a button", "img": "a picture"}
    seen: Counter[str] = Counter()
    for one in by_kind("object_recognition", "element kind", snapshot, 40):
        number: int = one.record["elements"][0]
        element = snapshot.screen.elements[number]
        right = right_option(one)
        seen[right] += 1
        if element.role in roles:
            assert right == roles[element.role]
    assert len(seen) >= 4
    assert max(seen.values()) <= 0.45 * sum(seen.values())


@pytest.mark.slow
def test_a_heading_of_several_lines_is_not_marked(freeze: Freeze) -> None:
    page = elements()
    text = "We like guests who stay long and tell us of the places they have seen"
    heading: dict[str, Any] = {"role": "heading", "level": 3, "font_size": 20}
    page.append(part(len(page), "h3", (700, 620, 1100, 720), text, **heading))
    marked = by_kind("object_recognition", "element kind", freeze(page), 40)
    assert page[-1].id not in {one.record["elements"][0] for one in marked}
    page[-1] = part(page[-1].id, "h3", (700, 620, 1100, 650), text, **heading)
    marked = by_kind("object_recognition", "element kind", freeze(page), 40)
    assert page[-1].id in {one.record["elements"][0] for one in marked}


def test_what_is_written_in_a_box(snapshot: Snapshot) -> None:
    for one in by_kind("ocr", "text in a box", snapshot):
        number: int = one.record["elements"][0]
        assert one.row["answer"] == snapshot.screen.elements[number].own
        (left, top, right, bottom) = boxes_of(one)[0]
        (image,) = one.images.values()
        with Image.open(io.BytesIO(image)) as opened:
            assert opened.size == (1280, 900)
            assert opened.convert("RGB").getpixel((int(left) - 2, int(top) + 4)) == (255, 0, 0)
        assert 0 <= left < right <= 1280
        assert 0 <= top < bottom <= 900


def test_the_next_heading(snapshot: Snapshot) -> None:
    screen = snapshot.screen
    pairs = [(one.text, other.text) for one, other in following_headings(screen)]
    # Nothing lies between the first two: the second may be a subtitle.
    assert pairs == [("Who comes?", "Rooms")]


def test_headings_side_by_side_have_no_next_one(freeze: Freeze) -> None:
    found = [
        part(0, "h2", (80, 40, 300, 80), "Left", role="heading", level=2),
        part(1, "h2", (400, 40, 700, 80), "Right", role="heading", level=2),
        part(2, "h2", (80, 140, 300, 180), "Below", role="heading", level=2),
        part(3, "h2", (80, 240, 300, 280), "One", role="heading", level=2),
        part(4, "h2", (400, 244, 700, 280), "Two", role="heading", level=2),
    ]
    assert following_headings(freeze(found).screen) == []


def test_no_word_of_code_is_an_element_to_point_at(freeze: Freeze) -> None:
    found = [
        part(0, "p", (80, 40, 300, 80), "Shown as text"),
        part(1, "pre", (80, 90, 700, 110)),
        part(2, "span", (80, 90, 200, 110), "undefined", parent=1),
        part(3, "code", (80, 140, 300, 160), "sandbox.run"),
    ]
    assert [element.id for element in pointable(freeze(found).screen)] == [0]


def test_a_large_bold_link_looks_like_the_next_heading(freeze: Freeze) -> None:
    def pairs(size: float) -> int:
        look: dict[str, Any] = {"role": "heading", "level": 2, "font_size": 30.0, "bold": True}
        name: dict[str, Any] = {"role": "link", "font_size": size, "bold": True}
        found = [
            part(0, "h2", (80, 40, 300, 80), "Our work", **look),
            part(1, "p", (80, 90, 700, 110), "What we made for companies. " * 5, font_size=16.0),
            part(2, "a", (80, 140, 300, 160), "Project name", **name),
            part(3, "h2", (80, 240, 300, 300), "Let us build something", **look),
            part(4, "p", (80, 310, 700, 330), "Write to us about it.", font_size=16.0),
        ]
        return len(following_headings(freeze(found).screen))

    assert (pairs(16.0), pairs(24.0)) == (1, 0)


@pytest.mark.slow
def test_relations_of_parts_are_those_of_their_boxes(snapshot: Snapshot) -> None:
    sides = {
        "left": "to the left", "right": "to the right", "top": "above", "bottom": "below",
        "top-left": "above and to the left", "top-right": "above and to the right",
        "bottom-left": "below and to the left", "bottom-right": "below and to the right",
    }  # fmt: skip
    seen: set[str] = set()
    for kind in ("marked pair", "named pair"):
        for one in by_kind("spatial_relation", kind, snapshot, 40):
            first, second = boxes_of(one)
            down = "top" if second[3] <= first[1] else "bottom" if second[1] >= first[3] else ""
            across = "left" if second[2] <= first[0] else "right" if second[0] >= first[2] else ""
            expected = "-".join(filter(None, (down, across)))
            assert right_option(one) == sides[expected]
            for axis in (0, 1):
                shared = min(first[axis + 2], second[axis + 2]) - max(first[axis], second[axis])
                least = min(first[axis + 2] - first[axis], second[axis + 2] - second[axis])
                assert shared <= -8 or shared >= max(8, least / 3)
            assert str(relation(second, first)) == expected
            seen.add(expected)
    assert len(seen) == 8


@pytest.mark.parametrize(
    ("tag", "text", "role", "ink", "drawn", "expected"),
    [
        ("button", "Sign up", "button", (280, 318, 320, 332), 40, {"top", "bottom"}),
        ("th", "Method", "columnheader", (110, 318, 160, 332), 300, {"top-left", "bottom-right"}),
    ],
)
def test_a_painted_button_lies_where_it_is_painted_and_any_other_text_where_it_is_read(
    freeze: Freeze,
    tag: str,
    text: str,
    role: str,
    ink: tuple[int, int, int, int],
    drawn: int,
    expected: set[str],
) -> None:
    found = [
        part(0, tag, (100, 300, 500, 350), text, role=role, painted=True, ink=ink),
        *(
            part(1 + index, "p", box, other)
            for index, (other, box) in enumerate(
                {
                    "Log in": (420, 400, 480, 420), "Help": (20, 120, 60, 140),
                    "Contact": (700, 120, 780, 140), "Imprint": (700, 600, 780, 620),
                    "Jobs": (20, 600, 60, 620), "News": (440, 600, 480, 620),
                }.items()
            )
        ),
    ]  # fmt: skip
    asked = by_kind("spatial_relation", "named pair", freeze(found), drawn)
    pair = {text, "Log in"}
    relations = {
        str(one.record["relation"]) for one in asked if pair <= {*quoted(str(one.row["question"]))}
    }
    assert relations
    assert relations <= expected


@pytest.mark.slow
def test_each_side_that_is_offered_is_as_often_right(snapshot: Snapshot) -> None:
    right: Counter[str] = Counter()
    offered = dict.fromkeys(("above", "below", "to the left", "to the right"), 0.0)
    for one in by_kind("spatial_relation", "marked pair", snapshot, 240):
        right[right_option(one)] += 1
        for side in offered:
            offered[side] += (side in one.row["options"]) / len(one.row["options"])
    assert all(right[side] == pytest.approx(offered[side], rel=0.5) for side in offered)


def test_the_nearest_box_and_the_order_of_boxes(snapshot: Snapshot) -> None:
    for one in by_kind("spatial_relation", "nearest box", snapshot, 40):
        *others, last = [((a + c) / 2, (b + d) / 2) for a, b, c, d in boxes_of(one)]
        far = [(x - last[0]) ** 2 + (y - last[1]) ** 2 for x, y in others]
        assert "ABCDE"[far.index(min(far))] == one.row["answer"]
    for one in by_kind("spatial_relation", "order of boxes", snapshot, 40):
        side = 0 if "left edges" in one.row["question"] else 1
        edges = {letter: box[side] for letter, box in zip("ABCDE", boxes_of(one), strict=True)}
        assert right_option(one).split(", ") == sorted(edges, key=edges.__getitem__)
        assert len(set(one.row["options"])) == 5


def test_facts_of_the_page(snapshot: Snapshot) -> None:
    rows = {row[0]: row for row in TABLE["rows"]}
    for one in by_kind("vqa", "difference", snapshot, 20):
        column, first, second = quoted(one.row["question"])
        place = TABLE["headers"].index(column)
        numbers = [float(rows[name][place].strip("$")) for name in (first, second)]
        assert one.row["answer"] == pytest.approx(numbers[0] - numbers[1])
        assert one.row["answer"] > 0
    (highest,) = {one.row["answer"][0] for one in by_kind("vqa", "highest", snapshot, 40)}
    assert highest == "Hall"


def test_what_two_tables_say_is_not_subtracted(freeze: Freeze) -> None:
    snapshot = freeze(facts=(TABLE, {**TABLE, "caption": "More"}))
    assert not [one for one in made("vqa", snapshot, 10) if one.tags["kind"] == "difference"]


def test_a_language_without_templates_has_no_questions(freeze: Freeze) -> None:
    (found,) = of_task("vqa", freeze(language="fi"))
    assert isinstance(found, Refused)


# ---- Calls


def test_a_marked_button_is_pressed_by_its_text(snapshot: Snapshot) -> None:
    for one in by_kind("tool_call", "press what is marked", snapshot):
        assert one.row["answer"]["name"] == "press"
        assert one.row["answer"]["arguments"]["text"] in {"Book now", "Start over"}
        assert one.row["answer"]["arguments"]["text"] not in one.row["question"]


@pytest.mark.slow
def test_what_is_named_is_chosen_by_its_letter_or_hit(snapshot: Snapshot) -> None:
    for one in by_kind("tool_call", "choose what is named", snapshot, 30):
        (text,) = quoted(one.row["question"])
        place = "ABCDEFGH".index(one.row["answer"]["arguments"]["mark"])
        number: int = one.record["elements"][place]
        assert snapshot.screen.elements[number].own == text
    for one in by_kind("tool_call", "point at what is named", snapshot, 30):
        gold, target = one.row["answer"], int(one.record["elements"][0])
        assert tuple(gold) == boxes_of(one)[0], "the record has the box that counts"
        element, upper = snapshot.screen.elements[target], one.record["window"][0]
        box = (element.box[0], element.box[1] - upper, element.box[2], element.box[3] - upper)
        assert box[0] <= gold[0] < gold[2] <= box[2]
        assert box[1] <= gold[1] < gold[3] <= box[3]
        assert (tuple(gold) == box) is element.painted, "of a plain link, what is drawn of it"
        assert one.row["settings"] == {"image_size": [1280, 900]}


def user_data(one: Made) -> dict[str, str]:
    said = one.row["question"].split("The user's data: ")[1]
    return dict(entry.split(": ", 1) for entry in said.split("; "))


def test_a_form_is_filled_by_the_letters_of_its_fields(snapshot: Snapshot) -> None:
    wanted = {2: "full name", 3: "e-mail address", 4: "phone number"}
    for one in by_kind("tool_call", "fill in a form", snapshot, 20):
        data = user_data(one)
        assert len(data) == 5
        arguments = one.row["answer"]["arguments"]
        for letter, number in zip("ABC", one.record["elements"], strict=True):
            assert arguments[letter] == data[wanted[number]]
        assert not {"first name", "last name", "user name"} & set(data)


def test_the_data_for_a_form_are_those_of_one_person(snapshot: Snapshot) -> None:
    found = [
        *by_kind("tool_call", "fill in a form", snapshot, 30),
        *by_kind("decisions", "fill in a form and send it", snapshot, 30),
    ]
    assert len(found) > 20
    for data in map(user_data, found):
        assert (
            data["e-mail address"] == f"{data['full name'].lower().replace(' ', '.')}@example.com"
        )
        if {"city", "country"} <= set(data):
            assert (data["city"] == "Toronto") is (data["country"] == "Canada")


def test_a_form_is_filled_from_above_and_sent(snapshot: Snapshot) -> None:
    for one in by_kind("decisions", "fill in a form and send it", snapshot, 8):
        letters = dict(zip(one.record["elements"], "ABCD", strict=True))
        data = user_data(one)
        assert [step["arguments"]["mark"] for step in one.row["answer"]] == [
            letters[number] for number in (2, 3, 4, 8)
        ]
        assert [step["arguments"].get("text") for step in one.row["answer"]] == [
            data["full name"], data["e-mail address"], data["phone number"], None,
        ]  # fmt: skip


def test_a_form_without_a_button_that_stands_out_is_not_sent(freeze: Freeze) -> None:
    found = [one for one in elements() if one.role != "button"]
    kept = [
        part(place, one.tag, one.box, one.own, role=one.role, kind=one.kind, label=one.label,
             name=one.name, painted=one.painted)
        for place, one in enumerate(found)
    ]  # fmt: skip
    refusals = [
        one for one in of_task("decisions", freeze(kept, facts=())) if isinstance(one, Refused)
    ]
    assert [one.reason for one in refusals] == ["no button below its fields that stands out"]


@pytest.mark.slow
def test_two_fields_for_one_thing_are_both_left_out(freeze: Freeze) -> None:
    found = elements()
    twin = part(len(found), "input", (500, 190, 660, 226), role="textbox", kind="text",
                label="E-mail", name="E-mail", painted=True)  # fmt: skip
    for one in by_kind("tool_call", "fill in a form", freeze([*found, twin]), 5):
        assert sorted(one.record["kinds"]) == ["name", "phone"]

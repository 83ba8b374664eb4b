"""MMBench-GUI's items, from hand-made pages and a dump of an app to a pack."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inked import inked

from snellen.build.items import PageItems, Refused, make_items
from snellen.build.questions.options import (
    COUNTS,
    among,
    any_of,
    counts,
    of_all_sizes,
    steps,
)
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Captured, Click, Snapshot
from snellen.build.writers.mmbench_gui import write
from snellen.build.writers.mmbench_gui.l1 import Question, ask
from snellen.grading.ceiling import attainable_maximum
from snellen.grading.protocols.table import PROTOCOLS, gold_shape
from snellen.tasks.benchmarks.mmbench_gui.format import DIFFICULTIES
from snellen.tasks.benchmarks.mmbench_gui.load import load
from snellen.tasks.data.check import image_faults
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.write import Part, write_pack

WIDTH, HEIGHT = 1280, 1200
PEOPLE = ["Ann Lee", "Bob Ray", "Cid Fox", "Dan Orr", "Eve Kay", "Flo May"]
OFFICES = ["Tokyo", "Paris", "Delhi", "Cairo", "Lagos", "Quito"]
PAY = ["$1,200", "$1,900", "$3,400", "$2,000", "$2,750", "$1,050"]
"""Both columns differ in every row; the fee of Cid Fox is the highest."""

Freeze = Callable[..., Snapshot]


def part(elements: list[Element], tag: str, text: str = "", **fields: Any) -> int:
    """Add an element and return its id."""
    place = len(elements)
    top = 10 + 22 * place
    box = fields.pop("box", (300, top, 420, top + 18))
    shown: dict[str, Any] = {"text": text, "own": text, "name": text, "landmark": "main", **fields}
    elements.append(Element(place, tag, box, **shown))
    return place


def people(elements: list[Element]) -> dict[str, Any]:
    """Add a table and return it as a fact."""
    cells: list[list[int]] = []
    for row, values in enumerate(zip(PEOPLE, OFFICES, PAY, strict=True)):
        top = 700 + 30 * row
        cells.append(
            [
                part(elements, "td", text, role="cell", box=(x, top, x + 90, top + 20))
                for x, text in zip((300, 500, 700), values, strict=True)
            ]
        )
    return {
        "kind": "table",
        "caption": "People",
        "element": None,
        "headers": ["Name", "Office", "Fee"],
        "header_cells": [None, None, None],
        "rows": [list(row) for row in zip(PEOPLE, OFFICES, PAY, strict=True)],
        "cells": cells,
    }


@pytest.fixture
def freeze(tmp_path: Path) -> Freeze:
    numbers = iter(range(1000))

    def make(
        elements: list[Element], *facts: dict[str, Any], site: str = "shop", **more: Any
    ) -> Snapshot:
        folder = tmp_path / "snapshots" / f"{next(numbers)}"
        page = more.pop("page", "index")
        clicks = more.pop("clicks", ())
        fields: dict[str, Any] = {"language": "en", **more}
        screen = Screen(WIDTH, HEIGHT, tuple(elements), **fields)
        return frozen(folder, Captured(page, site, "x.html", screen, clicks=clicks, facts=facts))

    return make


def frozen(folder: Path, captured: Captured) -> Snapshot:
    folder.mkdir(parents=True)
    shade = sum(map(ord, captured.site + captured.page)) % 256
    size = (captured.screen.width, captured.screen.height)
    png = inked(captured.screen.elements, size, f"rgb({shade}, 200, 99)")
    (folder / "screen.png").write_bytes(png)
    (folder / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    return Snapshot(folder)


def full(freeze: Freeze, **more: Any) -> Snapshot:
    """A page with a table, fields, buttons and links."""
    elements: list[Element] = []
    part(elements, "h1", "Our people", role="heading", level=1)
    table = people(elements)
    part(elements, "label", "E-mail")
    part(elements, "input", role="textbox", kind="email", label="E-mail", name="E-mail")
    part(elements, "button", "Save draft", role="button", painted=True, background="#0b57d0")
    part(elements, "button", "Delete account", role="button")
    part(elements, "label", "Remember my choice")
    part(elements, "input", role="checkbox", kind="checkbox", label="Remember my choice")
    part(elements, "a", "Harbour tours", role="link", href="/tours.html")
    return freeze(elements, table, **more)


def questions(snapshot: Snapshot, difficulty: Any, seeds: int = 60) -> dict[str, list[Question]]:
    found: dict[str, list[Question]] = {}
    for seed in range(seeds):
        question = ask(snapshot, difficulty, Random(seed))
        if question is not None:
            found.setdefault(question.kind, []).append(question)
    return found


# ---- options -----------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.lists(st.text("abcdef", min_size=1), min_size=5, unique=True))
def test_options_hold_the_right_one_once_and_differ(seed: int, texts: list[str]) -> None:
    found = among(texts[0], texts, "Which?", Random(seed))
    if found is not None:
        assert 4 <= len(found.texts) <= 6
        assert found.texts[found.right] == texts[0]
        assert len(set(found.texts)) == len(found.texts)


def test_fewer_than_three_others_are_too_few() -> None:
    assert among("a", ["a", "b", "c", "B"], "Which?", Random(1)) is None


def test_an_answer_that_alone_repeats_the_question_is_not_asked_for() -> None:
    others = ["Opening times", "Contact", "Products", "Careers"]
    assert among("Price list", others, "Where are the prices?", Random(1)) is None


def test_an_answer_that_stands_out_by_its_length_is_not_asked_for() -> None:
    assert among("a" * 40, ["b", "c", "d", "e"], "Which?", Random(1)) is None


def test_the_right_one_is_as_often_the_longest_as_any_other() -> None:
    pool = ["x" * length for length in range(5, 15)]
    longest = places = chance = 0.0
    for seed in range(3000):
        answer = pool[seed % len(pool)]
        found = among(answer, pool, "Which?", Random(seed))
        if found is not None:
            longest += max(found.texts, key=len) == answer
            places += found.right == 0
            chance += 1 / len(found.texts)
    assert longest == pytest.approx(chance, rel=0.15)
    assert places == pytest.approx(chance, rel=0.15)


@given(st.integers(0, 10_000), st.integers(4, 30))
def test_steps_hold_the_number_among_neighbours(seed: int, value: int) -> None:
    found = steps(value, str, Random(seed), least=1)
    numbers = sorted(map(int, found.texts))
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert found.texts[found.right] == str(value)
    assert numbers[0] >= 1


def test_the_right_number_is_as_often_the_first_step_as_the_last() -> None:
    ranks = Counter(
        sorted(map(int, found.texts)).index(7)
        for seed in range(4000)
        if len((found := steps(7, str, Random(seed))).texts) == 4
    )
    assert max(ranks.values()) < 1.25 * min(ranks.values())


def test_a_common_count_is_no_likelier_right_than_a_rare_one() -> None:
    random = Random(1)
    right: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    for count in random.choices([*COUNTS], [*COUNTS.values()], k=6000):
        found = counts(count, random)
        assert len({*found.texts}) == len(found.texts) == 4
        assert found.texts[found.right] == str(count)
        right[str(count)] += 1
        offered.update(found.texts)
    shares = [right[each] / offered[each] for each in offered if offered[each] >= 500]
    assert {"4", "12"} <= {*offered}
    assert min(shares) > 0.22
    assert max(shares) < 0.28


def test_each_entry_of_a_list_is_as_often_right_as_any_other() -> None:
    listed = [sign * size for sign, size in zip("abcdefg", (4, 5, 6, 6, 5, 4, 5), strict=True)]
    right: Counter[str] = Counter()
    offered = dict.fromkeys(listed, 0.0)
    for seed in range(6000):
        place = seed % len(listed)
        besides = listed[place - 1 if seed // 7 % 2 else (place + 1) % 7]
        found = any_of(listed, listed[place], besides, Random(seed))
        assert found is not None
        assert besides not in found.texts
        right[found.texts[found.right]] += 1
        for text in found.texts:
            offered[text] += 1 / len(found.texts)
    for text in listed:
        assert right[text] == pytest.approx(offered[text], rel=0.12)


def test_a_list_that_says_one_thing_twice_has_no_options() -> None:
    assert any_of(["a", "b", "c", "d", "e", "A"], "a", "b", Random(1)) is None


@pytest.mark.parametrize("answer", ["161,85 €", "$280.00", "26", "$8,150"])
def test_a_number_is_as_often_the_least_of_its_options_as_the_largest(answer: str) -> None:
    ranks: Counter[int] = Counter()
    for seed in range(900):
        found = of_all_sizes(answer, "How much?", Random(seed))
        if found is not None and len(found.texts) == 4:
            order = sorted(found.texts, key=lambda one: int("".join(filter(str.isdigit, one))))
            ranks[order.index(answer)] += 1
    assert set(ranks) == {0, 1, 2, 3}
    assert max(ranks.values()) < 1.6 * min(ranks.values())


@pytest.mark.parametrize(("answer", "step"), [("$64,500", 500), ("12.50", 125), ("7,350 km", 5)])
def test_no_number_is_told_from_the_others_by_being_round(answer: str, step: int) -> None:
    for seed in range(50):
        found = of_all_sizes(answer, "How much?", Random(seed), step)
        if found is not None:
            sizes = [int("".join(filter(str.isdigit, text))) for text in found.texts]
            assert {size % step for size in sizes} == {0}
            assert len({re.sub(r"\d", "0", text) for text in found.texts}) == 1, "of one form"


@pytest.mark.parametrize("answer", ["9", "$10.00", "Tokyo"])
def test_a_number_that_must_be_the_least_or_the_largest_has_no_options(answer: str) -> None:
    assert all(of_all_sizes(answer, "How much?", Random(seed)) is None for seed in range(50))


@pytest.mark.parametrize(
    ("heading", "named"),
    [
        ({"font_size": 24}, True),
        ({"font_size": 16, "bold": True}, True),
        ({"font_size": 16}, False),
        ({"font_size": 24, "text": "$4,679k"}, False),
        ({"font_size": 12, "bold": True, "box": (500, 1100, 700, 1140)}, False),
    ],
)
def test_a_heading_is_called_so_where_it_looks_like_one(
    freeze: Freeze, heading: dict[str, Any], named: bool
) -> None:
    elements: list[Element] = []
    heading = {"text": "Made by hand", "box": (500, 100, 700, 140), **heading}
    part(elements, "h6", role="heading", level=6, **heading)
    usual = "A long text in the usual size of the page"
    part(elements, "p", usual, font_size=16, box=(400, 1000, 800, 1020))
    told = [one for one in write.basic(freeze(elements), Random(1)) if "heading" in one.text]
    assert bool(told) is named


# ---- L1 ----------------------------------------------------------------------------------------


def test_an_easy_question_reads_a_cell_and_takes_the_others_from_its_column(freeze: Freeze) -> None:
    (kind,) = found = questions(full(freeze), "easy")
    assert kind == "cell"
    for question in found["cell"]:
        options = set(question.options.texts)
        assert options <= set(OFFICES) or options <= set(PAY)
        name = next(person for person in PEOPLE if person in question.text)
        column = OFFICES if "Office" in question.text else PAY
        assert question.options.texts[question.options.right] == column[PEOPLE.index(name)]


def test_a_share_is_no_option_among_visits(freeze: Freeze) -> None:
    said = {
        "Chimney": "Visit on 7 July 2026",
        "Meter": "Visit on 6 August 2026",
        "Heating": "Visit on 16 June 2026",
        "Roof": "Visit on 9 March 2026",
        "Space used": "21 percent of Maplebox",
    }
    elements: list[Element] = []
    pairs = [
        {
            **{"label": label, "label_element": part(elements, "dt", label)},
            **{"value": value, "element": part(elements, "dd", value)},
        }
        for label, value in said.items()
    ]
    found = questions(freeze(elements, {"kind": "pairs", "pairs": pairs}), "easy")
    asked = {label for question in found["pair"] for label in said if label in question.text}
    assert asked == set([*said][:-1])
    for question in found["pair"]:
        assert set(question.options.texts) == {*said.values()} - {said["Space used"]}


def test_a_medium_question_asks_what_comes_next_in_a_column(freeze: Freeze) -> None:
    snapshot = full(freeze)
    found = questions(snapshot, "medium")
    assert set(found) == {"next"}
    for question in found["next"]:
        answer = question.options.texts[question.options.right]
        named = next(person for person in PEOPLE if f"“{person}”" in question.text)
        shown = [snapshot.screen.elements[each].text for each in question.elements]
        assert shown == [named, answer]
        step = 1 if "below" in question.text else -1
        assert PEOPLE.index(answer) == PEOPLE.index(named) + step
    answers = {one.options.texts[one.options.right] for one in found["next"]}
    assert {PEOPLE[0], PEOPLE[-1]} <= answers


def test_a_medium_question_asks_what_is_beside_a_card(freeze: Freeze) -> None:
    elements: list[Element] = []
    names = ["Tea", "Milk", "Cake", "Soup", "Rice", "Plum"]
    for place, text in enumerate([*names, *(name[::-1] for name in names)]):
        left, top = 20 + 150 * (place % 6), 100 + 100 * (place // 6)
        box = (left, top, left + 100, top + 20)
        part(elements, "h3", text, role="heading", level=3, box=box)
    found = questions(freeze(elements), "medium")
    assert set(found) == {"next"}
    sides: set[int] = set()
    for question in found["next"]:
        answer = question.options.texts[question.options.right]
        named = next(one.own for one in elements if f"“{one.own}”" in question.text)
        line = names if named in names else [name[::-1] for name in names]
        step = 1 if "to the right" in question.text else -1
        sides.add(step)
        assert line.index(answer) == line.index(named) + step
        assert named not in question.options.texts
        assert set(question.options.texts) <= set(line)
    assert sides == {-1, 1}


def test_rows_are_counted_where_the_table_is_whole(freeze: Freeze) -> None:
    elements: list[Element] = []
    table = people(elements)
    for _ in range(len(PEOPLE) + 1):
        part(elements, "tr", role="row")
    (question, *_) = questions(freeze(elements, table), "medium")["count"]
    assert question.options.texts[question.options.right] == "6"


@pytest.mark.parametrize("drawn", [False, True])
def test_fields_are_counted_where_each_label_has_one(freeze: Freeze, drawn: bool) -> None:
    """CSS may draw a radio button before the label of an invisible one."""
    elements: list[Element] = []
    for name in PEOPLE[:5]:
        part(elements, "label", name)
        part(elements, "input", label=name, role="textbox", painted=True)
    if drawn:
        part(elements, "label", "By post")
    found = questions(freeze(elements), "medium").get("count", [])
    assert {one.options.texts[one.options.right] for one in found} == (set() if drawn else {"5"})


@pytest.mark.parametrize("brand", [False, True])
def test_links_are_counted_where_a_list_holds_them_all(freeze: Freeze, brand: bool) -> None:
    elements: list[Element] = []
    bar = part(elements, "nav", role="navigation", landmark="")
    listed = part(elements, "ul", role="list", landmark="navigation", parent=bar)
    shape: dict[str, Any] = {"role": "link", "landmark": "navigation"}
    for name in PEOPLE[:5]:
        item = part(elements, "li", role="listitem", landmark="navigation", parent=listed)
        part(elements, "a", name, parent=item, **shape)
    if brand:
        part(elements, "a", "Fernbrook", parent=bar, **shape)
    found = questions(freeze(elements), "medium").get("count", [])
    assert {one.options.texts[one.options.right] for one in found} == (set() if brand else {"5"})


def test_a_text_that_may_be_taken_for_an_options_letter_is_no_option(freeze: Freeze) -> None:
    elements: list[Element] = []
    for place, text in enumerate(["A", "B", "C", "D", "E", "F"]):
        shape = {"role": "tab", "box": (100 + 90 * place, 50, 160 + 90 * place, 80)}
        part(elements, "a", text, **shape)
    assert not questions(freeze(elements), "medium").get("next")


@pytest.mark.slow
def test_a_hard_question_combines_cells(freeze: Freeze) -> None:
    found = questions(full(freeze), "hard", 200)
    assert set(found) == {
        *("extreme", "condition", "difference", "two steps", "conditioned", "further")
    }
    for question in found["further"]:
        named = next(person for person in PEOPLE if f"“{person}”" in question.text)
        answer = question.options.texts[question.options.right]
        step = 2 if "below" in question.text else -2
        assert PEOPLE.index(answer) == PEOPLE.index(named) + step
    assert {each.hops for each in found.pop("conditioned")} == {4}
    assert {each.hops for kind in found.values() for each in kind} == {2}
    values = [int(pay[1:].replace(",", "")) for pay in PAY]
    for question in found["extreme"]:
        wanted = max(values) if "highest" in question.text else min(values)
        answer = question.options.texts[question.options.right]
        assert values[PEOPLE.index(answer)] == wanted
    for question in found["condition"]:
        than = next(person for person in PEOPLE if person in question.text)
        count = sum(value > values[PEOPLE.index(than)] for value in values)
        assert question.options.texts[question.options.right] == str(count)
    for question in found["difference"]:
        one, other = [person for person in PEOPLE if person in question.text]
        apart = abs(values[PEOPLE.index(one)] - values[PEOPLE.index(other)])
        answer = question.options.texts[question.options.right]
        assert int(answer[1:].replace(",", "")) == apart
        sizes = [int(text[1:].replace(",", "")) for text in question.options.texts]
        assert {size % 50 for size in sizes} == {0}, "the fees are multiples of 50"
    for question in found["two steps"]:
        known = next(office for office in OFFICES if office in question.text)
        answer = question.options.texts[question.options.right]
        assert answer == PAY[OFFICES.index(known)]


def test_where_nothing_is_said_it_asks_what_stands_where(freeze: Freeze) -> None:
    elements: list[Element] = []
    for place, text in enumerate(["Alpha", "Bravo", "Gamma", "Delta", "Sigma", "Theta"]):
        part(elements, "p", text, box=(20, 20 + 100 * place, 80, 40 + 100 * place))
    snapshot = freeze(elements)
    tops = {element.own: element.box[1] for element in elements}
    for difficulty, kind in (("easy", "place"), ("medium", "place"), ("hard", "place")):
        found = questions(snapshot, difficulty)
        assert set(found) == {kind}
        for question in found[kind]:
            order = sorted(question.options.texts, key=tops.__getitem__)
            if "lowest" in question.text:
                order.reverse()
            answer = question.options.texts[question.options.right]
            assert answer == order[1 if "second" in question.text else 0]


def test_where_no_value_is_said_an_easy_question_is_about_headings_or_hints(
    freeze: Freeze,
) -> None:
    elements: list[Element] = []
    for text in ("Opening hours", "Getting here", "Group visits", "Guided tours", "Museum shop"):
        part(elements, "h2", text, role="heading", level=2, bold=True)
        part(elements, "p", f"{text} are described here in a few words")
    for label, hint in zip(PEOPLE[:4], ("Ada", "Bea", "Cleo", "Dora"), strict=True):
        part(elements, "label", label)
        shape = {"label": label, "placeholder": hint}
        part(elements, "input", hint, role="textbox", kind="text", **shape)
    found = questions(freeze(elements), "easy")
    assert set(found) == {"section", "hint"}
    for question in found["hint"]:
        assert set(question.options.texts) == {"Ada", "Bea", "Cleo", "Dora"}
    for question in found["section"]:
        assert set(question.options.texts) <= {element.own for element in elements}


@pytest.mark.parametrize("drawn", [False, True])
def test_a_large_picture_may_show_the_texts_again(freeze: Freeze, drawn: bool) -> None:
    elements: list[Element] = []
    for place, text in enumerate(["Alpha", "Bravo", "Gamma", "Delta", "Sigma", "Theta"]):
        part(elements, "p", text, box=(20, 20 + 100 * place, 80, 40 + 100 * place))
    box = (200, 100, 800, 500)
    part(elements, "img", role="img", alt="A screenshot", box=box, drawn=drawn)
    assert bool(questions(freeze(elements), "easy")) is drawn


@pytest.mark.parametrize(
    ("tag", "texts"),
    [
        ("p", ("5.2. Alpha", "5.3. Bravo", "5.4. Gamma", "5.5. Delta", "5.6. Sigma")),
        ("code", ("alpha", "bravo", "gamma", "delta", "sigma")),
    ],
)
def test_the_order_of_numbers_and_of_code_is_not_asked_for(
    freeze: Freeze, tag: str, texts: Sequence[str]
) -> None:
    elements: list[Element] = []
    for place, text in enumerate(texts):
        part(elements, tag, text, box=(20, 20 + 100 * place, 80, 40 + 100 * place))
    assert not questions(freeze(elements), "easy")


def test_a_page_without_texts_is_refused_with_the_reason(freeze: Freeze) -> None:
    (refused,) = write.MAKERS["mmbench-gui/l1"](freeze([]), Random(1))
    assert refused == Refused("mmbench-gui/l1", "nothing to read or to place for an easy question")


# ---- L2 ----------------------------------------------------------------------------------------


def test_basic_tells_kind_color_name_and_place_of_what_is_unique(freeze: Freeze) -> None:
    snapshot = full(freeze)
    texts = [one.text for seed in range(40) for one in write.basic(snapshot, Random(seed))]
    assert any("blue button “Save draft”" in text for text in texts)
    assert any("check box “Remember my choice”" in text for text in texts)
    assert any("heading “Our people” at the top" in text for text in texts)
    for seed in range(40):
        for one in write.basic(snapshot, Random(seed)):
            said = one.target.element.label or one.target.element.text
            assert f"“{said}”" in one.text
            assert (one.seen == "icon") == (one.target.element.role == "checkbox")


@pytest.mark.parametrize(("left", "asked_for"), [(400, False), (700, True)])
def test_what_lies_between_two_thirds_of_the_screen_is_not_placed(
    freeze: Freeze, left: int, asked_for: bool
) -> None:
    elements: list[Element] = []
    part(elements, "button", "Add a row", role="button", box=(left, 580, left + 60, 600))
    assert bool(write.basic(freeze(elements), Random(1))) is asked_for


def test_what_is_there_twice_or_in_the_frame_of_the_site_is_not_asked_for(freeze: Freeze) -> None:
    elements: list[Element] = []
    part(elements, "button", "Add", role="button")
    part(elements, "button", "Add", role="button")
    bar = part(elements, "header", role="banner", box=(0, 0, 1280, 60), landmark="")
    part(elements, "input", role="searchbox", name="Search", landmark="search", parent=bar)
    snapshot = freeze(elements)
    assert list(write.basic(snapshot, Random(1))) == []
    (refused,) = write.MAKERS["mmbench-gui/l2_advanced"](snapshot, Random(1))
    assert refused == Refused("mmbench-gui/l2_advanced", "no element whose purpose is known")


def test_advanced_tells_what_an_element_is_for(freeze: Freeze) -> None:
    last = full(freeze).screen.elements[-1]
    snapshot = full(freeze, clicks=(Click(last.id, "Tours of the bay", "/tours.html"),))
    found = {
        one.text: one.target.element.text or one.target.element.label
        for seed in range(60)
        for one in write.advanced(snapshot, Random(seed))
    }
    assert found == {
        "Use what deletes the account for good.": "Delete account",
        "Use what saves the entries as a draft without sending them.": "Save draft",
        "Give the address to which electronic mail is sent to you.": "E-mail",
        "Use what changes the setting “Remember my choice”.": "Remember my choice",
        "Go to the page with the title “Tours of the bay”.": "Harbour tours",
    }


@pytest.mark.parametrize(("label", "told"), [("E-mail", True), ("To", False), ("收件人", False)])
def test_an_address_of_somebody_else_is_not_ones_own(
    freeze: Freeze, label: str, told: bool
) -> None:
    elements: list[Element] = []
    part(elements, "label", label)
    part(elements, "input", role="textbox", kind="email", label=label, name=label)
    said = [one.text for one in write.advanced(freeze(elements), Random(1))]
    assert said == ["Give the address to which electronic mail is sent to you."][:told]


@pytest.mark.slow
def test_of_buttons_that_do_the_same_the_card_tells_which(freeze: Freeze) -> None:
    elements: list[Element] = []
    for place, name in enumerate(["Oak table", "Pine chair"]):
        top = 100 + 300 * place
        card = part(elements, "li", box=(20, top, 400, top + 200))
        part(elements, "h3", name, role="heading", level=3, parent=card)
        part(elements, "button", "Add to basket", role="button", parent=card)
    found = {
        one.text: one.target.element.id
        for seed in range(20)
        for one in write.advanced(freeze(elements), Random(seed))
    }
    assert found == {
        "For “Oak table”, use what adds the item to the shopping basket.": 2,
        "For “Pine chair”, use what adds the item to the shopping basket.": 5,
    }


def test_a_search_is_asked_for_where_one_field_alone_can_do_it(freeze: Freeze) -> None:
    elements: list[Element] = []
    part(elements, "input", role="searchbox", name="Find", placeholder="Find", label="Find")
    part(elements, "label", "Find")
    (only,) = write.advanced(freeze(elements), Random(1))
    assert (only.text, only.target.element.id) == (
        "You look for something and know a word of it: where do you write it?",
        0,
    )
    box = (600, 10, 900, 40)
    part(elements, "button", "Search pages", role="button", box=box, landmark="banner")
    assert list(write.advanced(freeze(elements), Random(1))) == []


@pytest.mark.parametrize(
    ("box", "place"),
    [
        ((0, 0, 30, 30), "at the top left of the screen"),
        ((140, 280, 160, 300), "at the bottom center of the screen"),
        ((290, 140, 300, 160), "on the right of the screen, halfway down"),
        ((140, 140, 160, 160), "in the middle of the screen"),
    ],
)
def test_a_place_is_told_in_thirds(box: Any, place: str) -> None:
    assert write.place_of(box, Screen(300, 300, ())) == place


# ---- the published layout ----------------------------------------------------------------------

TASKS = ("mmbench-gui/l1", "mmbench-gui/l2_basic", "mmbench-gui/l2_advanced")


@pytest.fixture
def pages(freeze: Freeze, tmp_path: Path) -> list[PageItems]:
    found: list[PageItems] = []
    for site, page in (("one.example", "index"), ("one.example", "a_b"), ("two.example", "index")):
        snapshot = full(freeze, site=site, page=page)
        found.append(make_items(snapshot, write.MAKERS, 7, tmp_path / "made" / site / page))
    return found


@pytest.fixture
def data(pages: list[PageItems], tmp_path: Path) -> Path:
    write.write_data(pages, tmp_path / "data")
    return tmp_path / "data"


@pytest.mark.parametrize("task", TASKS)
def test_what_is_made_loads_and_its_references_reach_the_maximum(task: str, data: Path) -> None:
    loaded = load(task, data)
    each = len(DIFFICULTIES) if task == "mmbench-gui/l1" else 2
    assert len(loaded.ids) == 3 * each
    assert all("one.example/" in item or "two.example/index" in item for item in loaded.ids)
    assert loaded.cluster == "image"
    assert set(loaded.tags["image"]) == {
        "os_web/one.example/index.png",
        "os_web/one.example/a_b.png",
        "os_web/two.example/index.png",
    }
    assert list(image_faults(loaded)) == []
    shape = gold_shape(task)
    assert loaded.contexts is not None
    for protocol in PROTOCOLS[task]:
        found = attainable_maximum(protocol, shape.responses, loaded.golds, loaded.contexts)
        assert not found.below, protocol.id


def test_no_prompt_tells_the_site(data: Path) -> None:
    for task in TASKS:
        loaded = load(task, data)
        assert not any("example" in loaded.item(item).prompt for item in loaded.ids)


def test_it_makes_a_clean_pack_with_a_line_for_each_item(data: Path, tmp_path: Path) -> None:
    parts = [Part(load(task, data)) for task in TASKS]
    write_pack(parts, tmp_path / "pack", name="made")
    assert check_pack(tmp_path / "pack").fine
    lines = [json.loads(line) for line in (data / "made.jsonl").read_text().splitlines()]
    ids = {(part.data.task, item) for part in parts for item in part.data.ids}
    assert {(line["task"], line["item"]) for line in lines} == ids
    assert all(line["record"] and line["tags"]["language"] == "en" for line in lines)


def test_equal_items_are_written_to_equal_bytes(pages: list[PageItems], tmp_path: Path) -> None:
    for name in ("a", "b"):
        write.write_data(pages, tmp_path / name)
    found = [path for path in (tmp_path / "a").rglob("*") if path.is_file()]
    files = [path.relative_to(tmp_path / "a") for path in found]
    assert len(files) == 6
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()

"""Facts of a screen and calculations with them, from hand-made pages."""

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.build.questions.arithmetic import calculations, written
from snellen.build.questions.facts import amount_of
from snellen.build.questions.lookup import Lookup, lookups
from snellen.build.questions.templates import Templates, languages, templates_of
from snellen.build.questions.wording import (
    english_question,
    english_sentences,
    questions_of,
)
from snellen.build.snapshots import Snapshot

Freeze = Callable[..., Snapshot]
Blank = Callable[[], Any]


def said(snapshot: Snapshot) -> dict[tuple[str, ...], tuple[str, ...]]:
    return {(one.kind, *one.names): one.fragments for one in lookups(snapshot)}


# ---- what is said ------------------------------------------------------------------------------


def test_cells_that_are_said_once_are_asked_for_alone_and_with_the_next_one(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank().table(
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


def test_of_few_rows_only_numbers_are_asked_for(blank: Blank, freeze: Freeze) -> None:
    page = blank().table(["Day", "Hours"], ["Friday", "9 am"], ["Sunday", "Closed"])
    assert set(said(freeze(page))) == {("cell", "Friday", "Hours")}


def test_labels_with_one_value_of_their_own_are_asked_for(blank: Blank, freeze: Freeze) -> None:
    page = blank().pairs(Seats="69", Groups="up to 46", Open="yes", Wifi="yes")
    page.pairs(Phone="555 0199", landmark="contentinfo")
    assert said(freeze(page)) == {("pair", "Seats"): ("69",), ("pair", "Groups"): ("up to 46",)}


@pytest.mark.parametrize(("bold", "asked"), [((1,), False), ((1, 3), True), ((), True)])
def test_the_bold_first_row_of_two_columns_is_their_header(
    blank: Blank, freeze: Freeze, bold: tuple[int, ...], asked: bool
) -> None:
    page = blank().pairs(Member_type="Definition", Key="int", Value="str")
    for place in bold:
        page.elements[place] = msgspec.structs.replace(page.elements[place], bold=True)
    found = said(freeze(page))
    assert (("pair", "Member type") in found) is asked
    assert found["pair", "Key"] == ("int",)


def test_a_label_with_two_values_is_not_asked_for(blank: Blank, freeze: Freeze) -> None:
    page = blank().pairs(Members="78").pairs(Members="33")
    assert said(freeze(page)) == {}


def test_an_answer_that_the_question_says_is_not_asked_for(blank: Blank, freeze: Freeze) -> None:
    page = blank().pairs(Storage_used="storage is full", Trial="30 days")
    assert set(said(freeze(page))) == {("pair", "Trial")}


def test_prices_and_what_fields_hold_are_asked_for(blank: Blank, freeze: Freeze) -> None:
    page = blank().prices(Tea="$3.50", Coffee="$4.20", Cake="$4.20")
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
    found = said(freeze(page))
    assert {key: found[key] for key in found if key[0] != "section"} == {
        ("price", "Tea"): ("$3.50",),
        ("field", "Town"): ("Fernbrook",),
        ("field", "Sort by"): ("Newest",),
    }


def test_a_sum_of_money_alone_is_no_price(blank: Blank, freeze: Freeze) -> None:
    assert said(freeze(blank().prices(Dashboard="$24,567"))) == {}


@pytest.mark.parametrize(
    "heading", ["Open positions in Lakewood", "Unsere Stellenangebote", "Sueldo al mes", "招聘职位"]
)
def test_a_wage_is_no_price(blank: Blank, freeze: Freeze, heading: str) -> None:
    page = blank().prices(Nurse="$3,360", Driver="$2,720", Welder="$4,210")
    assert any(key[0] == "price" for key in said(freeze(page)))
    page.add(heading, "h2", role="heading", level=2)
    assert not any(key[0] == "price" for key in said(freeze(page)))


def test_the_mark_of_a_list_is_no_part_of_a_name(blank: Blank, freeze: Freeze) -> None:
    page = blank().table(["Task", "Size"], ["\u2022 Web server", "85"], ["Mail server", "19"])
    assert set(said(freeze(page))) == {("cell", "Mail server", "Size")}


def test_a_menu_is_not_named_by_an_entry_that_another_menu_has(
    blank: Blank, freeze: Freeze
) -> None:
    page = menu(blank(), "Start", "Fees", "Help", current="Fees")
    items = page.facts[0]["items"]
    page.facts.append({"kind": "menu", "element": None, "current": "Help", "items": items})
    assert not any(key[0] == "current" for key in said(freeze(page)))


def test_what_can_not_be_read_is_not_asked_for(blank: Blank, freeze: Freeze) -> None:
    page = blank().pairs(Seats="69", Trial="30 days", Plan="Solo")
    seats, trial = page.elements[1], page.elements[3]
    page.elements[1] = msgspec.structs.replace(seats, covered=0.5)
    page.elements[3] = msgspec.structs.replace(trial, cut=True)
    assert set(said(freeze(page))) == {("pair", "Plan")}


def test_the_only_first_heading_is_asked_for(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    page.add("Come early", "h1", role="heading", level=1)
    assert said(freeze(page)) == {("heading",): ("Come early",)}
    page.add("Come late", "h1", role="heading", level=1)
    assert said(freeze(page)) == {}


def test_a_heading_below_a_larger_one_is_not_the_main_one(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    page.add("Fernbrook 1.2", "h1", role="heading", level=1, font_size=20)
    page.add("Search", "h2", role="heading", level=2, font_size=29)
    assert ("heading",) not in said(freeze(page))


@pytest.mark.parametrize(
    ("text", "size", "place", "main"),
    [
        ("The manual", 30, (100, 10, 300, 40), False),
        ("The manual", 20, (100, 10, 300, 40), True),
        ("The manual", 30, (100, 110, 300, 140), True),
        ("$49", 30, (100, 10, 300, 40), True),
    ],
)
def test_a_heading_below_a_larger_text_is_not_the_main_one(
    blank: Blank, freeze: Freeze, text: str, size: int, place: tuple[int, ...], main: bool
) -> None:
    page = blank()
    page.add(text, font_size=size, box=place)
    page.add("Chapter 1", "h1", role="heading", level=1, font_size=20, box=(100, 60, 300, 90))
    assert (("heading",) in said(freeze(page))) is main


def test_a_figure_is_no_main_heading(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    page.add("12°C", "h1", role="heading", level=1, font_size=40)
    assert said(freeze(page)) == {}


def menu(page: Any, *labels: str, current: str = "") -> Any:
    items = [
        {"label": text, "element": page.add(text, "a", role="link", landmark="navigation")}
        for text in labels
    ]
    page.facts.append({"kind": "menu", "element": None, "current": current, "items": items})
    return page


def test_menus_are_asked_for_what_is_current_and_what_comes_next(
    blank: Blank, freeze: Freeze
) -> None:
    page = menu(blank(), "Start", "Fees", "Help", current="Fees")
    assert said(freeze(page)) == {
        ("current", "Start"): ("Fees",),
        ("next", "Start"): ("Fees",),
        ("next", "Fees"): ("Help",),
    }
    assert said(freeze(menu(blank(), "Start", "Fees"))) == {}
    menu(page, "Team", "Jobs", "Press", current="Jobs")
    found = said(freeze(page))
    assert (found["current", "Start"], found["current", "Team"]) == (("Fees",), ("Jobs",))


def test_the_current_entry_of_a_menu_within_a_menu_is_not_asked_for(
    blank: Blank, freeze: Freeze
) -> None:
    """The entry above it is marked as well."""
    page = menu(blank(), "Start", "Fees", "Help", current="Fees")
    outer, inner = page.add("", "ul", role="list"), page.add("", "ul", role="list")
    page.facts[0]["element"] = inner
    assert ("current", "Start") in said(freeze(page))
    page.elements[inner] = msgspec.structs.replace(page.elements[inner], parent=outer)
    assert ("current", "Start") not in said(freeze(page))


def test_an_entry_that_stands_twice_has_no_next_one(blank: Blank, freeze: Freeze) -> None:
    page = menu(blank(), "Start", "Fees", "Help")
    page.add("Start", "a", role="link")
    assert set(said(freeze(page))) == {("next", "Fees")}


@pytest.mark.parametrize(("top", "asked"), [(100, True), (150, False)])
def test_a_sign_under_a_heading_is_a_link_under_it_too(
    blank: Blank, freeze: Freeze, top: int, asked: bool
) -> None:
    page = blank()
    card = page.add(tag="div", box=(100, 100, 400, 260))
    given = {"parent": card, "role": "link", "tag": "a"}
    page.add(tag="a", parent=card, role="link", name="Next", box=(350, top, 366, top + 16))
    page.add("Browse the guide", "h3", parent=card, role="heading", level=3,
             box=(100, 120, 300, 140))  # fmt: skip
    page.add("Source code", box=(100, 180, 300, 200), **given)
    assert (("action", "Browse the guide") in said(freeze(page))) is asked


@pytest.mark.parametrize(
    ("role", "painted", "asked"), [("link", False, False), ("link", True, True), ("", False, True)]
)
def test_a_button_right_below_a_card_without_a_frame_belongs_to_its_heading_too(
    blank: Blank, freeze: Freeze, role: str, painted: bool, asked: bool
) -> None:
    page = blank()
    card = page.add(tag="div", box=(100, 100, 400, 200), painted=painted)
    page.add("More fields", "h3", parent=card, role="heading", level=3, box=(100, 110, 300, 130))
    page.add("Add an account", "a", parent=card, role="link", box=(100, 150, 300, 170))
    page.add("Add notes", "a", role=role, box=(100, 220, 300, 240))
    assert (("action", "More fields") in said(freeze(page))) is asked


def test_lists_below_a_heading_are_asked_for_their_ends(blank: Blank, freeze: Freeze) -> None:
    def page(*headed: str) -> Any:
        page = blank()
        for name in headed:
            top = 10 + 400 * headed.index(name)
            page.add(
                name, "h2", role="heading", level=2, box=(100, top, 300, top + 20), font_size=20
            )
            outer = page.add("", "ul", box=(100, top + 30, 300, top + 120))
            for place in range(3):
                low = top + 30 + 30 * place
                text = f"{['One', 'Two', 'Six'][place]} {name[0]}"
                page.add(text, "li", parent=outer, box=(100, low, 300, low + 20))
        return page

    found = said(freeze(page("Rules", "Tips")))
    assert found["first", "Rules"] == ("One R",)
    assert found["last", "Tips"] == ("Six T",)
    assert found["section", "Rules"] == ("Tips",)


@pytest.mark.parametrize(
    ("between", "asked"), [("", True), ("Each of you:", True), ("Getting started", False)]
)
def test_a_list_below_another_title_is_not_the_list_of_the_heading(
    blank: Blank, freeze: Freeze, between: str, asked: bool
) -> None:
    page = blank()
    page.add("Rules", "h2", role="heading", level=2, box=(100, 10, 300, 30))
    if between:
        page.add(between, box=(100, 35, 300, 50))
    outer = page.add("", "ul", box=(100, 55, 300, 145))
    for place, text in enumerate(("One", "Two", "Six")):
        page.add(text, "li", parent=outer, box=(100, 55 + 30 * place, 300, 75 + 30 * place))
    assert (("first", "Rules") in said(freeze(page))) is asked


def test_a_heading_is_not_asked_for_past_what_looks_like_one(blank: Blank, freeze: Freeze) -> None:
    for between in ({"tag": "legend"}, {"tag": "p", "font_size": 30}, {"tag": "b", "font_size": 9}):
        page = blank()
        page.add("Rules", "h2", role="heading", level=2, font_size=20)
        page.add("Who comes", **between)
        page.add("Tips", "h2", role="heading", level=2, font_size=20)
        assert said(freeze(page)) == {}


def test_charts_are_asked_for_values_that_only_one_label_has(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    items = [
        {
            "label": label,
            "value": value,
            "label_element": page.add(label, "text"),
            "element": page.add(value, "text"),
        }
        for label, value in (("Mon", "12"), ("Tue", "30"), ("Wed", "12"))
    ]
    page.facts.append({"kind": "chart", "caption": "", "element": None, "items": items})
    assert said(freeze(page)) == {("chart", "Tue"): ("30",)}


def test_what_is_read_from_an_axis_has_no_element(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    items = [
        {"label": label, "value": value, "label_element": page.add(label, "text"), "element": None}
        for label, value in (("Mon", "10"), ("Tue", "30"))
    ]
    page.facts.append({"kind": "chart", "caption": "", "element": None, "items": items})
    found = [one for one in lookups(freeze(page)) if one.kind == "chart"]
    assert {(one.names, one.fragments, one.elements) for one in found} == {
        (("Mon",), ("10",), ()),
        (("Tue",), ("30",), ()),
    }


def test_a_column_whose_header_stands_twice_is_not_named(blank: Blank, freeze: Freeze) -> None:
    rows = [[name, f"Item {n}", f"${n}0"] for n, name in enumerate(PEOPLE, start=1)]
    page = blank().table(["Name", "Name", "Fee"], *rows)
    found = said(freeze(page))
    assert ("cell", "Ann Lee", "Fee") in found
    assert not any(one[0] == "reverse" for one in found)
    assert (
        answers(freeze(page))
        .keys()
        .isdisjoint({english().highest.format(key="Name", column="Fee")})
    )


def test_nobody_asks_which_number_of_a_row_is_the_highest(blank: Blank, freeze: Freeze) -> None:
    rows = [[name, f"10{n}", f"${n}0"] for n, name in enumerate(PEOPLE, start=1)]
    found = answers(freeze(blank().table(["Name", "No.", "Fee"], *rows)))
    assert english().highest.format(key="Name", column="Fee") in found
    assert english().highest.format(key="Name", column="No.") not in found


def test_figures_with_a_number_are_asked_for_their_titles(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    outer = page.add("Figure 2.1. Levels of the core", "figcaption")
    page.add("Figure 2.1. Levels of the core", "strong", parent=outer)
    page.add("Table 3: Fees of the year", "caption")
    page.add("Table 4: What “slow” means", "caption")
    page.add("Figure 5 shows the same, as was said before in this chapter.")
    assert said(freeze(page)) == {
        ("caption", "Figure 2.1"): ("Levels of the core",),
        ("caption", "Table 3"): ("Fees of the year",),
    }
    page.add("Figure 2.1 is much larger")
    assert ("caption", "Figure 2.1") not in said(freeze(page))


def test_parts_of_two_texts_in_two_looks_are_labels_and_values(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank()
    grid = page.add("", "div")
    for label, value in (("Registrar", "Third Party"), ("Creator", "Ann Lee"), ("Age", "few days")):
        part = page.add("", "div", parent=grid)
        page.add(label, "div", parent=part, font_size=10, color="#667788")
        page.add(value, "div", parent=part, font_size=14, color="#112233")
    assert said(freeze(page)) == {
        ("pair", "Registrar"): ("Third Party",),
        ("pair", "Creator"): ("Ann Lee",),
        ("pair", "Age"): ("few days",),
    }
    page.elements[3] = msgspec.structs.replace(page.elements[3], font_size=12.0)
    assert said(freeze(page)) == {}


def test_a_row_with_a_picture_beside_its_texts_is_no_pair(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    row = page.add("", "div")
    page.add("Friends", "span", parent=row)
    page.add("22", "b", parent=row)
    assert said(freeze(page)) == {("pair", "Friends"): ("22",)}
    page.add("", "span", parent=row, painted=True)
    assert said(freeze(page)) == {}


def test_a_value_within_a_line_has_no_element_of_its_own(blank: Blank, freeze: Freeze) -> None:
    page = blank()
    line = page.add("Size: 40 cm")
    fact = {"label": "Size", "value": "40 cm", "label_element": line, "element": line}
    page.facts.append({"kind": "pairs", "caption": "", "element": None, "pairs": [fact]})
    snapshot = freeze(page)
    assert lookups(snapshot) == [Lookup("pair", ("Size",), ("40 cm",), ())]


@pytest.mark.parametrize(
    "one",
    [
        Lookup("cell", ("Tea", "Size"), ("9 cm",), (1,)),
        Lookup("row", ("Tea", "Size", "Shelf"), ("9 cm", "top"), (1, 2)),
        Lookup("pair", ("Size",), ("9 cm",), (1,)),
        Lookup("price", ("Tea",), ("9 cm",), (1,)),
        Lookup("field", ("Size",), ("9 cm",), (1,)),
        Lookup("heading", (), ("9 cm",), (1,)),
        Lookup("current", ("Tea",), ("9 cm",), (1,)),
    ],
)
def test_every_wording_names_what_it_asks_for_and_answers_with_all_of_it(one: Lookup) -> None:
    wordings = {english_question(one, Random(seed)) for seed in range(40)}
    sentences = {each for seed in range(40) for each in english_sentences(one, Random(seed))}
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


# ---- calculations ------------------------------------------------------------------------------


def calculated(snapshot: Snapshot) -> dict[str, tuple[str, str]]:
    return {
        one.question: (one.kind, one.answers[0])
        for seed in range(40)
        for one in calculations(snapshot, Random(seed))
    }


def test_prices_are_compared_and_added(blank: Blank, freeze: Freeze) -> None:
    prices = {"Tea": "$3.50", "Coffee": "$4.20", "Cake": "$1,200.00"}
    found = calculated(freeze(blank().prices(**prices)))
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


def test_hours_and_rows_are_counted(blank: Blank, freeze: Freeze) -> None:
    page = blank().table(
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

    templates = templates_of(language)
    assert templates is not None
    assert written(Decimal("1234.50"), like, templates) == text


def test_a_result_is_as_exact_as_the_more_exact_of_its_numbers(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank().table(
        ["Parcel", "Weight"], ["Red", "12.5 kg"], ["Blue", "0.600 kg"], ["Green", "3.25 kg"]
    )
    found = {
        one.question: one.answers
        for seed in range(40)
        for one in calculations(freeze(page), Random(seed))
    }
    asked = "What is the difference between the “Weight” of “{}” and the “Weight” of “{}”?"
    full = found[asked.format("Red", "Blue")]
    assert full[0] == "11.900 kg"
    assert "11.9 kg" in full
    assert found[asked.format("Red", "Green")][0] == "9.25 kg"
    assert found[asked.format("Blue", "Green")][0] == "2.650 kg"


# ---- questions in the page's language ----------------------------------------------------------

PEOPLE = ["Ann Lee", "Bob Ray", "Cid Fox", "Dan Orr", "Eve Kay"]
PAY = ["$1,200", "$900", "$3,400", "$2,000", "$900"]


def english() -> Templates:
    templates = templates_of("en")
    assert templates is not None
    return templates


def answers(snapshot: Snapshot, templates: Templates | None = None) -> dict[str, str]:
    questions = questions_of(snapshot, templates or english())
    return {question.text: question.answers[0] for question in questions}


def email(blank: Blank, *addresses: str, **fields: Any) -> Any:
    page = blank()
    for address in addresses:
        page.add(f"Write to {address}", **fields)
    fact = {"kind": "contact", "label": "email", "value": addresses[0], "element": 0}
    page.facts.append(fact)
    return page


def test_a_table_is_asked_by_row_by_value_and_for_the_extremes(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank().table(["Name", "Pay"], *map(list, zip(PEOPLE, PAY, strict=True)))
    assert answers(freeze(page)) == {
        "In the row “Ann Lee” of the table, what is given under “Pay”?": "$1,200",
        "In the row “Cid Fox” of the table, what is given under “Pay”?": "$3,400",
        "In the row “Dan Orr” of the table, what is given under “Pay”?": "$2,000",
        "In the table, which “Name” has “$1,200” under “Pay”?": "Ann Lee",
        "In the table, which “Name” has “$3,400” under “Pay”?": "Cid Fox",
        "In the table, which “Name” has “$2,000” under “Pay”?": "Dan Orr",
        "In the table, which “Name” has the highest value under “Pay”?": "Cid Fox",
    }


def test_an_answer_is_accepted_in_all_its_forms(blank: Blank, freeze: Freeze) -> None:
    questions = questions_of(freeze(blank().prices(Tea="$1,200.00", Cake="$5")), english())
    (forms,) = [each.answers for each in questions if each.kind == "price" and "Tea" in each.text]
    assert {"$1,200.00", "$1200", "1,200.00", "1200"} <= set(forms)
    assert len(set(forms)) == len(forms)


def test_no_extreme_is_asked_for_of_what_counts_different_things(
    blank: Blank, freeze: Freeze
) -> None:
    pay = ["$1", "€2", "$3", "$4", "$5"]
    page = blank().table(["Name", "Pay"], *map(list, zip(PEOPLE, pay, strict=True)))
    assert not any("highest" in text for text in answers(freeze(page)))


def test_of_two_tables_that_answer_one_question_differently_neither_is_asked(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank()
    for first in ("A 1", "B 1"):
        rooms = [first, "A 2", "A 3", "A 4", "A 5"]
        page.table(["Name", "Room"], *map(list, zip(PEOPLE, rooms, strict=True)))
    assert answers(freeze(page)) == {}


def test_a_name_that_heads_a_column_and_a_row_is_not_asked_for(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank().table(["Item", "Subtotal"], ["Tea", "$10"], ["Cake", "$20"], ["Subtotal", "$30"])
    assert answers(freeze(page)) == {}


def test_of_rows_that_are_not_all_shown_none_is_the_highest(blank: Blank, freeze: Freeze) -> None:
    rows = [[name, f"{number}0"] for number, name in enumerate(PEOPLE, 1)]
    page = blank().table(["Name", "Points"], *rows)
    highest = "In the table, which “Name” has the highest value under “Points”?"
    assert highest in answers(freeze(page))
    page.facts[0]["partial"] = True
    found = answers(freeze(page))
    assert highest not in found
    assert "In the row “Bob Ray” of the table, what is given under “Points”?" in found


def test_a_label_that_the_page_says_elsewhere_is_not_asked_for(
    blank: Blank, freeze: Freeze
) -> None:
    page = blank().pairs(Size="40 cm", Weight="3 kg")
    page.add("Weight")
    assert answers(freeze(page)) == {"What does the page give for “Size”?": "40 cm"}


def test_prices_are_compared_unless_the_page_shows_another(blank: Blank, freeze: Freeze) -> None:
    page = blank().prices(Tea="$2", Coffee="$3", Cake="$5", Soup="$7", Bread="$1")
    found = answers(freeze(page))
    assert found["What is the price of “Tea”?"] == "$2"
    assert found["Of all that has a price on the page, what is the most expensive?"] == "Soup"
    assert found["Of all that has a price on the page, what is the cheapest?"] == "Bread"
    page.add("Delivery $9")
    assert not any("most" in text for text in answers(freeze(page)))


def test_an_address_is_asked_for_if_it_is_the_only_one_and_can_be_read(
    blank: Blank, freeze: Freeze
) -> None:
    mine, other = "me@shop.example", "you@shop.example"
    assert list(answers(freeze(email(blank, mine))).values()) == [mine]
    assert answers(freeze(email(blank, mine, other))) == {}
    assert answers(freeze(email(blank, mine, landmark="contentinfo"))) == {}
    assert answers(freeze(email(blank, mine, covered=0.5))) == {}


@pytest.mark.parametrize(
    "value", ["—", "Size 40 is what it has", "a very long answer of many more words"]
)
def test_what_is_no_precise_answer_is_not_asked_for(
    blank: Blank, freeze: Freeze, value: str
) -> None:
    assert answers(freeze(blank().pairs(Size=value))) == {}


@pytest.mark.parametrize("language", languages())
def test_each_language_asks_for_each_kind(blank: Blank, freeze: Freeze, language: str) -> None:
    templates = templates_of(language)
    assert templates is not None
    page = blank().pairs(L="V 1")
    page.table(["N", "P"], *map(list, zip(PEOPLE, ["10", "20", "30", "40", "50"], strict=True)))
    found = answers(freeze(page, language=language), templates)
    assert found[templates.lookup.format(row="Ann Lee", column="P")] == "10"
    assert found[templates.reverse.format(key="N", value="20", column="P")] == "Bob Ray"
    assert found[templates.highest.format(key="N", column="P")] == "Eve Kay"
    assert found[templates.lowest.format(key="N", column="P")] == "Ann Lee"
    assert found[templates.pair.format(label="L")] == "V 1"
    costs = freeze(blank().prices(A1="5", B2="7", C3="8", D4="9", E5="6"), language=language)
    assert answers(costs, templates)[templates.dearest] == "D4"
    assert answers(costs, templates)[templates.cheapest] == "A1"
    listed = freeze(menu(blank(), "Start", "Fees", "Help", current="Fees"), language=language)
    asked = answers(listed, templates)
    assert asked[templates.current.format(label="Start")] == "Fees"
    assert asked[templates.next.format(label="Fees")] == "Help"


# ---- numbers -----------------------------------------------------------------------------------


def test_numbers_are_read_as_their_language_writes_them() -> None:
    german, french = templates_of("de"), templates_of("fr")
    assert german is not None
    assert french is not None
    for text, questions, value, unit in (
        ("1,234.5", english(), "1234.5", ""),
        ("−$701.70", english(), "-701.70", "$"),
        ("12 %", english(), "12", "%"),
        ("1.234,5 kg", german, "1234.5", "kg"),
        ("1\u202f234,50 €", french, "1234.50", "€"),
    ):
        amount = amount_of(text, questions)
        assert amount is not None, text
        assert (amount.value, amount.unit) == (Decimal(value), unit)


@pytest.mark.parametrize("text", ["", "Feb 14", "#7841", "12,34", "1.2.3", "2008/11/28", "9 – 5"])
def test_what_is_no_number_or_could_be_two_is_none(text: str) -> None:
    assert amount_of(text, english()) is None


@given(st.integers(0, 10**9))
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    amount = amount_of(f"${number:,}.50", english())
    assert amount is not None
    assert amount.value == Decimal(number) + Decimal("0.5")

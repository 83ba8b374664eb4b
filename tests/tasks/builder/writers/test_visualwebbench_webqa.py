"""Questions with exactly one answer, from hand-made facts."""

from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.tasks.builder.questions.facts import accepted, amount_of
from snellen.tasks.builder.questions.templates import (
    Questions,
    languages,
    questions_of,
)
from snellen.tasks.builder.screen.elements import Element, Screen
from snellen.tasks.builder.snapshots import Captured, Snapshot
from snellen.tasks.builder.writers.base import Made, Refused
from snellen.tasks.builder.writers.visualwebbench.shared import Reason
from snellen.tasks.builder.writers.visualwebbench.webqa import QUESTION_ITEMS, webqa

PEOPLE = ["Ann Lee", "Bob Ray", "Cid Fox", "Dan Orr", "Eve Kay"]
PAY = ["$1,200", "$900", "$3,400", "$2,000", "$900"]


def english() -> Questions:
    found = questions_of("en")
    assert found is not None
    return found


def table(headers: list[str], *columns: list[str]) -> dict[str, Any]:
    rows = [list(row) for row in zip(*columns, strict=True)]
    cells = [[None] * len(headers) for _ in rows]
    return {
        "kind": "table",
        "caption": "",
        "headers": headers,
        "rows": rows,
        "cells": cells,
        "element": None,
        "header_cells": [None] * len(headers),
    }


def pairs(**values: str) -> dict[str, Any]:
    return {
        "kind": "pairs",
        "caption": "",
        "element": None,
        "pairs": [
            {"label": label, "value": value, "label_element": None, "element": None}
            for label, value in values.items()
        ],
    }


def prices(**values: str) -> dict[str, Any]:
    return {
        "kind": "prices",
        "caption": "",
        "element": None,
        "items": [
            {"name": name, "price": price, "name_element": None, "element": None}
            for name, price in values.items()
        ],
    }


def email(value: str, element: int | None = None) -> dict[str, Any]:
    return {"kind": "contact", "label": "email", "value": value, "element": element}


def asked(
    tmp_path: Path,
    *facts: dict[str, Any],
    language: str = "en",
    elements: tuple[Element, ...] = (),
    seed: int = 1,
) -> list[Made | Refused]:
    screen = Screen(100, 100, elements, language=language)
    captured = Captured("index", "shop", "index.html", screen, facts=facts)
    (tmp_path / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    (tmp_path / "screen.png").write_bytes(b"a picture")
    return list(webqa(Snapshot(tmp_path), Random(seed)))


def every(tmp_path: Path, *facts: dict[str, Any], **more: Any) -> dict[str, list[str]]:
    """Return all that is ever asked, over many seeds, with its answers."""
    found = [one for seed in range(60) for one in asked(tmp_path, *facts, seed=seed, **more)]
    return {one.row["question"]: one.row["answer"] for one in found if isinstance(one, Made)}


def reason(found: list[Made | Refused]) -> str:
    (only,) = found
    assert isinstance(only, Refused)
    return only.reason


def test_a_table_is_asked_by_row_by_value_and_for_the_extremes(tmp_path: Path) -> None:
    assert every(tmp_path, table(["Name", "Pay"], PEOPLE, PAY)) == {
        "In the row “Ann Lee” of the table, what is given under “Pay”?": [
            "$1,200",
            "$1200",
            "1,200",
            "1200",
        ],
        "In the row “Cid Fox” of the table, what is given under “Pay”?": [
            "$3,400",
            "$3400",
            "3,400",
            "3400",
        ],
        "In the row “Dan Orr” of the table, what is given under “Pay”?": [
            "$2,000",
            "$2000",
            "2,000",
            "2000",
        ],
        "In the table, which “Name” has “$1,200” under “Pay”?": ["Ann Lee"],
        "In the table, which “Name” has “$3,400” under “Pay”?": ["Cid Fox"],
        "In the table, which “Name” has “$2,000” under “Pay”?": ["Dan Orr"],
        "In the table, which “Name” has the highest value under “Pay”?": ["Cid Fox"],
    }


def test_all_that_a_cell_says_is_accepted_too(tmp_path: Path) -> None:
    told = table(["Name", "Pay"], PEOPLE, PAY)
    told["cells"][0][0] = 0
    cell = Element(0, "td", (0, 0, 50, 20), text=f"AL {PEOPLE[0]} ann@example.com")
    assert every(tmp_path, told, elements=(cell,))[
        f"In the table, which “Name” has “{PAY[0]}” under “Pay”?"
    ] == [PEOPLE[0], f"AL {PEOPLE[0]} ann@example.com"]


def test_of_few_rows_only_numbers_are_asked_for(tmp_path: Path) -> None:
    days = table(["Day", "Hours"], ["Friday", "Saturday", "Sunday"], ["9 – 5", "9 – 1", "Closed"])
    assert every(tmp_path, days) == {
        "In the row “Friday” of the table, what is given under “Hours”?": [
            "9 – 5",
            "9-5",
            "9 - 5",
        ],
        "In the row “Saturday” of the table, what is given under “Hours”?": [
            "9 – 1",
            "9-1",
            "9 - 1",
        ],
    }


def test_no_extreme_is_asked_for_of_what_counts_different_things(tmp_path: Path) -> None:
    found = every(tmp_path, table(["Name", "Pay"], PEOPLE, ["$1", "€2", "$3", "$4", "$5"]))
    assert not any("highest" in question for question in found)


def test_of_two_tables_that_answer_one_question_differently_neither_is_asked(
    tmp_path: Path,
) -> None:
    first = table(["Name", "Room"], PEOPLE, ["A 1", "A 2", "A 3", "A 4", "A 5"])
    second = table(["Name", "Room"], PEOPLE, ["B 1", "A 2", "A 3", "A 4", "A 5"])
    found = every(tmp_path, first, second)
    assert "In the row “Ann Lee” of the table, what is given under “Room”?" not in found
    assert "In the row “Bob Ray” of the table, what is given under “Room”?" in found


def test_a_label_that_stands_twice_is_not_asked_for(tmp_path: Path) -> None:
    found = every(tmp_path, pairs(Size="40 cm", Weight="3 kg"), pairs(Size="50 cm"))
    assert found == {"What does the page give for “Weight”?": ["3 kg"]}


def test_a_label_that_the_page_says_elsewhere_is_not_asked_for(tmp_path: Path) -> None:
    said = tuple(Element(place, "p", (0, 0, 9, 9), own="Weight") for place in range(2))
    found = every(tmp_path, pairs(Size="40 cm", Weight="3 kg"), elements=said)
    assert found == {"What does the page give for “Size”?": ["40 cm"]}


def test_prices_are_asked_for_and_compared(tmp_path: Path) -> None:
    found = every(tmp_path, prices(Tea="$2", Coffee="$3", Cake="$5", Soup="$7", Bread="$1"))
    assert found["What is the price of “Tea”?"] == ["$2", "2"]
    assert found["Of all that has a price on the page, what is the most expensive?"] == ["Soup"]
    assert found["Of all that has a price on the page, what is the cheapest?"] == ["Bread"]


def test_prices_are_not_compared_where_the_page_shows_another(tmp_path: Path) -> None:
    other = (Element(0, "p", (0, 0, 9, 9), own="Delivery $9"),)
    facts = prices(Tea="$2", Coffee="$3", Cake="$5", Soup="$7", Bread="$1")
    assert not any("most" in question for question in every(tmp_path, facts, elements=other))


def test_an_address_is_asked_for_where_it_is_the_only_one(tmp_path: Path) -> None:
    mine = Element(0, "p", (0, 0, 9, 9), own="Write to me@shop.example")
    other = Element(1, "p", (0, 0, 9, 9), own="or to you@shop.example")
    assert list(every(tmp_path, email("me@shop.example", 0), elements=(mine,)).values()) == [
        ["me@shop.example"]
    ]
    assert every(tmp_path, email("me@shop.example", 0), elements=(mine, other)) == {}


def test_what_the_frame_of_a_site_says_is_not_asked_for(tmp_path: Path) -> None:
    footer = Element(0, "p", (0, 0, 9, 9), own="me@shop.example", landmark="contentinfo")
    found = asked(tmp_path, email("me@shop.example", 0), elements=(footer,))
    assert reason(found) == Reason.NO_ANSWER


def test_what_is_hidden_in_part_is_not_asked_for(tmp_path: Path) -> None:
    hidden = Element(0, "p", (0, 0, 9, 9), own="me@shop.example", covered=0.5)
    found = asked(tmp_path, email("me@shop.example", 0), elements=(hidden,))
    assert reason(found) == Reason.NO_ANSWER


@pytest.mark.parametrize(
    "value", ["7", "—", "Size 40 is what it has", "a very long answer of many more words here"]
)
def test_what_is_no_precise_answer_is_not_asked_for(tmp_path: Path, value: str) -> None:
    label = "Size 40 is what it has" if value.startswith("Size") else "Size"
    assert reason(asked(tmp_path, pairs(**{label: value}))) == Reason.NO_ANSWER


def test_pages_without_facts_or_templates_are_refused(tmp_path: Path) -> None:
    facts = pairs(Size="40 cm")
    assert reason(asked(tmp_path)) == Reason.NO_FACTS
    assert reason(asked(tmp_path, facts, language="fi")) == Reason.NO_TEMPLATES
    assert reason(asked(tmp_path, facts, language="")) == Reason.NO_LANGUAGE


def test_a_page_has_few_questions_of_many_kinds_with_different_answers(tmp_path: Path) -> None:
    rooms = [f"A {number}" for number in range(10, 15)]
    facts = (table(["Name", "Room", "Pay"], PEOPLE, rooms, PAY), pairs(Size="40 cm"))
    items = [one for one in asked(tmp_path, *facts) if isinstance(one, Made)]
    assert len(items) == QUESTION_ITEMS
    assert len({one.tags["question"] for one in items}) == 5 - (
        "lowest" not in {one.tags["question"] for one in items}
    )
    assert len({one.row["answer"][0] for one in items}) == QUESTION_ITEMS
    assert [one.row["id"] for one in items] == [f"shop/index/webqa_{n}" for n in range(1, 6)]


@pytest.mark.slow
@pytest.mark.parametrize("language", languages())
def test_each_language_asks_for_each_kind(tmp_path: Path, language: str) -> None:
    found = questions_of(language)
    assert found is not None
    people = table(["N", "P"], PEOPLE, ["10", "20", "30", "40", "50"])
    asked_for = every(tmp_path, people, pairs(L="V 1"), language=f"{language}-XX")
    assert asked_for[found.lookup.format(row="Ann Lee", column="P")] == ["10"]
    assert asked_for[found.reverse.format(key="N", value="20", column="P")] == ["Bob Ray"]
    assert asked_for[found.highest.format(key="N", column="P")] == ["Eve Kay"]
    assert asked_for[found.lowest.format(key="N", column="P")] == ["Ann Lee"]
    assert asked_for[found.pair.format(label="L")] == ["V 1"]
    costs = every(tmp_path, prices(A1="5", B2="7", C3="8", D4="9", E5="6"), language=language)
    assert costs[found.dearest] == ["D4"]
    assert costs[found.cheapest] == ["A1"]


def test_numbers_are_read_as_their_language_writes_them() -> None:
    german, french = questions_of("de"), questions_of("fr")
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
    assert accepted(f"${number:,}", english())[-1] == str(number)


@given(st.text(min_size=1))
def test_a_value_is_accepted_as_shown_first_and_no_form_comes_twice(text: str) -> None:
    forms = accepted(text, english())
    assert forms[0] == text
    assert len(set(forms)) == len(forms)


def test_a_range_may_be_written_with_a_hyphen() -> None:
    assert accepted("9:00 – 17:00", english()) == ["9:00 – 17:00", "9:00-17:00", "9:00 - 17:00"]

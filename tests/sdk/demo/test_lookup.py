"""Looking up: tables, labels, and values of the kind that is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.sdk.demo.lookup import kind_asked, look_up, value_in
from snellen.sdk.ocr.pictures import Box, Line

COLUMNS = (40, 240, 440)


def row(y: float, *texts: str) -> list[Line]:
    return [
        Line(text, Box(x, y, x + 9 * len(text), y + 18))
        for x, text in zip(COLUMNS, texts, strict=False)
    ]


TABLE = [
    *row(0, "Account", "Interest", "Minimum"),
    *row(30, "Everyday Saver", "2.10 %", "$10"),
    *row(60, "Goal Saver", "2.85 %", "$500"),
    *row(90, "Fixed Saver", "3.40 %", "$5,000"),
]
HOURS = [
    *row(200, "Opening hours"),
    *row(230, "Monday to Friday", "9:00 - 17:30"),
    *row(260, "Saturday", "10:00 - 14:00"),
    Line("Phone: 555-0142", Box(40, 300, 180, 318)),
    Line("Membership costs $40 a year for students", Box(40, 330, 420, 348)),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the interest of the Goal Saver account?", "2.85 %"),
        ("What is the minimum for the Fixed Saver?", "$5,000"),
        ("What are the opening hours on Saturday?", "10:00 - 14:00"),
        ("When does it open from Monday to Friday?", "9:00 - 17:30"),
        ("What is the phone number?", "555-0142"),
        ("How much does membership cost for students?", "$40"),
    ],
)
def test_a_value_is_looked_up(question: str, answer: str) -> None:
    found = look_up(question, [*TABLE, *HOURS])
    assert found is not None
    assert found.text == answer


def test_what_no_line_speaks_of_is_not_found() -> None:
    assert look_up("Who painted the ceiling?", [*TABLE, *HOURS]) is None


def test_nothing_is_found_where_there_is_nothing() -> None:
    assert look_up("What is the price?", []) is None
    assert look_up("", TABLE) is None


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How much does it cost?", "money"),
        ("¿Cuál es el precio de la entrada?", "money"),
        ("Wann ist die Öffnung?", "date"),
        ("How many rooms are there?", "number"),
        ("What is the e-mail address?", "email"),
        ("What colour is it?", ""),
    ],
)
def test_the_kind_of_value_is_known_from_the_question(question: str, kind: str) -> None:
    assert kind_asked(question) == kind


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("from 12,50 € each", "money", "12,50 €"),
        ("May 12, 2024 at noon", "date", "May 12, 2024"),
        ("write to info@shop.example today", "email", "info@shop.example"),
        ("nothing here", "money", ""),
        ("anything", "unknown kind", ""),
    ],
)
def test_a_value_is_cut_out_of_a_line(text: str, kind: str, value: str) -> None:
    assert value_in(text, kind) == value


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=30), max_size=6))
def test_no_text_is_a_fault(question: str, texts: list[str]) -> None:
    lines = [Line(text, Box(0, 20 * n, 100, 20 * n + 15)) for n, text in enumerate(texts)]
    found = look_up(question, lines)
    assert found is None or any(found.box == line.box for line in lines)

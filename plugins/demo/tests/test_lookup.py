"""Looking up what a screen gives to a label, also in a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.demo.lookup import cells_under, kind_asked, look_up, number_in, row_asked, value_in
from snellen.demo.ocr.pictures import Box, Line

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
        ("What color is it?", ""),
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


ROWS = (
    ("Account", "Interest", "Minimum"),
    ("Everyday Saver", "2.10 %", "$10"),
    ("Goal Saver", "2.85 %", "$500"),
    ("Fixed Saver", "3.40 %", "$5,000"),
)
LINES = [
    Line(text, Box(x, 30 * n, x + 9 * len(text), 30 * n + 18))
    for n, row in enumerate(ROWS)
    for x, text in zip(COLUMNS, row, strict=True)
]
FAR = [Line("$9,999", Box(440, 400, 494, 418)), Line("Elsewhere", Box(40, 400, 121, 418))]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("which “Account” has the highest value under “Minimum”?", "Fixed Saver"),
        ("which “Account” has the lowest value under “Interest”?", "Everyday Saver"),
        ("which “Account” has “2.85 %” under “Interest”?", "Goal Saver"),
        ("Welche „Account“ hat den höchsten Wert unter „Minimum“?", "Fixed Saver"),
    ],
)
def test_a_row_is_found_by_its_value(question: str, row: str) -> None:
    found = row_asked(question, [*LINES, *FAR])
    assert found is not None
    assert found.text == row


@pytest.mark.parametrize(
    "question",
    [
        "What is the interest?",
        "which “Account” has “9.99 %” under “Interest”?",
        "which “Account” has the highest value under “Color”?",
        "In the row “Goal Saver”, what is under “Interest”?",
        "which “Minimum” has the highest value under “Minimum”?",
    ],
)
def test_another_question_asks_for_no_row(question: str) -> None:
    assert row_asked(question, LINES) is None


def test_a_column_ends_where_its_lines_do() -> None:
    head = LINES[2]
    assert [line.text for line in cells_under(head, [*LINES, *FAR])] == ["$10", "$500", "$5,000"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,299", 1299.0),
        ("1.299.000", 1299000.0),
        ("12,5", 12.5),
        ("-3 °C", -3.0),
        ("n/a", None),
    ],
)
def test_numbers_are_read_as_they_are_written(text: str, number: float | None) -> None:
    assert number_in(text) == number

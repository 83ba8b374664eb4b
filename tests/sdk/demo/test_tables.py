"""Tables: the row that has a value, or the highest or lowest one, under a quoted head."""

import pytest

from snellen.sdk.demo.tables import cells_under, number_in, row_asked
from snellen.sdk.ocr.pictures import Box, Line

COLUMNS = (40, 240, 440)
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
        "which “Account” has the highest value under “Colour”?",
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

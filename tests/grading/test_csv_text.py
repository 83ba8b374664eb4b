import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.csv_text import csv_rows


def cells(*row: object) -> list[str]:
    """What a reader of CSV finds in the line that a row becomes."""
    text = b"".join(csv_rows([row])).decode()
    (found,) = csv.reader(io.StringIO(text, newline=""))
    return found


@pytest.mark.parametrize(
    "text",
    ["=1+1", '=HYPERLINK("http://x","y")', "+1+1", "-1+1", "-", "+49 30 1", "@SUM(A1)", "\t=1",
     "\r=1", "- Sign in\n- Help", "-2.5 %", "=", "-1e", "--1"],
)  # fmt: skip
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert cells("a", text) == ["a", f"'{text}"]


@pytest.mark.parametrize(
    "cell", [-2.5, 0.1 + 0.2, -3, 1e-9, -1e300, "-2.5", "+3", "-.5", "1e-9", "-1E+5", True, "a=b"]
)
def test_numbers_and_other_texts_stay_as_they_are(cell: object) -> None:
    assert cells(cell) == [str(cell)]


def test_none_is_an_empty_cell() -> None:
    assert list(csv_rows([(None, "x"), ("y", None)], "\n")) == [b",x\n", b"y,\n"]


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=5))
def test_what_is_written_is_read_back_but_for_the_apostrophe(row: list[str]) -> None:
    for found, text in zip(cells(*row), row, strict=True):
        assert found in (text, f"'{text}")
        assert found[:1] not in tuple("=@\t\r")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_as_it_was(number: float) -> None:
    assert [float(cell) for cell in cells(number)] == [number]

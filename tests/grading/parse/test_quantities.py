"""Quantities, against dateutil, and against what the published packages read (a table)."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest
from dateutil import parser
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse.quantities import (
    day,
    meters,
    money,
    month,
    number,
    position,
    seconds,
    truth,
)

FORMS = ("%Y-%m-%d", "%m/%d/%Y", "%B %d, %Y", "%b %d %Y", "%d %B %Y", "%A, %B %d, %Y", "%Y/%m/%d")


@given(st.dates(date(1000, 1, 1)), st.sampled_from(FORMS))
def test_a_date_is_what_dateutil_reads(made: date, form: str) -> None:
    text = made.strftime(form)
    assert day(text) == parser.parse(text).date().isoformat() == made.isoformat()
    assert month(text) == made.month


# As read by price-parser 0.5, word2number 1.1, python-dateutil 2.9, pytimeparse2 1.7 and pint 0.25
# in webarena-verified 1.2.3.
@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (money, "$1,234.56", Decimal("1234.56")),
        (money, "1.234,56 eur", Decimal("1234.56")),
        (money, "1,234", Decimal("1.234")),
        (money, "1'234.50", Decimal("1234.5")),
        (money, "12 - $15", Decimal(12)),
        (money, "$.75", Decimal("0.75")),
        (money, "free shipping", Decimal(0)),
        (money, 12, Decimal(12)),
        (number, "1 234", 1234.0),
        (number, "twenty three", 23.0),
        (number, "one hundred and five", 105.0),
        (number, "three hundred thousand and five", 300005.0),
        (number, "five point two", 5.2),
        (number, "there are two", 2.0),
        (number, True, 1.0),
        (day, "31/01/2023", "2023-01-31"),
        (day, "march 2nd, 2022", "2022-03-02"),
        (day, "2022-03-02t10:15:00z", "2022-03-02"),
        (day, "20220302", "2022-03-02"),
        (day, "1/2/99", "1999-01-02"),
        (month, "sept", 9),
        (month, "jan.", 1),
        (month, "12", 12),
        (seconds, "2 hr 30 min", 9000.0),
        (seconds, "2 hours, 30 minutes", 9000.0),
        (seconds, "1y2mo3w4d5h6m7s8ms", 38898367.008),
        (seconds, "1:02:03:04", 93784.0),
        (seconds, "-5 min", -300.0),
        (seconds, ":22", 22.0),
        (meters, "1,200 m", Decimal(1200)),
        (meters, "5.5k", Decimal(5500)),
        (meters, "3 miles", Decimal("4828.032")),
        (meters, "5 feet", Decimal("1.524")),
        (position, "40.7 -74.0", (40.7, -74.0)),
        (position, {"la": 40.7, "lo": -74}, (40.7, -74.0)),
        (position, ["40.7", "190"], (40.7, -170.0)),
        (truth, "off", False),
        (truth, 2, True),
    ],
)
def test_a_form_is_read_as_published(
    read: Callable[[object], object], text: object, value: object
) -> None:
    found = read(text)
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((money, text) for text in ("", None, "abc", "50%")),
        *((number, text) for text in ("", None, "a dozen", "#12")),
        *(
            (day, text)
            for text in ("", None, "yesterday", "march 2022", '["2022-03-02"]', "2/30/22")
        ),
        *((month, text) for text in ("", None, "13", 1.5, "juneteenth")),
        *((seconds, text) for text in ("", None, "5", "about 5 min", "2 hours and 5 minutes")),
        *((meters, text) for text in ("", None, "5", "km", "5 kg", "1 km 200 m")),
        *((position, text) for text in ("", None, "40.7", [1, 2, 3], {"latitude": 95, "lon": 0})),
        *((truth, text) for text in ("", None, "maybe")),
    ],
)
def test_anything_else_is_refused(read: Callable[[object], object], text: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(text)

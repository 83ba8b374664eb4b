import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.tasks.benchmarks.matrix.rules.numbers import Amount, amount, is_number, near


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("12", 12, ""),
        ("-3.5", -3.5, ""),
        ("\u22123.5", -3.5, ""),
        ("+4", 4, ""),
        (".5", 0.5, ""),
        ("1,234", 1234, ""),
        ("1,234,567.89 kg", 1234567.89, "kg"),
        ("1\u202f234 km", 1234, "km"),
        ("$1,200.50", 1200.5, "$"),
        ("-$5", -5, "$"),
        ("12 \u20ac", 12, "\u20ac"),
        ("15%", 15, "%"),
        ("15 percent", 15, "%"),
        ("5 km/h", 5, "km/h"),
        ("$5/month", 5, "$/month"),
        ("1.5 million/year", 1_500_000, "/year"),
        ("5 %/a", 5, "%/a"),
        ("15 per cent", 15, "%"),
        ("It is 15 % (15 percent).", 15, "%"),
        ("1.2 million euros", 1.2e6, "euros"),
        ("3.4M", 3.4e6, ""),
        ("2bn", 2e9, ""),
        ("5k", 5000, ""),
        ("5 M", 5, "M"),
        ("1e3", 1000, ""),
        ("1.5E-2", 0.015, ""),
        ("The answer is 120, I think.", 120, ""),
        ("120 in total", 120, ""),
        ("20 and 20", 20, ""),
        ("5 apples.", 5, "apples"),
    ],
)
def test_an_amount_is_read_with_its_unit(text: str, value: float, unit: str) -> None:
    assert amount(text) == Amount(value, unit)


@pytest.mark.parametrize("text", ["", "none", "Q3", "v1.2", "1,5", "12.5.3", "1e999", "x12"])
def test_a_text_without_a_number_has_none(text: str) -> None:
    assert amount(text) == "no number in it"


@pytest.mark.parametrize("text", ["12 of 20", "1 234", "10-20", "2024-11-21", "20 km, not 20 kg"])
def test_a_text_that_hedges_between_numbers_says_none(text: str) -> None:
    assert amount(text) == "more than one number in it"


def test_digits_within_a_longer_number_are_never_it() -> None:
    # The published rule finds 120 in 1200, and Q3 in Q30.
    assert amount("1200") == Amount(1200)
    assert not near(Amount(1200), Amount(120))


@pytest.mark.parametrize(
    ("given_", "wanted", "right"),
    [
        (Amount(15, "%"), Amount(0.15), True),
        (Amount(15, "%"), Amount(15), False),
        (Amount(15), Amount(15, "%"), True),
        (Amount(0.15), Amount(15, "%"), False),
        (Amount(15, "KM"), Amount(15, "km"), True),
        (Amount(15, "euros"), Amount(15, "euro"), True),
        (Amount(15, "kg"), Amount(15, "km"), False),
        (Amount(15, "km"), Amount(15, "km/h"), False),
        (Amount(15, "km/day"), Amount(15, "km/h"), False),
        (Amount(15, "km/h"), Amount(15, "km"), False),
        (Amount(15, "apples"), Amount(15), True),
        (Amount(0), Amount(0), True),
    ],
)
def test_units_decide_what_a_number_means(given_: Amount, wanted: Amount, right: bool) -> None:
    assert near(given_, wanted) is right


def test_a_tolerance_is_the_larger_of_both_and_its_edge_counts() -> None:
    assert near(Amount(110), Amount(100), relative=0.1)
    assert not near(Amount(110.5), Amount(100), relative=0.1)
    assert near(Amount(100.5), Amount(100), absolute=0.5)
    assert near(Amount(-90), Amount(-100), relative=0.1)


@given(st.floats(allow_nan=False, allow_infinity=False, width=32).map(float))
def test_a_number_as_python_writes_it_is_read_back(number: float) -> None:
    assert amount(repr(number)) == Amount(number)


@given(st.integers(min_value=-(10**15), max_value=10**15))
def test_thousands_separators_do_not_change_a_number(number: int) -> None:
    assert amount(f"{number:,}") == Amount(float(number)) == amount(f"{number:_}")


@given(st.text(max_size=40) | st.text(alphabet="0123456789.,-+eE %$km", max_size=40))
def test_any_text_gives_a_finite_amount_or_a_reason(text: str) -> None:
    found = amount(text)
    assert isinstance(found, str) or is_number(found.value)


@pytest.mark.parametrize("text", ["1," * 50_000, "1" * 50_000, "1 " * 20_000, "$ " * 50_000])
def test_long_texts_are_read_soon(text: str) -> None:
    assert isinstance(amount(text), Amount | str)


def test_true_is_no_number() -> None:
    assert is_number(1.5)
    assert is_number(2)
    assert not any(map(is_number, [True, float("nan"), float("inf"), 10**400, "1", None]))

"""Canonical forms of numbers and units, so that equal values are equal words."""

import re
from collections.abc import Sequence
from types import MappingProxyType

from snellen.grading.normalize import squad_words

# SQuAD's form deletes ASCII punctuation, so marks inside a number become other characters.
_POINT, _COLON, _SLASH, _MINUS = "\u00b7", "\u2236", "\u2044", "\u2212"

NUMBER = re.compile(rf"{_MINUS}?\d+(?:[{_POINT}{_COLON}{_SLASH}]\d+)*")
"""A number in the words of `valued_words`."""

_PLAIN = re.compile(rf"{_MINUS}?\d+(?:{_POINT}\d+)?")
_DIGIT = re.compile(r"\d")
# A pattern that begins with the number is fast; the text before it is checked from there.
_QUANTITY = re.compile(
    r"(\d+(?:[.,:/]\d+)*)(\s?([%$\u20ac\xa3\xa5\u20b9]|\u00b0\s?[cf]?\b|\u00b0|[ap]\.m\b\.?|[^\W\d_]+))?"
)
_BEFORE = re.compile(
    r"(?:(?:^|[^\w)\]])(?P<minus>[-\u2212]))?(?P<currency>[$\u20ac\xa3\xa5\u20b9]\s?)?(?P<point>\.)?$"
)
_LEADS = frozenset("-\u2212$\u20ac\xa3\xa5\u20b9.")
_LONGEST_LEAD = 5
_CURRENCIES = str.maketrans("", "", "\u20ac\xa3\xa5\u20b9")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")
_CLOCK = re.compile(rf"\b(\d+){_COLON}(\d\d) ([ap])m\b")
_HALF_DAY = 12

_FROM_ZERO = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_SPELLED = MappingProxyType({word: str(at) for at, word in enumerate(_FROM_ZERO.split())})
_ALIASES = (
    "km kms kilometer kilometers kilometre kilometres",
    "mile miles mi",
    "m meter meters metre metres",
    "cm centimeter centimeters centimetre centimetres",
    "mm millimeter millimeters millimetre millimetres",
    "ft foot feet",
    "inch inches",
    "yard yards yd yds",
    "kg kgs kilogram kilograms",
    "g gram grams",
    "lb lbs",
    "oz ounce ounces",
    "liter liters litre litres",
    "ml milliliter milliliters millilitre millilitres",
    "second seconds sec secs s",
    "minute minutes min mins",
    "hour hours hr hrs h",
    "day days",
    "week weeks wk wks",
    "month months",
    "year years yr yrs",
    "celsius \u00b0c",
    "fahrenheit \u00b0f",
    "degree degrees \u00b0",
    "kb",
    "mb",
    "gb",
    "tb",
    "mph",
    "kmh kph",
    "kcal",
    "cal cals calorie calories",
    "percent %",
    "usd $ dollar dollars",
    "eur \u20ac euro euros",
    "gbp \xa3",
    "yen \xa5 jpy",
    "inr \u20b9 rs rupee rupees",
    "cent cents",
)
_UNITS = MappingProxyType(
    {alias: names[0] for names in map(str.split, _ALIASES) for alias in names}
)
_UNIT_WORDS = frozenset(_UNITS.values())
_HALVES = frozenset({"am", "pm"})


def valued_words(text: str) -> list[str]:
    """Split a text into the words of SQuAD's form, with numbers and units in canonical form.

    Thousands separators, leading zeros of two-digit parts and trailing zeros of fractions are
    removed. A time before AM or PM gets minutes. A unit or currency is written in one spelling
    after the number. English number words up to twenty become digits. Numbers are not rounded and
    units not converted. A comma before one, two, four or more digits is a decimal mark.

    >>> valued_words("$1,299.00") == valued_words("1299 dollars")
    True
    >>> valued_words("7pm") == valued_words("07:00 p.m.") and valued_words("twelve") == ["12"]
    True
    """
    if _DIGIT.search(text):
        text = _QUANTITY.sub(_one_way, text.lower())
        text = text if text.isascii() else text.translate(_CURRENCIES)
    # The typographic apostrophe is not ASCII punctuation.
    words = squad_words(text if text.isascii() else text.replace("\u2019", ""))
    if _SPELLED.keys().isdisjoint(words):
        return words
    return [_SPELLED.get(word, word) for word in words]


def _one_way(found: re.Match[str]) -> str:
    number, tail, unit = found.groups()
    head = found.string[max(0, found.start() - _LONGEST_LEAD) : found.start()]
    before = None if _LEADS.isdisjoint(head) else _BEFORE.search(head)
    minus, currency, point = before.groups() if before else (None, None, None)
    value = _value(f"0.{number}" if point and "." not in number else number)
    shown = "" if unit is None else unit.replace(".", "").replace(" ", "")
    if shown in _HALVES:
        value = value if _COLON in value else f"{value}{_COLON}00"
        tail = f" {shown} "
    elif shown in _UNITS:
        tail = f" {_UNITS[shown]} "
    behind = f" {_UNITS[currency[0]]}" if currency else ""
    return f"{_MINUS if minus == '-' else ''}{value}{behind}{tail or ''}"


def _value(number: str) -> str:
    for mark, written in ((":", _COLON), ("/", _SLASH)):
        if mark in number:
            first, *others = number.split(mark)
            if mark == "/":
                others = [_unpadded(other) for other in others]
            return written.join((_unpadded(first), *others)).replace(".", _POINT)
    if "," in number and _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    whole, *parts = number.replace(",", ".").split(".")
    if len(parts) > 1:
        return _POINT.join((whole, *parts))
    fraction = parts[0].rstrip("0") if parts else ""
    whole = _unpadded(whole or "0")
    return f"{whole}{_POINT}{fraction}" if fraction else whole


def _unpadded(digits: str) -> str:
    # Longer numbers with a leading zero are codes, not values.
    return digits[1:] if len(digits) == 2 and digits[0] == "0" else digits


def is_same_time(text: str, other: str) -> bool:
    """Whether two texts of valued words are equal after the times of one are converted to 24 hours.

    >>> is_same_time(" ".join(valued_words("19:05")), " ".join(valued_words("7:05 pm")))
    True
    """
    if _COLON not in text or _COLON not in other:
        return False
    halves = bool(_CLOCK.search(text)), bool(_CLOCK.search(other))
    return halves[0] != halves[1] and _in_24_hours(text) == _in_24_hours(other)


def _in_24_hours(text: str) -> str:
    return _CLOCK.sub(_to_24_hours, text)


def _to_24_hours(found: re.Match[str]) -> str:
    hour = int(found[1])
    if 1 <= hour <= _HALF_DAY:
        hour = hour % _HALF_DAY + (_HALF_DAY if found[3] == "p" else 0)
    return f"{hour}{_COLON}{found[2]}"


def numbers_contradict(numbers: Sequence[str], others: Sequence[str]) -> bool:
    """Whether both have the same count of numbers, and two plain ones at the same index differ.

    Dates, times and versions do not count, because they can be written with other marks.

    >>> numbers_contradict(["30\u00b75"], ["305"]), numbers_contradict(["7\u223630"], ["730"])
    (True, False)
    """
    return len(numbers) == len(others) and any(
        number != other and _PLAIN.fullmatch(number) and _PLAIN.fullmatch(other)
        for number, other in zip(numbers, others, strict=True)
    )


def have_other_units(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two lists of valued words differ only in the units after their numbers.

    >>> have_other_units(valued_words("5 km away"), valued_words("5 miles away"))
    True
    """
    if len(words) != len(others):
        return False
    indexes = [index for index, word in enumerate(words) if word != others[index]]
    return bool(indexes) and all(
        index > 0
        and NUMBER.fullmatch(words[index - 1]) is not None
        and words[index] in _UNIT_WORDS
        and others[index] in _UNIT_WORDS
        for index in indexes
    )

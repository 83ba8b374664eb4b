"""Texts to the quantities that they write: money, dates, durations, distances, places, numbers.

The rules are those of WebArena-Verified 1.2.3 (`core/evaluation/data_types`), which leaves parsing
to seven packages. The forms that agents and its own tests write are read as these read them; what
they accept beyond (dates without a year, degrees and minutes, sums of distances) is refused here.
Every reader raises ValueError on what it can't read.
"""

import re
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import cast

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = MappingProxyType(
    {word: number for number, word in enumerate(_ONES)}
    | {word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)}
)
_SCALES = MappingProxyType({"thousand": 10**3, "million": 10**6, "billion": 10**9})

_PRICE = re.compile(r"([.]?\d[\d\s.,']*)\s*?(?:[^%\d]|$)")

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_BETWEEN = frozenset({"at", "on", "and", "of", "st", "nd", "rd", "th", "t", "utc", "z", "am", "pm"})
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?([+-]\d{2}:?\d{2})?")
_DATED = re.compile(r"[A-Za-z0-9\s.,;:/'+-]+")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/. ]?(\d{1,2})[-/. ]?(\d{1,2})(?!\d)")
_CENTURY = 76

_METERS = MappingProxyType(
    {
        "m": "1",
        "meter": "1",
        "metre": "1",
        "km": "1000",
        "k": "1000",
        "kilometer": "1000",
        "kilometre": "1000",
        "cm": "0.01",
        "centimeter": "0.01",
        "centimetre": "0.01",
        "mm": "0.001",
        "millimeter": "0.001",
        "millimetre": "0.001",
        "mi": "1609.344",
        "mile": "1609.344",
        "yd": "0.9144",
        "yard": "0.9144",
        "ft": "0.3048",
        "foot": "0.3048",
        "feet": "0.3048",
        "in": "0.0254",
        "inch": "0.0254",
        "inche": "0.0254",
    }
)
_DISTANCE = re.compile(r"([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]+)")

_UNITS = (
    ("ys?|yrs?|years?", 365 * 86_400),
    ("mos?|mths?|months?", 30 * 86_400),
    ("w|wks?|weeks?", 7 * 86_400),
    ("d|dys?|days?", 86_400),
    ("h|hrs?|hours?", 3_600),
    ("m|mins?|minutes?", 60),
    ("s|secs?|seconds?", 1),
    ("ms|msecs?|millis|milliseconds?", 0.001),
)
_SPELLED = re.compile(
    "".join(rf"(?:([\d.]+)\s*(?:{names})\s*(?:[,/]\s*)?)?" for names, _ in _UNITS)
)
_COUNTED = re.compile(
    r"(?:([\d.]+)\s*(?:w|wks?|weeks?)\s*)?(?:([\d.]+)\s*(?:d|dys?|days?)\s*(?:[,/]\s*)?)?"
    r"(?:(?:(\d+):)?(\d+):)?(\d{0,2}):(\d{2}(?:\.\d+)?)"
)

_DEGREES = re.compile(r"([+-]?\d+(?:\.\d+)?)[\s,;/]+([+-]?\d+(?:\.\d+)?)")
_TRUE = frozenset({"true", "yes", "y", "1", "t", "on"})
_FALSE = frozenset({"false", "no", "n", "0", "f", "off"})


def number(value: object) -> float:
    """Return a number: also of text with separators, and of English words.

    >>> number("1,234.5"), number("twenty three"), number("two hundred thousand and five")
    (1234.5, 23.0, 200005.0)
    """
    if isinstance(value, int | float):
        return float(value)
    text = str(value or "")
    try:
        return float(text.replace(",", "").replace(" ", ""))
    except ValueError:
        return _in_words(text)


def _in_words(text: str) -> float:
    found = [
        word
        for word in re.findall("[a-z]+", text.lower())
        if word in _WORDS or word in _SCALES or word in ("hundred", "point")
    ]
    whole, _, decimals = " ".join(found).partition("point")
    if not found:
        raise ValueError(f"{text!r} is no number")
    total = current = 0
    for word in whole.split():
        if word in _SCALES:
            total, current = total + max(current, 1) * _SCALES[word], 0
        elif word == "hundred":
            current = max(current, 1) * 100
        else:
            current += _WORDS[word]
    places = "".join(str(_WORDS.get(word, "")) for word in decimals.split())
    return float(f"{total + current}.{places or 0}")


def money(value: object, *, thousands: bool = False) -> Decimal:
    """Return an amount, whatever its currency: of the first number in the text.

    The last of point and comma separates decimals, as published: so `1,234` is 1.234, and
    `1,234.00` is 1234.

    Args:
        value: A number or a text.
        thousands: Whether a comma before exactly three last digits separates thousands instead.

    >>> money("$1,234.56"), money("-$5"), money("1.234,56 EUR"), money("1,234")
    (Decimal('1234.56'), Decimal('-5'), Decimal('1234.56'), Decimal('1.234'))
    >>> money("1,234", thousands=True)
    Decimal('1234')
    """
    if not value and not isinstance(value, int | float):
        raise ValueError("no amount")
    text = str(value)
    sign = -1 if text.startswith("-") else 1
    found = _PRICE.search(" ".join(text.split()))
    if found is None:
        if "free" in text.lower():
            return Decimal(0)
        raise ValueError(f"{text!r} is no amount")
    digits = found[1].rstrip(",. ").replace("'", "").replace(" ", "")
    comma = text.rfind(".") < text.rfind(",") or "." not in text
    if thousands and re.fullmatch(r"\d{1,3}(,\d{3})+", digits):
        comma = False
    digits = digits.replace(".", "").replace(",", ".") if comma else digits.replace(",", "")
    try:
        return sign * Decimal(str(float(digits))).normalize()
    except (InvalidOperation, ValueError):
        raise ValueError(f"{text!r} is no amount") from None


def month(value: object) -> int:
    """Return the number of a month, 1 to 12: of a number, of a name or in a date.

    >>> month("Jan"), month("03"), month(12.0), month("January 2023")
    (1, 3, 12, 1)
    """
    if isinstance(value, int | float):
        if value != int(value):
            raise ValueError(f"{value!r} is no month")
        text = str(int(value))
    else:
        text = str(value or "").strip().lower()
    if re.fullmatch("-?[0-9]+", text):
        if not 1 <= int(text) <= 12:
            raise ValueError(f"{text!r} is no month")
        return int(text)
    names = [word for word in re.findall("[a-z]+", text) if _month_named(word)]
    return _month_named(names[0]) if len(names) == 1 else int(day(text)[5:7])


def _month_named(word: str) -> int:
    """Return the number of a month by its name or the first letters of it; 0 if it is none."""
    if len(word) < 3:
        return 0
    full = next((place for place, name in enumerate(_MONTHS, 1) if word in (name, name[:3])), 0)
    return 9 if word == "sept" else full


def day(value: object) -> str:
    """Return a date as YYYY-MM-DD: of `2023-01-31`, `1/31/2023`, `31/01/2023`, `Jan 31st, 2023`.

    The month comes first in a date of numbers, unless the first number is no month.

    >>> day("5/3/23"), day("31/01/2023"), day("Tuesday, 3rd of May 2022 10:15"), day("2022-05-03")
    ('2023-05-03', '2023-01-31', '2022-05-03', '2022-05-03')
    """
    if not isinstance(value, str) or not _DATED.fullmatch(value):
        raise ValueError(f"{value!r} is no date")
    text = _CLOCK.sub(" ", value.lower())
    iso = _ISO.search(text)
    if iso is not None:
        return _date(*map(int, iso.groups()))
    words = re.findall("[a-z]+|[0-9]+", text)
    named = [word for word in words if _month_named(word)]
    digits = [word for word in words if word.isdigit()]
    others = set(words) - set(named) - set(digits) - _BETWEEN
    others -= {name for name in others if any(name in (one, one[:3]) for one in _WEEKDAYS)}
    if others or len(digits) + len(named) != 3 or len(named) > 1:
        raise ValueError(f"{value!r} is no date")
    numbers = list(map(int, digits))
    if named:
        later = len(digits[0]) > 2 or numbers[0] > 31
        year, date = numbers if later else reversed(numbers)
        return _date(year, _month_named(named[0]), date)
    first, second, year = numbers
    return _date(year, second, first) if first > 12 else _date(year, first, second)


def _date(year: int, month: int, day: int) -> str:
    from datetime import date

    if year < 100:
        year += 2000 if year < _CENTURY else 1900
    return date(year, month, day).isoformat()


def meters(value: object) -> Decimal:
    """Return a length in meters: a number and a unit.

    >>> meters("1.7 km"), meters("3 miles"), meters("5k")
    (Decimal('1700.0'), Decimal('4828.032'), Decimal('5000'))
    """
    text = str(value or "").strip().lower().removesuffix(".")
    found = _DISTANCE.fullmatch(text)
    unit = found and (_METERS.get(found[2]) or _METERS.get(found[2].removesuffix("s")))
    if not found or not unit:
        raise ValueError(f"{text!r} is no number with a unit of length")
    return Decimal(found[1].replace(",", "")) * Decimal(unit)


def seconds(value: object) -> float:
    """Return a duration in seconds: `2h 30m`, `5 hours, 3 minutes`, `4:13` (minutes), `1:02:03`.

    >>> seconds("2h30m"), seconds("1 minute, 24 secs"), seconds("4:13"), seconds("1:35 hours")
    (9000.0, 84.0, 253.0, 5700.0)
    """
    text = re.sub(r"(\d+):(\d+)\s*hours?", r"\1h\2m", str(value or "").strip().lower())
    sign = -1.0 if text.startswith("-") else 1.0
    text = text.lstrip("+-| ")
    spelled = _SPELLED.fullmatch(text)
    if spelled is not None and text:
        parts = zip(spelled.groups(), (length for _, length in _UNITS), strict=True)
        return sign * sum(float(part) * length for part, length in parts if part)
    clock = _COUNTED.fullmatch(text)
    if clock is None:
        raise ValueError(f"{text!r} is no duration")
    lengths = (7 * 86_400, 86_400, 86_400, 3_600, 60, 1)
    return sign * sum(
        float(part) * length for part, length in zip(clock.groups(), lengths, strict=True) if part
    )


def position(value: object) -> tuple[float, float]:
    """Return latitude and longitude in degrees, of an object, a pair or a text.

    >>> position({"lat": "40.5", "lng": -79.9}), position("40.5, -79.9"), position([40.5, -79.9])
    ((40.5, -79.9), (40.5, -79.9), (40.5, -79.9))
    """
    if isinstance(value, dict):
        fields = {
            str(name).lower(): part for name, part in cast("dict[str, object]", value).items()
        }
        pair = [
            next((fields[key] for key in fields if len(key) > 1 and name.startswith(key)), None)
            for name in ("latitude", "longitude")
        ]
        pair[1] = fields.get("lng") if pair[1] is None else pair[1]
    elif isinstance(value, str):
        found = _DEGREES.fullmatch(value.strip())
        pair = list(found.groups()) if found else []
    else:
        pair = list(cast("list[object]", value)) if isinstance(value, list | tuple) else []
    if len(pair) != 2 or None in pair:
        raise ValueError(f"{value!r} is no position")
    latitude, longitude = (float(cast("float", part)) for part in pair)
    if abs(latitude) > 90:
        raise ValueError(f"{latitude} is no latitude")
    return latitude, (longitude + 180) % 360 - 180 if abs(longitude) > 180 else longitude


def truth(value: object) -> bool:
    """Return yes or no: of a number whether it is 0, of text by the usual words.

    >>> truth("Yes"), truth(0), truth("off")
    (True, False, False)
    """
    if isinstance(value, int | float):
        return bool(value)
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in _TRUE | _FALSE:
        raise ValueError(f"{value!r} is neither yes nor no")
    return word in _TRUE

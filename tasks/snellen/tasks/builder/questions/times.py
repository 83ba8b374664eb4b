"""Dates and times of day in the forms in which people write them, each form meaning the same.

A date in digits alone is read and written year first only: 6/12 is two days.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from types import MappingProxyType
from typing import NamedTuple


def _listed(names: str) -> Sequence[str]:
    return names.split()


_MONTHS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "en": _listed(
            "January February March April May June July August September October November December"
        ),
        "de": _listed(
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
        ),
        "es": _listed(
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
            " diciembre"
        ),
        "fr": _listed(
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
        ),
        "pt": _listed(
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro"
            " dezembro"
        ),
        "ar": _listed("يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
    }
)
_ENGLISH = _MONTHS["en"]
_SHORT = 3
_NUMBERS = {
    name.casefold(): number
    for names in _MONTHS.values()
    for number, name in enumerate(names, start=1)
} | {name[:_SHORT].casefold(): number for number, name in enumerate(_ENGLISH, start=1)}

_NAME = r"(?P<month>[^\W\d_]{3,})\.?"
_DAY = r"(?P<day>\d{1,2})"
_YEAR = r"(?P<year>\d{4})"
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_NAME} {_DAY}(?:st|nd|rd|th)?(?:,? {_YEAR})?",
        rf"{_DAY}(?:st|nd|rd|th|\.)?(?: de)? {_NAME}(?:,? (?:de )?{_YEAR})?",
        rf"{_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark){_DAY}",
        rf"{_YEAR}\s?年\s?(?P<month>\d{{1,2}})\s?月\s?{_DAY}\s?日",
    )
)
_LEAP = 2024
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:(?P<mark>[:.])(?P<minute>\d{2}))?\s*"
    r"(?P<half>[ap]\.?m\.?)?\s*(?P<clock>uhr)?",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(?:from )?(.+?)(?:\s*[-\u2010-\u2014]\s*| to | until | till )(.+)")


class Day(NamedTuple):
    """A day of a year; the year is None where nobody says it."""

    month: int
    day: int
    year: int | None


def day_of(text: str) -> Day | None:
    """Read a text that is a date and nothing else.

    >>> day_of("June 12, 2026"), day_of("25. Juni 2026")
    (Day(month=6, day=12, year=2026), Day(month=6, day=25, year=2026))
    >>> day_of("12/06/2026") is None
    True
    """
    for pattern in _DATES:
        found = pattern.fullmatch(text.strip())
        if found is None:
            continue
        said = found["month"]
        month = int(said) if said.isdecimal() else _NUMBERS.get(said.casefold(), 0)
        year, day = found["year"], int(found["day"])
        try:
            date(int(year) if year else _LEAP, month, day)
        except ValueError:
            return None
        return Day(month, day, int(year) if year else None)
    return None


def dates(text: str) -> Iterator[str]:
    """Yield other forms of a date.

    >>> list(dates("June 12, 2026"))[:3]
    ['June 12, 2026', 'June 12 2026', '12 June 2026']
    """
    found = day_of(text)
    if found is None:
        return
    name, year = _ENGLISH[found.month - 1], found.year
    for month in dict.fromkeys((name, name[:_SHORT])):
        if year is None:
            yield from (f"{month} {found.day}", f"{found.day} {month}")
        else:
            yield f"{month} {found.day}, {year}"
            yield f"{month} {found.day} {year}"
            yield f"{found.day} {month} {year}"
    if year is not None:
        yield f"{year}-{found.month:02}-{found.day:02}"


def time_of(text: str) -> time | None:
    """Read a text that is a time of day and nothing else; None where it could be two.

    `9:15` alone is not read: it may be in the evening; nor is `11 h`, which may be how long.

    >>> time_of("5:15 pm"), time_of("17.15 Uhr"), time_of("9:15")
    (datetime.time(17, 15), datetime.time(17, 15), None)
    """
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half, clock = found["half"], found["clock"]
    if not half and not clock and (found["mark"] != ":" or 1 <= hour <= 12):
        return None
    if half:
        if clock or not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def times(text: str) -> Iterator[str]:
    """Yield other forms of a time of day.

    >>> list(times("5:00 pm"))
    ['17:00', '5:00 pm', '5:00pm', '5 pm', '5pm']
    """
    found = time_of(text)
    if found is not None:
        yield from _clocks(found)


def _clocks(found: time) -> Sequence[str]:
    half = "am" if found.hour < 12 else "pm"
    hour, minute = found.hour % 12 or 12, found.minute
    long = [f"{found.hour:02}:{minute:02}", f"{found.hour}:{minute:02}"]
    twelve = [f"{hour}:{minute:02} {half}", f"{hour}:{minute:02}{half}"]
    short = [] if minute else [f"{hour} {half}", f"{hour}{half}"]
    return list(dict.fromkeys((*long, *twelve, *short)))


def spans(text: str) -> Iterator[str]:
    """Yield other forms of a span of time, of dates, or from one name to another.

    >>> list(spans("Monday \u2013 Thursday"))
    ['Monday - Thursday', 'Monday-Thursday', 'Monday to Thursday', 'from Monday to Thursday']
    >>> "17:15" in list(spans("7:15 am \u2013 5:15 pm"))[-1]
    True
    """
    found = _SPAN.fullmatch(text.strip())
    if found is None or not re.search(r"[\u2010-\u2014]| to ", text):
        return
    first, last = found[1], found[2]
    yield from _joined(first, last)
    start, end = time_of(first), time_of(last)
    if start is not None and end is not None:
        yield from _joined(f"{start:%H:%M}", f"{end:%H:%M}")


def _joined(first: str, last: str) -> Iterator[str]:
    yield from (
        f"{first} - {last}",
        f"{first}-{last}",
        f"{first} to {last}",
        f"from {first} to {last}",
    )

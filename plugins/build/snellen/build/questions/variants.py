"""Equivalent forms of a short answer; each rule writes the same value in another way.

ScreenQA's short answers list the answers of several raters; here rules generate what raters would
write. No rule creates an answer with another meaning: an ambiguous text is not changed. Upper case,
ASCII punctuation and articles need no rule, since the metric removes them; of the forms that are
equal to it, the first is kept.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from snellen.build.questions.facts import amount_of
from snellen.build.questions.templates import Templates, templates_of
from snellen.grading.normalize import squad

MOST = 16
"""The maximum number of forms of an answer, including the displayed one."""


def _listed(names: str) -> Sequence[str]:
    return names.split()


_FEW = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_LEADING = re.compile(r"(\d{1,2})(?P<rest>(?: [^\W\d_]+){0,2})")

# By unit: an alternative spelling (empty for none), then other names that are recognized.
_UNITS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "minutes": ("min", "mins", "minute", "Minuten", "minutos", "分钟", "دقيقة"),
        "hours": ("h", "hr", "hrs", "hour", "Stunden", "horas", "小时", "ساعة"),
        "days": ("", "day", "Tage", "días", "天", "يوم"),
        "weeks": ("", "week", "Wochen", "semanas", "周", "أسبوع"),
        "months": ("", "month", "Monate", "meses", "个月", "شهر"),
        "years": ("", "year", "Jahre", "años", "年", "سنة"),
        "people": ("", "person", "persons", "Personen", "personas", "人", "شخص"),
        "GB": ("gigabytes",),
        "MB": ("megabytes",),
        "TB": ("terabytes",),
        "km": ("kilometers", "kilometres"),
        "m²": ("square meters", "square metres", "平方米"),
        "cm": ("centimeters", "centimetres"),
        "kg": ("kilograms",),
    }
)
_SHORT_UNIT = 3
_UNIT_NAMES = {
    name.casefold(): (unit, *names) for unit, names in _UNITS.items() for name in (unit, *names)
}
_COUNTED = re.compile(r"(?P<number>\d[\d.,]*)\s?(?P<unit>[^\d\s.,][^\d]*)")
_HEDGE = re.compile(r"(?:about|around|approx\.?|approximately|etwa|rund|ca\.|unos|unas) (?=\d)|~ ?")
_PERCENT = re.compile(r"(?P<number>[-+]?\d[\d.,]*)\s?(?:%|٪|percent|percent|Prozent|por ciento)")
_MONEY: Mapping[str, Sequence[str]] = MappingProxyType(
    {"$": ("dollars",), "€": ("euros", "EUR"), "£": ("pounds", "GBP"), "درهم": ("dirhams",)}
)
_MONEY_BY_LANGUAGE: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType(
    {"zh": {"¥": ("yuan", "CNY", "RMB", "元")}, "ja": {"¥": ("yen", "JPY", "円")}}
)
_PHONE = re.compile(r"\+?\(?\d[\d ()./-]{5,}\d")
_SIGNS = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2212": "-", "\u00a0": " ",
     "\u202f": " ", "\u2011": "-"}
)  # fmt: skip

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
_DATED = re.compile(r"\d|\b(mon|tue|wed|thu|fri|sat|sun)", re.IGNORECASE)
_FROM_TO: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "en": ("from ", " to "),
        "de": ("von ", " bis "),
        "es": ("de ", " a "),
        "fr": ("de ", " à "),
        "pt": ("de ", " a "),
        "it": ("da ", " a "),
        "nl": ("van ", " tot "),
        "zh": ("从", "至"),
        "ar": ("من ", " إلى "),
    }
)
"""The words before and between the ends of a range, by language."""
_SPAN = re.compile(r"(?:from )?(.+?)(?:\s*[-\u2010-\u2014]\s*| to | until | till )(.+)")

Rule: TypeAlias = Callable[[str, str], Iterable[str]]
"""Takes an answer and the code of the page's language, and returns other forms of the answer."""


def variants(answer: str, language: str = "en", same: Callable[[str], str] = squad) -> list[str]:
    """Return the forms of an answer, the displayed one first.

    Args:
        answer: The answer as displayed.
        language: The code of the page's language.
        same: Returns the same text for forms that are equal to the metric.

    >>> variants("3")
    ['3', 'three']
    >>> variants("5:15 pm")
    ['5:15 pm', '17:15', '5:15pm']
    """
    forms = {answer: None}
    for _ in range(2):
        for form in list(forms):
            for rule in RULES.values():
                forms.update(dict.fromkeys(other for other in rule(form, language) if other))
    distinct: dict[str, str] = {}
    for form in forms:
        distinct.setdefault(same(form), form)
    return list(distinct.values())[:MOST]


def joined(fragments: Sequence[str], language: str = "en") -> list[str]:
    """Return the forms of an answer of several fragments, with the usual separators.

    >>> joined(["Accountant", "Tokyo"])
    ['Accountant, Tokyo', 'Accountant and Tokyo', 'Accountant Tokyo', 'Accountant; Tokyo']
    """
    if len(fragments) == 1:
        return variants(fragments[0], language)
    forms = [separator.join(fragments) for separator in (", ", " and ", " ", "; ")]
    if len(fragments) > 2:
        forms.insert(1, f"{', '.join(fragments[:-1])} and {fragments[-1]}")
    return list(dict.fromkeys(forms))


# ---- the rules ---------------------------------------------------------------------------------


def spelled_numbers(answer: str, language: str) -> Iterator[str]:
    """Write a number up to twenty as a word, or a word as a number.

    >>> list(spelled_numbers("3 rooms", "en")), list(spelled_numbers("three rooms", "en"))
    (['three rooms'], ['3 rooms'])
    """
    first, space, rest = answer.partition(" ")
    if language == "en" and first.casefold() in _FEW:
        yield f"{_FEW.index(first.casefold())}{space}{rest}"
    match = _LEADING.fullmatch(answer)
    if match is None or not answer.isascii() or language != "en":
        return
    other = day_of(answer) is not None or time_of(answer) is not None
    if not other and int(match[1]) < len(_FEW) and match[1] == str(int(match[1])):
        yield f"{_FEW[int(match[1])]}{match['rest']}"


def without_groups(answer: str, language: str) -> Iterator[str]:
    """Remove the separators between groups of digits.

    >>> list(without_groups("11,025 people", "en")), list(without_groups("11.025", "de"))
    (['11025 people'], ['11025'])
    """
    marks = re.escape(_numbers_of(language).thousands)
    grouped = rf"(?<![\d.,])\d{{1,3}}(?:[{marks}\s'](?=\d{{3}}(?!\d))\d{{3}})+(?!\d)"
    plain = re.sub(grouped, lambda found: re.sub(r"\D", "", found[0]), answer)
    if plain != answer:
        yield plain


def without_zeros(answer: str, language: str) -> Iterator[str]:
    """Remove a fraction of zero, and the group separators: `2.600` would be ambiguous.

    >>> list(without_zeros("$75.00", "en")), list(without_zeros("2.600,00 €", "de"))
    (['$75'], ['2600 €'])
    """
    match = re.fullmatch(rf"(.*\d){re.escape(_numbers_of(language).decimal)}00(\D*)", answer)
    if match is not None and amount_of(answer, _numbers_of(language)) is not None:
        plain = match[1] + match[2]
        yield next(without_groups(plain, language), plain)


def currencies(answer: str, language: str) -> Iterator[str]:
    """Write a currency in another way, or omit it.

    >>> list(currencies("$75", "en")), list(currencies("18 €", "de"))
    (['75', '75 dollars'], ['18', '€18', '18 euros', '18 EUR'])
    """
    names = {**_MONEY, **_MONEY_BY_LANGUAGE.get(language, {})}
    amount = amount_of(answer, _numbers_of(language))
    sign = next((sign for sign in (*names, "¥", "₹") if sign in answer), None)
    if amount is None or sign is None or amount.unit != sign:
        return
    number = answer.replace(sign, "").strip()
    yield number
    if not answer.lstrip("-\u2212").startswith(sign) and len(sign) == 1:
        yield f"{sign}{number}"
    yield from (f"{number} {name}" for name in names.get(sign, ()))


def percents(answer: str, language: str) -> Iterator[str]:
    """Write a percentage with its sign, with a word, or as a number.

    >>> list(percents("40 percent", "en"))
    ['40%', '40 percent', '40']
    """
    match = _PERCENT.fullmatch(answer)
    if match is not None:
        yield from (f"{match['number']}%", f"{match['number']} percent", match["number"])


def units(answer: str, language: str) -> Iterator[str]:
    """Omit a unit, join a short unit to its number, or write the unit in another way.

    >>> list(units("25 minutes", "en"))
    ['25', '25 minutes', '25 min']
    """
    match = _COUNTED.fullmatch(answer)
    names = None if match is None else _UNIT_NAMES.get(match["unit"].strip().casefold())
    if match is None or names is None:
        return
    number, unit = match["number"], match["unit"].strip()
    yield from (number, f"{number} {unit}")
    if len(unit) <= _SHORT_UNIT:
        yield f"{number}{unit}"
    others = [name for name in names[:2] if name and name.casefold() != unit.casefold()]
    yield from (f"{number} {name}" for name in others)


def hedges(answer: str, language: str) -> Iterator[str]:
    """Remove a word for rounding.

    >>> list(hedges("about 25 minutes", "en"))
    ['25 minutes']
    """
    plain = _HEDGE.sub("", answer, count=1) if _HEDGE.match(answer) else answer
    if plain != answer:
        yield plain


def phones(answer: str, language: str) -> Iterator[str]:
    """Write a phone number with spaces, and without separators.

    >>> list(phones("(212) 555-0151", "en"))
    ['212 555 0151', '2125550151']
    """
    digits = sum(map(str.isdecimal, answer))
    number = amount_of(answer, _numbers_of(language)) is not None or re.fullmatch(
        r"[\d.,]+", answer
    )
    if _PHONE.fullmatch(answer) and day_of(answer) is None and digits >= 7 and not number:
        parts = re.findall(r"\+?\d+", answer)
        yield from (" ".join(parts), "".join(parts))


def ampersands(answer: str, language: str) -> Iterator[str]:
    """Write `&` as a word.

    >>> list(ampersands("Castellan & Sons", "en"))
    ['Castellan and Sons']
    """
    if " & " in answer:
        yield answer.replace(" & ", " and ")


def lists(answer: str, language: str) -> Iterator[str]:
    """Write a list with other separators.

    >>> list(lists("Leonie, Mara and Yuki", "en"))
    ['Leonie, Mara, Yuki', 'Leonie Mara Yuki']
    """
    if re.search(r"\d", answer):
        return
    parts = re.split(r",? and |, ", answer)
    if len(parts) > 1 and all(parts) and (len(parts) > 2 or " and " in answer):
        yield from (", ".join(parts), " ".join(parts))


def plain_signs(answer: str, language: str) -> Iterator[str]:
    """Replace typographic characters by those on a keyboard.

    >>> list(plain_signs("Weaver\u2019s Walk", "en"))
    ["Weaver's Walk"]
    """
    plain = answer.translate(_SIGNS)
    if plain != answer:
        yield plain


# ---- dates and times of day -------------------------------------------------------------------


class Day(NamedTuple):
    """A day of a year; the year is None if not given."""

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
        match = pattern.fullmatch(text.strip())
        if match is None:
            continue
        month_text = match["month"]
        month = (
            int(month_text) if month_text.isdecimal() else _NUMBERS.get(month_text.casefold(), 0)
        )
        year, day = match["year"], int(match["day"])
        try:
            date(int(year) if year else _LEAP, month, day)
        except ValueError:
            return None
        return Day(month, day, int(year) if year else None)
    return None


def dates(answer: str, language: str) -> Iterator[str]:
    """Write a date in other ways.

    >>> list(dates("June 12, 2026", "en"))[:3]
    ['June 12, 2026', 'June 12 2026', '12 June 2026']
    """
    moment = day_of(answer)
    if moment is None:
        return
    name, year = _ENGLISH[moment.month - 1], moment.year
    for month in dict.fromkeys((name, name[:_SHORT])):
        if year is None:
            yield from (f"{month} {moment.day}", f"{moment.day} {month}")
        else:
            yield f"{month} {moment.day}, {year}"
            yield f"{month} {moment.day} {year}"
            yield f"{moment.day} {month} {year}"
    if year is not None:
        yield f"{year}-{moment.month:02}-{moment.day:02}"


def time_of(text: str) -> time | None:
    """Read a text that is a time of day and nothing else; None if it is ambiguous.

    `9:15` alone may be in the evening, and `11 h` may be a duration; both return None.

    >>> time_of("5:15 pm"), time_of("17.15 Uhr"), time_of("9:15")
    (datetime.time(17, 15), datetime.time(17, 15), None)
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half, clock = match["half"], match["clock"]
    if not half and not clock and (match["mark"] != ":" or 1 <= hour <= 12):
        return None
    if half:
        if clock or not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def times(answer: str, language: str) -> Iterator[str]:
    """Write a time of day in other ways.

    >>> list(times("5:00 pm", "en"))
    ['17:00', '5:00 pm', '5:00pm', '5 pm', '5pm']
    """
    found = time_of(answer)
    if found is not None:
        yield from _clocks(found)


def _clocks(found: time) -> Sequence[str]:
    half = "am" if found.hour < 12 else "pm"
    hour, minute = found.hour % 12 or 12, found.minute
    long = [f"{found.hour:02}:{minute:02}", f"{found.hour}:{minute:02}"]
    twelve = [f"{hour}:{minute:02} {half}", f"{hour}:{minute:02}{half}"]
    short = [] if minute else [f"{hour} {half}", f"{hour}{half}"]
    return list(dict.fromkeys((*long, *twelve, *short)))


def spans(answer: str, language: str) -> Iterator[str]:
    """Write a range of times, of dates or of names in other ways.

    >>> list(spans("Monday \u2013 Thursday", "en"))
    ['Monday - Thursday', 'Monday-Thursday', 'Monday to Thursday', 'from Monday to Thursday']
    >>> "17:15" in list(spans("7:15 am \u2013 5:15 pm", "en"))[-1]
    True
    """
    match = _SPAN.fullmatch(answer.strip())
    if match is None or not re.search(r"[\u2010-\u2014]| to ", answer):
        return
    # `Return to start` is not a range.
    if not re.search(r"[\u2010-\u2014]", answer) and not _DATED.search(answer):
        return
    first, last = match[1], match[2]
    yield from _spanned(first, last, language)
    start, end = time_of(first), time_of(last)
    if start is not None and end is not None:
        yield from _spanned(f"{start:%H:%M}", f"{end:%H:%M}", language)


def _spanned(first: str, last: str, language: str) -> Iterator[str]:
    begin, middle = _FROM_TO.get(language, _FROM_TO["en"])
    yield from (
        f"{first} - {last}",
        f"{first}-{last}",
        f"{first}{middle}{last}",
        f"{begin}{first}{middle}{last}",
    )


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.__name__: rule
        for rule in (
            spelled_numbers,
            without_groups,
            without_zeros,
            currencies,
            percents,
            units,
            hedges,
            dates,
            times,
            spans,
            phones,
            ampersands,
            lists,
            plain_signs,
        )
    }
)
"""The rules by name."""


def _numbers_of(language: str) -> Templates:
    templates = templates_of(language) or templates_of("en")
    if templates is None:
        raise LookupError("there are no templates for English")
    return templates

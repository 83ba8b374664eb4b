"""The forms in which a short answer may be given: each rule says the same in another way.

ScreenQA's short answers list what several raters wrote; here the rules write what raters would. No
rule makes two answers that mean different things: what can be read in two ways is left as it is.
Upper case, ASCII punctuation and articles need no rule, as the metric drops them, and of forms that
are the same to it the first stays.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from snellen.grading.normalise import squad
from snellen.tasks.builder.questions.facts import amount_of
from snellen.tasks.builder.questions.templates import Questions, questions_of
from snellen.tasks.builder.questions.times import dates, day_of, spans, time_of, times

MOST = 16
"""The most forms of one answer, the shown one included."""


def _listed(names: str) -> Sequence[str]:
    return names.split()


_FEW = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_LEADING = re.compile(r"(\d{1,2})(?P<rest>(?: [^\W\d_]+){0,2})")

# After the unit: how else to write it, where it is written otherwise, then what is read as it.
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
_PERCENT = re.compile(r"(?P<number>[-+]?\d[\d.,]*)\s?(?:%|٪|percent|per cent|Prozent|por ciento)")
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

Rule: TypeAlias = Callable[[str, str], Iterable[str]]
"""Takes an answer and the code of the page's language, and gives other forms of it."""


def variants(answer: str, language: str = "en") -> list[str]:
    """Return the forms of an answer, the shown one first.

    >>> variants("3")
    ['3', 'three']
    >>> variants("5:15 pm")
    ['5:15 pm', '17:15', '5:15pm']
    """
    found = {answer: None}
    for _ in range(2):
        for form in list(found):
            for rule in RULES.values():
                found.update(dict.fromkeys(other for other in rule(form, language) if other))
    distinct: dict[str, str] = {}
    for form in found:
        distinct.setdefault(squad(form), form)
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
    """Write a number up to twenty as a word, or the word as a number.

    >>> list(spelled_numbers("3 rooms", "en")), list(spelled_numbers("three rooms", "en"))
    (['three rooms'], ['3 rooms'])
    """
    first, space, rest = answer.partition(" ")
    if first.casefold() in _FEW:
        yield f"{_FEW.index(first.casefold())}{space}{rest}"
    found = _LEADING.fullmatch(answer)
    if found is None or not answer.isascii() or (found["rest"] and language != "en"):
        return
    other = day_of(answer) is not None or time_of(answer) is not None
    if not other and int(found[1]) < len(_FEW) and found[1] == str(int(found[1])):
        yield f"{_FEW[int(found[1])]}{found['rest']}"


def without_groups(answer: str, language: str) -> Iterator[str]:
    """Leave out what groups a number's digits.

    >>> list(without_groups("11,025 people", "en")), list(without_groups("11.025", "de"))
    (['11025 people'], ['11025'])
    """
    marks = re.escape(_numbers_of(language).thousands)
    grouped = rf"(?<![\d.,])\d{{1,3}}(?:[{marks}\s'](?=\d{{3}}(?!\d))\d{{3}})+(?!\d)"
    plain = re.sub(grouped, lambda found: re.sub(r"\D", "", found[0]), answer)
    if plain != answer:
        yield plain


def without_zeros(answer: str, language: str) -> Iterator[str]:
    """Leave out a fraction that is zero, and what groups the digits: `2.600` is two numbers.

    >>> list(without_zeros("$75.00", "en")), list(without_zeros("2.600,00 €", "de"))
    (['$75'], ['2600 €'])
    """
    found = re.fullmatch(rf"(.*\d){re.escape(_numbers_of(language).decimal)}00(\D*)", answer)
    if found is not None and amount_of(answer, _numbers_of(language)) is not None:
        plain = found[1] + found[2]
        yield next(without_groups(plain, language), plain)


def currencies(answer: str, language: str) -> Iterator[str]:
    """Name a currency in another way, or not at all.

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
    """Write a share with its sign, with a word, or as a number.

    >>> list(percents("40 percent", "en"))
    ['40%', '40 percent', '40']
    """
    found = _PERCENT.fullmatch(answer)
    if found is not None:
        yield from (f"{found['number']}%", f"{found['number']} percent", found["number"])


def units(answer: str, language: str) -> Iterator[str]:
    """Leave a unit out, write a short one close to its number, or write it in another way.

    >>> list(units("25 minutes", "en"))
    ['25', '25 minutes', '25 min']
    """
    found = _COUNTED.fullmatch(answer)
    known = None if found is None else _UNIT_NAMES.get(found["unit"].strip().casefold())
    if found is None or known is None:
        return
    number, unit = found["number"], found["unit"].strip()
    yield from (number, f"{number} {unit}")
    if len(unit) <= _SHORT_UNIT:
        yield f"{number}{unit}"
    others = [name for name in known[:2] if name and name.casefold() != unit.casefold()]
    yield from (f"{number} {name}" for name in others)


def hedges(answer: str, language: str) -> Iterator[str]:
    """Leave out that a number is rounded.

    >>> list(hedges("about 25 minutes", "en"))
    ['25 minutes']
    """
    plain = _HEDGE.sub("", answer, count=1) if _HEDGE.match(answer) else answer
    if plain != answer:
        yield plain


def written_dates(answer: str, language: str) -> Iterator[str]:
    """Write a date in other forms; see `variants_times.dates`."""
    yield from dates(answer)


def written_times(answer: str, language: str) -> Iterator[str]:
    """Write a time of day in other forms; see `variants_times.times`."""
    yield from times(answer)


def written_spans(answer: str, language: str) -> Iterator[str]:
    """Write a span with other words or signs; see `variants_times.spans`."""
    yield from spans(answer)


def phones(answer: str, language: str) -> Iterator[str]:
    """Write a number of a phone with spaces, and without anything.

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
    """Write `&` as a word, and the word of two names as `&`.

    >>> list(ampersands("Castellan & Sons", "en"))
    ['Castellan and Sons']
    """
    if " & " in answer:
        yield answer.replace(" & ", " and ")


def lists(answer: str, language: str) -> Iterator[str]:
    """Separate what is listed in other ways.

    >>> list(lists("Leonie, Mara and Yuki", "en"))
    ['Leonie, Mara, Yuki', 'Leonie Mara Yuki']
    """
    if re.search(r"\d", answer):
        return
    parts = re.split(r",? and |, ", answer)
    if len(parts) > 1 and all(parts) and (len(parts) > 2 or " and " in answer):
        yield from (", ".join(parts), " ".join(parts))


def plain_signs(answer: str, language: str) -> Iterator[str]:
    """Write signs of typography as they are typed.

    >>> list(plain_signs("Weaver\u2019s Walk", "en"))
    ["Weaver's Walk"]
    """
    plain = answer.translate(_SIGNS)
    if plain != answer:
        yield plain


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
            written_dates,
            written_times,
            written_spans,
            phones,
            ampersands,
            lists,
            plain_signs,
        )
    }
)
"""By name."""


def _numbers_of(language: str) -> Questions:
    found = questions_of(language) or questions_of("en")
    if found is None:
        raise LookupError("there are no templates for English")
    return found

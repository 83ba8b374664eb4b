"""Whether an answer of an episode says what a reference says, by the form of the reference.

An application shows a date as `Monday, October 27, 2025` and an amount as `$5,967.00`. Every
unambiguous way to write the same value is right. What can be read in two ways is not: the day and
the month of `03/04/2025`, a text with two numbers, a date with the wrong day of the week.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Final, cast

from snellen.grading.models.items import AnswerForm
from snellen.grading.parse.lists import ui_texts
from snellen.grading.parse.quantities import day

_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(?:\.\d+)?")
_DOLLARS: Final = r"(?:US ?\$|USD|\$)"
_BEFORE: Final = re.compile(rf"([+-]?){_DOLLARS} ?", re.IGNORECASE)
_AFTER: Final = re.compile(rf" ?(?:(?:US )?dollars?|{_DOLLARS})\Z", re.IGNORECASE)

_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY: Final = re.compile(
    r"(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b[.,]? ?(?:the )?"
)
_NUMBERED: Final = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2([12]\d{3})")
_DATES: Final = re.compile(
    r"[12]\d{3}([-/.])\d{1,2}\1\d{1,2}"
    r"|\d{1,2}(?:\.|st|nd|rd|th)?[ -](?:of )?[a-z]{3,9}\.?,?[ -][12]\d{3}"
    r"|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? [12]\d{3}"
)
_TIME: Final = re.compile(r"(\d{1,2})(?::(\d{2})(?::00)?)?(?: ?([ap])\.?m)?")

_QUOTES: Final = MappingProxyType({'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019"})
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_SEPARATORS: Final = ("\n", ";", r",(?:\s*and\s)?|\sand\s")


def same_answer(form: AnswerForm, answer: object, gold: object) -> bool:
    """Return whether an answer says the same as the reference.

    A list of one counts as what is in it. Texts are compared but for case, spaces, a final period
    and quotes around them. Money is in dollars. A list has no order, places have one.

    Args:
        form: The form of the reference.
        answer: The answer as it was given.
        gold: The reference: a number, a text or a list; a date as 2025-10-27, a time as 17:30.

    >>> same_answer("date", "Monday, October 27, 2025", "2025-10-27")
    True
    >>> same_answer("money", "$5,967.00", 5967), same_answer("money", "5,967 euros", 5967)
    (True, False)
    """
    if form in _READERS:
        read = _READERS[form]
        wanted = read(gold)
        return wanted is not None and read(_single(answer)) == wanted
    if form == "text":
        given = _single(answer)
        return _is_text(given) and _plain(given) == _plain(gold)
    wanted, given = _texts(gold, (";",)), _texts(answer, _SEPARATORS)
    if form == "list":
        wanted, given = list(map(sorted, wanted)), list(map(sorted, given))
    return any(texts in wanted for texts in given)


def _single(answer: object) -> object:
    """Return what is in a list of one."""
    if not isinstance(answer, list):
        return answer
    several = cast("list[object]", answer)
    return several[0] if len(several) == 1 else None


def _is_text(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _plain(text: object) -> str:
    """Return a text without what does not count."""
    plain = " ".join(str(text).split()).removesuffix(".")
    if len(plain) > 1 and _QUOTES.get(plain[0]) == plain[-1]:
        plain = plain[1:-1].strip().removesuffix(".")
    return plain.casefold()


def _texts(answer: object, separators: Sequence[str]) -> list[list[str]]:
    """Return the lists that an answer can be read as, each of plain texts."""
    if isinstance(answer, list):
        several = cast("list[object]", answer)
        return [[_plain(each) for each in several]] if all(map(_is_text, several)) else []
    if not _is_text(answer):
        return []
    text = str(answer).strip()
    if text.startswith("[") and text.endswith("]") and "```" not in text:
        found = ui_texts(text)
        return [] if found is None else [[_plain(each) for each in found]]
    return [
        [_plain(_BULLET.sub("", part)) for part in re.split(separator, text) if part.strip()]
        for separator in separators
    ]


def _number(value: object) -> float | None:
    if isinstance(value, str):
        text = value.strip().removesuffix(".")
        return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _money(value: object) -> float | None:
    """Return an amount in dollars; None for one in another currency."""
    if not isinstance(value, str):
        return _number(value)
    text = " ".join(value.split()).removesuffix(".")
    if before := _BEFORE.match(text):
        text = before[1] + text[before.end() :]
    return _number(_AFTER.sub("", text))


def _date(value: object) -> str | None:
    """Return a date as 2025-10-27; None unless there is one way to read it."""
    if not isinstance(value, str):
        return None
    text = " ".join(value.casefold().split()).removesuffix(".").removeprefix("the ")
    named = _WEEKDAY.match(text)
    text = text[named.end() :] if named else text
    numbered = _NUMBERED.fullmatch(text)
    if numbered is None and not _DATES.fullmatch(text):
        return None
    try:
        found = {day(text)}
        if numbered:
            found.add(day("/".join(numbered.group(3, 1, 4))))
    except ValueError:
        return None
    if len(found) > 1:
        return None
    read = found.pop()
    if named and _WEEKDAYS[date.fromisoformat(read).weekday()] != named[1][:3]:
        return None
    return read


def _time(value: object) -> str | None:
    """Return a time of day as 17:30; without `am` or `pm` it is one of 24 hours."""
    text = " ".join(value.casefold().split()).removesuffix(".") if isinstance(value, str) else ""
    found = _TIME.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (found[3] == "p")
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else None


_READERS: Final[Mapping[str, Callable[[object], float | str | None]]] = MappingProxyType(
    {"number": _number, "money": _money, "date": _date, "time": _time}
)

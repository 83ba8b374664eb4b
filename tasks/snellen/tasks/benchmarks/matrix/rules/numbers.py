"""Amounts out of text, for the matrix: a number with its unit, never a part of a longer number."""

import re
from dataclasses import dataclass
from sys import float_info
from typing import Literal

NumberFault = Literal["no number in it", "more than one number in it"]
"""Why no amount was read."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and its unit: `%`, a word, a currency sign, a rate such as `km/h`, or nothing."""

    value: float
    unit: str = ""


# A number starts and ends where no digit, letter or point goes on. Thousands are set apart by
# commas, apostrophes, underscores or spaces that do not break, in groups of three.
_NUMBER = re.compile(
    r"(?<![\w.,])(?P<before>[$\u20ac\u00a3\u00a5])?\s?(?P<sign>[-+\u2212])?\s?"
    r"(?P<currency>[$\u20ac\u00a3\u00a5])?\s?"
    r"(?P<digits>\d{1,3}(?:[,'_\u00a0\u2009\u202f]\d{3})++(?!\d)(?:\.\d++)?|\d++(?:\.\d++)?|\.\d++)"
    r"(?P<power>[eE][-+]?\d{1,3}(?![\w.]))?"
    r"(?P<after>\s?(?:%|percent\b|per\scent\b|[$\u20ac\u00a3\u00a5]|[^\W\d_]++)|)"
    r"(?P<rate>/[^\W\d_]++|)"
    r"(?![\w]|[.,'_]\d)",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[,'_\u00a0\u2009\u202f]")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "bn": 1e9, "T": 1e12}
_PERCENT = frozenset({"%", "percent", "per cent"})
# What may follow a number and is no unit.
_NO_UNITS = frozenset(
    {"a", "about", "an", "and", "are", "as", "at", "but", "by", "for", "from", "if", "in", "is"}
    | {"more", "of", "on", "or", "so", "than", "that", "the", "then", "to", "total", "was"}
    | {"were", "which", "with"}
)
_WORD = re.compile(r"\s?([^\W\d_]++)?(/[^\W\d_]++)?")


def amount(text: str) -> Amount | NumberFault:
    """Read the one amount that a text states.

    Thousands separators ("1,234", "1 234" with a space that does not break), signs, exponents,
    currency signs, percent and the words thousand to trillion (or K, M, B, bn, T right behind the
    number) are understood. The same amount said twice is one. Digits inside a word ("Q3") and
    "1,5" are no number, and "5 M" is five of the unit M.

    Returns:
        The amount, or why there is none.

    Source: the framework publishes no parser for numbers, so this is a decision.

    >>> amount("about 1.2 million euros"), amount("12 %")
    (Amount(value=1200000.0, unit='euros'), Amount(value=12.0, unit='%'))
    >>> amount("12 of 20")
    'more than one number in it'
    """
    found = [_amount(text, match) for match in _NUMBER.finditer(text)]
    values = {one.value for one in found if one is not None}
    units = {one.unit for one in found if one is not None and one.unit}
    if not values:
        return "no number in it"
    if len(values) > 1 or len(units) > 1:
        return "more than one number in it"
    return Amount(values.pop(), units.pop() if units else "")


def _amount(text: str, match: re.Match[str]) -> Amount | None:
    value = float(_SEPARATORS.sub("", match["digits"]) + (match["power"] or ""))
    if match["sign"] in ("-", "\u2212"):
        value = -value
    after = match["after"]
    word, rate = after.strip(), match["rate"]
    currency = match["before"] or match["currency"] or ""
    scale = _scale(after, word)
    if scale != 1:
        value *= scale
        behind = _WORD.match(text, match.end("after"))
        word, rate = (behind[1] or "", behind[2] or "") if behind else ("", "")
    if abs(value) > float_info.max:
        return None
    if " ".join(word.lower().split()) in _PERCENT:
        return Amount(value, "%" + rate)
    unit = currency or ("" if word.lower() in _NO_UNITS else word)
    # Five a month are not five.
    return Amount(value, unit + rate)


def _scale(after: str, word: str) -> float:
    if after == word and word in _SHORT_SCALES:
        return _SHORT_SCALES[word]
    return _SCALES.get(word.lower(), 1.0)


def near(given: Amount, wanted: Amount, *, relative: float = 1e-9, absolute: float = 0.0) -> bool:
    """Tell whether an amount is the wanted one, within a tolerance.

    |given - wanted| <= max(relative * |wanted|, absolute). Where the wanted amount has a unit, the
    other must have the same (in any case, with or without a plural s) or none. Where it has none,
    a percentage counts as the fraction that it is (15 % is 0.15) and other units do not matter.

    >>> near(Amount(15, "%"), Amount(0.15)), near(Amount(15), Amount(15, "%"))
    (True, True)
    >>> near(Amount(15, "kg"), Amount(15, "km"))
    False
    """
    value = given.value
    if wanted.unit:
        if given.unit and _same_unit(given.unit) != _same_unit(wanted.unit):
            return False
    elif given.unit == "%":
        value /= 100
    return abs(value - wanted.value) <= max(relative * abs(wanted.value), absolute)


def _same_unit(unit: str) -> str:
    plain = unit.casefold()
    return plain[:-1] if len(plain) > 2 and plain.endswith("s") else plain


def is_number(value: object) -> bool:
    """Tell whether a JSON value is a finite number (true and false are none)."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        # False for NaN, too; an integer may be larger than any float.
        and abs(value) <= float_info.max
    )

"""Number formats of a page: shares in percent, differences in points."""

import re

from snellen.grading.models.estimates import Interval


def percent(value: float) -> str:
    """Write a share in percent, with a non-breaking space.

    >>> percent(0.61249).split()
    ['61.2', '%']
    """
    return f"{figure(value)}\N{NO-BREAK SPACE}%"


def figure(value: float) -> str:
    """Write a share in percent, without the sign.

    >>> figure(0.61249)
    '61.2'
    """
    return f"{100 * value:.1f}"


def points(difference: float) -> str:
    """Write a difference in points, with its sign; the sign is a minus, not a hyphen.

    >>> points(0.05)
    '+5.0'
    """
    return number(100 * difference, "+.1f")


def number(value: float, form: str = ".1f") -> str:
    """Write a number by a format; its sign is a minus, not a hyphen.

    >>> number(-66.7, ".0f") == "\N{MINUS SIGN}67"
    True
    """
    return format(value, form).replace("-", "\N{MINUS SIGN}")


def small_share(value: float) -> str:
    """Write a share that is not 0 so that it does not look like 0.

    >>> small_share(0.0001).split()
    ['<', '0.1', '%']
    """
    return percent(value) if value >= 5e-4 else f"< {percent(0.001)}"


def part(count: int, whole: int) -> str:
    """Write a part of a whole in percent, with a decimal only if it is small.

    >>> part(30, 40).split(), part(1, 40).split()
    (['75', '%'], ['2.5', '%'])
    """
    return f"{100 * count / whole:.{0 if count >= 0.095 * whole else 1}f}\N{NO-BREAK SPACE}%"


def counted(count: int, one: str, many: str = "") -> str:
    """Write a count with its noun.

    >>> counted(1, "answer"), counted(1200, "answer")
    ('1 answer', '1,200 answers')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def two_digits(count: int) -> int:
    """Round a count to two significant digits.

    >>> two_digits(8649)
    8600
    """
    return round(count, -max(0, len(str(count)) - 2))


def method_name(method: str) -> str:
    """Write the method of an interval as a name, such as Wilson.

    >>> method_name("wilson, all equal"), method_name("bootstrap bca"), method_name("t")
    ('Wilson, all equal', 'bootstrap BCa', 't')
    """
    names = {"wilson": "Wilson", "fisher": "Fisher", "bca": "BCa"}
    return re.sub(r"[a-z]+", lambda word: names.get(word[0], word[0]), method)


def span(interval: Interval | None) -> str:
    """Write an interval of shares in percent; empty if there is none."""
    if interval is None:
        return ""
    return f"{figure(interval.low)} \N{EN DASH} {figure(interval.high)}"


def points_span(interval: Interval | None) -> str:
    """Write an interval of differences in points; empty if there is none."""
    return "" if interval is None else f"{points(interval.low)} to {points(interval.high)}"

"""What a page says of the faults of its answers, and the protocols that forgive them."""

import re

from snellen.grading.report.page import FailureCount, Page, ProtocolValue

POINT = 0.01
"""One percentage point: a gain, a difference or a half interval below it is not worth a word."""

_OTHER_PROTOCOL = re.compile(r", or report (?:the|a) [^.]*")
# 0.61 - 0.6 is a little less than 0.01 in floating point, and it is a point.
_ROUNDING = 1e-9


def gaining(page: Page) -> tuple[ProtocolValue, ...]:
    """Return the other protocols whose value of the same metric is at least a point higher."""
    least = page.report.value + POINT - _ROUNDING
    return tuple(
        other
        for other in page.alternatives
        if other.metric == page.report.numbers.primary and other.value >= least
    )


def fault_advice(page: Page, failure: FailureCount) -> str:
    """Return what to do about a fault; another protocol is named only where it gains a point.

    A tag's advice is written for every run. Where it ends in reporting another protocol, that is
    the one which gains the most on this page, or the words are left out.
    """
    best = max(gaining(page), key=lambda other: other.value, default=None)
    instead = "" if best is None else f", or report `{best.name}` too"
    return _OTHER_PROTOCOL.sub(instead, failure.advice)

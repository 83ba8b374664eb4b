"""Advice on the faults of a page's answers, and the protocols that tolerate them."""

import re

from snellen.grading.report.page import FailureCount, Page, ProtocolValue

POINT = 0.01
"""One percentage point: a gain, a difference or a half interval below it is not worth a word."""

_OTHER_PROTOCOL = re.compile(r", or report (?:the|a) [^.]*")
# 0.61 - 0.6 is slightly less than 0.01 in floating point, but counts as a point.
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
    """Return the advice for a fault; it names another protocol only if that gains a point.

    A tag's advice is written for every run. If it ends with reporting another protocol, that is the
    one that gains the most on this page; without one, the words are left out.
    """
    best = max(gaining(page), key=lambda other: other.value, default=None)
    instead = "" if best is None else f", or report `{best.name}` too"
    return _OTHER_PROTOCOL.sub(instead, failure.advice)

"""Reading a judge's reply, and settling several votes."""

import re
from collections.abc import Sequence
from statistics import median_low

from snellen.grading.errors import InputError
from snellen.grading.judging.rubrics import Rubric

NO_VERDICT = "the judge's reply is no verdict"
"""What every message says that tells of a reply that is none; what follows a colon quotes it."""

_REPLY = re.compile(r'\{[ \t]*"verdict"[ \t]*:[ \t]*(?P<level>0|[1-9][0-9]?)[ \t]*\}')
_SHOWN = 60


def read_verdict(reply: str, rubric: Rubric) -> int:
    """Return the level that a judge's reply names.

    The reply must be one line of JSON, an object with `verdict` alone, a whole number that is a
    level of the rubric. There is no guessing: a reply that says more may repeat what a response
    asked it to say.

    Raises:
        InputError: It is anything else. That is the judge's fault and no verdict, least of all 0.

    >>> from snellen.grading.judging.rubrics import CORRECT
    >>> read_verdict('{"verdict": 1}', CORRECT)
    1
    """
    match = _REPLY.fullmatch(reply.strip(" \t\r\n"))
    level = rubric.best + 1 if match is None else int(match["level"])
    if level > rubric.best:
        shown = reply if len(reply) <= _SHOWN else f"{reply[:_SHOWN]}…"
        raise InputError(f"{NO_VERDICT} from 0 to {rubric.best} alone: {shown!r}")
    return level


def settle(votes: Sequence[int], asked: int) -> int | None:
    """Return the verdict of several votes: their median, the lower of two middle ones.

    Args:
        votes: The levels given.
        asked: How often the judge was asked.

    Returns:
        None unless more than half of the votes asked for are there.

    >>> settle([1, 0, 1], 3), settle([4, 3], 3), settle([1], 3)
    (1, 3, None)
    """
    return median_low(votes) if 2 * len(votes) > asked else None

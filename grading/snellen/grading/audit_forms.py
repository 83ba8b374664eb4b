"""The form of answers with coordinates, apart from what the coordinates count.

Answers in a space that the protocol reads can score nothing still: a box where it takes the first
two numbers for a point, JSON where it looks for brackets, percent. Another space is no remedy for
these, and asking for one would mend nothing.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snellen.grading.grade import Answers, Grader
from snellen.grading.parse.coordinates import robust_box
from snellen.grading.parse.responses import as_python_text
from snellen.grading.protocols.base import Context, FloatArray, Gold, Protocol

_JSON = re.compile(r"[\"']\w+[\"']\s*:")
_MOST = 0.5
# What published parsers of points and boxes look for, the plainest first.
_POINTS = ("({}, {})", "[{}, {}]", "x={}, y={}", "click({}, {})", "Answer: [{}, {}]")
_BOXES = ("({}, {}, {}, {})", "[{}, {}, {}, {}]")


class Plainly(NamedTuple):
    """What numbers score when they are written in the form that a protocol reads best."""

    score: float
    form: str


def plainly(
    protocol: Protocol, golds: Sequence[Gold], contexts: Sequence[Context], numbers: FloatArray
) -> Plainly:
    """Return what numbers score under a protocol when they are written as plainly as can be.

    Args:
        protocol: A protocol that grades points or boxes.
        golds: A target for each answer.
        contexts: What a parser may know of each.
        numbers: The points or boxes as their answers count them, answers x 2 or 4.

    Returns:
        The mean of the primary metric in the form that gives the most, and that form.
    """
    grader = Grader.of(protocol, golds, contexts)
    primary = protocol.metric.keys.index(protocol.metric.primary)
    rows = np.arange(len(golds), dtype=np.int64)
    written = [[_plain(number) for number in row] for row in numbers.tolist()]
    point = numbers.shape[1] == 2
    names = ("x", "y") if point else ("left", "top", "right", "bottom")

    def score(form: str) -> float:
        texts = [form.format(*row) for row in written]
        columns = grader.batch(Answers(rows, [0] * len(rows), texts))
        return float(columns.values[:, primary].mean())

    found = [Plainly(score(form), form.format(*names)) for form in (_POINTS if point else _BOXES)]
    return max(found, key=lambda one: one.score)


def form_of(responses: Sequence[object], *, percent: Sequence[bool], boxes: bool) -> str:
    """Say which form most responses have, where it is one that published parsers miss.

    Args:
        responses: The responses.
        percent: Which of them state their numbers in percent.
        boxes: Whether the task asks for boxes, so that a box is what was asked for.

    Returns:
        `percent`, `JSON` or `boxes`; empty where most are something else.

    >>> form_of(['{"x": 0.5, "y": 0.2}'], percent=[False], boxes=False)
    'JSON'
    """
    texts = [as_python_text(response) or "" for response in responses]
    shares = {
        "percent": np.mean(percent),
        "JSON": np.mean([_JSON.search(text) is not None for text in texts]),
        "boxes": 0.0 if boxes else np.mean([robust_box(text) is not None for text in texts]),
    }
    return next((name for name, share in shares.items() if share > _MOST), "")


def _plain(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")

"""Read a point as the harnesses that run ScreenSpot do, each with its own traps.

All return the numbers as written, None where the harness finds none; what they count is for the
protocol to say. No expression here backtracks over more than a bounded stretch.
"""

import re
from collections.abc import Sequence
from math import isfinite

from snellen.grading.pointing.points import ReadPoint

# ---- lmms-eval, and evalscope after it ---------------------------------------------------------

_N = r"-?\d++(?:\.\d++)?+%?+"
_NUMBER = re.compile(_N)
_PAIR = re.compile(rf"[\[(]\s*+({_N})(?:\s*+,\s*+|\s++)({_N})\s*+[\])]")
_TAG = re.compile(r"<\s*+bbox", re.IGNORECASE)
_TAG_END = re.compile(r"<\s*+/\s*+bbox\s*+>", re.IGNORECASE)
_X = re.compile(rf"x['\"]?\s*+[:=]\s*+({_N})", re.IGNORECASE)
_Y = re.compile(rf"y['\"]?\s*+[:=]\s*+({_N})", re.IGNORECASE)
_X_THEN_Y = re.compile(
    rf"x['\"]?\s*+[:=]\s*+({_N})[^\d\-]*?y['\"]?\s*+[:=]\s*+({_N})", re.IGNORECASE
)
_BOX_WORDS = ("box", "rect")
_MARKER = re.compile(r"answer\s*+[:\uff1a]", re.IGNORECASE)


def lmms_eval_point(text: str) -> ReadPoint | None:
    """The first `<bbox>` tag's middle, else the first pair in brackets, else `x: .. y: ..`.

    Failing these, the middle of the first four numbers where the text speaks of a box, or the
    first two numbers, wherever they stand. Percent is divided by a hundred.

    Source: lmms-eval tasks/screenspot_v2/utils.py and tasks/screenspot_pro/utils.py (226ba42).

    >>> lmms_eval_point("Step 1: I click on [512, 300].")
    ReadPoint(x=512.0, y=300.0, space=None)
    >>> lmms_eval_point("Step 1 of 2")
    ReadPoint(x=1.0, y=2.0, space=None)
    """
    opening = _TAG.search(text)
    start = text.find(">", opening.end()) if opening else -1
    closing = _TAG_END.search(text, start + 1) if start >= 0 else None
    inside = _NUMBER.findall(text, start + 1, closing.start()) if closing else []
    if len(inside) >= 4:
        return _middle(inside)
    pair = _PAIR.search(text)
    if pair:
        return _point(pair[1], pair[2])
    x = _X.search(text)
    y = _Y.search(text, x.end()) if x else None
    if x and y:
        return _point(x[1], y[1])
    numbers = _NUMBER.findall(text)
    if len(numbers) >= 4 and any(word in text.lower() for word in _BOX_WORDS):
        return _middle(numbers)
    return _point(*numbers[:2]) if len(numbers) >= 2 else None


def evalscope_point(text: str) -> ReadPoint | None:
    """The line after the last "answer:", else the last tag or pair in brackets of the whole text.

    On that line `x: .. y: ..` and the last two numbers will do; elsewhere only the middle of a
    `<bbox>` tag and a pair in brackets are trusted. The last of each kind counts.

    Source: evalscope benchmarks/screenspot_pro/utils.py (3e5e7d9).

    >>> evalscope_point("From (0, 0) I go right. Answer: 0.25 0.5")
    ReadPoint(x=0.25, y=0.5, space=None)
    >>> evalscope_point("x=175, y=85") is None
    True
    """
    marker = max((match.end() for match in _MARKER.finditer(text)), default=None)
    if marker is not None:
        line = text[marker:].lstrip().split("\n", 1)[0]
        point = _last_marked(line) or _last_loose(line)
        if point is not None:
            return point
    return _last_marked(text)


def _last_marked(text: str) -> ReadPoint | None:
    inside = _NUMBER.findall(_last_tag(text))
    if len(inside) >= 4:
        return _middle(inside)
    pairs = _PAIR.findall(text)
    return _point(*pairs[-1]) if pairs else None


def _last_loose(text: str) -> ReadPoint | None:
    pairs = _X_THEN_Y.findall(text)
    if pairs:
        return _point(*pairs[-1])
    numbers = _NUMBER.findall(text)
    return _point(*numbers[-2:]) if len(numbers) >= 2 else None


def _last_tag(text: str) -> str:
    """What the last `<bbox>` tag holds, tags taken from the left."""
    inside, position = "", 0
    while opening := _TAG.search(text, position):
        start = text.find(">", opening.end())
        closing = _TAG_END.search(text, start + 1) if start >= 0 else None
        if closing is None:
            break
        inside, position = text[start + 1 : closing.start()], closing.end()
    return inside


# ---- VLMEvalKit --------------------------------------------------------------------------------

_KEYED = re.compile(r"x=([\d.]++), y=([\d.]++)")


def vlmevalkit_point(text: str) -> ReadPoint | None:
    """The first `x=.., y=..`, with exactly one space; (0, 0) where there is none.

    Returns:
        None only where the numbers are none, such as `1.2.3`.

    Source: VLMEvalKit vlmeval/dataset/GUI/screenspot.py (055911d), `parse_bbox_aguvis`.

    >>> vlmevalkit_point("pyautogui.click(x=0.5, y=0.25)")
    ReadPoint(x=0.5, y=0.25, space=None)
    >>> vlmevalkit_point("(0.5, 0.25)")
    ReadPoint(x=0.0, y=0.0, space=None)
    """
    found = _KEYED.search(text)
    return _point(found[1], found[2]) if found else ReadPoint(0.0, 0.0)


# ---- ScreenSuite -------------------------------------------------------------------------------

_RUN = re.compile(r"[\d.]++")


def screensuite_click(text: str) -> ReadPoint | None:
    """The first two numbers in the first `click(...)`, any case, that closes on its line.

    A minus is passed over.

    Source: ScreenSuite 0.0.1 benchmarks/utils.py, `parse_click_action`.

    >>> screensuite_click("Action: Click(640, -360)")
    ReadPoint(x=640.0, y=360.0, space=None)
    """
    lowered = text.lower()
    start = lowered.find("click(")
    while start >= 0:
        end, line_end = lowered.find(")", start), lowered.find("\n", start)
        if end < 0:
            return None
        if not 0 <= line_end < end:
            numbers = _RUN.findall(lowered, start + len("click("), end)
            return _point(*numbers[:2]) if len(numbers) >= 2 else None
        start = lowered.find("click(", line_end)
    return None


def _middle(numbers: Sequence[str]) -> ReadPoint | None:
    left, top, right, bottom = map(_number, numbers[:4])
    return _finite((left + right) / 2, (top + bottom) / 2)


def _point(x: str, y: str) -> ReadPoint | None:
    try:
        return _finite(_number(x), _number(y))
    except ValueError:
        return None


def _finite(x: float, y: float) -> ReadPoint | None:
    return ReadPoint(x, y) if isfinite(x) and isfinite(y) else None


def _number(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)

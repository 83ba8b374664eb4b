"""The points that the harnesses of ScreenSpot read in a text, each with its own traps.

Each returns the numbers as written, None where its harness finds none. No pattern backtracks.
"""

import re
from collections.abc import Iterator
from math import isfinite

from snellen.grading.pointing.points import ReadPoint

_N = r"(-?\d++(?:\.\d++)?+%?+)"
_NUMBER, _PAIR = re.compile(_N), re.compile(rf"[\[(]\s*+{_N}(?:\s*+,\s*+|\s++){_N}\s*+[\])]")
_TAG, _TAG_END = re.compile(r"(?i)<\s*+bbox"), re.compile(r"(?i)<\s*+/\s*+bbox\s*+>")
_X, _Y = (re.compile(rf"(?i){side}['\"]?\s*+[:=]\s*+{_N}") for side in "xy")
_X_THEN_Y = re.compile(rf"{_X.pattern}[^\d\-]*?{_Y.pattern[4:]}")
_ANSWER, _KEYED = re.compile(r"(?i)answer\s*+[:\uff1a]"), re.compile(r"x=([\d.]++), y=([\d.]++)")


def lmms_eval_point(text: str) -> ReadPoint | None:
    """The first `<bbox>`'s middle, pair in brackets, `x: .. y: ..`, box of four, or two numbers.

    Source: lmms-eval tasks/screenspot_v2/utils.py and tasks/screenspot_pro/utils.py (226ba42).

    >>> lmms_eval_point("Step 1: I click on [512, 300]."), lmms_eval_point("Step 1 of 2")
    (ReadPoint(x=512.0, y=300.0, space=None), ReadPoint(x=1.0, y=2.0, space=None))
    """
    if len(inside := _NUMBER.findall(next(_tags(text), ""))) >= 4:
        return _middle(inside)
    if pair := _PAIR.search(text):
        return _point(*pair.groups())
    if (x := _X.search(text)) and (y := _Y.search(text, x.end())):
        return _point(x[1], y[1])
    numbers = _NUMBER.findall(text)
    boxed = len(numbers) >= 4 and any(word in text.lower() for word in ("box", "rect"))
    return _middle(numbers) if boxed else _point(*numbers[:2])


def evalscope_point(text: str) -> ReadPoint | None:
    """The last of each kind, on the line after the last `answer:`, else tags and pairs anywhere.

    Source: evalscope benchmarks/screenspot_pro/utils.py (3e5e7d9).

    >>> evalscope_point("From (0, 0) I go right. Answer: 0.25 0.5"), evalscope_point("x=1, y=8")
    (ReadPoint(x=0.25, y=0.5, space=None), None)
    """
    marks = [mark.end() for mark in _ANSWER.finditer(text)]
    line = text[marks[-1] :].lstrip().split("\n", 1)[0] if marks else ""
    loose = (_X_THEN_Y.findall(line) or [_NUMBER.findall(line)[-2:]])[-1]
    return _last_marked(line) or _point(*loose) or _last_marked(text)


def vlmevalkit_point(text: str) -> ReadPoint | None:
    """The first `x=.., y=..`, with exactly one space; (0, 0) where there is none.

    Source: VLMEvalKit vlmeval/dataset/GUI/screenspot.py (055911d), `parse_bbox_aguvis`.

    >>> vlmevalkit_point("pyautogui.click(x=0.5, y=0.25)"), vlmevalkit_point("(0.5, 0.25)")
    (ReadPoint(x=0.5, y=0.25, space=None), ReadPoint(x=0.0, y=0.0, space=None))
    """
    found = _KEYED.search(text)
    return _point(*found.groups()) if found else ReadPoint(0.0, 0.0)


def screensuite_click(text: str) -> ReadPoint | None:
    """The first two numbers, without their signs, in the first `click(...)` closed on its line.

    Source: ScreenSuite 0.0.1 benchmarks/utils.py, `parse_click_action`.

    >>> screensuite_click("Action: Click(640, -360)")
    ReadPoint(x=640.0, y=360.0, space=None)
    """
    for line in text.lower().split("\n"):
        _, called, rest = line.partition("click(")
        inside, closed, _ = rest.partition(")")
        if called and closed:
            return _point(*re.findall(r"[\d.]++", inside)[:2])
    return None


def _tags(text: str) -> Iterator[str]:
    """Yield what `<bbox>` tags hold, taken from the left."""
    position = 0
    while opening := _TAG.search(text, position):
        start = text.find(">", opening.end())
        closing = _TAG_END.search(text, start + 1) if start >= 0 else None
        if closing is None:
            return
        yield text[start + 1 : closing.start()]
        position = closing.end()


def _last_marked(text: str) -> ReadPoint | None:
    if len(inside := _NUMBER.findall(([*_tags(text)] or [""])[-1])) >= 4:
        return _middle(inside)
    pairs = _PAIR.findall(text)
    return _point(*pairs[-1]) if pairs else None


def _middle(numbers: list[str]) -> ReadPoint | None:
    left, top, right, bottom = map(_number, numbers[:4])
    return _finite((left + right) / 2, (top + bottom) / 2)


def _point(*numbers: str) -> ReadPoint | None:
    try:
        return _finite(*map(_number, numbers)) if len(numbers) == 2 else None
    except ValueError:
        return None


def _finite(x: float, y: float) -> ReadPoint | None:
    return ReadPoint(x, y) if isfinite(x) and isfinite(y) else None


def _number(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)

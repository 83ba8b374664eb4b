"""Read points and boxes in what an agent wrote.

Each published parser has its own rules, kept here with their traps, and a robust parser reads
what a person would. All return None when nothing can be read, never (0, 0), which is a place on
the screen. Numbers come back as written: which space they are in is said by the item, except
where the text (percent) or the parser's own rule fixes it, and then the result says so.

No expression here backtracks over more than a bounded stretch, and numbers must be finite.
"""

import re
from collections.abc import Iterator
from itertools import islice
from math import isfinite
from sys import float_info
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from snellen.grading.coordinates import ui_tars_view
from snellen.grading.errors import InputError
from snellen.grading.models.geometry import Size, Space
from snellen.grading.pointing.text import (
    NUMBER,
    Numbers,
    find_numbers,
    is_object,
    read_json,
)

Ltrb: TypeAlias = tuple[float, float, float, float]


class ReadPoint(NamedTuple):
    """A point as it was written; `space` is None where only the item can say what it counts."""

    x: float
    y: float
    space: Space | None = None


class ReadBox(NamedTuple):
    """A box as it was written; `space` is None where only the item can say what it counts."""

    left: float
    top: float
    right: float
    bottom: float
    space: Space | None = None

    @property
    def ltrb(self) -> Ltrb:
        """Left, top, right, bottom."""
        return self[:4]

    @property
    def center(self) -> ReadPoint:
        """The point in the middle."""
        # Halves are added, not the sum halved: the sum of two huge sides is not finite.
        return ReadPoint(self.left / 2 + self.right / 2, self.top / 2 + self.bottom / 2, self.space)


class UnitPoint(NamedTuple):
    """A point in fractions of the image; `guessed`: it was taken for pixels because of its size."""

    x: float
    y: float
    guessed: bool


class ReadElement(NamedTuple):
    """A UI element as it was written: its box (left, top, right, bottom) and its text."""

    box: Ltrb
    text: str


# ---- published parsers -------------------------------------------------------------------------

# Possessive throughout, and no number begins inside another: linear in the length of the text.
_DIGITS = r"(?:\d++(?:\.\d++)?+|\.\d++)"
_FIRST_PAIR = re.compile(
    rf"((?:[-+]|(?<!\d)){_DIGITS})[,;\s]++(?:y\s*+[:=]?+\s*+)?+([-+]?+{_DIGITS})", re.IGNORECASE
)
_SEECLICK_BOX = re.compile(r"<box>\((\d++),(\d++)\),\((\d++),(\d++)\)</box>")


def mmbench_gui_point(text: str) -> ReadPoint | None:
    """The first two numbers with only commas, semicolons or spaces (and a `y=`) between them.

    So a list number or a step number can be taken for the answer, a box gives its corner, JSON
    with the keys x and y nothing, and `1e-1, 2e-1` the point (-1, 2).

    Source: MMBench-GUI utils/misc.py, the default parser of level 2.

    >>> mmbench_gui_point("Step 1, 2 ... (0.2,0.4)")
    ReadPoint(x=1.0, y=2.0, space=None)
    """
    found = _FIRST_PAIR.search(text)
    return ReadPoint(_held(found[1]), _held(found[2])) if found else None


def _held(number: str) -> float:
    """The number; the largest float where it is larger, which is as far from any box."""
    return max(-float_info.max, min(float_info.max, float(number)))


def to_unit_official(x: float, y: float, width: float, height: float) -> UnitPoint:
    """Guess the space as published: if either number exceeds 1, both are pixels.

    So pixel (1, 1) is the bottom right corner, and (0.5, 2) mixes units.

    Args:
        x: As read.
        y: As read.
        width: Of the original image, in pixels.
        height: Of the original image, in pixels.

    Raises:
        InputError: The image has no size.

    Source: MMBench-GUI benchmarks/l2_element_grounding.py, `evaluate`.
    """
    if not (width > 0 and height > 0):
        raise InputError(f"an image of {width} x {height} pixels has no size to divide by")
    if x > 1 or y > 1:
        return UnitPoint(x / width, y / height, guessed=True)
    return UnitPoint(x, y, guessed=False)


def ui_tars_point(text: str, size: Size) -> ReadPoint | None:
    """Exactly two whole numbers in the whole text, as pixels of the image that UI-TARS sees.

    A decimal point makes more than two numbers, so decimals can't be read; nor can a minus.

    Args:
        text: What the agent wrote.
        size: Of the original image; UI-TARS sees it resized to multiples of 28.

    Returns:
        The point in fractions of the image; None also for an image more than 200 times as long
        as it is wide, which the published code refuses.

    Source: MMBench-GUI models/local_uitars.py, `parse_grounding_response`.
    """
    numbers = _at_most(re.finditer(r"\d++", text), 3)
    seen = ui_tars_view(size.width, size.height)
    if len(numbers) != 2 or seen is None:
        return None
    return _point(numbers[0] / seen.width, numbers[1] / seen.height, Space.UNIT)


def seeclick_point_or_box(text: str) -> ReadPoint | None:
    """A point, or the center of a box, by SeeClick's rules.

    Where the text says "box" anywhere: the first `<box>(l,t),(r,b)</box>` in thousandths.
    Elsewhere exactly two numbers are a point and exactly four a box, in fractions.

    Returns:
        The point in fractions of the image.

    Source: SeeClick pretrain/screenspot_test.py and pretrain/process_utils.py.
    """
    if "box" in text:
        found = _SEECLICK_BOX.search(text)
        if not found:
            return None
        left, top, right, bottom = map(float, found.groups())
        return _point((left + right) / 2 / 1000, (top + bottom) / 2 / 1000, Space.UNIT)
    numbers = _at_most(re.finditer(r"-?\d++\.?\d*+", text), 5)
    if len(numbers) == 2:
        return _point(numbers[0], numbers[1], Space.UNIT)
    if len(numbers) == 4:
        return _point((numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2, Space.UNIT)
    return None


def box_four_numbers(text: str) -> ReadBox | None:
    """The text is four numbers, left, top, right, bottom, perhaps in brackets, and nothing else.

    VisualWebBench's box variants score anything malformed as wrong (utils/eval_utils.py).
    """
    bare = text.strip()
    if bare[:1] + bare[-1:] in {"[]", "()"}:
        bare = bare[1:-1]
    words = re.split(r"[,\s]+", bare.strip(), maxsplit=4)
    numbers = [float(word) for word in words if NUMBER.fullmatch(word)]
    if len(words) != 4 or len(numbers) != 4 or not all(map(isfinite, numbers)):
        return None
    return ReadBox(numbers[0], numbers[1], numbers[2], numbers[3])


# ---- robust parsers ----------------------------------------------------------------------------

_LONGEST_LIST = 1_000_000
_SIDES = ("left", "top", "right", "bottom")


def robust_point(text: str, *, plainly: bool = False) -> ReadPoint | None:
    """The point that a reader would take for the answer; a box gives its center.

    Read: `(x, y)`, `[x1, y1, x2, y2]`, `x=.., y=..`, calls such as `click(x=.., y=..)`, JSON
    with coordinates, `<point>x y</point>`, box tags, percent, full-width punctuation, exponents.
    The first after the last "answer is" or "answer:" counts, otherwise the last that stands in
    brackets, tags or behind keys, otherwise the last bare pair. Thousands separators are
    recognized where only they make sense. An inverted box is no answer. Only the last 16,384
    characters are read.

    Args:
        text: What the agent wrote.
        plainly: Leave out what only our own protocols read; see `find_numbers`.

    >>> robust_point("Step 1, 2: the button is at (512, 300).")
    ReadPoint(x=512.0, y=300.0, space=None)
    >>> robust_point("50%, 30%")
    ReadPoint(x=0.5, y=0.3, space=<Space.UNIT: 'unit'>)
    """
    found = find_numbers(text, plainly=plainly)
    if found is None:
        return None
    if len(found.numbers) == 4:
        return _box(found).center
    return ReadPoint(found.numbers[0], found.numbers[1], found.space)


def plain_point(text: str) -> ReadPoint | None:
    """The point by the general reader of benchmarks whose own code reads none; it does not change.

    >>> plain_point("(10, 20), (30, 40)"), robust_point("(10, 20), (30, 40)")
    (ReadPoint(x=30.0, y=40.0, space=None), ReadPoint(x=20.0, y=30.0, space=None))
    """
    return robust_point(text, plainly=True)


def robust_box(text: str, *, plainly: bool = False) -> ReadBox | None:
    """The box that a reader would take for the answer: left, top, right, bottom.

    Read as in `robust_point`, four numbers only, and `(l, t), (r, b)` as well.

    >>> robust_box('{"bbox_2d": [10, 20, 30, 40], "label": "OK"}')
    ReadBox(left=10.0, top=20.0, right=30.0, bottom=40.0, space=None)
    """
    found = find_numbers(text, boxes_only=True, plainly=plainly)
    return _box(found) if found else None


def boxed_texts(text: str) -> tuple[ReadElement, ...] | None:
    """A JSON array of UI elements, each `{"text": .., "box": [l, t, r, b]}` or `[[..], ".."]`.

    The box may also be called `bounds` or `bbox`, or name its four sides. The array may stand in
    a code fence or between other words. `[]` says that there is no answer and is not None.

    Returns:
        The elements in their order; None where any of them can't be read, or the text is longer
        than 1,000,000 characters.

    >>> boxed_texts('[{"text": "OK", "bounds": [0, 0, 10, 5]}]')
    (ReadElement(box=(0.0, 0.0, 10.0, 5.0), text='OK'),)
    """
    if len(text) > _LONGEST_LIST:
        return None
    fenced = [block.strip().removeprefix("json") for block in text.split("```")[1::2]]
    between = text[text.find("[") : text.rfind("]") + 1]
    for source in (text, *reversed(fenced), between):
        data = read_json(source)
        if isinstance(data, list):
            found = [_element(each) for each in data]
            read = tuple(each for each in found if each)
            return read if len(read) == len(found) else None
    return None


def _element(data: JsonValue) -> ReadElement | None:
    match data:
        case {"text": str() as text, **rest}:
            box = next((rest[key] for key in ("box", "bounds", "bbox") if key in rest), None)
        case [box, str() as text]:
            pass
        case _:
            return None
    if is_object(box) and set(box) == set(_SIDES):
        box = [box[name] for name in _SIDES]
    sides = [_finite(side) for side in box] if isinstance(box, list) else []
    numbers = [side for side in sides if side is not None]
    if len(numbers) != 4 or len(sides) != 4:
        return None
    return ReadElement((numbers[0], numbers[1], numbers[2], numbers[3]), text)


def _finite(value: JsonValue) -> float | None:
    """A number as a float; None for anything else, and for numbers no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None


def _box(found: Numbers) -> ReadBox:
    left, top, right, bottom = found.numbers
    return ReadBox(left, top, right, bottom, found.space)


def _point(x: float, y: float, space: Space | None = None) -> ReadPoint | None:
    return ReadPoint(x, y, space) if isfinite(x) and isfinite(y) else None


def _at_most(matches: Iterator[re.Match[str]], limit: int) -> list[float]:
    """The first numbers matched; one over what is wanted is enough to know."""
    return [float(match[0]) for match in islice(matches, limit)]

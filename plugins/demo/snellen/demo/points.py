"""Where things are: the element that a description means, and the part of a page around it."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz

from snellen.demo import marks
from snellen.demo.findings import Finding, first, no_idea
from snellen.demo.ocr.pictures import Box, Line, Picture, Pixels, paragraphs
from snellen.demo.phrases import agreement, content, hits, quoted, words
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.exam.page import subject

_FIELD = re.compile(
    r"\b(?:field|input|text ?box|search box|drop-?down|combo ?box|select|type|enter|fill)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"^(?:the )?(?:text|heading|paragraph|title|label)\b", re.IGNORECASE)
LEAST = 0.45
"""The minimum score of a match; below it, the described element has no legible text."""


class Grounded(NamedTuple):
    """The described element: its text, its box, and its score, 0..1 or more."""

    text: str
    box: Box
    score: float


def fit(wanted: str, text: str) -> float:
    """Return the score of a text for a description: 1 for the same words, more if it is quoted.

    >>> fit("Sign in", "Sign in") > fit("Sign in", "Sign up") > fit("Sign in", "Prices")
    True
    """
    own = content(wanted) or words(wanted)
    if not own or not words(text):
        return 0.0
    found = len(hits(own, text)) / len(own)
    there = content(text) or words(text)
    back = len(hits(there, wanted)) / len(there)
    score = 0.4 * agreement(wanted, text) + 0.3 * found + 0.3 * back
    for term in quoted(wanted):
        if fuzz.ratio(" ".join(words(term)), " ".join(words(text))) >= 88:
            score = max(score, 1.1)
    return score


def ground(wanted: str, lines: Sequence[Line]) -> Grounded | None:
    """Return the line that matches a description best, or None if none matches.

    Args:
        wanted: The description or instruction.
        lines: The lines of a page.
    """
    scored = [Grounded(line.text, line.box, fit(wanted, line.text)) for line in lines]
    best = max(scored, key=lambda one: one.score, default=None)
    return best if best is not None and best.score >= LEAST else None


def narrowed(one: Grounded, wanted: str) -> Grounded:
    """Return the part of a line that a description means; the line if it means all of it.

    OCR reads adjacent texts as one line. The part's box assumes that all letters have the same
    width.

    >>> line = Grounded("Prices Contact", Box(0, 0, 140, 10), 0.6)
    >>> narrowed(line, "the link Contact").text
    'Contact'
    """
    said = one.text.split()
    own = words(wanted)
    meant = [place for place, word in enumerate(said) if hits(own, word)]
    if not meant or len(meant) == len(said):
        return one
    before = len(" ".join(said[: meant[0]])) + (1 if meant[0] else 0)
    kept = " ".join(said[meant[0] : meant[-1] + 1])
    if len(kept) < 3 or len(kept) > 0.9 * len(one.text):
        return one
    letter = one.box.width / max(len(one.text), 1)
    left = one.box.left + before * letter
    box = one.box._replace(left=left, right=left + len(kept) * letter)
    return Grounded(kept, box, one.score)


def element_of(picture: Picture, box: Box, wanted: str) -> Box:
    """Return the box of a text's element: the field or button that contains it, else the text.

    Args:
        picture: The image.
        box: The text's box.
        wanted: The description or instruction, which may name the kind of element.
    """
    if _FIELD.search(wanted):
        return (
            marks.field_around(picture.pixels, box)
            or _field_below(picture, box)
            or marks.button_around(picture.pixels, box)
            or box
        )
    if _PLAIN.search(wanted):
        return box
    return marks.button_around(picture.pixels, box) or box


def _field_below(picture: Picture, label: Box) -> Box | None:
    """Return the frame of the field under a label; None: there is none."""
    middle = label.bottom + 1.3 * label.height
    probe = Box(label.left + 6, middle - 4, label.left + 26, middle + 4)
    around = marks.filled_around(picture.pixels, probe, reach=(900, 2.4 * label.height))
    if around is None or not label.height <= around.height <= 4 * label.height:
        return None
    return around if around.top >= label.bottom - 4 and around.width > 3 * label.height else None


def choose_box(
    wanted: str, picture: Picture, boxes: Mapping[str, Box]
) -> tuple[str, Grounded] | None:
    """Return the letter of the marked box whose text matches a description best.

    Args:
        wanted: The description or instruction.
        picture: The image.
        boxes: The marked boxes by their letters.
    """
    tried: list[tuple[str, Grounded]] = []
    for letter, box in boxes.items():
        inside = picture.inside(box.grown(2))
        text = " ".join(line.text for line in inside)
        tried.append((letter, Grounded(text, box, max(fit(wanted, text), _parts(wanted, inside)))))
    best = max(tried, key=lambda one: one[1].score, default=None)
    return best if best is not None and best[1].score > 0.15 else None


def _parts(wanted: str, lines: Sequence[Line]) -> float:
    return 0.9 * max((fit(wanted, line.text) for line in lines), default=0.0)


_LETTERS = tuple("ABCDEFGH")
_POINT_FORM = re.compile(r"^\s*\[")


def letter(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the letter of the box that matches the description."""
    picture = first(question, pictures)
    boxes = marks.lettered_boxes(picture, _LETTERS)
    if not boxes:
        return no_idea("no lettered box can be found")
    chosen = choose_box(subject(question.prompt), picture, boxes)
    if chosen is None:
        return no_idea("no lettered box has any of the words")
    letter, one = chosen
    return Finding(letter, f"it says {one.text!r}", one.box)


def point(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the middle of the described element."""
    picture = first(question, pictures)
    one = _ground(question, picture)
    if one is None:
        return no_idea("no text on the screen fits the instruction")
    element = element_of(picture, one.box, subject(question.prompt))
    x, y = element.center
    given = _scaled(question, picture, (x, y))
    square = bool(_POINT_FORM.match(question.example))
    said = ", ".join(given)
    return Finding(f"[{said}]" if square else f"({said})", f"it says {one.text!r}", element)


def box(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the box of the described element."""
    picture = first(question, pictures)
    one = _ground(question, picture)
    if one is None:
        return no_idea("no text on the screen fits the instruction")
    element = element_of(picture, one.box, subject(question.prompt))
    given = _scaled(question, picture, element)
    return Finding(f"[{', '.join(given)}]", f"it says {one.text!r}", element)


def _ground(question: ExamItem, picture: Picture) -> Grounded | None:
    lines = picture.lines()
    wanted = subject(question.prompt)
    one = ground(wanted, [*lines, *paragraphs(lines)])
    return None if one is None else narrowed(one, wanted)


def _scaled(question: ExamItem, picture: Picture, numbers: Sequence[float]) -> list[str]:
    """Write coordinates, alternately x and y, in the question's unit; default: as fractions."""
    sides = [picture.width, picture.height] * (len(numbers) // 2)
    match question.space:
        case "pixels":
            return [f"{number:.0f}" for number in numbers]
        case "thousand":
            return [
                f"{1000 * number / side:.0f}" for number, side in zip(numbers, sides, strict=True)
            ]
        case _:
            return [f"{number / side:.4f}" for number, side in zip(numbers, sides, strict=True)]


_BAR = 150
_SIDE = 0.27
_ALIKE = 6
_HEADER = 80
_AROUND = 260
_NARROW = 0.4
_GUTTER = 16


def region(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the part of the page that contains the element in the red box."""
    picture = first(question, pictures)
    box = marks.red_box(picture.pixels)
    if box is None:
        return no_idea("there is no red box to be seen")
    return Finding(region_of(picture, box), f"at {box.left:.0f}, {box.top:.0f}", box)


def region_of(picture: Picture, box: Box) -> str:
    """Return the part of the page that contains a box.

    A bar is near the upper or lower end of the page; a bottom bar can also be an area with its own
    background that covers the page's width, down to its end. A sidebar is a column near a side that
    is narrow compared with its neighbor, or has its own background or a line.
    """
    width, height = picture.width, picture.height
    if box.top < min(_HEADER, 0.15 * height) and box.height < _BAR:
        return "top bar"
    if box.top >= height - min(_BAR, 0.2 * height) or _on_last_ground(picture, box):
        return "bottom bar"
    side = _narrow_column(picture, box)
    if side:
        return side
    if box.right <= _SIDE * width and _column(picture, box, left=True):
        return "left sidebar"
    if box.left >= (1 - _SIDE) * width and _column(picture, box, left=False):
        return "right sidebar"
    return "top bar" if box.bottom <= min(_BAR, 0.2 * height) else "main content"


def _narrow_column(picture: Picture, box: Box) -> str:
    """Return the sidebar that contains a box, by the columns of nearby texts; empty: none."""
    near = [
        one
        for one in picture.boxes
        if one.bottom > box.top - _AROUND and one.top < box.bottom + _AROUND and one.top > _HEADER
    ]
    columns = _columns([*near, box])
    if len(columns) < 2:
        return ""
    own = next(n for n, (left, right) in enumerate(columns) if left <= box.left <= right)
    widths = [right - left for left, right in columns]
    content = columns[-1][1] - columns[0][0]
    others = max(width for n, width in enumerate(widths) if n != own)
    if widths[own] > _NARROW * content or others < 1.5 * widths[own]:
        return ""
    return {0: "left sidebar", len(columns) - 1: "right sidebar"}.get(own, "")


def _columns(boxes: Sequence[Box]) -> list[tuple[float, float]]:
    """Return the left and right edges of the columns of boxes, from left to right.

    A gutter separates two columns.
    """
    found: list[tuple[float, float]] = []
    for box in sorted(boxes):
        if found and box.left <= found[-1][1] + _GUTTER:
            found[-1] = (found[-1][0], max(found[-1][1], box.right))
        else:
            found.append((box.left, box.right))
    return found


def _on_last_ground(picture: Picture, box: Box) -> bool:
    """Whether the background of a box covers the page's width, down to its end."""
    below = picture.pixels[int(box.bottom) + 2 :]
    if below.shape[0] > 900 or not below.size:
        return False
    ground = np.array(marks.ground_of(picture.pixels, box.grown(6)), np.int16)
    top = np.array(
        marks.ground_of(picture.pixels, Box(2, 0, picture.width - 2, 0.5 * picture.height))
    )
    if int(np.abs(ground - top).max()) <= _ALIKE:
        return False
    edges = below[:, [2, 6, -7, -3]].astype(np.int16)
    return float((np.abs(edges - ground).max(axis=2) <= _ALIKE).mean()) > 0.5


def _column(picture: Picture, box: Box, *, left: bool) -> bool:
    """Whether an edge of a background, or a line, is between a box and the page's middle."""
    middle = picture.width // 2
    y = int(min(max(box.center[1], 0), picture.height - 1))
    span = (int(box.right) + 4, middle) if left else (middle, int(box.left) - 4)
    if span[1] - span[0] < 20:
        return False
    upper, lower = max(y - 60, 0), min(y + 60, picture.height)
    part = picture.pixels[upper:lower, span[0] : span[1]].astype(np.int16)
    if part.shape[0] < 8:
        return False
    # A column of pixels that differs from the previous one over its whole height is an edge.
    changes = np.abs(np.diff(part, axis=1)).max(axis=2) > 3
    return bool((changes.mean(axis=0) > 0.95).any())


_WITHIN = 2.0
_FITS = 0.02


def parts(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the relation of every two parts on the page, which is the first image."""
    page, *cut = question.images
    if len(cut) < 2 or any(image.name not in pictures for image in question.images):
        return no_idea("there are no parts to find on a page")
    found: dict[str, Box] = {}
    for image in cut:
        place = locate(pictures[image.name].pixels, pictures[page.name].pixels)
        if place is not None:
            found[image.name] = place
    if len(found) < 2:
        return no_idea("the parts can't be found on the page")
    said = [
        f"{first} is at the [{relation(found[first], found[second])}] of {second}"
        for first, second in combinations(sorted(found), 2)
    ]
    return Finding("\n".join(said), f"{len(found)} of {len(cut)} parts were found on the page")


def locate(part: Pixels, page: Pixels) -> Box | None:
    """Return the box of a part in a page, or None if it does not occur.

    Args:
        part: The part.
        page: The page.
    """
    import cv2

    height, width = part.shape[:2]
    if height > page.shape[0] or width > page.shape[1]:
        return None
    fits = np.asarray(cv2.matchTemplate(page, part, cv2.TM_SQDIFF))
    y, x = map(int, np.unravel_index(int(np.argmin(fits)), fits.shape))
    there = page[y : y + height, x : x + width].astype(np.int16)
    # The pixels differ slightly if the exam sends a photograph as a JPEG.
    if float(np.abs(there - part).mean()) / 255 > _FITS:
        return None
    return Box(x, y, x + width, y + height)


def relation(one: Box, other: Box) -> str:
    """Return the relation of a box to another.

    `contain` if one is within the other, up to 2 pixels; `overlap` if they share an area; a side
    if they share rows or columns; else a corner.

    >>> relation(Box(0, 0, 10, 10), Box(20, 2, 30, 12))
    'left'
    >>> relation(Box(0, 0, 9, 9), Box(20, 20, 30, 30))
    'top-left'
    """
    if _within(one, other) or _within(other, one):
        return "contain"
    if one.shared(other) > 0:
        return "overlap"
    rows = min(one.bottom, other.bottom) - max(one.top, other.top)
    columns = min(one.right, other.right) - max(one.left, other.left)
    across = "left" if one.center[0] < other.center[0] else "right"
    down = "top" if one.center[1] < other.center[1] else "bottom"
    if rows > 0:
        return across
    if columns > 0:
        return down
    return f"{down}-{across}"


def _within(inner: Box, outer: Box) -> bool:
    return (
        inner.left >= outer.left - _WITHIN
        and inner.top >= outer.top - _WITHIN
        and inner.right <= outer.right + _WITHIN
        and inner.bottom <= outer.bottom + _WITHIN
    )

"""Pointing: the letter, the box or a point of the element that a description means."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from snellen.sdk.demo.findings import Finding, first, no_idea
from snellen.sdk.demo.marks import button_around, field_around, filled_around, lettered_boxes
from snellen.sdk.demo.phrases import agreement, content, hits, quoted, subject, words
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.ocr.pictures import Box, Line, Picture, paragraphs

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
            field_around(picture.pixels, box)
            or _field_below(picture, box)
            or button_around(picture.pixels, box)
            or box
        )
    if _PLAIN.search(wanted):
        return box
    return button_around(picture.pixels, box) or box


def _field_below(picture: Picture, label: Box) -> Box | None:
    """Return the frame of the field under a label; None: there is none."""
    middle = label.bottom + 1.3 * label.height
    probe = Box(label.left + 6, middle - 4, label.left + 26, middle + 4)
    around = filled_around(picture.pixels, probe, reach=(900, 2.4 * label.height))
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
    boxes = lettered_boxes(picture, _LETTERS)
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

"""Pointing: the letter of a marked box, a box, or a point, for what a prompt describes."""

import re
from collections.abc import Mapping, Sequence

from snellen.sdk.demo.grounding import Grounded, choose_box, element_of, ground, narrowed
from snellen.sdk.demo.marks import lettered_boxes
from snellen.sdk.demo.saying import Finding, first, no_idea
from snellen.sdk.demo.wording import subject
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.ocr.pictures import Picture, paragraphs

_LETTERS = tuple("ABCDEFGH")
_POINT_FORM = re.compile(r"^\s*\[")


def letter(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Say which of the lettered boxes fits the description."""
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
    """Point at the middle of the element that is described."""
    picture = first(question, pictures)
    one = _ground(question, picture)
    if one is None:
        return no_idea("no text on the screen fits the instruction")
    element = element_of(picture, one.box, subject(question.prompt))
    x, y = element.centre
    given = _scaled(question, picture, (x, y))
    square = bool(_POINT_FORM.match(question.example))
    said = ", ".join(given)
    return Finding(f"[{said}]" if square else f"({said})", f"it says {one.text!r}", element)


def box(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Give the box of the element that is described."""
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
    """Write coordinates as the question counts them, x and y by turns; unsaid: as fractions."""
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

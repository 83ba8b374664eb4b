"""Quoting the screen: headings, marked texts, looked-up values, a page's summary."""

import re
from collections.abc import Mapping

import numpy as np
from pydantic import JsonValue

from snellen.demo.findings import Finding, first, no_idea
from snellen.demo.lookup import FieldMatch, kind_asked, look_up, row_asked, value_in
from snellen.demo.marks import ground_of, red_box
from snellen.demo.ocr.pictures import Box, Line, Picture, paragraphs
from snellen.demo.phrases import words
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.exam.page import subject

NO_ANSWER = "<no answer>"
LEAST = 0.45
"""The minimum score of a value."""

_TOP = 1300
_LINE = 3
_INK = 60
_TALLEST = 12
_META = '<meta name="description" content="'
_LONG_LINE = 28


def heading(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Read the main heading: the largest text near the top."""
    found = find_heading(first(question, pictures))
    if found is None:
        return no_idea("nothing can be read near the top")
    return Finding(found.text, "the largest text near the top", found.box)


def find_heading(picture: Picture) -> Line | None:
    """Return the heading of a page: the tallest line near its top, with its continuation lines."""
    near = [box for box in picture.boxes if box.top < min(_TOP, 0.6 * picture.height)]
    tallest = sorted(near, key=lambda box: (-_size(picture, box), box.top))[:_TALLEST]
    lines = [Line(text, box) for box in tallest if len(text := picture.text(box)) > 1]
    if not lines:
        return None
    top = max(_size(picture, line.box) for line in lines)
    large = [line for line in lines if _size(picture, line.box) >= 0.85 * top]
    joined = paragraphs(sorted(large, key=lambda line: line.box.top))
    # A logo or a price can be as large as a heading, but is usually only one word.
    named = [line for line in joined if len(words(line.text)) > 1] or joined
    return min(named, key=lambda line: line.box.top)


def marked_text(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Read the text in the red box."""
    picture = first(question, pictures)
    box = red_box(picture.pixels)
    if box is None:
        return no_idea("there is no red box to be seen")
    text = read_inside(picture, box)
    if not text:
        return no_idea("nothing can be read in the red box")
    lead = re.search(r"^(The text[^\n:]*:)\s*<?YOUR ANSWER>?\s*$", question.prompt, re.MULTILINE)
    return Finding(f"{lead[1]} {text}" if lead else text, "what stands in the red box", box)


def read_inside(picture: Picture, box: Box) -> str:
    """Read the text in a drawn box, line by line."""
    inner = picture.cut(box.grown(-_LINE))
    # OCR loses the first letter of a text that begins at the edge of an image.
    margin = np.full((inner.shape[0] + 20, inner.shape[1] + 20, 3), 255, np.uint8)
    margin[:] = ground_of(picture.pixels, box.grown(-_LINE))
    margin[10:-10, 10:-10] = inner
    part = Picture(margin, picture.reader, sure=picture.sure)
    return " ".join(line.text for line in part.lines())


def text(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Read the red box if the question names it, else look up the answer."""
    skill = marked_text if "in the red box" in question.prompt else short_answer
    return skill(question, pictures)


def short_answer(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Look up the answer and return only the value."""
    asked = subject(question.prompt)
    found = _found(asked, first(question, pictures))
    if found is None:
        if NO_ANSWER in question.prompt:
            return Finding(NO_ANSWER, "nothing on the screen fits the question")
        return no_idea("nothing on the screen fits the question")
    return Finding(_value(asked, found), f"beside {found.label!r}", found.box)


def sentence(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Look up the answer and return it in a sentence."""
    asked = subject(question.prompt)
    found = _found(asked, first(question, pictures))
    if found is None:
        return Finding(NO_ANSWER, "nothing on the screen fits the question")
    return Finding(as_sentence(asked, _value(asked, found)), f"beside {found.label!r}", found.box)


def as_sentence(question: str, value: str) -> str:
    """Return a sentence that answers a question with a value.

    >>> as_sentence("What is the name of the song?", "Hip-hop loop")
    'The name of the song is Hip-hop loop.'
    >>> as_sentence("When does it close?", "17:30")
    'The answer is 17:30.'
    """
    match = re.fullmatch(
        r"(?:what|which|who|when|where|how much)(?:'s| is| are| was)(?P<rest> .+?)\s*\??",
        question.strip(),
        re.IGNORECASE,
    )
    if not match:
        return f"The answer is {value}."
    rest = match["rest"].strip()
    verb = re.search(r"\b(is|are|was)\b", question, re.IGNORECASE)
    return f"{rest[0].upper()}{rest[1:]} {verb[1].lower() if verb else 'is'} {value}."


def elements(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Look up the answer and return the text of the element that contains it."""
    found = _found(subject(question.prompt), first(question, pictures))
    if found is None:
        return Finding("[]", "nothing on the screen fits the question")
    texts: JsonValue = [found.text]
    return Finding(texts, f"beside {found.label!r}", found.box)


def boxed_elements(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Look up the answer and return the element that contains it, with its box."""
    picture = first(question, pictures)
    found = _found(subject(question.prompt), picture)
    if found is None:
        return Finding("[]", "nothing on the screen fits the question")
    unit = question.space == "unit"
    across, down = (picture.width, picture.height) if unit else (1, 1)
    box = found.box
    sides = [box.left / across, box.top / down, box.right / across, box.bottom / down]
    given: JsonValue = [[[round(side, 4 if unit else 1) for side in sides], found.text]]
    return Finding(given, f"beside {found.label!r}", found.box)


def caption(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Summarize a page by its heading and the first text under it."""
    picture = first(question, pictures)
    title = find_heading(picture)
    if title is None:
        return no_idea("nothing can be read near the top")
    body = _first_text(picture, title)
    text = title.text if body is None else f"{title.text}. {body.text}"
    form = _META + "YOUR ANSWER"
    said = f'{_META}{text}">' if form in question.prompt else text
    return Finding(said, "the heading and the text under it", title.box)


def _first_text(picture: Picture, title: Line) -> Line | None:
    under = picture.lines(lambda box: -4 <= box.top - title.box.bottom <= 400)
    long = [line for line in paragraphs(under) if len(line.text) >= _LONG_LINE]
    return next(iter(long), None)


def _found(asked: str, picture: Picture) -> FieldMatch | None:
    lines = picture.lines()
    row = row_asked(asked, lines)
    if row is not None:
        return FieldMatch(row.text, row.box, "the row that is asked for", 1.0)
    found = look_up(asked, lines)
    return found if found is not None and found.score >= LEAST else None


def _value(asked: str, found: FieldMatch) -> str:
    kind = kind_asked(asked)
    return value_in(found.text, kind) or found.text if kind != "number" else found.text


def _size(picture: Picture, box: Box) -> float:
    """Return the height of a line's letters, in pixels: its longest run of rows with ink."""
    if box.width <= box.height:
        return 0.0
    part = picture.cut(box).astype(np.int16)
    off = np.abs(part - np.array(ground_of(picture.pixels, box), np.int16)).max(axis=2) > _INK
    highest = band = 0
    for inked in off.any(axis=1):
        band = band + 1 if inked else 0
        highest = max(highest, band)
    return float(highest)

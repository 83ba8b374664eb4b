"""The forms in which a rater answers, and what such an answer is to a grader."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, cast

from pydantic import JsonValue

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind, Item
from snellen.grading.protocols.base import Context

LONGEST = 4000
"""The characters of a text at most."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Form(StrEnum):
    """How a rater answers."""

    OPTION = "option"
    """By choosing one of the options."""
    BOX = "box"
    """By choosing an element, or two corners of a box around it."""
    LINES = "lines"
    """By texts, one a line; none at all is an answer, too."""
    TEXT = "text"


_FORMS: Mapping[AnswerKind, Form] = MappingProxyType(
    {
        AnswerKind.CHOICE: Form.OPTION,
        AnswerKind.LABEL: Form.OPTION,
        AnswerKind.POINT: Form.BOX,
        AnswerKind.BOX: Form.BOX,
        AnswerKind.UI_TEXTS: Form.LINES,
    }
)


class Choice(NamedTuple):
    """An option: what is answered by it, and what it says."""

    value: str
    text: str


def form_of(item: Item) -> Form:
    """Return how an item is answered.

    Raises:
        DataError: A rater can't answer it: it is played in an environment.
    """
    kind = item.answer_format.kind
    if kind is AnswerKind.EPISODE:
        raise DataError(f"{item.task} is played in an environment: raters can't answer it")
    form = _FORMS.get(kind, Form.TEXT)
    return Form.TEXT if form is Form.OPTION and not item.answer_format.options else form


def choices_of(item: Item) -> Sequence[Choice]:
    """Return an item's options: of a choice the letter is answered, of a label its name."""
    options = item.answer_format.options
    if item.answer_format.kind is AnswerKind.LABEL:
        return [Choice(option, option) for option in options]
    return [Choice(letter, text) for letter, text in zip(LETTERS, options, strict=False)]


def sized(item: Item, context: Context) -> Context:
    """Return what is known of an item with its first image's size, where that says one."""
    first = next(iter(item.images), None)
    if first is None or first.width is None or first.height is None:
        return context
    if context.width and context.height:
        return context
    return context._replace(width=float(first.width), height=float(first.height))


def checked(item: Item, context: Context, given: JsonValue) -> JsonValue:
    """Return a rater's answer as it is kept.

    An option may be given by its letter or its text, lines as one text.

    Raises:
        DataError: It is no answer to this item; the message is for the rater.
    """
    match form_of(item):
        case Form.OPTION:
            return _option(item, given)
        case Form.BOX:
            return list(_box(sized(item, context), given))
        case Form.LINES:
            lines = given.splitlines() if isinstance(given, str) else given
            if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
                raise DataError("give texts, one a line")
            texts = cast("list[str]", lines)
            return [_text(line) for line in texts if line.strip()]
        case Form.TEXT:
            return _text(given)


def response_of(item: Item, context: Context, given: JsonValue) -> JsonValue:
    """Return what is graded of a rater's answer: of a box where a point is asked for, its middle.

    Raises:
        DataError: The item's answers count fractions, and nobody says how large its image is.
    """
    kind = item.answer_format.kind
    if kind not in (AnswerKind.POINT, AnswerKind.BOX):
        return given
    left, top, right, bottom = _box(context, given)
    whole = sized(item, context)
    match item.answer_format.space:
        case Space.UNIT | Space.THOUSAND as space:
            if not whole.width or not whole.height:
                raise DataError(f"{item.id}: nobody says how large its image is")
            scale = 1.0 if space is Space.UNIT else 1000.0
            across, down = scale / whole.width, scale / whole.height
            left, top, right, bottom = left * across, top * down, right * across, bottom * down
        case _:
            pass
    if kind is AnswerKind.POINT:
        return [(left + right) / 2, (top + bottom) / 2]
    return [left, top, right, bottom]


def _option(item: Item, given: JsonValue) -> str:
    said = " ".join(str(given).split())
    choices = choices_of(item)
    for choice in choices:
        if said == choice.value:
            return choice.value
    for choice in choices:
        if said.casefold() in (choice.value.casefold(), " ".join(choice.text.split()).casefold()):
            return choice.value
    raise DataError(f"{said[:40]!r} is no option; there are: {', '.join(c.value for c in choices)}")


def _text(given: JsonValue) -> str:
    text = given.strip() if isinstance(given, str) else ""
    if not text or "\0" in text:
        raise DataError("give a text; what can't be answered is skipped, with the reason")
    if len(text) > LONGEST:
        raise DataError(f"a text has up to {LONGEST:,} characters")
    return text


def _box(context: Context, given: JsonValue) -> Ltrb:
    wanted = "a box is [left, top, right, bottom] in pixels of the image"
    if not isinstance(given, list) or len(given) != 4:
        raise DataError(wanted)
    sides: list[float] = []
    for side in given:
        if isinstance(side, bool) or not isinstance(side, int | float):
            raise DataError(wanted)
        sides.append(float(side))
    left, top, right, bottom = sides
    box = (left, top, right, bottom)
    if (fault := box_fault(box)) or right <= left or bottom <= top:
        raise DataError(f"{wanted}, left of right and top above bottom{fault and f': {fault}'}")
    width, height = context.width, context.height
    if min(box) < -1 or right > (width or right) + 1 or bottom > (height or bottom) + 1:
        raise DataError(f"{wanted}, inside of it")
    # A browser's boxes reach over the edge by what it rounds.
    return max(left, 0), max(top, 0), min(right, width or right), min(bottom, height or bottom)

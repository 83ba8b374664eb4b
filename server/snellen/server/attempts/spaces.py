"""Conversion of an answer's coordinates from the space that its agent names to the item's."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from snellen.grading.actions.declaring import SPACES
from snellen.grading.models.items import AnswerKind, Item
from snellen.grading.parse.envelope import answer_in
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import robust_box, robust_point
from snellen.server.attempts.models import AnswerMeta
from snellen.server.errors import ExamError
from snellen.server.exam.spec import Question
from snellen.server.screenshots.frames import Extent, Position, read_frame


def in_asked_space(question: Question, answer: JsonValue, meta: AnswerMeta) -> JsonValue:
    """Return an answer with its point or box in the item's space; any other one as it is.

    Args:
        question: The item.
        answer: The answer, its coordinates in the space of `meta`.
        meta: The space, and the view that was seen, if the agent named them.

    Raises:
        ExamError: The answer is neither a point nor a box, or the view is missing or another
            image's.
    """
    asked = question.item.answer_format
    if asked.space is None or meta.space in (None, asked.space.value):
        return answer
    image = next((each for each in question.item.images if each.width and each.height), None)
    numbers = _numbers(answer, asked.kind)
    if image is None or numbers is None:
        raise ExamError(
            f"this item is answered in the space {asked.space.value!r}, not {meta.space!r}:"
            f" convert the coordinates, as in {asked.example}",
            field="space",
        )
    full = Extent(image.width or 0, image.height or 0)
    to_pixels = _to_pixels(question.item, meta, full)
    wide, high = SPACES[asked.space.value].extent(full) or full
    found = [to_pixels(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
    return [side for x, y in found for side in (x / full.width * wide, y / full.height * high)]


def _to_pixels(item: Item, meta: AnswerMeta, full: Extent) -> Callable[[float, float], Position]:
    """Return what brings an answer's numbers into pixels of the item's image."""
    if meta.space == "view":
        if meta.view is None:
            raise ExamError("the space 'view' needs the view's id beside it", field="view")
        frame = read_frame(meta.view)
        if frame.full != full:
            raise ExamError(f"this view does not show an image of item {item.id}", field="view")
        return frame.to_image
    wide, high = SPACES[meta.space or ""].extent(full) or full
    return lambda x, y: Position(x / wide * full.width, y / high * full.height)


def _numbers(answer: JsonValue, kind: AnswerKind) -> Sequence[float] | None:
    """Return the numbers of a point or a box; None for no such answer."""
    text = as_python_text(answer_in(answer))
    if text is None or kind not in (AnswerKind.POINT, AnswerKind.BOX):
        return None
    if kind is AnswerKind.POINT:
        point = robust_point(text)
        return None if point is None else (point.x, point.y)
    box = robust_box(text)
    return None if box is None else box.ltrb

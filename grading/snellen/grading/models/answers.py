"""The forms that an answer can take."""

from enum import StrEnum

from snellen.grading.models.base import Closed
from snellen.grading.models.geometry import Space


class AnswerKind(StrEnum):
    """What an item asks for."""

    TEXT = "text"
    CHOICE = "choice"
    UI_TEXTS = "ui_texts"
    BOXED_TEXTS = "boxed_texts"
    POINT = "point"
    BOX = "box"
    RELATIONS = "relations"
    LABEL = "label"
    TOOL_CALL = "tool_call"
    EPISODE = "episode"


class AnswerFormat(Closed):
    """What form an item's answer takes and, where it has coordinates, in which space.

    `example` is a made-up answer in that form; it gives nothing away.
    """

    kind: AnswerKind
    example: str
    options: tuple[str, ...] = ()
    space: Space | None = None

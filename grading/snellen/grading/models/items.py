"""Item: one question as an agent may see it, and the form that its answer takes."""

from enum import StrEnum
from typing import Literal, TypeAlias

from pydantic import Field

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
    ACTION = "action"
    EPISODE = "episode"


AnswerForm: TypeAlias = Literal["date", "time", "money", "number", "list", "place", "text"]
"""What the answer of an episode is, which an application may show in several ways."""


class AnswerFormat(Closed):
    """What form an item's answer takes and, where it has coordinates, in which space.

    `example` is a made-up answer in that form; it gives nothing away.
    """

    kind: AnswerKind
    example: str
    options: tuple[str, ...] = ()
    space: Space | None = None


class Image(Closed):
    """One named image of an item; width and height in pixels of the original."""

    name: str
    width: int | None = Field(default=None, gt=0)
    height: int | None = Field(default=None, gt=0)


class Item(Closed):
    """One question as an agent may see it."""

    id: str
    task: str
    prompt: str
    images: tuple[Image, ...] = ()
    answer_format: AnswerFormat
    tags: dict[str, str] = Field(default_factory=dict)

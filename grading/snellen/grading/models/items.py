"""Item: one question, as an agent may see it."""

from pydantic import Field

from snellen.grading.models.answers import AnswerFormat
from snellen.grading.models.base import Closed


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

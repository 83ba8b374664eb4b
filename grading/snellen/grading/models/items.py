"""Item, what an agent may see, and Reference, what it may not: two types that never mix."""

from pydantic import Field

from snellen.grading.models.answers import Answer, AnswerFormat
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


class Reference(Closed):
    """The gold of one item: any of `answers` is right (one a rater, or one an accepted wording).

    Its `repr` shows no answer, so that a log or a traceback gives nothing away.
    """

    item_id: str
    answers: tuple[Answer, ...] = Field(repr=False)

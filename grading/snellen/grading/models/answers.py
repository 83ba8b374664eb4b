"""The forms that an answer can take."""

from snellen.grading.models.base import Closed
from snellen.grading.models.geometry import Space
from snellen.grading.models.kinds import AnswerKind


class AnswerFormat(Closed):
    """What form an item's answer takes and, where it has coordinates, in which space.

    `example` is a made-up answer in that form; it gives nothing away.
    """

    kind: AnswerKind
    example: str
    options: tuple[str, ...] = ()
    space: Space | None = None

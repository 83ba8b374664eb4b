"""Every form that an answer to one of the five benchmarks can take."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.geometry import Box, Point, Space
from snellen.grading.models.kinds import AnswerKind


class TextAnswer(Closed):
    """Free text."""

    kind: Literal[AnswerKind.TEXT] = AnswerKind.TEXT
    text: str


class ChoiceAnswer(Closed):
    """One of the lettered options; `index` counts from 0."""

    kind: Literal[AnswerKind.CHOICE] = AnswerKind.CHOICE
    letter: str = Field(pattern=r"^[A-Z]$")

    @property
    def index(self) -> int:
        """The option's place, counted from 0."""
        return ord(self.letter) - ord("A")


class UiTextsAnswer(Closed):
    """The texts of the UI elements that hold the answer, in reading order; empty: no answer."""

    kind: Literal[AnswerKind.UI_TEXTS] = AnswerKind.UI_TEXTS
    texts: tuple[str, ...]


class BoxedText(Closed):
    """One UI element: where it is and what it says."""

    box: Box
    text: str


class BoxedTextsAnswer(Closed):
    """The UI elements that hold the answer, in reading order; empty: no answer."""

    kind: Literal[AnswerKind.BOXED_TEXTS] = AnswerKind.BOXED_TEXTS
    elements: tuple[BoxedText, ...]


class PointAnswer(Closed):
    """A point on an image."""

    kind: Literal[AnswerKind.POINT] = AnswerKind.POINT
    point: Point


class BoxAnswer(Closed):
    """A box on an image."""

    kind: Literal[AnswerKind.BOX] = AnswerKind.BOX
    box: Box


class PairRelation(Closed):
    """How the first of two named regions lies to the second."""

    first: str
    second: str
    relation: str


class RelationsAnswer(Closed):
    """The relation of every pair of regions."""

    kind: Literal[AnswerKind.RELATIONS] = AnswerKind.RELATIONS
    pairs: tuple[PairRelation, ...]


class LabelAnswer(Closed):
    """One class out of a fixed set."""

    kind: Literal[AnswerKind.LABEL] = AnswerKind.LABEL
    label: str


class ToolCallAnswer(Closed):
    """A call of a named tool."""

    kind: Literal[AnswerKind.TOOL_CALL] = AnswerKind.TOOL_CALL
    name: str
    arguments: dict[str, JsonValue]


class EpisodeAnswer(Closed):
    """How a run in an interactive environment ended.

    `success` may be partial; `cost` is what the run used and `limit` what it was allowed, both
    in `unit`.
    """

    kind: Literal[AnswerKind.EPISODE] = AnswerKind.EPISODE
    success: float = Field(ge=0, le=1)
    cost: float = Field(gt=0)
    limit: float | None = Field(default=None, gt=0)
    unit: Literal["steps", "calls", "tokens", "seconds"] = "steps"


Answer = Annotated[
    TextAnswer
    | ChoiceAnswer
    | UiTextsAnswer
    | BoxedTextsAnswer
    | PointAnswer
    | BoxAnswer
    | RelationsAnswer
    | LabelAnswer
    | ToolCallAnswer
    | EpisodeAnswer,
    Field(discriminator="kind"),
]


class AnswerFormat(Closed):
    """What form an item's answer takes and, where it has coordinates, in which space.

    `example` is a made-up answer in that form; it gives nothing away.
    """

    kind: AnswerKind
    example: str
    options: tuple[str, ...] = ()
    space: Space | None = None

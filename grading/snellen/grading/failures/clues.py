"""Clues: data about an item in addition to its gold, for the rules that need more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snellen.grading.models.geometry import Size
from snellen.grading.protocols.base import NO_CONTEXT, AnswerValue, Context, Gold


@dataclass(frozen=True, slots=True)
class Clues:
    """Data about an item, from a dataset or a run, that its gold does not contain."""

    distractors: tuple[str, ...] = ()  # the buttons that were recolored
    regions: tuple[str, ...] = ()  # the text of each region of the page
    view: Size | None = None  # the size of the image that the model saw, if it was resized


NO_CLUES = Clues()


class Failure(NamedTuple):
    """A response below the best value, the input of the rules.

    Attributes:
        response: The response, unchanged.
        answer: The answer that the protocol parsed; None if unreadable.
        gold: The reference.
        context: The item's context for parsers.
        clues: Further data about the item.
        write: Writes a reference in the protocol's form, if it has a special form.
    """

    response: object
    answer: AnswerValue | None
    gold: Gold
    context: Context = NO_CONTEXT
    clues: Clues = NO_CLUES
    write: Callable[[Gold], Sequence[object]] | None = None

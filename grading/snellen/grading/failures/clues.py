"""Clue: what is known of an item beside its gold, for the rules that need more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snellen.grading.models.geometry import Size
from snellen.grading.protocols.base import NO_CONTEXT, AnswerValue, Context, Gold


@dataclass(frozen=True, slots=True)
class Clues:
    """What a dataset or a run may know of an item that its gold does not say.

    Attributes:
        distractors: The buttons that were recolored.
        regions: The text of each region of the page.
        view: The size of the image that the model saw, where it was resized.
    """

    distractors: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    view: Size | None = None


NO_CLUES = Clues()


class Failure(NamedTuple):
    """One response below the best value, as the rules see it.

    Attributes:
        response: As it came.
        answer: What the protocol read in it; None where nothing was read.
        gold: The reference.
        context: What a parser may know of the item.
        clues: What else is known of it.
        write: How the protocol writes a reference, where it has a form of its own.
    """

    response: object
    answer: AnswerValue | None
    gold: Gold
    context: Context = NO_CONTEXT
    clues: Clues = NO_CLUES
    write: Callable[[Gold], Sequence[object]] | None = None

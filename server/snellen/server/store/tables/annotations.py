"""The tables of annotations: their items, and raters' answers."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from sqlalchemy import ForeignKey

from snellen.server.store.tables.columns import CLUSTERED, KEY, UNIQUE, Moment, table


class AnnotationMode(StrEnum):
    """The purpose of the raters' answers."""

    CHECK = "check"
    """The references exist, and are compared with the raters' answers."""
    MAKE = "make"
    """References are created from the raters' answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationRow:
    """An annotation: items of a pack that raters answer.

    Attributes:
        name: Its unique name.
        pack: SHA-256 of the items and their scoring, without references, as hexadecimal digits.
        mode: The purpose of the answers.
        note: Information for the raters, in plain text.
        created: The time of its creation.
        closed: The time when it was closed; answers are neither accepted nor corrected after it.
            None: it is open.
    """

    id: Annotated[int, KEY]
    name: Annotated[str, UNIQUE]
    pack: str
    mode: AnnotationMode
    note: str
    created: Moment
    closed: Moment | None = None


_OF_ANNOTATION = ForeignKey("annotations.id", ondelete="CASCADE")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationItemRow:
    """An item of an annotation.

    Attributes:
        wanted: The number of answers to collect; "can't tell" does not count as one.
        elements: The boxes from which a rater chooses, as JSON, in pixels of the first image.
    """

    annotation: Annotated[int, _OF_ANNOTATION, KEY]
    task: Annotated[str, KEY]
    item: Annotated[str, KEY]
    wanted: int
    elements: str = "[]"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """A rater's answer to an item. The rater can correct it until the annotation is closed.

    Attributes:
        rater: The rater: a token's name, or the rater's name in the program of an import.
        given: The answer as JSON; None: the rater can't tell.
        reason: The reason why the rater can't tell; empty if there is an answer.
        at: The time of the answer, or of its last correction.
        source: The source: `page`, or the program from which it was imported.
        corrected: The number of corrections.
    """

    annotation: Annotated[int, _OF_ANNOTATION, KEY]
    task: Annotated[str, KEY]
    item: Annotated[str, KEY]
    rater: Annotated[str, KEY]
    given: str | None = field(repr=False)
    reason: str
    at: Moment
    source: str
    corrected: int = 0


annotations = table("annotations", AnnotationRow)
annotation_items = table("annotation_items", AnnotationItemRow, options=CLUSTERED)
ratings = table("ratings", RatingRow, options=CLUSTERED)

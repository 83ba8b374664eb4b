"""The tables of annotations: their items, and raters' answers."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from sqlalchemy import ForeignKey

from snellen.server.store.tables.columns import CLUSTERED, KEY, UNIQUE, Moment, table


class AnnotationMode(StrEnum):
    """What raters' answers are for."""

    CHECK = "check"
    """References are there, and are compared with what raters answer."""
    MAKE = "make"
    """References are made of what raters answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationRow:
    """Items of a pack that raters answer.

    Attributes:
        name: What it is called.
        pack: SHA-256 of what the pack asks, as hexadecimal digits.
        mode: What the answers are for.
        note: What raters are to know, in plain text.
        created: When it was created.
        closed: When it was closed: from then on no answer is taken or corrected; None: it is open.
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
        wanted: How many raters are to answer it; who can't tell does not count.
        elements: The boxes that a rater chooses from, as JSON, in pixels of the first image.
    """

    annotation: Annotated[int, _OF_ANNOTATION, KEY]
    task: Annotated[str, KEY]
    item: Annotated[str, KEY]
    wanted: int
    elements: str = "[]"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """A rater's answer to an item: one, which may be corrected until the annotation is closed.

    Attributes:
        rater: Who answered: a token's name, or who it was in the program it was imported from.
        given: The answer as JSON; None: the rater can't tell.
        reason: Why not; empty where there is an answer.
        at: When it was given, or corrected last.
        source: Where: `page`, or the program that it was imported from.
        corrected: How often it was corrected.
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

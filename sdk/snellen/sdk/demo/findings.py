"""What the agent says to a question: an answer, or that it has no idea; and why."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from snellen.sdk.exam.client import ExamItem
from snellen.sdk.ocr.pictures import Box, Picture


@dataclass(frozen=True, slots=True)
class Finding:
    """What is said to a question.

    Attributes:
        answer: In the item's form; None: no idea, so nothing is handed in.
        why: In a few words, for whoever reads the log.
        seen: Where on the first image it was read.
    """

    answer: JsonValue
    why: str
    seen: Box | None = None


def no_idea(why: str) -> Finding:
    """Say that there is no idea."""
    return Finding(None, why)


def first(question: ExamItem, pictures: Mapping[str, Picture]) -> Picture:
    """Return a question's first picture."""
    return pictures[question.images[0].name]

"""What the agent says to a question: an answer, or that it has no idea; and why."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from snellen.sdk.demo.exams import Question
from snellen.sdk.ocr.pictures import Box, Picture


@dataclass(frozen=True, slots=True)
class Said:
    """What is said to a question.

    Attributes:
        answer: In the item's form; None: no idea, so nothing is handed in.
        why: In a few words, for whoever reads the log.
        seen: Where on the first image it was read.
    """

    answer: JsonValue
    why: str
    seen: Box | None = None


def no_idea(why: str) -> Said:
    """Say that there is no idea."""
    return Said(None, why)


def first(question: Question, pictures: Mapping[str, Picture]) -> Picture:
    """Return a question's first picture."""
    return pictures[question.images[0].name]

"""The agent's results for questions: an answer or none, with a reason."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from snellen.demo.ocr.pictures import Box, Picture
from snellen.sdk.exam.client import ExamItem


@dataclass(frozen=True, slots=True)
class Finding:
    """The agent's result for a question.

    Attributes:
        answer: The answer in the item's format; None: no answer, so nothing is submitted.
        why: A short reason, for the log.
        seen: The box on the first image in which it was read.
    """

    answer: JsonValue
    why: str
    seen: Box | None = None


def no_idea(why: str) -> Finding:
    """Return a result without an answer."""
    return Finding(None, why)


def first(question: ExamItem, pictures: Mapping[str, Picture]) -> Picture:
    """Return a question's first picture."""
    return pictures[question.images[0].name]

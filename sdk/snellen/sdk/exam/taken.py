"""An exam that an agent took: its report, and the answer to each item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from snellen.sdk.exam.client import ExamItem


@dataclass(frozen=True, slots=True)
class Step:
    """An agent's result for one item.

    Attributes:
        question: The item.
        answer: The answer in the item's format; None: none was submitted.
        why: A short reason for the answer, or for none.
        thumbnail: The first image as a small WebP; None: it was not looked at.
        value: The score of the answer, 0..1, if the exam returns it at once.
        note: The reason why the exam refused the answer; empty if it did not.
        seconds: The duration, in seconds.
    """

    question: ExamItem
    answer: JsonValue
    why: str = ""
    thumbnail: bytes | None = field(default=None, repr=False)
    value: float | None = None
    note: str = ""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the answer with its question as JSON, without the image."""
        return {
            "item": self.question.id,
            "task": self.question.task,
            "prompt": self.question.prompt,
            "answer": self.answer,
            "why": self.why,
            "value": self.value,
            "note": self.note,
            "seconds": round(self.seconds, 2),
        }


@dataclass(frozen=True, slots=True)
class AttemptLog:
    """A finished attempt: the exam's report and the agent's steps."""

    report: Mapping[str, Any]
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class Row:
    """The scores of a task: the agent with the images and without, and chance."""

    task: str  # the task's id
    items: int  # the number of items
    answered: int  # the number of items that the agent answered
    metric: str  # the metric of the values; empty if answers are graded elsewhere
    value: float | None = None  # the agent's score over all items, 0..1
    low: float | None = None  # the lower end of its 95 % interval
    high: float | None = None  # the upper end
    blind: float | None = None  # the agent's score without the images
    chance: float | None = None  # the score of a random choice, if known


@dataclass(frozen=True, slots=True)
class TakenExam:
    """An exam that an agent took, once or once more without the images."""

    taken: AttemptLog  # the attempt with the images
    blind: AttemptLog | None  # the attempt without the images; None: there was none
    seconds: float  # the duration of both, in seconds
    agent: str  # the agent's name
    baseline: bool = False  # whether it is the included baseline agent

    @property
    def rows(self) -> Sequence[Row]:
        """The tasks, in the report's order."""
        blind: dict[str, Any] = {}
        if self.blind is not None:
            blind = {task["task"]: task for task in self.blind.report["tasks"]}
        return [_row(task, blind.get(task["task"])) for task in self.taken.report["tasks"]]

    def as_json(self) -> dict[str, Any]:
        """Return both reports, and the agent's answer and reason for each item, as JSON."""
        return {
            "agent": self.agent,
            "seconds": round(self.seconds, 1),
            "report": dict(self.taken.report),
            "blind_report": None if self.blind is None else dict(self.blind.report),
            "steps": [step.as_json() for step in self.taken.steps],
        }


def _row(seen: Mapping[str, Any], blind: Mapping[str, Any] | None) -> Row:
    interval: dict[str, float] = seen.get("interval") or {}
    return Row(
        task=seen["task"],
        items=seen["items"],
        answered=seen["answered"],
        metric=seen.get("metric") or "",
        value=seen.get("value"),
        low=interval.get("low"),
        high=interval.get("high"),
        blind=None if blind is None else blind.get("value"),
        chance=seen.get("chance"),
    )

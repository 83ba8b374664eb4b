"""What single answers are worth: for feedback in practice, and to find the best of several."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from pydantic import JsonValue

from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.table import protocol_of
from snellen.server.attempts.models import Feedback
from snellen.tasks.models import TaskData


@dataclass(frozen=True, slots=True)
class Scorer:
    """A task's protocol, made ready once for all of its items."""

    data: TaskData = field(repr=False)
    grader: Grader = field(repr=False)

    @classmethod
    def of(cls, data: TaskData, protocol: str) -> "Scorer":
        """Prepare a protocol, by its id and version, for a task."""
        return cls(data, data.grader(protocol_of(data.task, protocol)))

    def feedback(self, item: str, response: JsonValue) -> Feedback:
        """Say what one answer is worth."""
        columns = self._columns([item], [response])
        metric = self.grader.protocol.metric
        value = float(columns.values[0][metric.keys.index(metric.primary)])
        outcome = OUTCOMES[int(columns.outcomes[0])].value
        found = Feedback(metric=metric.primary, value=value, outcome=outcome)
        if columns.notes.get(0):
            found["note"] = columns.notes[0]
        return found

    def error(self, note: str) -> Feedback:
        """Say that an answer is not graded, and why."""
        primary = self.grader.protocol.metric.primary
        return Feedback(metric=primary, value=0.0, outcome=Outcome.ERROR.value, note=note)

    def values(self, items: Sequence[str], responses: Sequence[JsonValue]) -> Sequence[float]:
        """Return the primary metric of each answer; items may come several times."""
        metric = self.grader.protocol.metric
        columns = self._columns(items, responses)
        return columns.values[:, metric.keys.index(metric.primary)].tolist()

    def _columns(self, items: Sequence[str], responses: Sequence[JsonValue]) -> Columns:
        places = np.array([self.data.index[item] for item in items], dtype=np.int64)
        return self.grader.batch(Answers(places, [0] * len(items), responses))

"""Which answers of an attempt count: one an item, by the rule of the exam."""

import json
from collections.abc import Collection, Iterable, Sequence, Set
from typing import Any, NamedTuple

from pydantic import JsonValue

from snellen.grading.models.scores import Submission
from snellen.server.attempts.scoring import Scorer
from snellen.server.exam.rules import Counting
from snellen.server.screenshots.frames import read_frame
from snellen.server.store.rows import TraceRow

IMAGE_FAULT = "an image of this item could not be shown: a fault of the exam"


class Recorded(NamedTuple):
    """One answer as the store has it."""

    item: str
    number: int
    response: JsonValue
    client: str
    meta: dict[str, JsonValue]

    @classmethod
    def of(cls, row: Any) -> "Recorded":  # noqa: ANN401  # a Row
        """Read a row of the store."""
        return cls(row.item, row.number, json.loads(row.response), row.holder, json.loads(row.meta))

    def submission(self, model: str | None, error: str | None = None) -> Submission:
        """Return it as it is graded; with an error it is kept and not graded."""
        return Submission(
            item_id=self.item,
            response=self.response,
            model=model,
            error=error,
            meta={"client": self.client, "number": self.number, **self.meta},
        )


class Counted(NamedTuple):
    """The answers to one task that count.

    Attributes:
        task: The task's id.
        protocol: The protocol's id and version.
        items: The ids that were asked, in the pack's order.
        submissions: One an item, in the same order; empty where no answer came.
    """

    task: str
    protocol: str
    items: Sequence[str]
    submissions: Sequence[Submission]

    def lines(self) -> str:
        """Write the submissions as JSON, one a line, each with its task."""
        task = json.dumps(self.task)
        return "".join(
            f'{{"task":{task},'
            + submission.model_dump_json(exclude_defaults=True, exclude={"response"})[1:-1]
            + f',"response":{json.dumps(submission.response, ensure_ascii=False)}}}\n'
            for submission in self.submissions
        )


def count(
    items: Sequence[str],
    given: Sequence[Recorded],
    counting: Counting,
    model: str | None,
    scorer: Scorer | None,
    faulty: Collection[str] = (),
) -> Sequence[Submission]:
    """Return one submission an item: the answer that counts, or an empty one where none came.

    Args:
        items: The items, in the order wanted.
        given: The answers, of each item in the order in which they were given.
        counting: The rule.
        model: Who answered.
        scorer: Tells what answers are worth; needed for the best of several only.
        faulty: The items of which an image could not be shown: errors, whatever was answered.
    """
    by_item: dict[str, list[Recorded]] = {}
    for answer in given:
        by_item.setdefault(answer.item, []).append(answer)
    if counting is Counting.BEST and scorer is not None:
        kept = _best(by_item, scorer)
    else:
        place = 0 if counting is Counting.FIRST else -1
        kept = {item: answers[place] for item, answers in by_item.items()}
    errors = dict.fromkeys(faulty, IMAGE_FAULT)
    return [
        kept[item].submission(model, errors.get(item))
        if item in kept
        else Submission(item_id=item, model=model, error=errors.get(item))
        for item in items
    ]


class Fault(NamedTuple):
    """An item of which an image could not be shown."""

    task: str
    item: str


def faults(rows: Iterable[TraceRow]) -> Set[Fault]:
    """Return the items of which an image could not be shown, and was not shown later either.

    Args:
        rows: The traces of such items, in the order of the calls.
    """
    hidden: set[tuple[Fault, str]] = set()
    for row in rows:
        fault, detail = Fault(row.task, row.item), json.loads(row.detail)
        if "fault" in detail:
            hidden.add((fault, detail["fault"]))
        for view in detail.get("views", ()):
            hidden.discard((fault, read_frame(view).image))
    return {fault for fault, _ in hidden}


def _best(by_item: dict[str, list[Recorded]], scorer: Scorer) -> dict[str, Recorded]:
    several = [answer for answers in by_item.values() if len(answers) > 1 for answer in answers]
    kept = {item: answers[0] for item, answers in by_item.items()}
    values = scorer.values([a.item for a in several], [a.response for a in several])
    best: dict[str, float] = {}
    for answer, value in zip(several, values, strict=True):
        if value > best.get(answer.item, -1.0):
            best[answer.item], kept[answer.item] = value, answer
    return kept

"""Which answers of an attempt count: one an item, by the rule of the exam."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import JsonValue

from snellen.grading.models.scores import Submission
from snellen.server.rules import Counting
from snellen.server.scoring import Scorer


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

    def submission(self, model: str | None) -> Submission:
        """Return it as it is graded."""
        return Submission(
            item_id=self.item,
            response=self.response,
            model=model,
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
) -> Sequence[Submission]:
    """Return one submission an item: the answer that counts, or an empty one where none came.

    Args:
        items: The items, in the order wanted.
        given: The answers, of each item in the order in which they were given.
        counting: The rule.
        model: Who answered.
        scorer: Tells what answers are worth; needed for the best of several only.
    """
    by_item: dict[str, list[Recorded]] = {}
    for answer in given:
        by_item.setdefault(answer.item, []).append(answer)
    if counting is Counting.BEST and scorer is not None:
        kept = _best(by_item, scorer)
    else:
        place = 0 if counting is Counting.FIRST else -1
        kept = {item: answers[place] for item, answers in by_item.items()}
    return [
        kept[item].submission(model) if item in kept else Submission(item_id=item, model=model)
        for item in items
    ]


def _best(by_item: dict[str, list[Recorded]], scorer: Scorer) -> dict[str, Recorded]:
    several = [answer for answers in by_item.values() if len(answers) > 1 for answer in answers]
    kept = {item: answers[0] for item, answers in by_item.items()}
    values = scorer.values([a.item for a in several], [a.response for a in several])
    best: dict[str, float] = {}
    for answer, value in zip(several, values, strict=True):
        if value > best.get(answer.item, -1.0):
            best[answer.item], kept[answer.item] = value, answer
    return kept

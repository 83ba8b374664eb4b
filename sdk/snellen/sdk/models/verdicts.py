"""The prompts for a judge about a report's responses, and its verdicts."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.grading.judging.rubrics import Rubric
from snellen.grading.judging.verdicts import NO_VERDICT, Case, read_verdict, render, settle
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.table import gold_shape
from snellen.sdk.models.clients import Ask, ModelClient
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import Answer, ItemQuestions, Question
from snellen.sdk.models.replies import fixed, short
from snellen.sdk.report import Report
from snellen.sdk.scored import intake_of
from snellen.sdk.submissions import Source, read
from snellen.tasks.models import TaskData

_PLACES = frozenset(
    {
        AnswerKind.POINT,
        AnswerKind.BOX,
        AnswerKind.BOXED_TEXTS,
        AnswerKind.ACTION,
        AnswerKind.EPISODE,
    }
)
"""The kinds of answers that a metric can measure but a judge of texts can't see."""

_TRIES = 3
"""The maximum number of replies without a verdict; after them, the response has no verdict."""

_REASONS = 10

_FORMAT = AnswerFormat(kind=AnswerKind.TEXT, example='{"verdict": 0}')


@dataclass(frozen=True, slots=True)
class ResponseCase:
    """A response to judge.

    Attributes:
        cell: The index of its score in the report.
        item_id: The item's id.
        case: The question, references and response for the judge.
    """

    cell: int
    item_id: str
    case: Case = field(repr=False)


@dataclass(frozen=True, slots=True)
class Cases:
    """The responses of a report for a judge. Arrays have one element per score of the report.

    Attributes:
        responses: The responses by their names in a run folder: the item's id and, if there are
            several attempts, the attempt.
        asked: Whether a score has a response to judge.
        selected: Whether the item of a score is selected.
        lengths: The responses' lengths in characters.
        data: The items.
        left_out: The number of items that are left out because their answers are places.
    """

    responses: Mapping[str, ResponseCase] = field(repr=False)
    asked: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    data: TaskData
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts of a judge.

    Attributes:
        levels: The settled verdicts, by the score's index.
        faults: The most frequent reasons for missing verdicts, with their counts.
        unanimous: The share of the settled verdicts on which all votes agree.
    """

    levels: Mapping[int, int]
    faults: dict[str, int]
    unanimous: float | None


def read_verdicts(source: Source, cases: Cases, rubric: Rubric, votes: int) -> Verdicts:
    """Read a judge's replies and settle the votes."""
    given: dict[int, list[int]] = {}
    faults: Counter[str] = Counter()
    for batch in read(source, guess=False):
        errors = batch.errors or [None] * len(batch.item_ids)
        for name, reply, error in zip(batch.item_ids, batch.responses, errors, strict=True):
            if error is not None:
                faults[_reason(error)] += 1
                continue
            try:
                level = read_verdict(str(reply), rubric)
            except InputError as fault:
                faults[_reason(fault.message)] += 1
                continue
            given.setdefault(cases.responses[name].cell, []).append(level)
    settled = {cell: settle(levels, votes) for cell, levels in given.items()}
    levels = {cell: level for cell, level in settled.items() if level is not None}
    alike = sum(len(set(given[cell])) == 1 for cell in levels)
    return Verdicts(
        levels, dict(faults.most_common(_REASONS)), alike / len(levels) if levels else None
    )


def cases_of(report: Report, chosen: NDArray[np.bool_]) -> Cases:
    """Collect the responses of a report for a judge.

    Args:
        report: The report, with its scores and its data.
        chosen: The mask of the items to judge.

    Raises:
        InputError: The report was graded against references without questions, its answers are
            places instead of texts, or no selected item has a response.
    """
    intake = intake_of(report)
    selection = None if intake is None else intake.selection
    if selection is None or selection.data is None:
        raise InputError(
            "a judge needs the questions: judge a report that was graded against data, not against"
            " references alone"
        )
    data, table = selection.data, report.scores
    prompts: dict[int, str] = {}
    for index in np.flatnonzero(chosen).tolist():
        item = data.item(table.ids[index])
        if item.answer_format.kind not in _PLACES:
            prompts[index] = item.prompt
    left_out = int(chosen.sum()) - len(prompts)
    if not prompts:
        raise InputError(
            "the answers are places on the screen or episodes: a judge of texts can't assess them;"
            " use the task's metric"
        )
    responses = gold_shape(report.task).responses
    attempts = len(table.attempts)
    selected = np.repeat([index in prompts for index in range(len(chosen))], attempts)
    cases: dict[str, ResponseCase] = {}
    asked = np.zeros(len(table), dtype=np.bool_)
    lengths = np.zeros(len(table), dtype=np.int64)
    for cell in np.flatnonzero(selected).tolist():
        score = table[cell]
        text = _text(score.response)
        if score.outcome in (Outcome.MISSING, Outcome.ERROR) or not text.strip():
            continue
        index = cell // attempts
        item_id = table.ids[index]
        references = tuple(map(_text, responses(selection.golds[index])))
        name = f"{item_id}@{score.attempt}" if attempts > 1 else item_id
        cases[name] = ResponseCase(cell, item_id, Case(prompts[index], references, fixed(text)))
        asked[cell] = True
        lengths[cell] = len(text)
    if not cases:
        raise InputError("there is no response to judge")
    return Cases(cases, asked, selected, lengths, data, left_out)


class JudgeQuestions:
    """The questions for a judge: one per response, with the rubric's prompt.

    Attributes:
        ids: The responses' names.
        prompts: The prompts by these names.
    """

    def __init__(
        self, cases: Cases, rubric: Rubric, *, with_images: bool, max_view_side: int | None
    ) -> None:
        self.ids: Sequence[str] = list(cases.responses)
        self._responses = cases.responses
        self._items = ItemQuestions(
            cases.data, (), with_images=with_images, max_view_side=max_view_side
        )
        prompts = [fixed(render(rubric, each.case)) for each in cases.responses.values()]
        self.prompts = dict(zip(self.ids, prompts, strict=True))

    async def make(self, item_id: str) -> Question:
        """Return the question of a response, with the images of its item."""
        source = await self._items.make(self._responses[item_id].item_id)
        item = Item(
            id=item_id,
            task=source.item.task,
            prompt=self.prompts[item_id],
            images=source.item.images if source.images else (),
            answer_format=_FORMAT,
        )
        return Question(item, item.prompt, source.images)


class VerdictClient:
    """A model client that accepts only verdicts as answers; other replies are faults."""

    def __init__(self, model: ModelClient, rubric: Rubric) -> None:
        self.name = model.name
        self.api = model.api
        self.base_url = model.base_url
        self.decoding: Mapping[str, JsonValue] = model.decoding
        self._model = model
        self._rubric = rubric

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[Ask]:
        """Open the connection of one worker."""
        async with self._model.connect() as ask:
            last: Question | None = None
            unread = 0

            async def verdict(question: Question) -> Answer:
                nonlocal last, unread
                # A worker repeats a question until it has an answer or gives up.
                unread = unread if question is last else 0
                last = question
                try:
                    answer = await ask(question)
                except Fault as fault:
                    # `kept` is saved with reports, and a message can quote references of a prompt.
                    fault.kept = fault.kind
                    raise
                try:
                    read_verdict(answer.text, self._rubric)
                except InputError as error:
                    cut = f"{NO_VERDICT} (cut at max_tokens)" if answer.cut else NO_VERDICT
                    message = error.message.replace(NO_VERDICT, cut, 1)
                    unread += 1
                    raise Fault(short(message), passing=unread < _TRIES) from None
                return answer

            yield verdict


def _reason(fault: str) -> str:
    """Return the reason for a missing verdict without the reply, which may quote a reference."""
    return fault.partition(":")[0] if fault.startswith(NO_VERDICT) else fault


def _text(value: object) -> str:
    """Write a response or a reference as text: text unchanged, other values as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()

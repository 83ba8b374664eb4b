"""Putting responses to a judge: an evaluation whose questions are the rubric's."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from snellen.grading.errors import DataError, InputError
from snellen.grading.judging.prompting import Case, render
from snellen.grading.judging.rubrics import Rubric
from snellen.grading.judging.verdicts import NO_VERDICT, read_verdict, settle
from snellen.grading.models.answers import AnswerFormat, AnswerKind
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import Item
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.models.runs import Run, Usage
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.sdk.models.clients import Ask, Asked, model_of
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.faults import EvaluationInterrupted, Fault
from snellen.sdk.models.keepers import ANSWERS
from snellen.sdk.models.preparing import Evaluation, Wanted
from snellen.sdk.models.questions import Answer, Model, Question
from snellen.sdk.models.replies import mended, short
from snellen.sdk.models.settings import Decoding, Limits
from snellen.sdk.reports import Report, intake_of
from snellen.sdk.selection import Selection
from snellen.sdk.submissions import Source, read
from snellen.tasks.models import TaskData
from snellen.tasks.pins import digest_of

_PLACES = frozenset({AnswerKind.POINT, AnswerKind.BOX, AnswerKind.BOXED_TEXTS, AnswerKind.EPISODE})
"""Answers that a metric can measure and a reader of texts can't see."""

_TRIES = 3
"""So many replies that are no verdict are taken from a judge before it has given none."""

_REASONS = 10

_FORMAT = AnswerFormat(kind=AnswerKind.TEXT, example='{"verdict": 0}')


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedJudge:
    """How a judge is asked; `snellen.sdk.models.judge.judge` says what each field is."""

    judge: Model | str | Endpoint
    name: str | None
    votes: int
    with_images: bool
    max_view_side: int | None
    decoding: Decoding | None
    limits: Limits
    run: str | Path | None
    cache: bool | str | Path | None
    progress: bool | None


@dataclass(frozen=True, slots=True)
class Cells:
    """The scores of a report as a judge meets them: arrays (items x attempts,).

    Attributes:
        cases: What the judge is shown, by the score's place.
        ids: Their items' ids.
        names: What each is called in a run folder: the item's id and, where there are several, the
            attempt.
        asked: Which scores have a response to judge.
        selected: Which scores' items were selected.
        lengths: The responses' lengths in characters.
        data: The items.
        left_out: How many items were left out because their answers are places.
    """

    cases: Mapping[int, Case] = field(repr=False)
    ids: Mapping[int, str] = field(repr=False)
    names: Mapping[int, str] = field(repr=False)
    asked: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    data: TaskData
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Heard:
    """What a judge said.

    Attributes:
        levels: Its settled verdicts, by the score's place.
        faults: Why there was no verdict, and how often: the commonest reasons.
        unanimous: The share of the settled verdicts on which all votes agree.
    """

    levels: Mapping[int, int]
    faults: dict[str, int]
    unanimous: float | None


@dataclass(frozen=True, slots=True)
class Sitting:
    """A judge and all that it is to be asked.

    Attributes:
        rubric: By what it judges.
        votes: How often it is asked about each response.
        with_images: Whether it sees the images.
        digest: The SHA-256 of all prompts.
        evaluation: What asks it.
        places: The score of each name.
    """

    rubric: Rubric
    votes: int
    with_images: bool
    digest: str
    evaluation: Evaluation
    places: Mapping[str, int] = field(repr=False)

    async def ask(self) -> Usage:
        """Ask what has no verdict yet; see `Evaluation.ask`."""
        return await self.evaluation.ask()

    def interrupted(self) -> EvaluationInterrupted:
        """Return what says that somebody stopped it, and how to go on."""
        return self.evaluation.interrupted()

    def run(self, usage: Usage) -> Run:
        """Return how the judge was asked."""
        model = self.evaluation.model
        return Run(
            model=model.name,
            api=model.api,
            base_url=model.base_url,
            prompt=self.rubric.id,
            max_view_side=self.evaluation.wanted.max_view_side,
            decoding=dict(model.decoding),
            usage=usage,
        )

    def heard(self) -> Heard:
        """Read and settle what the judge replied."""
        votes: dict[int, list[int]] = {}
        faults: Counter[str] = Counter()
        folder = self.evaluation.wanted.run
        source: Source = (
            self.evaluation.memory.records if folder is None else Path(folder) / ANSWERS
        )
        for batch in read(source, guess=False):
            errors = batch.errors or [None] * len(batch.item_ids)
            for name, reply, error in zip(batch.item_ids, batch.responses, errors, strict=True):
                if error is not None:
                    faults[_reason(error)] += 1
                    continue
                try:
                    level = read_verdict(str(reply), self.rubric)
                except InputError as fault:
                    faults[_reason(fault.message)] += 1
                    continue
                votes.setdefault(self.places[name], []).append(level)
        settled = {cell: settle(given, self.votes) for cell, given in votes.items()}
        levels = {cell: level for cell, level in settled.items() if level is not None}
        alike = sum(len(set(votes[cell])) == 1 for cell in levels)
        return Heard(
            levels, dict(faults.most_common(_REASONS)), alike / len(levels) if levels else None
        )


def cells_of(report: Report, chosen: NDArray[np.bool_]) -> Cells:
    """Gather what a judge is shown of a report.

    Args:
        report: With its scores and its data.
        chosen: Which items are to be judged.

    Raises:
        InputError: The report was graded against references without questions, its answers are
            places and no texts, or nothing selected has a response.
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
    for place in np.flatnonzero(chosen).tolist():
        item = data.item(table.ids[place])
        if item.answer_format.kind not in _PLACES:
            prompts[place] = item.prompt
    left_out = int(chosen.sum()) - len(prompts)
    if not prompts:
        raise InputError(
            "the answers are places on the screen or episodes: the metric measures them, and a"
            " judge of texts can't see them"
        )
    responses = gold_shape(report.task).responses
    attempts = len(table.attempts)
    selected = np.repeat([place in prompts for place in range(len(chosen))], attempts)
    cases: dict[int, Case] = {}
    ids: dict[int, str] = {}
    names: dict[int, str] = {}
    lengths = np.zeros(len(table), dtype=np.int64)
    for cell in np.flatnonzero(selected).tolist():
        score = table[cell]
        text = _text(score.response)
        if score.outcome in (Outcome.MISSING, Outcome.ERROR) or not text.strip():
            continue
        place = cell // attempts
        item_id = table.ids[place]
        references = tuple(map(_text, responses(selection.golds[place])))
        cases[cell] = Case(prompts[place], references, mended(text))
        ids[cell] = item_id
        names[cell] = f"{item_id}@{score.attempt}" if attempts > 1 else item_id
        lengths[cell] = len(text)
    if not cases:
        raise InputError("there is no response to judge")
    asked = np.zeros(len(table), dtype=np.bool_)
    asked[list(cases)] = True
    return Cells(cases, ids, names, asked, selected, lengths, data, left_out)


def sit(report: Report, cells: Cells, rubric: Rubric, wanted: WantedJudge) -> Sitting:
    """Make a judge ready; everything that can be checked has been, and nothing was asked yet.

    Raises:
        InputError: An argument can't be used.
        DataError: The judge is to see images, and the data holds none.
    """
    if wanted.with_images and cells.data.load_image is None:
        raise DataError("the judge is to see the images, and the data was loaded without them")
    if wanted.max_view_side is not None and wanted.max_view_side < 1:
        raise InputError(
            f"it must be at least 1, not {wanted.max_view_side}", field="max_view_side"
        )
    prompts = [mended(render(rubric, case)) for case in cells.cases.values()]
    digest = digest_of(prompts)
    asked = _Asked(cells, prompts, with_images=wanted.with_images)
    pin = DataPin(release="prompts", sha256=digest, count=len(prompts), verdict=PinVerdict.UNKNOWN)
    data = TaskData(
        task=report.task,
        split=report.split or "",
        ids=asked.names,
        golds=Golds(),
        pin=pin,
        build_item=asked.item,
        load_image=asked.image,
    )
    model = model_of(wanted.judge, wanted.name, wanted.decoding, wanted.limits)
    evaluation = Evaluation(
        Wanted(
            task=report.task,
            model=wanted.judge,
            data=data,
            name=wanted.name,
            images=None if wanted.with_images else False,
            max_view_side=wanted.max_view_side,
            prompt=None,
            split=None,
            items=None,
            attempts=wanted.votes,
            protocol=None,
            embedder=None,
            decoding=wanted.decoding,
            limits=wanted.limits,
            run=wanted.run,
            cache=wanted.cache,
            progress=wanted.progress,
        ),
        data,
        Selection(
            report.task, data.ids, data.golds, (), data.raters, pin, split=report.split, data=data
        ),
        protocol_of(report.task, report.protocol),
        _Strict(model, rubric),
        f"{rubric.id}{'+images' if wanted.with_images else ''}",
    )
    places = {name: cell for cell, name in cells.names.items()}
    return Sitting(rubric, wanted.votes, wanted.with_images, digest, evaluation, places)


class _Asked:
    """The rubric's prompts as items, with the images of the items that were answered."""

    def __init__(self, cells: Cells, prompts: Sequence[str], *, with_images: bool) -> None:
        self.names = list(cells.names.values())
        self._ids = list(cells.ids.values())
        self._prompts = prompts
        self._data = cells.data
        self._with_images = with_images

    def item(self, place: int) -> Item:
        source = self._data.item(self._ids[place])
        return Item(
            id=self.names[place],
            task=source.task,
            prompt=self._prompts[place],
            images=source.images if self._with_images else (),
            answer_format=_FORMAT,
        )

    def image(self, place: int, name: str) -> bytes:
        return self._data.image(self._ids[place], name)


class _Strict:
    """A model that has answered only when it gave a verdict: all else is a fault."""

    def __init__(self, model: Asked, rubric: Rubric) -> None:
        self.name = model.name
        self.api = model.api
        self.base_url = model.base_url
        self.decoding: Mapping[str, JsonValue] = model.decoding
        self._model = model
        self._rubric = rubric

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[Ask]:
        async with self._model.connect() as ask:
            last: Question | None = None
            unread = 0

            async def verdict(question: Question) -> Answer:
                nonlocal last, unread
                # A worker asks one question until it is done with it.
                unread = unread if question is last else 0
                last = question
                try:
                    answer = await ask(question)
                except Fault as fault:
                    # What is kept is saved with reports, and a prompt holds references.
                    fault.kept = fault.kind
                    raise
                try:
                    read_verdict(answer.text, self._rubric)
                except InputError as error:
                    told = f"{NO_VERDICT} (cut at max_tokens)" if answer.cut else NO_VERDICT
                    message = error.message.replace(NO_VERDICT, told, 1)
                    unread += 1
                    raise Fault(short(message), passing=unread < _TRIES) from None
                return answer

            yield verdict


def _reason(fault: str) -> str:
    """Return why there was no verdict, without the reply: a judge may quote a reference."""
    return fault.partition(":")[0] if fault.startswith(NO_VERDICT) else fault


def _text(value: object) -> str:
    """Write a response or a reference as text: text as it is, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()

"""Evaluation of a model: send it every item, save its answers, grade them."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

from snellen.grading.errors import DataError, InputError
from snellen.grading.models.items import Item
from snellen.grading.models.runs import Usage
from snellen.grading.protocols.base import Protocol
from snellen.sdk.data.intake import Intake
from snellen.sdk.data.selection import Data, Selection, select
from snellen.sdk.local import choose, grade_answers
from snellen.sdk.models.ask import Session
from snellen.sdk.models.clients import client_of
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.questions import ItemQuestions, Model
from snellen.sdk.models.settings import Asking, AskingOptions
from snellen.sdk.progress import watched
from snellen.sdk.report import Report
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.views import view

_WITHOUT_IMAGES = "+no-images"


class EvaluationOptions(AskingOptions, total=False):
    """The optional keyword arguments of `evaluate`."""

    images: str | Path | Literal[False] | None
    prompt: str | None
    split: str | None
    items: Iterable[str] | None
    attempts: int
    protocol: str | None
    embedder: str | None


def evaluate(
    task: str | None = None,
    *,
    model: Model | str | Endpoint,
    data: Data,
    **options: Unpack[EvaluationOptions],
) -> Report:
    """Run a model on every item, each in a separate request, and grade its answers.

    Args:
        task: The task's id, such as `screenqa/short`; optional if `data` was loaded.
        model: An async function from a `Question` to text, the base URL of an API with OpenAI's
            chat completions, or an `Endpoint`.
        data: The published folder or file, or the result of `sdk.load`.
        **options: Any of these:

            name: The model's name, for a base URL; for a function, its name in the report.
            images: A folder of images, if the data does not contain them; False sends no images:
                a blind baseline, which the report states.
            max_view_side: Scale images down so that no side is longer, in pixels; None sends them
                unchanged.
            prompt: The name of one of the task's prompts; None: its first one.
            split: The split of the data; None: `test` if there is one.
            items: The ids of the items; None: all of the split.
            attempts: The number of attempts per item; one by default.
            protocol: As for `grade`.
            embedder: As for `grade`.
            decoding: The decoding parameters; None: `Decoding()`. For a function: the parameters
                that it uses, for the record.
            limits: Concurrency, rates, retries and timeouts; `Limits()` by default.
            run: A folder that saves each answer at once. With the same folder, the run resumes:
                items with an answer are not sent again, errors are.
            cache: True, False or the cache's file. None: only for a hosted API (https) at
                temperature 0.
            progress: Show the progress on standard error; None: on a terminal.

    Returns:
        The report; its `run` describes the requests and their cost.

    Raises:
        InputError: An argument can't be used, or the run folder has other settings.
        DataError: The data or its images can't be read.
        EvaluationStoppedError: The server rejects the requests, can't be reached, requests too long
            a wait, or gives no answers for too long; or a fault occurred after answers came.
        EvaluationInterrupted: Ctrl-C; earlier answers are saved.
    """
    evaluation = _prepare(task, model, data, **options)
    return evaluation.report(evaluation.session.ask_blocking())


async def evaluate_async(
    task: str | None = None,
    *,
    model: Model | str | Endpoint,
    data: Data,
    **options: Unpack[EvaluationOptions],
) -> Report:
    """Run a model on every item and grade its answers, from async code; see `evaluate`.

    Cancellation stops the run; earlier answers are in the run folder.
    """
    evaluation = await asyncio.to_thread(_prepare, task, model, data, **options)
    usage = await evaluation.session.ask()
    return await asyncio.to_thread(evaluation.report, usage)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """A model's session and the settings that grade its answers."""

    session: Session
    selection: Selection
    protocol: Protocol

    def report(self, usage: Usage) -> Report:
        """Grade the answers."""
        session = self.session
        intake = Intake(self.selection)
        return grade_answers(
            watched(intake.batches(session.source), session.asking.progress),
            intake,
            self.protocol,
            run=session.described(session.prompt, usage),
        )


def _prepare(
    task: str | None,
    model: Model | str | Endpoint,
    data: Data,
    *,
    images: str | Path | Literal[False] | None = None,
    prompt: str | None = None,
    split: str | None = None,
    items: Iterable[str] | None = None,
    attempts: int = 1,
    protocol: str | None = None,
    embedder: str | None = None,
    **options: Unpack[AskingOptions],
) -> _Evaluation:
    """Load and check everything that can be checked before the first request."""
    if attempts < 1:
        raise InputError(f"it must be at least 1, not {attempts}", field="attempts")
    asking = Asking(**options)
    client = client_of(model, asking)
    # Checked before the data is loaded, so that a wrong name is reported at once.
    rule = choose(_task_of(task, data), protocol, embedder)
    loaded = _load(rule.task, data, split, images or None, prompt)
    selection = select(loaded.task, loaded, items=items)
    first = loaded.item(selection.ids[0])
    asked = first.tags.get("prompt", "unnamed")
    if first.images and images is False:
        asked += _WITHOUT_IMAGES
    elif first.images:
        _check_images(loaded, first)
    session = Session(
        questions=ItemQuestions(
            loaded,
            selection.ids,
            with_images=images is not False,
            max_view_side=asking.max_view_side,
        ),
        model=client,
        asking=asking,
        attempts=attempts,
        prompt=asked,
        about={
            "task": selection.task,
            "split": selection.split,
            "data": selection.pin.sha256,
        },
    )
    return _Evaluation(session, selection, rule)


def _task_of(task: str | None, data: Data) -> str:
    if isinstance(data, TaskData):
        if task not in (None, data.task):
            raise InputError(f"the data was loaded for {data.task}, not for {task}")
        return data.task
    if task is None:
        raise InputError("the task is missing: give task=, such as 'screenqa/short'")
    return task


def _load(
    task: str, data: Data, split: str | None, images: str | Path | None, prompt: str | None
) -> TaskData:
    if not isinstance(data, TaskData):
        return load_task(task, data, split=split, images=images, prompt=prompt)
    for name, value in (("split", split), ("prompt", prompt), ("images", images)):
        if value is not None:
            raise InputError(f"the data is loaded already; give {name}= to sdk.load")
    return data


def _check_images(data: TaskData, item: Item) -> None:
    if data.load_image is None:
        raise DataError(
            f"{data.task} asks about images, but the data has none: give images=FOLDER, or"
            " images=False to ask without them",
            file=data.pin.path,
        )
    for image in item.images:
        view(data.image(item.id, image.name))

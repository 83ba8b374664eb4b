"""Evaluating a model: ask it every item, keep what it says, grade it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

from snellen.grading.errors import DataError, InputError
from snellen.grading.models.items import Item
from snellen.grading.models.runs import Usage
from snellen.grading.protocols.base import Protocol
from snellen.sdk.data.selection import Data, Selection, select
from snellen.sdk.local import choose, grade_selection
from snellen.sdk.models.ask import Session
from snellen.sdk.models.clients import client_of
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.questions import ItemQuestions, Model
from snellen.sdk.models.settings import Asking, AskingOptions
from snellen.sdk.report import Report
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.views import view

_WITHOUT_IMAGES = "+no-images"


class EvaluationOptions(AskingOptions, total=False):
    """The keyword arguments of `evaluate` that may be left out."""

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
    """Ask a model every item, each in a fresh context, and grade its answers.

    Args:
        task: The task's id, such as `screenqa/short`; may be left out when `data` was loaded.
        model: An async function from a `Question` to text, the base URL of an API that speaks
            OpenAI's chat completions, or an `Endpoint`.
        data: The published folder or file, or what `sdk.load` returned.
        **options: Any of these:

            name: The model's name, for a base URL; for a function, what it is called in the
                report.
            images: A folder of images, where the data does not hold them; False asks without any
                image, which is a baseline and is named so in the report.
            max_view_side: Scale images down so that no side is longer, in pixels; None sends them
                as they are.
            prompt: The name of one of the task's prompts; its first when None.
            split: Which split of the data; `test` when None and there.
            items: The ids of the items to ask; all of the split when None.
            attempts: How often each item is asked; once when left out.
            protocol: As for `grade`.
            embedder: As for `grade`.
            decoding: How answers are drawn; `Decoding()` when None. For a function: what it does,
                to be recorded.
            limits: Concurrency, rates, retries and time-outs; `Limits()` when left out.
            run: A folder that keeps the answers as they come. Given again, asking resumes where
                it ended: nothing that has an answer is asked again, errors are.
            cache: True, False or the cache's file. None: only for a hosted API (https) that is
                asked at temperature 0.
            progress: Show how far it is on standard error; None: on a terminal.

    Returns:
        The report; its `run` says how the model was asked and what that cost.

    Raises:
        InputError: An argument can't be used, or the run folder was begun under other settings.
        DataError: The data or its images can't be read.
        EvaluationStoppedError: The server refuses what is asked, can't be reached, asks for too
            long a wait, answers nothing for long; or something broke after answers came.
        EvaluationInterrupted: Ctrl-C; what came until then is kept.
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
    """Ask a model every item and grade its answers, from async code; see `evaluate`.

    Cancelling it stops the asking; what came until then is in the run folder.
    """
    evaluation = await asyncio.to_thread(_prepare, task, model, data, **options)
    usage = await evaluation.session.ask()
    return await asyncio.to_thread(evaluation.report, usage)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """A model's session, and what grades its answers."""

    session: Session
    selection: Selection
    protocol: Protocol

    def report(self, usage: Usage) -> Report:
        """Grade what was answered."""
        session = self.session
        return grade_selection(
            session.source,
            self.selection,
            self.protocol,
            run=session.described(session.prompt, usage),
            progress=session.asking.progress,
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
    """Load and check everything that can be checked before a model is asked."""
    if attempts < 1:
        raise InputError(f"it must be at least 1, not {attempts}", field="attempts")
    asking = Asking(**options)
    client = client_of(model, asking)
    # Before the data is loaded: a wrong name is reported at once.
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
        raise InputError("say which task to ask, such as 'screenqa/short'")
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
            f"{data.task} asks about images, and the data holds none: give images=FOLDER, or"
            " images=False to ask without them",
            file=data.pin.path,
        )
    for image in item.images:
        view(data.image(item.id, image.name))

"""Evaluating a model: ask it every item, keep what it says, grade it."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from snellen.sdk.models.blocking import run_blocking
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.preparing import Wanted, prepare
from snellen.sdk.models.questions import Model
from snellen.sdk.models.settings import Decoding, Limits
from snellen.sdk.reports import Report
from snellen.sdk.selection import Data


def evaluate(
    task: str | None = None,
    *,
    model: Model | str | Endpoint,
    data: Data,
    name: str | None = None,
    images: str | Path | Literal[False] | None = None,
    max_view_side: int | None = None,
    prompt: str | None = None,
    split: str | None = None,
    items: Iterable[str] | None = None,
    attempts: int = 1,
    protocol: str | None = None,
    embedder: str | None = None,
    decoding: Decoding | None = None,
    limits: Limits | None = None,
    run: str | Path | None = None,
    cache: bool | str | Path | None = None,
    progress: bool | None = None,
) -> Report:
    """Ask a model every item, each in a fresh context, and grade its answers.

    Args:
        task: The task's id, such as `screenqa/short`; may be left out when `data` was loaded.
        model: An async function from a `Question` to text, the base URL of an API that speaks
            OpenAI's chat completions, or an `Endpoint`.
        data: The published folder or file, or what `sdk.load` returned.
        name: The model's name, for a base URL; for a function, what it is called in the report.
        images: A folder of images, where the data does not hold them; False asks without any
            image, which is a baseline and is named so in the report.
        max_view_side: Scale images down so that no side is longer, in pixels; None sends them
            as they are.
        prompt: The name of one of the task's prompts; its first when None.
        split: Which split of the data; `test` when None and there.
        items: The ids of the items to ask; all of the split when None.
        attempts: How often each item is asked.
        protocol: As for `grade`.
        embedder: As for `grade`.
        decoding: How answers are drawn; `Decoding()` when None. For a function: what it does,
            to be recorded.
        limits: Concurrency, rates, retries and time-outs; `Limits()` when None.
        run: A folder that keeps the answers as they come. Given again, asking goes on where it
            ended: nothing that has an answer is asked again, errors are.
        cache: True, False or the cache's file. None: only for a hosted API (https) that is asked at
            temperature 0.
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
    wanted = Wanted(
        task=task,
        model=model,
        data=data,
        name=name,
        images=images,
        max_view_side=max_view_side,
        prompt=prompt,
        split=split,
        items=items,
        attempts=attempts,
        protocol=protocol,
        embedder=embedder,
        decoding=decoding,
        limits=limits or Limits(),
        run=run,
        cache=cache,
        progress=progress,
    )
    evaluation = prepare(wanted)
    try:
        usage = run_blocking(evaluation.ask)
    except KeyboardInterrupt:
        raise evaluation.interrupted() from None
    return evaluation.report(usage)


async def evaluate_async(
    task: str | None = None,
    *,
    model: Model | str | Endpoint,
    data: Data,
    name: str | None = None,
    images: str | Path | Literal[False] | None = None,
    max_view_side: int | None = None,
    prompt: str | None = None,
    split: str | None = None,
    items: Iterable[str] | None = None,
    attempts: int = 1,
    protocol: str | None = None,
    embedder: str | None = None,
    decoding: Decoding | None = None,
    limits: Limits | None = None,
    run: str | Path | None = None,
    cache: bool | str | Path | None = None,
    progress: bool | None = None,
) -> Report:
    """Ask a model every item and grade its answers, from async code; see `evaluate`.

    Cancelling it stops the asking; what came until then is in the run folder.
    """
    wanted = Wanted(
        task=task,
        model=model,
        data=data,
        name=name,
        images=images,
        max_view_side=max_view_side,
        prompt=prompt,
        split=split,
        items=items,
        attempts=attempts,
        protocol=protocol,
        embedder=embedder,
        decoding=decoding,
        limits=limits or Limits(),
        run=run,
        cache=cache,
        progress=progress,
    )
    evaluation = await asyncio.to_thread(prepare, wanted)
    usage = await evaluation.ask()
    return await asyncio.to_thread(evaluation.report, usage)

"""Evaluation of a model: Inspect AI asks it every item, and the answers end in our report."""

import asyncio
import inspect
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

import httpx2

from snellen.grading.errors import DataError, InputError, MissingExtraError
from snellen.grading.models.runs import Run, Usage
from snellen.sdk.inputs.selection import Data, select
from snellen.sdk.local import choose
from snellen.sdk.models.settings import Ask, Decoding, Endpoint, EvaluationStoppedError, Limits
from snellen.sdk.recipes.recipe import Recipe, chosen_recipe
from snellen.sdk.report import Report
from snellen.sdk.submissions.kinds import said
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.model import Model

    from snellen.sdk.models.inspect_tasks import Evaluation

_WITHOUT_IMAGES = "+no-images"
_WRITES = 100
"""How often the answers are written to the disk."""


def evaluate(
    task: str | None = None,
    *,
    model: Ask | str | Endpoint,
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
    recipe: str | Recipe | None = None,
    limits: Limits | None = None,
    run: str | Path | None = None,
    cache: bool = False,
    progress: bool | None = None,
) -> Report:
    """Run a model on every item, each in a separate request, and grade its answers.

    Args:
        task: The task's id, such as `screenqa/short`; optional if `data` was loaded.
        model: A model's name for Inspect AI, such as `google/gemini-2.5-pro`; the base URL of an
            API with OpenAI's chat completions; an `Endpoint`; or an async function from a
            `Question` to text.
        data: The published folder or file, or the result of `sdk.load`.
        name: The model's name, for a base URL; for a function, its name in the report.
        images: A folder of images, if the data does not contain them; False sends no images: a
            blind baseline, which the report states.
        max_view_side: Scale images down so that no side is longer, in pixels; None sends them
            unchanged.
        prompt: The name of one of the task's prompts; None: its first one.
        split: The split of the data; None: `test` if there is one.
        items: The ids of the items; None: all of the split.
        attempts: The number of attempts per item.
        protocol: As for `grade`.
        embedder: As for `grade`.
        decoding: The decoding parameters; None: `Decoding()`. For a function: those that it uses,
            for the record.
        recipe: A recipe or its name (docs/recipes.md): its messages, image and decoding are sent,
            and it says how answers are read.
        limits: Concurrency, retries and timeouts; None: `Limits()`.
        run: A folder for Inspect's logs, which save the answers, a hundredth of them at a time.
            With the same folder, the evaluation resumes: items with an answer are not sent again,
            errors are.
        cache: Whether to use Inspect's cache of answers.
        progress: Show Inspect's display; None: on a terminal.

    Returns:
        The report; its `run` describes the requests and their cost.

    Raises:
        InputError: An argument can't be used, or the run folder has other settings.
        DataError: The data or its images can't be read.
        MissingExtraError: Inspect AI is not installed.
        EvaluationStoppedError: No item was answered, too many items in a row were not, or Ctrl-C.
    """
    try:
        from snellen.sdk.models.inspect_tasks import Evaluation
    except ImportError as error:
        raise MissingExtraError("asking a model", "models") from error

    for field, value in (("attempts", attempts), ("max_view_side", max_view_side)):
        if value is not None and value < 1:
            raise InputError(f"it must be at least 1, not {value}", field=field)
    sent = chosen_recipe(
        recipe, prompt=prompt, max_view_side=max_view_side, blind=images is False, decoding=decoding
    )
    if sent is not None:
        decoding = Decoding.of(sent)
    limits = limits or Limits()
    watched = sys.stderr.isatty() if progress is None else progress
    target, described = _model(model, name, limits)
    # Checked before the data is loaded, so that a wrong name is reported at once.
    rule = choose(_task_of(task, data), protocol, embedder)
    loaded = _load(rule.task, data, split, images or None, prompt)
    selection = select(loaded.task, loaded, items=items)
    function = model if callable(model) else None
    blind = images is False
    asked = Evaluation(
        selection, loaded, rule, max_view_side, blind, function, sent, limits.give_up_after
    )
    described = described.model_copy(
        update={
            "prompt": _prompt(asked) if sent is None else _recipe(asked, sent),
            "max_view_side": max_view_side,
            "decoding": {} if decoding is None and function else (decoding or Decoding()).stated(),
        }
    )
    about = {
        "task": loaded.task,
        "data": loaded.pin.sha256,
        **described.model_dump(mode="json", exclude={"usage"}),
    }
    with ExitStack() as stack:
        folder = str(run or stack.enter_context(tempfile.TemporaryDirectory()))
        samples = [] if run is None else _resumed(asked, folder, about)
        epochs = range(1, attempts + 1)
        left = [
            item for item in selection.ids if not all(asked.has(item, epoch) for epoch in epochs)
        ]
        if left:
            logs = _run(
                tasks=asked.task(left, {"asked": about}, limits.retries),
                model=target,
                log_dir=folder,
                epochs=attempts,
                cache=cache,
                display="rich" if watched else "none",
                # A log grows by whole samples, and each time its list of them is written anew.
                log_buffer=max(1, len(left) // _WRITES),
                **_settings(limits, decoding or Decoding()),
            )
            samples += [sample for log in logs for sample in _taken(asked, log)]
            # Ctrl-C leaves no log here, but one in the folder.
            ended = logs[0].status if logs else "interrupted"
            answered = any("error" not in row for row in asked.rows.values())
            if not answered or ended != "success" or asked.failed >= limits.give_up_after:
                failed = logs[0].error if logs else None
                reason = failed.message if failed else asked.fault or ended
                raise EvaluationStoppedError(
                    f"asking {described.model} stopped: {reason}; with run='a/folder', the same"
                    " call goes on with what was answered",
                    list(asked.rows.values()),
                )
    return asked.report(selection, described.model_copy(update={"usage": _usage(samples)}))


async def evaluate_async(
    task: str | None = None,
    **options: Any,  # noqa: ANN401  # those of evaluate
) -> Report:
    """Run a model on every item and grade its answers, from async code; see `evaluate`.

    It works in a thread of its own, which a cancellation does not stop.
    """
    return await asyncio.to_thread(evaluate, task, **options)


def _prompt(asked: "Evaluation") -> str:
    """Return the prompt's name, if the first item can be shown.

    Raises:
        DataError: It has images, and they can't be read.
    """
    data = asked.data
    first = data.item(asked.selection.ids[0])
    if first.images and data.load_image is None and not asked.blind:
        raise DataError(
            f"{data.task} asks about images, but the data has none: give images=FOLDER, or"
            " images=False to ask without them",
            file=data.pin.path,
        )
    asked.question(first.id)
    named = first.tags.get("prompt", "unnamed")
    return named + _WITHOUT_IMAGES if first.images and asked.blind else named


def _recipe(asked: "Evaluation", recipe: Recipe) -> str:
    """Return what a signature says of a recipe, if the first item can be asked with it."""
    _prompt(asked)
    return recipe.signature


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


def _resumed(asked: "Evaluation", folder: str, about: Mapping[str, object]) -> "list[EvalSample]":
    """Take the answers of a run folder's logs.

    Raises:
        InputError: They are of another model, or were asked for otherwise.
    """
    from inspect_ai.log import list_eval_logs, read_eval_log

    samples: list[EvalSample] = []
    for one in list_eval_logs(folder, descending=False):
        log = read_eval_log(one.name)
        told = cast("Mapping[str, object]", (log.eval.metadata or {}).get("asked", {}))
        for key, value in about.items():
            if told.get(key) != value:
                raise InputError(
                    f"{key} was {json.dumps(told.get(key))}, and is {json.dumps(value)}; give a new"
                    " folder, or the same settings again",
                    file=folder,
                )
        samples += _taken(asked, log)
    return samples


def _taken(asked: "Evaluation", log: "EvalLog") -> "list[EvalSample]":
    samples = log.samples or []
    for sample in samples:
        if sample.error is None:
            response = said(sample.output.model_dump(mode="json"))
            asked.add(str(sample.id), sample.epoch, response=response)
        else:
            asked.add(str(sample.id), sample.epoch, error=sample.error.message)
    return samples


def _settings(limits: Limits, decoding: Decoding) -> dict[str, Any]:
    """Return the options of Inspect's `eval`."""
    return {
        # Images are in the data, and answers in the log.
        "log_images": False,
        "log_realtime": False,
        "score_display": False,
        "max_samples": limits.concurrency,
        "max_connections": limits.concurrency,
        "max_retries": limits.retries,
        "attempt_timeout": math.ceil(limits.timeout),
        **decoding.for_inspect,
    }


def _run(**options: Any) -> "list[EvalLog]":  # noqa: ANN401  # of Inspect
    """Run Inspect's `eval`, in a thread of its own where an event loop runs, as in a notebook."""
    from inspect_ai import eval as ask  # pyright: ignore[reportUnknownVariableType]

    asking = cast("Callable[..., list[EvalLog]]", partial(ask, **options))
    # Outside of `except`: Inspect would report the context of an error.
    if not _within_a_loop():
        return asking()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asking).result()


def _within_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Client(httpx2.AsyncClient):
    """A client that sends an endpoint's headers, completes replies, and hides secrets in errors.

    Inspect would write the headers, and all that a server says, to the log.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        super().__init__(
            headers=dict(endpoint.headers),
            timeout=httpx2.Timeout(limits.timeout, connect=10),
            limits=httpx2.Limits(max_connections=limits.concurrency),
        )
        self._name = endpoint.name
        self._secrets = [text for text in (endpoint.secret(), *endpoint.headers.values()) if text]

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401  # httpx2's
        """Send a request."""
        reply = await super().send(request, **options)
        if "event-stream" in reply.headers.get("content-type", ""):
            return reply
        await reply.aread()
        text = reply.text
        if not reply.is_success:
            for secret in self._secrets:
                text = text.replace(secret, "***")
        try:
            body: object = json.loads(text)
        except ValueError:
            body = None
        if isinstance(body, dict):
            text = json.dumps(self._completed(cast("dict[str, Any]", body)))
        kept = [
            (name, value)
            for name, value in reply.headers.multi_items()
            if name not in ("content-length", "content-encoding")
        ]
        return httpx2.Response(reply.status_code, headers=kept, text=text, request=request)

    def _completed(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a reply with the name and the counts without which Inspect refuses an answer."""
        if "choices" in body:
            counts: dict[str, Any] = body["usage"] if isinstance(body.get("usage"), dict) else {}
            names = ("prompt_tokens", "completion_tokens")
            if all(type(counts.get(name)) is int for name in names):
                body["usage"] = counts | {"total_tokens": sum(counts[name] for name in names)}
            else:
                body["usage"] = None
        return body | {"model": body.get("model") or self._name}


def _model(model: Ask | str | Endpoint, name: str | None, limits: Limits) -> "tuple[Model, Run]":
    """Return Inspect's model, and what the report says of it.

    Raises:
        InputError: There is no such model, or it has no name.
    """
    from inspect_ai.model import get_model
    from tenacity import wait_random_exponential

    if isinstance(model, str) and urlsplit(model).scheme in ("http", "https"):
        if not name:
            raise InputError("the model is missing: give name='...', its name on the server")
        model = Endpoint(model, name)
    elif name is not None and not callable(model):
        raise InputError("the model has a name already; leave out name=")
    if isinstance(model, Endpoint):
        service = "openai-api/endpoint" if model.api == "openai" else "anthropic"
        found = get_model(
            f"{service}/{model.name}",
            base_url=model.base_url,
            api_key=model.secret(),
            memoize=False,
            http_client=_Client(model, limits),
            max_retries=0,
        )
        wait = wait_random_exponential(limits.first_wait, 300)
        found.api.retry_wait = lambda: wait
        return found, Run(model=model.name, api=model.api, base_url=model.base_url, prompt="")
    if callable(model):
        if not inspect.iscoroutinefunction(model):
            raise InputError("model= must be an async function, a model's name or an Endpoint")
        called = name or f"{model.__module__}.{model.__qualname__}"
        return get_model("none/none"), Run(model=called, api="function", prompt="")
    try:
        return get_model(model, memoize=False), Run(model=model, api="inspect", prompt="")
    except Exception as error:
        raise InputError(f"{model}: {getattr(error, 'message', error)}", field="model") from error


def _usage(samples: "Iterable[EvalSample]") -> Usage:
    from inspect_ai.event import ModelEvent

    asked = [
        [event for event in sample.events if isinstance(event, ModelEvent)] for sample in samples
    ]
    sent = [[event for event in events if event.cache != "read"] for events in asked]
    costs = [event.output.usage for events in sent for event in events if event.output.usage]
    return Usage(
        requests=sum(map(len, sent)),
        retries=sum(max(0, len(events) - 1) for events in sent),
        cached=sum(map(len, asked)) - sum(map(len, sent)),
        input_tokens=sum(
            one.input_tokens
            + (one.input_tokens_cache_read or 0)
            + (one.input_tokens_cache_write or 0)
            for one in costs
        ),
        output_tokens=sum(one.output_tokens for one in costs),
        seconds=sum(event.working_time or 0.0 for events in sent for event in events),
    )

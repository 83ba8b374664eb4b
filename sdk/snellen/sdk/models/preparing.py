"""An evaluation made ready: everything that can be checked has been, and nothing was asked yet."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from snellen.grading.errors import DataError, InputError
from snellen.grading.models.items import Item
from snellen.grading.models.runs import Run, Usage
from snellen.grading.protocols.base import Protocol
from snellen.sdk.local import choose, grade_selection
from snellen.sdk.models.ask import Asking, Plan, StopAsking
from snellen.sdk.models.cache import Cache, default_cache
from snellen.sdk.models.clients import Asked, model_of
from snellen.sdk.models.endpoints import KEY_VARIABLES, Endpoint
from snellen.sdk.models.faults import EvaluationInterrupted, EvaluationStoppedError
from snellen.sdk.models.keepers import ANSWERS, open_run
from snellen.sdk.models.keeping import Keeper, Memory
from snellen.sdk.models.questions import Model, Questions
from snellen.sdk.models.settings import Decoding, Limits
from snellen.sdk.reports import Report
from snellen.sdk.selection import Data, Selection, select
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pins import digest_of
from snellen.tasks.views import view

_WITHOUT_IMAGES = "+no-images"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What `evaluate` was asked for; its docstring says what each field is."""

    task: str | None
    model: Model | str | Endpoint
    data: Data
    name: str | None
    images: str | Path | Literal[False] | None
    max_view_side: int | None
    prompt: str | None
    split: str | None
    items: Iterable[str] | None
    attempts: int
    protocol: str | None
    embedder: str | None
    decoding: Decoding | None
    limits: Limits
    run: str | Path | None
    cache: bool | str | Path | None
    progress: bool | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A model, the items to ask it, and what grades its answers."""

    wanted: Wanted
    data: TaskData
    selection: Selection
    protocol: Protocol
    model: Asked
    prompt: str
    memory: Memory = field(default_factory=Memory)

    async def ask(self) -> Usage:
        """Ask what has no answer yet, and return what all answers cost.

        Raises:
            EvaluationStoppedError: Going on makes no sense.
            InputError: The run folder or the cache can't be used.
        """
        wanted = self.wanted
        questions = Questions(
            self.data,
            with_images=wanted.images is not False,
            max_view_side=wanted.max_view_side,
        )
        with self._keeper() as keeper, self._cache() as cache:
            plan = Plan(
                ids=self.selection.ids,
                attempts=wanted.attempts,
                questions=questions,
                model=self.model,
                limits=wanted.limits,
                cache=cache,
                progress=wanted.progress,
            )
            try:
                await Asking(plan, keeper).run()
            except StopAsking as stop:
                raise self._stopped(stop) from stop.__cause__
            except Exception as error:
                if not self.memory.records:
                    raise
                # What was paid for is not lost with whatever broke.
                raise self._stopped(error) from error
            return keeper.bill.usage()

    def report(self, usage: Usage) -> Report:
        """Grade what was answered."""
        run = Run(
            model=self.model.name,
            api=self.model.api,
            base_url=self.model.base_url,
            prompt=self.prompt,
            max_view_side=self.wanted.max_view_side,
            decoding=dict(self.model.decoding),
            usage=usage,
        )
        source = self.memory.records if self.wanted.run is None else self._folder / ANSWERS
        return grade_selection(
            source, self.selection, self.protocol, run=run, progress=self.wanted.progress
        )

    def interrupted(self) -> EvaluationInterrupted:
        """Return what says that somebody stopped it, and how to go on."""
        return EvaluationInterrupted(
            f"asking {self.model.name} was interrupted. {self._kept()}", self.memory.records
        )

    def settings(self) -> dict[str, JsonValue]:
        """Return all that an answer depends on, for a run folder."""
        selection = self.selection
        return {
            "task": selection.task,
            "split": selection.split,
            "data": selection.pin.sha256,
            "items": digest_of(list(selection.ids)),
            "attempts": self.wanted.attempts,
            "model": self.model.name,
            "api": self.model.api,
            "base_url": self.model.base_url,
            "prompt": self.prompt,
            "max_view_side": self.wanted.max_view_side,
            "decoding": dict(self.model.decoding),
        }

    @property
    def _folder(self) -> Path:
        return Path(self.wanted.run or ".")

    @contextmanager
    def _keeper(self) -> Generator[Keeper]:
        if self.wanted.run is None:
            yield self.memory
        else:
            with open_run(self._folder, self.settings()) as folder:
                yield folder

    @contextmanager
    def _cache(self) -> Generator[Cache | None]:
        wanted = self.wanted.cache
        if wanted is None:
            # A name at a server of one's own may mean another model tomorrow; a hosted one not.
            hosted = (self.model.base_url or "").startswith("https:")
            wanted = hosted and self.model.decoding.get("temperature") == 0
        if wanted is False:
            yield None
            return
        cache = Cache(default_cache() if wanted is True else Path(wanted))
        try:
            yield cache
        finally:
            cache.close()

    def _stopped(self, stop: Exception) -> EvaluationStoppedError:
        what = f"asking {self.model.name} stopped: {stop or type(stop).__name__}"
        advice = self._advice(stop) if isinstance(stop, StopAsking) else ""
        parts = [part for part in (what, advice, self._kept()) if part]
        return EvaluationStoppedError(". ".join(parts), self.memory.records)

    def _advice(self, stop: StopAsking) -> str:
        if stop.status in (401, 403):
            variable = KEY_VARIABLES.get(self.model.api)
            return f"Give the key as {variable} or in Endpoint(key=...)" if variable else ""
        if stop.status == 404:
            return (
                f"See that {self.model.base_url} is the API's base URL (it often ends in /v1) and"
                f" {self.model.name!r} what the server calls the model"
            )
        return ""

    def _kept(self) -> str:
        if self.wanted.run is not None:
            return f"What was answered is in {self._folder / ANSWERS}; the same call goes on there."
        count = sum("error" not in record for record in self.memory.records)
        if count == 0:
            return "No answer came."
        return (
            f"The {count:,} answers that came are this exception's `submissions`;"
            " with run='a/folder' they outlive the process, and the same call goes on there."
        )


def prepare(wanted: Wanted) -> Evaluation:
    """Load and check everything that can be checked before a model is asked.

    Raises:
        InputError: An argument can't be used.
        DataError: The data or the first item's images can't be read.
    """
    if wanted.attempts < 1:
        raise InputError(f"it must be at least 1, not {wanted.attempts}", field="attempts")
    side = wanted.max_view_side
    if side is not None and side < 1:
        raise InputError(f"it must be at least 1, not {side}", field="max_view_side")
    model = model_of(wanted.model, wanted.name, wanted.decoding, wanted.limits)
    protocol = None
    if wanted.task is not None:
        # Before the data is loaded: a wrong name is told at once.
        protocol = choose(wanted.task, wanted.protocol, wanted.embedder)
    data = _load(wanted)
    selection = select(data.task, data, items=wanted.items)
    if protocol is None:
        protocol = choose(data.task, wanted.protocol, wanted.embedder)
    first = data.item(selection.ids[0])
    if first.images and wanted.images is not False:
        _check_images(data, first)
    prompt = first.tags.get("prompt", "unnamed")
    if first.images and wanted.images is False:
        prompt += _WITHOUT_IMAGES
    return Evaluation(wanted, data, selection, protocol, model, prompt)


def _load(wanted: Wanted) -> TaskData:
    if isinstance(wanted.data, TaskData):
        given = {"split": wanted.split, "prompt": wanted.prompt, "images": wanted.images or None}
        spare = [name for name, value in given.items() if value is not None]
        if spare:
            raise InputError(f"the data is loaded already; give {spare[0]}= to sdk.load")
        if wanted.task is not None and wanted.task != wanted.data.task:
            raise InputError(f"the data was loaded for {wanted.data.task}, not for {wanted.task}")
        return wanted.data
    if wanted.task is None:
        raise InputError("say which task to ask, such as 'screenqa/short'")
    return load_task(
        wanted.task,
        wanted.data,
        split=wanted.split,
        images=wanted.images or None,
        prompt=wanted.prompt,
    )


def _check_images(data: TaskData, item: Item) -> None:
    if data.load_image is None:
        raise DataError(
            f"{data.task} asks about images, and the data holds none: give images=FOLDER, or"
            " images=False to ask without them",
            file=data.pin.path,
        )
    for image in item.images:
        view(data.image(item.id, image.name))

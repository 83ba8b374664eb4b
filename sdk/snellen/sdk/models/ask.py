"""Sending questions to a model: several workers, one list of questions, answers saved at once."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping
from concurrent.futures import wait
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from pydantic import JsonValue

from snellen.grading.errors import DataError
from snellen.grading.models.base import digest_of
from snellen.grading.models.runs import Run, Usage
from snellen.sdk.models.cache import Cache, cache_key, default_cache
from snellen.sdk.models.clients import Ask, ModelClient
from snellen.sdk.models.endpoints import KEY_VARIABLES
from snellen.sdk.models.faults import EvaluationInterrupted, EvaluationStoppedError, Fault
from snellen.sdk.models.keepers import ANSWERS, Cost, Keeper, Memory, Record, open_run
from snellen.sdk.models.progress import Counts, watched
from snellen.sdk.models.questions import Answer, Question, Questions
from snellen.sdk.models.retries import Patience, Reply, log
from snellen.sdk.models.settings import Asking, Limits
from snellen.sdk.submissions import Source

_Result = TypeVar("_Result")

_SYNC_EVERY = 0.5
_SIGNAL_EVERY = 0.2


class StopAsking(Exception):  # noqa: N818  # a signal from a worker to the run
    """The run must stop, with the reason.

    Args:
        fault: The last fault.
        failures: The number of consecutive questions without an answer.
    """

    def __init__(self, fault: Fault, failures: int) -> None:
        self.status = fault.status
        row = f"{failures} items in a row had no answer, the last one because of: "
        super().__init__(f"{row if failures > 1 else ''}{fault.message}")


async def ask(
    questions: Questions,
    model: ModelClient,
    limits: Limits,
    keeper: Keeper,
    *,
    attempts: int = 1,
    cache: Cache | None = None,
    progress: bool | None = False,
) -> None:
    """Send a model all questions that have no answer yet.

    Args:
        questions: The questions.
        model: The model.
        limits: Concurrency, rates, retries and timeouts.
        keeper: Saves each answer or fault at once.
        attempts: The number of attempts per question.
        cache: Answers from earlier runs.
        progress: Whether to show the progress; None: on a terminal.

    Raises:
        StopAsking: The setup is wrong, or too many questions in a row had no answer.
        InputError: Answers can't be written.
    """
    workers = _Workers(questions, model, limits, keeper, attempts, cache)
    async with watched(workers.counts, progress):
        await workers.run()


class _Job(NamedTuple):
    """One attempt at one question."""

    item_id: str
    attempt: int


class _Workers:
    """The workers of one run and their shared state."""

    def __init__(
        self,
        questions: Questions,
        model: ModelClient,
        limits: Limits,
        keeper: Keeper,
        attempts: int,
        cache: Cache | None,
    ) -> None:
        self._questions = questions
        self._model = model
        self._limits = limits
        self._keeper = keeper
        self._attempts = attempts
        self._cache = cache
        self._patience = Patience(limits)
        self._jobs = self._open_jobs()
        self._failures = 0
        self._answered = False
        most = model.decoding.get("max_tokens")
        self._most_tokens = most if isinstance(most, int) else 0
        self.counts = Counts(len(questions.ids) * attempts)

    async def run(self) -> None:
        over = asyncio.Event()
        syncing = asyncio.create_task(self._sync(over))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._limits.concurrency, self.counts.total)):
                    group.create_task(self._work())
            if self.counts.done != self.counts.total:
                raise StopAsking(Fault("the workers ended before every item was asked"), 0)
        except BaseExceptionGroup as errors:
            # The first error stopped the other workers.
            raise errors.exceptions[0] from None
        finally:
            # No cancellation: the file must stay open while a thread flushes it.
            over.set()
            await syncing

    def _open_jobs(self) -> Iterator[_Job]:
        for item_id in self._questions.ids:
            for attempt in range(self._attempts):
                if self._keeper.has(item_id, attempt):
                    self.counts.done += 1
                else:
                    yield _Job(item_id, attempt)

    async def _sync(self, over: asyncio.Event) -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), _SYNC_EVERY)
            await asyncio.to_thread(self._keeper.sync)

    async def _work(self) -> None:
        async with AsyncExitStack() as stack:
            send: Ask | None = None
            for job in self._jobs:
                if send is None:
                    send = await stack.enter_async_context(self._model.connect())
                await self._ask(send, job)
                # Otherwise a function that never awaits would block the event loop.
                await asyncio.sleep(0)

    async def _ask(self, send: Ask, job: _Job) -> None:
        try:
            question = await self._questions.make(job.item_id)
        except DataError as error:
            self._fail(job, Reply(None, Fault(str(error)), 0, 0.0))
            return
        cache, key = self._cache, b""
        if cache is not None:
            key = self._key(question, job)
            cached = cache.get(key)
            if cached is not None:
                self._keep(job, Reply(cached, None, 0, 0.0), cached)
                return
        reply = await self._patience.ask(send, question, self._most_tokens)
        if reply.answer is None:
            self._fail(job, reply)
            return
        self._keep(job, reply, reply.answer)
        if cache is not None:
            cache.put(key, reply.answer)

    def _key(self, question: Question, job: _Job) -> bytes:
        model = self._model
        return cache_key(
            question,
            api=model.api,
            base_url=model.base_url,
            model=model.name,
            decoding=model.decoding,
            attempt=job.attempt,
        )

    def _keep(self, job: _Job, reply: Reply, answer: Answer) -> None:
        cached = reply.tries == 0
        meta = answer.meta() | _meta(reply) | ({"cached": True} if cached else {})
        tokens_in, tokens_out = answer.input_tokens or 0, answer.output_tokens or 0
        cost = Cost(tokens_in, tokens_out, _rounded(reply.seconds), reply.tries, cached)
        self._keeper.add(self._record(job, meta, response=answer.text), cost)
        self.counts.done += 1
        if not cached:
            self.counts.tokens += tokens_in + tokens_out
            self._answered = True
            self._failures = 0
            self.counts.last = ""

    def _fail(self, job: _Job, reply: Reply) -> None:
        """Save an error, or stop the run if all further requests would fail too."""
        fault = reply.fault or Fault("no answer")
        self._failures += 1
        self.counts.last = fault.message
        if fault.far or (fault.setup and not self._answered):
            self._stop(fault, 1)
        meta = _meta(reply)
        if fault.status is not None:
            meta["status"] = fault.status
        cost = Cost(tries=reply.tries)
        self._keeper.add(self._record(job, meta, error=fault.kept or fault.message), cost)
        self.counts.done += 1
        self.counts.errors += 1
        if self._failures >= self._limits.give_up_after or (
            # Without any answer there is nothing to grade.
            self.counts.errors == self.counts.total
        ):
            self._stop(fault, self._failures)

    def _stop(self, fault: Fault, failures: int) -> NoReturn:
        log.info("stop", failures=failures, fault=fault.message, status=fault.status)
        raise StopAsking(fault, failures) from fault.__cause__

    def _record(self, job: _Job, meta: Record, **outcome: str) -> Record:
        return {
            "item_id": job.item_id,
            **outcome,
            "attempt": job.attempt,
            "model": self._model.name,
            "meta": meta,
        }


def _meta(reply: Reply) -> Record:
    return {"seconds": _rounded(reply.seconds), "tries": reply.tries}


def _rounded(seconds: float) -> float:
    return round(seconds, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Questions, the model that answers them, and the place of its answers.

    Attributes:
        questions: The questions.
        model: The model.
        asking: The settings of the requests.
        attempts: The number of attempts per question.
        prompt: The prompt's name, for a run folder.
        about: Further settings of the answers, for a run folder: task, split, digest of the data.
        memory: The answers of a run without a folder.
    """

    questions: Questions
    model: ModelClient
    asking: Asking
    attempts: int
    prompt: str
    about: Mapping[str, JsonValue]
    memory: Memory = field(default_factory=Memory)

    @property
    def source(self) -> Source:
        """All saved answers, to be graded."""
        return self.memory.records if self._answers is None else self._answers

    def ask_blocking(self) -> Usage:
        """Run from code that is not async; see `ask`.

        Raises:
            EvaluationInterrupted: Ctrl-C.
        """
        try:
            return run_blocking(self.ask)
        except KeyboardInterrupt:
            raise EvaluationInterrupted(
                f"asking {self.model.name} was interrupted. {self._kept()}", self.memory.records
            ) from None

    async def ask(self) -> Usage:
        """Ask the questions without an answer, and return the usage of all answers.

        Raises:
            EvaluationStoppedError: The run must stop.
            InputError: The run folder or the cache can't be used.
        """
        with self._keeper() as keeper, self._cache() as cache:
            try:
                await ask(
                    self.questions,
                    self.model,
                    self.asking.limits,
                    keeper,
                    attempts=self.attempts,
                    cache=cache,
                    progress=self.asking.progress,
                )
            except StopAsking as stop:
                raise self._stopped(stop) from stop.__cause__
            except Exception as error:
                if not self.memory.records:
                    raise
                # A fault must not lose answers that were paid for.
                raise self._stopped(error) from error
            return keeper.bill.usage()

    def described(self, prompt: str, usage: Usage) -> Run:
        """Return the description of the run, for a report."""
        return Run(
            model=self.model.name,
            api=self.model.api,
            base_url=self.model.base_url,
            prompt=prompt,
            max_view_side=self.asking.max_view_side,
            decoding=dict(self.model.decoding),
            usage=usage,
        )

    @property
    def _answers(self) -> Path | None:
        return None if self.asking.run is None else Path(self.asking.run) / ANSWERS

    @contextmanager
    def _keeper(self) -> Generator[Keeper]:
        if self.asking.run is None:
            yield self.memory
            return
        settings: dict[str, JsonValue] = {
            **self.about,
            "items": digest_of(list(self.questions.ids)),
            "attempts": self.attempts,
            **self.described(self.prompt, Usage()).model_dump(exclude={"usage"}),
        }
        with open_run(Path(self.asking.run), settings) as folder:
            yield folder

    @contextmanager
    def _cache(self) -> Generator[Cache | None]:
        choice = self.asking.cache
        if choice is None:
            # On a local server, a name can mean another model later; on a hosted API it does not.
            hosted = (self.model.base_url or "").startswith("https:")
            choice = hosted and self.model.decoding.get("temperature") == 0
        if choice is False:
            yield None
            return
        cache = Cache(default_cache() if choice is True else Path(choice))
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
        if self._answers is not None:
            return f"What was answered is in {self._answers}; the same call goes on there."
        count = sum("error" not in record for record in self.memory.records)
        if count == 0:
            return "No answer came."
        return (
            f"The {count:,} answers that came are this exception's `submissions`;"
            " with run='a/folder' they outlive the process, and the same call goes on there."
        )


def run_blocking(start: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
    """Run a coroutine to its end from code that is not async.

    If the calling thread already runs an event loop, as in a notebook, the coroutine gets its own
    thread and loop. Ctrl-C cancels it in both cases.

    >>> async def three() -> int:
    ...     return 3
    >>> run_blocking(three)
    3
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    from anyio.from_thread import start_blocking_portal

    # An exception here, also Ctrl-C, cancels the portal's task and waits for its end.
    with start_blocking_portal() as portal:
        future = portal.start_task_soon(start)
        # A signal just before a wait is handled only after the wait, so waits are short.
        while not future.done():
            wait([future], _SIGNAL_EVERY)
        return future.result()

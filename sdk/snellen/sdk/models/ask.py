"""Asking all questions of a run: a few workers, one list of jobs."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from snellen.grading.errors import DataError
from snellen.sdk.models.cache import Cache, cache_key
from snellen.sdk.models.clients import Ask, Asked
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.keeping import Cost, Keeper, Record
from snellen.sdk.models.progress import Counts, watched
from snellen.sdk.models.questions import Answer, Question, Questions
from snellen.sdk.models.retries import Patience, Reply, log
from snellen.sdk.models.settings import Limits

_SYNC_EVERY = 0.5


class Job(NamedTuple):
    """One attempt at one item."""

    item_id: str
    attempt: int


class StopAsking(Exception):  # noqa: N818  # a signal from a worker to the run
    """Going on makes no sense; says why.

    Args:
        fault: The last of what went wrong.
        failures: How many items in a row had no answer.
    """

    def __init__(self, fault: Fault, failures: int) -> None:
        self.status = fault.status
        row = f"{failures} items in a row had no answer, the last one because of: "
        super().__init__(f"{row if failures > 1 else ''}{fault.message}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do.

    Attributes:
        ids: The items.
        attempts: How often each is asked.
        questions: Makes their questions.
        model: Who is asked.
        limits: What asking keeps to.
        cache: Answers from earlier runs, or None.
        progress: Whether to show how far it is; None: on a terminal.
    """

    ids: Sequence[str]
    attempts: int
    questions: Questions
    model: Asked
    limits: Limits
    cache: Cache | None
    progress: bool | None


class Asking:
    """One run over all the jobs that a keeper has no answer to yet."""

    def __init__(self, plan: Plan, keeper: Keeper) -> None:
        self._plan = plan
        self._keeper = keeper
        self._patience = Patience(plan.limits)
        self._jobs = self._open_jobs()
        self._failures = 0
        self._answered = False
        most = plan.model.decoding.get("max_tokens")
        self._most_tokens = most if isinstance(most, int) else 0
        self.counts = Counts(len(plan.ids) * plan.attempts)

    async def run(self) -> None:
        """Ask.

        Raises:
            StopAsking: The setup is broken, or nothing has been answered for too long.
            InputError: What is kept can't be written.
        """
        workers = min(self._plan.limits.concurrency, self.counts.total)
        async with watched(self.counts, self._plan.progress):
            over = asyncio.Event()
            syncing = asyncio.create_task(self._sync(over))
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(workers):
                        group.create_task(self._work())
                if self.counts.done != self.counts.total:
                    raise StopAsking(Fault("the workers ended before every item was asked"), 0)
            except BaseExceptionGroup as errors:
                # The first one stopped the others.
                raise errors.exceptions[0] from None
            finally:
                # Not cancelled: the file must stay open while a thread flushes it.
                over.set()
                await syncing

    def _open_jobs(self) -> Iterator[Job]:
        for item_id in self._plan.ids:
            for attempt in range(self._plan.attempts):
                if self._keeper.has(item_id, attempt):
                    self.counts.done += 1
                else:
                    yield Job(item_id, attempt)

    async def _sync(self, over: asyncio.Event) -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), _SYNC_EVERY)
            await asyncio.to_thread(self._keeper.sync)

    async def _work(self) -> None:
        async with AsyncExitStack() as stack:
            ask: Ask | None = None
            for job in self._jobs:
                if ask is None:
                    ask = await stack.enter_async_context(self._plan.model.connect())
                await self._one(ask, job)
                # A function that never waits would else keep everything else from running.
                await asyncio.sleep(0)

    async def _one(self, ask: Ask, job: Job) -> None:
        try:
            question = await self._plan.questions.make(job.item_id)
        except DataError as error:
            self._fail(job, Reply(None, Fault(str(error)), 0, 0.0))
            return
        cache, key = self._plan.cache, b""
        if cache is not None:
            key = self._key(question, job)
            cached = cache.get(key)
            if cached is not None:
                self._keep(job, Reply(cached, None, 0, 0.0), cached)
                return
        reply = await self._patience.ask(ask, question, self._most_tokens)
        if reply.answer is None:
            self._fail(job, reply)
            return
        self._keep(job, reply, reply.answer)
        if cache is not None:
            cache.put(key, reply.answer)

    def _key(self, question: Question, job: Job) -> bytes:
        model = self._plan.model
        return cache_key(
            question,
            api=model.api,
            base_url=model.base_url,
            model=model.name,
            decoding=model.decoding,
            attempt=job.attempt,
        )

    def _keep(self, job: Job, reply: Reply, answer: Answer) -> None:
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

    def _fail(self, job: Job, reply: Reply) -> None:
        """Keep an error, or stop the run where all that follows would be errors too."""
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
        if self._failures >= self._plan.limits.give_up_after or (
            # Not one answer: there is nothing to grade.
            self.counts.errors == self.counts.total
        ):
            self._stop(fault, self._failures)

    def _stop(self, fault: Fault, failures: int) -> NoReturn:
        log.info("stop", failures=failures, fault=fault.message, status=fault.status)
        raise StopAsking(fault, failures) from fault.__cause__

    def _record(self, job: Job, meta: Record, **outcome: str) -> Record:
        return {
            "item_id": job.item_id,
            **outcome,
            "attempt": job.attempt,
            "model": self._plan.model.name,
            "meta": meta,
        }


def _meta(reply: Reply) -> Record:
    return {"seconds": _rounded(reply.seconds), "tries": reply.tries}


def _rounded(seconds: float) -> float:
    return round(seconds, 4)

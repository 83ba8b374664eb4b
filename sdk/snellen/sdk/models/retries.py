"""Repeated requests for one question, until it has an answer or retries can't succeed.

Three things limit the request rate of all workers together: the user's rates, a server that
requests a lower rate, and the slow start after that. A token bucket such as aiolimiter's would send
a whole minute's requests at once, which servers reject. Here requests are evenly spaced (the
generic cell rate algorithm, ITU-T I.371, with no burst).
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

import structlog

from snellen.grading.errors import MissingExtraError
from snellen.sdk.models.clients import Ask
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import Answer, Question
from snellen.sdk.models.settings import Limits

try:
    import tenacity
except ImportError as error:
    raise MissingExtraError("asking a model", "models") from error

# Events use the standard library's logging, which by default shows only warnings and errors.
log: structlog.stdlib.BoundLogger = structlog.wrap_logger(
    logging.getLogger("snellen.evaluation"),
    processors=[
        structlog.stdlib.filter_by_level,
        structlog.processors.KeyValueRenderer(key_order=["event"]),
    ],
    wrapper_class=structlog.stdlib.BoundLogger,
)

_CHARACTERS_A_TOKEN = 4
_PIXELS_A_TOKEN = 750


class Reply(NamedTuple):
    """The result of the requests for one question.

    Attributes:
        answer: The answer; None: there is none.
        fault: The reason for no answer; None: there is an answer.
        tries: The number of requests.
        seconds: The duration of the last request, in seconds.
    """

    answer: Answer | None
    fault: Fault | None
    tries: int
    seconds: float


_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock in seconds, with an arbitrary origin, and waiting."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Turn:
    """The permission to send one request: its charge and its time."""

    tokens: float
    epoch: int


class Pace:
    """Schedules all requests.

    If a server requests a lower rate, all workers wait until its delay is over. Then one request is
    sent. Each answer allows one more at a time, up to half of the rejected number, and from there
    more slowly (slow start and congestion avoidance, RFC 5681 §3.1).
    """

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._clock = clock
        self._limits = limits
        self._requests = _Rate(limits.requests_per_minute)
        self._tokens = _Rate(limits.tokens_per_minute)
        self._counted = 0
        self._mean = 0.0
        self._in_flight = 0
        self._allowed = self._enough = float(limits.concurrency)
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._held_until = 0.0
        self._epoch = 0
        self._pleas = 0

    async def begin(self, expected: float = 0.0) -> Turn:
        """Wait until a request may be sent.

        Args:
            expected: The estimated tokens of the request, used until the first answer.
        """
        tokens = self._mean if self._counted else expected
        now = self._clock.now()
        wait = max(self._requests.reserve(1.0, now), self._tokens.reserve(tokens, now))
        if wait > 0:
            await self._clock.sleep(wait)
        while True:
            held = self._held_until - self._clock.now()
            if held > 0:
                await self._clock.sleep(held)
            elif self._in_flight >= self._allowed:
                await self._vacancy()
            else:
                break
        self._in_flight += 1
        return Turn(tokens, self._epoch)

    def end(self) -> None:
        """Record the end of a request, successful or not."""
        self._in_flight -= 1
        self._wake()

    def answered(self, turn: Turn, tokens: float | None) -> None:
        """Record an answer and its tokens."""
        self._pleas = 0
        if tokens is not None:
            self._counted += 1
            self._mean += (tokens - self._mean) / self._counted
            self._tokens.charge(tokens - turn.tokens)
        if self._allowed < self._limits.concurrency:
            grown = self._allowed + (1 if self._allowed < self._enough else 1 / self._allowed)
            self._allowed = min(grown, float(self._limits.concurrency))
            self._wake()

    def throttled(self, turn: Turn, retry_after: float | None) -> float:
        """Record that the server requests a lower rate; all workers wait.

        Returns:
            The wait in seconds.
        """
        if turn.epoch == self._epoch:
            # Requests sent before the server's signal and rejected after it add no information.
            self._epoch += 1
            self._pleas += 1
            self._enough = max(1.0, self._in_flight / 2)
            self._allowed = 1.0
        wait = retry_after
        if wait is None:
            wait = self._limits.first_wait * 2.0 ** min(self._pleas - 1, 30)
        wait = min(wait, self._limits.longest_wait)
        self._held_until = max(self._held_until, self._clock.now() + wait)
        return wait

    async def _vacancy(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._wake()
            raise

    def _wake(self) -> None:
        free = self._allowed - self._in_flight
        while self._waiting and free > 0:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                free -= 1


class _Rate:
    """An amount per minute, evenly spaced."""

    def __init__(self, per_minute: float | None) -> None:
        self._each = None if per_minute is None else _MINUTE / per_minute
        self._next = float("-inf")

    def reserve(self, amount: float, now: float) -> float:
        """Reserve the next slot and return the wait until then, in seconds."""
        if self._each is None:
            return 0.0
        slot = max(now, self._next)
        self._next = slot + amount * self._each
        return slot - now

    def charge(self, more: float) -> None:
        """Correct the reserved amount when the actual one is known."""
        if self._each is not None:
            self._next += more * self._each


class Patience:
    """Repeats requests after temporary faults, at the pace that all workers share."""

    def __init__(self, limits: Limits, clock: Clock | None = None) -> None:
        self._limits = limits
        self._clock = clock or Clock()
        self._pace = Pace(limits, self._clock)
        self._jitter = tenacity.wait_random_exponential(limits.first_wait, limits.longest_wait)

    async def ask(self, ask: Ask, question: Question, most_tokens: int = 0) -> Reply:
        """Send a question, with retries.

        Args:
            ask: Sends one request.
            question: The question.
            most_tokens: The maximum tokens of an answer, to estimate the first request's tokens.
        """
        tries = 0
        seconds = 0.0

        async def once() -> Answer:
            nonlocal tries, seconds
            turn = await self._pace.begin(_expected(question, most_tokens))
            tries += 1
            start = time.perf_counter()
            try:
                answer = await ask(question)
            except Fault as fault:
                if fault.throttled and not self._is_far(fault):
                    wait = self._pace.throttled(turn, fault.retry_after)
                    log.info("rate limited", status=fault.status, wait=wait)
                raise self._final(fault) from fault.__cause__
            finally:
                seconds = time.perf_counter() - start
                self._pace.end()
            self._pace.answered(turn, _taken(answer))
            return answer

        # Each question has its own object, because it counts the tries and questions overlap.
        retrying = tenacity.AsyncRetrying(
            sleep=self._clock.sleep,
            stop=tenacity.stop_after_attempt(self._limits.retries + 1),
            wait=self._wait,
            retry=tenacity.retry_if_exception(_may_pass),
            before_sleep=_log_retry(question.item.id),
            reraise=True,
        )
        try:
            answer: Answer = await retrying(once)
        except Fault as fault:
            return Reply(None, fault, tries, seconds)
        return Reply(answer, None, tries, seconds)

    def _final(self, fault: Fault) -> Fault:
        """Return the fault; it is permanent if the server requests a wait above `longest_wait`."""
        longest = self._limits.longest_wait
        if self._is_far(fault):
            fault.far = True
            fault.passing = False
            fault.message += (
                f"; the server asks to wait {fault.retry_after:g} s, longest_wait is {longest:g} s"
            )
        return fault

    def _is_far(self, fault: Fault) -> bool:
        return fault.retry_after is not None and fault.retry_after > self._limits.longest_wait

    def _wait(self, state: tenacity.RetryCallState) -> float:
        fault = _fault_of(state)
        if fault is not None and fault.throttled:
            # The pace delays all requests, including this one.
            return 0.0
        drawn = self._jitter(state)
        return max(drawn, (fault.retry_after if fault else None) or 0.0)


def _fault_of(state: tenacity.RetryCallState) -> Fault | None:
    error = None if state.outcome is None else state.outcome.exception()
    return error if isinstance(error, Fault) else None


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, Fault) and error.passing


def _log_retry(item_id: str) -> Callable[[tenacity.RetryCallState], None]:
    def log_retry(state: tenacity.RetryCallState) -> None:
        fault = _fault_of(state)
        log.debug(
            "retry",
            item_id=item_id,
            tries=state.attempt_number,
            status=None if fault is None else fault.status,
            fault=None if fault is None else fault.message,
            wait=state.upcoming_sleep,
        )

    return log_retry


def _expected(question: Question, most_tokens: int) -> float:
    """Estimate a request's tokens; after the first answer, the mean of answers is used instead."""
    pixels = sum(view.width * view.height for view in question.images.values())
    return len(question.prompt) / _CHARACTERS_A_TOKEN + pixels / _PIXELS_A_TOKEN + most_tokens


def _taken(answer: Answer) -> float | None:
    if answer.input_tokens is None and answer.output_tokens is None:
        return None
    return float((answer.input_tokens or 0) + (answer.output_tokens or 0))

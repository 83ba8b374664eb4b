"""Repeated requests for one question, until it has an answer or retries can't succeed."""

import logging
import time
from collections.abc import Callable
from typing import NamedTuple

import structlog

from snellen.grading.errors import MissingExtraError
from snellen.sdk.models.clients import Ask
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.pace import Clock, Pace
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

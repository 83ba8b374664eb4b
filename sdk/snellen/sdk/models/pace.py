"""Pace: the request rate of all workers together.

Three things limit it: the user's rates, a server that requests a lower rate, and the slow start
after that. A token bucket such as aiolimiter's would send a whole minute's requests at once, which
servers reject. Here requests are evenly spaced (the generic cell rate algorithm, ITU-T I.371, with
no burst).
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from snellen.sdk.models.settings import Limits

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
        place = max(now, self._next)
        self._next = place + amount * self._each
        return place - now

    def charge(self, more: float) -> None:
        """Correct the reserved amount when the actual one is known."""
        if self._each is not None:
            self._next += more * self._each

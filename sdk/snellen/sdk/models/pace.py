"""Pace: how fast all workers together may ask.

Three things slow them: rates that the user states, a server that asks for fewer requests, and
after that a slow start. A token bucket such as aiolimiter's would let a whole minute's requests
go at once, which is what servers refuse; these are spaced evenly instead (the generic cell rate
algorithm, ITU-T I.371, with no burst).
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
    """The time, in seconds from anywhere, and waiting."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Turn:
    """One request's leave to go: what it was charged, and when it was given."""

    tokens: float
    epoch: int


class Pace:
    """Gives every request its turn.

    A server's plea for fewer requests holds everybody: nothing is sent until it is over. Then
    one request goes; each answer lets one more go at a time, up to half of what was too much,
    and from there on more slowly (slow start and congestion avoidance, RFC 5681 §3.1).
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
        """Wait until a request may go.

        Args:
            expected: The tokens it may take, as long as no answer has shown what they take.
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
        """Say that a request is over, however it went."""
        self._in_flight -= 1
        self._wake()

    def answered(self, turn: Turn, tokens: float | None) -> None:
        """Say that a request was answered and what it took."""
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
        """Say that the server asked for fewer requests; everybody waits.

        Returns:
            How long, in seconds.
        """
        if turn.epoch == self._epoch:
            # What was sent before the plea and refused after it says nothing new.
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
    """So much a minute, evenly."""

    def __init__(self, per_minute: float | None) -> None:
        self._each = None if per_minute is None else _MINUTE / per_minute
        self._next = float("-inf")

    def reserve(self, amount: float, now: float) -> float:
        """Take the next place and return how long it is until then."""
        if self._each is None:
            return 0.0
        place = max(now, self._next)
        self._next = place + amount * self._each
        return place - now

    def charge(self, more: float) -> None:
        """Put right what was taken, once it is known."""
        if self._each is not None:
            self._next += more * self._each

"""Contexts: one item each, some at a time, each run anew where its agent failed.

A fault of the agent command is never a score: its item stays open, and is told of.
"""

import asyncio
import secrets
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from snellen.grading.errors import InputError, SnellenError
from snellen.sdk.exam.agents import AgentCommand, Ran
from snellen.sdk.exam.examiner import Examiner

PREFIX = "take-"
"""What the names of a runner's contexts begin with."""
GIVE_UP = 5
"""After so many contexts in a row without an answer no other is begun: the command is broken."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How contexts are run.

    Attributes:
        contexts: How many at a time.
        retries: How often a context is run again after a fault.
        timeout: Seconds that a run may take.

    Raises:
        InputError: One of them can't be.
    """

    contexts: int = 1
    retries: int = 2
    timeout: float = 600.0

    def __post_init__(self) -> None:
        if self.contexts < 1:
            raise InputError("at least one context must run")
        if self.retries < 0:
            raise InputError("retries can't be fewer than none")
        if self.timeout <= 0:
            raise InputError("a run takes some time")


@dataclass(slots=True)
class Taking:
    """What became of an attempt.

    Attributes:
        attempt: Its handle.
        contexts: How many contexts answered their item.
        runs: How many processes were run.
        faults: How many of them failed, by how.
        failed: The contexts that never answered.
        stopped: Whether the command was given up.
        last_words: What the last run that failed wrote at its end.
        answered: How many items of the attempt are answered, whoever did it.
        open: How many are not.
        report: The exam's report; None: the attempt is open.
    """

    attempt: str
    contexts: int = 0
    runs: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])
    failed: list[str] = field(default_factory=list[str])
    stopped: bool = False
    last_words: str = ""
    answered: int = 0
    open: int = 0
    report: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON, for a file."""
        return {
            "attempt": self.attempt,
            "contexts": self.contexts,
            "runs": self.runs,
            "faults": dict(self.faults),
            "failed": self.failed,
            "answered": self.answered,
            "open": self.open,
            "report": self.report,
        }


async def take_items(
    command: AgentCommand,
    attempt: str,
    pace: Pace,
    told: Callable[[str], None],
    *,
    finish: bool = False,
) -> Taking:
    """Run an agent command, once a context, until nothing is open; then close the attempt.

    Args:
        command: The agent.
        attempt: The attempt's handle; it may have been begun before.
        pace: How many at a time, and how often again.
        told: Is told, in a sentence each, what is being done.
        finish: Whether to close the attempt even where items stayed open: they score nothing.

    Raises:
        SnellenError: The exam can't be reached, or refuses.
    """
    taking = Taking(attempt)
    examiner = command.examiner
    waiting = deque(await _names(examiner, attempt))
    told(f"{len(waiting)} items to take, {min(pace.contexts, len(waiting))} at a time")
    await _Runner(command, taking, waiting, pace, told).run()
    standing = await examiner.standing(attempt)
    taking.answered, taking.open = standing.answered, standing.open
    if finish or not standing.open:
        taking.report = await examiner.finish(attempt)
    return taking


async def _names(examiner: Examiner, attempt: str) -> Sequence[str]:
    """Return the names of the contexts to run, one an item.

    What a runner that is gone had handed out is asked for under the same name: it would be kept
    for that name for a while, and nobody else gets it.
    """
    standing = await examiner.standing(attempt)
    begun = [name for name in standing.holders if name.startswith(PREFIX)]
    run = secrets.token_hex(4)
    return [*begun, *(f"{PREFIX}{run}-{number}" for number in range(1, standing.free + 1))]


class _Runner:
    def __init__(
        self,
        command: AgentCommand,
        taking: Taking,
        waiting: deque[str],
        pace: Pace,
        told: Callable[[str], None],
    ) -> None:
        self._command = command
        self._taking = taking
        self._waiting = waiting
        self._pace = pace
        self._told = told
        self._in_a_row = 0

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._pace.contexts, len(self._waiting))):
                    group.create_task(self._work())
        except* SnellenError as errors:
            # One is as good as the other: the exam is gone for all.
            raise errors.exceptions[0] from None

    async def _work(self) -> None:
        while self._waiting and not self._taking.stopped:
            await self._take(self._waiting.popleft())

    async def _take(self, client: str) -> None:
        taking = self._taking
        for number in range(1, self._pace.retries + 2):
            if taking.stopped:
                break
            taking.runs += 1
            ran = await self._command.run(taking.attempt, client, number)
            had = await self._command.examiner.items_of(taking.attempt, client)
            if any(had):
                taking.contexts += 1
                self._in_a_row = 0
                return
            if not had and not (await self._command.examiner.standing(taking.attempt)).free:
                return  # another client took what was left
            fault = _fault(ran, took=bool(had))
            taking.faults[fault] += 1
            taking.last_words = ran.tail
            self._told(f"{client}, run {number}: {fault}")
        taking.failed.append(client)
        self._in_a_row += 1
        if self._in_a_row >= GIVE_UP:
            taking.stopped = True


def _fault(ran: Ran, *, took: bool) -> str:
    if ran.status is None:
        return "stopped after its time"
    if ran.status < 0:
        return f"ended by signal {-ran.status}"
    if ran.status:
        return f"exit status {ran.status}"
    return "ended without an answer" if took else "took no item"

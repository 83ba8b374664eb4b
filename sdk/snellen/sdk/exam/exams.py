"""From where an exam is to what became of it: the attempt, the agents, the report."""

import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.sdk.exam.agents import AgentCommand
from snellen.sdk.exam.examiner import Examiner
from snellen.sdk.exam.runner import Pace, Taking, take_items
from snellen.sdk.exam.server import serving


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be taken, and where.

    Attributes:
        attempt: An attempt to go on with; None starts one.
        tasks: Tasks or benchmarks; none: all that is offered.
        model: Who answers, for the report.
        url: The exam's server; None: one of the runner's own.
        token: What the server asks for.
        serve: What the runner's own server is started with, as `snellen serve` takes it.

    Raises:
        InputError: Two of them contradict each other.
    """

    attempt: str | None = None
    tasks: Sequence[str] = ()
    model: str | None = None
    url: str | None = None
    token: str | None = field(default=None, repr=False)
    serve: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.url is not None and self.serve:
            raise InputError("what follows -- is for a server of this command's own, not for --url")
        if self.attempt is not None and (self.tasks or self.model):
            raise InputError("an attempt that goes on keeps its tasks and its model")


async def take(
    agent: str,
    wanted: Wanted,
    pace: Pace,
    told: Callable[[str], None],
    *,
    logs: Path | None = None,
    finish: bool = False,
) -> Taking:
    """Take an exam with an agent command, a fresh process for each item.

    Args:
        agent: The command, as a shell reads it.
        wanted: What is to be taken, and where.
        pace: How many at a time, and how often again after a fault, and for how long.
        told: Is told, in a sentence each, what is being done.
        logs: A folder for what the agents write; None: it is not kept.
        finish: Whether to close the attempt even where items stayed open.

    Raises:
        SnellenError: The exam can't be reached, or refuses.
    """
    if not agent.strip():
        raise InputError("the agent's command is empty")
    async with _examiner(wanted) as examiner:
        attempt = wanted.attempt
        if attempt is None:
            attempt = await examiner.start(wanted.tasks, wanted.model)
        told(f"the attempt is {attempt}: given with --attempt it goes on, whatever happens")
        with tempfile.TemporaryDirectory(prefix="snellen-take-") as place:
            command = AgentCommand(agent, examiner, Path(place), logs or Path(place), pace.timeout)
            command.prepare()
            return await take_items(command, attempt, pace, told, finish=finish)


@asynccontextmanager
async def _examiner(wanted: Wanted) -> AsyncGenerator[Examiner]:
    if wanted.url is not None:
        yield Examiner(wanted.url, wanted.token)
        return
    async with serving(wanted.serve) as url:
        yield Examiner(url, wanted.token)

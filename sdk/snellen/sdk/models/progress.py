"""The progress display of a run."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_EVERY = 0.25


@dataclass(slots=True)
class Counts:
    """The progress of a run.

    Attributes:
        total: The number of answers to collect.
        done: The number of answers and errors, including answers from before the run was resumed.
        errors: The number of errors among them.
        tokens: The number of input and output tokens, as far as the API reports them.
        last: The message of the last fault; empty after the next answer.
    """

    total: int
    done: int = 0
    errors: int = 0
    tokens: int = 0
    last: str = ""


@asynccontextmanager
async def watched(counts: Counts, wanted: bool | None) -> AsyncGenerator[None]:
    """Show the counts on standard error while the block runs.

    Args:
        counts: The counts, which are read four times a second.
        wanted: Whether to show them; None: only on a terminal.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("asking"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[errors]} errors"),
        TextColumn("{task.fields[tokens]:,} tokens"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", style="yellow", markup=False),
    )
    console = Console(stderr=True, force_terminal=True)
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        line = bar.add_task(
            "", total=counts.total, completed=counts.done, rate="", errors=0, tokens=0, last=""
        )
        showing = asyncio.create_task(_show(bar, line, counts))
        try:
            yield
        finally:
            showing.cancel()


async def _show(bar: "Progress", line: "TaskID", counts: Counts) -> None:
    while True:
        speed = bar.tasks[0].speed
        bar.update(
            line,
            completed=counts.done,
            rate="" if speed is None else f"{speed:.1f}/s",
            errors=counts.errors,
            tokens=counts.tokens,
            last=counts.last[:60],
            refresh=True,
        )
        await asyncio.sleep(_EVERY)

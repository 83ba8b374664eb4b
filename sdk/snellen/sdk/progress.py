"""A progress bar for long work on a terminal."""

import sys
import time
from collections.abc import Iterable, Iterator

from snellen.grading.grade import Answers
from snellen.sdk.submissions import Batch

_PATIENCE = 1.0


def watched(
    batches: Iterable[tuple[Answers, Batch]], wanted: bool | None = None
) -> Iterator[Answers]:
    """Yield the answers, showing on standard error how much of the input was read.

    Args:
        batches: The answers, each batch beside what it was read from.
        wanted: True shows a bar at once, False never; None once a second has passed, on a
            terminal only.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield from (answers for answers, _ in batches)
        return
    start = time.monotonic()
    ahead = iter(batches)
    for answers, _ in ahead:
        yield answers
        if wanted or time.monotonic() - start >= _PATIENCE:
            yield from _with_bar(ahead)


def _with_bar(batches: Iterator[tuple[Answers, Batch]]) -> Iterator[Answers]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("grading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    console = Console(stderr=True, force_terminal=True)
    with Progress(*columns, console=console, transient=True) as bar:
        line = bar.add_task("grading", total=None)
        for answers, batch in batches:
            yield answers
            bar.update(line, completed=batch.bytes_read, total=batch.bytes_total)

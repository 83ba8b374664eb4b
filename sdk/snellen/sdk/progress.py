"""A progress bar for long work on a terminal."""

import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

from snellen.grading.grade import Answers
from snellen.sdk.submissions import Batch

_PATIENCE = 1.0


class Progress:
    """Shows how much of the input was read, once that has taken a second.

    Args:
        wanted: True shows it at once and always, False never; None on a terminal only.
    """

    def __init__(self, wanted: bool | None = None) -> None:
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._patience = _PATIENCE if wanted is None else 0.0
        self._start = time.monotonic()
        self._bar: Any = None
        self._line: Any = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def watch(self, batches: Iterable[tuple[Answers, Batch]]) -> Iterator[Answers]:
        """Yield the answers, showing after each batch how far the reading has come."""
        for answers, batch in batches:
            yield answers
            if self._wanted and time.monotonic() - self._start >= self._patience:
                if self._bar is None:
                    self._open()
                self._bar.update(self._line, completed=batch.bytes_read, total=batch.bytes_total)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("grading"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._line = self._bar.add_task("grading", total=None)
        self._bar.start()

"""Ending a browser that a page blocks: nothing else stops a script that never returns."""

import os
import signal
from contextlib import suppress
from threading import Timer


class Deadline:
    """Ends a process unless it is renewed or closed in time.

    Attributes:
        seconds: The time for a page, from the start or from the last renewal.
        passed: Whether the process was ended.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self._process = 0
        self._timer: Timer | None = None

    def start(self, process: int) -> None:
        """Start the timer.

        Args:
            process: The process to end; 0 for none.
        """
        self.close()
        self._process = process
        self._timer = Timer(self.seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def renew(self) -> None:
        """Restart the timer."""
        self.start(self._process)

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self.passed = True
        if self._process:
            with suppress(ProcessLookupError):
                os.kill(self._process, getattr(signal, "SIGKILL", signal.SIGTERM))

"""Logs: one JSON line per call on standard error, without answers, references or full handles.

A separate thread writes the lines: a host that does not read its server's standard error must not
block the exam when the pipe is full.
"""

import atexit
import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Hashable, Mapping, MutableMapping
from contextlib import suppress
from functools import cache
from queue import Empty, Full, Queue
from typing import IO, Any

import msgspec

MAX_WAITING = 10_000
"""How many lines wait for a reader before the oldest are dropped."""

PAUSE_SECONDS = 0.05
"""How long lines are collected after one was written: a thread that wakes for each line costs a
request more than its line."""

REPEAT_SECONDS = 60.0
"""How long a line that says the same as an earlier one is left out."""

_MOST_TOGETHER = 100
_MOST_REPEATED = 100
_EXIT_SECONDS = 1.0
_HANDLE_SHOWN = 4


class LogWriter:
    """Writes lines on a separate thread; the oldest are dropped if they are not read."""

    def __init__(self, stream: IO[bytes], max_lines: int = MAX_WAITING) -> None:
        self._stream = stream
        self._lines: Queue[bytes] = Queue(max_lines)
        threading.Thread(target=self._write, name="snellen-log", daemon=True).start()

    def msg(self, line: bytes) -> None:
        """Queue a line."""
        while True:
            try:
                self._lines.put_nowait(line)
            except Full:
                with suppress(Empty):
                    self._lines.get_nowait()
                    self._lines.task_done()
            else:
                return

    # structlog calls the methods named after levels.
    debug = info = warning = error = critical = msg

    def drain(self, seconds: float) -> bool:
        """Wait until all lines are written, at most `seconds`; return whether they are."""
        with self._lines.all_tasks_done:
            return self._lines.all_tasks_done.wait_for(
                lambda: not self._lines.unfinished_tasks, seconds
            )

    def _write(self) -> None:
        while True:
            lines = [self._lines.get()]
            with suppress(Empty):
                while len(lines) < _MOST_TOGETHER:
                    lines.append(self._lines.get_nowait())
            with suppress(OSError, ValueError):  # no reader is left
                self._stream.write(b"".join(line + b"\n" for line in lines))
                self._stream.flush()
            for _ in lines:
                self._lines.task_done()
            time.sleep(PAUSE_SECONDS)


class Repeats:
    """Suppresses repeated lines, so that a lasting fault does not fill the disk.

    Args:
        seconds: The time for which a line is suppressed after an equal one.
        clock: Returns the time in seconds.
    """

    def __init__(
        self, seconds: float = REPEAT_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._written: dict[Hashable, float] = {}
        self._left_out: dict[Hashable, int] = {}

    def check(self, key: Hashable) -> dict[str, int] | None:
        """Return None for a line to suppress, else the number of suppressed lines to add to it."""
        now = self._clock()
        with self._lock:
            written = self._written.get(key)
            if written is not None and now - written < self._seconds:
                self._left_out[key] = self._left_out.get(key, 0) + 1
                return None
            self._written.pop(key, None)
            self._written[key] = now
            left_out = self._left_out.pop(key, 0)
            while len(self._written) > _MOST_REPEATED:
                oldest = next(iter(self._written))
                del self._written[oldest]
                self._left_out.pop(oldest, None)
        return {"left_out": left_out} if left_out else {}


@cache
def repeats() -> Repeats:
    """Return this process's filter of repeated lines."""
    return Repeats()


def warn_once(event: str, **known: Any) -> None:  # noqa: ANN401  # as structlog takes them
    """Log a warning, unless the same event was logged within a minute."""
    more = repeats().check(event)
    if more is not None:
        log().warning(event, **known, **more)


@cache
def lines_to_stderr() -> LogWriter:
    """Return the one writer to standard error."""
    writer = LogWriter(sys.stderr.buffer)
    # The last lines of a command say why it ended.
    atexit.register(writer.drain, _EXIT_SECONDS)
    return writer


@cache
def log() -> Any:  # noqa: ANN401  # structlog's loggers have no type that names their methods
    """Return the logger of calls."""
    import structlog

    return structlog.wrap_logger(
        lines_to_stderr(),
        processors=[
            # The id of the request that a line is about.
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _render,
        ],
        wrapper_class=structlog.BoundLogger,
    ).bind()


def short(handle: str | None) -> str | None:
    """Return a prefix of a handle: enough to recognize it, too little to use it."""
    return None if handle is None else handle[:_HANDLE_SHOWN] + "…"


def fault(error: BaseException) -> Mapping[str, Any]:
    """Return the loggable part of an error: its type and where it was raised.

    The message is left out: a database's message shows the values to write, which are answers.
    """
    frames = traceback.extract_tb(error.__traceback__)
    chain = [type(error).__name__]
    cause = error.__cause__ or error.__context__
    while cause is not None and len(chain) < 5:
        chain.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-8:]]
    return {"error": chain, "where": where}


def log_libraries() -> None:
    """Log libraries' warnings and errors in the same way, repeated ones once a minute."""
    root = logging.getLogger()
    root.handlers[:] = [_ToLines()]
    root.setLevel(logging.WARNING)


class _ToLines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        more = repeats().check((record.name, str(record.msg), type(error)))
        if more is None:
            return
        known: dict[str, Any] = {"library": record.name, **more}
        if error is not None:
            # The message may quote what failed.
            known |= {**fault(error), "template": str(record.msg)}
        else:
            known["message"] = record.getMessage()
        level = record.levelname.lower()
        getattr(log(), level if level in {"warning", "error", "critical"} else "info")(
            "library", **known
        )


def _render(_: object, __: str, event: MutableMapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(dict(event))
    except UnicodeEncodeError:  # half a surrogate pair that a caller sent; here it is escaped
        return json.dumps(event).encode()

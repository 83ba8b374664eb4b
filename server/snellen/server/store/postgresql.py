"""Connections of psycopg that give up: a server that is stopped or cut off says nothing at all.

`statement_timeout` is the server's own, and keepalives are answered by its machine: neither ends
the wait for a server process that is frozen.
"""

import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")


class _SilentError(psycopg.OperationalError):
    """The server does not answer."""


class _Bounded(psycopg.Connection[Any]):
    """A connection that waits no longer than so many seconds for an answer."""

    seconds: float = 0.0

    def wait(
        self,
        gen: Generator[Any, Any, T],
        *arguments: Any,  # noqa: ANN401  # psycopg's own, which differ by its version
        **options: Any,  # noqa: ANN401
    ) -> T:
        """Wait for what a generator of psycopg's waits for, within the bound."""
        try:
            return super().wait(_bounded(gen, self.seconds), *arguments, **options)
        except _SilentError:
            # An answer that comes late must not be taken for that to a later question.
            self.close()
            raise


def connect_bounded(
    seconds: float, arguments: Sequence[Any], options: Mapping[str, Any]
) -> psycopg.Connection[Any]:
    """Connect; whatever the connection waits for then fails after so many seconds.

    Raises:
        psycopg.OperationalError: The server can't be reached.
    """
    connection = _Bounded.connect(*arguments, **options)
    connection.seconds = seconds
    return connection


def _bounded(gen: Generator[Any, Any, T], seconds: float) -> Generator[Any, Any, T]:
    """Pass on what psycopg waits for; it looks in at least ten times a second."""
    end = time.monotonic() + seconds
    try:
        waited_for = next(gen)
        while True:
            ready = yield waited_for
            if not ready and time.monotonic() >= end:
                raise _SilentError(f"the server has not answered for {seconds:g} s")
            waited_for = gen.send(ready)
    except StopIteration as stop:
        return stop.value

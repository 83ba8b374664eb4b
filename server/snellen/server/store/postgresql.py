"""psycopg connections with timeouts, for servers that are stopped or cut off.

The server enforces `statement_timeout`, and its machine answers keepalives. So neither ends the
wait for a frozen server process.
"""

import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")


class _SilentError(psycopg.OperationalError):
    """The server does not answer."""


class _Bounded(psycopg.Connection[Any]):
    """A connection with a timeout for answers."""

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
            # A late answer must not be taken for the answer to a later query.
            self.close()
            raise


def connect_bounded(
    seconds: float, arguments: Sequence[Any], options: Mapping[str, Any]
) -> psycopg.Connection[Any]:
    """Connect, with a timeout in seconds for every wait of the connection.

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

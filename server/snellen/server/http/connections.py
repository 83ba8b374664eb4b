"""Connections: their maximum number, and the deadlines of a request's head and body.

uvicorn limits the size of a request's head, and closes a connection that is idle after a response.
It has no deadline for a request that is never finished, and its own limit of connections closes
none. A proxy in front of the server, as in `deploy/Caddyfile`, has a deadline for the response.
"""

import asyncio
from typing import ClassVar, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from snellen.server.logs import warn_once

MAX_CONNECTIONS = 4_000


class Deadlines(NamedTuple):
    """The deadlines of a request, in seconds.

    Attributes:
        head: For its head, from the connection's start or the head's first byte.
        body: For the next byte of the rest, since the last one.
        floor: The bytes of the rest that must come in each second after the first `body` seconds,
            on the mean: what comes byte by byte ends, and a large file over a slow line arrives.
    """

    head: float = 10.0
    body: float = 60.0
    floor: float = 4_000.0


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with two deadlines and a limit of connections."""

    deadlines: ClassVar[Deadlines] = Deadlines()
    max_connections: ClassVar[int] = MAX_CONNECTIONS

    _timer: asyncio.TimerHandle | None = None
    _part: type[object] = h11.IDLE
    _began: float = 0.0
    _last: float = 0.0
    _received: int = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  # as uvicorn has it
        """Begin to wait for a request's head; at the limit, close the connection."""
        super().connection_made(transport)
        self._wait(self.deadlines.head)
        if len(self.connections) > self.max_connections:
            warn_once("connection limit", most=self.max_connections)
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer."""
        self._wait(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process a piece of a request."""
        if self._part is h11.IDLE and self._timer is None:
            self._wait(self.deadlines.head)
        self._last = self.loop.time()
        self._received += len(data)
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._follow()

    def _follow(self) -> None:
        """Start the deadline of the part that the client is to send now, unless it runs already."""
        part = self.conn.their_state
        if part is self._part or self.transport.is_closing():
            return
        self._part = part
        # After a response, uvicorn's own timer closes what stays idle.
        self._wait(None)
        if part is h11.SEND_BODY:
            self._began = self._last = self.loop.time()
            self._received = 0
            self._wait_for_body()

    def _wait_for_body(self) -> None:
        """Wait until the body's deadline; close the connection if it has passed."""
        most = self.deadlines
        due = min(self._last, self._began + self._received / most.floor) + most.body
        left = due - self.loop.time()
        if left <= 0:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(left, self._wait_for_body)

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self.transport.abort)


def protocol(max_connections: int, deadlines: Deadlines | None = None) -> type[LimitedProtocol]:
    """Return the protocol of a server, for uvicorn's `http=`."""
    values = {"max_connections": max_connections, "deadlines": deadlines or Deadlines()}
    return type("LimitedProtocol", (LimitedProtocol,), values)


def connection_limit() -> int:
    """Return half of the files that this process may open: the store and images need the others."""
    try:
        import resource
    except ImportError:  # Windows, whose sockets are no file descriptors
        return MAX_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = soft == resource.RLIM_INFINITY
    return MAX_CONNECTIONS if unlimited else min(MAX_CONNECTIONS, max(1, soft // 2))

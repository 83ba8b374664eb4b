"""Connections: their maximum number and their deadlines.

uvicorn limits the size of a request's head, and closes a connection that is idle after a response.
It has no deadline for a request that is never finished, nor for a response that is never read. This
module adds both, and a limit on open connections: at the limit, a new connection replaces the one
that has waited longest without a complete request.
"""

import asyncio
from typing import ClassVar, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from snellen.server.logs import warn_once

DESCRIPTORS = 10_240
"""The file descriptors that are asked for: macOS gives no more."""
MOST_CONNECTIONS = 4_000
_ACCEPTED_AT_ONCE = 2_048


class Deadlines(NamedTuple):
    """The deadlines of a connection for each part of an exchange, in seconds.

    Attributes:
        head: For a request's head, from the connection's start or the head's first byte.
        body: For the rest of the request.
        response: For reading the response, when its buffer is full.
    """

    head: float = 10.0
    body: float = 60.0
    response: float = 60.0


class Limits(NamedTuple):
    """The maximum numbers of connections.

    Attributes:
        connections: Open connections.
        backlog: Accepted connections, before the limit is applied.
    """

    connections: int
    backlog: int


class Waiting:
    """The connections without a complete request, the longest waiting first.

    Args:
        most: The maximum number of open connections.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._connections: dict[LimitedProtocol, None] = {}

    def add(self, connection: "LimitedProtocol") -> None:
        """Note that a connection waits, behind all others."""
        self._connections.pop(connection, None)
        self._connections[connection] = None

    def remove(self, connection: "LimitedProtocol") -> None:
        """Note that a connection waits no longer."""
        self._connections.pop(connection, None)

    def close_longest(self) -> None:
        """Close the connection that waits longest, if there is one."""
        longest = next(iter(self._connections), None)
        if longest is not None:
            warn_once("connection limit", most=self.most)
            longest.end()


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with deadlines, and one of a limited number of connections."""

    deadlines: ClassVar[Deadlines] = Deadlines()
    waiting: ClassVar[Waiting]

    _reading: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    _part: type[object] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  # as uvicorn has it
        """Begin to wait for a request's head."""
        if len(self.connections) >= self.waiting.most:
            self.waiting.close_longest()
        super().connection_made(transport)
        self._follow()
        self._wait(self.deadlines.head)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the timers."""
        self._wait(None)
        self._await_reader(waits=False)
        self.waiting.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        if self._part is h11.IDLE and self._reading is None:
            self._wait(self.deadlines.head)
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._follow()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._await_reader(waits=True)

    def resume_writing(self) -> None:
        """Stop the deadline for reading."""
        super().resume_writing()
        self._await_reader(waits=False)

    def end(self) -> None:
        """Close the connection at once; unsent data is dropped."""
        self.waiting.remove(self)
        # It counts no longer, though the loop reports its end in its next turn only.
        self.connections.discard(self)
        self.transport.abort()

    def _follow(self) -> None:
        """Start the deadline of the part that the client is to send now, unless it runs already."""
        part = self.conn.their_state
        if part is self._part or self.transport.is_closing():
            return
        self._part = part
        # After a response, uvicorn's own timer closes what stays idle.
        self._wait(self.deadlines.body if part is h11.SEND_BODY else None)
        if part in (h11.IDLE, h11.SEND_BODY):
            self.waiting.add(self)
        else:
            self.waiting.remove(self)

    def _wait(self, seconds: float | None) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._reading = None if seconds is None else self.loop.call_later(seconds, self.end)

    def _await_reader(self, *, waits: bool) -> None:
        if self._writing is not None:
            self._writing.cancel()
        self._writing = self.loop.call_later(self.deadlines.response, self.end) if waits else None


def protocol(most: int, deadlines: Deadlines | None = None) -> type[LimitedProtocol]:
    """Return the protocol of a server, for uvicorn's `http=`.

    Args:
        most: How many connections may be open at once.
        deadlines: How long each may take.
    """
    known = {"waiting": Waiting(most), "deadlines": deadlines or Deadlines()}
    return type("LimitedProtocol", (LimitedProtocol,), known)


def raise_limits() -> Limits:
    """Raise the limit of file descriptors as far as possible; return the resulting limits.

    Half of the descriptors are for connections and a quarter for those that are accepted before
    the limit on them is applied; the last quarter is for the store, images and the rest.
    """
    try:
        import resource
    except ImportError:  # Windows, whose sockets are no file descriptors
        descriptors = DESCRIPTORS
    else:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        unlimited = resource.RLIM_INFINITY
        wanted = DESCRIPTORS if hard == unlimited else min(DESCRIPTORS, hard)
        if soft != unlimited and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        descriptors = wanted if soft == unlimited else max(soft, wanted)
    return Limits(
        min(MOST_CONNECTIONS, max(1, descriptors // 2)),
        min(_ACCEPTED_AT_ONCE, max(1, descriptors // 4)),
    )

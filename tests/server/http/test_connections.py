"""Connections that send or read half of what they should, against servers of their own."""

import asyncio
import http.client
import json
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn

from snellen.server.http.connections import Deadlines, protocol

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no limit of descriptors there")

Serve = Callable[..., Any]
SECONDS = 60
HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
HALF_HEAD = HEAD
HALF_BODY = HEAD + b'Content-Length: 1000\r\n\r\n{"jsonrpc": '
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@contextmanager
def half_sent(port: int, count: int, sent: bytes) -> Generator[list[socket.socket]]:
    with ExitStack() as stack:
        found: list[socket.socket] = []
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
            found.append(stack.enter_context(connection))
            connection.sendall(sent)
        yield found
        for connection in found:  # until the server has closed it too, and counts it no more
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass


def port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port


def listed(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("POST", "/mcp", LIST, ACCEPT)
        response = connection.getresponse()
        assert b"submit_answer" in response.read()
        return response.status
    finally:
        connection.close()


@pytest.mark.slow
def test_a_server_uses_half_of_the_files_that_it_may_open_for_connections(serve: Serve) -> None:
    served = serve(descriptors=(256, 256))
    port = port_of(served.url)
    with half_sent(port, 100, HALF_HEAD):
        assert [listed(port) for _ in range(3)] == [200, 200, 200]
    with half_sent(port, 300, HALF_BODY):
        pass
    assert listed(port) == 200
    written = served.stop()
    assert written.count("connection limit") == 1
    assert len(written) < 5_000


async def hello(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-length", b"5")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"xxxxx"})


@asynccontextmanager
async def running(most: int, deadlines: Deadlines) -> AsyncGenerator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            hello,
            lifespan="off",
            http=protocol(most, deadlines),
            log_config=None,
            timeout_keep_alive=SECONDS,
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await task


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    try:
        return await asyncio.wait_for(reader.read(), SECONDS)
    except ConnectionResetError:
        return b""


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET",
        b"GET / HTTP/1.1\r\nHost: a\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc",
    ],
    ids=["nothing", "a word", "half a head", "half a body"],
)
async def test_a_request_that_is_never_finished_is_dropped(sent: bytes) -> None:
    async with running(10, Deadlines(head=0.05, body=0.05)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert await rest_of(reader) == b""
        writer.close()


@pytest.mark.parametrize(
    ("pieces", "pause", "arrives"),
    # Three times the deadline in all, at more than the floor of bytes a second, and at less.
    [(30, 0.05, True), (60, 0.1, False)],
    ids=["slow line", "byte by byte"],
)
@pytest.mark.slow
async def test_a_body_has_time_as_long_as_enough_of_it_comes(
    pieces: int, pause: float, arrives: bool
) -> None:
    piece = b"x" * (100 if arrives else 1)
    async with running(10, Deadlines(body=0.5, floor=1_000)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        length = pieces * len(piece)
        writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % length)
        sent = 0
        while sent < pieces and not (reader.at_eof() or reader.exception()):
            writer.write(piece)
            sent += 1
            await asyncio.sleep(pause)
        answer = b"" if not arrives else await reader.readuntil(b"xxxxx")
        assert answer.startswith(b"HTTP/1.1 200") is arrives
        assert (sent == pieces) is arrives
        writer.close()


async def test_a_second_request_on_a_connection_has_a_deadline_of_its_own() -> None:
    async with running(10, Deadlines(head=0.05, body=0.05)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT")
        assert (await reader.readuntil(b"xxxxx")).startswith(b"HTTP/1.1 200")
        writer.write(b"TP/1.1\r\n")
        assert await rest_of(reader) == b""
        writer.close()


async def test_at_the_limit_a_new_connection_is_closed_and_the_others_are_served() -> None:
    async with running(2, Deadlines()) as port:
        first_reader, first = await asyncio.open_connection("127.0.0.1", port)
        first.write(REQUEST)
        await first_reader.readuntil(b"xxxxx")
        second_reader, second = await asyncio.open_connection("127.0.0.1", port)
        second.write(REQUEST)
        await second_reader.readuntil(b"xxxxx")
        third_reader, third = await asyncio.open_connection("127.0.0.1", port)
        assert await rest_of(third_reader) == b""
        for reader, writer in ((first_reader, first), (second_reader, second)):
            writer.write(REQUEST)
            assert (await reader.readuntil(b"xxxxx")).startswith(b"HTTP/1.1 200")
        for open_one in (first, second, third):
            open_one.close()

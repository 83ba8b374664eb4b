"""The exam over standard input and output: one client, on this machine."""

import asyncio
import os
import signal
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress

from mcp.server.stdio import stdio_server

from snellen.server.host import LazyHost
from snellen.server.logs import lines_to_stderr
from snellen.server.mcp.server import ExamServer

_DRAIN_SECONDS = 1.0


def serve_stdio(host: LazyHost, beside: AbstractAsyncContextManager[None] | None = None) -> None:
    """Serve an exam until the client goes, or the process is asked to stop.

    Args:
        host: The exam; it is opened after the tools were listed and closed at the end.
        beside: What runs as long, such as the server of its pages.
    """
    try:
        asyncio.run(_serve(host, beside or nullcontext()))
    finally:
        lines_to_stderr().drain(_DRAIN_SECONDS)


async def _serve(host: LazyHost, beside: AbstractAsyncContextManager[None]) -> None:
    leaving: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows stops a process without asking it
            loop.add_signal_handler(
                number,
                lambda number=number: leaving.add(asyncio.ensure_future(_leave(host, number))),
            )
    exam_server = ExamServer(host)
    try:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(beside)
            incoming, outgoing = await stack.enter_async_context(stdio_server())
            options = exam_server.server.create_initialization_options()
            await exam_server.server.run(incoming, outgoing, options)
    finally:
        await host.close()


async def _leave(host: LazyHost, number: int) -> None:
    try:
        await host.close()
    finally:
        lines_to_stderr().drain(_DRAIN_SECONDS)
        # A thread waits for input that may never come, and nothing else can end it.
        os._exit(128 + number)

"""Running a coroutine from code that is not async, also where an event loop runs already."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, TypeVar

_Result = TypeVar("_Result")

_HEED_SECONDS = 0.2


def run_blocking(start: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
    """Run a coroutine to its end.

    Where the calling thread runs an event loop already, as in a notebook, the coroutine gets a
    thread and a loop of its own. Ctrl-C cancels it either way.

    >>> async def three() -> int:
    ...     return 3
    >>> run_blocking(three)
    3
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    return _run_in_thread(start)


def _run_in_thread(start: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
    running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = Future()
    ended: Future[_Result] = Future()
    stopped = threading.Event()

    async def main() -> _Result:
        task = asyncio.current_task()
        if task is not None:
            running.set_result((asyncio.get_running_loop(), task))
            if stopped.is_set():
                task.cancel()
        return await start()

    def work() -> None:
        try:
            ended.set_result(asyncio.run(main()))
        except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
            ended.set_exception(error)

    thread = threading.Thread(target=work, name="snellen-evaluation", daemon=True)
    try:
        thread.start()
        # A signal that comes just before a wait begins does not end it, but is heeded after it.
        while not ended.done():
            wait([ended], _HEED_SECONDS)
        return ended.result()
    except KeyboardInterrupt:
        # Ctrl-C may come at any moment, before the loop runs and after it has ended too.
        stopped.set()
        if running.done():
            loop, task = running.result()
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        if thread.ident is not None:
            thread.join()

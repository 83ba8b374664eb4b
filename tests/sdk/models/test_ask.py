"""Running a coroutine from code that is not async."""

import asyncio
import signal
import threading

import pytest

from snellen.sdk.models.ask import run_blocking


async def thread_of() -> int:
    await asyncio.sleep(0)
    return threading.get_ident()


async def broken() -> None:
    raise ZeroDivisionError


def test_without_a_loop_it_runs_here() -> None:
    assert run_blocking(thread_of) == threading.get_ident()


async def test_within_a_loop_it_runs_in_a_thread_that_is_gone_afterwards() -> None:
    before = threading.active_count()
    assert run_blocking(thread_of) != threading.get_ident()
    # A thread of what ran before may end meanwhile.
    assert threading.active_count() <= before


async def test_what_it_raises_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        run_blocking(broken)


@pytest.mark.parametrize("turns", [0, 1, 1000])
def test_ctrl_c_cancels_it_in_its_thread_too(turns: int) -> None:
    told: list[str] = []
    main = threading.get_ident()

    async def endless() -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        # The kernel gives the terminal's signal to the main thread.
        signal.pthread_kill(main, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            told.append("cancelled")
            raise

    async def notebook() -> None:
        # As in a notebook's kernel: nobody cancels the cell, the signal lands in it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        run_blocking(endless)

    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(notebook())
    finally:
        signal.signal(signal.SIGINT, before)
    assert told == ["cancelled"]

"""The fair pool: who has much to do does not keep the others waiting."""

from collections.abc import Callable
from threading import Event, Semaphore

import pytest

from snellen.server.screenshots.fair import FairPool

SECONDS = 60


class Blocked:
    """Work that waits to be let go, and says that it began."""

    def __init__(self) -> None:
        self.begun = Semaphore(0)
        self.go = Event()
        self.count = 0

    def __call__(self) -> None:
        self.count += 1
        self.begun.release()
        self.go.wait(SECONDS)


def test_a_caller_with_much_to_do_leaves_a_thread_to_the_others() -> None:
    pool, blocked, done = FairPool(3, 2, "test"), Blocked(), Event()
    for _ in range(16):
        pool.submit("greedy", blocked)
    assert blocked.begun.acquire(timeout=SECONDS)
    assert blocked.begun.acquire(timeout=SECONDS)
    pool.submit("modest", done.set)
    assert done.wait(SECONDS)
    assert blocked.count == 2
    blocked.go.set()
    pool.close()
    assert blocked.count == 16


def test_callers_take_turns() -> None:
    pool, blocked, order = FairPool(1, 1, "test"), Blocked(), list[str]()

    def work(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    pool.submit("first", blocked)
    assert blocked.begun.acquire(timeout=SECONDS)
    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        pool.submit(name[0], work(name))
    blocked.go.set()
    pool.close()
    assert order == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_work_that_fails_gives_its_thread_back() -> None:
    pool, done = FairPool(1, 1, "test"), Event()

    def fail() -> None:
        raise KeyError("broken")

    pool.submit("a", fail)
    pool.submit("a", done.set)
    assert done.wait(SECONDS)
    pool.close()


def test_a_closed_pool_takes_nothing() -> None:
    pool = FairPool(2, 1, "test")
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit("a", lambda: None)

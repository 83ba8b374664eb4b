"""A fair pool of threads: callers take turns, and none of them has all threads."""

from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Condition


class FairPool:
    """Runs work on a few threads; who has much to do does not keep the others waiting.

    Whose turn it is goes round among those that wait, one piece of work a turn.

    Args:
        threads: How many work.
        each: How many of them work for one caller at a time.
        name: The threads' name.
    """

    def __init__(self, threads: int, each: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._each = each
        self._free = threads
        self._changed = Condition()
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        self._running: Counter[str] = Counter()
        self._closed = False

    def submit(self, caller: str, work: Callable[[], None]) -> None:
        """Run a piece of work when it is its caller's turn.

        Raises:
            RuntimeError: The pool is closed.
        """
        with self._changed:
            if self._closed:
                raise RuntimeError("the pool is closed: it takes no further work")
            self._waiting.setdefault(caller, deque()).append(work)
            self._start()

    def close(self) -> None:
        """Wait until all is done that was taken, and let the threads go."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._waiting)
        self._pool.shutdown()

    def _start(self) -> None:
        while self._free:
            ready = (one for one in self._waiting if self._running[one] < self._each)
            caller = next(ready, None)
            if caller is None:
                return
            queue = self._waiting.pop(caller)
            work = queue.popleft()
            if queue:
                self._waiting[caller] = queue  # behind all others
            self._free -= 1
            self._running[caller] += 1
            self._pool.submit(self._run, caller, work)

    def _run(self, caller: str, work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            with self._changed:
                self._free += 1
                self._running[caller] -= 1
                if not self._running[caller]:
                    del self._running[caller]
                self._start()
                self._changed.notify_all()

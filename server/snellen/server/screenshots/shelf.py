"""A least-recently-used cache with a budget in bytes; each value is made only once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Shelf(Generic[Key, Value]):
    """Values by key, for any number of threads.

    A caller waits for a value that is already being made. Failures are not kept: the next caller
    tries again.

    Args:
        budget: The maximum number of bytes; a larger value is returned but not kept.
        weigh: The bytes of a value.
    """

    def __init__(self, budget: int, weigh: Callable[[Value], int]) -> None:
        self._budget = budget
        self._weigh = weigh
        self._lock = Lock()
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._making: dict[Key, Future[Value]] = {}
        self._weight = 0

    @property
    def weight(self) -> int:
        """The bytes that are kept."""
        return self._weight

    def __len__(self) -> int:
        return len(self._kept)

    def held(self, key: Key) -> Value | None:
        """Return what is kept under a key, or None."""
        with self._lock:
            value = self._kept.get(key)
            if value is not None:
                self._kept.move_to_end(key)
            return value

    def start(
        self,
        key: Key,
        make: Callable[[], Value],
        run: Callable[[Callable[[], None]], object],
    ) -> Future[Value]:
        """Return a value that is kept, is being made, or is made now.

        Args:
            key: The key.
            make: Makes the value.
            run: Runs `make`, at once or on another thread.
        """
        with self._lock:
            value = self._kept.get(key)
            if value is not None:
                self._kept.move_to_end(key)
                done: Future[Value] = Future()
                done.set_result(value)
                return done
            future = self._making.get(key)
            if future is not None:
                return future
            future = self._making[key] = Future()
        try:
            run(lambda: self._fill(key, make, future))
        except RuntimeError as error:
            # It is not run: the pool was closed.
            self._end(key, future, error)
        return future

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return a value that is kept or being made, or make it on this thread."""
        return self.start(key, make, _at_once).result()

    def _fill(self, key: Key, make: Callable[[], Value], future: Future[Value]) -> None:
        try:
            value = make()
        except BaseException as error:  # noqa: BLE001  # whoever waits gets it, and raises it
            self._end(key, future, error)
            return
        with self._lock:
            self._keep(key, value)
            del self._making[key]
        future.set_result(value)

    def _end(self, key: Key, future: Future[Value], error: BaseException) -> None:
        with self._lock:
            if future.done():
                return
            del self._making[key]
            future.set_exception(error)

    def _keep(self, key: Key, value: Value) -> None:
        weight = self._weigh(value)
        if weight > self._budget:
            return
        self._kept[key] = value
        self._weight += weight
        while self._weight > self._budget:
            _, dropped = self._kept.popitem(last=False)
            self._weight -= self._weigh(dropped)


def _at_once(work: Callable[[], None]) -> None:
    work()

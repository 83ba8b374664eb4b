"""Build hundreds of thousands of small objects without the garbage collector looking on."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock


@dataclass(slots=True)
class _Pause:
    holders: int = 0
    was_enabled: bool = False


_pause = _Pause()
_lock = Lock()


@contextmanager
def collector_paused() -> Generator[None]:
    """Keep the cyclic garbage collector from running, and turn it on again afterwards.

    While a big table is decoded every object stays alive, so its rounds find nothing and cost
    half of the time. Threads may overlap: the last one out turns it on again, unless it was off
    before the first one came.
    """
    with _lock:
        if _pause.holders == 0:
            _pause.was_enabled = gc.isenabled()
            gc.disable()
        _pause.holders += 1
    try:
        yield
    finally:
        with _lock:
            _pause.holders -= 1
            if _pause.holders == 0 and _pause.was_enabled:
                gc.enable()

import gc
from collections.abc import Generator
from threading import Barrier, Thread

import pytest

from snellen.tasks.io.rows import collector_paused


@pytest.fixture(autouse=True)
def collector() -> Generator[None]:
    """The collector, on before and after each test."""
    gc.enable()
    yield
    gc.enable()


def test_the_collector_rests_within_and_runs_after() -> None:
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="broken"), collector_paused():
        raise ValueError("broken")
    assert gc.isenabled()


def test_a_pause_within_a_pause_ends_with_the_outer_one() -> None:
    with collector_paused():
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_the_last_thread_out_turns_it_on() -> None:
    both_in, first_out = Barrier(2), Barrier(2)
    states: list[bool] = []

    def first() -> None:
        with collector_paused():
            both_in.wait(timeout=10)
        states.append(gc.isenabled())
        first_out.wait(timeout=10)

    def second() -> None:
        with collector_paused():
            both_in.wait(timeout=10)
            first_out.wait(timeout=10)
            states.append(gc.isenabled())

    threads = [Thread(target=first), Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert states == [False, False]
    assert gc.isenabled()

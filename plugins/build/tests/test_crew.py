"""Worker processes that may die of a job."""

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from snellen.build.build import Lost, run_all


@contextmanager
def room(folder: Path) -> Generator[Callable[[int], int]]:
    opened = folder / f"{os.getpid()}"
    opened.touch()
    try:
        yield _square
    finally:
        opened.unlink()


@contextmanager
def room_told_to_end(folder: Path) -> Generator[Callable[[int], int]]:
    """A room whose worker gets SIGTERM while it is opened, and again while it is closed."""
    opened = folder / f"{os.getpid()}"
    opened.touch()
    os.kill(os.getpid(), signal.SIGTERM)
    try:
        yield _square
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        opened.unlink()


@contextmanager
def room_that_kills(folder: Path) -> Generator[Callable[[int], int]]:
    os.kill(os.getpid(), signal.SIGKILL)
    yield _square


def _square(number: int) -> int:
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 17:
        raise ZeroDivisionError
    return number * number


def done(folder: Path, numbers: list[int], workers: int = 2) -> list[int | Lost[int]]:
    return list(run_all(partial(room, folder), numbers, workers))


@pytest.mark.slow
def test_every_job_is_done_once_and_rooms_are_closed(tmp_path: Path) -> None:
    results = done(tmp_path, list(range(10)))
    assert sorted(result for result in results if isinstance(result, int)) == [
        number * number for number in range(10)
    ]
    assert not list(tmp_path.iterdir())


def test_nothing_to_do_starts_nobody(tmp_path: Path) -> None:
    assert done(tmp_path, []) == []


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_job_that_kills_its_worker_is_lost_alone(tmp_path: Path, workers: int) -> None:
    results = done(tmp_path, [1, 13, 2, 3, 13], workers)
    assert sorted(result for result in results if isinstance(result, int)) == [1, 4, 9]
    assert [result for result in results if isinstance(result, Lost)] == [Lost(13)] * 2


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_room_that_kills_its_worker_costs_a_job_each(tmp_path: Path, workers: int) -> None:
    results = list(run_all(partial(room_that_kills, tmp_path), [1, 2, 3], workers))
    assert sorted(results) == [Lost(1), Lost(2), Lost(3)]


def test_what_a_job_raises_is_raised_and_rooms_are_closed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        done(tmp_path, [1, 17, 2])
    assert not list(tmp_path.iterdir())


def test_who_stops_to_take_results_ends_the_workers(tmp_path: Path) -> None:
    results = run_all(partial(room, tmp_path), range(1000), 2)
    next(results)
    results.close()
    assert not list(tmp_path.iterdir())


def test_a_room_is_opened_and_closed_in_peace(tmp_path: Path) -> None:
    results = list(run_all(partial(room_told_to_end, tmp_path), [1, 2], 1))
    assert results == [Lost(1), Lost(2)]
    assert not list(tmp_path.iterdir())

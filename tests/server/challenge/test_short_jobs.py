"""Short jobs are graded beside long ones, and can't hold each other up for long."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest
from hosted import Hosted

from snellen.server.challenge import workers
from snellen.server.challenge.graders import Grader
from snellen.server.challenge.jobs import SHORT_BYTES, Jobs
from snellen.server.challenge.workers import Worker
from snellen.server.grading.files import FileToGrade, Graded
from snellen.server.settings import Settings
from snellen.tasks.hosted import JobState

Hosting = Callable[..., Hosted]


def open_waiting(_: Settings) -> Grader:
    return _wait


def _wait(given: FileToGrade) -> Graded:
    if given.path.read_text(encoding="utf-8").startswith("wait"):
        time.sleep(600)
    return Graded()


def worker_of(here: Hosted, **given: object) -> Worker:
    named: dict[str, object] = {"open_grader": open_waiting, "pause_seconds": 0, **given}
    return Worker(here.challenge, here.settings, **named)  # pyright: ignore[reportArgumentType]


async def finish(here: Hosted, submission: str, lane: Worker) -> None:
    """Let a worker work until a submission is graded."""
    start = time.monotonic()
    while here.submissions.status(submission, None).state is not JobState.GRADED:
        assert time.monotonic() < start + 100
        if not await asyncio.to_thread(lane.step):
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_small_file_behind_a_long_one_is_graded_beside_it(
    hosted: Hosting,
) -> None:
    here = hosted()
    await here.challenge.begin()
    long = await here.upload("eve", "wait" * (SHORT_BYTES // 4 + 1))
    main = worker_of(here, idle_seconds=0.01)
    lane = worker_of(here, behind=[main])
    assert not await asyncio.to_thread(lane.step)
    thread = threading.Thread(target=main.run)
    thread.start()
    try:
        kept = await here.upload("bob", "small")
        await finish(here, kept.id, lane)
        assert here.submissions.status(long.id, None).state is JobState.GRADING
    finally:
        main.stop()
        thread.join()
        lane.close()


@pytest.mark.slow
async def test_while_a_worker_is_free_short_jobs_wait_for_it(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("bob", "small")
    main = worker_of(here)
    lane = worker_of(here, behind=[main])
    try:
        assert not await asyncio.to_thread(lane.step)
        await finish(here, kept.id, main)
    finally:
        main.close()


@pytest.mark.slow
async def test_a_small_file_that_takes_long_is_left_to_the_other_workers(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    for caller in ("eve", "mallory"):
        await here.upload(caller, f"wait {caller}")
    main = worker_of(here, idle_seconds=0.01)
    lane = worker_of(here, behind=[main], job_seconds=0.2)
    thread = threading.Thread(target=main.run)
    thread.start()
    try:
        kept = await here.upload("bob", "small")
        await finish(here, kept.id, lane)
        left = [row for row in here.submissions.listed(None) if row.state is JobState.QUEUED]
        assert [(row.tries, row.error) for row in left] == [(1, None)]
        assert not await asyncio.to_thread(lane.step)
    finally:
        main.stop()
        thread.join()
        lane.close()


async def test_a_short_job_is_small_and_was_not_tried_before(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    await here.upload("ada", "x" * (SHORT_BYTES + 1))
    kept = await here.upload("bob", "x" * SHORT_BYTES)
    short = Jobs(here.challenge, "short", pause_seconds=0, short=True)
    job = await asyncio.to_thread(short.claim)
    assert job is not None
    assert job.submission.id == kept.id
    assert await asyncio.to_thread(short.claim) is None
    await asyncio.to_thread(short.hand_over, job)
    assert await asyncio.to_thread(short.claim) is None
    assert await asyncio.to_thread(Jobs(here.challenge, "other").claim) is not None


def test_the_time_of_short_jobs_lets_the_next_one_be_graded_within_ten_seconds() -> None:
    assert workers.BUSY_SECONDS + workers.SHORT_SECONDS < 8

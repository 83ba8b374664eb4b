"""Jobs whose rows or files are damaged: each failure is a try, and the other jobs go on."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from hosted import Hosted
from sqlalchemy import ColumnElement, text, update
from sqlalchemy.sql.dml import Update

from snellen.grading.errors import SubmissionError
from snellen.server.challenge import queries
from snellen.server.challenge.graders import Grader
from snellen.server.challenge.jobs import MOST_TRIES, OUTAGE, PAUSE_SECONDS
from snellen.server.challenge.workers import Worker
from snellen.server.errors import StoreError
from snellen.server.grading.files import FileToGrade, Graded
from snellen.server.settings import Settings
from snellen.server.store.tables.endpoint import JobRow, PartRow, parts, submissions
from snellen.tasks.hosted import JobState

Hosting = Callable[..., Hosted]


def open_refusing(_: Settings) -> Grader:
    return _refuse


def _refuse(given: FileToGrade) -> Graded:
    raise SubmissionError("read", file=str(given.path))


def job_of(here: Hosted, submission: str) -> JobRow:
    (row,) = here.challenge.database.read(lambda c: queries.JOBS_OF.all(c, {"s": submission}))
    return row


def work(here: Hosted, steps: int, pause_seconds: float = 0) -> None:
    worker = Worker(
        here.challenge, here.settings, open_grader=open_refusing, pause_seconds=pause_seconds
    )
    try:
        for _ in range(steps):
            worker.step()
    finally:
        worker.close()


def of(submission: str) -> ColumnElement[bool]:
    return submissions.c.id == submission


DAMAGES: dict[str, Callable[[str], Update]] = {
    "a part that can't be unpacked": lambda s: (
        update(parts).where(parts.c.submission == s).values(body=b"damaged")
    ),
    "a part whose object is nowhere": lambda s: (
        update(parts).where(parts.c.submission == s).values(kept=b"x" * 32)
    ),
    "a submission of an unknown source": lambda s: (
        update(submissions).where(of(s)).values(source=text("'nowhere'"))
    ),
    "a submission of a phase that is gone": lambda s: (
        update(submissions).where(of(s)).values(phase="sample/gone")
    ),
    "a submission with a form that is no file's": lambda s: (
        update(submissions).where(of(s)).values(form="/../nowhere/x")
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_job_is_stuck_after_five_tries_and_the_others_are_graded(
    hosted: Hosting, damage: str
) -> None:
    here = hosted()
    await here.challenge.begin()
    bad, good = await here.upload("ada"), await here.upload("bob")
    await here.challenge.database.write(lambda c: c.execute(DAMAGES[damage](bad.id)))
    await asyncio.to_thread(work, here, MOST_TRIES + 3)
    assert job_of(here, good.id).state is JobState.FAILED
    found = job_of(here, bad.id)
    assert (found.state, found.tries) == (JobState.STUCK, MOST_TRIES)
    assert found.error
    assert here.challenge.worker_faults["job"] == MOST_TRIES


WRONG_TYPES = {
    "UPDATE submissions SET source = 5": JobState.STUCK,
    "UPDATE submissions SET size = 'text', at = 'text', baseline = 'text'": JobState.FAILED,
    "UPDATE jobs SET at = 'text', tries = 'text', lease = 'text'": JobState.FAILED,
    "UPDATE parts SET body = 5, kept = 7": JobState.STUCK,
}


@pytest.mark.slow
@pytest.mark.parametrize("either_store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("change", WRONG_TYPES)
async def test_a_row_of_another_type_holds_up_no_other_job(hosted: Hosting, change: str) -> None:
    """SQLite stores any value in any column; PostgreSQL refuses it."""
    here = hosted()
    await here.challenge.begin()
    bad, good = await here.upload("ada"), await here.upload("bob")
    which = "id" if " submissions " in change else "submission"
    damage = text(f"{change} WHERE {which} = '{bad.id}'")
    await here.challenge.database.write(lambda c: c.execute(damage))
    await asyncio.to_thread(work, here, MOST_TRIES + 3)
    assert job_of(here, good.id).state is JobState.FAILED
    assert job_of(here, bad.id).state is WRONG_TYPES[change]


async def test_a_lost_object_is_stuck_soon_and_says_which_it_was(
    hosted: Hosting, tmp_path: Path
) -> None:
    here = hosted(exam={"files": str(tmp_path / "files")}, uploads=1)
    await here.challenge.begin()
    kept = await here.upload("ada")
    (lost,) = [path for path in (tmp_path / "files").rglob("*") if path.is_file()]
    lost.unlink()
    await asyncio.to_thread(work, here, MOST_TRIES + 1)
    found = here.submissions.status(kept.id, None)
    assert found.state is JobState.STUCK
    assert found.error is not None
    assert f"{lost.name} is missing: restore it" in found.error
    assert lost.name not in str(here.submissions.status(kept.id, "ada").error)
    # The place of the upload is given back.
    await here.upload("ada", "another")


async def test_a_machine_that_fails_is_waited_for_longer_than_a_file(
    hosted: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = hosted()
    await here.challenge.begin()
    waits: list[float] = []
    for error in (ValueError("a fault"), OSError("no space"), StoreError("the bucket is away")):

        def failing(_: PartRow, error: Exception = error) -> bytes:
            raise error

        kept = await here.upload(str(error).replace(" ", "-"))
        monkeypatch.setattr(here.submissions, "body_of", failing)
        await asyncio.to_thread(work, here, 1, PAUSE_SECONDS)
        found = job_of(here, kept.id)
        assert (found.state, found.tries) == (JobState.QUEUED, 1)
        assert found.lease is not None
        now = here.challenge.database.read(queries.database_now)
        waits.append((found.lease - now) / 1000)
    assert waits == pytest.approx(
        [PAUSE_SECONDS, OUTAGE * PAUSE_SECONDS, OUTAGE * PAUSE_SECONDS], abs=1
    )

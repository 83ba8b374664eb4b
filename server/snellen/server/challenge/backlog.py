"""The backlog of a challenge: waiting jobs, their age, and whether a worker is active."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from snellen.server.challenge import queries
from snellen.server.challenge.queries import JobCount, SubmissionCount
from snellen.server.challenge.service import Challenge


class Backlog(NamedTuple):
    """The state of the job queue.

    Attributes:
        oldest_seconds: The age of the oldest waiting job, in seconds; None: none waits.
        working: Whether a worker has a job and a recent heartbeat.
    """

    oldest_seconds: float | None
    working: bool


class Counts(NamedTuple):
    """The counts of a challenge's rows in the store, without zeros.

    Attributes:
        jobs: Its jobs by phase and state.
        submissions: Its submissions by phase and source.
    """

    jobs: Sequence[JobCount]
    submissions: Sequence[SubmissionCount]


def backlog(connection: Connection, challenge: Challenge) -> Backlog:
    """Return the backlog of a challenge, by the database's clock."""
    now = queries.database_now(connection)
    waiting: list[int] = []
    working = False
    for digest in challenge.digests:
        this = {"now": now, "r": digest}
        job = queries.NEXT_JOB.first(connection, this)
        if job is not None:
            # A dead worker's job waits since the end of its lease.
            waiting.append(job.at if job.lease is None else job.lease)
        working = working or queries.WORKED_ON.first(connection, this) is not None
    return Backlog((now - min(waiting)) / 1000 if waiting else None, working)


def counts(connection: Connection, challenge: Challenge) -> Counts:
    """Return the counts of a challenge; the store can hold several exams."""
    owned = {challenge.key(phase) for phase in challenge.file.phases}
    return Counts(
        [row for row in queries.JOB_COUNTS.all(connection, {}) if row.phase in owned],
        [row for row in queries.SUBMISSION_COUNTS.all(connection, {}) if row.phase in owned],
    )

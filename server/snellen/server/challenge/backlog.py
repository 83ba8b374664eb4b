"""The backlog of a challenge: what waits for a grader, for how long, and whether any is at work."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from snellen.server.challenge import queries
from snellen.server.challenge.queries import JobCount, SubmissionCount
from snellen.server.challenge.service import Challenge


class Backlog(NamedTuple):
    """What waits for a grader.

    Attributes:
        oldest_seconds: How long the oldest job has waited for a worker; None: none waits.
        working: Whether a worker has a job, and has shown a sign of life lately.
    """

    oldest_seconds: float | None
    working: bool


class Counts(NamedTuple):
    """What a challenge has in the store; what there is none of is left out.

    Attributes:
        jobs: Its jobs by phase and state.
        submissions: Its submissions by phase and source.
    """

    jobs: Sequence[JobCount]
    submissions: Sequence[SubmissionCount]


def backlog(connection: Connection, challenge: Challenge) -> Backlog:
    """Return what waits for the workers of a challenge, by the database's clock."""
    now = queries.database_now(connection)
    waiting: list[int] = []
    working = False
    for digest in challenge.digests:
        this = {"now": now, "r": digest}
        job = queries.NEXT_JOB.first(connection, this)
        if job is not None:
            # What a dead worker left waits since its lease ended.
            waiting.append(job.at if job.lease is None else job.lease)
        working = working or queries.WORKED_ON.first(connection, this) is not None
    return Backlog((now - min(waiting)) / 1000 if waiting else None, working)


def counts(connection: Connection, challenge: Challenge) -> Counts:
    """Return what a challenge has in the store, which may hold those of several exams."""
    owned = {challenge.key(phase) for phase in challenge.file.phases}
    return Counts(
        [row for row in queries.JOB_COUNTS.all(connection, {}) if row.phase in owned],
        [row for row in queries.SUBMISSION_COUNTS.all(connection, {}) if row.phase in owned],
    )

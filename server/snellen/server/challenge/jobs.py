"""Jobs: gradings of submissions, one row each, which only the holder of the latest try may write.

A worker leases a job and sends heartbeats. When the lease of a dead worker expires, another worker
takes its job, in the same try: that a worker was killed is no fault of the file. A worker that was
only paused writes nothing after it resumes, because the job is another's. All times are the
database's.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection

from snellen.grading.models.reports import Problems
from snellen.server.challenge import queries
from snellen.server.challenge.quotas import give_back
from snellen.server.challenge.service import Challenge
from snellen.server.store.statements import Query, row_values
from snellen.server.store.tables.endpoint import (
    EventRow,
    GradingRow,
    JobRow,
    JobState,
    PartRow,
    ScoreRow,
    SubmissionRow,
)

LEASE_SECONDS = 30.0
"""The duration of a worker's lease of a job without a heartbeat."""

HEARTBEAT_SECONDS = 10.0
PAUSE_SECONDS = 2.0
MOST_TRIES = 5
"""After this number of unfinished tries, a job is stuck and waits for an organizer."""

SYSTEM = "snellen"
"""The caller in events that no caller caused."""


class JobKey(NamedTuple):
    """The submission, the grading and the try of a job that a worker holds."""

    submission: str
    grading: int
    tries: int


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a worker holds.

    Attributes:
        row: The job, with the number of this try.
        submission: The submission to grade.
        grading: The grading.
        parts: The submission's file, in compressed parts.
        waited: The time since it was queued, in seconds; None: a worker had it before.
    """

    row: JobRow
    submission: SubmissionRow
    grading: GradingRow
    parts: Sequence[PartRow] = field(repr=False)
    waited: float | None

    @property
    def key(self) -> JobKey:
        """What a reply to it must name."""
        return JobKey(self.row.submission, self.row.grading, self.row.tries)


class Ended(NamedTuple):
    """The result of a job.

    Attributes:
        scores: The submission's scores; empty: it can't be graded.
        error: The reason why it can't be graded; None: it is graded.
        problems: What is wrong with the lines of its file.
    """

    scores: Sequence[ScoreRow] = ()
    error: str | None = None
    problems: Problems = Problems()


class Jobs:
    """The jobs of a challenge, as one worker sees them.

    Args:
        challenge: The challenge.
        worker: The worker's unique name.
        lease_seconds: The duration of a lease without a heartbeat, in seconds.
        pause_seconds: The time from a first failed try to the next, in seconds; it doubles with
            each.
    """

    def __init__(
        self,
        challenge: Challenge,
        worker: str,
        lease_seconds: float = LEASE_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        self._challenge = challenge
        self._database = challenge.database
        self._worker = worker
        self._lease = round(lease_seconds * 1000)
        self._pause = round(pause_seconds * 1000)

    def claim(self) -> Job | None:
        """Take a job that waits, or that a dead worker held; None: there is none.

        The participant with the fewest open jobs comes first, and of these the oldest.
        """
        found = self._database.read(lambda c: self._waiting(c, queries.OLDEST_JOB))
        # Usually there is no job, and a read costs less than a write transaction.
        return self._database.submit(self._claim).result() if found is not None else None

    def _waiting(self, connection: Connection, query: Query[JobRow]) -> JobRow | None:
        now = queries.database_now(connection)
        for digest in self._challenge.digests:
            found = query.first(connection, {"now": now, "r": digest})
            if found is not None:
                return found
        return None

    def _claim(self, connection: Connection) -> Job | None:
        while (row := self._waiting(connection, queries.NEXT_JOB)) is not None:
            key = {"s": row.submission, "g": row.grading}
            submission = queries.SUBMISSION.one(connection, key)
            if row.tries >= MOST_TRIES:
                error = row.error or "the program that graded it ended each time"
                self._write(connection, row, JobState.STUCK, error)
                give_back(connection, submission)
                continue
            now = queries.database_now(connection)
            taken = {**key, "w": self._worker, "until": now + self._lease}
            queries.CLAIM.run(connection, taken)
            return Job(
                queries.JOB.one(connection, key),
                submission,
                queries.GRADING.one(connection, key),
                queries.PARTS.all(connection, key),
                (now - row.at) / 1000 if row.worker is None else None,
            )
        return None

    def beat(self, job: Job) -> bool:
        """Send a heartbeat; return whether the worker still holds the job."""

        def work(connection: Connection) -> bool:
            until = queries.database_now(connection) + self._lease
            return self._owned(connection, job) and self._write(
                connection, job.row, JobState.GRADING, job.row.error, until
            )

        return self._database.submit(work).result()

    def finish(self, job: Job, ended: Ended) -> bool:
        """Write a job's result once; return whether the worker still held the job.

        Raises:
            ValueError: A score is of another submission or grading.
        """
        key = (job.row.submission, job.row.grading)
        if any((score.submission, score.grading) != key for score in ended.scores):
            raise ValueError(f"scores of another submission or grading than {key}")

        def work(connection: Connection) -> bool:
            if not self._owned(connection, job):
                return False
            for score in ended.scores:
                queries.ADD_SCORE.run(connection, row_values(score))
            state = JobState.GRADED if ended.error is None else JobState.FAILED
            self._write(connection, job.row, state, ended.error)
            said = ended.problems.model_dump_json() if ended.problems.count else None
            where = {"s": job.row.submission, "g": job.row.grading}
            queries.SAY_PROBLEMS.run(connection, {**where, "p": said})
            self.show_if_whole(connection, job.grading.id)
            return True

        return self._database.submit(work).result()

    def give_back(self, job: Job, error: str | None = None) -> bool:
        """Queue a job again: the worker ends, or failed where another may succeed."""

        def work(connection: Connection) -> bool:
            if not self._owned(connection, job):
                return False
            if error is None:
                # A try that ends because the worker stops does not count.
                return self._write(
                    connection, job.row, JobState.QUEUED, job.row.error, tries=job.row.tries - 1
                )
            wait = self._pause * 2 ** (job.row.tries - 1)
            again = queries.database_now(connection) + wait if wait else None
            return self._write(connection, job.row, JobState.QUEUED, error, again)

        return self._database.submit(work).result()

    def _owned(self, connection: Connection, job: Job) -> bool:
        key = {"s": job.row.submission, "g": job.row.grading}
        now = queries.JOB.first(connection, key)
        return now is not None and (now.state, now.tries, now.worker) == (
            JobState.GRADING,
            job.row.tries,
            self._worker,
        )

    def _write(
        self,
        connection: Connection,
        row: JobRow,
        state: JobState,
        error: str | None,
        until: int | None = None,
        tries: int | None = None,
    ) -> bool:
        queries.CHANGE_JOB.run(
            connection,
            {
                "s": row.submission,
                "g": row.grading,
                "state": state,
                "until": until,
                "e": error,
                "t": row.tries if tries is None else tries,
            },
        )
        return True

    @classmethod
    def show_if_whole(cls, connection: Connection, number: int) -> None:
        """Show a new grading on the leaderboard when all its jobs are done, with an event."""
        grading = queries.GRADING.one(connection, {"g": number})
        key = {"f": grading.phase, "g": grading.id}
        if grading.shown is not None or queries.UNFINISHED.one(connection, key).count:
            return
        before = queries.SHOWN.first(connection, key)
        at = queries.database_now(connection)
        for event in cls._changes(connection, before, grading, at):
            queries.add_event(connection, event)
        queries.SHOW.run(connection, {"g": grading.id, "at": at})

    @classmethod
    def _changes(
        cls, connection: Connection, before: GradingRow | None, after: GradingRow, at: int
    ) -> list[EventRow]:
        if before is None:
            return []
        old, new = (cls._values(connection, grading.id) for grading in (before, after))
        found = [
            EventRow(
                id=0,
                phase=after.phase,
                submission=submission,
                at=at,
                caller=SYSTEM,
                what="same" if old.get(submission) == values else "rescored",
                why=after.why,
                detail=json.dumps({"before": old.get(submission, {}), "after": values}),
            )
            for submission, values in new.items()
        ]
        detail = json.dumps({"before": before.id, "after": after.id})
        shown = EventRow(
            id=0,
            phase=after.phase,
            submission=None,
            at=at,
            caller=SYSTEM,
            what="shown",
            why=after.why,
            detail=detail,
        )
        return [*found, shown]

    @staticmethod
    def _values(connection: Connection, grading: int) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for row in queries.BOARD_SCORES.all(connection, {"g": grading, "p": "all"}):
            found.setdefault(row.submission, {})[row.task] = row.value
        return found

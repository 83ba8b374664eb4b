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
from snellen.server.challenge.events import SYSTEM
from snellen.server.challenge.queries import Waiting
from snellen.server.challenge.quotas import give_back
from snellen.server.challenge.service import Challenge
from snellen.server.logs import fault, log
from snellen.server.store.statements import Query, row_values
from snellen.server.store.tables.endpoint import (
    EventRow,
    GradingRow,
    JobRow,
    PartRow,
    ScoreRow,
    SubmissionRow,
)
from snellen.tasks.hosted import JobState

LEASE_SECONDS = 30.0
"""The duration of a worker's lease of a job without a heartbeat."""

HEARTBEAT_SECONDS = 10.0
PAUSE_SECONDS = 2.0
OUTAGE = 16
"""How many times longer the pause is after a fault of a machine, which may last for minutes."""

SHORT_BYTES = 1 << 20
"""The maximum size of an upload that counts as a short job."""

MOST_TRIES = 5
"""After this number of unfinished tries, a job is stuck and waits for an organizer."""


class JobKey(NamedTuple):
    """The submission, the grading and the try of a job that a worker holds."""

    submission: str
    grading: int
    tries: int


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a worker holds."""

    row: JobRow  # the job, with the number of this try
    submission: SubmissionRow  # the submission to grade
    grading: GradingRow
    parts: Sequence[PartRow] = field(repr=False)  # the submission's file, in compressed parts
    waited: float | None  # the time since it was queued, in seconds; None: a worker had it before

    @property
    def key(self) -> JobKey:
        """What a reply to it must name."""
        return JobKey(self.row.submission, self.row.grading, self.row.tries)


class UnreadableJobError(Exception):
    """A row of a job can't be read; the job was given back as a failed try."""


class Ended(NamedTuple):
    """The result of a job."""

    scores: Sequence[ScoreRow] = ()  # the submission's scores; empty: it can't be graded
    error: str | None = None  # the reason why it can't be graded; None: it is graded
    problems: Problems = Problems()  # what is wrong with the lines of its file


class _Claim(NamedTuple):
    """A job that a worker took, before its rows are read; and how long it waited, as in `Job`."""

    key: JobKey
    waited: float | None


class Jobs:
    """The jobs of a challenge, as one worker sees them.

    Args:
        challenge: The challenge.
        worker: The worker's unique name.
        lease_seconds: The duration of a lease without a heartbeat, in seconds.
        pause_seconds: The time from a first failed try to the next, in seconds; it doubles with
            each.
        short: Whether it takes only short jobs that were not tried before.
    """

    def __init__(
        self,
        challenge: Challenge,
        worker: str,
        lease_seconds: float = LEASE_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
        *,
        short: bool = False,
    ) -> None:
        self._challenge = challenge
        self._database = challenge.database
        self._worker = worker
        self._lease = round(lease_seconds * 1000)
        self._pause = round(pause_seconds * 1000)
        self._next = queries.NEXT_SHORT_JOB if short else queries.NEXT_JOB
        # Usually there is no job, and a read costs less than a write transaction.
        self._look = queries.NEXT_SHORT_JOB if short else queries.OLDEST_JOB

    def claim(self) -> Job | None:
        """Take a job that waits, or that a dead worker held; None: there is none.

        The participant with the fewest open jobs comes first, and of these the oldest.

        Raises:
            UnreadableJobError: Its rows can't be read.
        """
        if self._database.read(lambda c: self._waiting(c, self._look)) is None:
            return None
        claim = self._database.submit(self._claim).result()
        if claim is None:
            return None
        try:
            return self._database.read(lambda c: self._job(c, claim))
        except Exception as error:
            self._give_back(claim.key, f"its rows can't be read: {error}")
            raise UnreadableJobError(str(error)) from error

    def _waiting(self, connection: Connection, query: Query[Waiting]) -> Waiting | None:
        now = queries.database_now(connection)
        for digest in self._challenge.digests:
            found = query.first(connection, {"now": now, "r": digest, "size": SHORT_BYTES})
            if found is not None:
                return found
        return None

    def _claim(self, connection: Connection) -> "_Claim | None":
        """Take a job; nothing is read here that could be damaged and so hold up all other jobs."""
        while (found := self._waiting(connection, self._next)) is not None:
            key = {"s": found.submission, "g": found.grading}
            now = queries.database_now(connection)
            queries.CLAIM.run(connection, {**key, "w": self._worker, "until": now + self._lease})
            held = queries.HELD.one(connection, key)
            if held.tries <= MOST_TRIES:
                claim = JobKey(found.submission, found.grading, held.tries)
                return _Claim(claim, (now - found.at) / 1000 if found.worker is None else None)
            stuck = JobKey(found.submission, found.grading, MOST_TRIES)
            error = held.error or "the program that graded it ended each time"
            self._write(connection, stuck, JobState.STUCK, error)
            try:
                give_back(connection, queries.SUBMISSION.one(connection, key))
            except (TypeError, ValueError) as damage:
                log().error("quota not given back", submission=found.submission, **fault(damage))
        return None

    def _job(self, connection: Connection, claim: "_Claim") -> Job:
        key = {"s": claim.key.submission, "g": claim.key.grading}
        return Job(
            queries.JOB.one(connection, key),
            queries.SUBMISSION.one(connection, key),
            queries.GRADING.one(connection, key),
            queries.PARTS.all(connection, key),
            claim.waited,
        )

    def beat(self, job: Job) -> bool:
        """Send a heartbeat; return whether the worker still holds the job."""

        def work(connection: Connection) -> bool:
            until = queries.database_now(connection) + self._lease
            return self._owned(connection, job.key) and self._write(
                connection, job.key, JobState.GRADING, job.row.error, until
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
            if not self._owned(connection, job.key):
                return False
            for score in ended.scores:
                queries.ADD_SCORE.run(connection, row_values(score))
            state = JobState.GRADED if ended.error is None else JobState.FAILED
            self._write(connection, job.key, state, ended.error)
            said = ended.problems.model_dump_json() if ended.problems.count else None
            where = {"s": job.row.submission, "g": job.row.grading}
            queries.SAY_PROBLEMS.run(connection, {**where, "p": said})
            self.show_if_whole(connection, job.grading.id)
            return True

        return self._database.submit(work).result()

    def give_back(self, job: Job, error: str | None = None, *, outage: bool = False) -> bool:
        """Queue a job again: the worker ends, or failed where another may succeed.

        Args:
            job: The job.
            error: The reason; None: the worker ends, which counts as no try.
            outage: Whether a machine failed, so that the next try should wait for longer.
        """
        if error is not None:
            return self._give_back(job.key, error, outage=outage)

        def work(connection: Connection) -> bool:
            untried = job.key._replace(tries=job.key.tries - 1)
            return self._owned(connection, job.key) and self._write(
                connection, untried, JobState.QUEUED, job.row.error
            )

        return self._database.submit(work).result()

    def hand_over(self, job: Job) -> bool:
        """Queue a job again that is no short one; after a try, only the other workers take it."""
        return self._give_back(job.key, None)

    def _give_back(self, key: JobKey, error: str | None, *, outage: bool = False) -> bool:
        def work(connection: Connection) -> bool:
            wait = self._pause * (OUTAGE if outage else 1) * 2 ** (key.tries - 1)
            # The last try is over: the next claim says that it is stuck.
            tried = key.tries >= MOST_TRIES
            again = queries.database_now(connection) + wait if wait and not tried else None
            return self._owned(connection, key) and self._write(
                connection, key, JobState.QUEUED, error, again
            )

        return self._database.submit(work).result()

    def _owned(self, connection: Connection, key: JobKey) -> bool:
        now = queries.HELD.first(connection, {"s": key.submission, "g": key.grading})
        return now is not None and (now.state, now.tries, now.worker) == (
            JobState.GRADING,
            key.tries,
            self._worker,
        )

    def _write(
        self,
        connection: Connection,
        key: JobKey,
        state: JobState,
        error: str | None,
        until: int | None = None,
    ) -> bool:
        changed = {"state": state, "until": until, "e": error, "t": key.tries}
        queries.CHANGE_JOB.run(connection, {"s": key.submission, "g": key.grading, **changed})
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

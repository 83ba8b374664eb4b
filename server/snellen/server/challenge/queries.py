"""The statements of a challenge: reads and writes of the store.

There is one write transaction at a time (`store.connections`), so data that a change has read, such
as a quota, does not change until it commits.
"""

from dataclasses import dataclass, fields

from sqlalchemy import (
    BigInteger,
    Connection,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    insert,
    literal_column,
    or_,
    select,
    text,
    update,
)

from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.endpoint import (
    AnnouncementRow,
    EventRow,
    GradingRow,
    JobRow,
    KeyRow,
    PartRow,
    QuotaRow,
    ScoreNumbers,
    ScoreRow,
    ScoreValues,
    SubmissionRow,
    announcements,
    events,
    gradings,
    jobs,
    keys,
    parts,
    quotas,
    scores,
    submissions,
)
from snellen.server.store.tables.exams import Attempt, State, attempts
from snellen.tasks.hosted import JobState, Source

LATEST = 1 << 62
"""A time after all others."""

_CLOCKS = {
    "sqlite": "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    "postgresql": "SELECT CAST(extract(epoch from clock_timestamp()) * 1000 AS BIGINT)",
}
# As text: a partial index is only used if the query has its condition without parameters.
_OPEN = text(f"jobs.state IN ('{JobState.QUEUED}', '{JobState.GRADING}')")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(SubmissionRow):
    """A submission and the state of its grading."""

    state: JobState
    tries: int
    error: str | None
    problems: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedReport:
    """A report, compressed by zlib."""

    report: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number of rows."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCount:
    """The number of jobs of a phase in a state."""

    phase: str  # the phase's key in the store
    state: JobState
    count: int  # the number of jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The number of submissions in a state."""

    state: JobState
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionCount:
    """The number of a phase's submissions from a source."""

    phase: str  # the phase's key in the store
    source: Source
    count: int  # the number of submissions
    size: int  # their size in bytes, before compression


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A job that a worker may take; other columns may be damaged and are read after it is taken."""

    submission: str
    grading: int
    at: int  # the time when it was queued
    lease: int | None  # the end of the last worker's lease, or when it may be tried again
    worker: str | None  # the last worker that took it


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The holder of a job."""

    state: str  # the job's state
    tries: int  # the number of times that a worker took it
    worker: str | None  # the last worker that took it
    error: str | None  # the error of the last try


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The version of a leaderboard: equal versions have equal leaderboards."""

    shown: int | None  # the grading that is shown
    newest: int | None  # the newest grading
    graded: int  # the number of submissions graded by the shown one
    event: int | None  # the last event of the phase


_LATEST = jobs.alias()
# A submission's own state is that of its newest grading.
_LISTED = select(submissions, jobs.c.state, jobs.c.tries, jobs.c.error, jobs.c.problems).join_from(
    submissions,
    jobs,
    and_(
        jobs.c.submission == submissions.c.id,
        jobs.c.grading
        == select(func.max(_LATEST.c.grading))
        .where(_LATEST.c.submission == submissions.c.id)
        .scalar_subquery(),
    ),
)
_JOB = and_(jobs.c.submission == bindparam("s"), jobs.c.grading == bindparam("g"))

SUBMISSION = Query(_LISTED.where(submissions.c.id == bindparam("s")), Listed)
PAGE = Query(
    _LISTED.where(
        or_(bindparam("f") == "", submissions.c.phase == bindparam("f")),
        or_(bindparam("c") == "", submissions.c.caller == bindparam("c")),
        or_(bindparam("state") == "", literal_column("jobs.state") == bindparam("state")),
        or_(
            submissions.c.at < bindparam("at"),
            and_(submissions.c.at == bindparam("at"), submissions.c.id < bindparam("after")),
        ),
    )
    .order_by(submissions.c.at.desc(), submissions.c.id.desc())
    .limit(bindparam("most")),
    Listed,
)
PARTS = Query(
    select(parts).where(parts.c.submission == bindparam("s")).order_by(parts.c.number), PartRow
)
ADD_PART = Statement(insert(parts))
SET_APART = Statement(
    update(submissions)
    .where(submissions.c.id == bindparam("s"))
    .values(baseline=bindparam("baseline"))
)
REMOVE = Statement(
    update(submissions).where(submissions.c.id == bindparam("s")).values(removed=bindparam("why"))
)

CHOOSE = Statement(
    update(submissions).where(submissions.c.id == bindparam("s")).values(chosen=bindparam("at"))
)
CHOSEN = Query(
    select(submissions).where(
        submissions.c.phase == bindparam("f"),
        submissions.c.caller == bindparam("c"),
        submissions.c.chosen.is_not(None),
    ),
    SubmissionRow,
)

KEY = Query(
    select(keys).where(keys.c.caller == bindparam("c"), keys.c.key == bindparam("k")), KeyRow
)
SAME = Query(
    _LISTED.where(
        submissions.c.caller == bindparam("c"),
        submissions.c.phase == bindparam("f"),
        submissions.c.digest == bindparam("d"),
        submissions.c.form == bindparam("form"),
        func.coalesce(submissions.c.task, "") == bindparam("t"),
        submissions.c.source == Source.UPLOAD,
        func.coalesce(submissions.c.removed, "") != bindparam("withdrawn"),
        literal_column("jobs.state") != JobState.STUCK,
    )
    .order_by(submissions.c.at.desc(), submissions.c.id)
    .limit(1),
    Listed,
)
# A participant's submissions on the leaderboard that arrived after one.
LATER = Query(
    select(func.count().label("count")).where(
        submissions.c.caller == bindparam("c"),
        submissions.c.phase == bindparam("f"),
        submissions.c.removed.is_(None),
        submissions.c.at > bindparam("at"),
    ),
    Count,
)
ADD_KEY = Statement(insert(keys))
ANNOUNCED = Query(
    select(announcements)
    .where(announcements.c.phase == bindparam("f"), announcements.c.caller == bindparam("c"))
    .order_by(announcements.c.at),
    AnnouncementRow,
)
ANNOUNCE = Statement(insert(announcements))

_QUOTA = and_(
    quotas.c.phase == bindparam("f"),
    quotas.c.caller == bindparam("c"),
    quotas.c.day == bindparam("d"),
)
QUOTA = Query(select(quotas).where(_QUOTA), QuotaRow)
ADD_QUOTA = Statement(insert(quotas))
USE_QUOTA = Statement(update(quotas).where(_QUOTA).values(used=quotas.c.used + bindparam("by")))

SHOWN = Query(
    select(gradings)
    .where(gradings.c.phase == bindparam("f"), gradings.c.shown.is_not(None))
    .order_by(gradings.c.shown.desc(), gradings.c.id.desc())
    .limit(1),
    GradingRow,
)
GRADING = Query(select(gradings).where(gradings.c.id == bindparam("g")), GradingRow)
NEWEST = Query(
    select(gradings)
    .where(gradings.c.phase == bindparam("f"))
    .order_by(gradings.c.id.desc())
    .limit(1),
    GradingRow,
)
# How often a phase was graded by some references, protocols and sample.
GRADED_BY = Query(
    select(func.count().label("count")).where(
        gradings.c.phase == bindparam("f"), gradings.c.references == bindparam("r")
    ),
    Count,
)
LAST_EVENT = Query(
    select(events)
    .where(events.c.phase == bindparam("f"), events.c.what == bindparam("what"))
    .order_by(events.c.id.desc())
    .limit(1),
    EventRow,
)
# Without those of deleted participants, which have no file.
OF_PHASE = Query(
    select(submissions)
    .where(
        submissions.c.phase == bindparam("f"),
        select(1).where(parts.c.submission == submissions.c.id).exists(),
    )
    .order_by(submissions.c.at),
    SubmissionRow,
)
UNENTERED = Query(
    select(attempts)
    .where(
        attempts.c.exam == bindparam("x"),
        attempts.c.mode == bindparam("m"),
        or_(
            attempts.c.state == State.FINISHED,
            attempts.c.state == State.EXPIRED,
            and_(attempts.c.state == State.OPEN, attempts.c.deadline < bindparam("now")),
        ),
        ~select(1).where(submissions.c.attempt == attempts.c.id).exists(),
    )
    .order_by(attempts.c.id)
    .limit(bindparam("most")),
    Attempt,
)
SHOW = Statement(
    update(gradings).where(gradings.c.id == bindparam("g")).values(shown=bindparam("at"))
)
UNFINISHED = Query(
    select(func.count().label("count")).where(jobs.c.grading == bindparam("g"), _OPEN), Count
)

JOB = Query(select(jobs).where(_JOB), JobRow)
HELD = Query(
    select(
        cast(jobs.c.state, Text).label("state"),
        cast(jobs.c.tries, BigInteger).label("tries"),
        jobs.c.worker,
        jobs.c.error,
    ).where(_JOB),
    Held,
)
JOBS_OF = Query(
    select(jobs).where(jobs.c.submission == bindparam("s")).order_by(jobs.c.grading), JobRow
)
ADD_JOB = Statement(insert(jobs))
# SQLite stores any value in any column, and a text would be later than all times.
_lease = cast(jobs.c.lease, BigInteger)
# A worker only takes jobs of gradings by its own references.
_WAITING = (
    select(
        jobs.c.submission,
        jobs.c.grading,
        cast(jobs.c.at, BigInteger).label("at"),
        _lease.label("lease"),
        jobs.c.worker,
    )
    .join_from(jobs, gradings, gradings.c.id == jobs.c.grading)
    .where(
        _OPEN,
        gradings.c.references == bindparam("r"),
        # The end of a worker's lease; of a job that waits, when it may be tried again.
        or_(jobs.c.lease.is_(None), _lease <= bindparam("now")),
    )
)
OLDEST_JOB = Query(_WAITING.order_by(jobs.c.at, jobs.c.submission).limit(1), Waiting)
_OF_CALLER = (
    select(submissions.c.caller, func.count().label("waiting"))
    .join_from(jobs, submissions, submissions.c.id == jobs.c.submission)
    .where(_OPEN)
    .group_by(submissions.c.caller)
    .subquery()
)
# Many files of one participant must not hold up another's.
_NEXT = (
    _WAITING.join(submissions, submissions.c.id == jobs.c.submission)
    .join(_OF_CALLER, _OF_CALLER.c.caller == submissions.c.caller)
    .order_by(_OF_CALLER.c.waiting, jobs.c.at, jobs.c.submission)
    .limit(1)
)
NEXT_JOB = Query(_NEXT, Waiting)
# What a worker failed to grade, or could not grade in a short time, is no short job.
NEXT_SHORT_JOB = Query(
    _NEXT.where(
        submissions.c.size <= bindparam("size"),
        jobs.c.state == JobState.QUEUED,
        jobs.c.tries == 0,
    ),
    Waiting,
)
# A lease that has not expired means an active worker.
WORKED_ON = Query(
    select(jobs)
    .join_from(jobs, gradings, gradings.c.id == jobs.c.grading)
    .where(
        _OPEN,
        gradings.c.references == bindparam("r"),
        jobs.c.state == JobState.GRADING,
        _lease > bindparam("now"),
    )
    .limit(1),
    JobRow,
)
JOB_COUNTS = Query(
    select(gradings.c.phase, jobs.c.state, func.count().label("count"))
    .join_from(jobs, gradings, gradings.c.id == jobs.c.grading)
    .group_by(gradings.c.phase, jobs.c.state),
    JobCount,
)
SUBMISSION_COUNTS = Query(
    select(
        submissions.c.phase,
        submissions.c.source,
        func.count().label("count"),
        func.sum(submissions.c.size).label("size"),
    ).group_by(submissions.c.phase, submissions.c.source),
    SubmissionCount,
)
OPEN_ATTEMPTS = Query(
    select(func.count().label("count")).where(
        attempts.c.exam == bindparam("x"),
        attempts.c.state == State.OPEN,
        or_(attempts.c.deadline.is_(None), attempts.c.deadline >= bindparam("now")),
    ),
    Count,
)
CLAIM = Statement(
    update(jobs)
    .where(_JOB)
    .values(
        state=JobState.GRADING,
        worker=bindparam("w"),
        # That a worker was killed is no fault of the file. Its name, too, is checked in each write.
        tries=jobs.c.tries + case((jobs.c.state == JobState.QUEUED, 1), else_=0),
        lease=bindparam("until"),
    )
)
CHANGE_JOB = Statement(
    update(jobs)
    .where(_JOB)
    .values(
        state=bindparam("state"),
        lease=bindparam("until"),
        error=bindparam("e"),
        tries=bindparam("t"),
    )
)

SAY_PROBLEMS = Statement(update(jobs).where(_JOB).values(problems=bindparam("p")))

ADD_SCORE = Statement(insert(scores))
SCORES = Query(
    select(scores)
    .where(scores.c.submission == bindparam("s"), scores.c.part == bindparam("p"))
    .order_by(scores.c.grading, scores.c.task),
    ScoreRow,
)
NUMBERS = Query(
    select(*(scores.c[part.name] for part in fields(ScoreNumbers)))
    .where(scores.c.submission == bindparam("s"), scores.c.part == bindparam("p"))
    .order_by(scores.c.grading, scores.c.task),
    ScoreNumbers,
)
BOARD = Query(
    select(submissions)
    .join_from(submissions, jobs, jobs.c.submission == submissions.c.id)
    .where(jobs.c.grading == bindparam("g"), jobs.c.state == JobState.GRADED)
    .order_by(submissions.c.at, submissions.c.id),
    SubmissionRow,
)
BOARD_SCORES = Query(
    select(*(column for column in scores.c if column.name != "report"))
    .join_from(scores, submissions, scores.c.submission == submissions.c.id)
    .where(scores.c.grading == bindparam("g"), scores.c.part == bindparam("p"))
    .order_by(submissions.c.at, submissions.c.id, scores.c.task),
    ScoreValues,
)
BOARD_VALUES = Query(
    select(*(scores.c[part.name] for part in fields(ScoreNumbers))).where(
        scores.c.grading == bindparam("g"), scores.c.part == bindparam("p")
    ),
    ScoreNumbers,
)
# Any report of a task in a grading.
REPORT = Query(
    select(scores.c.report)
    .where(
        scores.c.grading == bindparam("g"),
        scores.c.task == bindparam("t"),
        scores.c.report.is_not(None),
    )
    .limit(1),
    SavedReport,
)
EVENTS = Query(
    select(events).where(events.c.phase == bindparam("f")).order_by(events.c.id), EventRow
)
EVENT_PAGE = Query(
    select(events)
    .where(
        or_(bindparam("f") == "", events.c.phase == bindparam("f")),
        events.c.id > bindparam("after"),
    )
    .order_by(events.c.id)
    .limit(bindparam("most")),
    EventRow,
)
LATEST_EVENTS = Query(select(events).order_by(events.c.id.desc()).limit(100), EventRow)
COUNTS = Query(
    select(jobs.c.state, func.count().label("count"))
    .where(
        jobs.c.grading
        == select(func.max(_LATEST.c.grading))
        .where(_LATEST.c.submission == jobs.c.submission)
        .scalar_subquery()
    )
    .group_by(jobs.c.state),
    Counted,
)
_SHOWN_ID = (
    select(gradings.c.id)
    .where(gradings.c.phase == bindparam("f"), gradings.c.shown.is_not(None))
    .order_by(gradings.c.shown.desc(), gradings.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
# The number of items of a task's scores.
ITEMS = Query(
    select(scores.c["items"].label("count"))
    .where(
        scores.c.grading == _SHOWN_ID,
        scores.c.task == bindparam("t"),
        scores.c.part == bindparam("p"),
    )
    .limit(1),
    Count,
)
TURN = Query(
    select(
        _SHOWN_ID.label("shown"),
        select(func.max(gradings.c.id))
        .where(gradings.c.phase == bindparam("f"))
        .scalar_subquery()
        .label("newest"),
        select(func.count())
        .select_from(jobs)
        .where(jobs.c.grading == _SHOWN_ID, jobs.c.state == JobState.GRADED)
        .scalar_subquery()
        .label("graded"),
        select(func.max(events.c.id))
        .where(events.c.phase == bindparam("f"))
        .scalar_subquery()
        .label("event"),
    ),
    Turn,
)


def database_now(connection: Connection) -> int:
    """Return the database's time in milliseconds since 1970: machines' clocks may differ."""
    return int(connection.exec_driver_sql(_CLOCKS[connection.dialect.name]).scalar_one())


def add_grading(connection: Connection, row: GradingRow) -> int:
    """Write a grading and return its number, assigned by the store."""
    query = insert(gradings).returning(gradings.c.id)
    return int(connection.execute(query, row_values(row)).scalar_one())


def add_job(connection: Connection, submission: str, grading: int, at: int) -> None:
    """Queue a submission for a grading, at the database's time."""
    row = JobRow(submission=submission, grading=grading, state=JobState.QUEUED, at=at)
    ADD_JOB.run(connection, row_values(row))


def add_event(connection: Connection, row: EventRow) -> None:
    connection.execute(insert(events), row_values(row))


def add_submission(connection: Connection, row: SubmissionRow) -> None:
    """Write a submission; its id is given."""
    connection.execute(insert(submissions), {**row_values(row), "id": row.id})

"""Quotas: the uploads that a participant has left in a phase.

Each function runs in the transaction of the submission's row. There is one write transaction at a
time, so the counts do not change until it commits.
"""

from sqlalchemy import Connection

from snellen.server.challenge import queries
from snellen.server.challenge.queries import LATEST
from snellen.server.errors import QuotaError
from snellen.server.exam.file import Phase
from snellen.server.store.statements import row_values
from snellen.server.store.tables.endpoint import QuotaRow, SubmissionRow
from snellen.tasks.hosted import JobState, Source

MOST_STUCK = 3
"""The maximum number of a participant's stuck uploads in a phase. Their quota was restored, so the
quota does not limit them."""

_IN_ALL = ""
"""The day of the row that counts a participant's uploads of all days."""


def check_quota(connection: Connection, key: str, phase: Phase, caller: str, at: int) -> None:
    """Check that a participant has an upload left.

    Args:
        connection: The connection to the store.
        key: The phase's key in the store.
        phase: The phase.
        caller: The participant.
        at: The time when the upload arrived.

    Raises:
        QuotaError: No upload is left.
    """
    day = phase.day(at)
    limits = ((day, phase.uploads_a_day, f"on {day}"), (_IN_ALL, phase.uploads, "in all"))
    for counted, most, when in limits:
        if most is None:
            continue
        used = queries.QUOTA.first(connection, {"f": key, "c": caller, "d": counted})
        if (used is not None and used.used >= most) or most < 1:
            raise QuotaError(
                f"phase {phase.name} takes {most} uploads {when}, and all are used; uploads that"
                " failed through no fault of yours do not count"
            )


def left(
    connection: Connection, key: str, phase: Phase, caller: str, at: int
) -> tuple[int | None, int | None]:
    """Return a participant's uploads left in all and on this day; None: no limit."""

    def of(day: str, most: int | None) -> int | None:
        if most is None:
            return None
        used = queries.QUOTA.first(connection, {"f": key, "c": caller, "d": day})
        return max(0, most - (0 if used is None else used.used))

    return of(_IN_ALL, phase.uploads), of(phase.day(at), phase.uploads_a_day)


def check_stuck(connection: Connection, key: str, phase: Phase, caller: str) -> None:
    """Check the number of stuck uploads, each of which crashed five processes without using quota.

    Raises:
        QuotaError: The participant has too many stuck uploads.
    """
    these = {
        "c": caller,
        "f": key,
        "state": JobState.STUCK,
        "at": LATEST,
        "after": "",
        "most": MOST_STUCK,
    }
    if len(queries.PAGE.all(connection, these)) == MOST_STUCK:
        raise QuotaError(
            f"{MOST_STUCK} of your uploads in phase {phase.name} could not be graded; ask the"
            " organizer to check them before you upload more"
        )


def take(connection: Connection, row: SubmissionRow) -> None:
    """Count an upload in the quota."""
    _count(connection, row, 1)


def give_back(connection: Connection, row: SubmissionRow) -> None:
    """Restore the quota of an upload, after a fault of the server."""
    _count(connection, row, -1)


def _count(connection: Connection, row: SubmissionRow, by: int) -> None:
    if row.source is not Source.UPLOAD:
        return
    for day in (row.day, _IN_ALL):
        key = {"f": row.phase, "c": row.caller, "d": day}
        if queries.QUOTA.first(connection, key) is None:
            new = QuotaRow(phase=row.phase, caller=row.caller, day=day, used=0)
            queries.ADD_QUOTA.run(connection, row_values(new))
        queries.USE_QUOTA.run(connection, {**key, "by": by})

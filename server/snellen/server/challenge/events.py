"""The log of a challenge: every change by an organizer, a participant or a grading."""

from collections.abc import Sequence

from sqlalchemy import Connection

from snellen.server.attempts.register import Clock
from snellen.server.challenge import queries
from snellen.server.challenge.models import EventCard
from snellen.server.logs import log
from snellen.server.store.database import Database
from snellen.server.store.tables.endpoint import EventRow

MOST_LISTED = 100

SYSTEM = "snellen"
"""The caller in events that no caller caused."""


class Events:
    """The events of a store, which can hold several exams.

    Args:
        database: The store.
        clock: The source of time.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def page(self, phase: str = "", after: int = 0, limit: int = 50) -> Sequence[EventCard]:
        """Return a page of the event log, the oldest first.

        Args:
            phase: The phase's key; empty: all.
            after: The number of the last event of the previous page.
            limit: The maximum number of events.
        """
        parameters = {"f": phase, "after": after, "most": min(limit, MOST_LISTED)}
        rows = self._database.read(lambda c: queries.EVENT_PAGE.all(c, parameters))
        return [EventCard.model_validate(row, from_attributes=True) for row in rows]

    def latest(self) -> Sequence[EventCard]:
        """Return the latest events, the newest first."""
        rows = self._database.read(lambda c: queries.LATEST_EVENTS.all(c, {}))
        return [EventCard.model_validate(row, from_attributes=True) for row in rows]

    async def note(self, caller: str, what: str, why: str) -> None:
        """Write an event that is not about a phase."""
        await self._database.write(lambda c: self.add(c, "", None, caller, what, why))

    async def note_read(self, caller: str, submission: str) -> None:
        """Write that an organizer read the file of a submission.

        It is of no phase: it changes no leaderboard, and is not in its export.
        """
        await self._database.write(lambda c: self.add(c, "", submission, caller, "file read"))

    def add(
        self,
        connection: Connection,
        phase: str,
        submission: str | None,
        caller: str,
        what: str,
        why: str = "",
        detail: str = "{}",
    ) -> None:
        """Write an event in the transaction of its change; see `EventRow`."""
        event = EventRow(
            id=0,
            phase=phase,
            submission=submission,
            at=self._clock.now(),
            caller=caller,
            what=what,
            why=why,
            detail=detail,
        )
        queries.add_event(connection, event)
        log().info("decided", phase=phase, submission=submission, caller=caller, what=what, why=why)

"""Erasure: deletes a participant's data from a store, and from the place of its files."""

import re
import secrets
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, Delete, Select, Update, delete, select, update

from snellen.server.challenge import queries
from snellen.server.challenge.jobs import Jobs
from snellen.server.errors import ExamError
from snellen.server.exam.file import Forgotten
from snellen.server.store.database import Database
from snellen.server.store.files import Files
from snellen.server.store.tables.annotations import ratings
from snellen.server.store.tables.endpoint import (
    EventRow,
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
from snellen.server.store.tables.exams import (
    Scope,
    attempts,
    invitations,
    requests,
    sessions,
    teams,
    tokens,
)
from snellen.tasks.hosted import JobState

_WORDS = (events.c.why, submissions.c.removed, invitations.c.note, gradings.c.why)
"""The columns with words of organizers, which may name a participant."""


class Erased(NamedTuple):
    """What was deleted."""

    changed: int  # the number of deleted or changed rows of the store; 0: it had nothing
    attempts: int  # the number of deleted attempts
    submissions: int  # the number of deleted submissions
    anonymous: int  # the number of submissions of which the scores stay, without a name


def erase(
    database: Database,
    name: str,
    by: str,
    rule: Forgotten,
    files: Files | None = None,
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
) -> Erased:
    """Delete a participant's data; servers may run. Doing it again changes nothing.

    The store changes in one transaction. Then the files outside of it are removed, also those that
    an interrupted run left.

    Args:
        database: The store.
        name: The participant: a token's holder, or a team.
        by: The caller, for the event.
        rule: What becomes of the participant's rows on leaderboards.
        files: The place of files outside of the store; None: there is none.
        now: Returns the time in milliseconds.

    Raises:
        ExamError: The participant is an organizer, or its files are at another place.
        StoreError: The store or the place of its files failed.
    """
    done = database.submit(
        lambda connection: _Erasure(connection, name, now()).run(by, rule, files is not None)
    ).result()
    if files is not None:
        files.remove(name)
    database.read(_truncate_log)
    return done


def _truncate_log(connection: Connection) -> None:
    """Remove old pages from SQLite's log."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").close()


class _Erasure:
    """An erasure in a transaction.

    Args:
        connection: The connection, in a transaction.
        name: The participant.
        now: The time.
    """

    def __init__(self, connection: Connection, name: str, now: int) -> None:
        self._connection = connection
        self._name = name
        self._now = now
        # No token has such a name, and nobody knows whose it was.
        self._alias = f"forgotten {secrets.token_hex(4)}"
        self._changed = 0

    def run(self, by: str, rule: Forgotten, has_files: bool) -> Erased:
        """Delete everything, with an event that does not name the participant."""
        self._check(has_files)
        phases = self._column(select(submissions.c.phase).where(self._owned).distinct())
        people = self._people()
        anonymous, deleted = self._delete_submissions(rule)
        taken = self._change(delete(attempts).where(attempts.c.caller == self._name))
        self._delete_accounts()
        self._rename(people)
        if self._changed:
            for phase in phases or [""]:
                event = EventRow(
                    id=0,
                    phase=phase,
                    submission=None,
                    at=self._now,
                    caller=by,
                    what="forgotten",
                    why="a participant's data was deleted",
                )
                queries.add_event(self._connection, event)
        return Erased(self._changed, taken, deleted, anonymous)

    @property
    def _owned(self) -> Any:  # noqa: ANN401  # a condition of SQLAlchemy
        return submissions.c.caller == self._name

    def _check(self, has_files: bool) -> None:
        scopes = self._column(select(tokens.c.scopes).where(tokens.c.name == self._name))
        if any(not held.isdisjoint({Scope.ORGANIZE, Scope.ADMIN}) for held in scopes):
            raise ExamError(
                f"{self._name!r} is an organizer, whose decisions stay in the record; revoke the"
                " token with `snellen token revoke`"
            )
        outside = (
            select(parts.c.kept)
            .join_from(parts, submissions, submissions.c.id == parts.c.submission)
            .where(self._owned, parts.c.kept.is_not(None))
            .limit(1)
        )
        if not has_files and self._column(outside):
            raise ExamError(
                f"the files of {self._name!r} are outside of the store: give the exam file, which"
                " says where (`files`)"
            )

    def _people(self) -> list[str]:
        """Return the words that name the participant."""
        subjects = [
            subject
            for table in (tokens, requests)
            for subject in self._column(select(table.c.subject).where(table.c.name == self._name))
            if subject is not None
        ]
        return [self._name, *subjects]

    def _delete_submissions(self, rule: Forgotten) -> tuple[int, int]:
        """Return the numbers of submissions that stay without a name, and that are deleted."""
        owned = select(submissions.c.id).where(self._owned)
        unfinished = self._column(
            select(jobs.c.grading)
            .where(
                jobs.c.submission.in_(owned), jobs.c.state.in_((JobState.QUEUED, JobState.GRADING))
            )
            .distinct()
        )
        graded = select(jobs.c.submission).where(jobs.c.state == JobState.GRADED)
        stays = (submissions.c.removed.is_(None), submissions.c.id.in_(graded))
        kept: list[str] = []
        if rule is Forgotten.ANONYMOUS:
            kept = self._column(select(submissions.c.id).where(self._owned, *stays))
        for table in (keys, quotas, announcements):
            self._change(delete(table).where(table.c.caller == self._name))
        for submission in kept:
            self._empty(submission)
        deleted = self._change(delete(submissions).where(self._owned))
        for grading in unfinished:
            Jobs.show_if_whole(self._connection, grading)
        return len(kept), deleted

    def _empty(self, submission: str) -> None:
        """Leave nothing of a submission but its scores."""
        self._change(delete(parts).where(parts.c.submission == submission))
        of_jobs = jobs.c.submission == submission
        self._change(delete(jobs).where(of_jobs, jobs.c.state != JobState.GRADED))
        self._change(update(jobs).where(of_jobs).values(error=None, problems=None))
        self._change(update(scores).where(scores.c.submission == submission).values(report=None))
        one = submissions.c.id == submission
        (conditions,) = self._column(select(submissions.c.conditions).where(one))
        # The last one, with the participant's words; signatures end with the conditions.
        plain, model, name = conditions.rpartition("|model:")
        if model:
            for signature in self._column(
                select(scores.c.signature).where(scores.c.submission == submission).distinct()
            ):
                given = {"signature": signature.removesuffix(model + name)}
                of_score = scores.c.submission == submission, scores.c.signature == signature
                self._change(update(scores).where(*of_score).values(given))
        self._change(
            update(submissions)
            .where(one)
            .values(
                conditions=plain if model else conditions,
                caller=self._alias,
                name=self._alias,
                link="",
                attempt=None,
                # That of the bytes would identify the file.
                digest=secrets.token_bytes(32),
            )
        )

    def _delete_accounts(self) -> None:
        held = select(tokens.c.id).where(tokens.c.name == self._name)
        self._change(delete(sessions).where(sessions.c.token.in_(held)))
        # An emptied row stays: a store that had a token is never open to everybody.
        self._change(
            update(tokens)
            .where(tokens.c.name == self._name)
            .values(
                name=self._alias,
                digest=secrets.token_bytes(32),
                revoked=self._now,
                expires=None,
                team=None,
                subject=None,
            )
        )
        self._change(delete(requests).where(requests.c.name == self._name))
        self._change(delete(teams).where(teams.c.name == self._name))
        for table in (tokens, requests):
            self._change(update(table).where(table.c.team == self._name).values(team=None))

    def _rename(self, people: list[str]) -> None:
        """Write the alias wherever the record has a name of the participant."""
        for column in (events.c.caller, ratings.c.rater, invitations.c.caller):
            given = {column.name: self._alias}
            self._change(update(column.table).where(column == self._name).values(given))
        named = re.compile("|".join(map(_word, people)), re.IGNORECASE)
        for column in _WORDS:
            self._replace(column, named)

    def _replace(self, column: "Column[Any]", named: re.Pattern[str]) -> None:
        (key,) = column.table.primary_key.columns
        rows = self._connection.execute(select(key, column).where(column.is_not(None))).all()
        for row, text in rows:
            new = named.sub(self._alias, text)
            if new != text:
                given = {column.name: new}
                self._change(update(column.table).where(key == row).values(given))

    def _change(self, statement: Update | Delete) -> int:
        count = self._connection.execute(statement).rowcount
        self._changed += count
        return count

    def _column(self, query: "Select[Any]") -> list[Any]:
        return list(self._connection.execute(query).scalars())


def _word(name: str) -> str:
    """Return the pattern of a name as a whole word: not of a part of another name."""
    return rf"(?<![\w.@-]){re.escape(name)}(?![\w@-]|\.\w)"

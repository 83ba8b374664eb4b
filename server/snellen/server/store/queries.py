"""The queries of the store, each defined once; those of calls are compiled once.

This module has no rules and no SQL of a single database. Rows are not locked: there is one write
transaction at a time (`connections`), so data that a change has read does not change until it
commits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from sqlalchemy import (
    Boolean,
    Connection,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    insert,
    not_,
    or_,
    select,
    text,
    update,
)

from snellen.server.exam.phases import Move
from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.endpoint import (
    ScoreNumbers,
    events,
    gradings,
    scores,
    submissions,
)
from snellen.server.store.tables.exams import (
    AnswerRow,
    Attempt,
    EpisodeRow,
    ItemRow,
    LeaseRow,
    State,
    TraceRow,
    answers,
    attempts,
    episodes,
    items,
    leases,
    traces,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenItem(ItemRow):
    """An item with its attempt's state: `done` of the attempt's `total` items are answered."""

    state: State
    total: int
    done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnNumbers(ScoreNumbers):
    """A participant's score: `attempt` and `at` are its submission's."""

    attempt: int | None
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSummary:
    """An item of a list: `leased_to` is the client that holds it, if any."""

    place: int
    id: str
    task: str
    answered: bool
    leased_to: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """An item with one of its answers, or with none."""

    task: str
    item: str
    number: int | None
    response: str | None
    meta: str | None
    holder: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedItem(EpisodeRow):
    """An episode and its item."""

    task: str
    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTrace:
    """The detail of a call's trace about an item, as JSON."""

    task: str
    item: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number of rows."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTotals:
    """The totals of an attempt's calls."""

    calls: int
    image_bytes: int
    image_tokens: int
    steps: int


_MINE = items.c.attempt == bindparam("a")
_THIS = and_(_MINE, items.c.place == bindparam("p"))
_ONE = attempts.c.id == bindparam("a")
# An item's row includes its attempt's columns: one query instead of two.
_BESIDE = (attempts.c.state, attempts.c.total, attempts.c.answered.label("done"))

ATTEMPT = Query(
    select(attempts).where(
        attempts.c.digest == bindparam("d"), attempts.c.caller == bindparam("c")
    ),
    Attempt,
)
NUMBERED = Query(select(attempts).where(_ONE), Attempt)
LISTED = Query(
    select(attempts)
    .where(attempts.c.id > bindparam("after"))
    .order_by(attempts.c.id)
    .limit(bindparam("most")),
    Attempt,
)
STARTED = Query(
    select(func.count().label("count")).where(
        attempts.c.caller == bindparam("c"),
        attempts.c.exam == bindparam("e"),
        attempts.c.mode == bindparam("m"),
    ),
    Count,
)
# None of its items was ever leased, and its caller has not read its result.
UNTOUCHED = Query(
    select(attempts)
    .where(
        *(
            attempts.c[name] == bindparam(name)
            for name in ("caller", "exam", "mode", "tasks", "contexts", "space")
        ),
        attempts.c.model.is_not_distinct_from(cast(bindparam("model"), Text)),
        attempts.c.state != State.FINISHED,
        attempts.c.report.is_(None),
        ~select(1).where(leases.c.attempt == attempts.c.id).exists(),
    )
    .order_by(attempts.c.id)
    .limit(1),
    Attempt,
)
BEGIN_AGAIN = Statement(
    update(attempts)
    .where(_ONE)
    .values(
        digest=bindparam("d"),
        state=State.OPEN,
        opened=bindparam("opened"),
        deadline=bindparam("deadline"),
        closed=None,
    )
)
REISSUE = Statement(update(attempts).where(_ONE).values(digest=bindparam("d")))
# As text: the index of these events is only used if the query has its condition without parameters.
_NEWEST = (
    select(func.max(gradings.c.id)).where(gradings.c.phase == bindparam("f")).scalar_subquery()
)
OWN_NUMBERS = Query(
    select(
        *(scores.c[part.name] for part in fields(ScoreNumbers)),
        submissions.c.attempt,
        submissions.c.at,
    )
    .join_from(scores, submissions, scores.c.submission == submissions.c.id)
    .where(
        or_(
            scores.c.grading == bindparam("g"),
            and_(bindparam("g") == 0, scores.c.grading == _NEWEST),
        ),
        scores.c.part == bindparam("p"),
        submissions.c.caller == bindparam("c"),
        submissions.c.phase == bindparam("f"),
    )
    .order_by(submissions.c.at, submissions.c.id, scores.c.task),
    OwnNumbers,
)
"""A participant's scores in a phase, the oldest first, by a grading, or by the newest one for 0."""

MOVES = Query(
    select(events.c.id, events.c.phase, events.c.detail)
    .where(text("events.what = 'moved'"))
    .order_by(events.c.id),
    Move,
)
OPEN_ATTEMPTS = Query(
    select(attempts).where(attempts.c.exam == bindparam("x"), attempts.c.state == State.OPEN),
    Attempt,
)
SET_DEADLINE = Statement(update(attempts).where(_ONE).values(deadline=bindparam("until")))
CLOSE = Statement(
    update(attempts)
    .where(_ONE, attempts.c.state == State.OPEN)
    .values(state=bindparam("s"), closed=bindparam("now"))
)
_KEEP_REPORT = Statement(
    update(attempts).where(_ONE, attempts.c.report.is_(None)).values(report=bindparam("r"))
)
COUNT_ANSWERED = Statement(update(attempts).where(_ONE).values(answered=attempts.c.answered + 1))

_ITEMS = select(items, *_BESIDE).join_from(items, attempts, items.c.attempt == attempts.c.id)
ITEM = Query(_ITEMS.where(_MINE, items.c.opaque == bindparam("o")), OpenItem)
# One question for every filter: it is then written once. A parameter that is null filters nothing;
# PostgreSQL asks of which type such a one is.
PAGE = Query(
    select(
        items.c.place,
        items.c.opaque.label("id"),
        items.c.task,
        items.c.answered,
        case(
            (and_(not_(items.c.answered), items.c.leased_until >= bindparam("now")), items.c.holder)
        ).label("leased_to"),
    )
    .where(
        _MINE,
        items.c.place > bindparam("after"),
        or_(cast(bindparam("done"), Boolean).is_(None), items.c.answered == bindparam("done")),
        or_(cast(bindparam("h"), Text).is_(None), items.c.holder == bindparam("h")),
    )
    .order_by(items.c.place)
    .limit(bindparam("most")),
    ItemSummary,
)
# A client first gets an item that it already holds: it may have lost the result of its call.
HELD_OPEN = Query(
    _ITEMS.where(_MINE, items.c.holder == bindparam("h"), items.c.answered.is_(False))
    .order_by(items.c.place)
    .limit(1),
    OpenItem,
)
NEXT = Query(
    _ITEMS.where(
        _MINE,
        items.c.answered.is_(False),
        or_(items.c.holder.is_(None), items.c.leased_until < bindparam("now")),
    )
    .order_by(items.c.place)
    .limit(1),
    OpenItem,
)
SEEN_OTHER = Query(
    select(leases)
    .where(
        leases.c.attempt == bindparam("a"),
        leases.c.client == bindparam("h"),
        leases.c.place != bindparam("p"),
    )
    .limit(1),
    LeaseRow,
)
CLIENTS = Query(
    select(func.count(leases.c.client.distinct()).label("count")).where(
        leases.c.attempt == bindparam("a")
    ),
    Count,
)
SEEN = Query(
    select(leases).where(
        leases.c.attempt == bindparam("a"),
        leases.c.client == bindparam("h"),
        leases.c.place == bindparam("p"),
    ),
    LeaseRow,
)
LEASE = Statement(
    update(items).where(_THIS).values(holder=bindparam("h"), leased_until=bindparam("until"))
)
ADD_LEASE = Statement(insert(leases))
VIEWED = Statement(update(items).where(_THIS).values(views=items.c.views + 1))
ADD_ANSWER = Statement(insert(answers))
MARK_ANSWERED = Statement(
    update(items).where(_THIS).values(answered=True, submissions=bindparam("n"))
)

REWRITTEN = Query(
    select(func.count().label("count")).where(
        answers.c.attempt == bindparam("a"),
        answers.c.place == bindparam("p"),
        answers.c.number < 0,
    ),
    Count,
)
LAST = Query(
    select(answers)
    .where(answers.c.attempt == bindparam("a"), answers.c.place == bindparam("p"))
    .order_by(answers.c.number.desc())
    .limit(1),
    AnswerRow,
)
GIVEN = Query(
    select(
        items.c.task,
        items.c.item,
        answers.c.number,
        answers.c.response,
        answers.c.meta,
        answers.c.holder,
    )
    .join_from(
        items,
        answers,
        and_(answers.c.attempt == items.c.attempt, answers.c.place == items.c.place),
        isouter=True,
    )
    .where(_MINE)
    .order_by(items.c.place, answers.c.number),
    GivenAnswer,
)
PLAYED = Query(
    select(episodes, items.c.task, items.c.item)
    .join_from(
        episodes,
        items,
        and_(episodes.c.attempt == items.c.attempt, episodes.c.place == items.c.place),
    )
    .where(episodes.c.attempt == bindparam("a")),
    PlayedItem,
)
_OF_FAULTS = traces.alias()
# The traces of the items of which an image could not be shown at least once, from the first on.
FAULTS = Query(
    select(items.c.task, items.c.item, traces.c.detail)
    .join_from(
        traces,
        items,
        and_(traces.c.attempt == items.c.attempt, traces.c.place == items.c.place),
    )
    .where(
        traces.c.attempt == bindparam("a"),
        traces.c.place.in_(
            select(_OF_FAULTS.c.place).where(
                _OF_FAULTS.c.attempt == bindparam("a"), _OF_FAULTS.c.detail.contains('"fault"')
            )
        ),
    )
    .order_by(traces.c.id),
    ItemTrace,
)
TOTALS = Query(
    select(
        func.count().label("calls"),
        func.coalesce(func.sum(traces.c.image_bytes), 0).label("image_bytes"),
        func.coalesce(func.sum(traces.c.image_tokens), 0).label("image_tokens"),
        select(func.coalesce(func.sum(episodes.c.steps), 0))
        .where(episodes.c.attempt == bindparam("a"))
        .scalar_subquery()
        .label("steps"),
    ).where(traces.c.attempt == bindparam("a")),
    CallTotals,
)

EXPIRE = (
    update(attempts)
    .where(attempts.c.state == State.OPEN, attempts.c.deadline < bindparam("now"))
    .values(state=State.EXPIRED, closed=attempts.c.deadline)
)
ABANDON = (
    update(attempts)
    .where(
        attempts.c.state == State.OPEN,
        attempts.c.opened < bindparam("since"),
        *(
            ~select(1)
            .where(table.c.attempt == attempts.c.id, table.c.at >= bindparam("since"))
            .exists()
            for table in (leases, answers, traces)
        ),
    )
    .values(state=State.ABANDONED, closed=bindparam("now"))
)


def open_attempt(connection: Connection, attempt: Attempt, rows: Sequence[ItemRow]) -> int:
    """Write a new attempt and its items; return its number, assigned by the store."""
    query = insert(attempts).returning(attempts.c.id)
    number = connection.execute(query, row_values(attempt)).scalar_one()
    connection.execute(insert(items), [{**row_values(row), "attempt": number} for row in rows])
    return number


def keep_report(connection: Connection, attempt: int, report: str) -> str:
    """Store a report with its attempt, unless it has one; return the stored report."""
    _KEEP_REPORT.run(connection, {"a": attempt, "r": report})
    kept = NUMBERED.one(connection, {"a": attempt}).report
    assert kept is not None
    return kept


def keep_traces(connection: Connection, rows: Sequence[TraceRow]) -> None:
    connection.execute(insert(traces), [row_values(row) for row in rows])

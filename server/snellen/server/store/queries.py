"""The questions that are asked of the store, each in one place; what calls ask is written once.

No rule is here and nothing that only one database knows. No row is locked: there is one write
transaction at a time (`connections`), so what a change has read holds until it commits.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    Connection,
    Text,
    and_,
    bindparam,
    cast,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)

from snellen.server.attempts.models import Cost, Progress, Swept
from snellen.server.exam.spec import Place
from snellen.server.store.rows import AnswerRow, AttemptRow, ItemRow, ListedRow, PlaceRow, TraceRow
from snellen.server.store.statements import Command, Query
from snellen.server.store.tables import answers, attempts, items, leases, traces

_MINE = items.c.attempt == bindparam("a")
_THIS = and_(_MINE, items.c.place == bindparam("p"))
_ONE = attempts.c.id == bindparam("a")
# An item's row comes with what its attempt's row says: one question instead of two.
_BESIDE = (attempts.c.state, attempts.c.total, attempts.c.answered.label("done"))

ATTEMPT = Query(
    select(attempts).where(
        attempts.c.digest == bindparam("d"), attempts.c.caller == bindparam("c")
    ),
    AttemptRow,
)
NUMBERED = Query(select(attempts).where(_ONE), AttemptRow)
LISTED = Query(
    select(attempts)
    .where(attempts.c.id > bindparam("after"))
    .order_by(attempts.c.id)
    .limit(bindparam("most")),
    AttemptRow,
)
STARTED = select(func.count()).where(
    attempts.c.caller == bindparam("c"),
    attempts.c.exam == bindparam("e"),
    attempts.c.mode == bindparam("m"),
)
# Nothing of it was ever handed out, and nobody has been told how it ended.
UNTOUCHED = Query(
    select(attempts)
    .where(
        *(
            attempts.c[name] == bindparam(name)
            for name in ("caller", "exam", "mode", "tasks", "contexts")
        ),
        attempts.c.model.is_not_distinct_from(cast(bindparam("model"), Text)),
        attempts.c.state != "finished",
        attempts.c.report.is_(None),
        ~select(1).where(leases.c.attempt == attempts.c.id).exists(),
    )
    .order_by(attempts.c.id)
    .limit(1),
    AttemptRow,
)
BEGIN_AGAIN = Command(
    update(attempts)
    .where(_ONE)
    .values(
        digest=bindparam("d"),
        state="open",
        opened=bindparam("opened"),
        deadline=bindparam("deadline"),
        closed=None,
    )
)
REISSUE = Command(update(attempts).where(_ONE).values(digest=bindparam("d")))
PROGRESS = select(attempts.c.total, attempts.c.answered).where(_ONE)
_CLOSE = (
    update(attempts)
    .where(_ONE, attempts.c.state == "open")
    .values(state=bindparam("s"), closed=bindparam("now"))
)
_KEEP = update(attempts).where(_ONE, attempts.c.report.is_(None)).values(report=bindparam("r"))
_COUNTED = Command(update(attempts).where(_ONE).values(answered=attempts.c.answered + 1))

_ITEMS = select(items, *_BESIDE).join_from(items, attempts, items.c.attempt == attempts.c.id)
ITEM = Query(_ITEMS.where(_MINE, items.c.opaque == bindparam("o")), ItemRow)
# One question for every filter: it is then written once. A parameter that is null filters nothing;
# PostgreSQL asks of which type such a one is.
PAGE = Query(
    select(*(items.c[name] for name in ListedRow._fields))
    .where(
        _MINE,
        items.c.place > bindparam("after"),
        or_(cast(bindparam("done"), Boolean).is_(None), items.c.answered == bindparam("done")),
        or_(cast(bindparam("h"), Text).is_(None), items.c.holder == bindparam("h")),
    )
    .order_by(items.c.place)
    .limit(bindparam("most")),
    ListedRow,
)
# What a client holds already comes before anything new: it may have lost the result of its call.
HELD_OPEN = Query(
    _ITEMS.where(_MINE, items.c.holder == bindparam("h"), items.c.answered.is_(False))
    .order_by(items.c.place)
    .limit(1),
    ItemRow,
)
_OTHER_HALF = (
    select(1)
    .where(
        leases.c.attempt == items.c.attempt,
        leases.c.client == bindparam("h"),
        leases.c.pair == items.c.pair,
        leases.c.place != items.c.place,
    )
    .exists()
)
_NEXT = (
    _ITEMS.where(
        _MINE,
        items.c.answered.is_(False),
        or_(items.c.holder.is_(None), items.c.leased_until < bindparam("now")),
    )
    .order_by(items.c.place)
    .limit(1)
)
NEXT = Query(_NEXT, ItemRow)
NEXT_OF_NO_PAIR_SEEN = Query(_NEXT.where(not_(_OTHER_HALF)), ItemRow)
_SEEN_OTHER = (
    select(leases.c.place)
    .where(
        leases.c.attempt == bindparam("a"),
        leases.c.client == bindparam("h"),
        leases.c.place != bindparam("p"),
    )
    .limit(1)
)
SEEN_OTHER = Query(_SEEN_OTHER, PlaceRow)
SEEN_OTHER_HALF = Query(_SEEN_OTHER.where(leases.c.pair == bindparam("pair")), PlaceRow)
SEEN = Query(
    select(leases.c.place).where(
        leases.c.attempt == bindparam("a"),
        leases.c.client == bindparam("h"),
        leases.c.place == bindparam("p"),
    ),
    PlaceRow,
)
_LEASE = Command(
    update(items).where(_THIS).values(holder=bindparam("h"), leased_until=bindparam("until"))
)
_REMEMBER = Command(insert(leases))
VIEWED = Command(update(items).where(_THIS).values(views=items.c.views + 1))
_KEEP_ANSWER = Command(insert(answers))
_ANSWERED = Command(update(items).where(_THIS).values(answered=True, submissions=bindparam("n")))
_KEEP_TRACE = Command(
    insert(traces).values({name: bindparam(name) for name in traces.c.keys() if name != "id"})  # noqa: SIM118  # a collection of columns, whose keys are no items
)

LAST = Query(
    select(answers.c.number, answers.c.response, answers.c.holder)
    .where(answers.c.attempt == bindparam("a"), answers.c.place == bindparam("p"))
    .order_by(answers.c.number.desc())
    .limit(1),
    AnswerRow,
)
GIVEN = (
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
    .order_by(items.c.place, answers.c.number)
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
    TraceRow,
)
_COST = select(
    func.count(),
    func.coalesce(func.sum(traces.c.image_bytes), 0),
    func.coalesce(func.sum(traces.c.image_tokens), 0),
).where(traces.c.attempt == bindparam("a"))

_EXPIRE = (
    update(attempts)
    .where(attempts.c.state == "open", attempts.c.deadline < bindparam("now"))
    .values(state="expired", closed=attempts.c.deadline)
)
_ABANDON = (
    update(attempts)
    .where(
        attempts.c.state == "open",
        attempts.c.opened < bindparam("since"),
        *(
            ~select(1)
            .where(table.c.attempt == attempts.c.id, table.c.at >= bindparam("since"))
            .exists()
            for table in (leases, answers, traces)
        ),
    )
    .values(state="abandoned", closed=bindparam("now"))
)


def place_of(row: ItemRow) -> Place:
    """Return where an item's row stands in its attempt."""
    return Place(row.place, row.opaque, row.task, row.item, row.pair)


def open_attempt(connection: Connection, row: dict[str, Any], places: Sequence[Place]) -> int:
    """Write a new attempt and its items; return its number."""
    number = connection.execute(insert(attempts).returning(attempts.c.id), row).scalar_one()
    connection.execute(insert(items), [{"attempt": number, **place._asdict()} for place in places])
    return number


def progress(connection: Connection, attempt: int) -> Progress:
    """Return how many items of an attempt are answered and how many are open."""
    total, answered = connection.execute(PROGRESS, {"a": attempt}).one()
    return Progress(answered=answered, open=total - answered)


def keep_lease(connection: Connection, row: ItemRow, client: str, times: tuple[int, int]) -> None:
    """Give an item to a client until a time, and remember that it was given."""
    now, until = times
    this = {"a": row.attempt, "p": row.place, "h": client}
    _LEASE.run(connection, {**this, "until": until})
    known = row.holder is not None and SEEN.first(connection, this) is not None
    if known:
        return
    _REMEMBER.run(
        connection,
        {
            "attempt": row.attempt,
            "client": client,
            "place": row.place,
            "pair": row.pair,
            "at": now,
        },
    )


def keep_answer(connection: Connection, row: dict[str, Any]) -> None:
    """Write an answer, mark its item as answered and count it, the first one only."""
    _KEEP_ANSWER.run(connection, row)
    this = {"a": row["attempt"], "p": row["place"]}
    _ANSWERED.run(connection, {**this, "n": row["number"]})
    if row["number"] == 1:
        _COUNTED.run(connection, this)


def cost(connection: Connection, attempt: int, milliseconds: int) -> Cost:
    """Add up what an attempt took, beside the time."""
    calls, size, tokens = connection.execute(_COST, {"a": attempt}).one()
    return Cost(calls=calls, image_bytes=size, image_tokens=tokens, seconds=milliseconds / 1000)


def close(connection: Connection, attempt: int, state: str, now: int) -> None:
    """Close an attempt that is open."""
    connection.execute(_CLOSE, {"a": attempt, "s": state, "now": now})


def sweep(connection: Connection, now: int, since: int) -> Swept:
    """Close what is open and past its deadline, or has seen nobody since a time."""
    expired = connection.execute(_EXPIRE, {"now": now}).rowcount
    abandoned = connection.execute(_ABANDON, {"now": now, "since": since}).rowcount
    return Swept(expired, abandoned)


def keep_report(connection: Connection, attempt: int, report: str) -> str:
    """Store a report with its attempt, unless it has one; return the one it has then."""
    connection.execute(_KEEP, {"a": attempt, "r": report})
    kept = NUMBERED.one(connection, {"a": attempt}).report
    assert kept is not None
    return kept


def keep_traces(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Write traces."""
    _KEEP_TRACE.run_all(connection, rows)

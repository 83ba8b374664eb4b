"""Leases: the assignment of items to clients. Every function runs in a transaction.

An item belongs to one client at a time. When a lease expires, other clients can take the item. In a
`fresh` attempt its client has still seen it, and gets no other item. A client that answers late
keeps its item if no other client took it.
"""

from dataclasses import replace

from sqlalchemy import Connection

from snellen.server.errors import ExamError
from snellen.server.exam.rules import Contexts
from snellen.server.store import queries
from snellen.server.store.queries import OpenItem
from snellen.server.store.statements import row_values
from snellen.server.store.tables.exams import Attempt, LeaseRow, State


def lease(
    connection: Connection, attempt: Attempt, client: str, item: str | None, now: int
) -> OpenItem:
    """Lease the named item, or the next open one, to a client; return its row.

    Raises:
        ExamError: There is no item for this client, or the attempt is closed.
    """
    check_open(attempt.state, attempt, now)
    if item is None:
        row = _next(connection, attempt, client, now)
    else:
        row = _named(connection, attempt, client, item, now)
    check_open(row.state, attempt, now)
    _check_context(connection, attempt, client, row)
    key = {"a": attempt.id, "p": row.place, "h": client}
    # Earlier holders stay recorded.
    if row.holder is None or queries.SEEN.first(connection, key) is None:
        given = LeaseRow(attempt=attempt.id, client=client, place=row.place, at=now)
        queries.ADD_LEASE.run(connection, row_values(given))
    return _leased(connection, attempt, client, row, now)


def renew(connection: Connection, attempt: Attempt, client: str, item: str, now: int) -> OpenItem:
    """Lease an item again to the client that holds it, which works on it; return its row.

    Raises:
        ExamError: As for `held`.
    """
    return _leased(connection, attempt, client, held(connection, attempt, client, item, now), now)


def _leased(
    connection: Connection, attempt: Attempt, client: str, row: OpenItem, now: int
) -> OpenItem:
    until = now + round(attempt.rules.lease_minutes * 60_000)
    parameters = {"a": attempt.id, "p": row.place, "h": client, "until": until}
    queries.LEASE.run(connection, parameters)
    return replace(row, holder=client, leased_until=until)


def held(connection: Connection, attempt: Attempt, client: str, item: str, now: int) -> OpenItem:
    """Return the row of an item that a client holds.

    Raises:
        ExamError: There is no such item, the client does not hold it, or the attempt is closed.
    """
    row = item_row(connection, attempt.id, item)
    check_held(row, attempt, client, now)
    return row


def count_view(connection: Connection, attempt: Attempt, client: str, item: str, now: int) -> int:
    """Count a view of an item that a client holds; return the number of views left.

    Raises:
        ExamError: No view is left, or another client holds the item.
    """
    row = held(connection, attempt, client, item, now)
    most = attempt.rules.views or 0
    if row.views >= most:
        raise ExamError(f"all {most} views of item {item} are used; answer it now", field="item")
    queries.VIEWED.run(connection, {"a": attempt.id, "p": row.place})
    return most - row.views - 1


def item_row(connection: Connection, attempt: int, item: str) -> OpenItem:
    """Return an item's row by its id in the attempt.

    Raises:
        ExamError: There is none.
    """
    # Some databases can't look up U+0000 or a lone surrogate.
    row = queries.ITEM.first(connection, {"a": attempt, "o": item}) if item.isprintable() else None
    if row is None:
        raise ExamError(
            f"this attempt has no item {item[:40]!r}; list_items has their ids", field="item"
        )
    return row


def check_open(state: State, attempt: Attempt, now: int) -> None:
    """Check that an attempt accepts calls.

    Raises:
        ExamError: It is closed, or its time is over.
    """
    if state is State.OPEN and attempt.deadline is not None and now > attempt.deadline:
        state = State.EXPIRED
    if state is State.EXPIRED:
        raise ExamError("the time is over; call finish_attempt for the report")
    if state is not State.OPEN:
        raise ExamError(f"the attempt is {state}; start_attempt opens a new one")


def check_held(row: OpenItem, attempt: Attempt, client: str, now: int) -> None:
    """Check that an attempt accepts calls, and that a client holds an item.

    Raises:
        ExamError: The attempt is closed, or another client holds the item.
    """
    check_open(row.state, attempt, now)
    if row.holder != client:
        _check_free(row, client, now)
        raise ExamError(
            f"item {row.opaque} is not {client!r}'s, or no longer: call get_item with it first",
            field="item",
        )


def _check_free(row: OpenItem, client: str, now: int) -> None:
    if row.holder not in (None, client) and (row.answered or (row.leased_until or 0) >= now):
        raise ExamError(
            f"item {row.opaque} is another client's ({row.holder!r}); call get_item without an"
            " item for one of your own",
            field="item",
        )


def _next(connection: Connection, attempt: Attempt, client: str, now: int) -> OpenItem:
    row = queries.HELD_OPEN.first(connection, {"a": attempt.id, "h": client})
    if row is None:
        row = queries.NEXT.first(connection, {"a": attempt.id, "now": now})
    if row is not None:
        return row
    left = queries.NUMBERED.one(connection, {"a": attempt.id}).progress.open
    if not left:
        raise ExamError("every item is answered; call finish_attempt")
    raise ExamError(f"the {left} open items are leased to other clients: ask again later")


def _named(connection: Connection, attempt: Attempt, client: str, item: str, now: int) -> OpenItem:
    row = item_row(connection, attempt.id, item)
    _check_free(row, client, now)
    return row


def _check_context(connection: Connection, attempt: Attempt, client: str, row: OpenItem) -> None:
    if attempt.contexts is not Contexts.FRESH:
        return
    parameters = {"a": attempt.id, "h": client, "p": row.place}
    if queries.SEEN_OTHER.first(connection, parameters) is not None:
        raise ExamError(
            f"this attempt asks one question a context, and {client!r} has had one: the program"
            " that runs the contexts asks for the next item",
            field="client",
        )

"""Leases: which client may have which item of an attempt. Every function runs in a transaction.

An item belongs to one client at a time. A lease that runs out gives the item back, but its client
has seen it all the same: it never gets the other half of that pair, and in a `fresh` attempt
nothing else at all. A client that answers late keeps its item as long as nobody else took it.
"""

from typing import NamedTuple

from sqlalchemy import Connection

from snellen.server.attempts.models import Attempt, State
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Contexts
from snellen.server.store import queries
from snellen.server.store.rows import ItemRow


class Lent(NamedTuple):
    """An item's row, and until when, in milliseconds since 1970, its client has it."""

    row: ItemRow
    until: int


def lease(
    connection: Connection, attempt: Attempt, client: str, item: str | None, now: int
) -> Lent:
    """Give a client the item it names, or the next that is open.

    Raises:
        ExamError: There is none for this client, or the attempt is closed.
    """
    check_open(attempt.state, attempt, now)
    if item is None:
        row = _next(connection, attempt, client, now)
    else:
        row = _named(connection, attempt, client, item, now)
    check_open(State(row.state), attempt, now)
    _check_context(connection, attempt, client, row)
    until = now + round(attempt.rules.lease_minutes * 60_000)
    queries.keep_lease(connection, row, client, (now, until))
    return Lent(row, until)


def held(connection: Connection, attempt: Attempt, client: str, item: str, now: int) -> ItemRow:
    """Return the row of an item that a client holds.

    Raises:
        ExamError: There is no such item, the client does not hold it, or the attempt is closed.
    """
    row = item_row(connection, attempt.id, item)
    check_open(State(row.state), attempt, now)
    check_held(row, client, now)
    return row


def count_view(connection: Connection, attempt: Attempt, client: str, item: str, now: int) -> int:
    """Count a view of an item that a client holds; return how many are left.

    Raises:
        ExamError: None is left, or the item is not this client's.
    """
    row = held(connection, attempt, client, item, now)
    most = attempt.rules.views or 0
    if row.views >= most:
        raise ExamError(f"all {most} views of item {item} are used; answer it now", field="item")
    queries.VIEWED.run(connection, {"a": attempt.id, "p": row.place})
    return most - row.views - 1


def item_row(connection: Connection, attempt: int, item: str) -> ItemRow:
    """Return an item's row by its id in the attempt, beside its attempt's state and counts.

    Raises:
        ExamError: There is none.
    """
    # Neither U+0000 nor half a surrogate pair can be looked up in every database.
    row = queries.ITEM.first(connection, {"a": attempt, "o": item}) if item.isprintable() else None
    if row is None:
        raise ExamError(
            f"this attempt has no item {item[:40]!r}; list_items has their ids", field="item"
        )
    return row


def check_open(state: State, attempt: Attempt, now: int) -> None:
    """Check that an attempt takes calls.

    Raises:
        ExamError: It is closed, or its time is over.
    """
    if state is State.OPEN and attempt.deadline is not None and now > attempt.deadline:
        state = State.EXPIRED
    if state is State.EXPIRED:
        raise ExamError("the time is over; call finish_attempt for the report")
    if state is not State.OPEN:
        raise ExamError(f"the attempt is {state}; start_attempt opens a new one")


def check_held(row: ItemRow, client: str, now: int) -> None:
    """Check that an item was given to a client and not to another one since.

    Raises:
        ExamError: It was not.
    """
    _check_free(row, client, now)
    if row.holder != client:
        raise ExamError(
            f"item {row.opaque} is not {client!r}'s, or no longer: call get_item with it first",
            field="item",
        )


def _check_free(row: ItemRow, client: str, now: int) -> None:
    if row.holder not in (None, client) and (row.answered or (row.leased_until or 0) >= now):
        raise ExamError(
            f"item {row.opaque} is another client's ({row.holder!r}); call get_item without an"
            " item for one of your own",
            field="item",
        )


def _next(connection: Connection, attempt: Attempt, client: str, now: int) -> ItemRow:
    parameters = {"a": attempt.id, "h": client, "now": now}
    row = queries.HELD_OPEN.first(connection, {"a": attempt.id, "h": client})
    if row is None:
        together = attempt.rules.pairs_together
        query = queries.NEXT if together else queries.NEXT_OF_NO_PAIR_SEEN
        row = query.first(connection, parameters)
    if row is not None:
        return row
    left = queries.progress(connection, attempt.id).open
    if not left:
        raise ExamError("every item is answered; call finish_attempt")
    raise ExamError(
        f"the {left} open items are leased to other clients, or are the other halves of pairs that"
        f" {client!r} has seen: call again under another client name, or later"
    )


def _named(connection: Connection, attempt: Attempt, client: str, item: str, now: int) -> ItemRow:
    row = item_row(connection, attempt.id, item)
    _check_free(row, client, now)
    if row.pair is not None and row.holder != client and not attempt.rules.pairs_together:
        parameters = {"a": attempt.id, "pair": row.pair, "p": row.place, "h": client}
        if queries.SEEN_OTHER_HALF.first(connection, parameters) is not None:
            raise ExamError(
                f"{client!r} has seen the other half of this pair; another client must take it",
                field="client",
            )
    return row


def _check_context(connection: Connection, attempt: Attempt, client: str, row: ItemRow) -> None:
    if attempt.contexts is not Contexts.FRESH:
        return
    parameters = {"a": attempt.id, "h": client, "p": row.place}
    if queries.SEEN_OTHER.first(connection, parameters) is not None:
        raise ExamError(
            f"this attempt asks one question a context, and {client!r} has had one: start a"
            " new context and give it another client name",
            field="client",
        )

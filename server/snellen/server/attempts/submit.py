"""Recording an answer, within a transaction: once, in its item's form, by the client that holds it.

A client that lost the result of its call may call again: the same answer changes nothing, even
after the attempt was closed.
"""

from typing import NamedTuple

from pydantic import JsonValue
from sqlalchemy import Connection

from snellen.server.attempts.leases import check_held, check_open, item_row
from snellen.server.attempts.models import Attempt, Progress, Receipt, Seen, State
from snellen.server.attempts.responses import read_answer, written
from snellen.server.errors import ExamError
from snellen.server.exam.spec import Asked, Paper
from snellen.server.store import queries
from snellen.server.store.rows import ItemRow


class Handed(NamedTuple):
    """An answer as it was handed in: by whom, to what, when, and how the item was looked at."""

    client: str
    item: str
    answer: JsonValue
    at: int
    seen: Seen


def record(connection: Connection, paper: Paper, attempt: Attempt, handed: Handed) -> Receipt:
    """Store an answer.

    Raises:
        ExamError: The answer is not in the item's form, the item is not this client's, no more
            answers to it are taken, or the attempt is closed.
    """
    row = item_row(connection, attempt.id, handed.item)
    if not row.submissions:
        _check(row, attempt, handed)
    asked = paper.asked(queries.place_of(row), attempt.secret, attempt.rules)
    _check_space(asked, handed.seen)
    response = written(read_answer(asked, handed.answer))
    most = attempt.rules.submissions
    if row.submissions:
        last = queries.LAST.one(connection, {"a": attempt.id, "p": row.place})
        if (last.response, last.holder) == (response, handed.client):
            return _receipt(row, handed, last.number, most, again=True)
        _check(row, attempt, handed)
        if row.submissions >= most:
            raise ExamError(_used_up(most, handed.item), field="item")
    number = row.submissions + 1
    queries.keep_answer(
        connection,
        {
            "attempt": attempt.id,
            "place": row.place,
            "number": number,
            "holder": handed.client,
            "given": written(handed.answer),
            "response": response,
            "meta": written(handed.seen.meta()),
            "at": handed.at,
        },
    )
    return _receipt(row, handed, number, most, again=False)


def _check(row: ItemRow, attempt: Attempt, handed: Handed) -> None:
    check_open(State(row.state), attempt, handed.at)
    check_held(row, handed.client, handed.at)


def _check_space(asked: Asked, seen: Seen) -> None:
    wanted = asked.item.answer_format.space
    if wanted is not None and seen.space not in (None, wanted.value):
        raise ExamError(
            f"this item is answered in the space {wanted.value!r}, not {seen.space!r}: convert"
            f" the coordinates, as in {asked.item.answer_format.example}",
            field="space",
        )


def _receipt(row: ItemRow, handed: Handed, number: int, most: int, *, again: bool) -> Receipt:
    answered = row.done + (0 if row.answered else 1)
    return Receipt(
        item=handed.item,
        number=number,
        stored=handed.answer,
        again=again,
        progress=Progress(answered=answered, open=row.total - answered),
        submissions_left=most - number,
    )


def _used_up(most: int, item: str) -> str:
    if most == 1:
        return f"item {item} has its answer, and only one is taken; go on with the next"
    return f"all {most} answers to item {item} are used; go on with the next"

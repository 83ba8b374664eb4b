"""Statements that the driver runs itself say what SQLAlchemy would, within its transactions."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import bindparam, create_engine, delete, insert, select, update

from snellen.server.errors import ExamError, StoreError
from snellen.server.exam.rules import Rules
from snellen.server.store.database import Database
from snellen.server.store.schema import open_store
from snellen.server.store.statements import Query, Statement
from snellen.server.store.tables.exams import Scope, attempts, items, tokens


@dataclass(frozen=True)
class TokenRow:
    id: int
    name: str
    digest: bytes
    revoked: int | None


@dataclass(frozen=True)
class AnsweredRow:
    place: int
    answered: bool


_COLUMNS = (tokens.c.id, tokens.c.name, tokens.c.digest, tokens.c.revoked)
NAMED = Query(select(*_COLUMNS).where(tokens.c.name == bindparam("n")), TokenRow)
FIRST_TWO = Query(select(*_COLUMNS).order_by(tokens.c.name).limit(2), TokenRow)
ANSWERED = Query(select(items.c.place, items.c.answered).order_by(items.c.place), AnsweredRow)
ADD = Statement(insert(tokens))
RENAME = Statement(
    update(tokens).where(tokens.c.name == bindparam("n")).values(name=bindparam("to"))
)
REMOVE = Statement(delete(tokens).where(tokens.c.name == bindparam("n")))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    found = open_store(tmp_path / "exam.sqlite")
    yield found
    found.close()


def token(number: int, name: str) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "digest": bytes([number, 0, 255]),
        "scopes": frozenset({Scope.TAKE}),
        "created": 1,
        "revoked": None,
        "expires": None,
        "team": None,
        "subject": None,
    }


def names(database: Database) -> list[str]:
    query = select(tokens.c.name).order_by(tokens.c.name)
    return list(database.read(lambda c: c.execute(query).scalars().all()))


def test_a_row_is_what_sqlalchemy_says_it_is(database: Database) -> None:
    database.submit(lambda c: ADD.run(c, token(7, "x"))).result()
    row = database.read(lambda c: NAMED.one(c, {"n": "x"}))
    assert row == TokenRow(7, "x", bytes([7, 0, 255]), None)
    assert astuple(row) == database.read(lambda c: tuple(c.execute(select(*_COLUMNS)).one()))


def test_what_is_true_is_no_number(database: Database) -> None:
    attempt: dict[str, Any] = {
        "id": 1,
        "digest": b"d",
        "secret": b"s",
        "caller": "",
        "exam": "",
        "mode": "exam",
        "tasks": (),
        "rules": Rules(),
        "contexts": "fresh",
        "opened": 0,
        "state": "open",
        "total": 2,
    }
    of_one = [
        {"attempt": 1, "place": n, "opaque": f"{n}", "task": "", "item": "", "answered": bool(n)}
        for n in range(2)
    ]
    database.submit(lambda c: c.execute(insert(attempts), attempt)).result()
    database.submit(lambda c: c.execute(insert(items), of_one)).result()
    found = database.read(lambda c: ANSWERED.all(c, {}))
    assert [row.answered for row in found] == [False, True]
    assert all(type(row.answered) is bool for row in found)


def test_where_there_is_no_row_there_is_none(database: Database) -> None:
    assert database.read(lambda c: NAMED.first(c, {"n": "nobody"})) is None
    assert database.read(lambda c: FIRST_TWO.all(c, {})) == []


def test_a_value_that_is_part_of_a_question_need_not_be_given(database: Database) -> None:
    rows = [token(number, name) for number, name in enumerate("cab")]
    for row in rows:
        database.submit(lambda c, row=row: ADD.run(c, row)).result()
    assert [row.name for row in database.read(lambda c: FIRST_TWO.all(c, {}))] == ["a", "b"]


def test_a_parameter_that_is_missing_is_no_null(database: Database) -> None:
    with pytest.raises(KeyError, match="n"):
        database.read(lambda c: NAMED.first(c, {}))


def test_a_change_is_part_of_the_connections_transaction(database: Database) -> None:
    database.submit(lambda c: ADD.run(c, token(1, "first"))).result()

    def work(connection: Any) -> None:  # a Connection
        RENAME.run(connection, {"n": "first", "to": "renamed"})
        REMOVE.run(connection, {"n": "renamed"})
        assert NAMED.first(connection, {"n": "renamed"}) is None
        raise ExamError("refused")

    with pytest.raises(ExamError, match="refused"):
        database.submit(work).result()
    assert names(database) == ["first"]


def test_what_the_driver_raises_is_told_and_survived(database: Database) -> None:
    database.submit(lambda c: ADD.run(c, token(1, "a secret"))).result()
    error = database.submit(lambda c: ADD.run(c, token(2, "a secret"))).exception()
    assert isinstance(error, StoreError)
    assert "nothing was stored; the store failed" in str(error)
    assert "UNIQUE constraint failed" in str(error.__cause__)
    assert "a secret" not in str(error.__cause__)
    database.submit(lambda c: ADD.run(c, token(2, "another"))).result()
    assert names(database) == ["a secret", "another"]


def test_a_question_about_what_is_not_there_is_told_and_survived(database: Database) -> None:
    database.submit(lambda c: c.exec_driver_sql("ALTER TABLE tokens RENAME TO gone")).result()
    with pytest.raises(StoreError, match="the store failed"):
        database.read(lambda c: NAMED.first(c, {"n": "x"}))
    database.submit(lambda c: c.exec_driver_sql("ALTER TABLE gone RENAME TO tokens")).result()
    assert database.read(lambda c: NAMED.first(c, {"n": "x"})) is None


def test_a_row_must_name_the_columns() -> None:
    with pytest.raises(AssertionError):
        Query(select(tokens.c.name, tokens.c.id, tokens.c.digest), TokenRow)


def test_parameters_go_by_name_to_a_driver_that_takes_names(database: Database) -> None:
    database.submit(lambda c: ADD.run(c, token(1, "x"))).result()
    engine = create_engine(f"sqlite:///{database.name}", paramstyle="named")
    with engine.begin() as connection:
        RENAME.run(connection, {"n": "x", "to": "y"})
        assert [row.name for row in FIRST_TWO.all(connection, {})] == ["y"]
    engine.dispose()
    assert names(database) == ["y"]

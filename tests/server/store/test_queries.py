"""The questions are asked of PostgreSQL, too: by its own dialect, without a server."""

from collections.abc import Iterator

import pytest
from sqlalchemy import ClauseElement, Executable
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.schema import CreateTable

from snellen.server.store import queries
from snellen.server.store.statements import Statement
from snellen.server.store.tables import metadata


def statements() -> Iterator[tuple[str, ClauseElement]]:
    for name, value in vars(queries).items():
        clause: object = value.clause if isinstance(value, Statement) else value
        if isinstance(clause, ClauseElement) and isinstance(clause, Executable):
            yield name, clause


def written(statement: ClauseElement) -> str:
    return str(statement.compile(dialect=postgresql.dialect()))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]  # untyped there


@pytest.mark.parametrize("name", sorted(dict(statements())))
def test_a_question_can_be_asked_of_postgresql(name: str) -> None:
    statement = dict(statements())[name]
    assert written(statement)
    assert str(statement.compile(dialect=sqlite_dialect()))


def test_all_questions_are_found() -> None:
    assert len(dict(statements())) > 20


def test_on_postgresql_a_filter_that_is_left_out_has_a_type() -> None:
    text = written(queries.PAGE.clause)
    assert "CAST(%(done)s AS BOOLEAN) IS NULL" in text
    assert "CAST(%(h)s AS TEXT) IS NULL" in text


def test_the_tables_can_be_made_on_postgresql() -> None:
    made = [
        str(CreateTable(table).compile(dialect=postgresql.dialect()))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]  # untyped there
        for table in metadata.sorted_tables
    ]
    assert any("digest BYTEA NOT NULL" in text for text in made)
    assert not any("ROWID" in text for text in made)

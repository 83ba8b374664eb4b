"""LazyHost a store: made new, taken as it is, migrated where older, refused where newer."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, select

from snellen.server.errors import StoreError
from snellen.server.store.copies import check
from snellen.server.store.database import Database
from snellen.server.store.schema import HEAD, REVISIONS, open_store, revision, upgrade
from snellen.server.store.tables import metadata

STORED = Path(__file__).with_name("stored")
"""A small store of each revision, as SQLite's dump: a token, and a graded upload of two answers."""


def shape(database: Database) -> dict[str, Any]:
    """Return all that a schema says, as SQLAlchemy reads it back."""

    def read(connection: Any) -> dict[str, Any]:
        found = inspect(connection)
        return {
            table: {
                "columns": [
                    {**column, "type": str(column["type"])} for column in found.get_columns(table)
                ],
                "primary key": found.get_pk_constraint(table),
                "foreign keys": sorted(found.get_foreign_keys(table), key=str),
                "unique": sorted(found.get_unique_constraints(table), key=str),
                # The condition of an index of some rows is a clause, and no two clauses are equal.
                "indexes": sorted(
                    str({**index, "dialect_options": _texts(index.get("dialect_options", {}))})
                    for index in found.get_indexes(table)
                ),
                "options": found.get_table_options(table),
            }
            for table in found.get_table_names()
        }

    return database.read(read)


def _texts(options: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in options.items()}


def migrated(url: str | Path) -> Database:
    """Make a store by the migrations, step by step."""
    database = Database(url)
    database.submit(upgrade).result()
    return database


def test_a_new_store_is_of_the_newest_revision(tmp_path: Path) -> None:
    database = open_store(tmp_path / "new" / "exam.sqlite")
    assert database.read(revision) == HEAD
    database.close()


def test_a_new_store_is_what_the_migrations_make(tmp_path: Path) -> None:
    made, stepped = open_store(tmp_path / "made.sqlite"), migrated(tmp_path / "migrated.sqlite")
    assert shape(made) == shape(stepped)
    assert len(shape(made)) == 25
    made.close()
    stepped.close()


@pytest.mark.postgres
def test_on_postgresql_a_new_store_is_what_the_migrations_make(
    postgresql: Callable[[], str],
) -> None:
    made, stepped = open_store(postgresql()), migrated(postgresql())
    assert made.read(revision) == stepped.read(revision) == HEAD
    assert shape(made) == shape(stepped)
    assert len(shape(made)) == 25
    made.close()
    stepped.close()


def test_every_migration_is_known_and_ships() -> None:
    names = [
        entry.name
        for entry in (files("snellen.server.store") / "migrations" / "versions").iterdir()
        if entry.name.endswith(".py") and entry.name != "__init__.py"
    ]
    assert tuple(sorted(name.partition("_")[0] for name in names)) == REVISIONS


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    database = Database(tmp_path / "exam.sqlite")
    # The last table that the first step makes.
    database.submit(lambda connection: connection.exec_driver_sql("CREATE TABLE traces (x)"))
    for _ in range(2):
        with pytest.raises(StoreError):
            database.submit(upgrade).result()
    assert shape(database).keys() == {"traces"}
    assert database.read(revision) is None
    database.close()


@pytest.mark.parametrize("before", REVISIONS)
def test_a_store_of_each_revision_is_opened_with_its_rows(before: str, tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript((STORED / f"{before}.sql").read_text())
    connection.close()
    old, new = open_store(file), open_store(tmp_path / "new.sqlite")
    assert old.read(revision) == HEAD
    assert shape(old) == shape(new)
    (row,) = old.read(lambda c: c.execute(select(metadata.tables["submissions"])).all())
    assert (row.caller, row.size, row.chosen) == ("ada", 101, None)
    (score,) = old.read(lambda c: c.execute(select(metadata.tables["scores"])).all())
    assert score.value == pytest.approx(1 / 12)
    old.close()
    new.close()
    assert check(file) == HEAD


def test_the_first_revision_is_text_that_today_can_not_change() -> None:
    text = (
        files("snellen.server.store") / "migrations" / "versions" / f"{REVISIONS[0]}_first.py"
    ).read_text()
    assert "from snellen" not in text
    assert "import snellen" not in text


def test_a_store_that_lacks_a_column_or_a_table_is_told(tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    open_store(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("ALTER TABLE tokens DROP COLUMN team")
        connection.execute("DROP TABLE quotas")
    connection.close()
    with pytest.raises(StoreError, match="the table tokens lacks team") as found:
        check(file)
    assert "there is no table quotas" in str(found.value)


def test_a_store_of_before_the_first_release_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    open_store(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0008'")
    connection.close()
    with pytest.raises(StoreError, match="open it with the version that made it"):
        open_store(file)


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    open_store(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(
        StoreError, match=f"has revision 9999, but this version reads at most {HEAD}"
    ):
        open_store(file)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    with pytest.raises(StoreError, match=r"another program's database .*'notes'"):
        open_store(file)


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    file.write_bytes(b"no database, but a text that is long enough to look at" * 40)
    with pytest.raises(StoreError, match="is no database: the organizer must name another file"):
        open_store(file)


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/store/x.sqlite.*can't keep a store there"):
        open_store(tmp_path / "file" / "store" / "x.sqlite")


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_store_in_memory_is_refused(url: str) -> None:
    with pytest.raises(StoreError, match="an exam needs a database file, not :memory:"):
        open_store(url)


@pytest.mark.parametrize(
    "url", ["nonsense://", "postgresql+nonesuch://host/name", "mysql://host/name", "://"]
)
def test_an_url_that_leads_nowhere_is_refused(url: str) -> None:
    with pytest.raises(StoreError):
        open_store(url)


def test_only_its_owner_can_read_a_store(tmp_path: Path) -> None:
    database = open_store(tmp_path / "exam.sqlite")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    database.close()


@pytest.mark.slow
def test_two_programs_that_open_a_new_store_at_once_make_it_once(tmp_path: Path) -> None:
    code = (
        "import sys; from snellen.server.store.schema import open_store;"
        "database = open_store(sys.argv[1]); database.close()"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "exam.sqlite")],
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for _ in range(3)
    ]
    said = [child.communicate()[1].decode() for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], said


def test_a_store_that_is_up_to_date_opens_without_alembic(tmp_path: Path) -> None:
    code = (
        "import sys; from snellen.server.store.schema import open_store;"
        "open_store(sys.argv[1]).close(); open_store(sys.argv[1]).close();"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "exam.sqlite")],
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_step_never_goes_back(tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    database = open_store(tmp_path / "exam.sqlite")
    config = Config()
    config.set_main_option("script_location", str(files("snellen.server.store") / "migrations"))

    def down(connection: Any) -> None:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    step: Callable[[Any], None] = down
    with pytest.raises(NotImplementedError, match="restore a copy made before the upgrade"):
        database.submit(step).result()
    database.close()

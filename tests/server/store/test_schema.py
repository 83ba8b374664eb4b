"""A store that is opened: made new, or of this version's tables; any other is refused in words."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from snellen.server.errors import StoreError
from snellen.server.store.connections import url_of
from snellen.server.store.copies import back_up, check, restore
from snellen.server.store.schema import open_store
from snellen.server.store.tables import metadata
from snellen.server.store.tables.revision import REVISION

EXPORT = "snellen attempts export NUMBER --output FOLDER --store STORE"
OTHER_LAYOUTS = {
    "ALTER TABLE scores DROP COLUMN item_episodes": "the table scores lacks item_episodes",
    "ALTER TABLE tokens ADD COLUMN color TEXT": "the table tokens has color",
    "ALTER TABLE tokens RENAME COLUMN team TO club": "lacks team; the table tokens has club",
    "DROP TABLE quotas": "there is no table quotas",
    "CREATE TABLE quotes (text TEXT)": "there is a table quotes",
    "CREATE TABLE alembic_version (version_num VARCHAR(32))": "there is a table alembic_version",
    "DROP TABLE snellen": "there is no table snellen",
    "UPDATE snellen SET revision = '9999'": f"its revision is 9999, not {REVISION}",
    "DELETE FROM snellen": f"its revision is None, not {REVISION}",
}
"""A change that makes a store another version's, and what its refusal says about it."""


def change(store: str, *statements: str) -> None:
    """Run statements in a database, past the store."""
    url = url_of(store)
    if url.get_backend_name() == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def test_a_new_store_has_every_table_and_opens_again(either_store: str) -> None:
    for _ in range(2):
        database = open_store(either_store)
        try:
            for table in metadata.sorted_tables:
                database.read(lambda c, table=table: c.execute(table.select()).all())
        finally:
            database.close()


@pytest.mark.parametrize("statement", OTHER_LAYOUTS)
def test_a_store_of_another_layout_is_refused_with_the_command_that_exports_it(
    statement: str, either_store: str
) -> None:
    open_store(either_store).close()
    change(either_store, statement)
    with pytest.raises(StoreError) as refused:
        open_store(either_store)
    assert OTHER_LAYOUTS[statement] in str(refused.value)
    assert EXPORT in str(refused.value)


@pytest.mark.parametrize("kind", ["TEXT NOT NULL", "BIGINT NOT NULL", "INTEGER"])
def test_a_column_of_another_type_is_refused(kind: str, either_store: str) -> None:
    open_store(either_store).close()
    change(
        either_store,
        "DROP TABLE quotas",
        "CREATE TABLE quotas (phase TEXT NOT NULL, caller TEXT NOT NULL, day TEXT NOT NULL,"
        f" used {kind}, PRIMARY KEY (phase, caller, day))",
    )
    with pytest.raises(StoreError, match=f"quotas.used is {kind}, not INTEGER NOT NULL"):
        open_store(either_store)


def test_a_refused_store_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    open_store(file).close()
    change(str(file), "DROP TABLE quotas", "ALTER TABLE scores DROP COLUMN item_episodes")
    before = file.read_bytes()
    with pytest.raises(StoreError):
        open_store(file)
    assert file.read_bytes() == before


def test_a_backup_a_restore_and_a_check_say_the_same_sentence(tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    open_store(file).close()
    change(str(file), "ALTER TABLE scores DROP COLUMN item_episodes")
    with pytest.raises(StoreError) as opened:
        open_store(file)
    for work in (
        lambda: check(file),
        lambda: back_up(file, tmp_path / "copy.sqlite"),
        lambda: restore(file, tmp_path / "again.sqlite"),
    ):
        with pytest.raises(StoreError) as refused:
            work()
        assert str(refused.value) == str(opened.value)
    assert not (tmp_path / "copy.sqlite").exists()
    assert not (tmp_path / "again.sqlite").exists()


def test_columns_in_another_order_are_the_same_layout(tmp_path: Path) -> None:
    file = tmp_path / "exam.sqlite"
    open_store(file).close()
    change(
        str(file),
        "ALTER TABLE tokens DROP COLUMN team",
        "ALTER TABLE tokens ADD COLUMN team TEXT",
    )
    open_store(file).close()
    assert check(file) == REVISION


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

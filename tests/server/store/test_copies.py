"""Copies of a store: whole or not at all, of one moment, never over a store that is there."""

import asyncio
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from snellen.server.errors import StoreError
from snellen.server.http.auth import Tokens
from snellen.server.store.copies import back_up, check, restore
from snellen.server.store.schema import open_store
from snellen.server.store.tables.revision import REVISION


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Return a store with a token."""
    store = tmp_path / "exam.sqlite"
    database = open_store(store)
    Tokens(database).create("ada")
    database.close()
    return store


def names(store: Path) -> list[str]:
    database = open_store(store)
    try:
        return [token.name for token in Tokens(database).listed()]
    finally:
        database.close()


def damage(file: Path) -> None:
    """Overwrite the middle of a database."""
    body = bytearray(file.read_bytes())
    body[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    file.write_bytes(body)


def test_a_backup_is_restored_as_it_was(filled: Path, tmp_path: Path) -> None:
    copy, again = tmp_path / "copy.sqlite", tmp_path / "new" / "again.sqlite"
    back_up(filled, copy)
    restore(copy, again)
    assert names(again) == ["ada"]
    assert check(again) == check(copy) == REVISION
    assert stat.S_IMODE(copy.stat().st_mode) == stat.S_IMODE(again.stat().st_mode) == 0o600
    # A backup is one file, and nothing is left beside it.
    assert sorted(path.name for path in tmp_path.iterdir() if "copy" in path.name) == [copy.name]


@pytest.mark.slow
async def test_a_backup_of_a_store_that_is_written_to_holds_one_moment(tmp_path: Path) -> None:
    store, copy = tmp_path / "exam.sqlite", tmp_path / "copy.sqlite"
    database = open_store(store)
    tokens, stop = Tokens(database), threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            tokens.create(f"t{number}")
            number += 1

    writing = asyncio.create_task(asyncio.to_thread(write))
    try:
        for _ in range(10):
            await asyncio.to_thread(back_up, store, copy)
            found = names(copy)
            # Each token was acknowledged before the next was made.
            assert found == [f"t{number}" for number in range(len(found))]
    finally:
        stop.set()
        await writing
        database.close()
    assert len(names(store)) > 10


def test_a_backup_replaces_an_older_one(filled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    back_up(filled, copy)
    database = open_store(filled)
    Tokens(database).create("bob")
    # The store is open, and what was written last is in its log alone.
    back_up(filled, copy)
    database.close()
    assert names(copy) == ["ada", "bob"]


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_nothing_is_restored_over_a_store_or_what_is_left_of_one(
    filled: Path, tmp_path: Path, ending: str
) -> None:
    copy, target = tmp_path / "copy.sqlite", tmp_path / "target.sqlite"
    back_up(filled, copy)
    there = target.with_name(target.name + ending)
    there.write_bytes(b"kept")
    with pytest.raises(StoreError, match="it exists already"):
        restore(copy, target)
    assert there.read_bytes() == b"kept"
    assert [path for path in tmp_path.iterdir() if "target" in path.name] == [there]


def test_a_damaged_store_is_neither_copied_nor_restored_nor_called_good(
    filled: Path, tmp_path: Path
) -> None:
    copy, broken = tmp_path / "copy.sqlite", tmp_path / "broken.sqlite"
    back_up(filled, copy)
    before = copy.read_bytes()
    back_up(filled, broken)
    damage(broken)
    for work in (
        lambda: check(broken),
        lambda: back_up(broken, copy),
        lambda: restore(broken, tmp_path / "again.sqlite"),
    ):
        with pytest.raises(StoreError):
            work()
    assert copy.read_bytes() == before
    assert not (tmp_path / "again.sqlite").exists()


def test_what_is_no_store_is_refused(filled: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE notes (text)")
    connection.close()
    text = tmp_path / "text.sqlite"
    text.write_text("no database at all, but a text that is long enough to be read as one")
    missing = tmp_path / "missing.sqlite"
    for file, said in (
        (other, "not a store of snellen"),
        (text, "no database"),
        (missing, "no such"),
    ):
        with pytest.raises(StoreError, match=said):
            restore(file, tmp_path / "again.sqlite")
        with pytest.raises(StoreError, match=said):
            back_up(file, tmp_path / "copy.sqlite")
    assert not missing.exists()
    with pytest.raises(StoreError, match="the store itself"):
        back_up(filled, filled)


def test_a_copy_that_can_t_be_written_leaves_nothing(filled: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="can't be written"):
        back_up(filled, tmp_path / "nowhere" / "copy.sqlite")
    assert not (tmp_path / "nowhere").exists()


def test_postgresql_has_programs_of_its_own(tmp_path: Path) -> None:
    url = "postgresql://ada:secret@host/exam"
    for work in (
        lambda: back_up(url, tmp_path / "copy"),
        lambda: restore(tmp_path / "copy", url),
        lambda: check(url),
    ):
        with pytest.raises(StoreError, match="pg_") as caught:
            work()
        assert "secret" not in str(caught.value)

"""Writing: changes share a commit, each stands or falls alone; faults are told and survived."""

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select, text

from snellen.server.errors import ExamError, StoreError
from snellen.server.store.database import Database
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import tokens


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "exam.sqlite"


@pytest.fixture
def database(file: Path) -> Iterator[Database]:
    found = open_store(file, patience=0.2)
    yield found
    found.close()


def adding(name: str) -> Callable[[Connection], str]:
    """Return a change that adds a row."""

    def work(connection: Connection) -> str:
        row = {"name": name, "digest": name.encode(), "scopes": "", "created": 0}
        connection.execute(insert(tokens), row)
        return name

    return work


def refusing(name: str) -> Callable[[Connection], str]:
    """Return a change that adds a row and then breaks a rule."""

    def work(connection: Connection) -> str:
        adding(name)(connection)
        raise ExamError(f"{name} is refused")

    return work


def names(database: Database) -> list[str]:
    return sorted(database.read(lambda c: c.execute(select(tokens.c.name)).scalars().all()))


def held_up(database: Database) -> tuple[threading.Event, "Future[None]"]:
    """Keep the writer busy until the event is set, so that changes pile up behind it."""
    go, begun = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        begun.set()
        go.wait(30)

    held = database.submit(work)
    begun.wait(30)
    return go, held


def test_a_change_is_read_by_another_program_when_it_is_done(
    database: Database, file: Path
) -> None:
    assert database.submit(adding("x")).result() == "x"
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT name FROM tokens").fetchall() == [("x",)]
    connection.close()


def test_what_is_acknowledged_is_on_disk(database: Database) -> None:
    def pragmas(connection: Connection) -> list[Any]:
        asked = ("journal_mode", "synchronous", "foreign_keys", "fullfsync")
        return [connection.execute(text(f"PRAGMA {name}")).scalar() for name in asked]

    assert database.submit(pragmas).result() == ["wal", 2, 1, 1]


def test_of_changes_that_share_a_commit_one_that_breaks_a_rule_falls_alone(
    database: Database,
) -> None:
    go, first = held_up(database)
    good = [database.submit(adding(f"good {n}")) for n in range(3)]
    bad = database.submit(refusing("bad"))
    more = database.submit(adding("more"))
    go.set()
    first.result()
    assert [change.result() for change in (*good, more)] == ["good 0", "good 1", "good 2", "more"]
    with pytest.raises(ExamError, match="bad is refused"):
        bad.result()
    assert names(database) == ["good 0", "good 1", "good 2", "more"]


def test_of_changes_that_share_a_commit_one_that_fails_falls_alone(database: Database) -> None:
    go, first = held_up(database)
    changes = [database.submit(adding(name)) for name in ("a", "b", "a", "c")]
    broken = database.submit(lambda connection: 1 // 0)
    go.set()
    first.result()
    assert [changes[n].result() for n in (0, 1, 3)] == ["a", "b", "c"]
    with pytest.raises(StoreError, match="nothing was stored; the store failed"):
        changes[2].result()
    with pytest.raises(ZeroDivisionError):
        broken.result()
    assert names(database) == ["a", "b", "c"]


def test_a_change_that_nobody_waits_for_any_more_is_not_begun(database: Database) -> None:
    go, first = held_up(database)
    given_up, kept = database.submit(adding("given up")), database.submit(adding("kept"))
    assert given_up.cancel()
    go.set()
    first.result()
    kept.result()
    assert names(database) == ["kept"]


def test_a_change_that_breaks_a_rule_by_itself_leaves_nothing(database: Database) -> None:
    with pytest.raises(ExamError, match="alone is refused"):
        database.submit(refusing("alone")).result()
    assert names(database) == []


def test_closing_finishes_what_is_queued_and_refuses_what_comes_later(
    database: Database, file: Path
) -> None:
    go, _ = held_up(database)
    queued = [database.submit(adding(f"{n}")) for n in range(300)]
    closing = threading.Thread(target=database.close)
    closing.start()
    go.set()
    closing.join()
    assert [change.result(0) for change in queued] == [f"{n}" for n in range(300)]
    with pytest.raises(StoreError, match="the server is stopping; nothing was stored"):
        database.submit(adding("late")).result(0)
    with pytest.raises(StoreError, match="the server is stopping"):
        names(database)
    database.close()
    again = open_store(file)
    assert len(names(again)) == 300
    again.close()


async def test_many_at_once_share_commits(database: Database) -> None:
    seen: set[object] = set()

    def work(connection: Connection) -> None:
        seen.add(connection.get_transaction())

    go, _ = held_up(database)
    changes = [asyncio.ensure_future(database.write(work)) for _ in range(64)]
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(*changes)
    assert len(seen) == 1


async def test_a_caller_that_is_cancelled_leaves_its_change_as_it_is(database: Database) -> None:
    go, first = held_up(database)
    change = asyncio.ensure_future(database.write(adding("x")))
    await asyncio.sleep(0)
    change.cancel()
    with pytest.raises(asyncio.CancelledError):
        await change
    go.set()
    await asyncio.wrap_future(first)
    assert await database.write(adding("y")) == "y"
    assert names(database) == ["x", "y"]


async def test_a_change_that_fails_says_so_to_who_waits(database: Database) -> None:
    with pytest.raises(ExamError, match="x is refused"):
        await database.write(refusing("x"))
    assert names(database) == []


def test_a_caller_whose_loop_is_gone_leaves_its_change_as_it_is(database: Database) -> None:
    go, first = held_up(database)

    async def leave() -> None:
        task = asyncio.ensure_future(database.write(adding("x")))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(leave())
    go.set()
    first.result()
    database.submit(adding("y")).result()
    assert names(database) == ["x", "y"]


def test_another_programs_lock_is_waited_for_and_then_told(database: Database, file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    changes = [database.submit(adding(f"{n}")) for n in range(3)]
    for change in changes:
        with pytest.raises(StoreError, match="nothing was stored; another program keeps the store"):
            change.result(30)
    assert names(database) == []
    other.execute("ROLLBACK")
    assert database.submit(adding("later")).result() == "later"
    other.close()


def test_a_full_disk_is_told_and_survived(database: Database) -> None:
    def limit(pages: int) -> Callable[[Connection], Any]:
        return lambda c: c.execute(text(f"PRAGMA max_page_count = {pages}")).scalar()

    used = database.read(lambda c: c.execute(text("PRAGMA page_count")).scalar_one())
    # The limit is a connection's own: the writer's.
    database.submit(limit(used + 6)).result()
    go, _ = held_up(database)
    changes = [database.submit(adding(f"{n:03}" + "x" * 3000)) for n in range(40)]
    go.set()
    kept = [change.result() for change in changes if change.exception() is None]
    lost = [change.exception() for change in changes if change.exception() is not None]
    assert kept
    assert lost
    assert all(isinstance(error, StoreError) for error in lost)
    assert "nothing was stored; the store's disk is full: the organizer must free" in str(lost[0])
    assert names(database) == sorted(kept)
    database.submit(limit(100_000)).result()
    assert database.submit(adding("there is space again")).result()


def test_a_damaged_store_is_told(database: Database, file: Path) -> None:
    for n in range(200):
        database.submit(adding(f"{n:03}" + "x" * 500))
    database.submit(adding("last")).result()
    database.close()
    data = bytearray(file.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    file.write_bytes(bytes(data))
    with pytest.raises(StoreError, match="the store is damaged: the organizer must restore it"):
        open_store(file)


def test_a_store_that_vanished_under_a_reader_is_told(database: Database) -> None:
    with pytest.raises(StoreError, match="the store failed"):
        database.read(lambda c: c.execute(text("SELECT * FROM nowhere")))
    assert names(database) == []


def test_an_error_shows_no_answer(database: Database) -> None:
    database.submit(adding("a secret answer")).result()
    error = database.submit(adding("a secret answer")).exception()
    assert isinstance(error, StoreError)
    shown = "".join(traceback.format_exception(error))
    assert "UNIQUE constraint failed" in shown
    assert "a secret answer" not in shown


def test_reads_from_many_threads_do_not_mix(database: Database) -> None:
    for n in range(20):
        database.submit(adding(f"{n}")).result()
    wrong: list[object] = []

    def read(n: int) -> None:
        query = select(tokens.c.name).where(tokens.c.name == str(n))
        for _ in range(50):
            found = database.read(lambda c: c.execute(query).scalar_one())
            if found != str(n):
                wrong.append(found)

    threads = [threading.Thread(target=read, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert database.read(lambda c: c.execute(select(func.count()).select_from(tokens)).scalar())


def test_a_store_that_was_deleted_takes_no_more_answers(database: Database, file: Path) -> None:
    database.submit(adding("before")).result()
    file.unlink()
    for number in range(3):
        with pytest.raises(StoreError, match="the store's file was deleted or replaced") as caught:
            database.submit(adding(f"{number}")).result()
        assert not caught.value.again
        assert "tell the exam's organizer" in str(caught.value)
    assert not file.exists()


@pytest.mark.slow
def test_that_a_store_was_deleted_is_logged_once(file: Path) -> None:
    code = (
        "import os, sys; from snellen.server.logs import lines_to_stderr;"
        "from snellen.server.store.schema import open_store;"
        "database = open_store(sys.argv[1]); os.unlink(sys.argv[1]);"
        "print([database.submit(print).exception() is None for _ in range(3)]);"
        "lines_to_stderr().drain(30)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(file)], check=True, capture_output=True, text=True
    )
    assert ran.stdout.splitlines()[-1] == "[False, False, False]"
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert [(line["event"], line["level"], line["file"]) for line in lines] == [
        ("the store's file was deleted or replaced", "error", str(file))
    ]


def test_a_store_in_whose_place_another_file_was_put_takes_no_more_answers(
    database: Database, file: Path, tmp_path: Path
) -> None:
    database.submit(adding("before")).result()
    aside, copy = tmp_path / "aside.sqlite", tmp_path / "copy.sqlite"
    shutil.copy(file, copy)
    file.rename(aside)
    copy.replace(file)
    go, first = held_up(database)
    changes = [database.submit(adding(f"{number}")) for number in range(3)]
    go.set()
    for change in (first, *changes):
        with pytest.raises(StoreError, match="deleted or replaced"):
            change.result()
    # It goes on once its file is put back, and nothing that was refused is in it.
    aside.replace(file)
    database.submit(adding("after")).result()
    assert names(database) == ["after", "before"]


def test_a_read_does_not_wait_for_another_threads_read(database: Database) -> None:
    go, begun = threading.Event(), threading.Event()

    def long(connection: Connection) -> int | None:
        count = connection.execute(select(func.count()).select_from(tokens)).scalar()
        begun.set()
        go.wait(30)
        return count

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(database.read, long)
        begun.wait(30)
        assert names(database) == []
        assert not slow.done()
        go.set()
        assert slow.result() == 0


def test_a_read_that_fails_says_nothing_of_storing(tmp_path: Path) -> None:
    database = open_store(tmp_path / "exam.sqlite")
    with pytest.raises(StoreError) as found:
        database.read(lambda connection: connection.exec_driver_sql("SELECT x FROM nowhere"))
    assert "stored" not in str(found.value)
    assert "call again" in str(found.value)
    database.close()

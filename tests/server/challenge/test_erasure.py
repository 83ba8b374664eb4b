"""A participant's data is deleted: nothing in the store and the files is the person's then."""

import asyncio
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hosted import NOON, Hosted, as_lines

from snellen.server.attempts.models import Caller
from snellen.server.challenge import queries
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.erasure import Erased, erase
from snellen.server.challenge.models import Announcement
from snellen.server.challenge.workers import AttemptCollector, Worker
from snellen.server.errors import ExamError, NotFoundError, StoreError
from snellen.server.exam.file import Forgotten
from snellen.server.http.auth import Tokens, owners
from snellen.server.store.database import Database
from snellen.server.store.files import Files
from snellen.server.store.statements import row_values
from snellen.server.store.tables import metadata
from snellen.server.store.tables.annotations import AnnotationMode
from snellen.server.store.tables.exams import JoinRequest, Scope, Team
from snellen.tasks.hosted import JobState

Hosting = Callable[..., Hosted]
PERSON = "adalovelace"
PLANTED = ("lovelace", "analytical", "babbage")
"""What only the participant's data has: names, links, answers, the subject of a provider."""


async def graded(here: Hosted) -> None:
    worker = Worker(here.challenge, here.settings)
    try:
        while await asyncio.to_thread(worker.step):
            pass
    finally:
        worker.close()


def erased(
    here: Hosted, rule: Forgotten = Forgotten.ANONYMOUS, files: Files | None = None
) -> Erased:
    return erase(here.host.database, PERSON, "shell:root", rule, files, lambda: NOON)


def words_in(database: Database) -> list[str]:
    """Return where a store has what was planted, in whatever column, compressed or not."""
    found: list[str] = []
    for table in metadata.sorted_tables:
        for row in database.read(lambda c, table=table: c.execute(table.select()).all()):
            for name, value in zip(table.columns.keys(), row, strict=True):
                text = repr(value)
                if isinstance(value, bytes):
                    # A digest may begin as compressed data does.
                    with suppress(zlib.error):
                        text += repr(zlib.decompress(value))
                if any(word in text.lower() for word in PLANTED):
                    found.append(f"{table.name}.{name}: {text[:80]}")
    return found


def bytes_of(here: Hosted) -> bytes:
    """Return the bytes of a SQLite store with its log; a database server has none here."""
    file = Path(here.settings.store)
    return b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))


def actions(here: Hosted) -> list[tuple[str, str, str]]:
    rows = here.host.database.read(lambda c: queries.LATEST_EVENTS.all(c, {}))
    return [(row.caller, row.what, row.why) for row in reversed(rows)]


async def fill(here: Hosted, right: Mapping[str, str]) -> None:
    """Let a participant leave data in every table."""
    database, tokens = here.host.database, Tokens(here.host.database, now=lambda: NOON)
    await here.challenge.begin()
    tokens.create("boss", [Scope.ADMIN])
    token = tokens.create(PERSON, [Scope.SUBMIT, Scope.TAKE], by="boss")
    assert tokens.sign_in(token)
    database.submit(
        lambda c: c.exec_driver_sql(
            "UPDATE tokens SET subject = 'babbage@id.example' WHERE team IS NULL"
            f" AND name = '{PERSON}'"
        )
    ).result()
    wrong = {**right, next(iter(right)): "the analytical engine"}
    await here.upload("bob", dict(list(right.items())[:2]))
    first = await here.upload(
        PERSON, wrong, name="Lovelace's model", link="https://lovelace.example", key="analytical"
    )
    await here.upload(PERSON, dict(list(right.items())[:1]))
    await here.upload(PERSON, '{"analytical": "no answer"}\n' + as_lines(wrong), name="babbage")
    await here.submissions.announce(PERSON, Announcement(sha256="a" * 64))
    await graded(here)
    removed = await here.upload(PERSON, dict(list(right.items())[:3]), name="lovelace 2")
    await graded(here)
    await here.submissions.remove(removed.id, "boss", f"{PERSON} sent it twice")
    await here.submissions.remove(
        here.submissions.listed("bob")[0].id, "boss", f"{PERSON.title()} says: copied"
    )
    await here.submissions.restore(here.submissions.listed("bob")[0].id, "boss", "it was not")
    await here.challenge.events.note(PERSON, "joined", "by invitation 1, as babbage@id.example")
    service, caller = here.host.service, Caller(PERSON)
    for finish in (True, False):
        started = await service.start(caller, model="babbage-1")
        lease = await service.lease(started.attempt, caller)
        await service.submit(started.attempt, caller, lease.item.opaque, "the analytical engine")
        if finish:
            await service.finish(started.attempt)
            await AttemptCollector(here.challenge, service).collect()
    await graded(here)
    assert here.submissions.status(first.id, PERSON).state is JobState.GRADED
    asked = JoinRequest(id=0, name="charles", digest=b"2" * 32, at=NOON, team=PERSON, subject=None)
    formed = Team(name=PERSON, digest=b"3" * 32, created=NOON)
    rating = {
        "annotation": 1, "task": "t", "item": "i", "rater": PERSON,
        "given": '"x"', "reason": "", "at": NOON, "source": "page",
    }  # fmt: skip
    annotation = {
        "id": 1, "name": "checks", "pack": "", "mode": AnnotationMode.CHECK, "note": "",
        "created": NOON,
    }  # fmt: skip
    for table, values in (
        ("requests", row_values(asked)),
        ("teams", row_values(formed)),
        ("annotations", annotation),
        ("annotation_items", {"annotation": 1, "task": "t", "item": "i", "wanted": 1}),
        ("ratings", rating),
    ):
        insert = metadata.tables[table].insert()
        database.submit(lambda c, i=insert, v=values: c.execute(i, v)).result()


@pytest.mark.slow
async def test_nothing_of_a_participant_stays_but_scores_without_a_name(
    hosted: Hosting, right: Mapping[str, str]
) -> None:
    here = hosted(counts="all")
    await fill(here, right)
    database, phase = here.host.database, here.challenge.phase("main")
    boards = Boards(here.challenge)
    before = boards.board(phase, organizer=True).board
    done = erased(here)
    assert words_in(database) == []
    after = boards.board(phase, organizer=True).board
    assert [(row.best, row.worst, row.value) for row in after.rows] == [
        (row.best, row.worst, row.value) for row in before.rows
    ]
    aliases = {row.participant for row in after.rows} - {"bob"}
    assert len(aliases) == 1
    assert aliases.pop().startswith("forgotten ")
    assert done.anonymous == len(before.rows) - 1
    assert (done.attempts, done.submissions) == (2, 1)
    assert actions(here)[-1] == ("shell:root", "forgotten", "a participant's data was deleted")
    assert Tokens(database).known
    if "://" not in str(here.settings.store):
        assert not any(word.encode() in bytes_of(here).lower() for word in PLANTED)


@pytest.mark.slow
async def test_doing_it_again_changes_nothing(hosted: Hosting, right: Mapping[str, str]) -> None:
    here = hosted()
    await fill(here, right)
    assert erased(here).changed > 10
    said = actions(here)
    assert erased(here) == Erased(0, 0, 0, 0)
    assert actions(here) == said


@pytest.mark.slow
async def test_an_exam_file_can_drop_the_rows(hosted: Hosting, right: Mapping[str, str]) -> None:
    here = hosted(counts="all")
    await fill(here, right)
    phase, boards = here.challenge.phase("main"), Boards(here.challenge)
    number = len(boards.board(phase, organizer=True).board.rows)
    done = erased(here, Forgotten.DROPPED)
    assert (done.anonymous, done.submissions) == (0, number)
    (row,) = boards.board(phase, organizer=True).board.rows
    assert row.participant == "bob"


@pytest.mark.slow
async def test_rows_without_a_name_can_be_dropped_later(
    hosted: Hosting, right: Mapping[str, str]
) -> None:
    here = hosted()
    await fill(here, right)
    erased(here)
    (alias,) = here.host.database.read(owners) - {"bob"}
    erase(here.host.database, alias, "shell:root", Forgotten.DROPPED)
    assert here.host.database.read(owners) == {"bob"}


async def test_the_data_of_others_and_what_only_looks_like_the_name_stays(
    hosted: Hosting, right: Mapping[str, str]
) -> None:
    here = hosted()
    await here.challenge.begin()
    tokens = Tokens(here.host.database)
    others = ("ann.b", "x.ann", "ann-2", "ann_1", "joann", "anna")
    for name in ("ann", *others):
        tokens.create(name, by="boss")
        await here.upload(name, dict(list(right.items())[: len(name)]))
    erase(here.host.database, "ann", "boss", Forgotten.ANONYMOUS)
    assert here.host.database.read(owners) == set(others)
    (alias,) = {each.name for each in tokens.listed()} - set(others)
    assert [why for _, what, why in actions(here) if what == "token"] == [
        f"{name}: take" for name in (alias, *others)
    ]


@pytest.mark.slow
async def test_a_file_that_is_not_graded_yet_is_deleted_and_a_regrading_ends_without_it(
    hosted: Hosting, right: Mapping[str, str]
) -> None:
    here = hosted()
    await here.challenge.begin()
    await here.upload("bob", dict(list(right.items())[:2]))
    await here.upload(PERSON, right)
    await graded(here)
    phase, boards = here.challenge.phase("main"), Boards(here.challenge)
    await here.challenge.rescore(phase, "boss", "two references were wrong")
    worker = Worker(here.challenge, here.settings)
    assert await asyncio.to_thread(worker.step)
    worker.close()
    assert boards.board(phase, organizer=True).board.regrading
    await here.upload(PERSON, "a file that waits\n")
    done = erased(here)
    # One of the two was graded again; if it was the participant's, bob's job still waits.
    await graded(here)
    board = boards.board(phase, organizer=True).board
    assert not board.regrading
    assert (done.submissions, done.anonymous) == (1, 1)
    assert "bob" in {row.participant for row in board.rows}
    # Without its file a row can't be graded again, and is not in the next grading.
    await here.challenge.rescore(phase, "boss", "another one, too")
    await graded(here)
    (row,) = boards.board(phase, organizer=True).board.rows
    assert row.participant == "bob"


@pytest.mark.slow
async def test_the_last_open_job_of_a_regrading_does_not_hold_it_up(
    hosted: Hosting, right: Mapping[str, str]
) -> None:
    here = hosted()
    await here.challenge.begin()
    await here.upload(PERSON, right)
    await graded(here)
    phase = here.challenge.phase("main")
    await here.challenge.rescore(phase, "boss", f"{PERSON} asked for it")
    erased(here)
    assert not Boards(here.challenge).board(phase, organizer=True).board.regrading
    assert words_in(here.host.database) == []


@pytest.mark.slow
async def test_a_report_and_a_file_of_a_row_without_a_name_are_gone(
    hosted: Hosting, right: Mapping[str, str]
) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload(PERSON, right)
    await graded(here)
    erased(here)
    with pytest.raises(NotFoundError, match="data was deleted"):
        here.submissions.report(kept.id, None, "boss", organizer=True)
    with pytest.raises(NotFoundError):
        here.submissions.status(kept.id, PERSON)
    assert here.submissions.status(kept.id, None).state is JobState.GRADED
    _, parts = here.submissions.file_of(kept.id, None)
    assert parts == []


async def test_an_attempt_that_is_deleted_while_it_is_read_becomes_no_submission(
    hosted: Hosting,
) -> None:
    here = hosted()
    await here.challenge.begin()
    service, caller = here.host.service, Caller(PERSON)
    started = await service.start(caller)
    await service.finish(started.attempt)
    collector = AttemptCollector(here.challenge, service)
    keep = here.submissions.keep_attempt

    async def late(*given: object) -> None:
        erased(here)
        await keep(*given)  # pyright: ignore[reportArgumentType]  # as they came

    here.submissions.keep_attempt = late  # pyright: ignore[reportAttributeAccessIssue]
    await collector.collect()
    assert here.submissions.listed(None) == []


async def test_an_organizer_is_not_forgotten(hosted: Hosting) -> None:
    here = hosted()
    Tokens(here.host.database).create("boss", [Scope.ORGANIZE, Scope.SUBMIT])
    with pytest.raises(ExamError, match=r"'boss' is an organizer.*snellen token revoke"):
        erase(here.host.database, "boss", "shell:root", Forgotten.ANONYMOUS)


async def test_files_outside_of_the_store_are_removed_and_those_of_others_stay(
    hosted: Hosting, right: Mapping[str, str], place: str
) -> None:
    here = hosted(exam={"files": place})
    await here.challenge.begin()
    files = Files(place)
    await here.upload(PERSON, right)
    # The same bytes, and an object that no row names, as a crash leaves it.
    other = await here.upload("bob", right)
    left = files.put(PERSON, b"left by a crash")
    with pytest.raises(ExamError, match="give the exam file"):
        erased(here)
    assert len(here.submissions.listed(PERSON)) == 1
    erased(here, files=files)
    _, parts = here.submissions.file_of(other.id, "bob")
    assert await here.submissions.bytes_of(parts) == as_lines(right).encode()
    with pytest.raises(StoreError, match="is missing"):
        files.get(left)
    # A run that ended before the files were removed is completed by the next one.
    files.put(PERSON, b"left by a crash")
    assert erased(here, files=files).changed == 0
    with pytest.raises(StoreError, match="is missing"):
        files.get(left)

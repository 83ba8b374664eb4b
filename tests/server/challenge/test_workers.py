import asyncio
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import pytest
from hosted import Hosted
from sqlalchemy import Connection

from snellen.grading.errors import SubmissionError
from snellen.server.attempts.models import Caller
from snellen.server.attempts.register import Clock
from snellen.server.challenge import queries
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.graders import Grader
from snellen.server.challenge.jobs import MOST_TRIES, Ended, Jobs
from snellen.server.challenge.quotas import MOST_STUCK
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.workers import AttemptCollector, Worker, locked
from snellen.server.errors import QuotaError, StoreError
from snellen.server.exam.phases import ALL
from snellen.server.grading.exam import references_digest
from snellen.server.grading.files import FileToGrade, Graded
from snellen.server.settings import Settings
from snellen.server.store.database import Database
from snellen.server.store.tables.endpoint import ScoreRow
from snellen.tasks.hosted import Board, JobState, Source

Hosting = Callable[..., Hosted]
T = TypeVar("T")


@pytest.mark.parametrize("enters", [True, False])
async def test_a_finished_attempt_becomes_one_submission_and_counts_where_its_phase_lets_it(
    hosted: Hosting, right: Mapping[str, str], *, enters: bool
) -> None:
    here = hosted(attempts=enters)
    await here.challenge.begin()
    service, caller = here.host.service, Caller("ada")
    started = await service.start(caller, model="model-1")
    lease = await service.lease(started.attempt, caller)
    answer = right[lease.item.item]
    await service.submit(started.attempt, caller, lease.item.opaque, answer)
    collector = AttemptCollector(here.challenge, service)
    assert await collector.collect() == 0
    await service.finish(started.attempt)
    assert [await collector.collect() for _ in range(2)] == [1, 0]
    (kept,) = here.submissions.listed("ada")
    assert (kept.source, kept.name, kept.state) == (Source.ATTEMPT, "model-1", JobState.QUEUED)
    assert "contexts:" in kept.conditions
    assert (kept.removed is None) is enters


TASK = "screenqa/short"


def board_of(here: Hosted) -> Board:
    return Boards(here.challenge).board(here.challenge.phase(None)).board


def open_trouble(_: Settings) -> Grader:
    return _grade_trouble


def _grade_trouble(given: FileToGrade) -> Graded:
    """Do what the first line of a file says."""
    match given.path.read_text(encoding="utf-8").strip():
        case word if word.startswith("crash"):
            os.abort()
        case "wait":
            time.sleep(600)
        case word if word.startswith("raise"):
            raise RuntimeError("a fault of ours")
        case word:
            raise SubmissionError(f"{word} is no answer", file=str(given.path), line=1)
    return Graded()


@pytest.mark.slow
async def test_uploads_are_graded_as_the_sdk_does_and_stand_on_the_board(
    hosted: Hosting, right: Mapping[str, str]
) -> None:
    here = hosted(counts="all")
    await here.challenge.begin()
    half = dict(list(right.items())[:6])
    uploads = [
        await here.upload("ada", right, name="All right"),
        await here.upload("bob", half, name="Half"),
        await here.upload("eve", "this is no JSON\n", name="Broken"),
    ]
    worker = Worker(here.challenge, here.settings)
    try:
        assert [await asyncio.to_thread(worker.step) for _ in range(4)] == [True] * 3 + [False]
    finally:
        worker.close()
    one, two, three = (here.submissions.status(each.id, None) for each in uploads)
    assert (one.state, one.scores[0].value, one.scores[0].items) == (JobState.GRADED, 1.0, 12)
    assert (two.scores[0].value, two.scores[0].outcomes) == (0.5, {"answered": 6, "missing": 6})
    assert one.scores[0].signature.startswith(f"{TASK}|data:")
    assert three.state is JobState.FAILED
    assert three.error is not None
    assert "answers.jsonl" not in three.error
    assert not three.scores
    board = board_of(here)
    assert [(row.name, row.value, row.best) for row in board.rows] == [
        ("All right", 1.0, 1),
        ("Half", 0.5, 1 + (board.rows[0].worst == 1)),
    ]


@pytest.mark.slow
async def test_what_failed_has_its_reason_without_the_place_where_the_file_lay(
    hosted: Hosting,
) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada", "nonsense\n")
    worker = Worker(here.challenge, here.settings, open_grader=open_trouble, pause_seconds=0)
    try:
        await asyncio.to_thread(worker.step)
    finally:
        worker.close()
    found = here.submissions.status(kept.id, "ada")
    assert found.state is JobState.FAILED
    assert found.error == "the file (*.jsonl), line 1: nonsense is no answer"


@dataclass
class Outage:
    """A store that fails once, at the first call of a name.

    Attributes:
        inner: The store.
        at: The name; empty: it never fails.
        late: Whether the call is done before it fails, as when a server is lost after a commit.
        names: The names of all calls.
    """

    inner: Database
    at: str = ""
    late: bool = False
    names: dict[str, None] = field(default_factory=dict[str, None])

    def read(self, work: Callable[[Connection], T]) -> T:
        """Read, or fail."""
        return self._call(work, lambda: self.inner.read(work))

    def submit(self, work: Callable[[Connection], T]) -> "Future[T]":
        """Write, or fail."""
        done: Future[T] = Future()
        try:
            done.set_result(self._call(work, lambda: self.inner.submit(work).result()))
        except Exception as error:  # noqa: BLE001  # the caller gets it from the future
            done.set_exception(error)
        return done

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Write, or fail."""
        return await asyncio.wrap_future(self.submit(work))

    def _call(self, work: Callable[[Connection], T], done: Callable[[], T]) -> T:
        name = work.__qualname__
        self.names[name] = None
        if name != self.at:
            return done()
        self.at = ""
        if self.late:
            done()
        raise StoreError("the store is away")


def open_echo(_: Settings) -> Grader:
    return _grade_echo


def _grade_echo(given: FileToGrade) -> Graded:
    """Give a file the value that it names, slowly enough for heartbeats."""
    word = given.path.read_text(encoding="utf-8").strip()
    for _ in range(200_000):
        word = word.strip()
    if word == "fault":
        raise RuntimeError("a fault")
    if word == "bad":
        raise SubmissionError("this is bad", file=str(given.path))
    return Graded([_score(given.submission, given.grading, float(word))])


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
async def test_a_reply_belongs_to_its_job_wherever_the_store_fails(
    hosted: Hosting, *, late: bool
) -> None:
    """Fail at each call of a worker to the store, before the call or after it was done."""
    here = hosted(counts="all", uploads=1)
    await here.challenge.begin()
    opened = here.challenge
    store = Outage(opened.database, late=late)
    there = Challenge(
        opened.file,
        opened.exam,
        references_digest(here.settings),
        cast("Database", store),
        Clock(now=lambda: here.time[0]),
    )
    # The lease is over at once, so a job that a failure leaves behind is taken up again at once.
    worker = Worker(
        there,
        here.settings,
        open_grader=open_echo,
        lease_seconds=0,
        idle_seconds=0,
        pause_seconds=0,
    )
    files = ["0.25", "bad", "fault", "0.75"]
    done: set[str] = set()
    try:
        for number in count():
            failing = next((name for name in store.names if name not in done), "")
            done.add(failing)
            kept = [await here.upload(f"{number}-{text}", text) for text in files]
            store.at = failing
            of_files = [each.id for each in kept]
            await asyncio.to_thread(_finish_all, worker, opened, of_files)
            for text, each in zip(files, kept, strict=True):
                found = opened.submissions.status(each.id, None)
                assert text == "fault" or found.tries <= 2, (failing, found)
                if text == "fault":
                    assert (found.state, found.error) == (JobState.STUCK, "RuntimeError: a fault")
                elif text == "bad":
                    assert (found.state, found.scores) == (JobState.FAILED, ()), (failing, found)
                    assert found.error == "the file (*.jsonl): this is bad", failing
                else:
                    assert (found.state, found.error) == (JobState.GRADED, None), (failing, found)
                    assert [score.value for score in found.scores] == [float(text)], failing
            if number and not failing:
                break
    finally:
        worker.close()
    writes = ("beat", "finish", "_give_back")
    assert done >= {"Jobs._claim", *(f"Jobs.{name}.<locals>.work" for name in writes)}
    assert sum(there.worker_faults.values()) > 0


def _finish_all(worker: Worker, challenge: Challenge, files: Sequence[str]) -> None:
    """Work until all files have ended: a lease that ended in this millisecond is held in it."""
    working = True
    while working or any(
        challenge.submissions.status(each, None).state in (JobState.QUEUED, JobState.GRADING)
        for each in files
    ):
        try:
            working = worker.step()
        except StoreError:
            working = True


async def test_scores_of_another_submission_are_not_written(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    one, other = await here.upload("ada"), await here.upload("bob")
    jobs = Jobs(here.challenge, "one")
    job = await asyncio.to_thread(jobs.claim)
    assert job is not None
    if job.submission.id == other.id:  # Both came within the same millisecond.
        one, other = other, one
    with pytest.raises(ValueError, match="scores of another submission"):
        jobs.finish(job, Ended([_score(other.id, job.grading.id, 1.0)]))
    assert here.submissions.status(one.id, None).state is JobState.GRADING


def open_removing(_: Settings) -> Grader:
    return _grade_removed


def _grade_removed(given: FileToGrade) -> Graded:
    given.path.unlink()
    raise SubmissionError("there is no such file (in the server's folder)", file=str(given.path))


def open_splitting(_: Settings) -> Grader:
    return _grade_split


def _grade_split(given: FileToGrade) -> Graded:
    raise SubmissionError("no answer", file=str(given.path.with_name("task-0.jsonl")), line=3)


@pytest.mark.slow
async def test_a_file_that_is_gone_is_no_fault_of_its_participant(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada", "x")
    worker = Worker(here.challenge, here.settings, open_grader=open_removing)
    try:
        await asyncio.to_thread(worker.step)
    finally:
        worker.close()
    assert here.submissions.status(kept.id, None).state is JobState.QUEUED


@pytest.mark.slow
async def test_an_error_names_no_folder_of_the_server(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada", "x")
    worker = Worker(here.challenge, here.settings, open_grader=open_splitting)
    try:
        await asyncio.to_thread(worker.step)
    finally:
        worker.close()
    found = here.submissions.status(kept.id, "ada")
    assert found.error == "the file (*.jsonl), line 3: no answer"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "said"), [("crash", "ended with -6"), ("raise", "a fault of ours")]
)
async def test_a_fault_of_ours_is_tried_five_times_then_stuck_and_its_place_given_back(
    hosted: Hosting, word: str, said: str
) -> None:
    here = hosted(uploads=1)
    await here.challenge.begin()
    kept = await here.upload("ada", word)
    worker = Worker(here.challenge, here.settings, open_grader=open_trouble, pause_seconds=0)
    try:
        steps = [await asyncio.to_thread(worker.step) for _ in range(MOST_TRIES + 1)]
    finally:
        worker.close()
    assert steps == [True] * MOST_TRIES + [False]
    found = here.submissions.status(kept.id, "ada")
    assert (found.state, found.tries) == (JobState.STUCK, MOST_TRIES)
    assert found.error is not None
    assert said not in found.error
    assert said in (here.submissions.status(kept.id, None).error or "")
    await here.upload("ada", "another")


@pytest.mark.slow
async def test_who_crashes_the_grader_again_and_again_is_stopped_until_the_organizer_looks(
    hosted: Hosting,
) -> None:
    here = hosted(uploads=1)
    await here.challenge.begin()
    worker = Worker(here.challenge, here.settings, open_grader=open_trouble, pause_seconds=0)
    stuck: list[str] = []
    try:
        # One crash, and faults that leave the process alive: both are counted, and a new process
        # takes most of a second.
        for trouble in ["crash", *(f"raise {number}" for number in range(MOST_STUCK - 1))]:
            stuck.append((await here.upload("ada", trouble)).id)
            for _ in range(MOST_TRIES + 1):
                await asyncio.to_thread(worker.step)
            assert here.submissions.status(stuck[-1], None).state is JobState.STUCK
    finally:
        worker.close()
    with pytest.raises(QuotaError, match="3 of your uploads in phase main could not be graded"):
        await here.upload("ada", "crash")
    await here.upload("bob", "another")
    await here.submissions.retry(stuck[-1], "root")
    with pytest.raises(QuotaError, match="all are used"):
        await here.upload("ada", "crash")


@pytest.mark.slow
async def test_a_file_that_takes_too_long_ends_its_process_and_fails(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada", "wait")
    worker = Worker(here.challenge, here.settings, open_grader=open_trouble, job_seconds=0.1)
    try:
        await asyncio.to_thread(worker.step)
    finally:
        worker.close()
    assert here.submissions.status(kept.id, "ada").error == "grading it took more than 0.1 s"


@pytest.mark.slow
async def test_the_exam_file_sets_how_long_grading_may_take(hosted: Hosting) -> None:
    here = hosted()
    here.challenge.file = here.challenge.file.model_copy(update={"grading_seconds": 0.2})
    await here.challenge.begin()
    kept = await here.upload("ada", "wait")
    worker = Worker(here.challenge, here.settings, open_grader=open_trouble, pause_seconds=0)
    try:
        await asyncio.to_thread(worker.step)
    finally:
        worker.close()
    assert here.submissions.status(kept.id, "ada").error == "grading it took more than 0.2 s"


def open_slowly(_: Settings) -> Grader:
    time.sleep(0.5)
    return _grade_trouble


@pytest.mark.slow
async def test_opening_the_exam_is_not_the_files_time(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada", "nonsense")
    worker = Worker(here.challenge, here.settings, open_grader=open_slowly, job_seconds=0.4)
    try:
        await asyncio.to_thread(worker.step)
    finally:
        worker.close()
    assert "nonsense is no answer" in (here.submissions.status(kept.id, "ada").error or "")


async def test_who_has_less_waiting_comes_first(hosted: Hosting) -> None:
    here = hosted(uploads=None)
    await here.challenge.begin()
    for caller in ("ada", "ada", "ada", "bob", "bob", "eve"):
        await here.upload(caller)
    jobs, order = Jobs(here.challenge, "one"), ""
    while (job := await asyncio.to_thread(jobs.claim)) is not None:
        order += job.submission.caller[0]
        await asyncio.to_thread(jobs.finish, job, Ended(error="read"))
    assert order == "ebbaaa"


def test_folders_that_a_killed_worker_left_are_removed(
    hosted: Hosting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = hosted()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, new, other = (tmp_path / f"{name}" for name in ("snellen-job-1", "snellen-job-2", "x"))
    for folder in (left, new, other):
        folder.mkdir()
        (folder / "answers.jsonl").write_text("private")
    for folder in (left, other):
        os.utime(folder, (0, 0))
    held = tmp_path / "snellen-job-3"
    held.mkdir()
    worker = Worker(here.challenge, here.settings, open_grader=open_trouble, pause_seconds=0)
    with locked(held):
        os.utime(held, (0, 0))
        worker.stop()
        worker.run()
    kept = sorted(each.name for each in tmp_path.iterdir() if each.is_dir())
    assert kept == ["snellen-job-2", "snellen-job-3", "x"]


async def test_a_dead_workers_job_is_taken_up_and_a_worker_that_wakes_writes_nothing(
    hosted: Hosting,
) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada")
    stopped = Jobs(here.challenge, "one", lease_seconds=-1)
    other = Jobs(here.challenge, "two")
    first = await asyncio.to_thread(stopped.claim)
    second = await asyncio.to_thread(other.claim)
    assert first is not None
    assert second is not None
    # That a worker was killed is no fault of the file.
    assert (first.row.tries, second.row.tries) == (1, 1)
    assert not await asyncio.to_thread(stopped.beat, first)
    assert not await asyncio.to_thread(stopped.finish, first, Ended(error="late"))
    assert not await asyncio.to_thread(stopped.give_back, first)
    assert await asyncio.to_thread(other.finish, second, Ended(error="in time"))
    assert here.submissions.status(kept.id, None).error == "in time"
    assert await asyncio.to_thread(other.claim) is None


async def test_a_worker_that_is_asked_to_stop_gives_its_job_back_untried(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada")
    jobs = Jobs(here.challenge, "one")
    job = await asyncio.to_thread(jobs.claim)
    assert job is not None
    assert await asyncio.to_thread(jobs.give_back, job)
    found = here.submissions.status(kept.id, None)
    assert (found.state, found.tries) == (JobState.QUEUED, 0)


async def test_a_new_grading_is_shown_when_all_of_it_is_done_and_the_record_says_what_changed(
    hosted: Hosting,
) -> None:
    here = hosted(exact=True)
    await here.challenge.begin()
    kept = [await here.upload(name) for name in ("ada", "bob")]
    jobs = Jobs(here.challenge, "one")

    def finish(values: Mapping[str, float]) -> None:
        job = jobs.claim()
        assert job is not None
        value = values[job.submission.caller]
        jobs.finish(job, Ended([_score(job.submission.id, job.grading.id, value)]))

    for _ in kept:
        await asyncio.to_thread(finish, {"ada": 0.5, "bob": 0.75})
    phase = here.challenge.phase(None)
    assert await here.challenge.rescore(phase, "root", "a reference was wrong") == 2
    fixed = {"ada": 0.5, "bob": 1.0}
    await asyncio.to_thread(finish, fixed)
    assert [row.value for row in board_of(here).rows] == [0.75, 0.5]
    await asyncio.to_thread(finish, fixed)
    assert [row.value for row in board_of(here).rows] == [1.0, 0.5]
    events = here.challenge.database.read(
        lambda c: queries.EVENTS.all(c, {"f": here.challenge.phases.key(phase)})
    )
    whats = {event.submission: event.what for event in events if event.submission}
    assert whats == {kept[0].id: "same", kept[1].id: "rescored"}
    assert [event.what for event in events if event.submission is None] == ["rescored", "shown"]


def _score(submission: str, grading: int, value: float) -> ScoreRow:
    return ScoreRow(
        submission=submission,
        grading=grading,
        task=TASK,
        part=ALL,
        metric="f1",
        value=value,
        low=None,
        high=None,
        items=4,
        outcomes='{"answered": 4}',
        signature="x",
        item_values=zlib.compress(np.full(4, value).tobytes()),
        item_groups=zlib.compress(np.arange(4, dtype="<i4").tobytes()),
    )


async def test_a_job_waits_longer_after_each_failed_try(hosted: Hosting) -> None:
    here = hosted()
    await here.challenge.begin()
    await here.upload("ada")
    jobs = Jobs(here.challenge, "one", pause_seconds=1_000)
    waits: list[int] = []
    for _ in range(3):
        job = await asyncio.to_thread(jobs.claim)
        assert job is not None
        assert await asyncio.to_thread(jobs.give_back, job, "a fault")
        assert await asyncio.to_thread(jobs.claim) is None
        this = {"s": job.row.submission, "g": job.row.grading}
        row = here.challenge.database.read(lambda c, this=this: queries.JOB.one(c, this))
        now = here.challenge.database.read(queries.database_now)
        assert row.lease is not None
        waits.append(round((row.lease - now) / 1_000_000))
        over = {**this, "state": row.state, "until": None, "e": row.error, "t": row.tries}
        await here.challenge.database.write(lambda c, over=over: queries.CHANGE_JOB.run(c, over))
    assert waits == [1, 2, 4]


async def test_a_file_whose_workers_are_killed_again_and_again_is_never_stuck(
    hosted: Hosting,
) -> None:
    here = hosted()
    await here.challenge.begin()
    kept = await here.upload("ada")
    for number in range(MOST_TRIES + 5):
        killed = Jobs(here.challenge, f"worker {number}", lease_seconds=-1)
        job = await asyncio.to_thread(killed.claim)
        assert job is not None
        assert job.row.tries == 1
    last = Jobs(here.challenge, "last")
    job = await asyncio.to_thread(last.claim)
    assert job is not None
    assert await asyncio.to_thread(last.finish, job, Ended(error="a bad file"))
    assert here.submissions.status(kept.id, None).state is JobState.FAILED

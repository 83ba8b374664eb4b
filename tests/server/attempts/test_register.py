"""The register: everybody's attempts, read without a pack."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from snellen.server.attempts.models import Caller, CallTrace
from snellen.server.attempts.register import Register, details, entry
from snellen.server.attempts.service import Clock, Service
from snellen.server.errors import NoSuchAttemptError
from snellen.server.exam.rules import Rules
from snellen.server.grading.exam import read_exam
from snellen.server.settings import Settings
from snellen.server.store.database import Database
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import State
from snellen.tasks.samples import exam_folder

OPENED = 1_700_000_000_000
ME = Caller("alice")


@pytest.fixture
def database(store: Path) -> Iterator[Database]:
    database = open_store(store)
    yield database
    database.close()


@pytest.fixture
def now() -> list[int]:
    return [OPENED]


@pytest.fixture
def service(store: Path, database: Database, now: list[int]) -> Service:
    rules = Rules(minutes=1, sample=3)
    exam = read_exam(Settings((exam_folder("wireframes"),), store, rules))
    return Service(exam, database, Clock(now=lambda: now[0]))


@pytest.fixture
def register(database: Database, now: list[int]) -> Register:
    return Register(database, Clock(now=lambda: now[0]))


async def test_an_entry_says_whose_an_attempt_is_and_how_far(
    service: Service, register: Register
) -> None:
    attempt = (await service.start(ME, model="mine")).attempt
    leased = await service.lease(attempt, ME)
    await service.submit(attempt, ME, leased.item.opaque, "no idea")
    found = entry(register.numbered(attempt.id)).model_dump(mode="json")
    assert found == {
        "number": attempt.id,
        "caller": "alice",
        "model": "mine",
        "mode": "exam",
        "exam": service.exam.id,
        "tasks": ["screenqa/short"],
        "opened": "2023-11-14T22:13:20+00:00",
        "deadline": "2023-11-14T22:14:20+00:00",
        "closed": None,
        "state": "open",
        "answered": 1,
        "total": 3,
        "value": None,
    }


async def test_an_attempt_past_its_deadline_shows_as_expired_before_anybody_closes_it(
    service: Service, register: Register, now: list[int]
) -> None:
    attempt = (await service.start(ME)).attempt
    now[0] += 90_000
    found = details(register, register.numbered(attempt.id))
    assert (found.state, found.closed) == (State.EXPIRED, None)
    # The clock of its cost stands still from the deadline on.
    assert found.cost.seconds == 60.0


async def test_details_hold_the_rules_the_cost_and_the_report(
    service: Service, register: Register
) -> None:
    attempt = (await service.start(ME)).attempt
    service.trace(attempt, CallTrace("get_item", 900, 0, 5_000, 70))
    before = details(register, register.numbered(attempt.id))
    assert (before.rules, before.report) == (service.exam.rules, None)
    report = await service.finish(attempt)
    after = details(register, register.numbered(attempt.id))
    assert (after.report, after.value, after.cost.image_bytes) == (report, 0.0, 5_000)


async def test_all_attempts_come_page_by_page(service: Service, register: Register) -> None:
    numbers = [(await service.start(ME)).attempt.id for _ in range(103)]
    assert len(register.list_attempts()) == 100
    assert [attempt.id for attempt in register.all_attempts()] == numbers
    assert [attempt.id for attempt in register.all_attempts(after=numbers[-2])] == numbers[-1:]


async def test_a_register_closes_what_a_server_has_open(
    service: Service, register: Register
) -> None:
    one, other = [(await service.start(ME)).attempt for _ in range(2)]
    assert (await register.close(one)).state is State.FINISHED
    assert (await register.abandon(other)).state is State.ABANDONED
    # Whoever is late changes nothing.
    assert (await register.abandon(one)).state is State.FINISHED


@pytest.mark.parametrize("number", [-1, 0, 7, 2**31, 10**30])
def test_a_number_that_no_attempt_has_is_said(register: Register, number: int) -> None:
    with pytest.raises(NoSuchAttemptError, match=f"there is no attempt {number} in this store"):
        register.numbered(number)

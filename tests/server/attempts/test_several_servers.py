"""Several servers on one store, a file or a PostgreSQL database: the rules hold for all."""

import asyncio
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from snellen.server.attempts.models import Caller, NewAttempt
from snellen.server.attempts.service import Service
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Rules
from snellen.server.exam.spec import Exam
from snellen.server.store.schema import open_store
from snellen.tasks.pack.read import open_pack

SERVERS = 3
Servers = Callable[..., list[Service]]


@pytest.fixture
def servers(packs: Path, either_store: str) -> Iterator[Servers]:
    """Return a function that serves the short pack several times on one store."""
    opened: list[Callable[[], None]] = []

    def start(**rules: object) -> list[Service]:
        pack = open_pack(packs / "short")
        exam = Exam([pack], Rules.model_validate({"mode": "deferred", **rules}))
        databases = [open_store(either_store) for _ in range(SERVERS)]
        opened.extend(database.close for database in databases)
        return [Service(exam, database) for database in databases]

    yield start
    for close in opened:
        close()


async def test_no_caller_gets_more_attempts_than_are_allowed(servers: Servers) -> None:
    services = servers(attempts=2)
    callers = [Caller(f"caller {number}") for number in range(10)]
    # More than are allowed: of those that saw nothing one begins again, with another handle.
    found = await asyncio.gather(
        *(service.start(caller) for caller in callers for service in services * 2)
    )
    for caller in callers:
        mine = [started.attempt for started in found if started.attempt.caller == caller.name]
        assert (len(mine), len({attempt.id for attempt in mine})) == (SERVERS * 2, 2)
    assert len(services[0].register.list_attempts()) == 10 * 2


async def test_no_caller_that_has_seen_an_item_gets_another_attempt(servers: Servers) -> None:
    services = servers(attempts=1)
    callers = [Caller(f"caller {number}") for number in range(5)]

    async def take(service: Service, caller: Caller) -> str:
        try:
            started = await service.start(caller)
            item = (await service.lease(started.attempt, caller)).item.opaque
        except ExamError as error:
            return str(error)
        return item

    found = await asyncio.gather(
        *(take(service, caller) for caller in callers for service in services)
    )
    refused = {item for item in found if "attempt is used" in item}
    assert refused <= {"the one attempt is used; ask the exam's organizer for more"}
    assert len(services[0].register.list_attempts()) == 5
    for caller in callers:
        with pytest.raises(ExamError, match="the one attempt is used"):
            await services[1].start(caller)


async def test_a_context_that_sees_one_item_is_given_one(servers: Servers) -> None:
    services = servers(contexts="fresh")
    for _ in range(4):
        begun = await services[0].start(Caller())
        clients = [Caller(client=f"client {number}") for number in range(4)]
        await asyncio.gather(
            *(service.lease(begun.attempt, client) for client in clients for service in services),
            return_exceptions=True,
        )
        held = [item.leased_to for item in services[0].list_items(begun.attempt)]
        assert sorted(filter(None, held)) == [client.client for client in clients]


async def test_servers_that_answer_in_one_attempt_lose_and_double_nothing(
    servers: Servers,
) -> None:
    services = servers()
    begun = [await services[0].start(Caller()) for _ in range(4)]

    async def work(service: Service, started: NewAttempt, name: str) -> list[str]:
        caller = Caller(client=name)
        items: list[str] = []
        for _ in range(8):
            try:
                item = (await service.lease(started.attempt, caller)).item.opaque
            except ExamError:
                return items
            await service.submit(started.attempt, caller, item, f"of {name}")
            items.append(item)
        return items

    given = await asyncio.gather(
        *(
            work(service, started, f"{server} {started.attempt.id}")
            for server, service in enumerate(services)
            for started in begun
        )
    )
    items = sorted(item for items in given for item in items)
    # Eight items an attempt, each answered once.
    assert len(items) == 4 * 8
    assert all(one != other for one, other in pairwise(items))
    assert [services[1].progress(started.attempt).open for started in begun] == [0] * 4


@pytest.mark.parametrize("answer", ["a\0b", "\0", "\u2028\x1b\U0001f600 'quoted' \\u0000"])
async def test_an_answer_comes_back_as_it_was_given(servers: Servers, answer: str) -> None:
    service, *_ = servers()
    attempt = (await service.start(Caller())).attempt
    leased = await service.lease(attempt, Caller())
    assert (await service.submit(attempt, Caller(), leased.item.opaque, answer)).stored == answer
    assert (await service.submit(attempt, Caller(), leased.item.opaque, answer)).again
    lines = service.export(await service.close(attempt))[0].lines().split("\n")[:-1]
    found = {line["item_id"]: line["response"] for line in map(json.loads, lines)}
    assert found[leased.item.item] == answer


@pytest.mark.parametrize("item", ["a\0b", "\0", "\ud800", "é", ""])
async def test_an_item_that_is_not_there_is_said_in_the_same_words(
    servers: Servers, item: str
) -> None:
    service, *_ = servers()
    attempt = (await service.start(Caller())).attempt
    with pytest.raises(ExamError, match="this attempt has no item"):
        await service.lease(attempt, Caller(), item)
    with pytest.raises(ExamError, match="this attempt has no item"):
        await service.submit(attempt, Caller(), item, "12")
    with pytest.raises(ExamError, match="this attempt has no item"):
        service.held(attempt, Caller(), item)

"""Several servers on one store, a file or a PostgreSQL database: the rules hold for all."""

import asyncio
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from snellen.server.attempts import Service
from snellen.server.errors import ExamError
from snellen.server.exam import Exam
from snellen.server.rules import Rules
from snellen.server.sittings import Caller, Started
from snellen.server.store.schema import open_store
from snellen.tasks.pack.reading import open_pack

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
    found = await asyncio.gather(
        *(service.start(caller) for caller in callers for service in services * 2),
        return_exceptions=True,
    )
    started = [result for result in found if isinstance(result, Started)]
    refused = [result for result in found if isinstance(result, ExamError)]
    per_caller = [[s.attempt.caller for s in started].count(caller.name) for caller in callers]
    assert per_caller == [2] * 10
    assert len(refused) == 10 * (SERVERS * 2 - 2)
    assert {str(error) for error in refused} == {
        "all 2 attempts are used; ask the exam's organiser for more"
    }


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

    async def work(service: Service, started: Started, name: str) -> list[str]:
        caller = Caller(client=name)
        items: list[str] = []
        for _ in range(8):
            try:
                item = (await service.lease(started.attempt, caller)).place.opaque
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

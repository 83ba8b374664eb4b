"""A PostgreSQL server that hangs or is down: the exam goes on serving, says so, and recovers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from snellen.server.attempts.models import Caller, NewAttempt
from snellen.server.attempts.service import Service
from snellen.server.errors import StoreError
from snellen.server.exam.rules import Rules
from snellen.server.grading.exam import read_exam
from snellen.server.host import Host, LazyHost
from snellen.server.http.app import monitor_routes, web_app
from snellen.server.http.auth import Tokens
from snellen.server.http.observe import RequestMetrics
from snellen.server.mcp.server import ExamServer
from snellen.server.screenshots.service import Screenshots
from snellen.server.settings import Address, Settings
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.samples import exam_folder

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

ME = Caller("alice")
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@dataclass
class Door:
    """A server in memory whose store is a PostgreSQL database."""

    service: Service
    http: httpx2.AsyncClient
    started: NewAttempt
    take: str
    organize: str

    async def ask(self, path: str) -> httpx2.Response:
        if path == "/mcp":
            headers = {"Authorization": f"Bearer {self.take}"}
            return await self.http.post(path, json=LIST, headers=headers)
        headers = {"Authorization": f"Bearer {self.organize}"}
        return await self.http.get(path, headers=headers)


@asynccontextmanager
async def served(url: str) -> AsyncGenerator[Door]:
    """Serve the sample with little patience."""
    async with AsyncExitStack() as stack:
        database = open_store(url, patience=0.5)
        stack.callback(database.close)
        exam = read_exam(Settings((exam_folder("wireframes"),), url, Rules()))
        service, tokens = Service(exam, database), Tokens(database)
        opened = Host(service, Screenshots(), database)
        take, organize = tokens.create("alice"), tokens.create("boss", [Scope.ORGANIZE])
        app = web_app(
            ExamServer(LazyHost(lambda: opened)),
            Address(),
            tokens,
            monitor_routes(service, None, tokens, RequestMetrics()),
        )
        transport = httpx2.ASGITransport(app)
        http = await stack.enter_async_context(
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765")
        )
        yield Door(service, http, await service.start(ME), take, organize)


@pytest.mark.parametrize("path", ["/mcp", "/metrics"])
async def test_while_the_database_hangs_health_is_answered_and_the_rest_is_unavailable(
    cluster: Any, path: str
) -> None:
    async with served(cluster.new_database()) as door:
        with cluster.frozen():
            asked = asyncio.ensure_future(door.ask(path))
            health = await door.http.get("/health")
            assert (health.status_code, asked.done()) == (200, False)
            response = await asked
            assert response.status_code == 503
            assert response.headers["Retry-After"] == "10"
            assert "call again in a minute" in response.json()["error"]


async def test_a_call_that_waits_for_a_database_that_hangs_is_told_and_none_after_it(
    cluster: Any,
) -> None:
    async with served(cluster.new_database()) as door:
        service, attempt = door.service, door.started.attempt
        item = (await service.lease(attempt, ME)).item.opaque
        with cluster.frozen():
            with pytest.raises(StoreError, match="not known whether the call was stored"):
                await service.submit(attempt, ME, item, "12")
            with pytest.raises(StoreError, match="the store does not answer"):
                await service.database.off_loop(
                    lambda: service.attempt(door.started.handle, ME.name)
                )
        # It was stored, or it was not: the same call makes sure of it.
        assert (await service.submit(attempt, ME, item, "12")).number == 1
        found = await service.database.off_loop(
            lambda: service.attempt(door.started.handle, ME.name)
        )
        assert found.progress.answered == 1


async def test_a_database_that_is_down_is_unavailable_and_found_again(cluster: Any) -> None:
    async with served(cluster.new_database()) as door:
        service, attempt = door.service, door.started.attempt
        item = (await service.lease(attempt, ME)).item.opaque
        cluster.stop()
        try:
            for path in ("/mcp", "/metrics"):
                response = await door.ask(path)
                assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
                assert "the store's database can't be reached" in response.json()["error"]
            with pytest.raises(StoreError, match="can't be reached"):
                await service.submit(attempt, ME, item, "12")
        finally:
            cluster.start()
        assert (await service.submit(attempt, ME, item, "12")).number == 1
        assert (await door.ask("/metrics")).status_code == 200

"""What monitors see: whether a replica is ready and why not, and numbers for Prometheus."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from hosted import Hosted
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import update

from snellen.server.challenge.graders import Grader
from snellen.server.challenge.jobs import Jobs
from snellen.server.challenge.replicas import THIS_MACHINE
from snellen.server.challenge.workers import Worker
from snellen.server.host import LazyHost
from snellen.server.http import app as web
from snellen.server.http.auth import Tokens
from snellen.server.http.monitors import KEPT_SECONDS, WAITING_SECONDS, Readiness
from snellen.server.http.observe import RequestMetrics
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Address, Settings
from snellen.server.store.tables.endpoint import jobs
from snellen.server.store.tables.exams import Scope


@dataclass
class Replica:
    """A challenge and a client of the whole application."""

    hosted: Hosted
    tokens: Tokens
    http: httpx2.AsyncClient

    async def numbers(self, token: str) -> Mapping[str, float]:
        """Return what `/metrics` says: `name{label=value,...}` to a number."""
        response = await self.http.get("/metrics", headers={"Authorization": f"Bearer {token}"})
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("text/plain; version=")
        found: dict[str, float] = {}
        for family in text_string_to_metric_families(response.text):
            for sample in family.samples:
                labels = ",".join(
                    f"{name}={value}" for name, value in sorted(sample.labels.items())
                )
                found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
        return found

    def age(self, seconds: float) -> None:
        """Make all jobs older."""
        older = update(jobs).values(at=jobs.c.at - round(seconds * 1000))
        self.hosted.host.database.submit(lambda connection: connection.execute(older)).result()


Opening = Callable[..., AbstractAsyncContextManager[Replica]]


@pytest.fixture
def replica(hosted: Callable[..., Hosted]) -> Opening:
    @asynccontextmanager
    async def opened(ahead: int = 0) -> AsyncGenerator[Replica]:
        """Serve with a clock that is ahead of the store's by some milliseconds."""
        here = hosted()
        await here.challenge.begin()
        service, tokens, metrics = here.host.service, Tokens(here.host.database), RequestMetrics()
        every = web.Hosted(here.challenge, here.settings, 0)
        application = web.web_app(
            ExamServer(LazyHost(lambda: here.host)),
            Address(),
            tokens,
            [
                *web.monitor_routes(service, here.challenge, tokens, metrics),
                *web.challenge_routes(every, tokens, guarded=True),
            ],
            metrics=metrics,
            readiness=Readiness(service, here.challenge, now=lambda: THIS_MACHINE() + ahead),
        )
        transport = httpx2.ASGITransport(application)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            yield Replica(here, tokens, http)

    return opened


async def test_a_replica_whose_store_answers_is_ready(replica: Opening) -> None:
    async with replica() as here:
        found = await here.http.get("/ready")
        assert (found.status_code, found.json()) == (200, {"status": "ready"})
        # What was just uploaded may wait a while.
        await here.hosted.upload()
        here.age(WAITING_SECONDS / 2)
        assert await Readiness(here.hosted.host.service, here.hosted.challenge).problem() is None


async def test_a_replica_is_not_ready_while_uploads_wait_and_no_worker_is_at_work(
    replica: Opening,
) -> None:
    async with replica() as here:
        await here.hosted.upload("ada")
        await here.hosted.upload("bob")
        here.age(WAITING_SECONDS + 60)
        found = await here.http.get("/ready")
        assert found.status_code == 503
        assert "no worker is at work" in found.json()["reason"]
        # With a worker at work the second upload waits for its turn.
        jobs_of_one = Jobs(here.hosted.challenge, "one")
        assert jobs_of_one.claim() is not None
        assert await Readiness(here.hosted.host.service, here.hosted.challenge).problem() is None


async def test_what_a_dead_worker_left_waits_since_its_lease_ended(replica: Opening) -> None:
    async with replica() as here:
        await here.hosted.upload("ada")
        here.age(WAITING_SECONDS + 60)
        assert Jobs(here.hosted.challenge, "dead", lease_seconds=0.0).claim() is not None
        boss = here.tokens.create("boss", [Scope.ORGANIZE])
        numbers = await here.numbers(boss)
        assert numbers["snellen_working"] == 0
        assert numbers["snellen_oldest_job_seconds"] < 60


def open_broken(_: Settings) -> Grader:
    raise RuntimeError("a fault of ours")


@pytest.mark.slow
async def test_the_faults_of_workers_are_counted(replica: Opening) -> None:
    async with replica() as here:
        await here.hosted.upload("ada")
        worker = Worker(here.hosted.challenge, here.hosted.settings, open_grader=open_broken)
        try:
            await asyncio.to_thread(worker.step)
        finally:
            worker.close()
        numbers = await here.numbers(here.tokens.create("boss", [Scope.ORGANIZE]))
        assert numbers["snellen_worker_faults_total{what=grading}"] == 1


@pytest.mark.slow
async def test_the_seconds_of_waiting_and_of_grading_are_histograms(replica: Opening) -> None:
    async with replica() as here:
        boss = here.tokens.create("boss", [Scope.ORGANIZE])
        first = await here.numbers(boss)
        for name in ("snellen_waiting_seconds", "snellen_grading_seconds"):
            assert first[f"{name}_count"] == first[f"{name}_sum"] == 0
        await here.hosted.upload("ada")
        await here.hosted.upload("bob")
        here.age(45)
        worker = Worker(here.hosted.challenge, here.hosted.settings)
        try:
            assert await asyncio.to_thread(worker.step)
            assert await asyncio.to_thread(worker.step)
        finally:
            worker.close()
        numbers = await here.numbers(boss)
        assert numbers["snellen_waiting_seconds_count"] == 2
        assert numbers["snellen_waiting_seconds_bucket{le=30.0}"] == 0
        assert numbers["snellen_waiting_seconds_bucket{le=86400.0}"] == 2
        assert numbers["snellen_waiting_seconds_sum"] >= 90
        assert numbers["snellen_grading_seconds_bucket{le=+Inf}"] == 2
        assert numbers["snellen_grading_seconds_sum"] > 0


@pytest.mark.slow
async def test_a_job_that_a_worker_had_before_is_not_counted_as_waiting_again(
    replica: Opening,
) -> None:
    async with replica() as here:
        await here.hosted.upload("ada")
        challenge = here.hosted.challenge
        assert Jobs(challenge, "dead", lease_seconds=0.0).claim() is not None
        worker = Worker(challenge, here.hosted.settings)
        try:
            assert await asyncio.to_thread(worker.step)
        finally:
            worker.close()
        numbers = await here.numbers(here.tokens.create("boss", [Scope.ORGANIZE]))
        assert numbers["snellen_waiting_seconds_count"] == 0
        assert numbers["snellen_grading_seconds_count"] == 1


async def test_readiness_is_looked_up_once_a_second(replica: Opening) -> None:
    async with replica() as here:
        time = [0.0]
        readiness = Readiness(here.hosted.host.service, here.hosted.challenge, lambda: time[0])
        assert await readiness.problem() is None
        await here.hosted.upload()
        here.age(WAITING_SECONDS + 60)
        assert await readiness.problem() is None
        time[0] += KEPT_SECONDS
        assert "no worker" in str(await readiness.problem())


async def test_a_replica_whose_store_fails_is_not_ready_and_says_so_in_its_numbers(
    replica: Opening, store: Path
) -> None:
    async with replica() as here:
        here.hosted.host.database.close()
        found = await here.http.get("/ready")
        assert found.status_code == 503
        assert found.json()["reason"].startswith("the store fails: ")
        # Who may read the numbers is in the store, too.
        token = {"Authorization": "Bearer snellen_x"}
        assert (await here.http.get("/metrics", headers=token)).status_code == 503
        assert (await here.http.get("/health")).status_code == 200


@pytest.mark.parametrize("ahead", [-600_000, 600_000])
async def test_a_replica_with_a_wrong_clock_serves_nobody_but_monitors(
    replica: Opening, ahead: int
) -> None:
    async with replica(ahead) as here:
        ada = here.tokens.create("ada", [Scope.SUBMIT, Scope.TAKE])
        headers = {"Authorization": f"Bearer {ada}", "Content-Type": "application/x-ndjson"}
        url = "/v1/exams/sample/submissions"
        for refused in (
            await here.http.post(url, headers=headers, content=b"{}"),
            await here.http.get("/v1/exams/sample/leaderboard"),
            await here.http.get("/leaderboard"),
            await here.http.post("/mcp", headers=headers, content=b"{}"),
        ):
            assert refused.status_code == 503
            assert "this server's clock is 600 s" in refused.json()["detail"]
            assert refused.headers["x-content-type-options"] == "nosniff"
        assert (await here.http.get("/health")).status_code == 200
        assert await here.numbers(here.tokens.create("boss", [Scope.ORGANIZE]))
        assert not here.hosted.submissions.listed(None)


async def test_a_replica_with_a_wrong_clock_is_not_ready_until_the_clock_is_right(
    replica: Opening,
) -> None:
    async with replica() as here:
        time, ahead = [0.0], [-600_000]
        readiness = Readiness(
            here.hosted.host.service,
            here.hosted.challenge,
            lambda: time[0],
            lambda: THIS_MACHINE() + ahead[0],
        )
        assert "600 s behind" in str(await readiness.problem())
        assert await readiness.refusal() == await readiness.problem()
        time[0], ahead[0] = KEPT_SECONDS, 0
        assert await readiness.problem() is None
        assert await readiness.refusal() is None


async def test_a_replica_with_replaced_references_serves_nobody(replica: Opening) -> None:
    async with replica() as here:
        here.hosted.challenge.outdated = "these references were replaced"
        found = await here.http.get("/ready")
        assert (found.status_code, found.json()["reason"]) == (
            503,
            "these references were replaced",
        )
        assert (await here.http.get("/v1/exams/sample")).status_code == 503


async def test_a_running_replica_that_was_overtaken_is_not_ready_and_serves_on(
    replica: Opening,
) -> None:
    async with replica() as here:
        here.hosted.challenge.references = b"other"
        found = await here.http.get("/ready")
        assert found.status_code == 503
        assert "grades by newer references" in found.json()["reason"]
        assert (await here.http.get("/v1/exams/sample")).status_code == 200


async def test_only_an_organizer_reads_the_numbers(replica: Opening) -> None:
    async with replica() as here:
        # Behind a proxy beside the server every caller is at 127.0.0.1.
        assert (await here.http.get("/metrics")).status_code == 403
        ada = here.tokens.create("ada", [Scope.SUBMIT, Scope.TAKE])
        assert (await here.http.get("/metrics")).status_code == 401
        headers = {"Authorization": f"Bearer {ada}"}
        assert (await here.http.get("/metrics", headers=headers)).status_code == 403
        for scope in (Scope.ORGANIZE, Scope.ADMIN):
            assert await here.numbers(here.tokens.create(scope, [scope]))


async def test_the_numbers_count_requests_by_route_and_what_is_in_the_store(
    replica: Opening,
) -> None:
    async with replica() as here:
        boss = here.tokens.create("boss", [Scope.ORGANIZE])
        await here.hosted.upload("ada")
        await here.hosted.upload("bob", '{"item_id": "1", "response": "x"}\n')
        for _ in range(3):
            await here.http.get("/v1/exams/sample")
        await here.http.get("/v1/exams/other")
        await here.http.get("/metrics", headers={"Authorization": "Bearer snellen_wrong"})
        await here.http.get("/metrics")
        await here.http.get("/v1/nothing/here")
        await here.http.get("/nothing/here")
        await here.http.request("BREW", "/health")
        numbers = await here.numbers(boss)

        def requests(method: str, route: str, status: int) -> float:
            return numbers[
                f"snellen_requests_total{{method={method},route={route},status={status}}}"
            ]

        assert requests("GET", "/v1/exams/{exam}", 200) == 3
        assert requests("GET", "/v1/exams/{exam}", 404) == 1
        assert requests("GET", "/metrics", 401) == 2
        assert requests("GET", "other", 404) == 2
        assert requests("other", "/health", 405) == 1
        assert numbers["snellen_request_seconds_count{method=GET,route=/v1/exams/{exam}}"] == 4
        assert numbers["snellen_tokens_refused_total"] == 1
        assert numbers["snellen_store_up"] == 1
        assert numbers["snellen_jobs{phase=main,state=queued}"] == 2
        assert numbers["snellen_submissions{phase=main,source=upload}"] == 2
        assert numbers["snellen_submission_bytes{phase=main,source=upload}"] == 34
        assert numbers["snellen_attempts_open"] == 0
        assert numbers["process_resident_memory_bytes"] > 0


async def test_another_exam_on_the_same_store_is_not_counted(replica: Opening) -> None:
    async with replica() as here:
        boss = here.tokens.create("boss", [Scope.ORGANIZE])
        await here.hosted.upload("ada")
        phases = here.hosted.challenge.phases
        phases.file = phases.file.model_copy(update={"name": "other"})
        numbers = await here.numbers(boss)
        assert not [name for name in numbers if name.startswith("snellen_jobs{")]

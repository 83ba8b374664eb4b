"""Routes for monitors: readiness of a replica, and metrics for Prometheus."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from sqlalchemy import Connection
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from snellen.server.attempts.service import Service
from snellen.server.challenge import queries
from snellen.server.challenge.queries import JobCount, SubmissionCount
from snellen.server.challenge.replicas import THIS_MACHINE, clock_fault
from snellen.server.challenge.service import Challenge
from snellen.server.errors import StoreError
from snellen.server.http.api.problems import problem
from snellen.server.http.observe import METRICS, MONITORS, READY, RequestMetrics
from snellen.server.logs import fault, warn_once

WAITING_SECONDS = 120.0
"""How long a job may wait while no worker is at work: then something is wrong with the workers."""

KEPT_SECONDS = 1.0
"""How long it is taken for granted that a replica is ready, or not: anybody may ask."""


class _Backlog(NamedTuple):
    """The state of the job queue."""

    oldest_seconds: float | None  # the age of the oldest waiting job, in seconds; None: none waits
    working: bool  # whether a worker has a job and a recent heartbeat


class _Counts(NamedTuple):
    """The counts of a challenge's rows in the store, without zeros."""

    jobs: Sequence[JobCount]  # its jobs by phase and state
    submissions: Sequence[SubmissionCount]  # its submissions by phase and source


def _backlog(connection: Connection, challenge: Challenge) -> _Backlog:
    """Return the backlog of a challenge, by the database's clock."""
    now = queries.database_now(connection)
    waiting: list[int] = []
    working = False
    for digest in challenge.digests:
        parameters = {"now": now, "r": digest}
        job = queries.OLDEST_JOB.first(connection, parameters)
        if job is not None:
            # A dead worker's job waits since the end of its lease.
            waiting.append(job.at if job.lease is None else job.lease)
        working = working or queries.WORKED_ON.first(connection, parameters) is not None
    return _Backlog((now - min(waiting)) / 1000 if waiting else None, working)


def _counts(connection: Connection, challenge: Challenge) -> _Counts:
    """Return the counts of a challenge; the store can hold several exams."""
    owned = {challenge.phases.key(phase) for phase in challenge.file.phases}
    return _Counts(
        [row for row in queries.JOB_COUNTS.all(connection, {}) if row.phase in owned],
        [row for row in queries.SUBMISSION_COUNTS.all(connection, {}) if row.phase in owned],
    )


class Readiness:
    """Whether a replica should get requests: its store answers, and uploads are graded.

    With a wrong clock, or older references than the store was graded by, it refuses all requests.

    Args:
        service: The exam, which was opened before the server listens.
        challenge: The challenge; None: answers are only recorded here.
        clock: Returns the time in seconds, from any moment on.
        now: Returns this machine's time, in milliseconds since 1970.
    """

    def __init__(
        self,
        service: Service,
        challenge: Challenge | None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = THIS_MACHINE,
    ) -> None:
        self._now = now
        self._database = service.database
        self._challenge = challenge
        self._clock = clock
        self._asking = asyncio.Lock()
        self._until = float("-inf")
        self._problem: str | None = None
        self._refusal: str | None = None

    async def problem(self) -> str | None:
        """Return the reason why it is not ready; None: it is ready."""
        async with self._asking:
            if self._clock() >= self._until:
                self._problem = await self._find()
                self._until = self._clock() + KEPT_SECONDS
        return self._problem

    async def refusal(self) -> str | None:
        """Return the reason why it must not serve; None: it may, ready or not."""
        await self.problem()
        return self._refusal

    async def _find(self) -> str | None:
        try:
            return await self._database.off_loop(lambda: self._database.read(self._look))
        except StoreError as error:
            return f"the store fails: {error}"

    def _look(self, connection: Connection) -> str | None:
        self._refusal = clock_fault(connection, self._now)
        if self._challenge is None:
            return self._refusal
        self._refusal = self._refusal or self._challenge.outdated
        if self._refusal is not None:
            return self._refusal
        if self._challenge.is_overtaken(connection):
            return (
                "another server of this store grades by newer references, protocols or sample:"
                " start this one again with the same packs and exam file"
            )
        waits, working = _backlog(connection, self._challenge)
        if waits is None or waits < WAITING_SECONDS or working:
            return None
        return (
            f"a submission has waited for {waits:.0f} s and no worker is at work: see the log of"
            " the workers, or start `snellen worker`"
        )


class RefusalMiddleware:
    """Answers all requests except monitors' with 503 while a replica must not serve.

    Args:
        app: The application.
        readiness: Whether it may.
    """

    def __init__(self, app: ASGIApp, readiness: Readiness) -> None:
        self._app = app
        self._readiness = readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            reason = None if path in MONITORS else await self._readiness.refusal()
            if reason is not None:
                refused = problem(
                    HTTPStatus.SERVICE_UNAVAILABLE, f"this server does not serve: {reason}"
                )
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)


class StoreCollector(Collector):
    """Reads the numbers that all replicas share from the store, for each request of `/metrics`.

    Args:
        service: The exam.
        challenge: The challenge; None: answers are only recorded here.
    """

    def __init__(self, service: Service, challenge: Challenge | None) -> None:
        self._service = service
        self._challenge = challenge

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers, or a metric of the failure if the store fails."""
        up = GaugeMetricFamily("snellen_store_up", "1: the store answers; 0: it does not.")
        try:
            found = self._service.database.read(self._read)
        except StoreError as error:
            warn_once("no numbers of the store", **fault(error))
            found = []
        up.add_metric([], 1 if found else 0)
        yield up
        if self._challenge is not None:
            faults = CounterMetricFamily(
                "snellen_worker_faults", "Faults of the workers of this process.", labels=("what",)
            )
            for what, count in sorted(self._challenge.worker_faults.items()):
                faults.add_metric([what], count)
            yield faults
            yield from self._challenge.waiting_seconds.collect()
            yield from self._challenge.grading_seconds.collect()
        yield from found

    def _read(self, connection: Connection) -> Sequence[Metric]:
        now = queries.database_now(connection)
        open_attempts = queries.OPEN_ATTEMPTS.one(
            connection, {"x": self._service.exam.id, "now": now}
        )
        attempts = GaugeMetricFamily(
            "snellen_attempts_open",
            "Attempts over MCP whose time is not over.",
            open_attempts.count,
        )
        if self._challenge is None:
            return [attempts]
        found = _counts(connection, self._challenge)
        jobs = GaugeMetricFamily(
            "snellen_jobs",
            "Gradings of submissions, by how far they are.",
            labels=("phase", "state"),
        )
        for row in found.jobs:
            jobs.add_metric([_name(row.phase), row.state], row.count)
        kept = GaugeMetricFamily(
            "snellen_submissions", "Submissions that are kept.", labels=("phase", "source")
        )
        size = GaugeMetricFamily(
            "snellen_submission_bytes",
            "Bytes of the submissions that are kept, before compression.",
            labels=("phase", "source"),
        )
        for row in found.submissions:
            labels = [_name(row.phase), row.source]
            kept.add_metric(labels, row.count)
            size.add_metric(labels, row.size)
        waits, working = _backlog(connection, self._challenge)
        oldest = GaugeMetricFamily(
            "snellen_oldest_job_seconds",
            "Seconds that the oldest job has waited for a worker; 0: none waits.",
            waits or 0,
        )
        at_work = GaugeMetricFamily(
            "snellen_working", "1: a worker has a job and is alive; 0: none has.", int(working)
        )
        return [attempts, jobs, oldest, at_work, kept, size]


async def health(_: Request) -> Response:
    """Say that the process answers."""
    return JSONResponse({"status": "ok"})


def routes(
    service: Service,
    challenge: Challenge | None,
    metrics: RequestMetrics,
    guard: Sequence[Middleware],
) -> Sequence[Route]:
    """Return `/ready`, which is open, and `/metrics`, which the guard lets organizers read.

    A token is also needed on this machine, because behind a local proxy all callers come from it.
    """
    readiness = Readiness(service, challenge)
    metrics.registry.register(StoreCollector(service, challenge))

    async def ready(_: Request) -> Response:
        problem = await readiness.problem()
        if problem is None:
            return JSONResponse({"status": "ready"})
        return JSONResponse(
            {"status": "not ready", "reason": problem}, HTTPStatus.SERVICE_UNAVAILABLE
        )

    async def numbers(_: Request) -> Response:
        body = await asyncio.to_thread(_text, metrics.registry)
        return Response(body, headers={"Content-Type": CONTENT_TYPE_LATEST})

    return [
        Route(READY, ready, methods=["GET", "HEAD"]),
        Route(METRICS, numbers, methods=["GET"], middleware=guard),
    ]


def _text(registry: CollectorRegistry) -> bytes:
    return generate_latest(registry)


def _name(phase: str) -> str:
    """Return a phase's name in the exam file."""
    return phase.rpartition("/")[2]

"""Observation of requests: counters and durations for Prometheus, and a log line."""

import time
from collections.abc import Mapping
from http import HTTPStatus

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from starlette.datastructures import Headers
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from snellen.server.http.api.access import CALLER
from snellen.server.http.safety import REQUEST
from snellen.server.logs import log, repeats

HEALTH, READY, METRICS = "/health", "/ready", "/metrics"
"""What monitors ask, every few seconds: only what is not answered as usual is logged."""

OTHER = "other"
"""The label of what is none of the server's routes or methods: strangers must not make series."""

MONITORS = frozenset({HEALTH, READY, METRICS})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600)
_LONGEST_PATH = 200


class RequestMetrics:
    """Counts requests in its own registry, so that applications of one process do not mix.

    Attributes:
        registry: The registry of `/metrics`.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._count = Counter(
            "snellen_requests",
            "Requests that were answered.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "snellen_request_seconds",
            "Seconds from a request's head to the last byte of its response.",
            ("route", "method"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._refused = Counter(
            "snellen_tokens_refused",
            "Requests whose token is unknown, revoked, too old or for something else.",
            registry=self.registry,
        )
        # The lookup of labels takes prometheus-client longer than counting.
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def add(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        series = self._known.get((route, method, status))
        if series is None:
            series = (
                self._count.labels(route, method, str(status)),
                self._seconds.labels(route, method),
            )
            self._known[route, method, status] = series
        count, times = series
        count.inc()
        times.observe(seconds)

    def add_refused(self) -> None:
        """Count a token that was refused."""
        self._refused.inc()


class ObserveMiddleware:
    """Counts each request, and writes a log line after its response.

    The line never contains the query string, headers or the body, which hold tokens and answers.

    Args:
        app: The application.
        metrics: The counters of requests.
    """

    def __init__(self, app: ASGIApp, metrics: RequestMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter_ns()
        # What fails before it has answered is answered with this status further out.
        status, size = int(HTTPStatus.INTERNAL_SERVER_ERROR), 0

        async def sent(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            self._ended(scope, status, size, time.perf_counter_ns() - start)

    def _ended(self, scope: Scope, status: int, size: int, nanoseconds: int) -> None:
        route = route_of(scope)
        method = scope["method"] if scope["method"] in _METHODS else OTHER
        self._metrics.add(route, method, status, nanoseconds / 1e9)
        if status in _REFUSED and "authorization" in Headers(scope=scope):
            self._metrics.add_refused()
        if status < HTTPStatus.BAD_REQUEST and route in MONITORS:
            return
        client = scope.get("client")
        address, caller = client[0] if client else None, _caller(scope)
        more: Mapping[str, int] | None = {}
        if status >= HTTPStatus.BAD_REQUEST and caller is None:
            # Rejected strangers must not fill the disk; the counters include all requests.
            more = repeats().check(("request", route, method, status, address))
        if more is None:
            return
        log().info(
            "request",
            request=scope.get(REQUEST),
            method=method,
            route=route,
            # A path outside the server's routes can contain anything, such as a misplaced token.
            path=None if route == OTHER or "{token}" in route else scope["path"][:_LONGEST_PATH],
            status=status,
            bytes=size,
            us=nanoseconds // 1000,
            caller=caller,
            address=address,
            **more,
        )


def route_of(scope: Scope) -> str:
    """Return the template of the route that answered a request, as `/v1/exams/{exam}`."""
    route = scope.get("route")
    # Where the last match is a mount, what is mounted there knows no such path; and a template
    # that begins with a parameter takes every path.
    if route is None or isinstance(route, Mount) or route.path.startswith("/{"):
        return OTHER
    # Without the prefix of an exam: numbers have the same labels on every server.
    mounted = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))
    return f"{mounted}{route.path}"


def _caller(scope: Scope) -> str | None:
    """Return the name of who called, as far as anybody asked for it."""
    if CALLER in scope:
        return scope[CALLER]
    user = scope.get("user")
    return user.display_name or None if user is not None else None

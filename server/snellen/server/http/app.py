"""The exam over HTTP: `/mcp` for agents, `/v1` and pages for people, `/health` for monitors.

`/ready` and `/metrics` are for monitors, too.
"""

import asyncio
import gc
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from http import HTTPStatus
from itertools import chain
from types import FrameType

import structlog
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.authentication import (
    AuthCredentials,
    AuthenticationBackend,
    AuthenticationError,
    BaseUser,
    SimpleUser,
)
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from snellen.grading.protocols.plugins import registered
from snellen.server.attempts.service import Service
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.workers import run_workers
from snellen.server.episodes.service import Episodes
from snellen.server.errors import ExamError, StoreError
from snellen.server.exam.rules import AT_ADDRESS, Mode
from snellen.server.grading.pages import ReportPages
from snellen.server.http import monitors
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Access
from snellen.server.http.api.api import PREFIX, rest_app
from snellen.server.http.api.problems import problem
from snellen.server.http.auth import Tokens
from snellen.server.http.connections import connection_limit, protocol
from snellen.server.http.errors import headers_of, status_of
from snellen.server.http.exams import Hosted, ServedExam, several
from snellen.server.http.oauth import HOLDER, Holder, Issuer, OAuthMiddleware
from snellen.server.http.observe import HEALTH, ObserveMiddleware, RequestMetrics
from snellen.server.http.pages.frame import PLUGINS
from snellen.server.http.pages.joining import JoinPages
from snellen.server.http.pages.pages import Pages
from snellen.server.http.playing import play_routes
from snellen.server.http.safety import SafetyMiddleware, names_of
from snellen.server.logs import fault, lines_to_stderr, log
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Address
from snellen.server.store.tables.exams import Scope

PATH = "/mcp"
_MAKE_ONE = "`snellen token create NAME --scope organize` makes one that opens this"
_NOT_FOR = {
    Scope.TAKE: (
        "this token is not for taking the exam; ask the organizer, or join the exam first if its"
        " page has 'Join'"
    ),
    Scope.ORGANIZE: f"this token is not for organizing; {_MAKE_ONE}",
}
_UNLIMITED = (
    "attempts are not limited: a caller can keep the best of many; attempts = 1 in the exam file"
    " allows one"
)
_GRACE_SECONDS = 5
_DRAIN_SECONDS = 1.0


class RefusedError(AuthenticationError):
    """The token of a request is missing or not valid, or lacks the scope."""

    def __init__(
        self, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status = status
        self.headers = headers or {}
        super().__init__(message)


class TokenAuth(AuthenticationBackend):
    """Requires a token with a scope.

    For examinees it guards `/mcp`. For organizers it guards `/metrics`, also if examinees need no
    token.
    """

    def __init__(self, tokens: Tokens, scope: Scope = Scope.TAKE) -> None:
        self._tokens = tokens
        self._scope = scope

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser] | None:
        """Return the caller.

        Raises:
            RefusedError: The token is missing or not valid, or lacks the scope.
        """
        # Without the prefix below which an application is mounted.
        path = conn.scope["path"].removeprefix(conn.scope.get("root_path", ""))
        if self._scope is Scope.TAKE and not _is_exam(path):
            return None
        try:
            return await self._tokens.database.off_loop(lambda: self._authenticate(conn))
        except StoreError as error:
            log().error("fault", path=path, **fault(error))
            raise RefusedError(status_of(error), str(error), headers_of(error)) from error

    def _authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser]:
        checked: Holder | None = conn.scope.get(HOLDER)
        if self._scope is Scope.ORGANIZE and not self._tokens.known and checked is None:
            raise RefusedError(HTTPStatus.FORBIDDEN, f"there is no token yet: {_MAKE_ONE}")
        kind, _, token = conn.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "a token is needed: send the header 'Authorization: Bearer TOKEN'",
            )
        holder = self._tokens.account(checked) if checked else self._tokens.holder(token.strip())
        if holder is None:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED, "this token is unknown or was revoked; ask the organizer"
            )
        if not holder.scopes & {self._scope, Scope.ADMIN}:
            raise RefusedError(HTTPStatus.FORBIDDEN, _NOT_FOR[self._scope])
        return AuthCredentials(sorted(holder.scopes)), SimpleUser(self._tokens.participant(holder))


def _is_exam(path: str) -> bool:
    """Whether a path is the exam's over MCP; other routes are open or check tokens themselves."""
    return path == PATH or path.startswith(f"{PATH}/")


def web_app(
    exam_server: ExamServer,
    address: Address,
    tokens: Tokens | None = None,
    more: Sequence[BaseRoute] = (),
    issuer: Issuer | None = None,
    metrics: RequestMetrics | None = None,
    readiness: monitors.Readiness | None = None,
) -> Starlette:
    """Return the application that serves an exam over HTTP.

    Args:
        exam_server: The exam.
        address: The address of the server, and its host names.
        tokens: The tokens that it requires; None: it requires none.
        more: Further routes, which check tokens themselves.
        issuer: The check of an identity provider's tokens; None: there is none.
        metrics: The counters of requests.
        readiness: Whether it may serve; None: it always may.
    """
    app = exam_server.server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        # SafetyMiddleware checks the Host and the Origin of every path.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[Route(HEALTH, monitors.health, methods=["GET", "HEAD"])],
    )
    # A redirect would name a host and a scheme, and behind a proxy that speaks TLS the wrong one.
    app.router.redirect_slashes = False
    app.router.routes += [
        Route(f"{PATH}/", endpoint=route.endpoint)
        for route in app.routes
        if isinstance(route, Route) and route.path == PATH
    ]
    app.router.routes += [*(() if issuer is None else issuer.routes()), *more]
    # No route takes a path with a line break in it.
    app.router.default = problem(HTTPStatus.NOT_FOUND, "there is nothing here")
    if tokens is not None:
        app.add_middleware(
            AuthenticationMiddleware, backend=TokenAuth(tokens), on_error=_unauthorized
        )
    # The last one added is the first to see a request.
    if issuer is not None:
        app.add_middleware(OAuthMiddleware, issuer=issuer)
    if readiness is not None:
        app.add_middleware(monitors.RefusalMiddleware, readiness=readiness)
    app.add_middleware(SafetyMiddleware, names=names_of(address))
    app.add_middleware(ObserveMiddleware, metrics=metrics or RequestMetrics())
    return app


def monitor_routes(
    service: Service, challenge: Challenge | None, tokens: Tokens, metrics: RequestMetrics
) -> Sequence[Route]:
    """Return `/ready`, and `/metrics` for organizers."""
    auth = TokenAuth(tokens, Scope.ORGANIZE)
    guard = [Middleware(AuthenticationMiddleware, backend=auth, on_error=_unauthorized)]
    return monitors.routes(service, challenge, metrics, guard)


def challenge_routes(hosted: Hosted, tokens: Tokens, *, guarded: bool) -> Sequence[BaseRoute]:
    """Return the routes of a challenge: REST under `/v1`, and its pages; both check tokens.

    Plugins add pages: a function of the actions and of the file with the key of sealed references.
    """
    access = Access(tokens, guarded=guarded)
    actions = Actions(hosted.challenge, Boards(hosted.challenge), access)
    rest = rest_app(actions)
    added = [
        entry.load()(actions, hosted.settings.key) for entry, *_ in registered(PLUGINS).values()
    ]
    return [
        Mount(PREFIX, rest),
        *chain.from_iterable(added),
        *JoinPages(actions).routes(),
        *Pages(actions, rest.openapi, ReportPages(hosted.settings)).routes(),
    ]


def exam_app(exam: ServedExam, address: Address) -> Starlette:
    """Return the application of an open exam, as if it were alone on its server.

    Args:
        exam: The exam.
        address: The address of the server, and its host names.
    """
    metrics = RequestMetrics()
    tokens, hosted, guarded = exam.tokens, exam.hosted, exam.guarded

    async def episodes() -> Episodes | None:
        return exam.host.episodes

    return web_app(
        exam.server,
        address,
        tokens if guarded else None,
        [
            *(play_routes(episodes) if exam.settings.rules.door in AT_ADDRESS else ()),
            *monitor_routes(exam.host.service, exam.challenge, tokens, metrics),
            *(() if hosted is None else challenge_routes(hosted, tokens, guarded=guarded)),
        ],
        exam.issuer,
        metrics,
        monitors.Readiness(exam.host.service, exam.challenge),
    )


def serve(exams: Sequence[ServedExam], address: Address, notify: Callable[[str], None]) -> None:
    """Serve exams over HTTP until the process is asked to stop.

    One is served at `/`, several below their names. Without tokens the server listens on localhost
    only.

    Args:
        exams: The exams.
        address: The address to listen on.
        notify: Prints a message.

    Raises:
        ExamError: An exam would be open to everybody, or the port is taken.
    """
    guarded = all(exam.guarded for exam in exams)
    if not guarded and not address.is_loopback:
        raise ExamError(
            f"there is no token, but others can reach {address.host}: make one with"
            " `snellen token create NAME`, or listen on 127.0.0.1"
        )
    limit = connection_limit()
    listener = _listen(address)
    apps = [exam_app(exam, address) for exam in exams]
    config = uvicorn.Config(
        apps[0] if len(apps) == 1 else several(exams, apps, address),
        http=protocol(limit),
        ws="none",
        # So many are accepted at once, before those over the limit are closed.
        backlog=max(1, limit // 2),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
    )
    server = uvicorn.Server(config)

    def stop(_: int, __: FrameType | None) -> None:
        server.should_exit = True

    # While it serves, uvicorn has handlers of its own; at the end it sends itself the signal
    # again, which must not end the process before the store is closed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    _tell(exams, address, listener.getsockname()[1], notify, guarded=guarded)

    async def run() -> None:
        async with AsyncExitStack() as stack:
            for exam in exams:
                if exam.hosted is not None:
                    challenge, settings, workers = exam.hosted
                    known = {} if len(exams) == 1 else {"exam": exam.name}
                    with structlog.contextvars.bound_contextvars(**known):
                        await stack.enter_async_context(
                            run_workers(challenge, exam.host.service, settings, workers)
                        )
                readiness = monitors.Readiness(exam.host.service, exam.challenge)
                if (reason := await readiness.refusal()) is not None:
                    whose = "" if len(exams) == 1 else f"exam {exam.name}: "
                    notify(f"{whose}this server does not serve: {reason}")
            # All that lives as long as the server: to look through it again stops every thread for
            # a tenth of a second.
            gc.freeze()
            # A request needs this thread several times, and waits so long for each if others work.
            sys.setswitchinterval(0.001)
            await server.serve(sockets=[listener])

    try:
        asyncio.run(run())
    finally:
        listener.close()
        lines_to_stderr().drain(_DRAIN_SECONDS)


def _tell(
    exams: Sequence[ServedExam],
    address: Address,
    port: int,
    notify: Callable[[str], None],
    *,
    guarded: bool,
) -> None:
    host = f"[{address.host}]" if ":" in address.host else address.host
    whole = f"http://{host}:{port}"
    alone = len(exams) == 1
    for exam in exams:
        for line in _notices(exam):
            notify(line if alone else f"exam {exam.name}: {line}")
    if not guarded:
        notify("there is no token: anyone on this machine can take the exam, but no one else")
    log().info("listening", host=address.host, port=port, tokens=guarded)
    if not alone or exams[0].hosted is not None:
        notify(f"pages for people: {whole}/")
    for exam in exams:
        notify(f"serving on {whole}{'' if alone else f'/{exam.name}'}{PATH}")


def _notices(exam: ServedExam) -> Iterator[str]:
    """Yield the notices about an exam at its start, for the organizer."""
    rules = exam.settings.rules
    if exam.challenge is not None:
        for phase in exam.challenge.card().phases:
            for change in phase.changes:
                yield f"phase {phase.name}: {change}; the exam file has the old value"
        shared = exam.challenge.phases.sharing
        if len(shared) > 1:
            yield (
                f"the phases {', '.join(shared)} share items: what one shows at its end would help"
                " in another, so exact scores and exports are shown when all that hide scores are"
                " over"
            )
    if rules.attempts is None and rules.mode is not Mode.PRACTICE:
        yield _UNLIMITED


def _unauthorized(_: HTTPConnection, error: AuthenticationError) -> Response:
    status = error.status if isinstance(error, RefusedError) else HTTPStatus.UNAUTHORIZED
    headers = dict(error.headers) if isinstance(error, RefusedError) else {}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if status != HTTPStatus.NOT_FOUND:
        log().warning("turned away", status=int(status))
    return JSONResponse({"error": str(error)}, int(status), headers)


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        listener = socket.create_server((address.host, address.port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise ExamError(f"can't listen on {address.host}:{address.port}: {reason}") from error
    # A response goes out in two pieces. Without this the second waits 40 ms for the client's
    # receipt of the first: asyncio sees to it only where it made the socket.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener

"""The exams of a server: how they are opened, and how several share an address.

Several exams share a port and nothing else. Each has its store, tokens, cookie, limits, workers and
numbers, and its application does not know of the others: it only finds its prefix in the scope.
"""

import os
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from itertools import combinations, permutations
from typing import NamedTuple
from urllib.parse import urlsplit

import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from snellen.grading.errors import SnellenError
from snellen.server.challenge.service import Challenge
from snellen.server.errors import ExamError, StoreError
from snellen.server.exam.rules import Mode
from snellen.server.host import Host, lazy_host, open_challenge, open_exam
from snellen.server.http import monitors
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.problems import problem
from snellen.server.http.auth import Tokens
from snellen.server.http.oauth import Issuer
from snellen.server.http.observe import HEALTH, METRICS, READY, ObserveMiddleware, RequestMetrics
from snellen.server.http.pages.frame import render, style
from snellen.server.http.responses import address_of
from snellen.server.http.safety import SafetyMiddleware, names_of
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Address, Settings
from snellen.server.store.connections import url_of
from snellen.tasks.hosted import PhaseCard

_TAKEN = {path.removeprefix("/") for path in (HEALTH, READY, METRICS)}


class Hosted(NamedTuple):
    """A challenge that is served."""

    challenge: Challenge
    settings: Settings  # what its exam is opened with
    workers: int  # how many workers grade here; with none, `snellen worker` does elsewhere


@dataclass(frozen=True, slots=True)
class ServedExam:
    """An open exam that is served."""

    settings: Settings  # what it is opened with
    host: Host  # the open exam
    server: ExamServer  # the exam over MCP
    tokens: Tokens  # who may call
    issuer: Issuer | None  # checks the tokens of an identity provider; None: there is none
    hosted: Hosted | None  # the challenge; None: answers are only recorded here

    @property
    def name(self) -> str:
        """Its name, below which it is served if there are several."""
        return self.settings.exam_file.name

    @property
    def challenge(self) -> Challenge | None:
        """The challenge; None: answers are only recorded here."""
        return None if self.hosted is None else self.hosted.challenge

    @property
    def guarded(self) -> bool:
        """Whether a token is needed: from the first one on, and with an identity provider."""
        return self.tokens.known or self.issuer is not None


@contextmanager
def open_exams(
    every: Sequence[Settings], workers: int, prepare: Callable[[Settings], Settings]
) -> Generator[Sequence[ServedExam]]:
    """Open exams; at the end, or if one can't be opened, all are closed.

    Args:
        every: The settings of each.
        workers: The number of workers of each.
        prepare: Returns settings whose packs exist.

    Raises:
        SnellenError: One can't be opened, or two are not separate; the message has its name.
    """
    if len(every) > 1:
        _check_separate(every)
    with ExitStack() as stack:
        exams: list[ServedExam] = []
        for settings in every:
            try:
                exams.append(_opened(settings, workers, prepare, stack))
            except SnellenError as error:
                if len(every) == 1:
                    raise
                raise ExamError(f"exam {settings.exam_file.name}: {error}") from error
        for one, other in permutations(exams, 2):
            _link(one, other)
        yield exams


def _link(one: ServedExam, other: ServedExam) -> None:
    """Let the phases of an exam know of those of another one over the same items."""
    spec, beside = one.host.service.exam, other.host.service.exam
    if other.challenge is not None and not set(spec.digests).isdisjoint(beside.digests):
        one.host.service.phases.beside.append(other.challenge.phases)
        if one.challenge is not None:
            one.challenge.phases.beside.append(other.challenge.phases)


def _opened(
    settings: Settings, workers: int, prepare: Callable[[Settings], Settings], stack: ExitStack
) -> ServedExam:
    lazy = lazy_host(settings, lambda: host)
    settings = prepare(settings)
    host = open_exam(settings)
    stack.callback(host.close)
    file = settings.exam_file
    hosted = None
    if settings.rules.mode is not Mode.DEFERRED:
        hosted = Hosted(open_challenge(settings, host), settings, workers)
    issuer = None if hosted is None or file.oauth is None else Issuer(file.oauth)
    return ServedExam(
        settings, host, ExamServer(lazy), Tokens.of(host.database, file), issuer, hosted
    )


def _check_separate(every: Sequence[Settings]) -> None:
    for settings in every:
        file = settings.exam_file
        if file.name in _TAKEN:
            raise ExamError(
                f"/{file.name} is an address of the server itself; write another name in the exam"
                " file",
                field="name",
            )
        if file.oauth is not None and not _is_below(file.oauth.resource, file.name):
            raise ExamError(
                f"exam {file.name} is served below /{file.name}/, and the tokens of its identity"
                f" provider must be for it alone: write an address that ends with /{file.name}/mcp",
                field="oauth.resource",
            )
    for one, other in combinations(every, 2):
        names = one.exam_file.name, other.exam_file.name
        if names[0] == names[1]:
            raise ExamError(
                f"two exam files have the name {names[0]!r}, and each exam is served below its"
                " name; write another name in one of them",
                field="name",
            )
        if _store_of(one) == _store_of(other):
            raise ExamError(
                f"the exams {names[0]} and {names[1]} have the same store, so a token of one would"
                " open the other; write another store in one of their files",
                field="store",
            )


def _is_below(address: str, name: str) -> bool:
    return f"{urlsplit(address).path}/".startswith(f"/{name}/")


def _store_of(settings: Settings) -> tuple[object, ...]:
    url = url_of(settings.store)
    if url.get_backend_name() == "sqlite":
        return (os.path.realpath(url.database or ""),)
    return url.host, url.port, url.database, url.query


def several(exams: Sequence[ServedExam], apps: Sequence[Starlette], address: Address) -> Router:
    """Return the application of several exams: each is below its name, and `/` lists them.

    Args:
        exams: The exams.
        apps: The application of each.
        address: Where it will listen, and by which names it may be called.
    """

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for app in apps:
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    mounts = [
        Mount(f"/{exam.name}", _Below(app, exam.name))
        for exam, app in zip(exams, apps, strict=True)
    ]
    # A redirect would name a host and a scheme, and behind a proxy that speaks TLS the wrong one.
    return Router(mounts, redirect_slashes=False, default=_front(exams, address), lifespan=lifespan)


class _Below:
    """Makes the path of a mount the root of an application's addresses, and names it in the log."""

    def __init__(self, app: ASGIApp, name: str) -> None:
        self._app = app
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Starlette takes the root of the outermost application for it.
        scope["app_root_path"] = scope["root_path"]
        with structlog.contextvars.bound_contextvars(exam=self._name):
            await self._app(scope, receive, send)


class _Listed(NamedTuple):
    """An exam in the list.

    Attributes:
        name: Its name.
        title: A title for people.
        phase: The phase that is open now, or the last one that was; None: it has no pages.
    """

    name: str
    title: str
    phase: PhaseCard | None


def _front(exams: Sequence[ServedExam], address: Address) -> Starlette:
    """Return the application of what is the server's: the list of its exams, and monitors."""
    readiness = {exam.name: monitors.Readiness(exam.host.service, exam.challenge) for exam in exams}

    async def page(request: Request) -> Response:
        return render(
            "exams",
            exams=[await _listed(exam) for exam in exams],
            base=address_of(request),
            root="",
            exam=None,
            nav=(),
            visitor=Visitor(),
        )

    async def ready(_: Request) -> Response:
        states = {name: await each.problem() or "ready" for name, each in readiness.items()}
        # With one that fails, the others are to get their requests.
        if "ready" in states.values():
            return JSONResponse({"status": "ready", "exams": states})
        return JSONResponse(
            {"status": "not ready", "exams": states}, HTTPStatus.SERVICE_UNAVAILABLE
        )

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/style.css", style),
            Route(HEALTH, monitors.health),
            Route(READY, ready),
            *(
                Route(f"/{exam.name}", RedirectResponse(f"/{exam.name}/", HTTPStatus.SEE_OTHER))
                for exam in exams
            ),
            # RFC 9728 has this address at the root of a host; the general one would be no exam's.
            *(exam.issuer.routes()[-1] for exam in exams if exam.issuer is not None),
        ],
        middleware=[
            Middleware(ObserveMiddleware, metrics=RequestMetrics()),
            Middleware(SafetyMiddleware, names=names_of(address)),
        ],
    )
    app.router.redirect_slashes = False
    app.router.default = problem(HTTPStatus.NOT_FOUND, "there is nothing here; / lists the exams")
    return app


async def _listed(exam: ServedExam) -> _Listed:
    file, challenge = exam.settings.exam_file, exam.challenge
    title = file.title or file.name
    if challenge is None:
        return _Listed(file.name, title, None)
    with suppress(StoreError):  # it is in the list all the same, and its own pages say so
        await challenge.database.off_loop(challenge.phases.refresh)
    now = challenge.phase(None).name
    phase = next(each for each in challenge.card().phases if each.name == now)
    return _Listed(file.name, title, phase)

"""The pages of episodes at their addresses, for browsers that are not the server's."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from html import escape
from http import HTTPStatus

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from snellen.server.episodes.service import NO_PAGE, Episodes, OtherBrowserError
from snellen.server.errors import ExamError, NotFoundError, TooLargeError
from snellen.server.host import LazyHost
from snellen.server.http.errors import status_of
from snellen.server.http.responses import NO_STORE, root_of
from snellen.server.http.safety import SafetyMiddleware
from snellen.server.mcp.views import PLAY
from snellen.server.settings import LOOPBACK
from snellen.tasks.environments.base import Request as PageRequest

COOKIE = "snellen-page"
MOVE = "move"
"""The path below an address where another browser takes the episode over."""
_LARGEST = 200_000
_MOVE = (
    "<p>It can be continued here: the other browser loses it, and the record says so.</p>"
    '<form method="post" action="{}"><button>Continue here</button></form>'
)


def play_routes(
    episodes: Callable[[], Awaitable[Episodes | None]], frame: str = "'none'"
) -> list[Route]:
    """Return the routes of the pages of episodes.

    The token in the address is all that opens a page: the browser has no other credentials.

    Args:
        episodes: Returns the exam's episodes; None: it has none.
        frame: The ancestors that may frame a page, as a content security policy names them.
    """

    async def play(request: Request) -> Response:
        token, path = request.path_params["token"], request.path_params.get("path", "")
        here = f"{root_of(request)}{PLAY}/{token}"
        running = await episodes()
        try:
            if running is None:
                raise NotFoundError(NO_PAGE)
            body = await _body(request)
            moves = (request.method, path) == ("POST", MOVE)
            visit = await running.visit(
                token,
                request.cookies.get(COOKIE, ""),
                PageRequest("GET", "") if moves else PageRequest(request.method, path, body),
                move=moves,
            )
        except OtherBrowserError as error:
            return _said(error, _MOVE.format(escape(f"{here}/{MOVE}")))
        except ExamError as error:
            return _said(error)
        reply = visit.reply
        headers = {**NO_STORE, **reply.headers, "content-type": reply.type}
        if policy := reply.headers.get("content-security-policy"):
            headers["content-security-policy"] = f"{policy}; frame-ancestors {frame}"
            if frame != "'none'":
                headers["x-frame-options"] = "SAMEORIGIN"
        response = (
            RedirectResponse(here, HTTPStatus.SEE_OTHER, NO_STORE)
            if moves
            else Response(reply.body, reply.status, headers)
        )
        if visit.cookie:
            response.set_cookie(
                COOKIE,
                visit.cookie,
                path=here,
                httponly=True,
                samesite="strict",
                secure=request.url.scheme == "https",
            )
        return response

    methods = ["GET", "POST"]
    return [
        Route(f"{PLAY}/{{token}}", play, methods=["GET"]),
        Route(f"{PLAY}/{{token}}/{{path:path}}", play, methods=methods),
    ]


@asynccontextmanager
async def own_pages(
    host: LazyHost, more: Sequence[BaseRoute] = (), frame: str = "'none'"
) -> AsyncGenerator[None]:
    """Serve the pages of an exam's episodes at an address of this machine, which the host keeps.

    Args:
        host: The exam, whose client uses no HTTP.
        more: Further routes.
        frame: As for `play_routes`.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    host.address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    async def episodes() -> Episodes | None:
        return (await host.get()).episodes

    app = Starlette(
        routes=[*play_routes(episodes, frame), *more],
        middleware=[Middleware(SafetyMiddleware, names=LOOPBACK)],
    )
    server = _Server(
        uvicorn.Config(app, ws="none", log_config=None, access_log=False, server_header=False)
    )
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    """A server beside another one, which has the handlers of signals."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LARGEST:
            raise TooLargeError(f"a page sends at most {_LARGEST:,} bytes")
    return body


def _said(error: ExamError, more: str = "") -> Response:
    page = f"<!doctype html><title>Task</title><p>{escape(str(error))}.</p>{more}"
    return HTMLResponse(page, status_of(error), NO_STORE)

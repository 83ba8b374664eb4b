"""Problems: the error responses of REST (RFC 9457)."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope, Send

from snellen.grading.models.base import Closed
from snellen.server.errors import ExamError
from snellen.server.http.errors import headers_of, status_of
from snellen.server.logs import fault, log

MEDIA_TYPE = "application/problem+json"
MoreHeaders = Mapping[str, str] | None
_TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
_FAILED = "the server failed; its log has the reason. Send the request again"


class Problem(Closed):
    """An error response.

    Attributes:
        type: Always `about:blank`; the status is the kind.
        title: The status in words.
        status: The status.
        detail: The error, and what to do.
        field: The parameter, header or setting with the error; None: none.
    """

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    field: str | None = Field(default=None)


def problem(
    status: HTTPStatus, detail: str, field: str | None = None, headers: MoreHeaders = None
) -> Response:
    said = Problem(title=status.phrase, status=status, detail=detail, field=field)
    body = said.model_dump_json(exclude_none=True)
    return Response(body, status, headers, media_type=MEDIA_TYPE)


def documented(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of a route's possible problems."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {int(status): {"description": status.phrase, "content": content} for status in statuses}


class JsonRoute(APIRoute):
    """A route whose body has a limit: a larger one is answered with a problem.

    The framework answers it in its own words, in plain text.
    """

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  # as FastAPI has it
        super().__init__(*given, **named)
        self._limited, self.app = self.app, self._answer

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        replaced = False

        async def sent(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                replaced = message["status"] == _TOO_LARGE and kind.startswith("text/plain")
                if replaced:
                    said = f"a body may have at most {self.max_body_size:,} bytes; send less"
                    await problem(_TOO_LARGE, said)(scope, receive, send)
            if not replaced:
                await send(message)

        await self._limited(scope, receive, sent)


def answer_with_problems(app: FastAPI) -> None:
    """Make an application respond to every error with a problem."""
    app.add_exception_handler(ExamError, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ExamError)
    if error.__cause__ is not None:
        log().error("fault", path=request.url.path, **fault(error))
    return problem(status_of(error), error.message, error.field, headers_of(error))


async def _left(_: Request, __: Exception) -> Response:
    # Nobody reads it: a client that leaves is no fault of the server.
    return problem(HTTPStatus.BAD_REQUEST, "the connection was closed before the body had come")


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        # The first route of a path only names its own method, not those of the path's other routes.
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    return problem(HTTPStatus(error.status_code), str(error.detail), headers=headers)


def _methods(request: Request) -> set[str]:
    routes: Iterable[BaseRoute] = request.app.routes
    matching = (route for route in routes if route.matches(request.scope)[0] is Match.PARTIAL)
    return {method for route in matching for method in getattr(route, "methods", None) or ()}


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = error.errors()[0]
    where, *names = first["loc"]
    field = ".".join(str(name) for name in names)
    known = f"there is no parameter {field!r}" if first["type"] == "extra_forbidden" else None
    detail = known or f"{field or where}: {first['msg']}"
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, field or None)


async def _failed(request: Request, error: Exception) -> Response:
    # The error's message may quote an answer, so it is only logged.
    log().error("fault", path=request.url.path, **fault(error))
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, _FAILED)


EVERYWHERE = documented(
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
"""The problems that every route can answer with."""

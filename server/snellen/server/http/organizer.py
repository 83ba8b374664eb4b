"""The organizer's routes: attempts, reports, answers. No examinee's token opens them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import TypeVar

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from snellen.server.attempts.register import LARGEST, MOST_LISTED, details, entry
from snellen.server.attempts.service import Service
from snellen.server.errors import ExamError
from snellen.server.http.errors import QueryError, refusal
from snellen.server.logs import fault, log
from snellen.server.store.tables.exams import Attempt

PATH = "/attempts"
IDLE_MINUTES = 24 * 60.0
"""The minutes without a call after which a sweep abandons an attempt, by default."""

_LINES = "application/x-ndjson"
_FAILED = "the server failed; its log has the reason. Send the request again"

_Answer = Callable[[Service, Request], Awaitable[Response]]
_Number = TypeVar("_Number", int, float)


def is_organizer_path(path: str) -> bool:
    """Whether a path is an organizer's: its routes ask for tokens of a scope of their own."""
    return path == PATH or path.startswith(f"{PATH}/")


def routes(service: Service, guard: Sequence[Middleware]) -> Sequence[Route]:
    """Return the routes; the guard lets in organizers only."""

    def route(path: str, answer: _Answer, method: str = "GET") -> Route:
        async def endpoint(request: Request) -> Response:
            return await _answered(service, request, answer)

        return Route(f"{PATH}{path}", endpoint, methods=[method], middleware=guard)

    return [
        route("", _listed),
        route("/sweep", _sweep, "POST"),
        route("/{number:int}", _shown),
        route("/{number:int}/report", _report),
        route("/{number:int}/answers", _answers),
        route("/{number:int}/reissue", _reissue, "POST"),
    ]


async def _listed(service: Service, request: Request) -> Response:
    given = _query(request, "after", "limit")
    after = _number(given, "after", int, 0, (0, LARGEST))
    limit = _number(given, "limit", int, MOST_LISTED, (1, MOST_LISTED))

    def page() -> dict[str, object]:
        found = service.list_attempts(after=after, limit=limit)
        lines = [entry(attempt).model_dump(mode="json") for attempt in found]
        return {"attempts": lines, "next": found[-1].id if len(found) == limit else None}

    return JSONResponse(await asyncio.to_thread(page))


async def _shown(service: Service, request: Request) -> Response:
    _query(request)
    attempt = await _named(service, request)
    await service.flush()
    found = await asyncio.to_thread(details, service, attempt)
    return JSONResponse(found.model_dump(mode="json"))


async def _report(service: Service, request: Request) -> Response:
    _query(request)
    attempt = await _named(service, request)
    report = await service.graded(lambda: service.report_of(attempt))
    return JSONResponse(report.model_dump(mode="json"))


async def _answers(service: Service, request: Request) -> Response:
    given = _query(request, "task")
    attempt = await _named(service, request)
    task = given.get("task")
    if task is not None and task not in attempt.tasks:
        raise QueryError(f"attempt {attempt.id} has only the tasks {', '.join(attempt.tasks)}")
    exported = await service.graded(lambda: service.export(attempt))
    lines = "".join(part.lines() for part in exported if task in (None, part.task))
    return Response(lines, media_type=_LINES)


async def _reissue(service: Service, request: Request) -> Response:
    _query(request)
    attempt = await _named(service, request)
    handle = await service.reissue(attempt)
    return JSONResponse({"number": attempt.id, "attempt": handle})


async def _sweep(service: Service, request: Request) -> Response:
    idle = _number(_query(request, "idle"), "idle", float, IDLE_MINUTES, (1, LARGEST))
    swept = await service.sweep(idle)
    return JSONResponse({"expired": swept.expired, "abandoned": swept.abandoned})


async def _answered(service: Service, request: Request, answer: _Answer) -> Response:
    """Answer a request, however it ends."""
    try:
        return await answer(service, request)
    except ExamError as error:
        if error.__cause__ is not None:
            log().error("fault", path=request.url.path, **fault(error))
        return refusal(error)
    except Exception as error:  # noqa: BLE001  # whatever it is, its message may quote an answer
        log().error("fault", path=request.url.path, **fault(error))
        return JSONResponse({"error": _FAILED}, HTTPStatus.INTERNAL_SERVER_ERROR)


async def _named(service: Service, request: Request) -> Attempt:
    number: int = request.path_params["number"]
    return await service.database.off_loop(lambda: service.numbered(number))


def _query(request: Request, *known: str) -> dict[str, str]:
    given = dict(request.query_params)
    if strange := sorted(given.keys() - set(known)):
        takes = f"it takes {' and '.join(known)}" if known else "it takes none"
        raise QueryError(f"there is no parameter {strange[0]!r} here; {takes}")
    return given


def _number(
    given: dict[str, str],
    name: str,
    kind: type[_Number],
    default: _Number,
    span: tuple[_Number, _Number],
) -> _Number:
    try:
        found = kind(given[name]) if name in given else default
    except ValueError:
        found = None
    lowest, highest = span
    # A NaN lies between no two numbers.
    if found is None or not lowest <= found <= highest:
        raise QueryError(f"{name} must be a number from {lowest} to {highest}")
    return found

"""The REST application: its routes and its OpenAPI document."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from snellen.server.http.api import exams, organizing, submissions
from snellen.server.http.api.desk import Desk
from snellen.server.http.api.problems import EVERYWHERE, Problem, answer_with_problems, documented

VERSION = "1"
PREFIX = "/v1"
_DESCRIPTION = """\
The hosted challenge: its items, submissions and leaderboard.

Send `Authorization: Bearer TOKEN`; the host of the exam issues tokens. Every list has a cursor:
send `next` of one page as `after` (for submissions: `before`) to get the next page. Errors are
problem details (RFC 9457).
"""
_INVALID = documented(HTTPStatus.UNPROCESSABLE_ENTITY)[422]


def rest_app(desk: Desk) -> FastAPI:
    """Return the application; it is mounted under `PREFIX`."""
    app = FastAPI(
        title="snellen",
        version=VERSION,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    answer_with_problems(app)
    # The most requested routes come first, because each earlier route costs a little time.
    for part in (submissions, exams):
        # As the application's own: an included router looks for each request's route twice.
        app.router.routes.extend(part.routes(desk).routes)
    app.include_router(organizing.routes(desk), responses=EVERYWHERE)

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                servers=[{"url": PREFIX}],
            )
            parts = made.setdefault("components", {})
            schemas = parts.setdefault("schemas", {})
            schemas["Problem"] = Problem.model_json_schema()
            _say_invalid(made["paths"])
            # FastAPI's own schemas of a 422, which no route uses.
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            made["security"] = [{"token": []}, {}]
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = document
    return app


def _say_invalid(paths: Mapping[str, Mapping[str, Any]]) -> None:
    """Document the problem of each route that checks parameters."""
    for methods in paths.values():
        for operation in methods.values():
            if "422" in operation["responses"]:
                operation["responses"]["422"] = _INVALID

"""The REST application: its routes and its OpenAPI document."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from snellen.server.http.api import exams, organizing, submissions
from snellen.server.http.api.desk import Desk
from snellen.server.http.api.problems import Problem, answer_with_problems

VERSION = "1"
PREFIX = "/v1"
_DESCRIPTION = """\
The challenge that is hosted here: its items, submissions and leaderboard.

Send `Authorization: Bearer TOKEN`; whoever hosts the exam hands tokens out. Every list has a
cursor: give `next` of one page as `after` (of submissions: `before`) of the next. What goes wrong
is said as a problem (RFC 9457).
"""


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
    # In the order of how often they are asked for: each route before costs a little.
    for part in (submissions, exams, organizing):
        app.include_router(part.routes(desk))

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
            parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
            parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            made["security"] = [{"token": []}, {}]
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = document
    return app

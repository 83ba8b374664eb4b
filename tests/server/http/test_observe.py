"""What is logged of a request: how it ended and who called; never what it carried."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from snellen.server.http.auth import Tokens
from snellen.server.http.observe import ObserveMiddleware, RequestMetrics, route_of
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope


@pytest.mark.slow
def test_each_request_has_a_line_with_its_id_and_without_its_secrets(
    serve: Callable[..., Any], store: Path
) -> None:
    database = open_store(store)
    ada = Tokens(database).create("ada", [Scope.SUBMIT, Scope.TAKE])
    database.close()
    served = serve("--store", str(store))
    base = served.url.removesuffix("/mcp")
    answer = "a-secret-answer"
    with httpx2.Client(base_url=base, headers={"Authorization": f"Bearer {ada}"}) as client:
        client.get("/health")
        client.get("/ready")
        exams = client.get("/v1/exams").json()["exams"]
        exam = exams[0]["name"]
        sent = client.post(
            f"/v1/exams/{exam}/submissions",
            params={"name": answer},
            content=json.dumps({"item_id": answer, "response": answer}) + "\n",
            headers={"Content-Type": "application/x-ndjson", "X-Request-Id": "fromtheproxy"},
        )
        assert sent.status_code == 201
        client.get(f"/{ada}")
    written = served.stop()
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    requests = [line for line in lines if line["event"] == "request"]
    assert [(line["route"], line["status"], line["caller"]) for line in requests] == [
        ("/v1/exams", 200, "ada"),
        ("/v1/exams/{exam}/submissions", 201, "ada"),
        ("other", 404, "ada"),
    ]
    assert requests[1]["request"] == sent.headers["X-Request-Id"] == "fromtheproxy"
    assert requests[1]["path"] == f"/v1/exams/{exam}/submissions"
    assert requests[1]["address"] == "127.0.0.1"
    assert requests[1]["bytes"] == len(sent.content)
    assert {line["request"] for line in lines if line["event"] == "submission"} == {"fromtheproxy"}
    assert answer not in written
    assert ada not in written


async def test_a_route_is_called_by_its_template_and_everything_else_other() -> None:
    seen: list[str] = []

    async def endpoint(_: Request) -> Response:
        return JSONResponse({})

    class Seeing:
        def __init__(self, app: Any) -> None:
            self._app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await self._app(scope, receive, send)
            seen.append(route_of(scope))

    app = Starlette(
        routes=[
            Route("/a/{number:int}", endpoint),
            Mount("/v1", routes=[Route("/b/{name}", endpoint)]),
            Route("/{rest:path}", endpoint),
        ]
    )
    app.add_middleware(Seeing)
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1"
    ) as http:
        for path in ("/a/1", "/a/x", "/v1/b/c", "/v1/c", "/"):
            await http.get(path)
    assert seen == ["/a/{number:int}", "other", "/v1/b/{name}", "other", "other"]


async def test_what_breaks_is_counted_as_a_server_error() -> None:
    async def breaks(_: Request) -> Response:
        raise ValueError

    app = Starlette(routes=[Route("/a", breaks)])
    metrics = RequestMetrics()
    app.add_middleware(ObserveMiddleware, metrics=metrics)
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        assert (await http.get("/a")).status_code == 500
    labels = {"route": "/a", "method": "GET", "status": "500"}
    assert metrics.registry.get_sample_value("snellen_requests_total", labels) == 1

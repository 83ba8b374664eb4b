"""The REST application: its routes and its OpenAPI document."""

import json
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from snellen.server.http.actions import Actions
from snellen.server.http.api import exams, organizing, submissions
from snellen.server.http.api.problems import Problem, answer_with_problems, documented
from snellen.server.http.responses import JSON

VERSION = "1"
PREFIX = "/v1"
_DESCRIPTION = """\
The hosted challenge: its items, submissions and leaderboard.

Send `Authorization: Bearer TOKEN`; the host of the exam issues tokens. Every list has a cursor:
send `next` of one page as `after` (for submissions: `before`) to get the next page. Errors are
problem details (RFC 9457).
"""
_MEANINGS = {
    "exam": "The exam's name.",
    "submission": "The submission's id.",
    "phase": "The phase's name.",
    "name": "The name of the token's holder.",
    "number": "The invitation's number.",
    "idempotency-key": "A text of your choice: sent again with the same file, it is one upload.",
    "if-none-match": "The ETag of an earlier response; if nothing changed, the answer is 304.",
}
"""The parameters in a path or a header."""


class Parameter(NamedTuple):
    """A parameter of an operation."""

    name: str
    place: str
    type: str
    meaning: str
    required: bool


_INVALID = documented(HTTPStatus.UNPROCESSABLE_ENTITY)[422]


def rest_app(actions: Actions) -> FastAPI:
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
    for part in (submissions, exams, organizing):
        # As the application's own: an included router looks for each request's route twice.
        app.router.routes.extend(part.routes(actions).routes)

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
            )
            parts = made.setdefault("components", {})
            schemas = parts.setdefault("schemas", {})
            schemas["Problem"] = Problem.model_json_schema()
            _say_invalid(made["paths"])
            _say_meanings(made["paths"])
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


def _say_meanings(paths: Mapping[str, Mapping[str, Any]]) -> None:
    """Document the parameters that are not in a query."""
    for methods in paths.values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] != "query":
                    parameter["description"] = _MEANINGS[parameter["name"]]


class Operation(NamedTuple):
    """An operation of the API, for its page.

    Attributes:
        method: Its HTTP method.
        path: Its path, below the server's address.
        about: Its description.
        parameters: Each parameter's name, place, type, meaning, and whether it is required.
        request: An example request, for a shell.
        response: An example response, or its media type if it is not JSON; empty: no content.
        answers: The description of each status.
    """

    method: str
    path: str
    about: str
    parameters: Sequence[Parameter]
    request: str
    response: str
    answers: Mapping[str, str]


def operations(
    document: Mapping[str, Any], address: str, exam: str
) -> Mapping[str, Sequence[Operation]]:
    """Return the operations of an OpenAPI document, by their tags.

    Args:
        document: The document.
        address: The server's address, for the example requests.
        exam: The exam's name, for these, too.
    """
    found: dict[str, list[Operation]] = {}
    schemas = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            parameters = [
                Parameter(
                    each["name"],
                    each["in"],
                    type_of(each["schema"], schemas),
                    each.get("description", ""),
                    bool(each.get("required")),
                )
                for each in said.get("parameters", ())
            ]
            to = re.sub(r"{(\w+)}", lambda part: part[1].upper(), path.replace("{exam}", exam))
            words = [
                f'curl "{address}{PREFIX}{to}{_required(parameters)}"',
                '-H "Authorization: Bearer $SNELLEN_TOKEN"',
            ]
            if method != "get":
                words.insert(1, f"-X {method.upper()}")
            words += _body(said.get("requestBody", {}).get("content", {}), schemas)
            answers = said["responses"]
            good = next(answers[status] for status in sorted(answers) if status.startswith("2"))
            found.setdefault(said["tags"][0], []).append(
                Operation(
                    method.upper(),
                    f"{PREFIX}{path}",
                    said.get("description", ""),
                    parameters,
                    " \\\n    ".join(words),
                    _response(good.get("content", {}), schemas),
                    {status: answer["description"] for status, answer in answers.items()},
                )
            )
    return found


def _required(parameters: Sequence[Parameter]) -> str:
    query = "&".join(
        f"{each.name}={each.name.upper()}"
        for each in parameters
        if each.place == "query" and each.required
    )
    return f"?{query}" if query else ""


def _body(content: Mapping[str, Any], schemas: Mapping[str, Any]) -> Sequence[str]:
    if (form := next(iter(content), None)) is None:
        return ()
    if form != JSON:
        return (f"-H 'Content-Type: {form}'", "--data-binary @answers.jsonl")
    return (f"--json '{json.dumps(example_of(content[form]['schema'], schemas))}'",)


def _response(content: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    form = next(iter(content), "")
    if form != JSON:
        return form
    return json.dumps(example_of(content[form]["schema"], schemas), indent=2)


def type_of(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Return the type of a JSON schema in words."""
    schema = _resolved(schema, schemas)
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    low, high = schema.get("minimum"), schema.get("maximum")
    limits = f" from {low} to {high}" if low is not None and high is not None else ""
    return f"{schema.get('type', 'any JSON')}{limits}"


def example_of(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "text") -> Any:  # noqa: ANN401  # any JSON
    """Return a value that a JSON schema describes: each text is the name of its property."""
    schema = _resolved(schema, schemas)
    if choices := schema.get("examples") or schema.get("enum"):
        return choices[0]
    match schema.get("type"):
        case "object":
            known = schema.get("properties", {})
            return {key: example_of(each, schemas, key) for key, each in known.items()}
        case "array":
            item = schema.get("items") or next(iter(schema.get("prefixItems", [{}])))
            return [example_of(item, schemas, name)]
        case "boolean":
            return False
        case "integer":
            return schema.get("minimum", 1)
        case "number":
            return 0.5
        case "string":
            return name
        case _:
            return None


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema without references, and without null if there is a choice."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = schemas[schema["$ref"].rpartition("/")[2]]
        else:
            schema = next(each for each in schema["anyOf"] if each.get("type") != "null")
    return schema

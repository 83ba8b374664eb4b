"""Responses of REST, and the address of the exam in them and in the pages."""

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

JSON = "application/json"
NO_STORE = {"Cache-Control": "no-store"}


def address_of(request: Request) -> str:
    """Return the exam's address, as the caller sees it."""
    return str(request.base_url).rstrip("/")


def root_of(request: Request) -> str:
    """Return the path of the exam's address: its prefix, or empty if it is alone on its server."""
    return request.scope.get("app_root_path", request.scope.get("root_path", ""))


def answered(said: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(said.model_dump_json(), status, headers, media_type=JSON)

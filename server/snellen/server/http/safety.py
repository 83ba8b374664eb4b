"""Safety of all requests: a known Host, security headers for browsers, and request ids."""

import secrets
from collections.abc import Collection, Mapping
from http import HTTPStatus

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from snellen.server.settings import LOOPBACK, Address

REQUEST_ID = "X-Request-Id"
REQUEST = "snellen.request"
"""What a scope has the request's id under."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self' data:; style-src 'self'; form-action 'self';"
        " base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_MOST = 64


def names_of(address: Address) -> Collection[str] | None:
    """Return the names that the server may be called by; None: any.

    A page in a browser must not reach the exam by DNS rebinding. If every call needs a token, which
    a foreign page does not have, all names are served.
    """
    if not address.is_loopback and not address.names:
        return None
    return {*LOOPBACK, *address.names}


class SafetyMiddleware:
    """Rejects unknown Hosts, and adds headers to responses and ids to requests.

    Args:
        app: The application.
        names: The names that the server may be called by; None: any.
    """

    def __init__(self, app: ASGIApp, names: Collection[str] | None) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID, "")
        # What a proxy calls the request, so that its log and this one can be read together.
        known = given if given.isascii() and given.isalnum() and len(given) <= _MOST else None
        request = known or secrets.token_hex(8)
        scope[REQUEST] = request

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                out[REQUEST_ID] = request
                for name, value in HEADERS.items():
                    out.setdefault(name, value)
            await send(message)

        with structlog.contextvars.bound_contextvars(request=request):
            if self._names is not None and _name(headers.get("host", "")) not in self._names:
                refused = JSONResponse(
                    {"error": "unknown host name"}, HTTPStatus.MISDIRECTED_REQUEST
                )
                await refused(scope, receive, sent)
            else:
                await self._app(scope, receive, sent)


def _name(host: str) -> str:
    """Return a Host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()

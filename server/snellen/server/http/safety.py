"""Safety of all requests: known Host and Origin, security headers for browsers, request ids."""

import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from http import HTTPStatus
from ipaddress import IPv6Address

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
_AUTHORITY = r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?"
_HOST = re.compile(_AUTHORITY)
_ORIGIN = re.compile(f"https?://{_AUTHORITY}")
# Of extensions and programs with a browser inside, too.
_ANY_ORIGIN = re.compile(f"[a-z][a-z0-9+.-]*://{_AUTHORITY}")
_LARGEST_PORT = 65_535
OWN_SITES = frozenset({"same-origin", "none"})
"""The values of Sec-Fetch-Site, which pages can't set, that no other site's page causes."""


def names_of(address: Address) -> Collection[str] | None:
    """Return the names that the server may be called by; None: any.

    A page in a browser must not reach the exam by DNS rebinding. If every call needs a token, which
    a foreign page does not have, all names are served.
    """
    if not address.is_loopback and not address.names:
        return None
    return {*LOOPBACK, *(name.lower() for name in address.names)}


class SafetyMiddleware:
    """Rejects unknown Hosts and Origins, and adds headers to responses and ids to requests.

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
            refused = self._refused(headers)
            await (refused or self._app)(scope, receive, sent)

    def _refused(self, headers: Headers) -> JSONResponse | None:
        """Return the refusal of a request by its Host and its Origin; None: it is served."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        form = _ANY_ORIGIN if self._names is None else _ORIGIN
        if not self._is_known(hosts, _HOST, needed=self._names is not None):
            return JSONResponse(
                {"error": "unknown host name; `snellen serve --name NAME` adds one"},
                HTTPStatus.MISDIRECTED_REQUEST,
            )
        if origins == ["null"] and (
            self._names is None or headers.get("sec-fetch-site") in OWN_SITES
        ):
            # A form of this site's pages has it, which send no referrer.
            return None
        if not self._is_known(origins, form, needed=False):
            return JSONResponse(
                {"error": "a page of another site can't call this server"}, HTTPStatus.FORBIDDEN
            )
        return None

    def _is_known(self, given: Sequence[str], form: re.Pattern[str], *, needed: bool) -> bool:
        if len(given) != 1:
            return not given and not needed
        name = _name(given[0], form)
        return name is not None and (self._names is None or name in self._names)


def _name(given: str, form: re.Pattern[str]) -> str | None:
    """Return the host of a whole header, without its port; None: the header is not valid."""
    parts = form.fullmatch(given)
    if parts is None or int(parts["port"] or 0) > _LARGEST_PORT:
        return None
    if parts["name"] is not None:
        return parts["name"].lower()
    try:
        return str(IPv6Address(parts["six"]))
    except ValueError:
        return None

"""Sessions of browsers that signed in with a token. Only this site's pages can make changes."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from snellen.server.errors import ForbiddenError
from snellen.server.http.api.access import Access, Visitor
from snellen.server.http.auth import SESSION_HOURS
from snellen.server.http.responses import root_of
from snellen.server.http.safety import OWN_SITES

_NAME = "snellen"


def cookie_name(request: Request) -> str:
    """Return the name of the session's cookie; with TLS, no other host can set a cookie with it.

    A cookie's path is no border between exams of one server, so each has a name of its own.
    """
    name = _NAME + root_of(request).replace("/", "-")
    return f"__Host-{name}" if request.url.scheme == "https" else name


def visitor_of(request: Request, access: Access) -> Visitor:
    """Return the visitor, by the session's cookie or by the header that programs send."""
    cookie = request.cookies.get(cookie_name(request))
    holder = access.tokens.signed_in(cookie) if cookie else None
    if holder is not None:
        return access.known(request, holder)
    return access.visitor(request)


def sign_in(request: Request, response: Response, cookie: str) -> None:
    """Set a browser's session cookie."""
    response.set_cookie(
        cookie_name(request),
        cookie,
        max_age=SESSION_HOURS * 3600,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def check_origin(request: Request) -> None:
    """Check that a change does not come from another site's page.

    Raises:
        ForbiddenError: It comes from another site, or its origin is unknown.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site in OWN_SITES:
            return
    elif urlsplit(request.headers.get("origin", "")).netloc == request.headers.get("host", "-"):
        return
    raise ForbiddenError("changes are accepted only from this site's own pages")


def back_to(path: str) -> str:
    """Return a path of the exam for a redirect; `/` if the given one leads to another site."""
    plain = path.isprintable() and "\\" not in path
    return path if plain and path.startswith("/") and not path.startswith("//") else "/"

"""Who looks at a page: a browser that signed in with a token. Changes come from our own pages."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from snellen.server.errors import ForbiddenError
from snellen.server.http.api.access import Access, Visitor
from snellen.server.http.auth import SESSION_HOURS

_NAME = "snellen"
_GOOD_SITES = frozenset({"same-origin", "none"})


def cookie_name(request: Request) -> str:
    """Return what the session's cookie is called: behind TLS no other host can set one so named."""
    return f"__Host-{_NAME}" if request.url.scheme == "https" else _NAME


def visitor_of(request: Request, access: Access) -> Visitor:
    """Return who looks: by the session's cookie, or by the header that programs send."""
    cookie = request.cookies.get(cookie_name(request))
    holder = access.tokens.signed_in(cookie) if cookie else None
    if holder is not None:
        return access.known(request, holder)
    return access.visitor(request)


def sign_in(request: Request, response: Response, cookie: str) -> None:
    """Give a browser its cookie."""
    response.set_cookie(
        cookie_name(request),
        cookie,
        max_age=SESSION_HOURS * 3600,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def check_origin(request: Request) -> None:
    """Refuse a change that another site's page asks for.

    Raises:
        ForbiddenError: It does, or nobody can tell.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site in _GOOD_SITES:
            return
    elif urlsplit(request.headers.get("origin", "")).netloc == request.headers.get("host", "-"):
        return
    raise ForbiddenError("a change must come from this site's own page")


def back_to(path: str) -> str:
    """Return a path of this site to go to; what leads elsewhere leads to the start."""
    plain = path.isprintable() and "\\" not in path
    return path if plain and path.startswith("/") and not path.startswith("//") else "/"

"""OAuth 2.1: tokens that an identity provider issued, checked by its published keys.

snellen issues no such tokens and keeps none: it is a resource server (RFC 9728 says where its
tokens come from, RFC 9068 what is in them).
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from snellen.server.exam.file import OAuth
from snellen.server.http.auth import PREFIX
from snellen.server.logs import fault, log
from snellen.server.store.tables.exams import Scope as TokenScope

if TYPE_CHECKING:
    import jwt

HOLDER = "snellen.holder"
"""Where in a request's scope the holder of a checked token stands."""

METADATA = "/.well-known/oauth-protected-resource"
_ALGORITHMS = ("RS256", "ES256", "EdDSA")
_LEEWAY_SECONDS = 30
_KEYS_SECONDS = 3600.0
_LOOK_SECONDS = 30.0
"""A key that is not known is looked for once in this time, however many tokens name it."""

_TIMEOUT = 10.0


class Holder(NamedTuple):
    """Who holds a token: the subject and its issuer together, and what the token is for."""

    name: str
    scopes: frozenset[TokenScope]


class Issuer:
    """Checks the tokens of an identity provider.

    Args:
        settings: Who issues them, and for whom.
        transport: How its keys are fetched; httpx2's own when None.
    """

    def __init__(self, settings: OAuth, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self.settings = settings
        self._transport = transport
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._looked = float("-inf")
        self._looking = asyncio.Lock()

    async def holder(self, token: str) -> Holder | None:
        """Return who holds a token; None: it is none of this issuer's, or not good any more."""
        # Few servers have an issuer, and it loads a library of ciphers.
        import jwt

        try:
            named = jwt.get_unverified_header(token).get("kid")
            key = await self._key(str(named))
            if key is None:
                return None
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(_ALGORITHMS),
                audience=self.settings.resource,
                issuer=self.settings.issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError):
            return None
        words = str(claims.get("scope", "")).split()
        scopes = frozenset(TokenScope(word) for word in words if word in list(TokenScope))
        return Holder(f"{claims['sub']}@{urlsplit(self.settings.issuer).netloc}", scopes)

    async def _key(self, named: str) -> "jwt.PyJWK | None":
        async with self._looking:
            age = time.monotonic() - self._looked
            if age > _KEYS_SECONDS or (named not in self._keys and age > _LOOK_SECONDS):
                self._looked = time.monotonic()
                await self._look()
        return self._keys.get(named)

    async def _look(self) -> None:
        """Fetch the keys; those of before stay when that fails."""
        import jwt

        try:
            async with httpx2.AsyncClient(timeout=_TIMEOUT, transport=self._transport) as http:
                found = (await http.get(self.settings.jwks)).raise_for_status().json()
            self._keys = {
                key.key_id: key for key in jwt.PyJWKSet.from_dict(found).keys if key.key_id
            }
        except (httpx2.HTTPError, jwt.PyJWTError, ValueError, AttributeError) as error:
            log().error("no keys", jwks=self.settings.jwks, **fault(error))

    def routes(self) -> Sequence[Route]:
        """Return the routes that say where tokens come from: the server's, then the resource's."""
        said = {
            "resource": self.settings.resource,
            "authorization_servers": [self.settings.issuer],
            "scopes_supported": [scope.value for scope in TokenScope],
            "bearer_methods_supported": ["header"],
        }

        async def answer(_: Request) -> Response:
            return JSONResponse(said)

        path = urlsplit(self.settings.resource).path.rstrip("/")
        return [Route(where, answer) for where in dict.fromkeys((METADATA, METADATA + path))]

    @property
    def metadata(self) -> str:
        """The address of what says where tokens come from."""
        parts = urlsplit(self.settings.resource)
        return f"{parts.scheme}://{parts.netloc}{METADATA}{parts.path.rstrip('/')}"


class OAuthMiddleware:
    """Notes who holds an identity provider's token, and tells strangers where to get one.

    Args:
        app: What answers.
        issuer: Checks the tokens.
    """

    def __init__(self, app: ASGIApp, issuer: Issuer) -> None:
        self._app = app
        self._issuer = issuer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and token.strip() and not token.strip().startswith(PREFIX):
            scope[HOLDER] = await self._issuer.holder(token.strip())

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                headers = MutableHeaders(scope=message)
                headers["WWW-Authenticate"] = f'Bearer resource_metadata="{self._issuer.metadata}"'
            await send(message)

        await self._app(scope, receive, sent)

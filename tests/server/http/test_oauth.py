import json
import time
from collections.abc import Callable
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from snellen.server.exam.file import OAuth
from snellen.server.http.oauth import HOLDER, Issuer, OAuthMiddleware
from snellen.server.store.tables.exams import Scope

SETTINGS = OAuth(
    issuer="https://id.example.org",
    jwks="https://id.example.org/keys",
    resource="https://exam.example.org/mcp",
)
OURS, OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))


def keys(kid: str = "a", key: rsa.RSAPrivateKey = OURS) -> dict[str, Any]:
    found = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {"keys": [{**found, "kid": kid, "alg": "RS256", "use": "sig"}]}


def claims(**changed: object) -> dict[str, Any]:
    whole = {
        "iss": SETTINGS.issuer,
        "aud": SETTINGS.resource,
        "sub": "ada",
        "exp": time.time() + 600,
        "scope": "submit openid",
        **changed,
    }
    return {name: value for name, value in whole.items() if value is not None}


def signed(key: Any = OURS, algorithm: str = "RS256", kid: str = "a", **changed: object) -> str:
    return jwt.encode(claims(**changed), key, algorithm, {"kid": kid})


def hmac_by_public_key() -> str:
    """Return a token whose secret is our public key, which PyJWT itself refuses to write."""
    import base64
    import hmac

    secret = OURS.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head = {"alg": "HS256", "typ": "JWT", "kid": "a"}
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in (head, claims())
    ]
    mark = hmac.digest(secret, b".".join(parts), "sha256")
    return b".".join([*parts, base64.urlsafe_b64encode(mark).rstrip(b"=")]).decode()


class Keys:
    """An identity provider's keys, and how often they were asked for."""

    def __init__(self) -> None:
        self.asked = 0
        self.answer: Callable[[], httpx2.Response] = lambda: httpx2.Response(200, json=keys())

    def issuer(self) -> Issuer:
        def handle(_: httpx2.Request) -> httpx2.Response:
            self.asked += 1
            return self.answer()

        return Issuer(SETTINGS, httpx2.MockTransport(handle))


async def test_a_good_token_says_whose_it_is_and_what_for() -> None:
    holder = await Keys().issuer().holder(signed())
    assert holder is not None
    assert (holder.name, holder.scopes) == ("ada@id.example.org", {Scope.SUBMIT})


@pytest.mark.parametrize(
    "token",
    [
        signed(exp=time.time() - 60),
        signed(exp=None),
        signed(sub=None),
        signed(aud="https://other.example.org"),
        signed(iss="https://evil.example.org"),
        signed(OTHER),
        signed(kid="b"),
        jwt.encode(claims(), "", "none", {"kid": "a"}),
        hmac_by_public_key(),
        "nonsense",
        "a.b.c",
    ],
)
async def test_no_other_token_is_good(token: str) -> None:
    assert await Keys().issuer().holder(token) is None


async def test_keys_are_fetched_once_however_many_unknown_ones_are_named() -> None:
    provider = Keys()
    issuer = provider.issuer()
    for number in range(20):
        await issuer.holder(signed(kid=f"unknown-{number}"))
    assert await issuer.holder(signed()) is not None
    assert provider.asked == 1


@pytest.mark.parametrize(
    "answer",
    [
        lambda: httpx2.Response(500),
        lambda: httpx2.Response(200, text="<html>"),
        lambda: httpx2.Response(200, json=[]),
        lambda: httpx2.Response(200, json={"keys": [{"kty": "?"}]}),
    ],
)
async def test_an_identity_provider_that_fails_lets_nobody_in_and_breaks_nothing(
    answer: Callable[[], httpx2.Response],
) -> None:
    provider = Keys()
    provider.answer = answer
    assert await provider.issuer().holder(signed()) is None


async def test_strangers_are_told_where_tokens_come_from() -> None:
    async def who(request: Request) -> Response:
        holder = request.scope.get(HOLDER)
        return JSONResponse(holder and holder.name, 200 if holder else 401)

    issuer = Keys().issuer()
    app = Starlette(routes=[Route("/who", who), *issuer.routes()])
    transport = httpx2.ASGITransport(OAuthMiddleware(app, issuer))
    async with httpx2.AsyncClient(transport=transport, base_url="http://exam") as http:
        good = await http.get("/who", headers={"Authorization": f"Bearer {signed()}"})
        assert good.json() == "ada@id.example.org"
        refused = await http.get("/who")
        where = refused.headers["www-authenticate"]
        assert where == f'Bearer resource_metadata="{issuer.metadata}"'
        path = issuer.metadata.removeprefix("https://exam.example.org")
        said = (await http.get(path)).json()
        assert said["authorization_servers"] == [SETTINGS.issuer]
        assert said["resource"] == SETTINGS.resource

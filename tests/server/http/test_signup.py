"""Sign-up in the whole application: an agent over MCP, and one account a person with OAuth."""

import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hosted import Hosted
from jwt.algorithms import RSAAlgorithm
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette

from snellen.server.exam.file import ExamFile, OAuth
from snellen.server.host import LazyHost
from snellen.server.http.app import Hosted as Served
from snellen.server.http.app import challenge_routes, web_app
from snellen.server.http.auth import Tokens
from snellen.server.http.oauth import Issuer
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Address
from snellen.server.store.tables.exams import Scope

ADDRESS = "http://127.0.0.1"
PROVIDER = OAuth(
    issuer="https://id.example.org",
    jwks="https://id.example.org/keys",
    resource="https://exam.example.org/mcp",
)
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def identity(subject: str, scope: str = "take submit") -> str:
    """Return a token of the identity provider."""
    claims = {
        "iss": PROVIDER.issuer,
        "aud": PROVIDER.resource,
        "sub": subject,
        "exp": time.time() + 600,
        "scope": scope,
    }
    return jwt.encode(claims, KEY, "RS256", {"kid": "a"})


def keys(_: httpx2.Request) -> httpx2.Response:
    found = RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True)
    return httpx2.Response(200, json={"keys": [{**found, "kid": "a", "alg": "RS256"}]})


@dataclass
class Server:
    """A served exam, and what calls it."""

    app: Starlette
    tokens: Tokens
    boss: str

    async def call(
        self, method: str, path: str, token: str | None = None, **given: object
    ) -> httpx2.Response:
        """Call REST."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with self._http(headers) as http:
            return await http.request(
                method, f"/v1{path}", json=given if method == "POST" else None
            )

    async def invitation(self, uses: int = 1) -> str:
        """Return the code of a new invitation."""
        return (await self.call("POST", "/invitations", self.boss, uses=uses)).json()["code"]

    async def asks(self, token: str) -> int:
        """Call MCP with a token; return the status."""
        async with self._http({"Authorization": f"Bearer {token}"}) as http:
            known = {"Accept": "application/json, text/event-stream"}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            sent = await http.post("/mcp", json=body, headers=known)
            assert sent.status_code != 403 or "join the exam first" in sent.text
            return sent.status_code

    @asynccontextmanager
    async def agent(self, token: str) -> AsyncGenerator[Client]:
        """Connect an agent over MCP."""
        async with self._http({"Authorization": f"Bearer {token}"}) as http:
            transport = streamable_http_client(f"{ADDRESS}/mcp", http_client=http)
            async with Client(transport) as client:
                yield client

    def _http(self, headers: dict[str, str]) -> httpx2.AsyncClient:
        transport = httpx2.ASGITransport(self.app)
        return httpx2.AsyncClient(transport=transport, base_url=ADDRESS, headers=headers)


Opening = Callable[..., Any]


@pytest.fixture
def server(hosted: Callable[..., Hosted]) -> Opening:
    """Return a function that serves an exam by some settings of its file."""

    @asynccontextmanager
    async def opened(**exam: object) -> AsyncGenerator[Server]:
        here = hosted(exam=exam)
        await here.challenge.begin()
        file: ExamFile = here.challenge.file
        tokens = Tokens.of(here.host.database, file)
        issuer = None if file.oauth is None else Issuer(PROVIDER, httpx2.MockTransport(keys))
        served = Served(here.challenge, here.settings, 0)
        app = web_app(
            ExamServer(LazyHost(lambda: here.host)),
            Address(),
            tokens,
            challenge_routes(served, tokens, guarded=True),
            issuer,
        )
        async with app.router.lifespan_context(app):
            yield Server(app, tokens, tokens.create("boss", [Scope.ORGANIZE]))

    return opened


async def test_an_agent_takes_the_exam_with_the_token_of_an_invitation(
    server: Opening, agent_of: Callable[[Client], Any]
) -> None:
    async with server(signup={"by": "approval"}) as here:
        code = await here.invitation()
        made = (await here.call("POST", "/join", name="ada", code=code)).json()
        async with here.agent(made["token"]) as client:
            agent = agent_of(client)
            await agent.start()
            item = await agent.item()
            assert (await agent.answer(item["item"], "2"))["item"] == item["item"]
        asked = (await here.call("POST", "/join", name="bob")).json()
        assert await here.asks(asked["token"]) == 401
        assert await here.asks(code) == 401
        await here.call("POST", "/requests/bob/approve", here.boss)
        assert await here.asks(asked["token"]) == 200


async def test_a_person_with_an_identity_provider_has_one_account(server: Opening) -> None:
    async with server(signup={"by": "invitation"}, oauth=PROVIDER) as here:
        code, ada = await here.invitation(uses=3), identity("ada-77")
        for token in (None, here.boss):
            refused = await here.call("POST", "/join", token, name="eve", code=code)
            assert refused.status_code == 401
            assert "join with a token of https://id.example.org" in refused.json()["detail"]
        assert (await here.call("POST", "/join", ada, name="ada", code=code)).status_code == 201
        again = await here.call("POST", "/join", ada, name="bob", code=code)
        assert again.status_code == 409
        assert "you have joined as 'ada', and a person has one account" in again.json()["detail"]
        eve = identity("eve-78")
        assert (await here.call("POST", "/join", eve, name="eve", code=code)).status_code == 201
        here.tokens.revoke("ada")
        revoked = await here.call("POST", "/join", ada, name="ada2", code=code)
        assert (revoked.status_code, "you have joined as 'ada'" in revoked.text) == (409, True)
        events = (await here.call("GET", "/exams/sample/events", here.boss)).json()["events"]
        said = [event["why"] for event in events if event["what"] == "joined"]
        assert said[0] == "by invitation 1, as ada-77@id.example.org"


async def test_a_persons_identity_is_the_account_that_it_joined_as(server: Opening) -> None:
    file = {"signup": {"by": "invitation", "teams": True}, "oauth": PROVIDER}
    async with server(**file) as here:
        ada, path = identity("ada-77", "submit openid"), "/exams/sample/submissions"
        # Whoever did not join takes no part, and organizers are organizers all the same.
        assert await here.asks(ada) == 403
        assert (await here.call("GET", path, ada)).status_code == 403
        root = identity("root-1", "organize")
        assert (await here.call("GET", "/requests", root)).status_code == 200
        code = await here.invitation()
        made = await here.call("POST", "/join", ada, name="ada", code=code, team="lab")
        token = made.json()["token"]
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(here.app), base_url=f"{ADDRESS}/v1"
        ) as http:
            for held in (ada, token):
                sent = await http.post(
                    path,
                    content=json.dumps({"item_id": held[:9], "response": "x"}),
                    headers={
                        "Content-Type": "application/x-ndjson",
                        "Authorization": f"Bearer {held}",
                    },
                )
                assert sent.json()["participant"] == "lab"
        assert await here.asks(ada) == 200
        here.tokens.revoke("ada")
        assert await here.asks(ada) == 403
        assert (await here.call("GET", path, ada)).status_code == 403


async def test_a_person_asks_once_and_waits_for_the_answer(server: Opening) -> None:
    async with server(signup={"by": "approval"}, oauth=PROVIDER) as here:
        ada = identity("ada-77")
        assert (await here.call("POST", "/join", ada, name="ada")).status_code == 201
        again = await here.call("POST", "/join", ada, name="bob")
        assert again.status_code == 409
        assert "you have asked to join as 'ada'; wait for the organizer's" in again.text
        assert await here.asks(ada) == 403
        (request,) = (await here.call("GET", "/requests", here.boss)).json()["requests"]
        assert request["subject"] == "ada-77@id.example.org"
        await here.call("POST", "/requests/ada/approve", here.boss)
        assert await here.asks(ada) == 200


async def test_the_exam_files_team_of_a_subject_stays_its_team(server: Opening) -> None:
    teams = {"lab": ["ada-77@id.example.org"]}
    async with server(signup={"by": "invitation"}, oauth=PROVIDER, teams=teams) as here:
        ada, code = identity("ada-77"), await here.invitation()
        made = (await here.call("POST", "/join", ada, name="ada", code=code)).json()
        holder = here.tokens.holder(made["token"])
        assert here.tokens.participant(holder) == "lab"


async def test_without_sign_up_a_providers_tokens_are_as_good_as_before(server: Opening) -> None:
    async with server(oauth=PROVIDER) as here:
        assert await here.asks(identity("ada-77")) == 200

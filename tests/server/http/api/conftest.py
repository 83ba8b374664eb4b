"""A challenge over the sample, called over REST in memory."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

import httpx2
import pytest
from hosted import Hosted, as_lines

from snellen.server.challenge.boards import Boards
from snellen.server.challenge.workers import Worker
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Access, Visitor
from snellen.server.http.api.api import rest_app
from snellen.server.http.auth import Tokens
from snellen.server.http.signup import NewParticipant, RequestCard, SignUp
from snellen.server.store.tables.exams import Scope

EXAM = "/exams/sample"


@dataclass
class Door:
    """A challenge and a client of its REST application, which sees paths below `/v1`."""

    hosted: Hosted
    tokens: Tokens
    http: httpx2.AsyncClient

    async def call(
        self,
        method: str,
        path: str,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: object,
    ) -> httpx2.Response:
        """Send a request with a token, or without one."""
        known = {} if token is None else {"Authorization": f"Bearer {token}"}
        return await self.http.request(
            method,
            path,
            headers={**known, **(headers or {})},
            **more,  # type: ignore[arg-type]
        )

    async def get(self, path: str, token: str | None = None, **more: object) -> httpx2.Response:
        """Read something."""
        return await self.call("GET", path, token, **more)  # type: ignore[arg-type]

    async def upload(
        self, token: str | None, answers: Mapping[str, str] | str | bytes, **said: str
    ) -> httpx2.Response:
        """Upload answers as JSON lines; bytes as they are."""
        lines = answers if isinstance(answers, str | bytes) else as_lines(answers)
        key, encoding = said.pop("key", None), said.pop("encoding", None)
        headers = {"Content-Type": said.pop("form", "application/x-ndjson")}
        headers |= {} if key is None else {"Idempotency-Key": key}
        headers |= {} if encoding is None else {"Content-Encoding": encoding}
        path = f"{EXAM}/submissions"
        return await self.call("POST", path, token, headers, content=lines, params=said)

    def token(self, name: str, *scopes: Scope) -> str:
        """Make a token."""
        return self.tokens.create(name, scopes or (Scope.SUBMIT,))

    def signup(self) -> SignUp:
        """Return the sign-up, beside that of the routes and its count of wrong codes."""
        return SignUp(Access(self.tokens, guarded=True), self.hosted.challenge)

    async def ask(self, name: str) -> None:
        """Ask to join."""
        await self.signup().join(Visitor(), NewParticipant(name=name), "http://127.0.0.1")

    def requests(self) -> Sequence[RequestCard]:
        """Return the open requests to join."""
        return self.signup().requests(Visitor("boss", frozenset({Scope.ORGANIZE})))

    async def work(self) -> None:
        """Grade all that waits."""
        worker = Worker(self.hosted.challenge, self.hosted.settings)
        try:
            while await asyncio.to_thread(worker.step):
                pass
        finally:
            worker.close()


Opening = Callable[..., AbstractAsyncContextManager[Door]]


@pytest.fixture
def door(hosted: Callable[..., Hosted]) -> Opening:
    """Return a function that opens a challenge by some rules of its phase."""

    @asynccontextmanager
    async def opened(*, guarded: bool = True, **rules: object) -> AsyncGenerator[Door]:
        here = hosted(**rules)
        await here.challenge.begin()
        tokens = replace(
            Tokens.of(here.host.database, here.challenge.file), now=lambda: here.time[0]
        )
        context = Actions(here.challenge, Boards(here.challenge), Access(tokens, guarded=guarded))
        # A fault is answered, and a test sees the answer.
        transport = httpx2.ASGITransport(rest_app(context), raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            yield Door(here, tokens, http)

    return opened

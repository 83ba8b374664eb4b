"""A challenge over the sample, whose pages are asked for in memory."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

import httpx2
import pytest
from hosted import Hosted
from starlette.applications import Starlette
from starlette.middleware import Middleware

from snellen.server.challenge.workers import Worker
from snellen.server.http.app import Hosted as Served
from snellen.server.http.app import challenge_routes
from snellen.server.http.auth import Tokens
from snellen.server.http.safety import SafetyMiddleware
from snellen.server.store.tables.exams import Scope

OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}


@dataclass
class Site:
    """A challenge, and browsers that look at its pages."""

    hosted: Hosted
    tokens: Tokens
    app: Starlette

    def browser(self, scheme: str = "http") -> httpx2.AsyncClient:
        """Return a browser: it keeps cookies, and its forms are the site's own."""
        transport = httpx2.ASGITransport(self.app, raise_app_exceptions=False)
        address = f"{scheme}://127.0.0.1"
        return httpx2.AsyncClient(transport=transport, base_url=address, headers=OWN_PAGE)

    async def signed_in(self, name: str, *scopes: Scope) -> httpx2.AsyncClient:
        """Return a browser that has signed in with a new token."""
        browser = self.browser()
        token = self.tokens.create(name, scopes or (Scope.SUBMIT,))
        sent = await browser.post("/signin", data={"token": token})
        assert sent.status_code == 303
        return browser

    async def work(self) -> None:
        """Grade all that waits."""
        worker = Worker(self.hosted.challenge, self.hosted.settings)
        try:
            while await asyncio.to_thread(worker.step):
                pass
        finally:
            worker.close()


Opening = Callable[..., AbstractAsyncContextManager[Site]]


@pytest.fixture
def site(hosted: Callable[..., Hosted]) -> Opening:
    """Return a function that opens the pages of a challenge by some rules of its phase."""

    @asynccontextmanager
    async def opened(**rules: object) -> AsyncGenerator[Site]:
        here = hosted(**rules)
        await here.challenge.begin()
        tokens = replace(
            Tokens.of(here.host.database, here.challenge.file), now=lambda: here.time[0]
        )
        served = Served(here.challenge, here.settings, 0)
        safety = Middleware(SafetyMiddleware, names={"127.0.0.1"})
        routes = challenge_routes(served, tokens, guarded=True)
        yield Site(here, tokens, Starlette(routes=routes, middleware=[safety]))

    return opened

"""One browser for a module's tests, and pages written for each test."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest_asyncio
from stage_browser import browser as browser

from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.stage import Reply, Request, Stage, StageSettings, Time

OpenPage = Callable[..., Awaitable[Stage]]


@pytest_asyncio.fixture(loop_scope="module")
async def open_page(browser: Browser) -> AsyncIterator[OpenPage]:
    """Open stages of 400 x 300 pixels at two to a CSS pixel, with what their pages hold."""
    async with AsyncExitStack() as stages:

        async def open_page(html: str, time: Time = "real", open_requests: str = "0") -> Stage:
            def answer(request: Request) -> Reply:
                if request.url.endswith("/"):
                    page = f"<!doctype html><style>*{{margin:0}}</style>{html}".encode()
                    return Reply(200, "text/html; charset=utf-8", page)
                return Reply(200, "text/plain; charset=utf-8", b"heard " + request.body)

            settings = StageSettings(200, 150, scale=2, time=time, open_requests=open_requests)
            stage = await browser.stage(settings, answer)
            stages.push_async_callback(stage.close)
            return stage

        yield open_page

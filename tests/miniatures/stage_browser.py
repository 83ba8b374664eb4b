"""One browser for a module's tests, in which stages open."""

from collections.abc import AsyncIterator

import pytest_asyncio

from snellen.tasks.environments.browser import Browser


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def browser() -> AsyncIterator[Browser]:
    browser = Browser()
    yield browser
    await browser.close()

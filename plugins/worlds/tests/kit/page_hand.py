"""A hand at a desk's address: it sends what the page would send, and knows a desktop of its own.

Tokens are others in each rendering; all else of two pages of the same state is the same, so the
n-th token here stands for the n-th token there.
"""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import httpx2

from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.tasks import Step, Task

TOKEN = re.compile(r'(?<=data-[cgmbkd]=")[^"]*?[0-9a-f]{16}(?=")')


def plain(html: str) -> str:
    """Return a page without its tokens."""
    return TOKEN.sub("*", html)


class PageHand:
    """Does a task's steps at an address.

    Args:
        http: The browser: it keeps cookies.
        url: The address.
        task: The task that is open there.
    """

    def __init__(self, http: httpx2.AsyncClient, url: str, task: Task) -> None:
        self.http = http
        self.url = url
        self.task = task
        self.own = Desktop(task.state)
        self.page = ""
        self._written: dict[str, str] = {}

    async def open(self) -> httpx2.Response:
        """Open the page."""
        opened = await self.http.get(self.url)
        self.page = opened.text.partition('<div id="root">')[2].partition("</div><script>")[0]
        return opened

    async def do(self, step: Step) -> None:
        """Do a step here and there, and compare the pages."""
        page = self.own.page
        if step.hovers:
            return
        if step.text is not None:
            assert step.control in page.fields
            self._written[step.control] = step.text
            return
        token = page.token(f"{step.control}.drag" if step.onto else step.control)
        onto = page.place(step.onto) if step.onto else ""
        assert token is not None
        assert onto is not None
        there, written = self._there(token), self._written
        await self.send(there, written, self._there(onto) if onto else "")
        self._written = {}
        self.own.open_step()
        self.own.handle(token, {**page.fields, **written}, onto)
        self.compare()

    async def send(self, control: str, written: Mapping[str, str], onto: str) -> None:
        """Fill fields, and use a control."""
        await self.post(control, {**self.own.page.fields, **written}, onto)

    def compare(self) -> None:
        """Check that the page is that of an equal desktop."""
        assert plain(self.page) == plain(self.own.page.html)

    async def post(self, control: str, fields: dict[str, Any], onto: str = "") -> httpx2.Response:
        """Send what the page sends."""
        sent = {"control": control, "fields": fields, "onto": onto}
        answer = await self.http.post(f"{self.url}/act", json=sent)
        self.page = answer.text
        return answer

    def _there(self, token: str) -> str:
        here, there = TOKEN.findall(self.own.page.html), TOKEN.findall(self.page)
        assert len(here) == len(there)
        return unescape(there[here.index(token)])

"""Steps of eight episodes at their addresses, against a bare FastAPI that serves the same HTML.

A step is a click on an application of the dock: sent, done, drawn, and with us counted and on disk.
Both servers run in one process and the clients in this one; both take turns. Standard error has
the server's log.
"""

import asyncio
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2
import uvicorn
from _timing import options
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from mcp import Client

from snellen.server.exam.rules import Door, Rules
from snellen.server.host import lazy_host, open_exam
from snellen.server.http.playing import own_pages
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.page import document
from snellen.worlds.desk.templates.table import draw

SEED = 7
PRESSED = re.compile(r'class="dock-item[^"]*" data-c="(\w+)"')


def bare(count: int) -> FastAPI:
    """Return an application that keeps desks in memory and draws them."""
    app = FastAPI()
    desks = [Desktop(task.state) for task in draw(count, SEED)]

    @app.get("/{number}", response_class=HTMLResponse)
    async def page(number: int) -> str:
        return document(desks[number].page)

    @app.post("/{number}/act", response_class=HTMLResponse)
    async def act(number: int, request: Request) -> str:
        given = await request.json()
        desks[number].open_step()
        return desks[number].handle(given["control"], given["fields"]).html

    return app


async def serve(count: int) -> None:
    """Serve both, and print the addresses of their pages: ours first."""
    with tempfile.TemporaryDirectory() as room:
        pack = Path(room) / "desk"
        generated_exam("desk").make(pack, seed=SEED, count=count)
        rules = Rules(door=Door.URL)
        settings = Settings((pack,), Path(room) / "store.sqlite", rules)
        host = lazy_host(settings, lambda: open_exam(settings))
        server = uvicorn.Server(uvicorn.Config(bare(count), log_level="critical"))
        listener = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        async with own_pages(host), Client(ExamServer(host).server) as client:
            started = await client.call_tool("start_attempt", {})
            (attempt,) = re.findall(r'"attempt":"(\w+)"', str(started.content))
            ours: list[str] = []
            for number in range(count):
                given = {"attempt": attempt, "client": f"agent {number}"}
                item = await client.call_tool("get_item", given)
                ours += re.findall(r'"url":"([^"]+)"', str(item.content))
            port = listener.getsockname()[1]
            peers = [f"http://127.0.0.1:{port}/{number}" for number in range(count)]
            print("\n".join([*ours, *peers]), flush=True)
            await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await serving
        await host.close()


class Browser:
    """A client at one page, which clicks through the applications of the dock."""

    def __init__(self, url: str) -> None:
        self._http = httpx2.AsyncClient(timeout=60)
        self._url = url
        self._shown = ""

    async def open(self) -> None:
        """Open the page."""
        self._shown = (await self._http.get(self._url)).text

    async def click(self, count: int) -> None:
        """Take steps."""
        for step in range(count):
            tokens = PRESSED.findall(self._shown)
            post: dict[str, object] = {"control": tokens[step % len(tokens)], "fields": {}}
            self._shown = (await self._http.post(f"{self._url}/act", json=post)).text


async def measure(pages: list[str], rounds: int, each: int) -> tuple[list[float], list[float]]:
    """Take steps on the pages of both in turn, and return their number a second."""
    count = len(pages) // 2
    browsers = [Browser(page) for page in pages]
    for browser in browsers:
        await browser.open()
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for rates, group in zip(took, (browsers[:count], browsers[count:]), strict=True):
            start = time.perf_counter()
            await asyncio.gather(*(browser.click(each) for browser in group))
            rates.append(count * each / (time.perf_counter() - start))
    return took


def main() -> None:
    """Measure, and print steps a second."""
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(int(sys.argv[2])))
        return
    given = options(str(__doc__).partition("\n")[0])
    count, rounds, each = (2, 1, 3) if given.quick else (8, given.rounds or 7, 2)
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve", str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    pages = [server.stdout.readline().strip() for _ in range(2 * count)]
    took = asyncio.run(measure(pages, rounds, each))
    server.communicate("")
    ours, theirs = (sorted(rates)[len(rates) // 2] for rates in took)
    print(f"{count} episodes at their addresses    {ours:.1f} steps a second")
    print(f"a bare FastAPI, the same HTML        {theirs:.1f} steps a second")
    print(f"ratio {ours / theirs:.2f} (to be at least 0.9)")


if __name__ == "__main__":
    main()

"""Hosts and Origins are read whole, and the same ones are refused at every address."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from snellen.server.http.app import exam_app
from snellen.server.http.exams import open_exams
from snellen.server.settings import Address, Settings
from snellen.tasks.samples import exam_folder

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPTED = "application/json, text/event-stream"

SERVED = 200
UNKNOWN = 421
FOREIGN = 403
HOSTS = {
    "127.0.0.1": SERVED,
    "127.0.0.1:8765": SERVED,
    "localhost": SERVED,
    "LOCALHOST:1": SERVED,
    "localhost:65535": SERVED,
    "[::1]": SERVED,
    "[::1]:8765": SERVED,
    "[0:0:0:0:0:0:0:1]:80": SERVED,
    "exam.example.org": SERVED,
    "Exam.Example.org:443": SERVED,
    "": UNKNOWN,
    " ": UNKNOWN,
    ":8765": UNKNOWN,
    "evil.example": UNKNOWN,
    "localhost.": UNKNOWN,
    "localhost.evil.example": UNKNOWN,
    "evil.localhost": UNKNOWN,
    "localhost:": UNKNOWN,
    "localhost:x": UNKNOWN,
    "localhost:65536": UNKNOWN,
    "localhost:000080": UNKNOWN,
    "localhost:80:80": UNKNOWN,
    "localhost:80@evil.example": UNKNOWN,
    "localhost@evil.example": UNKNOWN,
    "evil@localhost": UNKNOWN,
    "localhost, evil.example": UNKNOWN,
    "localhost/evil": UNKNOWN,
    "localhost?": UNKNOWN,
    "http://localhost": UNKNOWN,
    "[::1].evil": UNKNOWN,
    "[::1]evil:80": UNKNOWN,
    "[::1]:80.evil": UNKNOWN,
    "[::1": UNKNOWN,
    "::1": UNKNOWN,
    "[::2]": UNKNOWN,
    "[::1%25lo]": UNKNOWN,
    "[localhost]": UNKNOWN,
    "[:::1]": UNKNOWN,
    "[127.0.0.1]": UNKNOWN,
    "127.0.0.1.evil.example": UNKNOWN,
    "127.1": UNKNOWN,
    "0x7f000001": UNKNOWN,
    "0.0.0.0": UNKNOWN,
}
ORIGINS = {
    "http://localhost": SERVED,
    "http://localhost:6274": SERVED,
    "https://127.0.0.1:8765": SERVED,
    "http://[::1]:80": SERVED,
    "https://exam.example.org": SERVED,
    "": FOREIGN,
    "null": FOREIGN,
    "localhost": FOREIGN,
    "//localhost": FOREIGN,
    "https://evil.example": FOREIGN,
    "http://localhost:1@evil.example": FOREIGN,
    "http://localhost@evil.example": FOREIGN,
    "http://localhost:@evil.example": FOREIGN,
    "http://evil@localhost": FOREIGN,
    "http://localhost:1.evil.example": FOREIGN,
    "http://localhost.evil.example": FOREIGN,
    "http://localhost:1/evil": FOREIGN,
    "http://localhost/": FOREIGN,
    "http://localhost#": FOREIGN,
    "http://localhost:99999": FOREIGN,
    "http://localhost https://evil.example": FOREIGN,
    "http://localhost, https://evil.example": FOREIGN,
    "http://[::1].evil": FOREIGN,
    "http://[::1]:1@evil.example": FOREIGN,
    "http://[::1]@evil.example": FOREIGN,
    "HTTP://localhost": FOREIGN,
    "ftp://localhost": FOREIGN,
    "file://": FOREIGN,
    "javascript://localhost": FOREIGN,
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop": FOREIGN,
    "http://exam.example.org.": FOREIGN,
    "https://exam.example.org:443:1": FOREIGN,
}
ADDRESS = Address(names=("Exam.example.org",))


@asynccontextmanager
async def serving(tmp_path: Path, address: Address) -> AsyncGenerator[httpx2.AsyncClient]:
    settings = Settings((exam_folder("wireframes"),), tmp_path / "exam.sqlite")
    with open_exams([settings], 0, lambda given: given) as (exam,):
        assert exam.challenge is not None
        await exam.challenge.begin()
        app = exam_app(exam, address)
        transport = httpx2.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
        ):
            yield client


async def statuses(
    client: httpx2.AsyncClient, headers: list[tuple[str, str]]
) -> set[tuple[str, int]]:
    """Return what a page, REST, MCP and a monitor answer to the same headers."""
    answers = [
        await client.get("/leaderboard", headers=headers),
        await client.get("/v1/exams", headers=headers),
        await client.post("/mcp", json=LIST, headers=[*headers, ("accept", ACCEPTED)]),
        await client.get("/health", headers=headers),
    ]
    return {(answer.request.url.path, answer.status_code) for answer in answers}


def of_all(status: int) -> set[tuple[str, int]]:
    return {(path, status) for path in ("/leaderboard", "/v1/exams", "/mcp", "/health")}


@pytest.mark.slow
async def test_a_host_is_served_if_the_whole_of_it_is_a_known_name_and_a_port(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, ADDRESS) as client:
        found = {host: await statuses(client, [("host", host)]) for host in HOSTS}
    assert found == {host: of_all(status) for host, status in HOSTS.items()}


async def test_an_origin_is_served_if_the_whole_of_it_is_of_a_known_name(tmp_path: Path) -> None:
    async with serving(tmp_path, ADDRESS) as client:
        found = {origin: await statuses(client, [("origin", origin)]) for origin in ORIGINS}
    assert found == {origin: of_all(status) for origin, status in ORIGINS.items()}


async def test_two_hosts_or_two_origins_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, ADDRESS) as client:
        hosts = [("host", "localhost"), ("host", "localhost")]
        assert await statuses(client, hosts) == of_all(UNKNOWN)
        origins = [("origin", "http://localhost"), ("origin", "http://localhost")]
        assert await statuses(client, origins) == of_all(FOREIGN)


async def test_a_form_of_an_own_page_which_sends_no_referrer_is_served(tmp_path: Path) -> None:
    async with serving(tmp_path, ADDRESS) as client:
        for site, status in (("same-origin", SERVED), ("none", SERVED), ("cross-site", FOREIGN)):
            own = [("origin", "null"), ("sec-fetch-site", site)]
            assert await statuses(client, own) == of_all(status)


@pytest.mark.parametrize("origin", ["https://any.example", "chrome-extension://abcdef", "null"])
async def test_a_server_that_others_reach_has_any_name_but_no_malformed_one(
    origin: str, tmp_path: Path
) -> None:
    async with serving(tmp_path, Address("0.0.0.0")) as client:
        assert await statuses(client, [("host", "any.example")]) == of_all(SERVED)
        assert await statuses(client, [("host", "[::1].evil")]) == of_all(UNKNOWN)
        assert await statuses(client, [("origin", origin)]) == of_all(SERVED)
        strange = [("origin", "http://localhost:1@evil.example")]
        assert await statuses(client, strange) == of_all(FOREIGN)

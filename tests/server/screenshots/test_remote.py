"""Images on the web: fetched once, within limits, from public addresses only."""

import asyncio
import datetime
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from PIL import Image

from snellen.grading.errors import DataError
from snellen.server.screenshots.remote import FetchLimits, RemoteImages

Encode = Callable[..., bytes]
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
TRUSTING = FetchLimits(loopback=True, seconds=20)


def reply(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers]
    if not any(header.startswith(("Content-Length", "Transfer-")) for header in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


class Web:
    """A server on this machine that answers by a table, and remembers what it was asked."""

    def __init__(self, port: int, pages: dict[str, bytes]) -> None:
        self.port = port
        self.pages = pages
        self.asked: list[str] = []
        self.heads: list[str] = []
        self.called = asyncio.Event()

    def url(self, path: str, host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


async def serve(tls: ssl.SSLContext | None = None) -> tuple[asyncio.Server, Web]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ")[1]
        web.asked.append(path)
        web.heads.append(head)
        web.called.set()
        answer = web.pages.get(path)
        if answer is None:
            # Nothing comes, and nothing is closed, until the client has had enough.
            await reader.read()
        else:
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    web = Web(server.sockets[0].getsockname()[1], {})
    return server, web


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    server, web = await serve()
    async with server:
        yield web


@pytest.fixture
def picture(encoded: Encode) -> bytes:
    return encoded(Image.new("RGB", (40, 30), "teal"))


async def test_an_image_is_fetched_once_and_kept_by_its_digest(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    web.pages["/a.png"] = reply(picture)
    images = RemoteImages(tmp_path, TRUSTING)
    digest = await images.fetch(web.url("/a.png"))
    assert digest == sha256(picture).hexdigest()
    assert images.read(digest) == picture
    again = RemoteImages(tmp_path, TRUSTING)
    assert await again.fetch(web.url("/a.png")) == digest
    assert await again.fetch(web.url("/elsewhere.png"), digest) == digest
    assert web.asked == ["/a.png"]
    assert len(files(tmp_path)) == 2


async def test_many_who_ask_at_once_have_it_fetched_once(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    web.pages["/a.png"] = reply(picture)
    images = RemoteImages(tmp_path, TRUSTING)
    found = await asyncio.gather(*(images.fetch(web.url("/a.png")) for _ in range(20)))
    assert set(found) == {sha256(picture).hexdigest()}
    assert web.asked == ["/a.png"]


async def test_who_gives_up_does_not_take_it_from_the_others(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    web.pages["/a.png"] = reply(picture)
    images = RemoteImages(tmp_path, TRUSTING)
    first = asyncio.create_task(images.fetch(web.url("/a.png")))
    second = asyncio.create_task(images.fetch(web.url("/a.png")))
    await web.called.wait()
    first.cancel()
    assert await second == sha256(picture).hexdigest()
    assert web.asked == ["/a.png"]


async def test_what_is_not_the_pack_s_image_is_refused_and_not_kept(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    web.pages["/a.png"] = reply(picture)
    images = RemoteImages(tmp_path, TRUSTING)
    with pytest.raises(DataError, match="is not the image that the pack was made with"):
        await images.fetch(web.url("/a.png"), "0" * 64)
    assert files(tmp_path) == []


async def test_a_page_that_is_no_image_is_not_kept(web: Web, tmp_path: Path) -> None:
    web.pages["/a.png"] = reply(b"<html>not found, sorry</html>")
    with pytest.raises(DataError, match=r"is no image that can be shown: 29 bytes"):
        await RemoteImages(tmp_path, TRUSTING).fetch(web.url("/a.png"))
    assert files(tmp_path) == []


async def test_a_file_that_was_changed_on_disk_is_fetched_again(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    web.pages["/a.png"] = reply(picture)
    images = RemoteImages(tmp_path, TRUSTING)
    digest = await images.fetch(web.url("/a.png"))
    (tmp_path / digest[:2] / digest).write_bytes(b"something else")
    with pytest.raises(DataError, match="changed on disk"):
        images.read(digest)
    with pytest.raises(DataError, match="can't read the image"):
        images.read(digest)
    assert await images.fetch(web.url("/a.png"), digest) == digest
    assert images.read(digest) == picture


# ---- limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers", [(), ("Transfer-Encoding: chunked",), ("Content-Length: 99999999",)]
)
async def test_what_is_too_large_is_left_alone(
    headers: tuple[str, ...], web: Web, tmp_path: Path
) -> None:
    body = b"x" * 50_000
    if headers == ("Transfer-Encoding: chunked",):
        body = b"c350\r\n" + body + b"\r\n0\r\n\r\n"
    web.pages["/big"] = reply(body, "200 OK", *headers)
    limits = FetchLimits(loopback=True, max_bytes=10_000)
    with pytest.raises(DataError, match="is larger than 10,000 bytes"):
        await RemoteImages(tmp_path, limits).fetch(web.url("/big"))


async def test_what_takes_too_long_is_left_alone(web: Web, tmp_path: Path) -> None:
    limits = FetchLimits(loopback=True, seconds=0.2)
    with pytest.raises(DataError, match=r"took longer than 0.2 s"):
        await RemoteImages(tmp_path, limits).fetch(web.url("/silent"))


async def test_redirects_are_followed_up_to_a_limit(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    web.pages["/1"] = reply(b"", "302 Found", "Location: /2")
    web.pages["/2"] = reply(b"", "301 Moved Permanently", f"Location: {web.url('/3')}")
    web.pages["/3"] = reply(picture)
    web.pages["/loop"] = reply(b"", "302 Found", "Location: /loop")
    images = RemoteImages(tmp_path, TRUSTING)
    assert await images.fetch(web.url("/1")) == sha256(picture).hexdigest()
    with pytest.raises(DataError, match="redirects more than 3 times"):
        await images.fetch(web.url("/loop"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (reply(b"", "404 Not Found"), "answers 404 Not Found"),
        (reply(b"", "500 Oh"), "answers 500 Oh"),
        (reply(b"", "204 No Content"), "answers 204"),
        (reply(b"abc", "200 OK", "Content-Encoding: gzip"), "sends it packed"),
        (reply(b"abc", "200 OK", "Content-Length: 50"), "can't be fetched"),
        (b"\x00\x01 no http at all\r\n\r\n", "can't be fetched"),
        (b"", "can't be fetched"),
        (reply(b"", "302 Found", "Location: file:///etc/passwd"), "can't be fetched"),
        (reply(b"", "302 Found", "Location: gopher://127.0.0.1/"), "can't be fetched"),
    ],
)
async def test_other_answers_are_no_images(
    answer: bytes, message: str, web: Web, tmp_path: Path
) -> None:
    web.pages["/a.png"] = answer
    with pytest.raises(DataError, match=message):
        await RemoteImages(tmp_path, TRUSTING).fetch(web.url("/a.png"))
    assert files(tmp_path) == []


@pytest.mark.parametrize("url", ["http://", "file:///etc/passwd", "http://[", "ftp://x/y", "nope"])
async def test_what_is_no_address_of_the_web_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(DataError):
        await RemoteImages(tmp_path, TRUSTING).fetch(url)


# ---- where it may go -------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433"])
async def test_this_machine_is_not_asked(host: str, web: Web, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"not public|has no address|can't be fetched"):
        await RemoteImages(tmp_path).fetch(web.url("/a.png", host))
    assert web.asked == []


async def test_a_redirect_to_a_private_address_is_not_followed(web: Web, tmp_path: Path) -> None:
    web.pages["/a.png"] = reply(b"", "302 Found", "Location: http://169.254.169.254/meta")
    with pytest.raises(DataError, match=r"169.254.169.254, which is not public"):
        await RemoteImages(tmp_path, TRUSTING).fetch(web.url("/a.png"))


async def test_a_name_is_asked_for_once_and_that_address_is_connected_to(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    """A name that means another address a moment later leads nowhere else."""
    web.pages["/a.png"] = reply(picture)
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    images = RemoteImages(tmp_path, TRUSTING, ask=rebinding)
    assert await images.fetch(web.url("/a.png", "images.example"))
    assert asked == ["images.example"]
    # The server hears the name that was meant, not the address.
    assert f"\r\nHost: images.example:{web.port}\r\n" in web.heads[0]


async def test_a_relative_redirect_stays_with_the_name(
    web: Web, picture: bytes, tmp_path: Path
) -> None:
    web.pages["/1"] = reply(b"", "302 Found", "Location: /2")
    web.pages["/2"] = reply(picture)
    asked: list[str] = []

    async def ask(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    await RemoteImages(tmp_path, TRUSTING, ask=ask).fetch(web.url("/1", "images.example"))
    assert asked == ["images.example"] * 2


async def test_proxies_of_the_environment_are_not_used(
    web: Web, picture: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    web.pages["/a.png"] = reply(picture)
    assert await RemoteImages(tmp_path, TRUSTING).fetch(web.url("/a.png"))


def certificate(folder: Path, name: str) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


async def test_a_certificate_is_held_against_the_name_not_the_address(
    picture: bytes, tmp_path: Path
) -> None:
    path = certificate(tmp_path, "images.example")
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(path)
    ours = ssl.create_default_context(cafile=str(path))

    async def ask(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    server, web = await serve(theirs)
    async with server:
        web.pages["/a.png"] = reply(picture)
        images = RemoteImages(tmp_path / "kept", TRUSTING, ask=ask, tls=ours)
        with pytest.raises(DataError, match=r"can't be fetched: .*certificate"):
            await images.fetch(web.url("/a.png", "another.example", "https"))
        assert await images.fetch(web.url("/a.png", "images.example", "https"))


async def test_ipv6_is_connected_to(picture: bytes, tmp_path: Path) -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert ipaddress.ip_address("::1").is_loopback

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply(picture))
        writer.close()

    server = await asyncio.start_server(handle, "::1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await RemoteImages(tmp_path, TRUSTING).fetch(f"http://[::1]:{port}/a.png")

"""Images on the web: fetched once, within limits, and kept on disk by their digest."""

import asyncio
import os
import re
import secrets
import ssl
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from snellen.grading.errors import DataError
from snellen.server.screenshots.addresses import Resolve, checked_address, resolve
from snellen.server.screenshots.pages import probe

if TYPE_CHECKING:
    import httpx2

AGENT = "snellen"
_PORTS = {"http": 80, "https": 443}
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits of fetching an image.

    Attributes:
        max_bytes: The maximum size of the image, in bytes.
        seconds: The maximum duration, redirects included.
        redirects: The maximum number of redirects.
        loopback: Whether this machine's own addresses are allowed, for tests.
    """

    max_bytes: int = 32 << 20
    seconds: float = 30
    redirects: int = 3
    loopback: bool = False


class RemoteImages:
    """Images on the web, kept in a folder.

    It connects only to public addresses, and exactly to the checked address, so changed DNS entries
    and redirects cannot bypass the check. Proxies of the environment are not used. An image is
    fetched only once. One object serves one event loop.

    Args:
        folder: The folder of images; it is created with the first image.
        limits: The limits of fetching an image.
        ask: Resolves a name to its addresses.
        tls: The TLS settings; None: the defaults.
    """

    def __init__(
        self,
        folder: Path,
        limits: FetchLimits | None = None,
        *,
        ask: Resolve = resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.folder = folder
        self.limits = limits or FetchLimits()
        self._ask = ask
        self._tls = tls
        self._fetching: dict[str, asyncio.Task[str]] = {}

    async def fetch(self, url: str, digest: str | None = None) -> str:
        """Return the SHA-256 of an image, which is kept from then on.

        Who asks for what is being fetched waits for it.

        Args:
            url: Its address.
            digest: The SHA-256 that it must have, in hexadecimal; None: what comes is taken, and
                stays what this address means here.

        Raises:
            DataError: It can't be fetched, passes a limit, or is not the one.
        """
        known = digest or await asyncio.to_thread(self._remembered, url)
        if known is not None and await asyncio.to_thread(self._kept, known):
            return known
        task = self._fetching.get(url)
        if task is None:
            task = self._fetching[url] = asyncio.create_task(self._fetch(url, known))
            task.add_done_callback(lambda _: self._fetching.pop(url, None))
        # A caller that gives up must not take it from the others that wait for it.
        found = await asyncio.shield(task)
        if digest not in (None, found):
            raise _another(url)
        return found

    def read(self, digest: str) -> bytes:
        """Return the bytes of an image that is kept.

        Raises:
            DataError: It is not there, or damaged.
        """
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DataError(f"can't read the image: {error.strerror}", file=str(path)) from error
        if sha256(data).hexdigest() != digest:
            # The next one to ask fetches it again.
            path.unlink(missing_ok=True)
            raise DataError("the image was changed on disk; ask for it again", file=str(path))
        return data

    async def _fetch(self, url: str, digest: str | None) -> str:
        data = await self._download(url)
        found = await asyncio.to_thread(lambda: sha256(data).hexdigest())
        if digest not in (None, found):
            raise _another(url)
        try:
            await asyncio.to_thread(probe, data)
        except DataError as error:
            # A page that says "not found" politely must not be kept as the image.
            raise DataError(f"{url} is no image that can be shown: {error.message}") from None
        await asyncio.to_thread(self._keep, url, found, data)
        return found

    async def _download(self, url: str) -> bytes:
        import httpx2

        limits = self.limits
        try:
            async with (
                asyncio.timeout(limits.seconds),
                httpx2.AsyncClient(
                    transport=_transport(self._ask, limits.loopback, self._tls),
                    # The clock over all of it is the only one.
                    timeout=None,
                    follow_redirects=True,
                    max_redirects=limits.redirects,
                    trust_env=False,
                    # What is packed small can be large: nothing packed is taken.
                    headers={"User-Agent": AGENT, "Accept-Encoding": "identity"},
                ) as client,
                client.stream("GET", url) as response,
            ):
                return await _body(response, url, limits.max_bytes)
        except TimeoutError:
            raise DataError(f"{url} took longer than {limits.seconds:g} s") from None
        except httpx2.TooManyRedirects:
            raise DataError(f"{url} redirects more than {limits.redirects} times") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise DataError(f"{url} can't be fetched: {error or type(error).__name__}") from None

    # ---- on disk -----------------------------------------------------------------------------

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest

    def _note(self, url: str) -> Path:
        return self.folder / "urls" / sha256(url.encode()).hexdigest()

    def _kept(self, digest: str) -> bool:
        return self._path(digest).exists()

    def _remembered(self, url: str) -> str | None:
        try:
            text = self._note(url).read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", file=str(self._note(url))) from None
        return text if _DIGEST.fullmatch(text) else None

    def _keep(self, url: str, digest: str, data: bytes) -> None:
        _write(self._path(digest), data)
        _write(self._note(url), digest.encode())


def _transport(
    ask: Resolve, loopback: bool, tls: ssl.SSLContext | None
) -> "httpx2.AsyncBaseTransport":
    import httpx2

    class Checked(httpx2.AsyncBaseTransport):
        """Connects to the address that was looked at, and asks for the name that was meant."""

        def __init__(self) -> None:
            self._inner = httpx2.AsyncHTTPTransport(
                verify=True if tls is None else tls, trust_env=False
            )

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            url = request.url
            if url.scheme not in _PORTS:
                raise DataError(f"{url} can't be fetched: only http and https addresses are")
            host = url.raw_host.decode("ascii")
            port = url.port or _PORTS[url.scheme]
            address = await checked_address(host, port, ask, loopback=loopback)
            # The header Host was made from the name; certificates are held against it, too.
            there = httpx2.Request(
                request.method,
                url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},
            )
            return await self._inner.handle_async_request(there)

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Checked()


async def _body(response: "httpx2.Response", url: str, most: int) -> bytes:
    if response.status_code != 200:
        raise DataError(f"{url} answers {response.status_code} {response.reason_phrase}")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise DataError(f"{url} sends it packed, though that was not asked for")
    said = response.headers.get("Content-Length", "")
    data = bytearray()
    if not (said.isdecimal() and int(said) > most):
        async for piece in response.aiter_raw():
            data += piece
            if len(data) > most:
                break
        else:
            return bytes(data)
    raise DataError(f"{url} is larger than {most:,} bytes")


def _another(url: str) -> DataError:
    return DataError(f"what is at {url} is not the image that the pack was made with")


def _write(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that no reader sees half of it."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(f"can't keep the image: {error.strerror}", file=str(path)) from error

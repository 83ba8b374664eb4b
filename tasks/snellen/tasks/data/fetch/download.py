"""Downloading one file by HTTP, going on where an earlier try stopped."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from snellen.tasks.data.fetch.faults import Refused, Unreachable, proxies_told

if TYPE_CHECKING:
    import httpx2

_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_CONNECTING, _SILENCE = 20.0, 30.0


@dataclass(frozen=True, slots=True)
class Remote:
    """A file to be fetched.

    Attributes:
        path: Where it is in the repository, and where it goes below the folder.
        url: Where its bytes are.
        size: How many, where that is known.
        sha256: Their digest, where one is published or on record.
        git_blob: The name that git gives to them, where that is published.
        headers: What to send along.
    """

    path: str
    url: str
    size: int | None = None
    sha256: str | None = None
    git_blob: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


class Stopped(Exception):  # noqa: N818  # never shown: another file's error is reported
    """Another download failed, so this one was given up; its part is kept."""


def open_client() -> "httpx2.Client":
    """Return what downloads; it follows redirects.

    Raises:
        Unreachable: The environment's proxies or certificates can't be used.
    """
    import httpx2

    timeout = httpx2.Timeout(_SILENCE, connect=_CONNECTING)
    with proxies_told():
        return httpx2.Client(follow_redirects=True, timeout=timeout)


def download(
    client: "httpx2.Client",
    remote: Remote,
    part: Path,
    tell: Callable[[int], None],
    stop: Event,
) -> None:
    """Download a file, adding to what is there of it.

    A connection that breaks is taken up again at once for as long as each try brings something.

    Args:
        client: What `open_client` returns.
        remote: The file.
        part: Where its bytes go.
        tell: Called with how many bytes came; a negative number when bytes are thrown away.
        stop: Set when the download is to be given up.

    Raises:
        Refused: The server answered otherwise than with the file.
        Unreachable: The server could not be reached, a try brought nothing, or what it brought
            can't be put together.
        OSError: The bytes could not be written.
        Stopped: `stop` was set.
    """
    part.parent.mkdir(parents=True, exist_ok=True)
    part.touch()
    tell(_size(part))
    try:
        _complete(client, remote, part, tell, stop)
    except BaseException:
        if _size(part) == 0:
            part.unlink(missing_ok=True)
        raise


def _complete(
    client: "httpx2.Client", remote: Remote, part: Path, tell: Callable[[int], None], stop: Event
) -> None:
    import httpx2

    whole = restarted = False
    while not whole:
        before = _size(part)
        if remote.size is not None and before >= remote.size:
            if before == remote.size:
                return
            before = _restart(part, tell)
        try:
            whole = _try(client, remote, part, tell, stop)
        except httpx2.TransportError as error:
            if _size(part) <= before:
                raise Unreachable(f"{error}" or type(error).__name__) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise Unreachable(f"{remote.url}: {error}") from error
        else:
            after = _size(part)
            if not whole and after <= before:
                # A part that does not fit is thrown away once; more often would have no end.
                if after or restarted:
                    raise Unreachable(f"{remote.url} sends parts that make no whole file")
                restarted = True


def _try(
    client: "httpx2.Client", remote: Remote, part: Path, tell: Callable[[int], None], stop: Event
) -> bool:
    """Ask once for what is missing; return whether the file is whole now."""
    start = _size(part)
    # Compressed answers can't be taken up in their middle.
    headers = {**remote.headers, "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    with client.stream("GET", remote.url, headers=headers) as response:
        if response.status_code == 416 and start:
            # What is there is all of it, or no part of this file.
            if _whole_length(response) == start:
                return True
            _restart(part, tell)
            return False
        if not response.is_success:
            raise Refused(f"{remote.url} answered {response.status_code}", response.status_code)
        if response.status_code == 206 and _start(response) != start:
            _restart(part, tell)
            return False
        if start and response.status_code != 206:
            _restart(part, tell)
        with part.open("ab") as file:
            # In the pieces that come, so that a break loses none of them.
            for piece in response.iter_bytes():
                if stop.is_set():
                    raise Stopped
                file.write(piece)
                tell(len(piece))
    # A server may send less than it was asked for, and a total of * is known from a 416 at the end.
    return response.status_code != 206 or _size(part) == _whole_length(response)


def _start(response: "httpx2.Response") -> int | None:
    match = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
    return None if match is None else int(match[1])


def _whole_length(response: "httpx2.Response") -> int | None:
    length = response.headers.get("Content-Range", "").rpartition("/")[2]
    return int(length) if length.isdecimal() else None


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _restart(part: Path, tell: Callable[[int], None]) -> int:
    tell(-_size(part))
    part.write_bytes(b"")
    return 0

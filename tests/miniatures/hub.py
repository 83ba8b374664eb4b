"""A server on this machine that speaks what the Hugging Face hub and raw.githubusercontent do."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

COMMIT = "c" * 40


def git_blob(data: bytes) -> str:
    """What git calls these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass
class Site:
    """What the server holds, how it misbehaves, and what it was asked.

    Attributes:
        files: The repository's files. Those over 1,000 bytes are in LFS, as on the hub.
        listed: What the listing tells instead of the truth, by path.
        commit: The commit that every name but a commit's own means.
        cuts: After how many bytes an answer breaks off, once each, by path.
        refusals: Status and error code instead of an answer, by path or `api`.
        ranges: Whether a part of a file can be asked for.
        most: The most bytes of a part that are sent at once; None: all that are left.
        content_range: What an answer with a part says of itself.
        beyond: What is said where a part begins behind the end.
        loops: Files that are answered for by pointing to themselves.
        moved: Files that are answered for by another host, as large ones are by the hub.
        tokens: The hosts that were sent a token.
        asked: Each request: the path asked for and its Range.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    listed: dict[str, bytes] = field(default_factory=dict[str, bytes])
    commit: str = COMMIT
    cuts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    refusals: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    ranges: bool = True
    most: int | None = None
    content_range: str = "bytes {start}-{last}/{total}"
    beyond: str = "bytes */{total}"
    loops: set[str] = field(default_factory=set[str])
    moved: set[str] = field(default_factory=set[str])
    tokens: set[str] = field(default_factory=set[str])
    asked: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])

    def fetched(self) -> list[tuple[str, str | None]]:
        """The files asked for, without the listings."""
        return [one for one in self.asked if not one[0].startswith("api")]

    def tree(self) -> list[dict[str, Any]]:
        """The listing of all files."""
        return [self._entry(path, self.listed.get(path, data)) for path, data in self.files.items()]

    def _entry(self, path: str, data: bytes) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "type": "file",
            "path": path,
            "size": len(data),
            "oid": git_blob(data),
        }
        if len(data) > 1000:
            sha256 = hashlib.sha256(data).hexdigest()
            entry["lfs"] = {"oid": sha256, "size": len(data), "pointerSize": 130}
        return entry


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path).lstrip("/")
        host = self.headers.get("Host", "").partition(":")[0]
        if "Authorization" in self.headers:
            self.site.tokens.add(host)
        api = re.fullmatch(r"api/datasets/[^/]+/[^/]+(?:/(revision|tree)/([^/]+))?", path)
        if api:
            self._api(path, api[1], api[2])
            return
        held = re.fullmatch(r"(?:datasets/)?[^/]+/[^/]+/(?:resolve/)?([0-9a-f]{40})/(.*)", path)
        assert held, path
        if held[2] in self.site.loops:
            self._answer(302, b"", {"Location": self.site.url + self.path})
            return
        if held[2] in self.site.moved and host != "localhost":
            elsewhere = self.site.url.replace("127.0.0.1", "localhost") + self.path
            self._answer(302, b"", {"Location": elsewhere})
            return
        self._file(held[2])

    def _api(self, path: str, kind: str | None, revision: str | None) -> None:
        self.site.asked.append((path, None))
        if self._refused("api"):
            return
        commit = revision if revision and re.fullmatch("[0-9a-f]{40}", revision) else None
        info = {"id": "owner/name", "sha": commit or self.site.commit}
        self._json(self.site.tree() if kind == "tree" else info)

    def _file(self, path: str) -> None:
        asked = self.headers.get("Range")
        self.site.asked.append((path, asked))
        if self._refused(path):
            return
        data = self.site.files.get(path)
        if data is None:
            self._answer(404, b"404: Not Found")
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.site.ranges else 0
        if start >= len(data) > 0 and start:
            self._answer(416, b"", {"Content-Range": self.site.beyond.format(total=len(data))})
            return
        headers = {"ETag": f'"{git_blob(data)}"', "X-Repo-Commit": self.site.commit}
        piece = data[start:]
        if start:
            piece = piece if self.site.most is None else piece[: self.site.most]
            headers["Content-Range"] = self.site.content_range.format(
                start=start, last=start + len(piece) - 1, total=len(data)
            )
        cuts = self.site.cuts.get(path)
        self._answer(206 if start else 200, piece, headers, cuts.pop(0) if cuts else None)

    def _refused(self, path: str) -> bool:
        status, code = self.site.refusals.get(path, (0, ""))
        if status:
            self._answer(status, b"", {"X-Error-Code": code})
        return bool(status)

    def _json(self, value: object) -> None:
        self._answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _answer(
        self,
        status: int,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        cut: int | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:cut])
        if cut is not None:
            self.wfile.flush()
            self.close_connection = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing on standard error."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server, set up as the hub and as GitHub's mirror."""
    site = Site()
    handler = type("Handler", (_Handler,), {"site": site})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", site.url)
    monkeypatch.setenv("SNELLEN_GITHUB_MIRROR", site.url)
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point SNELLEN_HOME to a folder without first sights."""
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path_factory.mktemp("home")))

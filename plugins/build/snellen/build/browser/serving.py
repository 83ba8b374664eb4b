"""Pages of a folder under an invented host, without a server: files of paths, and their types."""

import os
import re
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from snellen.build.pages import Page
from snellen.grading.errors import InputError

MAX_BYTES = 64 * 1024 * 1024
"""The maximum size of a file; a larger one is not served, since it passes through memory."""

INDEXES = ("index.html", "index.htm")

_TYPES = {
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".css": "text/css",
    ".csv": "text/csv",
    ".gif": "image/gif",
    ".htm": "text/html",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".md": "text/plain",
    ".mjs": "text/javascript",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".ogg": "audio/ogg",
    ".otf": "font/otf",
    ".pdf": "application/pdf",
    ".php": "text/html",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
}
# Python's own table depends on the machine's files.

_DECLARED = re.compile(rb"charset\s*=|^\s*@charset|encoding\s*=", re.IGNORECASE)


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    type: str
    body: bytes


def host_of(site: str) -> str:
    """Return an invented host for a site, in `.invalid`, a domain that never exists.

    >>> host_of("shop"), host_of("Über uns")
    ('shop.invalid', 'ber-uns-b7defbf9.invalid')
    """
    kept = re.sub(r"[^a-z0-9]+", "-", site.lower()).strip("-")[:40].strip("-")
    if kept != site:
        mark = sha256(site.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        kept = f"{kept}-{mark}" if kept else f"site-{mark}"
    return f"{kept}.invalid"


def url_of(page: Page) -> str:
    """Return the address of a page in the browser."""
    return f"https://{host_of(page.site)}/{quote(os.fsencode(page.path.as_posix()))}"


class Folder:
    """The files of a site.

    Args:
        root: The site's folder.

    Raises:
        InputError: The path is not a folder.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise InputError("it is not a folder of pages", file=str(root))
        self.root = root.resolve()

    def find(self, path: str) -> Path | None:
        """Return the file of a URL's path, or None.

        Args:
            path: The path as in the URL, from its first slash: escaped, without query or fragment.
        """
        text = unquote(path, errors="surrogateescape").lstrip("/")
        if "\0" in text or "\\" in text:
            return None
        try:
            file = (self.root / PurePosixPath(text)).resolve()
            if not file.is_relative_to(self.root):
                return None
            if file.is_dir():
                names = (file / name for name in INDEXES)
                file = next((name.resolve() for name in names if name.is_file()), file)
            inside = file.is_relative_to(self.root)
            return file if inside and file.is_file() else None
        except (OSError, RuntimeError, ValueError):
            # The name is too long, or links form a loop (a different error until Python 3.13).
            return None

    def answer(self, url: str) -> Answer:
        """Answer a request like a plain file server."""
        path = urlsplit(url).path or "/"
        file = self.find(path)
        if file is None:
            return Answer(404, "text/html; charset=utf-8", _NOT_FOUND)
        if (
            not path.endswith("/")
            and file.name in INDEXES
            and not unquote(path).endswith(file.name)
        ):
            # A server would redirect, but an answer given in the browser can't.
            address = f"{path}/{'?' + urlsplit(url).query if urlsplit(url).query else ''}"
            return Answer(200, "text/html; charset=utf-8", _REDIRECT % address.encode())
        try:
            if file.stat().st_size > MAX_BYTES:
                return Answer(413, "text/html; charset=utf-8", _NOT_FOUND)
            body = file.read_bytes()
        except OSError:
            return Answer(404, "text/html; charset=utf-8", _NOT_FOUND)
        return Answer(200, _type(file, body), body)


_NOT_FOUND = b"<!doctype html><title>404 Not Found</title><h1>Not Found</h1>"
_REDIRECT = b'<!doctype html><meta http-equiv="refresh" content="0;url=%s">'


def _type(file: Path, body: bytes) -> str:
    kind = _TYPES.get(file.suffix.lower(), "application/octet-stream")
    text = kind.startswith("text/") or kind.endswith(("json", "xml"))
    if not text or body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return kind
    if kind != "text/javascript" and _DECLARED.search(body[:1024]):
        return kind
    try:
        body.decode()
    except UnicodeDecodeError:
        return kind
    # Chromium would guess from the user's language.
    return f"{kind}; charset=utf-8"

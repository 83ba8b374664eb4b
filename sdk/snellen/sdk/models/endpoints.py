"""Endpoint: the URL, name and secrets of a model behind an HTTP API."""

import html
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from snellen.grading.errors import InputError, UnknownNameError

Api = Literal["openai", "anthropic"]

KEY_VARIABLES: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
HIDDEN = "***"
_TELLING = 8
"""The number of a secret's first characters that are hidden even without the rest, because a text
can be cut anywhere."""

_TAILS = {"openai": ("/chat/completions",), "anthropic": ("/messages", "/v1")}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind an HTTP API.

    Keys and headers are only sent: they never appear in a repr, file, log or error.

    Attributes:
        base_url: The API's base URL: `http://localhost:8000/v1`, `https://api.anthropic.com`.
        name: The model's name there.
        api: `openai` for chat completions, which most servers support, or `anthropic` for Messages.
        key: The API's key; None: `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, if set.
        headers: Additional headers of every request.
        detail: For chat completions: the detail level of images, such as `high`.
    """

    base_url: str
    name: str
    api: Api = "openai"
    key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    detail: str | None = None

    def __post_init__(self) -> None:
        if self.api not in KEY_VARIABLES:
            raise UnknownNameError("API", self.api, KEY_VARIABLES)
        if not self.name:
            raise InputError("the model is missing: give name=, its name on the server")
        object.__setattr__(self, "base_url", _base(self.base_url, self.api))
        if self.detail is not None and self.api != "openai":
            raise InputError("only chat completions support it", field="detail")
        for name, value in self.headers.items():
            if not (_sendable(name) and _sendable(value)):
                raise InputError(
                    f"the header {name!r} can't be sent: it is not ASCII", field="headers"
                )
        if self.key is not None and not _sendable(self.key):
            raise InputError("it has a line break or a non-ASCII character", field="key")

    def secret(self) -> str | None:
        """Return the given key, else the environment's, else None."""
        if self.key is not None:
            return self.key
        variable = KEY_VARIABLES[self.api]
        found = os.environ.get(variable, "").strip() or None
        if found is not None and not _sendable(found):
            raise InputError(f"{variable} has a line break or a non-ASCII character")
        return found


def _base(url: str, api: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise InputError("it is not a URL", field="base_url") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        # The message omits the URL: such parts often hold a key, and the URL is in reports.
        raise InputError(
            "give only scheme, host and path; put a key into key= or headers=", field="base_url"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"{url!r} is not an http or https URL like 'http://localhost:8000/v1'", field="base_url"
        )
    base = url.rstrip("/")
    for tail in _TAILS[api]:
        base = base.removesuffix(tail)
    return base


def _sendable(text: str) -> bool:
    return text.isascii() and text.isprintable()


class Secrets:
    """The texts that no message may contain: the key and the headers' values.

    >>> Secrets(["sk-0123456789"]).hide("no such key: sk-0123456789, sk-01234567...")
    'no such key: ***, ***...'
    """

    def __init__(self, values: Iterable[str]) -> None:
        stripped = {value.strip() for value in values} - {""}
        # The longest first: one secret can be a prefix of another.
        ordered = sorted(stripped, key=lambda value: (-len(value), value))
        self._secrets = [_Secret(value) for value in ordered]

    def hide(self, text: str) -> str:
        """Return a text without the secrets and their beginnings, plain or escaped."""
        for secret in self._secrets:
            text = secret.hide(text)
        return text


class _Secret:
    def __init__(self, value: str) -> None:
        ways = [_written(character) for character in value]
        self._whole = re.compile("".join(ways))
        self._head = re.compile("".join(ways[:_TELLING]))
        self._rest = [re.compile(way) for way in ways[_TELLING:]]

    def hide(self, text: str) -> str:
        text = self._whole.sub(HIDDEN, text)
        pieces: list[str] = []
        done = 0
        while (found := self._head.search(text, done)) is not None:
            pieces += [text[done : found.start()], HIDDEN]
            done = self._end(text, found.end())
        return "".join([*pieces, text[done:]])

    def _end(self, text: str, index: int) -> int:
        """Return the end of the secret's beginning that continues at an index."""
        for character in self._rest:
            more = character.match(text, index)
            if more is None:
                break
            index = more.end()
        return index


def _written(character: str) -> str:
    """Return a pattern of a character's forms in JSON, Python, URLs and HTML."""
    if character == " ":
        return r"(?:\s+|\+|%20)"
    code = ord(character)
    plain = r"\\+" if character == "\\" else rf"\\*{re.escape(character)}"
    ways = [rf"(?i:\\+u{code:04x}|%{code:02x})", plain]
    if html.escape(character) != character:
        ways.insert(0, re.escape(html.escape(character)))
    return f"(?:{'|'.join(ways)})"

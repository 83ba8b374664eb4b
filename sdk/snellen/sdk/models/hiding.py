"""Hiding keys in what a server says."""

import html
import re
from collections.abc import Iterable

HIDDEN = "***"
_TELLING = 8
"""So many first characters of a secret are hidden by themselves: a text may be cut anywhere."""


class Secrets:
    """What must be in no message: the key and what else the headers hold.

    >>> Secrets(["sk-0123456789"]).hide("no such key: sk-0123456789, sk-01234567...")
    'no such key: ***, ***...'
    """

    def __init__(self, values: Iterable[str]) -> None:
        stripped = {value.strip() for value in values} - {""}
        # The longest first: one secret may begin like another.
        ordered = sorted(stripped, key=lambda value: (-len(value), value))
        self._secrets = [_Secret(value) for value in ordered]

    def hide(self, text: str) -> str:
        """Return a text without the secrets and their beginnings, as they are or escaped."""
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

    def _end(self, text: str, place: int) -> int:
        """Return where a beginning of the secret ends that goes on at a place."""
        for character in self._rest:
            more = character.match(text, place)
            if more is None:
                break
            place = more.end()
        return place


def _written(character: str) -> str:
    """Return a pattern of the ways in which JSON, Python, URLs and HTML write a character."""
    if character == " ":
        return r"(?:\s+|\+|%20)"
    code = ord(character)
    plain = r"\\+" if character == "\\" else rf"\\*{re.escape(character)}"
    ways = [rf"(?i:\\+u{code:04x}|%{code:02x})", plain]
    if html.escape(character) != character:
        ways.insert(0, re.escape(html.escape(character)))
    return f"(?:{'|'.join(ways)})"

"""HTML as a value: every text is escaped, every tag is closed."""

import json
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, TypeAlias

from markupsafe import Markup, escape

Child: TypeAlias = "str | Iterable[Child] | None"
"""Text, which is escaped; Markup, which is not; nothing; or several of these."""

Value: TypeAlias = str | int | bool | None
"""Of an attribute: true writes its name alone, false and none leave it out."""

_VOID: Final = frozenset({"br", "hr", "input", "meta"})

_special: Final = re.compile("[&<>'\"]").search

_ICONS: Final = {
    "mail": "M3 6h18v12H3zM3 7l9 7 9-7",
    "calendar": "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
    "contacts": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-5 4-7 8-7s7 2 8 7",
    "shop": "M3 4h2l2 11h11l2-8H6M9 20h.01M17 20h.01",
    "files": "M3 6h7l2 3h9v10H3z",
    "sheet": "M4 4h16v16H4zM4 9h16M4 14h16M10 4v16",
    "kanban": "M4 4h4v16H4zM10 4h4v10h-4zM16 4h4v13h-4z",
    "notes": "M5 4h14v12l-4 4H5zM9 9h6M9 13h4M19 16h-4v4",
    "travel": "M3 13l8-2 4-7h2l-1 7 5 1v2l-5 0 1 6h-2l-4-6-5 0-1 3H4l0-3z",
    "settings": "M4 8h16M4 16h16M9 8a2 2 0 1 0 .01 0M15 16a2 2 0 1 0 .01 0",
    "search": "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5",
    "plus": "M12 4v16M4 12h16",
    "reply": "M10 6l-6 6 6 6M4 12h9a7 7 0 0 1 7 7",
    "forward": "M14 6l6 6-6 6M20 12h-9a7 7 0 0 0-7 7",
    "archive": "M3 5h18v4H3zM5 9v11h14V9M10 13h4",
    "trash": "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
    "star": "M12 3l2.8 5.8 6.2.8-4.5 4.4 1.1 6.3L12 17.3 6.4 20.3l1.1-6.3L3 9.6l6.2-.8z",
    "tag": "M3 12l9-9h8v8l-9 9zM16 8h.01",
    "edit": "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
    "check": "M5 12l5 5L20 7",
    "close": "M6 6l12 12M18 6L6 18",
    "down": "M6 9l6 6 6-6",
    "up": "M6 15l6-6 6 6",
    "left": "M15 5l-7 7 7 7",
    "right": "M9 5l7 7-7 7",
    "folder": "M3 6h7l2 3h9v10H3z",
    "file": "M6 3h9l4 4v14H6zM14 3v5h5",
    "share": "M12 15V3M8 7l4-4 4 4M5 12v8h14v-8",
    "inbox": "M4 5h16v14H4zM4 13h5l1 3h4l1-3h5",
    "send": "M4 12l16-8-6 17-3-7zM11 14l9-10",
    "flag": "M6 21V4h12l-3 4 3 4H6",
    "clip": "M8 12l6-6a3 3 0 0 1 5 5l-8 8a5 5 0 0 1-7-7l7-7",
    "clock": "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l4 2",
    "place": "M12 21s-7-6-7-11a7 7 0 0 1 14 0c0 5-7 11-7 11zM12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
    "dot": "M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
    "copy": "M8 8h12v12H8zM16 8V4H4v12h4",
    "box": "M4 8l8-4 8 4v9l-8 4-8-4zM4 8l8 4 8-4M12 12v9",
    "train": "M6 4h12v12H6zM6 10h12M8 20l2-4M16 20l-2-4M9 13h.01M15 13h.01",
    "hotel": "M3 19V6M3 15h18v4M21 15v-3a3 3 0 0 0-3-3H10v6M6 12a1.5 1.5 0 1 0 .01 0",
    "home": "M3 11 12 4l9 7M6 9.5V20h12V9.5M10 20v-6h4v6",
    "lighting": "M9 18h6M10 21h4M12 3a6 6 0 0 1 4 10c-1 1-1 2-1 3H9c0-1 0-2-1-3a6 6 0 0 1 4-10z",
    "furniture": "M7 3v9h10V3M6 12h12v4H6zM7 16v5M17 16v5",
    "electronics": "M4 5h16v11H4zM9 20h6M12 16v4",
    "stationery": "M5 4h12v16H5zM8 8h6M8 12h6M17 6l3 1-2 9",
    "kitchen": "M5 8h11v8a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4zM16 10h2a2 2 0 0 1 0 5h-2M8 5V3M12 5V3",
    "pin": "M9 3h6l-1 7 4 4H6l4-4zM12 14v7",
}


PICTURES: Final[Mapping[str, str]] = json.loads(
    (files(__package__ or "") / "pictures.json").read_bytes()
)
"""The paths that show goods, by kind."""


_LANGUAGES: Final[Mapping[str, Mapping[str, str]]] = json.loads(
    (files(__package__ or "") / "languages.json").read_bytes()
)
_LANGUAGE: Final = ContextVar("language", default="en")
_LONGEST: Final = 60


@contextmanager
def language(name: str) -> Generator[None]:
    """Write the interface in a language; what people have written stays as it is."""
    before = _LANGUAGE.set(name)
    try:
        yield
    finally:
        _LANGUAGE.reset(before)


def translated(text: str) -> str:
    """Return a text of the interface in the language; any other text is returned unchanged."""
    name = _LANGUAGE.get()
    return text if name == "en" or len(text) > _LONGEST else _translated(name, text)


@lru_cache(4096)
def _translated(name: str, text: str) -> str:
    words = _LANGUAGES[name]
    if text in words:
        return words[text]
    for known, form in words.items():
        begin, hole, end = known.partition("{}")
        if hole and text.startswith(begin) and text.endswith(end):
            inner = text.removeprefix(begin).removesuffix(end)
            return form.format(words.get(inner, inner))
    return text


def join(*children: Child) -> Markup:
    """Return children one after the other, texts escaped.

    >>> join("a < b", tag("br"), None, ["c", "d"])
    Markup('a &lt; b<br>cd')
    """
    written: list[str] = []
    _write(children, written)
    return Markup("".join(written))


def tag(name: str, /, *children: Child, **attributes: Value) -> Markup:
    """Return an element; a trailing underscore in an attribute's name goes, inner ones are hyphens.

    >>> tag("label", "Day", for_="day", data_x=1, hidden=False)
    Markup('<label for="day" data-x="1">Day</label>')
    """
    written = ["<", name]
    for key, value in attributes.items():
        if value is True:
            written += " ", _hyphened(key)
        elif value is not None and value is not False:
            written += " ", _hyphened(key), '="', _escaped(value), '"'
    written.append(">")
    if name not in _VOID:
        _write(children, written)
        written += "</", name, ">"
    return Markup("".join(written))


def div(kind: str, /, *children: Child, **attributes: Value) -> Markup:
    """Return a `div` of a class."""
    return tag("div", *children, class_=kind, **attributes)


def span(kind: str, /, *children: Child, **attributes: Value) -> Markup:
    """Return a `span` of a class."""
    return tag("span", *children, class_=kind, **attributes)


@cache
def icon(name: str, size: int = 18, *, filled: bool = False) -> Markup:
    """Return an icon, drawn with strokes of the text's color."""
    return drawing(_ICONS[name], size, filled=filled)


def drawing(path: str, size: int, *, filled: bool = False) -> Markup:
    """Return a path in a square of 24 units, drawn with strokes of the text's color."""
    fill = "currentColor" if filled else "none"
    return Markup(
        f'<svg width="{size}" height="{size}" viewBox="0 0 24 24" fill="{fill}" '
        'stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" '
        f'aria-hidden="true"><path d="{path}"/></svg>'
    )


def _write(children: Iterable[Child], written: list[str]) -> None:
    # Plain texts, joined once: Markup would escape them again in each call.
    for child in children:
        if isinstance(child, Markup):
            written.append(child)
        elif isinstance(child, str):
            written.append(_escaped(translated(child)))
        elif child is not None:
            _write(child, written)


def _escaped(value: str | int) -> str:
    # Most texts hold nothing to escape, and to look for it is faster than to make a Markup.
    if type(value) is str and not _special(value):
        return value
    return str.__str__(escape(value))


@cache
def _hyphened(name: str) -> str:
    return name.rstrip("_").replace("_", "-")

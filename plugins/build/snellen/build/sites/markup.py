"""HTML as a value: all texts are escaped and all tags are closed."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Text that is already HTML and is not escaped."""

    __slots__ = ()


Child: TypeAlias = str | Iterable["Child"] | None
"""A text, which is escaped; HTML, which is not; None for nothing; or several of these."""

Value: TypeAlias = str | int | bool | None
"""The value of an attribute: true writes only its name; false and None leave it out."""


def join(*children: Child) -> Html:
    """Concatenate children and escape their texts.

    >>> join("a < b", tag("br"), None, ["c", "d"])
    'a &lt; b<br>cd'
    """
    return Html("".join(_parts(children)))


def tag(name: str, /, *children: Child, **attributes: Value) -> Html:
    """Return an element.

    In the names of attributes, a trailing underscore is removed and inner ones become hyphens.

    >>> tag("label", "Day", for_="day", aria_label="The day", hidden=False)
    '<label for="day" aria-label="The day">Day</label>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(*children)}</{name}>")


def _parts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            yield child if isinstance(child, Html) else escape(child, quote=False)
        else:
            yield from _parts(child)


def _attribute(name: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'

"""A page of ten links, and the titles of where they lead."""

from collections.abc import Sequence
from typing import Any

from snellen.build.screen.elements import Element

NAMES = ("Home", "News", "Shoes", "Boots", "Jobs", "Press", "Help", "Basket", "Stores", "Blog")
TITLES = (
    "Start",
    "Latest",
    "Runners",
    "Hikers",
    "Careers",
    "Media",
    "Support",
    "Cart",
    "Near",
    "Log",
)


def link(place: int, name: str, *, top: float = 20.0, step: float = 50.0, **more: Any) -> Element:
    """Return a link; places are counted from a first one."""
    upper = top + step * place
    given: dict[str, Any] = {"role": "link", "text": name, "own": name, "id": place, "tag": "a"}
    given |= {"box": (20.0, upper, 120.0, upper + 30.0), "href": f"/{name}.html", **more}
    return Element(**given)


def links(names: Sequence[str] = NAMES, *, top: float = 20.0, step: float = 50.0) -> list[Element]:
    """Return a link for each name, one below another."""
    return [link(place, name, top=top, step=step) for place, name in enumerate(names)]

"""A browser for the tests that need one, and pages written for each test."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from inked import inked

from snellen.build.browser.session import Session
from snellen.build.pages import Page
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Captured, Snapshot
from snellen.tasks.browser.settings import BrowserSettings

MakePage = Callable[..., Page]
Freeze = Callable[..., Snapshot]
WIDTH, HEIGHT = 1280, 1400


class HandMade:
    """A page that is put together part by part."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.facts: list[dict[str, Any]] = []

    def add(self, text: str = "", tag: str = "p", **fields: Any) -> int:
        place = len(self.elements)
        top = 10 + 20 * place
        box = fields.pop("box", (100, top, 300, top + 16))
        shown: dict[str, Any] = {"text": text, "own": text, "landmark": "main", **fields}
        self.elements.append(Element(place, tag, box, **shown))
        return place

    def table(self, headers: list[str], *rows: list[str], caption: str = "") -> "HandMade":
        cells = [
            [self.add(text, "td", role="cell") if text else None for text in row] for row in rows
        ]
        self.facts.append(
            {
                "kind": "table",
                "caption": caption,
                "element": None,
                "headers": headers,
                "header_cells": [self.add(text, "th") for text in headers],
                "rows": [*rows],
                "cells": cells,
            }
        )
        return self

    def pairs(self, landmark: str = "main", **values: str) -> "HandMade":
        found: list[dict[str, Any]] = []
        for name, value in values.items():
            label = name.replace("_", " ")
            place = self.add(label, "dt", landmark=landmark)
            element = self.add(value, "dd", landmark=landmark)
            found.append(
                {"label": label, "value": value, "label_element": place, "element": element}
            )
        self.facts.append({"kind": "pairs", "caption": "", "element": None, "pairs": found})
        return self

    def prices(self, **values: str) -> "HandMade":
        found: list[dict[str, Any]] = []
        for name, price in values.items():
            place, element = self.add(name, "h3", role="heading", level=3), self.add(price)
            found.append({"name": name, "price": price, "name_element": place, "element": element})
        self.facts.append({"kind": "prices", "caption": "", "element": None, "items": found})
        return self


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """Start one browser for a module's tests: Playwright allows no second one in a thread."""
    with Session(BrowserSettings(load_seconds=20, page_seconds=60)) as session:
        yield session


@pytest.fixture
def make_page(tmp_path: Path) -> MakePage:
    """Write a page, with other files beside it, into its own site."""

    def make(
        html: str | bytes, files: Mapping[str, str | bytes] | None = None, path: str = "index.html"
    ) -> Page:
        root = tmp_path / "site"
        for name, body in {**(files or {}), path: html}.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body if isinstance(body, bytes) else body.encode())
        return Page("shop", "index", root, Path(path))

    return make


@pytest.fixture
def blank() -> type[HandMade]:
    """An empty page, to put parts on."""
    return HandMade


@pytest.fixture
def freeze(tmp_path: Path) -> Freeze:
    """Write a hand-made page as a snapshot."""
    numbers = iter(range(1000))

    def make(page: HandMade, site: str = "shop", name: str = "index", **screen: Any) -> Snapshot:
        folder = tmp_path / "snapshots" / f"{next(numbers)}"
        fields: dict[str, Any] = {"language": "en", **screen}
        shown = Screen(WIDTH, HEIGHT, tuple(page.elements), **fields)
        return frozen(folder, Captured(name, site, "x.html", shown, facts=tuple(page.facts)))

    return make


def frozen(folder: Path, captured: Captured) -> Snapshot:
    folder.mkdir(parents=True)
    shade = sum(map(ord, captured.site + captured.page)) % 256
    screen = captured.screen
    png = inked(screen.elements, (screen.width, screen.height), f"rgb({shade}, 200, 99)")
    (folder / "screen.png").write_bytes(png)
    (folder / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    return Snapshot(folder)

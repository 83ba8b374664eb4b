"""Snapshots: all that a browser was needed for, frozen on disk, so that items are made without one.

    snapshots/shop.example/index/
        snapshot.json       the screen's elements, what was changed, what clicks led to
        page.html           the page as the browser had it
        screen.png          its image
        changes/NAME.png    its image after a change

In `page.html` an element of the screen carries its id in `data-snellen-id`.

A fact is one of these, told apart by `kind`. Texts are what the screen shows, in full; where
`element` and the like hold ids of the screen's elements, None stands for what is none of them.

    {"kind": "table", "caption", "element", "headers": [text], "header_cells": [id],
     "rows": [[text]], "cells": [[id]], "partial"}       each row as long as the headers; an empty
                                                         text: nothing, a picture, or cut off;
                                                         partial: it has rows that are not shown
    {"kind": "pairs", "caption", "element",
     "pairs": [{"label", "value", "label_element", "element"}]}
                                                         definition lists, tables of two columns
                                                         without headers, lines `Label: value`
    {"kind": "prices", "caption", "element",
     "items": [{"name", "price", "name_element", "element"}]}
                                                         prices of cards or rows side by side
    {"kind": "contact", "label": "phone" or "email", "value", "element"}
    {"kind": "menu", "element", "current": label or "",
     "items": [{"label", "element"}]}                    links in a row or a column, in order; the
                                                         current one looks like no other
    {"kind": "chart", "caption", "element",
     "items": [{"label", "value", "label_element", "element"}]}
                                                         an SVG whose values are written

The caption is the table's own or its figure's, else the heading before it, or empty.
"""

from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from snellen.grading.errors import DataError
from snellen.tasks.builder.screen.elements import Element, Screen
from snellen.tasks.builder.screen.seen import decoded
from snellen.tasks.pack.folders import new_folder

if TYPE_CHECKING:
    from snellen.tasks.builder.screen.seen import Pixels

SNAPSHOT = "snapshot.json"
PAGE = "page.html"
SCREEN = "screen.png"
CHANGES = "changes"


class ChangedElement(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a change did to one element: its id, what it was, and what it is (None: gone)."""

    id: int
    before: Element
    after: Element | None = None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """The page after a perturbation that keeps what it promises.

    Attributes:
        task: Which task it is for: `webrssbench/color`, `webrssbench/text`, `webrssbench/layout`,
            or `webrssbench/hint_text` and `webrssbench/form_filling` where a placeholder was
            taken away.
        mode: The kind: `partial`, `all`, `low_contrast`; the operators of a text or layout edit.
        image: The file of its image, below the folder of changes.
        width: Of the image, in pixels.
        height: Of the image, in pixels.
        seed: What its choices were drawn from.
        pixels: How many pixels differ from the page at rest; never 0.
        elements: What it did to which elements.
        record: The parameters: shares, colors, contrasts, operators, texts.
    """

    task: str
    mode: str
    image: str
    width: int
    height: int
    seed: int
    pixels: int
    elements: tuple[ChangedElement, ...] = ()
    record: Mapping[str, Any] = {}


class Dropped(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change that the page could not carry, or that broke a promise.

    Attributes:
        task: The task that it was for.
        mode: Its kind.
        reason: One of few, so that it can be counted.
        detail: What an error said.
    """

    task: str
    mode: str
    reason: str
    detail: str = ""


class Click(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a click on an element led to.

    Attributes:
        element: The element's id.
        title: The title of where it led; empty where nothing changed.
        href: Where that is, within the site.
        outcome: `page` (another page), `title` (the same page, another title), `same`, `popup`,
            `dialog`, `download`, `outside`, `failed`.
    """

    element: int
    title: str
    href: str = ""
    outcome: str = "page"


class Captured(msgspec.Struct, frozen=True, omit_defaults=True):
    """What `snapshot.json` holds.

    Attributes:
        page: What items call the page: a code, since its name may answer questions about it.
        site: What items call the site, likewise.
        source: The site's name and the file in it that the page was captured from.
        screen: The page at rest.
        generated: Whether the page generator wrote it.
        changes: Its perturbations.
        dropped: Perturbations that were tried and are not kept.
        clicks: What clicks led to.
        facts: What the page says as data: tables, definition lists and the like, as the
            extraction found them, for questions with exact answers.
        digests: SHA-256 of each file beside this one.
        stable: Whether two renders gave the same image.
        seed: What its changes were drawn from.
        browser: The browser that it was seen in, with its version.
        problems: What could not be done with it, and why.
    """

    page: str
    site: str
    source: str
    screen: Screen
    generated: bool = False
    changes: tuple[Change, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    clicks: tuple[Click, ...] = ()
    facts: tuple[Mapping[str, Any], ...] = ()
    digests: Mapping[str, str] = {}
    stable: bool = True
    seed: int = 0
    browser: str = ""
    problems: tuple[str, ...] = ()


class Snapshot:
    """One page as it was frozen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / SNAPSHOT
        try:
            self.captured = msgspec.json.decode(file.read_bytes(), type=Captured)
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", file=str(file)) from error
        except msgspec.DecodeError as error:
            raise DataError(f"is no snapshot: {error}", file=str(file)) from error

    @property
    def id(self) -> str:
        """The site and the page: unique in a build."""
        return f"{self.captured.site}/{self.captured.page}"

    @property
    def screen(self) -> Screen:
        """The page at rest."""
        return self.captured.screen

    @cached_property
    def pixels(self) -> "Pixels":
        """The image of the page at rest, decoded."""
        return decoded(self.image())

    def image(self, change: Change | None = None) -> bytes:
        """Return the PNG of the page at rest, or after a change."""
        name = SCREEN if change is None else f"{CHANGES}/{change.image}"
        file = self.folder / name
        try:
            return file.read_bytes()
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", file=str(file)) from error


def write_snapshot(folder: Path, captured: Captured, files: Mapping[str, bytes]) -> Snapshot:
    """Write a snapshot and return it.

    Args:
        folder: Where to; must not exist, or be empty.
        captured: What it says; its digests are made here.
        files: The bytes of its other files, by their paths in the folder.

    Raises:
        InputError: The folder holds something, or can't be written.
    """
    digests = {name: sha256(body).hexdigest() for name, body in sorted(files.items())}
    said = msgspec.json.encode(
        msgspec.structs.replace(captured, digests=digests), order="deterministic"
    )
    with new_folder(folder) as room:
        for name, body in files.items():
            path = room / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        (room / SNAPSHOT).write_bytes(msgspec.json.format(said, indent=1) + b"\n")
    return Snapshot(folder)

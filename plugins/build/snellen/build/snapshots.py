"""Snapshots: everything that needs a browser, frozen on disk; items are made without a browser.

    snapshots/shop.example/index/
        snapshot.json       the screen's elements, the changes, the targets of clicks
        page.html           the page's markup in the browser
        screen.png          its image
        changes/NAME.png    its image after a change

In `page.html`, elements of the screen have their id in the attribute `data-snellen-id`.

A fact is one of the following records; `kind` distinguishes them. Texts are complete and as
displayed. Fields such as `element` are ids of the screen's elements; None if there is no such
element.

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

from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.seen import decoded
from snellen.grading.errors import DataError
from snellen.tasks.pack.folders import new_folder

if TYPE_CHECKING:
    from snellen.build.screen.seen import Pixels

SNAPSHOT = "snapshot.json"
PAGE = "page.html"
SCREEN = "screen.png"
CHANGES = "changes"


class ChangedElement(msgspec.Struct, frozen=True, omit_defaults=True):
    """The effect of a change on one element: its id, before, and after (None: removed)."""

    id: int
    before: Element
    after: Element | None = None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """The page after a perturbation whose effect was checked.

    Attributes:
        task: The task: `webrssbench/color`, `webrssbench/text`, `webrssbench/layout`, or
            `webrssbench/hint_text` and `webrssbench/form_filling` if a placeholder was removed.
        mode: The kind: `partial`, `all`, `low_contrast`; the operators of a text or layout edit.
        image: The file of its image, relative to the folder of changes.
        width: Of the image, in pixels.
        height: Of the image, in pixels.
        seed: The seed of its choices.
        pixels: The number of pixels that differ from the page at rest; never 0.
        elements: The changed elements.
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
    """A change that the page could not carry, or that failed a check."""

    task: str
    mode: str  # its kind
    reason: str  # one of few, so that it can be counted
    detail: str = ""  # the text of an error


class Click(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of a click on an element.

    Attributes:
        element: The element's id.
        title: The title of the target; empty if nothing changed.
        href: The address of the target, within the site.
        outcome: `page` (another page), `title` (the same page, another title), `same`, `popup`,
            `dialog`, `download`, `outside`, `failed`.
        headings: The headings that another page shows; None if they were not read.
    """

    element: int
    title: str
    href: str = ""
    outcome: str = "page"
    headings: str | None = None


class Captured(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of `snapshot.json`.

    Attributes:
        page: The name of the page in items: a code, since its name may answer questions.
        site: The name of the site in items, likewise.
        source: The site's name and the page's file in it.
        screen: The page at rest.
        generated: Whether the page generator wrote it.
        changes: Its perturbations.
        dropped: Perturbations that were tried and rejected.
        clicks: The results of clicks.
        facts: The page's data (tables, definition lists and the like) as extracted, for questions
            with exact answers.
        digests: SHA-256 of each file beside this one.
        stable: Whether two renders gave the same image.
        seed: The seed of its changes.
        browser: The browser that rendered it, with its version.
        problems: The failed steps and the reasons.
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
    """One frozen page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / SNAPSHOT
        try:
            self.captured = msgspec.json.decode(file.read_bytes(), type=Captured)
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", file=str(file)) from error
        except msgspec.DecodeError as error:
            raise DataError(f"is not a snapshot: {error}", file=str(file)) from error

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
        folder: The folder to write; must not exist, or be empty.
        captured: Its data; the digests are computed here.
        files: The bytes of the other files, by their paths in the folder.

    Raises:
        InputError: The folder is not empty, or can't be written.
    """
    digests = {name: sha256(body).hexdigest() for name, body in sorted(files.items())}
    encoded = msgspec.json.encode(
        msgspec.structs.replace(captured, digests=digests), order="deterministic"
    )
    with new_folder(folder) as room:
        for name, body in files.items():
            path = room / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        (room / SNAPSHOT).write_bytes(msgspec.json.format(encoded, indent=1) + b"\n")
    return Snapshot(folder)

"""Code shared by all writers: files of rows, images, and the data of items beside their rows."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import msgspec

from snellen.build.chance import draw
from snellen.build.items import Made, PageItems
from snellen.grading.errors import DataError
from snellen.tasks.pack.folders import new_folder

SIDE_FILE = "made.jsonl"
TEMPLATES = 5
"""No question template has more than one part in so many of a task's items."""


class Side(msgspec.Struct, frozen=True):
    """The data of an item beside its row."""

    task: str  # the task's id
    item: str  # the id that the loader gives the item
    page: str  # the page's name
    site: str  # the site's name
    tags: Mapping[str, str] = {}  # groups for reports
    record: Mapping[str, Any] = {}  # details for checks


def side_of(page: PageItems, one: Made, item: str, task: str | None = None) -> Side:
    """Return the side data of an item.

    Args:
        page: The page.
        one: The item.
        item: The id that the loader gives it.
        task: The task that reads it, if it differs from the task it was made for.
    """
    return Side(task or one.task, item, page.page, page.site, one.tags, one.record)


def write_sides(sides: Iterable[Side], folder: Path) -> None:
    """Write a line for each item; equal items give equal bytes."""
    lines = [msgspec.json.encode(side, order="sorted") + b"\n" for side in sides]
    (folder / SIDE_FILE).write_bytes(b"".join(lines))


def read_sides(folder: Path) -> Sequence[Side]:
    """Read the side data of the items in a folder.

    Raises:
        DataError: The file is missing or was changed.
    """
    file = folder / SIDE_FILE
    try:
        return msgspec.json.Decoder(Side).decode_lines(file.read_bytes())
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", file=str(file)) from error
    except msgspec.DecodeError as error:
        raise DataError(f"was changed or is damaged: {error}", file=str(file)) from error


def bounded(templates: Mapping[str, str], seed: int) -> Set[str]:
    """Draw items so that each question template has at most a fifth of them.

    With fewer than five templates, each has equally many. Each template keeps at least one item.

    Args:
        templates: The template of each item.
        seed: The seed of random choices.

    >>> kept = bounded({"a1": "a", "a2": "a", "b1": "b"}, 0)
    >>> len(kept), "b1" in kept
    (2, True)
    """
    items: dict[str, list[str]] = {}
    for item, template in templates.items():
        items.setdefault(template, []).append(item)
    sizes = list(map(len, items.values()))
    parts = min(TEMPLATES, len(sizes))
    able = (
        most
        for most in range(1, max(sizes, default=0) + 1)
        if parts * most <= sum(min(size, most) for size in sizes)
    )
    most = max(able, default=0)
    return {
        item
        for listed in items.values()
        for item in sorted(listed, key=lambda item: draw(seed, item, "template").random())[:most]
    }


def write_images(item: Made, folder: Path) -> None:
    """Write an item's images by their names into a folder; images with one name are equal."""
    for name in item.images:
        file = folder / name
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(item.images[name])


def write_rows(
    pages: Sequence[PageItems],
    folder: Path,
    tasks: Container[str],
    file_of: Callable[[str], str],
    sides_of: Callable[[PageItems, Made], Iterable[Side]],
    encode: Callable[[Sequence[Mapping[str, Any]]], bytes],
) -> None:
    """Write the items of some tasks: files of rows, images and side data.

    Items of other tasks are ignored. Equal items give equal bytes.

    Args:
        pages: The items of the pages.
        folder: The folder to write; must not exist, or be empty.
        tasks: The tasks whose items are written.
        file_of: Returns the file of a task's rows.
        sides_of: Returns the side data of the items that the loader makes from one.
        encode: Returns a file's bytes.

    Raises:
        DataError: An image of an item is missing.
        InputError: It can't be written.
    """
    rows: dict[str, list[Mapping[str, Any]]] = {}
    sides: list[Side] = []
    with new_folder(folder) as room:
        for page in pages:
            for item in page.made:
                if item.task in tasks:
                    rows.setdefault(file_of(item.task), []).append(item.row)
                    sides += sides_of(page, item)
                    write_images(item, room)
        for name, own in rows.items():
            (room / name).write_bytes(encode(own))
        write_sides(sides, room)


def as_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows as JSON Lines with sorted keys."""
    return b"".join(msgspec.json.encode(row, order="sorted") + b"\n" for row in rows)


def as_json(value: object) -> bytes:
    """Return a value as indented JSON with sorted keys."""
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1) + b"\n"

"""What all writers share: files of rows, images, and what is known of each item beside its row."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from snellen.grading.errors import DataError
from snellen.tasks.builder.items import Made, PageItems
from snellen.tasks.pack.folders import new_folder

SIDE_FILE = "made.jsonl"


class Side(msgspec.Struct, frozen=True):
    """One item.

    Attributes:
        task: The task's id.
        item: The id that the loader gives the item.
        page: The page's name.
        site: The site's name.
        tags: What it can be grouped by, by those who read a report.
        record: What was done.
    """

    task: str
    item: str
    page: str
    site: str
    tags: Mapping[str, str] = {}
    record: Mapping[str, Any] = {}


def side_of(page: PageItems, one: Made, item: str, task: str | None = None) -> Side:
    """Return what is known of an item that was made of a page.

    Args:
        page: The page.
        one: What was made.
        item: The id that the loader gives it.
        task: The task that reads it, where that is not the one that it was made for.
    """
    return Side(task or one.task, item, page.page, page.site, one.tags, one.record)


def write_sides(sides: Iterable[Side], folder: Path) -> None:
    """Write a line for each item, the same bytes for equal items."""
    lines = [msgspec.json.encode(side, order="sorted") + b"\n" for side in sides]
    (folder / SIDE_FILE).write_bytes(b"".join(lines))


def read_sides(folder: Path) -> Sequence[Side]:
    """Read what is known of the items of a folder of data.

    Raises:
        DataError: It is not there, or not as it was written.
    """
    file = folder / SIDE_FILE
    try:
        return msgspec.json.Decoder(Side).decode_lines(file.read_bytes())
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", file=str(file)) from error
    except msgspec.DecodeError as error:
        raise DataError(f"is not as it was written: {error}", file=str(file)) from error


def write_images(item: Made, folder: Path) -> None:
    """Write an item's images below a folder, by their names; images of one name are the same."""
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
    """Write the items of some tasks: files of rows, their images, and what is known of each.

    Items of other tasks are left out. Equal items give equal bytes.

    Args:
        pages: What was made.
        folder: Where to; must not exist, or be empty.
        tasks: Those whose items are written.
        file_of: Returns the file of a task's rows.
        sides_of: Returns what is known of the items that the loader makes of one.
        encode: Returns a file's bytes.

    Raises:
        DataError: An image of an item is gone.
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
    """Return rows as JSON Lines, keys in order."""
    return b"".join(msgspec.json.encode(row, order="sorted") + b"\n" for row in rows)


def as_json(value: object) -> bytes:
    """Return a value as indented JSON, keys in order."""
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1) + b"\n"

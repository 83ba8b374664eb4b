"""What is known of each item beside its published row: the side file of a folder of data."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from snellen.grading.errors import DataError
from snellen.tasks.builder.items import Made, PageItems

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
    encoder = msgspec.json.Encoder(order="sorted")
    lines = [encoder.encode(side) + b"\n" for side in sides]
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


def write_images(one: Made, folder: Path) -> None:
    """Write an item's images below a folder, by their names; images of one name are the same."""
    for name in one.images:
        file = folder / name
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(one.images[name])

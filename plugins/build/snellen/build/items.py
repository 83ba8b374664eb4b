"""Items of one page: rows in the benchmark's published layout, or the reason for none.

A maker gets one snapshot and its own source of random choices. It returns rows of the benchmark's
data as our loader reads them. Prompts, forms of answers, scoring and coordinate spaces are
therefore those of the published benchmark. Items are made once and read again without their images:

made/shop.example/index/
    made.jsonl          a line for each item, and for each task that the page can't carry
    images/DIGEST.png
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

import msgspec

from snellen.build.chance import draw
from snellen.build.snapshots import Snapshot
from snellen.grading.errors import DataError
from snellen.tasks.pack.folders import new_folder

PAGES = "pages"
"""The tag that says whether an item's page is `generated` or `real`."""

_LINES = "made.jsonl"
_IMAGES = "images"


class Made(NamedTuple):
    """One item.

    Attributes:
        task: The task's id.
        row: The item in the published layout, with its reference; it names images by the keys of
            `images`.
        images: The PNG of each image, by a name that is unique in the task.
        tags: Groups for reports: difficulty, language, how it was made.
        record: Details for checks: the element, the box in pixels, operators.
    """

    task: str
    row: Mapping[str, Any]
    images: Mapping[str, bytes]
    tags: Mapping[str, str] = {}
    record: Mapping[str, Any] = {}


class Refused(NamedTuple):
    """The reason why a page gives no item of a task; one of few, so that it can be counted."""

    task: str
    reason: str


Maker: TypeAlias = Callable[[Snapshot, Random], Iterable[Made | Refused]]
"""Makes the items of one task from one page."""


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    task: str
    refused: str = ""
    row: Mapping[str, Any] = {}
    images: Mapping[str, str] = {}
    tags: Mapping[str, str] = {}
    record: Mapping[str, Any] = {}


class PageItems(NamedTuple):
    """The items of one page; images are read on access."""

    site: str
    page: str
    made: Sequence[Made]
    refused: Sequence[Refused]


class _Stored(Mapping[str, bytes]):
    """Images by name, each read from its file."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self._folder = folder
        self._files = files

    def __getitem__(self, name: str) -> bytes:
        file = self._folder / f"{self._files[name]}.png"
        try:
            return file.read_bytes()
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", file=str(file)) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def make_items(
    snapshot: Snapshot, makers: Mapping[str, Maker], seed: int, folder: Path
) -> PageItems:
    """Make the items of a page and write them, all or nothing.

    Args:
        snapshot: The page.
        makers: The makers by name; the name seeds a maker's random choices.
        seed: The seed of random choices.
        folder: The folder to write; must not exist.

    Raises:
        InputError: It can't be written.
    """
    encoder = msgspec.json.Encoder(order="sorted")
    origin = "generated" if snapshot.captured.generated else "real"
    with new_folder(folder) as room:
        (room / _IMAGES).mkdir()
        with (room / _LINES).open("wb") as file:
            for name, maker in makers.items():
                for result in maker(snapshot, draw(seed, snapshot.id, name)):
                    if isinstance(result, Made):
                        result = result._replace(tags={**result.tags, PAGES: origin})
                    file.write(encoder.encode(_line(result, room / _IMAGES)) + b"\n")
    return read_items(folder, snapshot.captured.site, snapshot.captured.page)


def read_items(folder: Path, site: str, page: str) -> PageItems:
    """Read the items of a page.

    Raises:
        DataError: The file is missing or was changed.
    """
    file = folder / _LINES
    made: list[Made] = []
    refused: list[Refused] = []
    try:
        lines = msgspec.json.Decoder(_Line).decode_lines(file.read_bytes())
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", file=str(file)) from error
    except msgspec.DecodeError as error:
        raise DataError(f"was changed or is damaged: {error}", file=str(file)) from error
    for line in lines:
        if line.refused:
            refused.append(Refused(line.task, line.refused))
        else:
            images = _Stored(folder / _IMAGES, line.images)
            made.append(Made(line.task, line.row, images, line.tags, line.record))
    return PageItems(site, page, made, refused)


def without(
    pages: Sequence[PageItems], out: Set[tuple[int, int]], refusal: Refused
) -> Sequence[PageItems]:
    """Remove items by (page index, item index) and record a refusal for each."""
    return [
        page._replace(
            made=[item for place, item in enumerate(page.made) if (number, place) not in out],
            refused=[*page.refused, *(refusal for at, _ in sorted(out) if at == number)],
        )
        for number, page in enumerate(pages)
    ]


def _line(one: Made | Refused, images: Path) -> _Line:
    if isinstance(one, Refused):
        return _Line(one.task, refused=one.reason)
    return _Line(
        one.task,
        row=one.row,
        images=dict(_kept(one.images.items(), images)),
        tags=one.tags,
        record=one.record,
    )


def _kept(images: Iterable[tuple[str, bytes]], folder: Path) -> Iterator[tuple[str, str]]:
    for name, png in images:
        digest = sha256(png).hexdigest()
        file = folder / f"{digest}.png"
        if not file.exists():
            file.write_bytes(png)
        yield name, digest

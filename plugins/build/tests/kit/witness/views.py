"""The input of a check: an item with its record, its pictures, and its page if known."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.build.questions.text import folded, one_line
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Change
from snellen.grading.metrics.boxes import Ltrb, iou
from snellen.grading.protocols.golds import Target, known_box
from snellen.tasks.benchmarks.matrix.rules.golds import MatrixGold
from snellen.tasks.item_audit.items import AuditItem
from snellen.tasks.item_audit.pictures import Pixels, number_of, pixels_of
from witness.builds import FrozenPage
from witness.faults import Evidence

_OPENS, _CLOSES = re.compile(r"[“„«「]"), re.compile(r"[”“»」]")
_QUOTED = re.compile(r"“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」")

SAME_BOX = 0.8
"""Two boxes with at least this intersection over union are the same."""

COLORS = ("#d6001c", "#0b57d0", "#0a7d33", "#a3007f", "#b34700", "#5b21b6", "#00707a", "#3d3d3d")
"""The colors of boxes lettered from A."""

RED = "#ff0000"
"""The color of a single box."""

_CELL = 6
_CANDIDATES = 3
_MOST_MARKED = 0.1


def color_number(color: str) -> int:
    """Return the number of the pixels of a color such as `#d6001c`."""
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return number_of((red, green, blue))


MARKS = np.array([color_number(color) for color in (RED, *COLORS)], dtype=np.uint32)
"""The pixel values of marks."""


@dataclass(frozen=True)
class Sight:
    """The data of one page that its items share.

    Attributes:
        page: The frozen page; None without a build, or if the build lacks it.
        pictures: The pixels of the items' pictures, by digest.
        items: The items.
        titles: The titles of the build's pages, each captured by itself, by their files.
    """

    page: FrozenPage | None
    pictures: Mapping[str, Pixels] = field(repr=False)
    items: Sequence[AuditItem] = field(repr=False)
    titles: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    _changes: dict[str, Pixels] = field(default_factory=dict[str, Pixels], repr=False)

    def picture(self, item: AuditItem, name: str) -> Pixels | None:
        """Return an item's picture; None if it has none of that name."""
        place = item.line.images.get(name)
        return None if place is None else self.pictures.get(place.sha256)

    def changed(self, change: Change) -> Pixels | None:
        """Return the frozen page after a change."""
        if self.page is None:
            return None
        if change.image not in self._changes:
            self._changes[change.image] = self._decoded(self.page.snapshot.image(change))
        return self._changes[change.image]

    @cached_property
    def rest(self) -> Pixels | None:
        """The page at rest: the frozen one, or else the picture that most items agree with."""
        if self.page is not None:
            return self._decoded(self.page.snapshot.image())
        return self._agreed()

    def _decoded(self, png: bytes) -> Pixels:
        """Return an image's pixels; most are pictures of an item, which are decoded already."""
        pixels = self.pictures.get(sha256(png).hexdigest())
        return pixels_of(png) if pixels is None else pixels

    def _agreed(self) -> Pixels | None:
        shown = [
            digest
            for item in self.items
            if shows_rest(item)
            for image in item.line.item.images[:1]
            if (digest := item.line.images[image.name].sha256) in self.pictures
        ]
        votes = Counter(shown)

        def order(digest: str) -> tuple[int, int]:
            return -votes[digest], int(np.count_nonzero(np.isin(self.pictures[digest], MARKS)))

        agreed = {
            one: sum(
                count
                for other, count in votes.items()
                if one == other or not unexplained(self.pictures[other], self.pictures[one]).any()
            )
            for one in sorted(votes, key=order)[:_CANDIDATES]
        }
        best = max(agreed.values(), default=0)
        winners = [digest for digest, count in agreed.items() if count == best]
        # Two equally good pictures that differ decide nothing; a single one has no second witness.
        return self.pictures[winners[0]] if best > 1 and len(winners) == 1 else None


def shows_rest(item: AuditItem) -> bool:
    """Whether an item's first picture is its whole page at rest, apart from marks."""
    record = record_of(item)
    changed = item.tags.get("state") == "after" or record.get("removed") is True
    return not (
        changed
        or item.task == "webrssbench/hint_text"
        or record.get("chart")
        or record.get("window")
    )


def unexplained(own: Pixels, base: Pixels) -> NDArray[np.bool_]:
    """Return a mask of the pixels in which a picture differs from another other than by marks.

    A mark has one of few colors; a letter is white on such a plate.
    """
    if own.shape != base.shape:
        return np.ones(own.shape, dtype=np.bool_)
    differs = own != base
    if not 0 < np.count_nonzero(differs) <= _MOST_MARKED * differs.size:
        return differs
    rows, columns = np.divmod(np.flatnonzero(differs), own.shape[1])
    marked = np.isin(own[rows, columns], MARKS)
    # Cells with a mark in them or beside them contain what is drawn with it.
    cells = np.zeros((own.shape[0] // _CELL + 3, own.shape[1] // _CELL + 3), dtype=np.bool_)
    for down in range(3):
        for across in range(3):
            cells[rows[marked] // _CELL + down, columns[marked] // _CELL + across] = True
    drawn = cells[rows // _CELL + 1, columns // _CELL + 1]
    differs[rows[drawn], columns[drawn]] = False
    return differs


def record_of(item: AuditItem) -> Mapping[str, Any]:
    """Return an item's record; empty if there is none."""
    record: object = item.record
    return cast("Mapping[str, Any]", record) if isinstance(record, Mapping) else {}


@dataclass(frozen=True)
class View:
    """An item with its page.

    Attributes:
        item: The item.
        sight: The data of its page.
    """

    item: AuditItem
    sight: Sight

    @property
    def task(self) -> str:
        """The task's id."""
        return self.item.task

    @property
    def key(self) -> tuple[str, str]:
        """The task's and the item's id."""
        return self.item.task, self.item.item

    @property
    def prompt(self) -> str:
        return self.item.line.item.prompt

    @property
    def quoted(self) -> list[str]:
        """The quoted texts of the question, with the quotation marks of any language."""
        return ["".join(groups) for groups in _QUOTED.findall(self.prompt)]

    @property
    def spans(self) -> list[str]:
        """The texts from a quotation mark to a later one: a quoted name may quote another."""
        text, opens = self.prompt, [mark.end() for mark in _OPENS.finditer(self.prompt)]
        return [text[start : m.start()] for start in opens for m in _CLOSES.finditer(text, start)]

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The item's record; empty if there is none."""
        return record_of(self.item)

    @property
    def screen(self) -> Screen | None:
        """The page's elements; None without a build."""
        page = self.sight.page
        return None if page is None else page.snapshot.screen

    @property
    def picture(self) -> Pixels | None:
        """The first picture."""
        images = self.item.line.item.images
        return self.sight.picture(self.item, images[0].name) if images else None

    @property
    def size(self) -> tuple[float, float] | None:
        """The width and height of the first picture, in pixels."""
        images = self.item.line.item.images
        if images and images[0].width and images[0].height:
            return images[0].width, images[0].height
        return None

    @cached_property
    def kind(self) -> str:
        """The kind of the question, from its record or tags."""
        recorded = self.record.get("question", self.item.tags.get("kind", ""))
        return str(recorded or self.item.tags.get("question", ""))

    @cached_property
    def matrix(self) -> MatrixGold | None:
        """Its reference, if it is one of the matrix's."""
        return self.item.gold if isinstance(self.item.gold, MatrixGold) else None

    @property
    def right_text(self) -> str | None:
        """The text of the only correct option."""
        right = [
            self.item.options[index] for index in self.item.right if index < len(self.item.options)
        ]
        return right[0] if len(right) == 1 else None

    @cached_property
    def elements(self) -> list[Element]:
        """The elements in the record; empty without a build."""
        screen = self.screen
        if screen is None:
            return []
        named: object = self.record.get("elements", self.record.get("element"))
        if isinstance(named, Mapping):
            named = list(cast("Mapping[str, object]", named).values())
        ids = cast("list[object]", named) if isinstance(named, list) else [named]
        whole = [number for number in ids if isinstance(number, int)]
        present = [
            screen.elements[number] for number in whole if 0 <= number < len(screen.elements)
        ]
        return present if len(present) == len(ids) else []

    @cached_property
    def boxes(self) -> list[Ltrb]:
        """The boxes in the record, in pixels of the picture."""
        return [box for box in map(box_of, self._boxes()) if box is not None]

    def _boxes(self) -> list[object]:
        name = "box_after" if self.item.tags.get("state") == "after" else "box"
        if "box_after" in self.record and name in self.record:
            return [self.record[name]]
        if self.record.get("box") is not None:
            return [self.record["box"]]
        listed = self.record.get("boxes")
        return cast("list[object]", listed) if isinstance(listed, list) else []

    @cached_property
    def target(self) -> Ltrb | None:
        """The box of the reference, in pixels of the picture."""
        gold, size = self.item.gold, self.size
        if isinstance(gold, Target) and size is not None:
            box = known_box(gold)
            if max(box) <= 1:
                return box[0] * size[0], box[1] * size[1], box[2] * size[0], box[3] * size[1]
            if gold.image_size is None:
                return box
            across, down = size[0] / gold.image_size[0], size[1] / gold.image_size[1]
            return box[0] * across, box[1] * down, box[2] * across, box[3] * down
        if self.matrix is not None and self.matrix.metric in ("point", "box"):
            return box_of(self.matrix.answer)
        return None


def shown_after(view: View) -> bool:
    """Whether an item shows its page after a change."""
    return (
        view.item.tags.get("state") == "after"
        or view.record.get("removed") is True
        or view.task == "webrssbench/hint_text"
    )


Check = Callable[[View], Iterator[Evidence]]
"""Yields the faults of an item."""


def box_of(value: object) -> Ltrb | None:
    """Return a JSON value as a box; None if it is not one."""
    try:
        return msgspec.convert(value, Ltrb)
    except msgspec.ValidationError:
        return None


def same_box(one: Ltrb, other: Ltrb, share: float = SAME_BOX) -> bool:
    """Whether two boxes are the same apart from rounding."""
    if max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 1.5:
        return True
    return iou(one, other) >= share


def written_box(box: Ltrb) -> str:
    """Return a box as text."""
    return f"[{', '.join(f'{side:g}' for side in (round(side, 1) for side in box))}]"


def texts_of(gold: object) -> list[str]:
    """Return all texts of a reference, at any depth."""
    if isinstance(gold, str):
        return [gold]
    if isinstance(gold, list | tuple):
        return [text for part in cast("Sequence[object]", gold) for text in texts_of(part)]
    return []


def said_by(element: Element) -> list[str]:
    """Return the texts of an element, including those that are hidden."""
    texts = (
        element.text,
        element.own,
        element.name,
        element.label,
        element.placeholder,
        element.value,
        element.alt,
        *element.options,
    )
    return [one_line(text) for text in texts if text]


def page_text(screen: Screen) -> str:
    """Return all texts of a page, normalized, each between spaces."""
    return " ".join(f" {folded(text)} " for element in screen.elements for text in said_by(element))


def answers_of(view: View) -> list[str]:
    """Return the correct answers of an item as texts; the fragments of one rater are joined."""
    if view.right_text is not None:
        return [view.right_text]
    gold = view.matrix.answer if view.matrix is not None else view.item.gold
    if view.task in {"screenqa/ui_contents", "screenqa/ui_contents_boxes"}:
        return [" ".join(texts_of(rater)) for rater in cast("Sequence[object]", gold)]
    return texts_of(gold)

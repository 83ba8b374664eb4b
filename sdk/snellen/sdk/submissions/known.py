"""The items that are graded, as far as rows without our ids can be joined to them.

A row names its item by an id, or by two of its image, its instruction and its box; by the place in
a file never.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias, cast

Box: TypeAlias = tuple[float, ...]
Size: TypeAlias = tuple[float, float]

_NUMBERED = re.compile(r"(?:.*?_)?([A-Za-z]+)(?:_v?[0-9])?_([0-9]+)")
_STEP = re.compile(
    r"(?:episode_|screenshot_)?([^/_-]+)[/_-](?:screenshot_)?([0-9]+)(?:\.[A-Za-z]+)?$"
)
_PARTS = frozenset({"basic", "advanced", "functional", "spatial", "mobile", "web", "desktop"})
_WORDS = re.compile(r"[^\w]+|_+")
_NEAR = 1.5
_NEAR_SHARE = 0.0015


class KnownItem(NamedTuple):
    """One item.

    Attributes:
        id: Its id.
        image: The name of its image; empty if unknown.
        instruction: What it asks for; empty if unknown.
        box: Left, top, right, bottom of its target, or x and y of it; empty if there is none.
        size: Width and height of its image in pixels.
        action: The type of the action that is its reference; empty if it is none.
        detail: The text, app, button or direction of the action.
        same: What two items share that any answer is graded alike for.
        episode: `page` for an episode of MiniWoB++, `task` for another; empty for no episode.
    """

    id: str
    image: str = ""
    instruction: str = ""
    box: Box = ()
    size: Size | None = None
    action: str = ""
    detail: str = ""
    same: object = None
    episode: str = ""

    @property
    def pixels(self) -> Box:
        """The box in pixels, if they are known."""
        if self.size and self.box and all(0 <= side <= 1 for side in self.box):
            return tuple(side * self.size[index % 2] for index, side in enumerate(self.box))
        return self.box


class Clues(NamedTuple):
    """What a row says of its item; empty or None where it says nothing.

    Attributes:
        id: The id.
        image: The path or name of the image.
        instruction: What was asked for.
        box: The target, as xyxy or xywh, in pixels of the image or of `view`, or in fractions.
        view: The size of the image that the box was written for.
        action: The type of the recorded action, in our words.
        detail: Its text, app, button or direction.
        part: The part of the benchmark that it is of, such as `basic` or `mobile`.
    """

    id: str = ""
    image: str = ""
    instruction: str = ""
    box: Box = ()
    view: Size | None = None
    action: str = ""
    detail: str = ""
    part: str = ""

    @property
    def words(self) -> str:
        """How a message names the row."""
        parts = filter(None, (self.id or _base(self.image), self.instruction))
        return ": ".join(parts)[:120]


@dataclass
class Known:
    """The items by id, by image and by instruction.

    Attributes:
        items: All items of the data, selected or not.
        moved: The joined items whose box differs from the row's, by id.
        reworded: The joined items whose instruction differs from the row's, by id.
        alike: How many rows fitted several items with the same reference.
        ambiguous: How many rows fitted several items with different references.
    """

    items: Sequence[KnownItem]
    moved: dict[str, None] = field(default_factory=dict[str, None])
    reworded: dict[str, None] = field(default_factory=dict[str, None])
    alike: int = 0
    ambiguous: int = 0

    @cached_property
    def by_id(self) -> dict[str, KnownItem]:
        """The items by their id."""
        return {item.id: item for item in self.items}

    @cached_property
    def _by_image(self) -> dict[str, list[KnownItem]]:
        found: defaultdict[str, list[KnownItem]] = defaultdict(list)
        for item in self.items:
            if item.image:
                found[_base(item.image)].append(item)
        return found

    @cached_property
    def _by_instruction(self) -> dict[str, list[KnownItem]]:
        found: defaultdict[str, list[KnownItem]] = defaultdict(list)
        for item in self.items:
            if item.instruction:
                found[_plain(item.instruction)].append(item)
        return found

    @cached_property
    def _given(self) -> Counter[tuple[str, ...]]:
        return Counter()

    @cached_property
    def _prefixes(self) -> dict[str, str]:
        """The ids that are PREFIX/NUMBER, as `prefix/number`, and by number alone if all are."""
        parts = [item.id.rpartition("/") for item in self.items]
        found = {f"{head.lower()}/{tail}": f"{head}/{tail}" for head, _, tail in parts if head}
        if len({head for head, _, _ in parts}) == 1:
            found |= {tail: f"{head}/{tail}" for head, _, tail in parts if head}
        return found

    @cached_property
    def _parts(self) -> frozenset[str]:
        found = frozenset(item.id.partition("/")[0] for item in self.items)
        return found if found <= _PARTS else frozenset()

    def is_elsewhere(self, clues: Clues) -> bool:
        """Whether a row says that it is of a part of the benchmark that this data is not."""
        numbered = _NUMBERED.fullmatch(clues.id)
        names = (clues.part, numbered[1].lower() if numbered else "")
        return any(self._parts and name in _PARTS - self._parts for name in names)

    def find(self, clues: Clues) -> KnownItem | None:
        """Return the item of a row; None if there is none, or if several fit."""
        item = self._of_id(clues) or self._of_content(clues)
        if item is None:
            return None
        if _comparable(item, clues) and not is_near(item, clues):
            self.moved[item.id] = None
        both = clues.instruction and item.instruction
        if both and _plain(clues.instruction) != _plain(item.instruction):
            self.reworded[item.id] = None
        return item

    def _of_id(self, clues: Clues) -> KnownItem | None:
        item = self.by_id.get(clues.id)
        if item is not None and _contradicts(item, clues):
            return None
        if item is None and clues.id:
            # A prefix tells apart what one file of requests asks.
            last = re.split(r"[:|#]+", clues.id)[-1]
            item = None if last.isdigit() else self.by_id.get(last)
        if item is None and clues.id:
            numbered = _NUMBERED.fullmatch(clues.id)
            name = f"{numbered[1].lower()}/{numbered[2]}" if numbered else clues.id.lower()
            item = self.by_id.get(self._prefixes.get(name, ""))
            # Such an id may be a place in a file: whatever else the row says must agree.
            if item is not None and not _agrees(item, clues):
                item = None
        return item or (self._inside(clues.id) if clues.id else None)

    def _inside(self, text: str) -> KnownItem | None:
        """Return the item whose image and the beginning of whose instruction an id holds."""
        name = next((name for name in _names_in(text) if name in self._by_image), None)
        if name is None:
            return None
        rest = _slug(text.partition(name)[2])
        slugs = [(item, _slug(item.instruction)) for item in self._by_image[name]]
        fitting = [item for item, slug in slugs if rest and (slug.startswith(rest) or rest == slug)]
        return fitting[0] if len(fitting) == 1 else None

    def _of_content(self, clues: Clues) -> KnownItem | None:
        named = self._by_image.get(_base(clues.image), []) if clues.image else []
        if not named and clues.image:
            # The screenshot of a step is named by its episode and its number.
            step = _STEP.search(clues.image.replace("\\", "/"))
            named = self._by_image.get(f"{step[1]}_{step[2]}", []) if step else []
            if len(named) == 1:
                return named[0]
        asked = self._by_instruction.get(_plain(clues.instruction), []) if clues.instruction else []
        ids = {item.id for item in asked}
        both = [item for item in named if item.id in ids]
        if both:
            return self._one(both, clues)
        if named:
            # An instruction in another language leaves image and box; in the same one, it asks
            # for something else.
            foreign = not clues.instruction or not _plain(clues.instruction).isascii()
            return self._one(self._near(named, clues) if foreign else (), clues)
        if clues.image and self._by_image:
            return None
        if clues.action:
            alike = [item for item in asked if item.action == clues.action]
            detail = _plain(clues.detail)
            exact = [item for item in alike if detail and _plain(item.detail) == detail]
            return self._one(exact or alike, clues)
        if clues.box:
            return self._one(self._near(asked, clues), clues)
        return self._one(asked, clues)

    def _near(self, items: Sequence[KnownItem], clues: Clues) -> list[KnownItem]:
        return [item for item in items if clues.box and is_near(item, clues)]

    def _one(self, items: Sequence[KnownItem], clues: Clues) -> KnownItem | None:
        if not items:
            return None
        if len(items) == 1:
            # Without an image, the same words may be said of another target.
            same = clues.image or not _comparable(items[0], clues) or is_near(items[0], clues)
            return items[0] if same else None
        near = self._near(items, clues)
        if len(near) > 1:
            # Neighbours lie within the tolerance of each other on a scaled image.
            gaps = [(_gap(item, clues), item) for item in near]
            least = min(gap for gap, _ in gaps)
            near = [item for gap, item in gaps if gap <= least + 1e-6]
        items = near or items
        if len(items) == 1:
            return items[0]
        if items[0].same is None or any(item.same != items[0].same for item in items):
            self.ambiguous += 1
            return None
        key = tuple(item.id for item in items)
        given, self._given[key] = self._given[key], self._given[key] + 1
        self.alike += 1
        return items[given] if given < len(items) else None


def _comparable(item: KnownItem, clues: Clues) -> bool:
    # A box on a resized image can't be compared on one of unknown size.
    scalable = clues.view is None or item.size is not None
    return bool(clues.box) and scalable and len(clues.box) == len(item.box)


def is_near(item: KnownItem, clues: Clues) -> bool:
    """Whether a row's box is an item's, in some usual way to write it."""
    size = item.size or (0.0, 0.0)
    scale = 1.0 if clues.view is None or not item.size else item.size[0] / clues.view[0]
    return _gap(item, clues) <= max(_NEAR, _NEAR_SHARE * max(size), 1.5 * scale)


def _gap(item: KnownItem, clues: Clues) -> float:
    """Return the largest distance between a row's box and an item's, in the item's pixels."""
    wanted, size = item.pixels, item.size
    readings: list[Box] = [clues.box]
    if len(clues.box) == 4:
        left, top, width, height = clues.box
        readings.append((left, top, left + width, top + height))
    if size is not None:
        views: list[Size] = [(1.0, 1.0)] if max(clues.box) <= 1.001 else []
        views += [] if clues.view is None else [clues.view]
        readings += [
            tuple(side * size[index % 2] / view[index % 2] for index, side in enumerate(box))
            for box in tuple(readings)
            for view in views
        ]
    if len(wanted) != len(clues.box):
        return float("inf")
    return min(
        max(abs(one - other) for one, other in zip(box, wanted, strict=True)) for box in readings
    )


def _contradicts(item: KnownItem, clues: Clues) -> bool:
    """Whether neither the image nor the instruction of a row with an item's id is the item's."""
    image = bool(clues.image and item.image)
    other_image = image and _base(clues.image) != _base(item.image)
    instruction = bool(clues.instruction and item.instruction)
    other = instruction and _plain(clues.instruction) != _plain(item.instruction)
    return (other_image or not image) and (other or not instruction) and (image or instruction)


def _agrees(item: KnownItem, clues: Clues) -> bool:
    """Whether all that a row says of its item, if anything, is so."""
    image = not clues.image or not item.image or _base(clues.image) == _base(item.image)
    plain = _plain(clues.instruction) == _plain(item.instruction)
    instruction = not clues.instruction or not item.instruction or plain
    return image and instruction and (not _comparable(item, clues) or is_near(item, clues))


def _names_in(text: str) -> list[str]:
    """Return the names of image files that a text may hold, longest first."""
    found = re.search(r"\.(?:png|jpe?g|webp)", text, re.IGNORECASE)
    if found is None:
        return []
    whole = text[: found.end()]
    starts = [0, *(match.end() for match in re.finditer(r"[_/\-:]", whole))]
    return [whole[start:] for start in starts]


def _base(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _slug(text: str) -> str:
    return "_".join(filter(None, cast("list[str]", _WORDS.split(text.casefold()))))

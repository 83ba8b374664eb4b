"""WebRSSBench's positions: four parts of a page, and the relation of each pair.

The elements of the parts are not nested. Each part is at least 30 pixels wide and high, not of one
color, and unlike all other parts of the page. To make no relation a good guess, sets of four are
drawn until no direction prevails, and names are assigned at random. Sometimes one part is drawn
larger than its element, or beside it, to contain or overlap another one: the visible boxes count,
not the document's nesting.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from snellen.build.items import Made, Refused
from snellen.build.questions.text import folded
from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.seen import overlap
from snellen.build.snapshots import Snapshot
from snellen.build.writers.webrssbench.rows import (
    Ask,
    image_name,
    level_of,
    made,
    refused,
    sized,
)
from snellen.tasks.benchmarks.webrssbench.positions import PageBox, label

if TYPE_CHECKING:
    from PIL.Image import Image

    from snellen.build.screen.seen import Pixels

POSITION = "webrssbench/position"

TOO_FEW = "fewer than four parts that differ from each other"
UNBALANCED = "its parts lie in too few directions"

PARTS = 4
SMALLEST = 30
"""The minimum width and height, in pixels."""

MOST_ALIKE = 2
"""The maximum number of the six pairs with the same relation."""

_LARGEST = 0.08
_HIGHEST = 420.0
_UNIFORM = 14.0
_SAME_BOX = 0.8
_ALIKE = 6.0
_DRAWS = 300
_PICKY = 220
_GROWN = 0.6
_CLEAR = 0.85
_SEEN = 12
_GAP = 6
_APART, _SHARE, _SLANT = 24, 0.2, 0.05
_SIDE = 16
_MANY = 120
_ROWS = 3


class _Part(NamedTuple):
    """A part of a page: its box in whole pixels, its element, and the way it was drawn."""

    box: tuple[int, int, int, int]
    element: int
    drawn: str = "as it is"


def make_position(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the relations of four parts of a page: six pairs."""
    from PIL import Image

    screen = snapshot.screen
    png = snapshot.image()
    with Image.open(BytesIO(png)) as image:
        page = image.convert("RGB")
    parts = _unlike(page, _candidates(screen), random)
    if len(parts) < PARTS:
        yield refused("position", TOO_FEW)
        return
    chosen = _balanced(screen, parts, page, snapshot.pixels, random)
    if chosen is None:
        yield refused("position", UNBALANCED)
        return
    original = image_name(snapshot, "original")
    images = {original: png}
    crops: list[dict[str, object]] = []
    for name, part in chosen.items():
        path = image_name(snapshot, f"position-{name}")
        images[path] = _png(page.crop(part.box))
        left, top, right, bottom = part.box
        box = [left, top, right - left, bottom - top]
        crops.append({"name": name, "image": sized(path, images[path]), "box": box})
    pictures = {"image": sized(original, png), "crops": crops, "space": "pixels"}
    yield made(
        Ask(POSITION, snapshot, difficulty=level_of(screen)),
        pictures,
        images,
        record={
            "elements": {name: part.element for name, part in chosen.items()},
            "drawn": {name: part.drawn for name, part in chosen.items()},
            "relations": relations_of({name: part.box for name, part in chosen.items()}),
        },
    )


def relations_of(boxes: Mapping[str, tuple[int, int, int, int]]) -> dict[str, str]:
    """Return the relation of every pair of boxes (left, top, right, bottom, in pixels)."""
    return label(
        {
            name: PageBox(left, top, right - left, bottom - top)
            for name, (left, top, right, bottom) in boxes.items()
        },
        "projections",
    )


def _candidates(screen: Screen) -> list[Element]:
    """Return the possible parts; of elements with almost the same box, one is kept."""
    candidates: list[Element] = []
    # The deepest element comes first: of two with one box, the one with the content is kept.
    for element in reversed(screen.elements):
        if (
            min(element.width, element.height) >= SMALLEST
            and element.width * element.height <= _LARGEST * screen.width * screen.height
            and element.height <= _HIGHEST
            and element.covered == 0
            and not element.clipped
            and (element.text or element.alt or element.role == "img" or element.painted)
            and all(overlap(element.box, other.box) <= _SAME_BOX for other in candidates)
        ):
            candidates.append(element)
    return [element for element in candidates[::-1] if not _is_repeated(screen, element)]


def _is_repeated(screen: Screen, element: Element) -> bool:
    """Whether another element has the same text."""
    text = folded(element.text)
    return bool(text) and any(
        folded(other.text) == text and not screen.nested(element, other)
        for other in screen.elements
    )


def _unlike(page: "Image", elements: Sequence[Element], random: Random) -> list[_Part]:
    """Return the parts that show something, and look unlike every other part."""
    if len(elements) > _MANY:
        keep = set(random.sample(range(len(elements)), _MANY))
        looked_at = [element for place, element in enumerate(elements) if place in keep]
    else:
        looked_at = list(elements)
    parts: list[_Part] = []
    looks: list[bytes] = []
    width, height = page.size
    for element in looked_at:
        left, top, right, bottom = element.box
        box = (max(round(left), 0), max(round(top), 0), min(round(right), width),
               min(round(bottom), height))  # fmt: skip
        if box[2] - box[0] < SMALLEST or box[3] - box[1] < SMALLEST:
            continue
        crop = page.crop(box).convert("L")
        if _deviation(crop) < _UNIFORM:
            continue
        parts.append(_Part(box, element.id))
        looks.append(crop.resize((_SIDE, _SIDE)).tobytes())
    alike = {
        place
        for first, second in combinations(range(len(parts)), 2)
        if _close_sizes(parts[first].box, parts[second].box)
        and _difference(looks[first], looks[second]) < _ALIKE
        for place in (first, second)
    }
    return [part for place, part in enumerate(parts) if place not in alike]


def _balanced(
    screen: Screen, parts: Sequence[_Part], page: "Image", pixels: "Pixels", random: Random
) -> dict[str, _Part] | None:
    """Draw four parts and their names until no relation has too many of the pairs."""
    copies = _Copies(pixels)
    names = [f"crop_{number}" for number in range(1, PARTS + 1)]
    for drawn in range(_DRAWS):
        four = random.sample(parts, PARTS)
        if any(
            screen.nested(screen.elements[first.element], screen.elements[second.element])
            or overlap(first.box, second.box) > 0
            for first, second in combinations(four, 2)
        ):
            continue
        if random.random() < _GROWN:
            four = _grown(four, page, random)
        random.shuffle(four)
        chosen = dict(zip(names, four, strict=True))
        if not all(_is_clear(first.box, second.box) for first, second in combinations(four, 2)):
            continue
        relations = relations_of({name: part.box for name, part in chosen.items()})
        counts = Counter(map(_undirected, relations.values()))
        # Pages are tall, so parts side by side are rare and preferred in the first draws.
        beside = counts["left"] + counts["right"]
        if drawn < _PICKY and (beside == 0 or counts["top"] + counts["bottom"] > MOST_ALIKE):
            continue
        if max(counts.values()) <= MOST_ALIKE and not any(copies.has(part.box) for part in four):
            return chosen
    return None


def _is_clear(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    """Whether two boxes share no part of a side, or clearly enough of one."""
    sides = [(min(one[n + 2], other[n + 2]) - max(one[n], other[n]), min(one[n + 2] - one[n],
              other[n + 2] - other[n])) for n in (0, 1)]  # fmt: skip
    if all(shared > 0 for shared, _ in sides):
        return min(shared for shared, _ in sides) >= _SEEN
    near, far = sorted(-shared for shared, _ in sides)
    if near > 0:
        # Far below and a little to the left is below, by eye.
        seen = all(-shared >= min(_APART, _SHARE * least) for shared, least in sides)
        return seen and near >= max(_GAP, _SLANT * far)
    return all(shared <= -_GAP or shared >= max(_SEEN, _CLEAR * least) for shared, least in sides)


def _grown(four: Sequence[_Part], page: "Image", random: Random) -> list[_Part]:
    """Draw one part again, so that it contains another one or overlaps it."""
    width, height = page.size
    first, second, *rest = random.sample(four, PARTS)
    left, top, right, bottom = first.box
    if random.randrange(2):
        edges = [random.randrange(12, 60) for _ in range(4)]
        box = (left - edges[0], top - edges[1], right + edges[2], bottom + edges[3])
        drawn = "contains another"
    else:
        across = round((right - left) * random.uniform(0.35, 0.65)) * random.choice((-1, 1))
        down = round((bottom - top) * random.uniform(0.25, 0.6)) * random.choice((-1, 1))
        box = (left + across, top + down, right + across, bottom + down)
        drawn = "overlaps another"
    inside = min(box[:2]) >= 0 and box[2] <= width and box[3] <= height
    apart = all(overlap(box, other.box) == 0 for other in rest)
    if not inside or not apart or _deviation(page.crop(box).convert("L")) < _UNIFORM:
        return list(four)
    return [first, _Part(box, second.element, drawn), *rest]


class _Copies:
    """A picture in which copies of a part are searched."""

    def __init__(self, pixels: "Pixels") -> None:
        import numpy as np

        self._gray = pixels.mean(axis=2)
        self._coarse = ((self._gray + 8) // 32).astype(np.uint8)
        self._lines = [line.tobytes() for line in self._coarse]

    def has(self, box: tuple[int, int, int, int]) -> bool:
        """Whether another place looks the same as a box, or almost.

        The rows of the box with the most detail are searched in coarse gray levels.
        """
        import numpy as np

        left, top, right, bottom = box
        part, own = self._coarse[top:bottom, left:right], self._gray[top:bottom, left:right]
        busy = np.argsort(-np.count_nonzero(np.diff(part, axis=1), axis=1))[:_ROWS]
        for row in map(int, busy):
            needle = part[row].tobytes()
            if len(set(needle)) == 1:
                return True
            for upper in range(len(self._lines) - (bottom - top) + 1):
                line = self._lines[upper + row]
                start = line.find(needle)
                while start >= 0:
                    place = (start, upper, start + right - left, upper + bottom - top)
                    other = self._gray[upper : place[3], start : place[2]]
                    elsewhere = overlap(place, box) < _SAME_BOX
                    if elsewhere and float(np.abs(other - own).mean()) < _ALIKE:
                        return True
                    start = line.find(needle, start + 1)
        return False


def _undirected(relation: str) -> str:
    return "contain" if relation == "inside" else relation


def _close_sizes(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    widths = (one[2] - one[0], other[2] - other[0])
    heights = (one[3] - one[1], other[3] - other[1])
    return abs(widths[0] - widths[1]) <= 4 and abs(heights[0] - heights[1]) <= 4


def _deviation(crop: "Image") -> float:
    from PIL import ImageStat

    return float(ImageStat.Stat(crop).stddev[0])


def _difference(one: bytes, other: bytes) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


def _png(image: "Image") -> bytes:
    out = BytesIO()
    image.save(out, "PNG", optimize=False, compress_level=6)
    return out.getvalue()

"""What an examinee asks to see, and what it is given of it: region and size, by the limits."""

import math
from dataclasses import dataclass
from math import ceil

from snellen.grading.models.geometry import Space
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Format
from snellen.server.screenshots.frames import Extent, Frame, Region

MOST_SIDE = 2000
"""No view is longer: clients that take images shrink what is, and coordinates shift."""
LEAST_SIDE = 64
MOST_ZOOM = 8.0
LEAST_SHRINK = 0.97
"""A view over the limits by less is not made smaller: that blurs every letter for nothing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a view may be.

    The defaults are what Anthropic's interface takes without shrinking it. What is at most 3 % over
    `max_side` and `max_pixels` is shown as it is, but no side is longer than 2000.

    Attributes:
        max_side: The longest side, in pixels, from 64 to 2000.
        max_pixels: Width times height, at least 128 rows of `max_side`.
        max_bytes: Of the encoded image, before base64: the default is 1,000,000 characters after.
        format: The encoding of a view whose request has none.
    """

    max_side: int = 1568
    max_pixels: int = 1_150_000
    max_bytes: int = 750_000
    format: Format = Format.AUTO

    def __post_init__(self) -> None:
        if not LEAST_SIDE <= self.max_side <= MOST_SIDE:
            raise ValueError(
                f"max_side must be from {LEAST_SIDE} to {MOST_SIDE}, not {self.max_side}"
            )
        if self.max_pixels < 128 * self.max_side:
            raise ValueError(f"max_pixels must be at least {128 * self.max_side:,}")
        if self.max_bytes < 10_000:
            raise ValueError("max_bytes must be at least 10,000")


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """What to show of an image; without anything the whole of it.

    Attributes:
        region: Left, top, right and bottom, in `space`; it must lie in the image.
        space: What the region's numbers count: pixels, unit (0 to 1) or thousand (0 to 1000).
        tile: The number of a tile, instead of a region.
        zoom: View pixels for a pixel of the image, up to 8, as far as the limits let it; None:
            full size, or as much smaller as the limits ask for.
        max_side: The longest side of the view, where it shall be shorter than the server's.
        format: Its encoding; auto: that of the limits.
    """

    region: tuple[float, float, float, float] | None = None
    space: Space = Space.PIXELS
    tile: int | None = None
    zoom: float | None = None
    max_side: int | None = None
    format: Format = Format.AUTO


OVERLAP = 48
"""How many pixels two neighbours share: a line of text as high as this is whole in one of them."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Tiles of equal size over an image, numbered from 1, row by row.

    Attributes:
        full: The image's size.
        columns: How many tiles lie beside one another.
        rows: How many lie below one another.
        tile: The size of each.

    >>> grid = lay_tiles(Extent(1280, 9000), side=1568, area=1_150_000)
    >>> grid.count, grid.region(1), grid.region(2).top
    (11, Region(left=0, top=0, right=1280, bottom=862), 813)
    """

    full: Extent
    columns: int
    rows: int
    tile: Extent

    @property
    def count(self) -> int:
        """How many tiles there are; 1: the whole image fits."""
        return self.columns * self.rows

    def region(self, number: int) -> Region:
        """Return what a tile shows.

        Raises:
            ExamError: There is no such tile.
        """
        if not 1 <= number <= self.count:
            known = f"tiles 1-{self.count}" if self.count > 1 else "one tile, the whole of it"
            raise ExamError(f"there is no tile {number}: the image has {known}", field="tile")
        row, column = divmod(number - 1, self.columns)
        left = _start(column, self.columns, self.full.width - self.tile.width)
        top = _start(row, self.rows, self.full.height - self.tile.height)
        return Region(left, top, left + self.tile.width, top + self.tile.height)

    def words(self) -> str:
        """Say, as a sentence, how to ask for tiles; nothing where the whole image fits."""
        if self.count == 1:
            return ""
        order = "from top to bottom"
        if self.columns > 1:
            order = f"in {self.rows} rows of {self.columns}, row by row"
        return (
            f"Tiles 1-{self.count} show it at full size, {order}:"
            f" tile=1 is {self.region(1)}, tile={self.count} is {self.region(self.count)}."
        )


def lay_tiles(full: Extent, *, side: int, area: int) -> Grid:
    """Return as few tiles as cover an image.

    Args:
        full: The image's size.
        side: The longest side of a tile, in pixels.
        area: The most pixels of a tile; at least 128 rows of the longest side.
    """
    if _fitting(full, side, area) >= 1:
        return Grid(full, 1, 1, full)
    overlap = min(OVERLAP, side // 8)
    fewest = 1 if full.width <= side else ceil((full.width - overlap) / (side - overlap))
    grids: list[Grid] = []
    # More columns make lower tiles higher: sometimes that takes fewer of them.
    for columns in range(fewest, fewest + 3):
        width = ceil((full.width + (columns - 1) * overlap) / columns)
        most = min(side, area // width)
        rows = 1 if full.height <= most else ceil((full.height - overlap) / (most - overlap))
        height = ceil((full.height + (rows - 1) * overlap) / rows)
        grids.append(Grid(full, columns, rows, Extent(width, height)))
    return min(grids, key=lambda grid: (grid.count, grid.columns))


def _start(place: int, count: int, room: int) -> int:
    return 0 if count == 1 else place * room // (count - 1)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is shown, and what else could be."""

    frame: Frame  # how the view lies on the image
    grid: Grid  # the image's tiles
    tile: int | None = None  # which of them is shown, if one was asked for


def make_plan(image: str, full: Extent, request: ViewRequest, limits: Limits) -> Plan:
    """Return what a request shows of an image of a size.

    >>> limits, page = Limits(), Extent(1280, 9000)
    >>> make_plan("screen", page, ViewRequest(), limits).frame.shown
    Extent(width=223, height=1568)
    >>> request = ViewRequest(region=(0, 0, 100, 50), space=Space.THOUSAND, zoom=2)
    >>> make_plan("screen", page, request, limits).frame.id
    'screen 0,0,128,450 of 1280x9000 at 256x900'

    Raises:
        ExamError: The request makes no sense for such an image; the message says its size.
    """
    grid = lay_tiles(full, side=limits.max_side, area=limits.max_pixels)
    region = _region(full, request, grid)
    return Plan(Frame(image, full, region, _shown(region, request, limits)), grid, request.tile)


def _region(full: Extent, request: ViewRequest, grid: Grid) -> Region:
    if request.tile is not None:
        if request.region is not None:
            raise ExamError("give a tile or a region, not both", field="tile")
        return grid.region(request.tile)
    if request.region is None:
        return Region(0, 0, *full)
    return _pixel_region(full, request.region, request.space)


def _pixel_region(full: Extent, region: tuple[float, float, float, float], space: Space) -> Region:
    across, down = _extent(full, space)
    left, top, right, bottom = region
    said = f"the image is {full} px"
    if space is not Space.PIXELS:
        said += f"; in {space} coordinates it goes from 0 to {across:g}"
    if not all(map(math.isfinite, region)):
        raise ExamError("a region is four finite numbers: left, top, right, bottom", field="region")
    if min(left, top) < 0 or right > across or bottom > down:
        raise ExamError(f"the region {_box(region)} is not in the image: {said}", field="region")
    if left >= right or top >= bottom:
        raise ExamError(
            f"the region {_box(region)} has no area: give left, top, right, bottom with"
            f" left < right and top < bottom; {said}",
            field="region",
        )
    wide, high = full.width / across, full.height / down
    # Every pixel that is touched belongs to it; a hair's breadth over is a float's rounding.
    first, last = _touched(left * wide, right * wide, full.width)
    upper, lower = _touched(top * high, bottom * high, full.height)
    return Region(first, upper, last, lower)


def _extent(full: Extent, space: Space) -> tuple[float, float]:
    match space:
        case Space.PIXELS:
            return full
        case Space.UNIT:
            return 1.0, 1.0
        case Space.THOUSAND:
            return 1000.0, 1000.0
        case Space.VIEW:
            raise ExamError(
                "a region can't be given in view coordinates: use pixels, unit or thousand",
                field="space",
            )


def _touched(start: float, end: float, size: int) -> tuple[int, int]:
    first = min(math.floor(start + 1e-6), size - 1)
    return first, min(max(math.ceil(end - 1e-6), first + 1), size)


def _shown(region: Region, request: ViewRequest, limits: Limits) -> Extent:
    zoom = 1.0 if request.zoom is None else request.zoom
    if not 0 < zoom <= MOST_ZOOM:
        raise ExamError(f"zoom must be more than 0 and at most {MOST_ZOOM:g}", field="zoom")
    width, height = region.extent
    scale = min(zoom, _fitting(region.extent, limits.max_side, limits.max_pixels))
    if request.max_side is not None:
        if request.max_side < LEAST_SIDE:
            raise ExamError(f"max_side must be at least {LEAST_SIDE}", field="max_side")
        scale = min(scale, request.max_side / max(width, height))
    if scale == 1:
        return region.extent
    return Extent(_scaled(width, scale), _scaled(height, scale))


def _fitting(size: Extent, side: int, area: int) -> float:
    scale = min(side / max(size), math.sqrt(area / (size.width * size.height)))
    if LEAST_SHRINK <= scale < 1:
        return 1 if max(size) <= MOST_SIDE else LEAST_SHRINK
    return scale


def _scaled(length: int, scale: float) -> int:
    # Rounded down, so that no limit is passed; a hair's breadth under is a float's rounding.
    return max(1, math.floor(length * scale + 1e-6))


def _box(region: tuple[float, float, float, float]) -> str:
    return f"({', '.join(f'{side:g}' for side in region)})"

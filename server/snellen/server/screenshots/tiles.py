"""Tiles: a large image as pieces that are shown at full size, each within the limits of a view."""

from dataclasses import dataclass
from math import ceil

from snellen.server.errors import ExamError
from snellen.server.screenshots.frames import Extent, Region

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
    if max(full) <= side and full.width * full.height <= area:
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

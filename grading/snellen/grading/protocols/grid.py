"""A metric by two tags crossed: its cells, rows, columns and the whole, each with its interval."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from snellen.grading.errors import MetricError
from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import LEAST, Estimate
from snellen.grading.models.tags import TagColumn, natural
from snellen.grading.protocols.base import FloatArray, IntArray
from snellen.grading.stats.summary import estimate
from snellen.grading.stats.weighted import weighted_estimate

MOST_NAMES = 200
"""A tag with more values is an id, not a row or column to read."""

FEWEST_GROUPS = 5
"""Cells whose items come in fewer independent groups say too little, however many items."""

DIMENSIONS = ("perception", "understanding", "reasoning", "action")
"""The rows of the 4 x 4 matrix, from seeing to doing."""


class GridCell(Closed):
    """One cell, row or column: how much it rests on, and what it scores.

    Attributes:
        items: How many items it has.
        groups: How many independent groups they come in.
        population: How many items they stand for, where they are a stratified sample; else as
            many as they are.
        estimate: None where the cell is blanked, for too few items or groups.
    """

    items: int
    groups: int
    population: int
    estimate: Estimate | None


class Grid(Closed):
    """A metric by two tags crossed.

    Attributes:
        rows: The tag of the rows.
        columns: The tag of the columns.
        metric: The metric's key.
        row_names: The rows, in order.
        column_names: The columns, in order.
        cells: A tuple a row, with a cell a column; an empty cell has 0 items.
        row_totals: Each row over all its columns.
        column_totals: Each column over all its rows.
        total: All of it.
        clustered_by: What is independent of one another.
        covered: How many items have both tags.
        all_items: How many items there are.
        least: Cells with fewer items are blanked.
        fewest_groups: Cells with fewer independent groups are blanked.
        weighted: Whether items stand for different numbers of items, being a stratified sample.
    """

    rows: str
    columns: str
    metric: str
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    cells: tuple[tuple[GridCell, ...], ...]
    row_totals: tuple[GridCell, ...]
    column_totals: tuple[GridCell, ...]
    total: GridCell
    clustered_by: str
    covered: int
    all_items: int
    least: int
    fewest_groups: int
    weighted: bool

    def cell(self, row: str, column: str) -> GridCell:
        """Return one cell by the names of its row and column.

        Raises:
            MetricError: There is no such row or column.
        """
        if row not in self.row_names or column not in self.column_names:
            raise MetricError(f"the grid has no cell {row!r} x {column!r}")
        return self.cells[self.row_names.index(row)][self.column_names.index(column)]

    @property
    def blanked(self) -> int:
        """How many cells have items and yet no number."""
        return sum(bool(cell.items) and cell.estimate is None for row in self.cells for cell in row)


@dataclass(frozen=True, slots=True)
class GridItems:
    """The items that a grid is made of."""

    values: FloatArray  # each item's value
    clusters: IntArray | None = None  # each item's independent group; None: each is its own
    weights: FloatArray | None = None  # how many items each stands for; None: one
    clustered_by: str = "item"  # what the groups are

    def estimated(self, where: IntArray, least: int, fewest: int, level: float) -> GridCell:
        """Estimate the items at some indexes, where they are enough."""
        items = len(where)
        clusters = None if self.clusters is None else self.clusters[where]
        groups = items if clusters is None else len(np.unique(clusters))
        weights = None if self.weights is None else self.weights[where]
        found: Estimate | None = None
        if items >= max(least, 1) and groups >= fewest:
            if weights is None:
                found = estimate(self.values[where], clusters, level=level)
            else:
                found = weighted_estimate(self.values[where], weights, clusters, level=level)
        stands_for = items if weights is None else round(float(weights.sum()))
        return GridCell(items=items, groups=groups, population=stands_for, estimate=found)


def joined(parts: Sequence[GridItems]) -> GridItems:
    """Return the items of several sets, in order; no two sets have a group in common.

    Raises:
        MetricError: There is no set.

    >>> one, two = np.array([0, 0]), np.array([5])
    >>> both = joined([GridItems(one / 1, one), GridItems(two / 5, two, clustered_by="site")])
    >>> both.values.tolist(), both.clusters.tolist(), both.weights, both.clustered_by
    ([0.0, 0.0, 1.0], [0, 0, 1], None, 'item and site')
    """
    if not parts:
        raise MetricError("there are no items to join")
    clusters: list[IntArray] = []
    groups = 0
    for part in parts:
        own = np.arange(len(part.values)) if part.clusters is None else part.clusters
        names, codes = np.unique(own, return_inverse=True)
        clusters.append(codes + groups)
        groups += len(names)
    weighted = any(part.weights is not None for part in parts)
    return GridItems(
        np.concatenate([part.values for part in parts]),
        np.concatenate(clusters),
        np.concatenate([_counts(part) for part in parts]) if weighted else None,
        " and ".join(dict.fromkeys(part.clustered_by for part in parts)),
    )


def _counts(items: GridItems) -> FloatArray:
    return np.ones(len(items.values)) if items.weights is None else items.weights


def make_grid(
    items: GridItems,
    tags: Mapping[str, TagColumn],
    *,
    metric: str,
    least: int = LEAST,
    fewest_groups: int | None = None,
    level: float = 0.95,
) -> Grid:
    """Estimate a metric for each combination of two tags' values, and along either tag.

    Args:
        items: The items' values, groups and weights.
        tags: Two tags of each item, rows first; an item that lacks one is in no cell.
        metric: The metric's key.
        least: Cells, rows and columns with fewer items are blanked.
        fewest_groups: Those with fewer independent groups are, too; `FEWEST_GROUPS`, or `least`
            where that is smaller, when None.
        level: Of the intervals.

    Raises:
        MetricError: There are not two tags, they are not as long as the values, no item has both,
            or one has more than `MOST_NAMES` values.
    """
    if len(tags) != 2:
        raise MetricError(f"a grid has two different tags, not {' and '.join(tags) or 'none'}")
    (rows, row_column), (columns, column_column) = tags.items()
    if {len(row_column), len(column_column)} != {len(items.values)}:
        raise MetricError(f"{len(items.values)} items need as many values of {rows} and {columns}")
    fewest = min(FEWEST_GROUPS, least) if fewest_groups is None else fewest_groups
    row_names, column_names = _names(rows, row_column), _names(columns, column_column)
    row_codes, column_codes = _codes(row_column, row_names), _codes(column_column, column_names)
    have = np.flatnonzero((row_codes >= 0) & (column_codes >= 0))
    if not len(have):
        raise MetricError(f"no item has both tags, {rows} and {columns}")
    width, height = len(column_names), len(row_names)
    in_cell = _places(row_codes[have] * width + column_codes[have], have, width * height)

    def cell(where: IntArray) -> GridCell:
        return items.estimated(where, least, fewest, level)

    weights = items.weights
    return Grid(
        rows=rows,
        columns=columns,
        metric=metric,
        row_names=row_names,
        column_names=column_names,
        cells=tuple(
            tuple(map(cell, in_cell[row * width : (row + 1) * width])) for row in range(height)
        ),
        row_totals=tuple(map(cell, _places(row_codes[have], have, height))),
        column_totals=tuple(map(cell, _places(column_codes[have], have, width))),
        total=cell(have),
        clustered_by=items.clustered_by,
        covered=len(have),
        all_items=len(items.values),
        least=least,
        fewest_groups=fewest,
        weighted=weights is not None and bool(weights.max() > weights.min()),
    )


def ordered(column: TagColumn) -> tuple[str, ...]:
    """Return a tag's values in the order in which one reads them.

    The four dimensions of the matrix in theirs; names that differ in a number alone by that
    number; all others as they first come.

    >>> ordered(["action", "perception", None, "action"]), ordered(["L10", "L2", "L1"])
    (('perception', 'action'), ('L1', 'L2', 'L10'))
    >>> ordered(["windows", "android"])
    ('windows', 'android')
    """
    names: Sequence[str] = [name for name in dict.fromkeys(column) if name is not None]
    if all(name.lower() in DIMENSIONS for name in names):
        return tuple(sorted(names, key=lambda name: DIMENSIONS.index(name.lower())))
    if len({re.sub(r"\d+", "", name) for name in names}) == 1:
        return tuple(sorted(names, key=natural))
    return tuple(names)


def _names(tag: str, column: TagColumn) -> tuple[str, ...]:
    names = ordered(column)
    if len(names) > MOST_NAMES:
        raise MetricError(
            f"the tag {tag!r} has {len(names):,} values, and a grid shows {MOST_NAMES} at most;"
            " take a tag with fewer"
        )
    return names


def _codes(column: TagColumn, names: Sequence[str]) -> IntArray:
    """Return each item's name by its number; -1 where it has none."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([-1 if value is None else numbers[value] for value in column], dtype=np.int64)


def _places(codes: IntArray, have: IntArray, count: int) -> list[IntArray]:
    """Return the items of each code, in their order."""
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(1, count))
    return np.split(have[order], ends)

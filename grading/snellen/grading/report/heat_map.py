"""A grid as a heat map: the text and shade of each cell; and as Markdown."""

import math
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from snellen.grading.markdown import plain_text, table_lines
from snellen.grading.protocols.grid import Grid, GridCell
from snellen.grading.report.figures import counted, figure, span
from snellen.grading.table import Table, figures

PALEST, DARKEST = 0.05, 0.5
"""How far a cell is shaded: text of the page's ink stays readable on the darkest."""

_NARROWEST = 20
_STEPS = 6


class HeatCell(NamedTuple):
    """The text of a cell and its shade."""

    value: str  # the value in percent; empty if the cell is blanked
    interval: str  # the interval in percent; empty if there is none
    counts: str  # its items, and the items that they represent or their clusters
    shade: float | None  # the shade, 0..1; None: hatched, because the cell is blanked


class HeatRow(NamedTuple):
    """A row of cells with its name and total."""

    name: str
    cells: tuple[HeatCell, ...]
    total: HeatCell


class HeatMap(NamedTuple):
    """A grid, ready to draw."""

    title: str
    corner: str  # the two tags
    columns: tuple[str, ...]  # the names of the columns
    rows: tuple[HeatRow, ...]
    totals: tuple[HeatCell, ...]  # the columns' totals, and the overall total last
    scale: tuple[float, ...]  # the shades of the legend, lightest first
    low: str  # the value of the lightest shade
    high: str  # the value of the darkest shade
    note: str  # a note on blanked, weighted or omitted cells


def heat_map(grid: Grid) -> HeatMap:
    """Prepare a grid to draw; the shades span its own cells, rounded to ten points."""
    low, high = _ends(grid)

    def drawn(cell: GridCell) -> HeatCell:
        shade = None
        if cell.estimate is not None:
            along = (100 * cell.estimate.value - low) / (high - low)
            shade = round(PALEST + (DARKEST - PALEST) * along, 3)
        return _printed(grid, cell)._replace(shade=shade)

    return HeatMap(
        title=f"{grid.metric} by {grid.rows} and {grid.columns}",
        corner=f"{grid.rows} \N{MULTIPLICATION SIGN} {grid.columns}",
        columns=grid.column_names,
        rows=tuple(
            HeatRow(name, tuple(map(drawn, cells)), _printed(grid, total))
            for name, cells, total in zip(grid.row_names, grid.cells, grid.row_totals, strict=True)
        ),
        totals=tuple(_printed(grid, cell) for cell in (*grid.column_totals, grid.total)),
        scale=tuple(
            round(PALEST + (DARKEST - PALEST) * step / (_STEPS - 1), 3) for step in range(_STEPS)
        ),
        low=f"{low:.0f}",
        high=f"{high:.0f}",
        note=grid_note(grid),
    )


def cell_text(grid: Grid, cell: GridCell) -> tuple[str, ...]:
    """Return the lines of a cell: value, interval and counts, without missing ones."""
    value, interval, counts, _ = _printed(grid, cell)
    return tuple(line for line in (value or "-", interval.replace(" ", ""), counts) if line)


def grid_note(grid: Grid) -> str:
    """Return a note on a grid's blanked, weighted and omitted cells."""
    alone = grid.clustered_by == "item"
    notes = [f"n: {'independent items' if alone else f'items in groups by {grid.clustered_by}'}."]
    if grid.blanked:
        least = f"fewer than {grid.least} items"
        groups = "" if alone else f" or {grid.fewest_groups} groups"
        cells = counted(grid.blanked, "cell is", "cells are")
        notes.append(f"{cells} blanked: {least}{groups}.")
    if grid.weighted:
        notes.append("Each item counts as often as it stands for: n of all that there are.")
    if grid.covered < grid.all_items:
        notes.append(f"{grid.covered:,} of {counted(grid.all_items, 'item')} have both tags.")
    return " ".join(notes)


def grid_table(grid: Grid) -> Table:
    """Return a grid as a table, in percent: one table row per line of a cell."""
    return figures(
        (f"{grid.rows} x {grid.columns}", *grid.column_names, "all"),
        (
            (name, *("\n".join(cell_text(grid, one)) for one in (*cells, total)))
            for name, cells, total in zip(
                (*grid.row_names, "all"),
                (*grid.cells, grid.column_totals),
                (*grid.row_totals, grid.total),
                strict=True,
            )
        ),
    )


def grid_markdown(grid: Grid) -> Iterator[bytes]:
    """Yield a grid as a Markdown table, in percent."""
    table = grid_table(grid)
    rows = [[name, *(cell.replace("\n", ", ") for cell in rest)] for name, *rest in table.written()]
    title = plain_text(f"{grid.metric} by {grid.rows} and {grid.columns}:")
    note = plain_text(grid_note(grid))
    lines = [f"\n{title}\n", *table_lines(table.names, rows), *([f"\n{note}"] if note else []), ""]
    yield "\n".join(lines).encode()


def _printed(grid: Grid, cell: GridCell) -> HeatCell:
    if cell.estimate is None:
        return HeatCell("", "", _counts(grid, cell), None)
    value, interval = figure(cell.estimate.value), span(cell.estimate.interval)
    return HeatCell(value, interval, _counts(grid, cell), None)


def _counts(grid: Grid, cell: GridCell) -> str:
    if not cell.items:
        return "none"
    of = f" of {cell.population:,}" if grid.weighted else ""
    groups = f" in {cell.groups:,}" if grid.clustered_by != "item" else ""
    return f"n {cell.items:,}{of}{groups}"


def _ends(grid: Grid) -> tuple[float, float]:
    """Return multiples of ten percent around all values, at least `_NARROWEST` points apart."""
    found = [
        100 * cell.estimate.value
        for cell in chain.from_iterable(grid.cells)
        if cell.estimate is not None
    ] or [0.0, 100.0]
    low = max(0, 10 * math.floor(min(found) / 10 + 1e-9))
    high = min(100, 10 * math.ceil(max(found) / 10 - 1e-9))
    while high - low < _NARROWEST:
        low, high = (low - 10, high) if high >= 100 else (low, high + 10)
    return float(low), float(high)

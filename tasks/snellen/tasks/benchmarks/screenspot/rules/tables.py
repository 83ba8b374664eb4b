"""ScreenSpot's tables: texts and icons of each platform, and the two means in use.

Source: SeeClick's screenspot_test.py, which prints the six cells and no average, and
ScreenSpot-Pro's eval_screenspot_pro.py, which prints groups by element and the mean over items.
Papers on v2 print the mean of the cells or that over items, not always saying which.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from snellen.grading.errors import MetricError
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import FloatArray
from snellen.grading.protocols.summaries import Cells, Options, Summaries
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table

MACRO = "macro_accuracy"
"""The key of the mean of the cells."""

KINDS = ("text", "icon")

V2, PRO = "screenspot-v2/point", "screenspot-pro/point"


def summaries() -> Summaries:
    """Return how reports of v2 and Pro are summarized."""
    return Summaries({V2: screenspot, PRO: screenspot})


@dataclass(frozen=True, slots=True)
class CellScore:
    """One cell: what it scores and how many items it has."""

    group: str
    kind: str
    score: float
    n: int


@dataclass(frozen=True, slots=True)
class CellScores:
    """The cells that have items."""

    cells: tuple[CellScore, ...]  # group by group in the data's order, texts before icons
    macro: float  # the mean of the cells, each of which counts once
    micro: float  # the mean over items
    n: int  # how many items there are


def cell_scores(values: FloatArray, groups: TagColumn, kinds: TagColumn) -> CellScores:
    """Score ScreenSpot by group (v2: platform) and kind of element.

    Args:
        values: Each item's accuracy.
        groups: Its platform or group.
        kinds: `text` or `icon`.

    Raises:
        MetricError: There are no items, or one has no group or no kind.

    >>> import numpy as np
    >>> found = cell_scores(np.array([1.0, 0, 1]), ["web", "web", "web"], ["text", "text", "icon"])
    >>> [cell.score for cell in found.cells], found.macro, round(found.micro, 4)
    ([0.5, 1.0], 0.75, 0.6667)
    """
    held: dict[tuple[str, str], list[float]] = {}
    for value, group, kind in zip(values.tolist(), groups, kinds, strict=True):
        if group is None or kind is None:
            raise MetricError("an item is in no cell: it has no platform, group or data_type")
        held.setdefault((group, kind), []).append(value)
    if not held:
        raise MetricError("the score of no items is not defined")
    names = dict.fromkeys(group for group, _ in held)
    cells = tuple(
        CellScore(group, kind, fsum(held[group, kind]) / len(held[group, kind]), count)
        for group in names
        for kind in _in_order({kind for _, kind in held})
        if (count := len(held.get((group, kind), ())))
    )
    macro = fsum(cell.score for cell in cells) / len(cells)
    return CellScores(cells, macro, fsum(values.tolist()) / len(values), len(values))


def screenspot(cells: Cells, _: Options) -> Summary:
    """Summarize ScreenSpot-v2 by platform, Pro by group, and both by element."""
    task = cells.report.task
    tag = "platform" if task == V2 else "group"
    found = cell_scores(cells.values, cells.tag(tag), cells.tag("data_type"))
    kinds = _in_order({cell.kind for cell in found.cells})
    by_name = {(cell.group, cell.kind): cell for cell in found.cells}
    rows: list[tuple[Cell, ...]] = []
    for group in dict.fromkeys(cell.group for cell in found.cells):
        own = [by_name.get((group, kind)) for kind in kinds]
        rows.append((group, *_means(own)))
    of_kinds = [[cell for cell in found.cells if cell.kind == kind] for kind in kinds]
    rows.append(("all", *(_mean(cells) for cells in of_kinds), found.micro, found.n))
    means: tuple[tuple[Cell, ...], ...] = (
        (f"of the {len(found.cells)} cells", found.macro, found.n),
        ("over items", found.micro, found.n),
    )
    columns = (Column(tag, Kind.TEXT), *map(Column, kinds), Column("both"))
    summary = Summary(
        task=task,
        result=found,
        tables=(
            Table(
                f"{task}, by {tag} and element",
                (*columns, Column("items", Kind.COUNT)),
                tuple(rows),
                "SeeClick screenspot_test.py; ScreenSpot-Pro eval_screenspot_pro.py",
            ),
            Table(
                f"{task}, the two means",
                (Column("mean", Kind.TEXT), Column("accuracy"), Column("items", Kind.COUNT)),
                means,
                "ScreenSpot-Pro eval_screenspot_pro.py for the mean over items; papers on v2 for"
                " that of the cells",
                "Say which of them a number is: papers on v2 do not always.",
            ),
        ),
        values=(
            PartValue(task, "accuracy", "", found.micro, found.n),
            PartValue(task, MACRO, "", found.macro, found.n),
            *(
                PartValue(task, "accuracy", f"{cell.group} x {cell.kind}", cell.score, cell.n)
                for cell in found.cells
            ),
        ),
    )
    return cells.of_items(summary)


def _in_order(kinds: set[str]) -> tuple[str, ...]:
    return (*(kind for kind in KINDS if kind in kinds), *sorted(kinds.difference(KINDS)))


def _means(cells: Sequence[CellScore | None]) -> tuple[Cell, ...]:
    """Return the scores of a group's cells, their mean over items, and how many these are."""
    there = [cell for cell in cells if cell is not None]
    scores = tuple(None if cell is None else cell.score for cell in cells)
    return (*scores, _mean(there), sum(cell.n for cell in there))


def _mean(cells: Sequence[CellScore]) -> float:
    """Return the mean over the items of some cells."""
    return fsum(cell.score * cell.n for cell in cells) / sum(cell.n for cell in cells)

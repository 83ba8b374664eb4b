"""A metric by the values of a tag, each with its interval."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import LEAST, Breakdown, Cell, Estimate
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.samples import SampleDesign
from snellen.grading.models.tags import TagColumn, natural
from snellen.grading.protocols.base import FloatArray, IntArray
from snellen.grading.stats.summary import estimate

if TYPE_CHECKING:
    from snellen.grading.stats.stratified import Strata


def estimate_all(
    keys: Sequence[str],
    values: FloatArray,
    metrics: Mapping[str, MetricValue],
    clusters: IntArray | None,
) -> dict[str, Estimate]:
    """Estimate every metric that is a mean over items.

    Args:
        keys: The metrics.
        values: Each item's mean over its attempts, items x keys.
        metrics: What the report prints; an estimate's value is the same number.
        clusters: Each item's independent group; None: each is its own.
    """
    return {
        key: estimate(values[:, index], clusters).model_copy(update={"value": metrics[key].value})
        for index, key in enumerate(keys)
    }


def estimate_population(
    keys: Sequence[str],
    values: FloatArray,
    design: SampleDesign | None,
    columns: Mapping[str, TagColumn],
) -> dict[str, Estimate]:
    """Estimate every metric over all the items that a sample was drawn from.

    Args:
        keys: The metrics.
        values: Each sampled item's mean over its attempts, items x keys.
        design: How the items were drawn; None: they are no sample, and there is nothing to say.
        columns: The items' tags, those of the design among them.
    """
    if design is None:
        return {}
    from snellen.grading.stats.stratified import population_estimate

    strata = strata_of(design, columns)
    return {key: population_estimate(values[:, index], strata) for index, key in enumerate(keys)}


def strata_of(design: SampleDesign, columns: Mapping[str, TagColumn]) -> "Strata":
    """Return the strata of sampled items by the tags that the design names.

    Args:
        design: How the items were drawn.
        columns: The items' tags; an item without the tag of what was drawn whole is its own unit.

    Raises:
        MetricError: A tag is missing, or an item is of no stratum of the design.
    """
    needed = [*design.by, *([design.whole] if design.whole else [])]
    missing = [tag for tag in needed if tag not in columns]
    if missing:
        raise MetricError(
            f"the sample was drawn by {missing[0]!r}, which is not a tag of the items"
        )
    indexes = {stratum.values: index for index, stratum in enumerate(design.strata)}
    codes: list[int] = []
    for values in zip(*(columns[tag] for tag in design.by), strict=True):
        if values not in indexes:
            raise MetricError(f"the sample has no stratum {values}")
        codes.append(indexes[values])
    counts = np.array([stratum.units for stratum in design.strata])
    from snellen.grading.stats.stratified import Strata

    return Strata(
        codes=np.array(codes, dtype=np.int64),
        items=np.array([stratum.items for stratum in design.strata]),
        units=None if design.whole is None else cluster_codes(columns[design.whole]),
        unit_counts=None if design.whole is None else counts,
    )


def break_down(
    values: FloatArray,
    columns: Mapping[str, TagColumn],
    *,
    metric: str,
    clusters: IntArray | None = None,
    weights: FloatArray | None = None,
    least: int = LEAST,
    level: float = 0.95,
) -> Breakdown:
    """Estimate a metric for each value of a tag, or each combination of several tags' values.

    Args:
        values: Each item's value, items.
        columns: Each item's tags, by the tags' names; an item that lacks one is in no cell.
        metric: The metric's key.
        clusters: Each item's independent group; None: each is its own.
        weights: How many items each stands for, in a sample; None: one.
        least: Cells with fewer items are blanked: their count is given, no number.
        level: Of the intervals.

    Returns:
        The cells in natural order: numbers by their size, then texts by the alphabet.

    Raises:
        MetricError: There is no tag, or the columns are not equally long.
    """
    lengths = {len(column) for column in columns.values()}
    if lengths != {len(values)}:
        raise MetricError(f"{len(values)} items, but tags of {sorted(lengths)} items")

    def cell(rows: list[int]) -> Estimate:
        groups = None if clusters is None else clusters[rows]
        if weights is None:
            return estimate(values[rows], groups, level=level)
        from snellen.grading.stats.weighted import weighted_estimate

        return weighted_estimate(values[rows], weights[rows], groups, level=level)

    indexes: dict[tuple[str, ...], list[int]] = {}
    for index, names in enumerate(zip(*columns.values(), strict=True)):
        known = tuple(name for name in names if name is not None)
        if len(known) == len(names):
            indexes.setdefault(known, []).append(index)
    cells = [
        Cell(
            name=" x ".join(names),
            items=len(rows),
            estimate=None if len(rows) < least else cell(rows),
        )
        for names, rows in sorted(indexes.items(), key=lambda cell: [*map(natural, cell[0])])
    ]
    return Breakdown(
        tag=" x ".join(columns),
        metric=metric,
        cells=tuple(cells),
        covered=sum(cell.items for cell in cells),
        items=len(values),
        least=least,
    )


def cluster_codes(column: TagColumn) -> IntArray:
    """Number the groups that a tag makes; an item without the tag is a group of its own.

    >>> cluster_codes(["a", None, "a", None]).tolist()
    [0, 1, 0, 2]
    """
    codes: dict[str | int, int] = {}
    return np.array(
        [
            codes.setdefault(index if name is None else name, len(codes))
            for index, name in enumerate(column)
        ],
        dtype=np.int64,
    )

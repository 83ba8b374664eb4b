"""Charts in pictures: bars, points and slices are measured and compared with the record.

A chart's colors are few and known, so its marks are measured by color. Lengths of bars are
proportional to their values; areas of slices and heights of points are linear in them. The start of
the axis and the layout of the chart need not be known.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.build.charts.styles import COLORS
from snellen.tasks.item_audit.pictures import Pixels
from witness.charts import Chart, chart_of
from witness.faults import Fault
from witness.views import Evidence, View, color_number

_Mask = NDArray[np.bool_]
_Numbers = NDArray[np.float64]

_OFF = 3.0
"""The maximum error of a bar's length, in pixels."""

_OFF_POINT = 8.0
"""The same for a point: the line on both sides extends beyond it."""

_OFF_HIDDEN = 16.0
"""The same for points that are mostly covered in part by another line."""

_OFF_SLICE = 0.012
"""The maximum error of a slice, as a share of the pie."""

_SWATCH = 17
_LEAST = 12
_MARKER = 5
_WHOLE = 6
_FEWEST = 3


def check_plot(view: View) -> Iterator[Evidence]:
    """Measure a chart's picture, and compare it with the record."""
    chart, own = chart_of(view), view.picture
    if chart is None or own is None:
        return
    wrong = unseen(own, chart)
    if wrong is not None:
        yield Evidence(Fault.PLOT, wrong, "no such marks")


def unseen(pixels: Pixels, chart: Chart) -> str | None:
    """Return the part of a chart that is missing in a picture; None if nothing is."""
    colors = (pixels == color_number(color) for color in COLORS.values())
    masks = [mask for mask in colors if np.count_nonzero(mask) >= _LEAST]
    rows = [np.array(values, dtype=np.float64) for values in chart.series.values()]
    match chart.kind:
        case "bars" | "rows":
            # One of the bars may have another color.
            whole = np.any(masks, axis=0) if masks else np.zeros(pixels.shape, dtype=np.bool_)
            fits = _is_bars(whole.T if chart.kind == "rows" else whole, rows[0])
            return None if fits else f"{len(rows[0])} bars"
        case "grouped" | "stacked":
            tests = [[_is_bars(mask, values) for mask in masks] for values in rows]
        case "line" | "lines":
            masks = [_without_swatch(mask) for mask in masks]
            ends = _ends(masks)
            tests = [[_is_line(mask, ends, values) for mask in masks] for values in rows]
        case "pie":
            return None if _is_pie(masks, rows[0]) else f"{len(rows[0])} slices"
        case _:
            return None
    missing = [name for name, fits in zip(chart.series, tests, strict=True) if not any(fits)]
    return f"the marks of “{missing[0]}”" if missing else None


def _is_bars(mask: _Mask, values: _Numbers) -> bool:
    """Whether vertical bars have the lengths of the values, with or without a swatch."""
    return any(_are_long(bars, values) for bars in (mask, _without_swatch(mask)))


def _are_long(mask: _Mask, values: _Numbers) -> bool:
    runs = _runs(mask, 0)
    counts = mask.sum(axis=0)
    lengths = np.array([counts[start:end].max() for start, end in runs], dtype=np.float64)
    if len(lengths) != len(values) or values.sum() <= 0:
        return False
    scale = lengths.sum() / values.sum()
    return bool(np.abs(lengths - scale * values).max() <= _OFF)


def _without_swatch(mask: _Mask) -> _Mask:
    """Return a color's mask without its swatch in the legend, at the right or at the bottom."""
    kept = mask.copy()
    columns, lines = _runs(mask, 0), _runs(mask, 1)
    if columns and _is_swatch(mask[:, columns[-1][0] : columns[-1][1]]):
        kept[:, columns[-1][0] : columns[-1][1]] = False
    elif lines and _is_swatch(mask[lines[-1][0] : lines[-1][1]]):
        kept[lines[-1][0] : lines[-1][1]] = False
    return kept


def _is_swatch(mask: _Mask) -> bool:
    sides = [np.flatnonzero(mask.any(axis=axis)) for axis in (0, 1)]
    lengths = [int(side[-1] - side[0] + 1) for side in sides if side.size]
    return len(lengths) == 2 and max(lengths) <= _SWATCH and abs(lengths[0] - lengths[1]) <= 1


def _runs(mask: _Mask, axis: int) -> list[tuple[int, int]]:
    """Return the ranges of columns (axis 0) or rows (axis 1) of a mask that are set."""
    line = np.asarray(mask.any(axis=axis), dtype=np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], line, [0]))))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _ends(masks: Sequence[_Mask]) -> tuple[float, float]:
    """Return the x coordinates of the first and the last points of all lines."""
    columns = np.flatnonzero(np.any([mask.any(axis=0) for mask in masks], axis=0))
    if columns.size == 0:
        return 0.0, 0.0
    return float(columns[0] + _MARKER), float(columns[-1] - _MARKER)


def _is_line(mask: _Mask, ends: tuple[float, float], values: _Numbers) -> bool:
    """Whether points at equal steps have the heights of the values; later lines may cover some."""
    first, last = ends
    points: list[tuple[float, float, int]] = []
    for place, value in enumerate(values):
        x = round(first + (last - first) * place / max(len(values) - 1, 1))
        rows = np.flatnonzero(mask[:, x])
        if rows.size:
            points.append((float(value), -float(rows.mean()), rows.size))
    if len(points) < _FEWEST or 2 * len(points) < len(values):
        return False
    # The middle of a partly covered point is not known.
    whole = [point for point in points if point[2] >= _WHOLE]
    off = _OFF_POINT if len(whole) >= _FEWEST else _OFF_HIDDEN
    shown = whole if len(whole) >= _FEWEST else points
    return _on_a_line(
        np.array([point[0] for point in shown]), np.array([point[1] for point in shown]), off
    )


def _on_a_line(values: _Numbers, sizes: _Numbers, off: float) -> bool:
    if np.ptp(values) == 0:
        return bool(np.ptp(sizes) <= off)
    slope, start = np.polyfit(values, sizes, 1)
    return bool(slope > 0 and np.abs(slope * values + start - sizes).max() <= off)


def _is_pie(masks: Sequence[_Mask], values: _Numbers) -> bool:
    """Whether the slices have the sizes of the values, in any color."""
    areas = np.array(sorted(np.count_nonzero(_without_swatch(mask)) for mask in masks))
    if len(areas) != len(values):
        return False
    shares, wanted = areas / areas.sum(), np.sort(values) / values.sum()
    return bool(np.abs(shares - wanted).max() <= _OFF_SLICE)


__all__ = ["check_plot", "unseen"]

"""The page's charts: Altair describes them, vl-convert draws them as SVG with real text.

One drawing serves light and dark mode, screen and print: every color is a CSS variable of the page.
All have the same width, which fits a phone at nearly full size, so that text stays readable.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from snellen.grading.models.estimates import Breakdown, Estimate, Interval
from snellen.grading.report import page
from snellen.grading.report.figures import figure, number, points, points_span, span
from snellen.grading.report.svg import Altair, Margins, altair, draw, plain
from snellen.grading.table import Table, figures

WIDTH = 370
"""The width of every drawing, in its own units: about the CSS pixels of a phone."""

MOST_MARKS = 16
"""A calibration line shows the published rows that are nearest to the run's value, up to this."""

MOST_CELLS = 24
"""A breakdown with more values than this is a table without a drawing."""

_STEP = 26
_NUMBERS = 46
_LONGEST = 24
_CHARACTER = 7.0

# Altair describes charts as JSON, so a mark's data are a list of plain objects.
Row: TypeAlias = dict[str, str | float | None]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart and its data as a table."""

    svg: str  # one `<svg>` element that needs no escaping
    label: str  # a sentence that describes the chart, for screen readers
    table: Table


def calibration_drawing(rows: Sequence[page.CalibrationRow], ident: str) -> Drawing:
    """Draw a run's value with its interval next to chance, raters and published rows.

    Args:
        rows: The rows, in any order.
        ident: The prefix of every id in the drawing.
    """
    alt, ranked = altair(), sorted(rows, key=lambda row: row.value, reverse=True)
    shown = _nearest(ranked)
    width, data = _rows_of((row.label for row in shown), (row.value for row in shown))
    for each, row in zip(data, shown, strict=True):
        each.update(kind=row.kind.value, **_ends(row.interval))
    kinds = [kind.value for kind in page.CalibrationKind]
    color = alt.Color("kind:N", legend=None).scale(
        domain=kinds, range=["var(--accent)", "var(--warn)", "var(--good)", "var(--muted)"]
    )
    shape = alt.Shape("kind:N", legend=None).scale(
        domain=kinds, range=["circle", "diamond", "square", "circle"]
    )
    base = alt.Chart(alt.Data(values=data)).encode(y=_rows())
    here = alt.Chart(alt.Data(values=[each for each in data if each["kind"] == kinds[0]]))
    layers = (
        here.mark_rule(color="var(--accent)", strokeDash=[2, 3]).encode(x=_percents((0, 100))),
        base.mark_rule(strokeWidth=7, strokeCap="round", opacity=0.3).encode(
            x="low:Q", x2="high:Q", color=color
        ),
        base.mark_point(filled=True, opacity=1, size=70).encode(
            x="value:Q", color=color, shape=shape
        ),
        *_texts(base),
    )
    run = next((row for row in ranked if row.kind is page.CalibrationKind.RUN), None)
    others = ", ".join(f"{row.label} {figure(row.value)}" for row in shown if row is not run)
    said = f"This run scores {figure(run.value)} percent. " if run is not None else ""
    return Drawing(
        svg=_drawn(layers, width, len(data), ident),
        label=f"{said}For comparison: {others or 'nothing'}.",
        table=figures(
            ("what", "value, %", "interval, %", "source"),
            (
                (_whole_label(row), figure(row.value), span(row.interval), row.source)
                for row in ranked
            ),
            texts=(0, 3),
        ),
    )


def breakdown_drawing(
    breakdown: Breakdown, whole: float, domain: tuple[float, float], ident: str
) -> Drawing:
    """Draw a metric by the values of a tag; a blanked cell shows only its name and count.

    Args:
        breakdown: The cells; with more than `MOST_CELLS` cells, nothing is drawn.
        whole: The metric over all items, 0..1.
        domain: The axis's ends in percent (`shared_domain`).
        ident: The prefix of every id in the drawing.
    """
    cells = breakdown.cells
    table = tuple((cell.name, f"{cell.items:,}", *_estimate_cells(cell.estimate)) for cell in cells)
    label = f"{breakdown.metric} by {breakdown.tag}: " + "; ".join(
        f"{name} {value or 'not shown'}" for name, _, value, _ in table[:MOST_CELLS]
    )
    svg = ""
    if len(cells) <= MOST_CELLS:
        alt = altair()
        width, data = _rows_of(
            (_cut(cell.name, f" ({cell.items:,})") for cell in cells),
            (None if cell.estimate is None else cell.estimate.value for cell in cells),
        )
        for each, cell in zip(data, cells, strict=True):
            if cell.estimate is None:
                each["text"] = "\N{EN DASH}"
            else:
                each.update(_ends(cell.estimate.interval))
        base = alt.Chart(alt.Data(values=data)).encode(y=_rows())
        here = alt.Chart(alt.Data(values=[{"value": 100 * whole}]))
        layers = (
            here.mark_rule(color="var(--muted)", strokeDash=[2, 3]).encode(x=_percents(domain)),
            base.mark_rule(
                strokeWidth=7, strokeCap="round", opacity=0.3, color="var(--accent)"
            ).encode(x="low:Q", x2="high:Q"),
            base.mark_point(filled=True, opacity=1, size=60, color="var(--accent)").encode(
                x="value:Q"
            ),
            *_texts(base),
        )
        svg = _drawn(layers, width, len(data), ident)
    return Drawing(svg, label, figures((breakdown.tag, "items", "value, %", "interval, %"), table))


def shared_domain(breakdowns: Iterable[Breakdown], whole: float) -> tuple[float, float]:
    """Return axis ends in percent, multiples of ten, that include all intervals and the whole.

    Dots with intervals need no zero; the same domain makes the breakdowns comparable.
    """
    ends = [whole]
    for cell in (cell for each in breakdowns for cell in each.cells):
        if cell.estimate is not None:
            ends.append(cell.estimate.value)
            if cell.estimate.interval is not None:
                ends += [cell.estimate.interval.low, cell.estimate.interval.high]
    return _tens(min(ends), max(ends))


def difference_drawing(difference: page.Difference, ident: str) -> Drawing:
    """Draw a difference between two protocols, part by part, as a waterfall chart."""
    alt = altair()
    names = [difference.first, *(share.part for share in difference.shares), difference.second]
    width, data = _rows_of(names, [None] * len(names))
    reached = difference.first_value
    ends = [reached, difference.second_value]
    for each, share in zip(data[1:-1], difference.shares, strict=True):
        start, reached = reached, reached + share.share
        ends.append(reached)
        each.update(
            low=100 * start,
            high=100 * reached,
            sign="none" if abs(share.share) < 5e-5 else "gain" if share.share > 0 else "loss",
            text=points(share.share),
        )
    for each, value in ((data[0], ends[0]), (data[-1], ends[1])):
        each.update(value=100 * value, text=figure(value))
    base = alt.Chart(alt.Data(values=data)).encode(y=_rows())
    layers = (
        base.mark_bar(height=12, cornerRadius=2)
        .transform_filter("isValid(datum.low) && datum.sign != 'none'")
        .encode(
            x=_percents(_tens(min(ends), max(ends), 10), "low"),
            x2="high:Q",
            color=alt.Color("sign:N", legend=None).scale(
                domain=["gain", "loss"], range=["var(--good)", "var(--bad)"]
            ),
        ),
        base.mark_point(filled=True, opacity=1, size=70, color="var(--ink)")
        .transform_filter("isValid(datum.value)")
        .encode(x="value:Q"),
        *_texts(base),
    )
    gap = difference.second_value - difference.first_value
    parts = ", ".join(f"{share.part} {points(share.share)}" for share in difference.shares)
    return Drawing(
        svg=_drawn(layers, width, len(data), ident),
        label=(
            f"From {difference.first} at {figure(difference.first_value)} to"
            f" {difference.second} at {figure(difference.second_value)}, {points(gap)} points:"
            f" {parts}."
        ),
        table=figures(
            ("part", "share, points", difference.first, difference.second),
            (
                (share.part, points(share.share), share.first, share.second)
                for share in difference.shares
            ),
            texts=(0, 2, 3),
        ),
    )


def changes_drawing(changes: Sequence[page.Change], ident: str) -> Drawing:
    """Draw two bars per change, before and after, with their intervals."""
    alt = altair()
    pairs = [
        (_cut(change.label, f"{SIDE}{side}"), side, estimate)
        for change in changes
        for side, estimate in (("before", change.before), ("after", change.after))
    ]
    width, data = _rows_of(
        (name for name, _, _ in pairs), (estimate.value for _, _, estimate in pairs)
    )
    for each, (_, side, estimate) in zip(data, pairs, strict=True):
        each.update(side=side, zero=0, **_ends(estimate.interval))
    base = alt.Chart(alt.Data(values=data)).encode(y=_rows())
    layers = (
        base.mark_bar(height=14, cornerRadiusEnd=2).encode(
            x=_percents((0, 100), "zero"),
            x2="value:Q",
            color=alt.Color("side:N", legend=None).scale(
                domain=["before", "after"], range=["var(--soft)", "var(--accent)"]
            ),
        ),
        base.mark_rule(strokeWidth=2, color="var(--ink)").encode(x="low:Q", x2="high:Q"),
        *_texts(base),
    )
    return Drawing(
        svg=_drawn(layers, width, len(data), ident),
        label="Before and after: "
        + "; ".join(
            f"{change.label} {figure(change.before.value)} to {figure(change.after.value)}"
            for change in changes
        )
        + ".",
        table=figures(
            ("what changed", "before, %", "after, %", "gap, points", "its interval", "R"),
            (
                (
                    change.label,
                    figure(change.before.value),
                    figure(change.after.value),
                    points(change.gap),
                    points_span(None if change.difference is None else change.difference.interval),
                    number(change.resilience),
                )
                for change in changes
            ),
        ),
    )


def curve_drawing(curve: page.Curve, ident: str) -> Drawing:
    """Draw the recall after each share of the budget, as steps."""
    alt = altair()
    data = [{"budget": 100 * point.budget, "recall": 100 * point.recall} for point in curve.points]
    data.append({"budget": 100, "recall": 100 * curve.success_rate})
    x = (
        alt.X("budget:Q")
        .scale(domain=[0, 100], nice=False)
        .axis(title="budget spent, %", grid=False, tickCount=5)
    )
    y = (
        alt.Y("recall:Q")
        .scale(domain=[0, 100], nice=False)
        .axis(title="tasks solved, %", tickCount=5, titlePadding=4)
        # Points at the same budget must not be stacked.
        .stack(False)
    )
    base = alt.Chart(alt.Data(values=data)).encode(x=x, y=y)
    layers = (
        base.mark_area(interpolate="step-after", color="var(--accent)", opacity=0.2),
        base.mark_line(interpolate="step-after", color="var(--accent)", strokeWidth=2),
    )
    svg = draw(alt.layer(*layers).properties(width=WIDTH - 60, height=220), ident)
    areas = ", ".join(f"{name} {figure(area)}" for name, area in curve.areas.items())
    return Drawing(
        svg=svg,
        label=(
            f"Recall against budget over {curve.episodes:,} tasks: it ends at"
            f" {figure(curve.success_rate)} percent; {areas}."
        ),
        table=figures(
            ("budget spent, %", "tasks solved, %"),
            ((figure(p.budget), figure(p.recall)) for p in _thinned(curve.points)),
            texts=(),
        ),
    )


SIDE = " \N{MIDDLE DOT} "


def _nearest(ranked: Sequence[page.CalibrationRow]) -> list[page.CalibrationRow]:
    run = next((row.value for row in ranked if row.kind is page.CalibrationKind.RUN), 0.0)
    published = [row for row in ranked if row.kind is page.CalibrationKind.PUBLISHED]
    near = sorted(published, key=lambda row: abs(row.value - run))[:MOST_MARKS]
    return [row for row in ranked if row.kind is not page.CalibrationKind.PUBLISHED or row in near]


def _rows_of(names: Iterable[str], values: Iterable[float | None]) -> tuple[int, list[Row]]:
    """Return the plot's width and one data row per name, with the text printed next to its mark."""
    data: list[Row] = [
        {
            "row": row,
            "name": plain(_cut(name)),
            "value": None if value is None else 100 * value,
            "text": "" if value is None else figure(value),
        }
        for row, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    longest = max(len(str(each["name"])) for each in data)
    return WIDTH - 12 - round(_CHARACTER * longest) - _NUMBERS, data


def _rows() -> Altair:
    """Return the vertical position of a data row: its index, so that rows may share a name."""
    alt = altair()
    return alt.Y("row:O").axis(None)


def _percents(domain: tuple[float, float], name: str = "value") -> Altair:
    alt, ticks = altair(), _ticks(domain)
    return (
        alt.X(f"{name}:Q")
        .scale(domain=list(domain), nice=False, zero=False)
        # Without a count, Vega omits some of the given ticks.
        .axis(title=None, values=ticks, tickCount=len(ticks))
    )


def _ticks(domain: tuple[float, float]) -> list[float]:
    low, high = domain
    step = 20 if high - low > 50 else 10 if high - low > 20 else 5 if high - low > 10 else 2
    return [float(tick) for tick in range(int(low), int(high) + 1, step)]


def _texts(base: Altair) -> tuple[Altair, Altair]:
    """Print each row's name at the left of the plot and its number at the right."""
    alt = altair()
    return (
        base.mark_text(align="right", dx=-10).encode(x=alt.value(0), text="name:N"),
        base.mark_text(align="right", dx=_NUMBERS - 2, fontWeight=600).encode(
            x=alt.value("width"), text="text:N"
        ),
    )


def _drawn(layers: Sequence[Altair], width: int, rows: int, ident: str) -> str:
    chart = altair().layer(*layers).properties(width=width, height=rows * _STEP)
    # The renderer measures text in another font than the page's, so its margins are replaced.
    return draw(chart, ident, Margins(left=WIDTH - _NUMBERS - width, width=WIDTH))


def _ends(interval: Interval | None) -> Row:
    if interval is None:
        return {"low": None, "high": None}
    return {"low": 100 * max(0.0, interval.low), "high": 100 * min(1.0, interval.high)}


def _tens(low: float, high: float, apart: int = 20) -> tuple[float, float]:
    """Return multiples of ten percent around two shares, at least `apart` points apart."""
    start = max(0, 10 * math.floor(10 * low + 1e-9))
    stop = min(100, 10 * math.ceil(10 * high - 1e-9))
    while stop - start < apart:
        start, stop = (start - 10, stop) if stop >= 100 else (start, stop + 10)
    return float(start), float(stop)


def _thinned(points: Sequence[Any], most: int = 100) -> Sequence[Any]:
    step = -(-len(points) // most)
    kept = points[::step]
    return kept if kept[-1] == points[-1] else [*kept, points[-1]]


def _estimate_cells(estimate: Estimate | None) -> tuple[str, str]:
    return ("", "") if estimate is None else (figure(estimate.value), span(estimate.interval))


def _whole_label(row: page.CalibrationRow) -> str:
    """Keep the run's own label on one line; a published row's may be long."""
    if row.kind is page.CalibrationKind.PUBLISHED:
        return row.label
    return row.label.replace(" ", "\N{NO-BREAK SPACE}")


def _cut(text: str, ending: str = "") -> str:
    """Shorten a name to the available space; its ending stays."""
    room = _LONGEST - len(ending)
    return (text if len(text) <= room else f"{text[: room - 1]}…") + ending

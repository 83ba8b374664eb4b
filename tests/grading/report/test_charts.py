"""Drawings: where their marks stand, what they say, and what they let through."""

import re
from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from snellen.grading.models.estimates import Breakdown, Cell, Estimate
from snellen.grading.report import charts, page

MakeEstimate = Callable[..., Estimate]


def texts(svg: str) -> list[str]:
    """Return the texts of a drawing, which are text and not outlines."""
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter("text")]


def breakdown(make: MakeEstimate, names: list[str]) -> Breakdown:
    cells = tuple(
        Cell(name=name, items=100 + place, estimate=make(0.5 + place / 100))
        for place, name in enumerate(names)
    )
    return Breakdown(tag="tag", metric="f1", cells=cells, covered=300, items=300, least=10)


def test_a_breakdown_draws_every_value_where_it_belongs(make_estimate: MakeEstimate) -> None:
    given = breakdown(make_estimate, ["low", "middle", "high"])
    svg = charts.breakdown_drawing(given, 0.51, (40.0, 60.0), "b").svg
    dots = [
        float(path.attrib["transform"].removeprefix("translate(").partition(",")[0])
        for path in ElementTree.fromstring(svg).iter("path")
        if path.get("fill") == "var(--accent)"
    ]
    assert len(dots) == 3
    # A linear scale from 40 to 60: the second dot lies a point of twenty right of the first.
    left, right = _plot(svg)
    for dot, value in zip(dots, (50, 51, 52), strict=True):
        assert dot == pytest.approx(left + (right - left) * (value - 40) / 20, abs=0.01)
    assert [text for text in texts(svg) if text.endswith(")")] == [
        "low (100)",
        "middle (101)",
        "high (102)",
    ]
    assert {"50.0", "51.0", "52.0"} <= set(texts(svg))


def _plot(svg: str) -> tuple[float, float]:
    """Return where the plot starts and ends, by its first and last grid line."""
    found = [
        float(match[1])
        for match in re.finditer(r'<line transform="translate\(([\d.]+),0\)" x2="0" y2="-', svg)
    ]
    return min(found), max(found)


def test_a_blanked_cell_has_its_name_and_no_number(make_estimate: MakeEstimate) -> None:
    cells = (
        Cell(name="many", items=90, estimate=make_estimate(0.5)),
        Cell(name="few", items=4, estimate=None),
    )
    given = Breakdown(tag="tag", metric="f1", cells=cells, covered=94, items=94, least=10)
    drawing = charts.breakdown_drawing(given, 0.5, (40, 60), "b")
    assert {"few (4)", "\N{EN DASH}"} <= set(texts(drawing.svg))
    assert drawing.table.rows[1] == ("few", "4", "", "")
    assert "few not shown" in drawing.label


def test_a_breakdown_of_very_many_values_is_a_table(make_estimate: MakeEstimate) -> None:
    given = breakdown(make_estimate, [f"site {number}" for number in range(charts.MOST_CELLS + 1)])
    drawing = charts.breakdown_drawing(given, 0.5, (0, 100), "b")
    assert drawing.svg == ""
    assert len(drawing.table.rows) == charts.MOST_CELLS + 1


@pytest.mark.parametrize(
    ("low", "high", "domain"),
    [(0.42, 0.58, (30, 70)), (0.0, 0.02, (0, 20)), (0.97, 1.0, (80, 100)), (0.05, 0.95, (0, 100))],
)
def test_breakdowns_share_an_axis_that_holds_every_interval(
    make_estimate: MakeEstimate, low: float, high: float, domain: tuple[float, float]
) -> None:
    cells = tuple(
        Cell(name=name, items=90, estimate=make_estimate(value, 0.03))
        for name, value in (("a", low), ("b", high))
    )
    given = Breakdown(tag="tag", metric="f1", cells=cells, covered=9, items=9, least=1)
    assert charts.shared_domain([given], low) == domain


def test_a_waterfall_says_every_share_and_both_ends() -> None:
    shares = (page.PartShare("parser", 0.05, "a", "b"), page.PartShare("metric", -0.01, "c", "d"))
    drawing = charts.difference_drawing(
        page.Difference("one@1", "two@1", "f1", 0.6, 0.64, shares), "w"
    )
    assert {
        "one@1",
        "60.0",
        "parser",
        "+5.0",
        "metric",
        "\N{MINUS SIGN}1.0",
        "two@1",
        "64.0",
    } <= set(texts(drawing.svg))
    assert drawing.svg.count("var(--good)") == 1
    assert drawing.svg.count("var(--bad)") == 1
    assert "+4.0 points" in drawing.label


def test_a_change_has_two_bars_and_its_resilience(make_estimate: MakeEstimate) -> None:
    change = page.Change("color", make_estimate(0.8), make_estimate(0.7), make_estimate(-0.1, 0.05))
    drawing = charts.changes_drawing([change], "c")
    assert drawing.svg.count('fill="var(--soft)"') == 1
    assert drawing.svg.count('fill="var(--accent)"') == 1
    interval = "\N{MINUS SIGN}15.0 to \N{MINUS SIGN}5.0"
    assert drawing.table.rows == (
        ("color", "80.0", "70.0", "\N{MINUS SIGN}10.0", interval, "50.0"),
    )


def test_a_curve_is_drawn_as_steps() -> None:
    points = (page.CurvePoint(0, 0), page.CurvePoint(0.25, 0.5), page.CurvePoint(1, 0.5))
    drawing = charts.curve_drawing(page.Curve(points, {"eqa": 0.375}, 0.5, 2), "e")
    line = next(
        path.get("d", "")
        for path in ElementTree.fromstring(drawing.svg).iter("path")
        if path.get("stroke") == "var(--accent)"
    )
    corners = [tuple(map(float, pair)) for pair in re.findall(r"[ML]([\d.]+),([\d.]+)", line)]
    flat = [(a, b) for a, b in pairwise(corners) if a[0] != b[0]]
    assert flat
    assert all(a[1] == b[1] for a, b in flat), "it rises only where a task is solved"
    # Its last two points are at the same budget; stacked, they made room for a sum above 100 %.
    _, _, width, height = map(float, ElementTree.fromstring(drawing.svg).attrib["viewBox"].split())
    assert height < width
    assert "ends at 50.0 percent" in drawing.label


def test_a_long_curve_has_a_short_table() -> None:
    points = tuple(page.CurvePoint(place / 999, place / 2000) for place in range(1000))
    drawing = charts.curve_drawing(page.Curve(points, {}, 0.4995, 1000), "e")
    assert len(drawing.table.rows) <= 101
    assert drawing.table.rows[-1][0] == "100.0"


def test_published_rows_nearest_to_the_run_are_drawn_and_all_are_in_the_table() -> None:
    rows = [page.CalibrationRow("this run", 0.5, page.CalibrationKind.RUN)]
    rows += [
        page.CalibrationRow(f"model {number}", number / 100, page.CalibrationKind.PUBLISHED)
        for number in range(0, 100, 2)
    ]
    drawing = charts.calibration_drawing(rows, "c")
    assert len(drawing.table.rows) == len(rows)
    drawn = {text for text in texts(drawing.svg) if text.startswith("model")}
    assert len(drawn) == charts.MOST_MARKS
    assert "model 50" in drawn
    assert "model 0" not in drawn


def test_two_rows_of_one_name_are_both_drawn() -> None:
    rows = [
        page.CalibrationRow("twin", 0.4, page.CalibrationKind.PUBLISHED),
        page.CalibrationRow("twin", 0.6, page.CalibrationKind.PUBLISHED),
    ]
    assert texts(charts.calibration_drawing(rows, "c").svg).count("twin") == 2


@pytest.mark.slow
def test_any_text_is_drawn_as_text(nasty: str, make_estimate: MakeEstimate) -> None:
    svg = charts.breakdown_drawing(breakdown(make_estimate, [nasty, "b"]), 0.5, (0, 100), "b").svg
    root = ElementTree.fromstring(svg)
    tags = {element.tag for element in root.iter()}
    assert tags <= {"svg", "g", "path", "line", "rect", "text"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in attributes if name.startswith("on") or "href" in name}
    assert "style" not in attributes


def test_colors_are_the_pages_own(make_estimate: MakeEstimate) -> None:
    svg = charts.breakdown_drawing(breakdown(make_estimate, ["a", "b"]), 0.5, (0, 100), "b").svg
    colors = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg))
    assert all(color == "none" or color.startswith("var(--") for color in colors)
    assert f'viewBox="0 0 {charts.WIDTH} ' in svg


def test_ids_of_two_drawings_do_not_meet(make_estimate: MakeEstimate) -> None:
    given = breakdown(make_estimate, ["a", "b"])
    curve = page.Curve((page.CurvePoint(0, 0), page.CurvePoint(1, 0.5)), {}, 0.5, 2)
    one = (
        charts.breakdown_drawing(given, 0.5, (0, 100), "one").svg
        + charts.curve_drawing(curve, "one").svg
    )
    two = (
        charts.breakdown_drawing(given, 0.5, (0, 100), "two").svg
        + charts.curve_drawing(curve, "two").svg
    )
    first, second = (set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (one, two))
    assert not first & second
    used = set(re.findall(r"url\(#([^)]+)\)", one))
    assert used <= first


def test_a_resilience_below_zero_has_a_minus_sign(make_estimate: MakeEstimate) -> None:
    change = page.Change("color", make_estimate(0.8), make_estimate(0.8 - 1 / 3))
    (row,) = charts.changes_drawing([change], "c").table.rows
    assert row[-1] == "\N{MINUS SIGN}66.7"


def test_the_runs_label_in_the_table_does_not_break() -> None:
    rows = [
        page.CalibrationRow("this run", 0.5, page.CalibrationKind.RUN),
        page.CalibrationRow("a long model", 0.4, page.CalibrationKind.PUBLISHED),
    ]
    labels = [row[0] for row in charts.calibration_drawing(rows, "c").table.rows]
    assert labels == ["this\N{NO-BREAK SPACE}run", "a long model"]

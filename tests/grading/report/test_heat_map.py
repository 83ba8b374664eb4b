import re
from collections.abc import Callable

import numpy as np
import pytest

from snellen.grading.protocols.grid import Grid, GridItems, make_grid
from snellen.grading.report.heat_map import (
    DARKEST,
    PALEST,
    cell_text,
    grid_markdown,
    heat_map,
)
from snellen.grading.report.html import render_html
from snellen.grading.report.page import Page

MakePage = Callable[..., Page]


def make(right: dict[tuple[str, str], tuple[int, int]], **items: object) -> Grid:
    """Make a grid of right answers out of so many, by row and column."""
    pairs = [pair for pair, (_, count) in right.items() for _ in range(count)]
    values = np.concatenate([[1.0] * good + [0.0] * (n - good) for good, n in right.values()])
    tags = {"dimension": [row for row, _ in pairs], "level": [column for _, column in pairs]}
    return make_grid(GridItems(values, **items), tags, metric="f1")  # pyright: ignore[reportArgumentType]  # any of its fields


RIGHT = {
    ("perception", "L1"): (45, 50),
    ("perception", "L2"): (20, 40),
    ("action", "L1"): (2, 3),
}


def test_shades_run_from_the_palest_to_the_darkest_over_the_tens_about_the_cells() -> None:
    found = heat_map(make(RIGHT))
    assert (found.low, found.high) == ("50", "90")
    assert found.rows[0].cells[0].shade == DARKEST
    assert found.rows[0].cells[1].shade == PALEST
    assert (found.scale[0], found.scale[-1]) == (PALEST, DARKEST)


def test_cells_much_alike_are_not_made_to_look_apart() -> None:
    found = heat_map(make({("a", "L1"): (30, 40), ("a", "L2"): (31, 40), ("b", "L1"): (40, 40)}))
    assert (found.low, found.high) == ("70", "100")
    alike = heat_map(make({("a", "L1"): (38, 40), ("a", "L2"): (39, 40)}))
    assert (alike.low, alike.high) == ("80", "100")


def test_a_blanked_cell_says_how_many_and_has_no_shade() -> None:
    grid = make(RIGHT)
    found = heat_map(grid)
    assert found.rows[1].cells[0] == ("", "", "n 3", None)
    assert found.rows[1].cells[1] == ("", "", "none", None)
    assert cell_text(grid, grid.cells[1][0]) == ("-", "n 3")
    assert cell_text(grid, grid.cells[0][0])[::2] == ("90.0", "n 50")
    assert found.note == "n: independent items. 1 cell is blanked: fewer than 10 items."


def test_groups_and_what_a_sample_stands_for_are_told() -> None:
    codes, weights = np.arange(93) // 3, np.array([4.0] * 50 + [1.0] * 43)
    grid = make(RIGHT, clusters=codes, weights=weights, clustered_by="site")
    found = heat_map(grid)
    assert found.rows[0].cells[0].counts == "n 50 of 200 in 17"
    assert "n: items in groups by site." in found.note
    assert "fewer than 10 items or 5 groups." in found.note
    assert "counts as often as it stands for" in found.note


def test_markdown_has_a_row_a_row_and_a_total_for_each() -> None:
    text = b"".join(grid_markdown(make(RIGHT))).decode()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows[0] == "| dimension x level | L1 | L2 | all |"
    assert {row.count("|") for row in rows} == {5}
    assert "| action | -, n 3 | -, none | -, n 3 |" in rows
    assert "90.0, 78.6\N{EN DASH}95.7, n 50" in text
    assert text.endswith("fewer than 10 items.\n")


def test_a_tag_with_a_bar_does_not_break_the_table() -> None:
    text = b"".join(grid_markdown(make({("a|b", "L1"): (30, 40), ("c", "L1"): (1, 40)}))).decode()
    assert "| a\\|b | 75.0" in text


def test_a_tag_of_two_lines_does_not_break_the_table() -> None:
    text = b"".join(grid_markdown(make({("a\nb", "L1"): (30, 40), ("c", "L1"): (1, 40)}))).decode()
    assert "| a b | 75.0" in text


def test_the_page_shows_the_grid_and_says_what_is_blanked(bare_page: MakePage) -> None:
    html = b"".join(render_html(bare_page(heat_map=make(RIGHT)))).decode()
    section = html[html.index('<section id="grid">') :]
    section = section[: section.index("</section>")]
    assert '<a href="#grid">Grid</a>' in html
    assert section.count('fill="url(#hatch)"') == 2
    assert section.count("too few") == 2  # the cell's and its row's total
    shades = re.findall(r'rx="4" fill="var\(--accent\)" fill-opacity="([\d.]+)"', section)
    assert list(map(float, shades)) == [DARKEST, PALEST]
    assert re.search(r'<th scope="row">perception</th>', section)
    assert 'style="' not in section


def test_the_page_of_items_without_such_tags_has_no_grid(bare_page: MakePage) -> None:
    html = b"".join(render_html(bare_page())).decode()
    assert '<section id="grid">' not in html


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'x" onload="y'])
def test_names_of_rows_are_text_whatever_they_are(bare_page: MakePage, name: str) -> None:
    grid = make({(name, "L1"): (30, 40), ("c", name): (1, 40)})
    html = b"".join(render_html(bare_page(heat_map=grid))).decode()
    assert name not in html

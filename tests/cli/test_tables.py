"""Tables in a terminal: whatever the width, every number and every name is there whole."""

import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from snellen import sdk
from snellen.cli.app import app
from snellen.cli.tables import print_table
from snellen.grading.table import Column, Kind, Table


def printed(heads: Sequence[Column], rows: Sequence[Sequence[str]], width: int = 80) -> str:
    out = StringIO()
    table = Table("", tuple(heads), tuple(map(tuple, rows)))
    print_table(Console(file=out, width=width, highlight=False), table)
    return out.getvalue()


def numbers(*names: str) -> list[Column]:
    return [Column("platform", Kind.TEXT), *(Column(name, Kind.FIGURE) for name in names)]


def test_a_table_that_fits_is_printed_as_it_is() -> None:
    assert printed(numbers("value", "items"), [["windows", "100.00", "7"]]) == (
        "platform   value  items\nwindows   100.00      7\n"
    )


def test_names_of_numbers_are_folded_before_anything_else() -> None:
    text = printed(numbers("EQA, half_open", "R, not below 0"), [["ios", "1.00", "2.0"]], 30)
    assert text.split("\n")[0].split() == ["EQA,", "R,", "not"]
    assert text.split("\n")[1].split() == ["platform", "half_open", "below", "0"]


def test_what_is_a_little_too_wide_moves_together() -> None:
    heads = numbers("alpha", "beta", "gamma")
    rows = [["windows", "100.00", "100.00", "100.00"]]
    assert [len(line.rstrip()) for line in printed(heads, rows, 30).splitlines()] == [29, 29]


def test_what_does_not_fit_goes_on_below_with_the_names_of_the_rows() -> None:
    heads = numbers(*(f"number{place}" for place in range(12)))
    row = ["windows", *(f"{100 + place}.00" for place in range(12))]
    text = printed(heads, [row])
    assert text.count("windows") == 2
    assert all(cell in text for cell in row)
    assert max(map(len, text.splitlines())) <= 80


def test_a_column_that_says_one_thing_is_told_once_where_there_is_no_room() -> None:
    heads = [
        Column("part", Kind.TEXT),
        Column("metric", Kind.TEXT),
        Column("this run", Kind.FIGURE),
        Column("printed", Kind.FIGURE),
    ]
    rows = [[name, "weighted_accuracy", "58.84", "62.50"] for name in ("easy", "medium")]
    text = printed(heads, rows, 30)
    assert text.count("weighted_accuracy") == 1
    assert text.endswith("metric: weighted_accuracy\n")
    assert printed(heads, rows, 80).count("weighted_accuracy") == 2


def test_brackets_in_a_cell_are_no_markup() -> None:
    assert "[bold]x[/bold]" in printed([Column("[a]", Kind.TEXT)], [["[bold]x[/bold]"]])


@given(
    width=st.integers(24, 120),
    columns=st.integers(1, 9),
    cells=st.lists(st.floats(0, 10_000), min_size=1, max_size=4),
    name=st.text("ab ", min_size=1, max_size=30),
)
def test_no_number_is_ever_cut(width: int, columns: int, cells: list[float], name: str) -> None:
    heads = numbers(*(f"a metric {place}" for place in range(columns)))
    rows = [[name, *(f"{cell + place:,.2f}" for place in range(columns))] for cell in cells]
    text = printed(heads, rows, width)
    words = text.split()
    assert all(cell in words for row in rows for cell in row[1:])
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert max(map(len, text.splitlines())) <= max(width, 30)


@pytest.fixture
def color(tmp_path: Path) -> Path:
    ids = [f"{pair}/{state}" for pair in "abcd" for state in ("before", "after")]
    tags = {one: {"pair": one[0], "state": one[2:], "site": one[0]} for one in ids}
    report = sdk.grade(
        [{"item_id": one, "response": "Buy", "model": "m"} for one in ids],
        task="webrssbench/color",
        references=dict.fromkeys(ids, "Buy"),
        tags=tags,
    )
    return report.save(tmp_path / "color.json")


def test_a_table_is_as_wide_as_the_terminal_is_when_it_is_printed(color: Path) -> None:
    def widest(columns: str) -> int:
        result = CliRunner(env={"COLUMNS": columns}).invoke(
            app, ["report", "--tables", "--beside", str(color)]
        )
        return max(map(len, result.stdout.splitlines()))

    assert widest("200") > 80
    assert widest("80") <= 80


def test_perfect_scores_and_models_are_whole_in_a_terminal_of_80_columns(color: Path) -> None:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(
        app, ["report", "--tables", "--beside", str(color)]
    )
    assert result.exit_code == 0
    assert "\N{HORIZONTAL ELLIPSIS}" not in result.stdout
    assert re.search(r"^pooled +100\.00 +100\.00 ", result.stdout, re.MULTILINE)
    assert "Qwen2.5-VL-72B 76.8" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80

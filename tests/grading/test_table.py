"""The one form of summaries: how cells are written, and what becomes of a table as a file."""

import pytest

from snellen.grading.table import (
    EMPTY,
    Cell,
    Column,
    Kind,
    PartValue,
    Summary,
    Table,
    to_markdown,
    to_plain,
    written,
)

TABLE = Table(
    "Two runs",
    (Column("run", Kind.TEXT), Column("SR"), Column("tasks", Kind.COUNT)),
    (("a|b", 0.5, 1200), ("none", None, None)),
    "ours",
    "A note.",
)


@pytest.mark.parametrize(
    ("cell", "kind", "text"),
    [
        ("easy", Kind.SHARE, "easy"),
        (None, Kind.SHARE, EMPTY),
        (0.45678, Kind.SHARE, "45.68"),
        (-0.05, Kind.SHARE, "\N{MINUS SIGN}5.00"),
        (0.05, Kind.POINTS, "+5.00"),
        (-0.05, Kind.POINTS, "\N{MINUS SIGN}5.00"),
        (-25.0, Kind.INDEX, "\N{MINUS SIGN}25.0"),
        (1234, Kind.COUNT, "1,234"),
        (0.000123456, Kind.P, "0.000123"),
        (15.0, Kind.TEXT, "15"),
    ],
)
def test_a_cell_is_written_by_what_its_column_holds(cell: Cell, kind: Kind, text: str) -> None:
    assert written(cell, kind) == text


def test_a_table_as_markdown_is_a_table_of_markdown() -> None:
    assert list(to_markdown(TABLE)) == [
        "## Two runs\n",
        "| run | SR | tasks |",
        "|---|---:|---:|",
        "| a\\|b | 50.00 | 1,200 |",
        f"| none | {EMPTY} | {EMPTY} |",
        "\nSource: ours.",
        "A note.",
        "",
    ]


def test_a_table_as_plain_values_keeps_its_numbers() -> None:
    assert to_plain(TABLE)["rows"] == [
        {"run": "a|b", "SR": 0.5, "tasks": 1200},
        {"run": "none", "SR": None, "tasks": None},
    ]


def test_a_number_is_found_by_its_name() -> None:
    own = PartValue("t", "sr", "15 steps", 0.5, 4)
    other = PartValue("u", "sr", "", 0.25, 4)
    summary = Summary("t", None, (TABLE,), (own, other))
    assert summary.value("sr", "15 steps") == own
    assert summary.value("sr", task="u") == other
    assert summary.value("sr") is None

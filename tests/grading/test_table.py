"""The one form of summaries: how cells are written, and what becomes of a table as a file."""

from collections.abc import Iterator

import pytest

from snellen.grading import table

TABLE = table.Table(
    "Two runs",
    (
        table.Column("run", table.Kind.TEXT),
        table.Column("SR"),
        table.Column("tasks", table.Kind.COUNT),
    ),
    (("a|b", 0.5, 1200), ("none", None, None)),
    "ours",
    "A note.",
)


@pytest.mark.parametrize(
    ("cell", "kind", "text"),
    [
        ("easy", table.Kind.SHARE, "easy"),
        (None, table.Kind.SHARE, table.EMPTY),
        (0.45678, table.Kind.SHARE, "45.68"),
        (-0.05, table.Kind.SHARE, "\N{MINUS SIGN}5.00"),
        (0.05, table.Kind.POINTS, "+5.00"),
        (-0.05, table.Kind.POINTS, "\N{MINUS SIGN}5.00"),
        (-25.0, table.Kind.INDEX, "\N{MINUS SIGN}25.0"),
        (1234, table.Kind.COUNT, "1,234"),
        (0.000123456, table.Kind.P, "0.000123"),
        (15.0, table.Kind.TEXT, "15"),
    ],
)
def test_a_cell_is_written_by_what_its_column_holds(
    cell: table.Cell, kind: table.Kind, text: str
) -> None:
    assert table.written(cell, kind) == text


def test_a_table_as_markdown_is_a_table_of_markdown() -> None:
    assert list(table.to_markdown(TABLE)) == [
        "## Two runs\n",
        "| run | SR | tasks |",
        "|---|---:|---:|",
        "| a\\|b | 50.00 | 1,200 |",
        f"| none | {table.EMPTY} | {table.EMPTY} |",
        "\nSource: ours.",
        "A note.",
        "",
    ]


def test_a_table_as_plain_values_keeps_its_numbers() -> None:
    assert table.to_plain(TABLE)["rows"] == [
        {"run": "a|b", "SR": 0.5, "tasks": 1200},
        {"run": "none", "SR": None, "tasks": None},
    ]


def test_a_number_is_found_by_its_name() -> None:
    own = table.PartValue("t", "sr", "15 steps", 0.5, 4)
    other = table.PartValue("u", "sr", "", 0.25, 4)
    summary = table.Summary("t", None, (TABLE,), (own, other))
    assert summary.value("sr", "15 steps") == own
    assert summary.value("sr", task="u") == other
    assert summary.value("sr") is None


class Result(table.Printable):
    def pieces(self) -> Iterator[table.Table | str]:
        yield "Read <this> first."
        yield table.figures(("tag", "f1"), [("a & b", "50.00"), ("c", "7.00")])


def test_columns_of_text_stand_on_the_left_and_numbers_on_the_right() -> None:
    lines = ["Read <this> first.", "tag       f1", "a & b  50.00", "c       7.00"]
    assert str(Result()).splitlines() == lines
    assert repr(Result()) == str(Result())


def test_a_notebook_gets_tables_and_no_markup_of_the_results_own() -> None:
    page = getattr(Result(), "_repr_html_")()  # noqa: B009  # the name that notebooks look for
    assert page.startswith("<div>Read &lt;this&gt; first.</div>\n<table><thead><tr><th")
    assert '<td style="text-align: left">a &amp; b</td>' in page
    assert '<td style="text-align: right">50.00</td>' in page

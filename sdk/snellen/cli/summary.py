"""The tables of the benchmarks' papers, as `snellen report --tables` prints them."""

from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from snellen.cli.options import check_folder
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.table import Table
from snellen.sdk.analysis.published import beside_tables
from snellen.sdk.files import check_ending
from snellen.sdk.report import load_report
from snellen.sdk.summaries.cells import Options
from snellen.sdk.summaries.saving import WRITERS, save_summaries
from snellen.sdk.summaries.several import summarise

_out = Terminal()


def print_tables(
    reports: Sequence[Path], options: Options, output: Sequence[Path] | None, *, beside: bool
) -> None:
    """Print and save the tables of a paper, over the reports of one or more tasks."""
    for path in output or ():
        check_ending(path, WRITERS, "a summary")
        check_folder(path)
    given = [load_report(path) for path in reports]
    found = summarise(given, limit=options.limit, missing=options.missing, reading=options.reading)
    published = beside_tables(given, found, options) if beside else ()
    tables = (*(table for one in found for table in one.tables), *published)
    for number, table in enumerate(tables):
        if number:
            _out.print()
        _print(table)
    for path in output or ():
        save_summaries(path, found, published)


def _print(given: Table) -> None:
    _out.print(f"[bold]{escape(given.title)}[/bold]")
    print_table(_out, given)
    for line in filter(None, (given.note, f"Source: {given.source}.")):
        _out.print(escape(line), style="dim")

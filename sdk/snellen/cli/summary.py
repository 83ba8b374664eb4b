"""The command that prints what benchmarks' papers print."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from snellen.cli.messages import report_errors
from snellen.cli.options import check_folder
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.table import Table
from snellen.grading.tables.mmbench_gui_online import Missing, Reading
from snellen.sdk.analysis.published import beside_tables
from snellen.sdk.files import check_ending
from snellen.sdk.report import load_report
from snellen.sdk.summaries.cells import Options
from snellen.sdk.summaries.saving import WRITERS, save_summaries
from snellen.sdk.summaries.several import summarise

_out = Terminal()


def summary(
    reports: Annotated[
        list[Path], typer.Argument(help="Reports of one model, saved as JSON, one per task.")
    ],
    limit: Annotated[
        float | None,
        typer.Option(help="L3, L4: the step limit of a task; longer episodes are failures.", min=1),
    ] = None,
    missing: Annotated[
        Missing | None,
        typer.Option(help="L3, L4: skip platforms without runs, or count them as 0."),
    ] = None,
    reading: Annotated[
        Reading | None,
        typer.Option(help="L3, L4: the EQA to compare; by default the protocol's."),
    ] = None,
    beside: Annotated[
        bool, typer.Option("--beside", help="Compare with published numbers.")
    ] = False,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Save the summary: .json or .md; may be repeated."),
    ] = None,
) -> None:
    """Print the tables of the benchmark's paper, also over several tasks.

    VisualWebBench's seven tasks give its average, L2's two tasks its mean, L3 and L4 the table of
    losses.
    """
    with report_errors():
        for path in output or ():
            check_ending(path, WRITERS, "a summary")
            check_folder(path)
        given = [load_report(path) for path in reports]
        found = summarise(given, limit=limit, missing=missing, reading=reading)
        published = beside_tables(given, found, Options(limit, missing, reading)) if beside else ()
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

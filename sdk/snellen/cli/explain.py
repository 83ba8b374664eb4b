"""The command `explain`."""

from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from snellen.cli import options, reports
from snellen.cli.messages import report_errors
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from snellen.grading.explain import Explanation
    from snellen.sdk.protocol_reports import ProtocolReports

_out = Terminal()


def explain(
    answers: options.Answers,
    task: options.Task,
    data: options.Data = None,
    references: options.References = None,
    protocols: Annotated[
        str | None,
        typer.Option(help="Two or more, separated by commas; by default all.", show_default=False),
    ] = None,
    split: options.Split = None,
    items: options.Items = None,
    columns: options.Map = None,
    run_code: options.RunCode = False,
    corrections: options.Corrections = None,
    metric: Annotated[
        str | None, typer.Option(help="The metric to compare; by default the primary ones.")
    ] = None,
    show: options.Show = 5,
) -> None:
    """Grade one file of answers with several protocols and explain the differences."""
    from snellen.sdk.protocol_reports import explain as explain_answers

    with report_errors():
        rescored = explain_answers(
            answers,
            task=task,
            data=data,
            references=references,
            protocols=protocols.split(",") if protocols else None,
            split=split,
            items=options.item_ids(items),
            columns=options.columns_of(columns),
            executor=options.executor_of(run_code=run_code),
            corrections=corrections,
        )
        if len(rescored.reports) < 2:
            raise InputError("give at least two protocols to compare")
        _print(rescored, metric, show)
        first = next(iter(rescored.reports.values()))
        reports.warnings(rescored.notices)
        if first.input.problems:
            reports.problems(first)
            raise typer.Exit(options.PROBLEMS)


def _print(given: "ProtocolReports", key: str | None, show: int) -> None:
    """Print one number a protocol, then each difference shared out among the parts."""
    from snellen.grading.report.render import protocols_table

    table = protocols_table(given.reports)
    print_table(_out, table)
    keys = table.names[1:]
    if key is not None and key not in keys:
        raise UnknownNameError("metric of these protocols", key, keys)
    for first, second in combinations(given.reports, 2):
        lacking = [
            name for name in (first, second) if key and key not in given.reports[name].metrics
        ]
        if lacking:
            _out.print(f"\n{first} -> {second}: {' and '.join(lacking)} has no {key}")
            continue
        _explanation(given.explain(first, second, key))
        _partings(given, first, second, key, show)


def _explanation(given: "Explanation") -> None:
    _out.print(
        f"\n[bold]{escape(given.first)} -> {escape(given.second)}[/bold] ({escape(given.key)}):"
        f" {100 * given.first_value:.4f} -> {100 * given.second_value:.4f},"
        f" difference {100 * given.difference:+.4f}"
    )
    grid = Table.grid(padding=(0, 2))
    for share in given.shares:
        change = share.first if share.first == share.second else f"{share.first} -> {share.second}"
        grid.add_row("", share.part.value, f"{100 * share.share:+.4f}", escape(change))
    grid.add_row("", "residual", f"{100 * given.residual:+.1e}", "")
    _out.print(grid)
    if given.note:
        _out.print(f"  {escape(given.note)}")


def _partings(
    given: "ProtocolReports", first: str, second: str, key: str | None, most: int
) -> None:
    shown = 0
    total = 0
    for parting in given.partings(first, second, key):
        total += 1
        if shown < most:
            shown += 1
            _out.print(
                f"  {escape(parting.item_id)}: {parting.first:.4f} -> {parting.second:.4f}"
                f"  {escape(_short(parting.response))}"
            )
    if total > shown:
        _out.print(f"  they differ on {total} responses in total")


def _short(response: object) -> str:
    text = repr(response)
    return text if len(text) <= 60 else f"{text[:57]}..."

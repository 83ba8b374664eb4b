"""What the commands print: tables on standard output, problems and errors on standard error."""

from collections.abc import Iterable, Mapping
from itertools import combinations, groupby

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from snellen.grading.errors import SnellenError, UnknownNameError, where
from snellen.grading.explain import PARTS, Explanation, part_name
from snellen.grading.protocols.base import Protocol
from snellen.grading.report.render import metric_cells
from snellen.sdk.comparison import Comparison
from snellen.sdk.doctor import Check
from snellen.sdk.reports import Report
from snellen.tasks.benchmarks.table import TaskSpec

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)


def benchmarks(specs: Iterable[TaskSpec]) -> None:
    """Print every task, benchmark by benchmark."""
    for benchmark, tasks in groupby(specs, lambda spec: spec.id.partition("/")[0]):
        _out.print(f"[bold]{benchmark}[/bold]")
        grid = _grid()
        for spec in tasks:
            chance = "" if spec.chance is None else f"chance {100 * spec.chance:.1f} %"
            name = spec.id.partition("/")[2]
            grid.add_row("", name, escape(spec.title), spec.primary, chance)
        _out.print(grid)
    _out.print("[bold]matrix[/bold]")
    _out.print("  your own items; no tasks of its own yet")


def protocols(by_task: Mapping[str, Iterable[Protocol]]) -> None:
    """Print how tasks can be scored."""
    for task, known in by_task.items():
        _out.print(f"[bold]{task}[/bold]")
        for number, protocol in enumerate(known):
            default = " (default)" if number == 0 else ""
            keys = f"{', '.join(protocol.metric.keys)}; primary {protocol.metric.primary}"
            grid = _grid()
            grid.add_row("", "special", escape(protocol.special))
            grid.add_row("", "source", escape(protocol.source))
            for part in PARTS:
                grid.add_row("", part.value, escape(part_name(protocol, part)))
            grid.add_row("", "metrics", keys)
            _out.print(f"  [bold]{protocol.name}[/bold]{default}")
            _out.print(grid)


def report(given: Report) -> None:
    """Print a report's numbers, outcomes and signature."""
    raters = ["raters"] if given.ceiling else []
    table = _table("metric", "value", "of the answered", "as published", *raters)
    for column in table.columns[1:]:
        column.justify = "right"
    for key, metric in given.metrics.items():
        style = "bold" if key == given.primary else ""
        ceiling = [f"{100 * given.ceiling[key]:.2f}"] if given.ceiling else []
        table.add_row(key, *metric_cells(metric), *ceiling, style=style)
    _out.print(table)
    counts = ", ".join(f"{count} {name.value}" for name, count in given.outcomes.items() if count)
    attempts = f" x {given.attempts} attempts" if given.attempts > 1 else ""
    _out.print(f"{given.items} items{attempts}: {counts}")
    if given.pass_at:
        pairs = ((k, given.pass_at[k], given.pass_hat[k]) for k in given.pass_at)
        _out.print(
            "pass@k / pass^k: "
            + ", ".join(f"k={k} {100 * one:.2f} / {100 * both:.2f}" for k, one, both in pairs)
        )
    if given.incomplete:
        _out.print("[yellow]Incomplete: missing responses and errors count as 0 in value.[/yellow]")
    if given.crashed:
        _out.print(f"[yellow]The published code raises on {given.crashed} response(s).[/yellow]")
    if given.not_selected:
        _out.print(f"{given.not_selected} submission(s) to items that were not selected")
    if given.data.note:
        _out.print(f"[yellow]Data: {escape(given.data.note)}[/yellow]")
    _out.print(given.signature, style="dim", soft_wrap=True, markup=False)


def problems(given: Report) -> None:
    """Print what was wrong with the input, the first of each kind in full."""
    if not given.problems:
        return
    total = sum(given.problem_counts.values())
    _err.print(f"[red]{total} problem(s) in the input; the rest was graded:[/red]")
    for problem in given.problems:
        place = where(problem.file, problem.line, problem.field)
        _err.print(f"  {place}{problem.message}", markup=False, soft_wrap=True)
    if total > len(given.problems):
        counts = ", ".join(f"{count} {kind.value}" for kind, count in given.problem_counts.items())
        _err.print(f"  in all: {counts}")


def comparison(given: Comparison, key: str | None, partings: int) -> None:
    """Print one number a protocol, then each difference shared out among the parts."""
    keys = list(dict.fromkeys(key for one in given.reports.values() for key in one.metrics))
    table = _table("protocol", *keys)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, one in given.reports.items():
        cells = [metric_cells(one.metrics[key])[2] if key in one.metrics else "" for key in keys]
        table.add_row(name, *cells)
    _out.print(table)
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
        _partings(given, first, second, key, partings)


def doctor(found: Iterable[Check]) -> None:
    """Print what is there and what is not."""
    table = _table("what", "there", "version or how to get it")
    for check in found:
        mark = "[green]yes[/green]" if check.present else "[yellow]no[/yellow]"
        table.add_row(check.name, mark, escape(check.detail))
    _out.print(table)


def error(given: SnellenError) -> None:
    """Print why nothing could be done."""
    _err.print(f"[red]error:[/red] {escape(str(given))}", soft_wrap=True)


def _explanation(given: Explanation) -> None:
    _out.print(
        f"\n[bold]{given.first} -> {given.second}[/bold] ({given.key}):"
        f" {100 * given.first_value:.4f} -> {100 * given.second_value:.4f},"
        f" difference {100 * given.difference:+.4f}"
    )
    grid = _grid()
    for share in given.shares:
        change = share.first if share.first == share.second else f"{share.first} -> {share.second}"
        grid.add_row("", share.part.value, f"{100 * share.share:+.4f}", escape(change))
    grid.add_row("", "residual", f"{100 * given.residual:+.1e}", "")
    _out.print(grid)
    if given.note:
        _out.print(f"  {escape(given.note)}")


def _partings(given: Comparison, first: str, second: str, key: str | None, most: int) -> None:
    shown = 0
    total = 0
    for parting in given.partings(first, second, key):
        total += 1
        if shown < most:
            shown += 1
            _out.print(
                f"  {parting.item_id}: {parting.first:.4f} -> {parting.second:.4f}"
                f"  {escape(_short(parting.response))}"
            )
    if total > shown:
        _out.print(f"  they part on {total} responses in all")


def _short(response: object) -> str:
    text = repr(response)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _grid() -> Table:
    return Table.grid(padding=(0, 2))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, no_wrap=number == 0)
    return table

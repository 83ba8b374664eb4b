"""What the commands print: tables on standard output, problems and errors on standard error."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.errors import UnknownNameError, where
from snellen.grading.explain import Explanation
from snellen.grading.models.auxiliary import Auxiliary
from snellen.grading.models.comparisons import ItemChange
from snellen.grading.models.estimates import Breakdown
from snellen.grading.report import auxiliary
from snellen.grading.report.comparison import (
    cells_tables,
    remarks,
    runs_table,
    sentence,
    tests_table,
)
from snellen.grading.report.heat_map import grid_note, grid_table
from snellen.grading.report.population import (
    population_table,
    sample_sentence,
)
from snellen.grading.report.render import (
    breakdown_table,
    grouping,
    metrics_table,
    percent,
)
from snellen.grading.stats.plans import Costs, Plan, Planned
from snellen.grading.table import figures
from snellen.grading.tables.matrix import Grid
from snellen.sdk.analysis.compare import Comparison
from snellen.sdk.data.consensus import Consensus
from snellen.sdk.data.samples import Sample
from snellen.sdk.doctor import Check
from snellen.sdk.protocol_reports import ProtocolReports
from snellen.sdk.report import Report

_FEW = 5
_out = Terminal()
_err = Terminal(stderr=True)


def report(given: Report) -> None:
    """Print a report's numbers, outcomes and signature."""
    print_table(_out, metrics_table(given))
    if given.numbers.population:
        _out.print(sample_sentence(given), markup=False)
        print_table(_out, population_table(given))
    if given.numbers.chance is not None and given.lift is not None:
        guess = escape(given.numbers.chance.guess)
        _out.print(
            f"chance {100 * given.numbers.chance.value:.2f} ({guess}), lift {100 * given.lift:+.2f}"
        )
    if given.numbers.estimates:
        _out.print(f"intervals: {escape(grouping(given))}")
    counts = ", ".join(
        f"{count} {name.value}" for name, count in given.input.outcomes.items() if count
    )
    attempts = f" x {given.provenance.attempts} attempts" if given.provenance.attempts > 1 else ""
    _out.print(f"{given.provenance.items} items{attempts}: {counts}")
    if given.numbers.pass_at:
        pairs = (
            (k, given.numbers.pass_at[k], given.numbers.pass_hat[k]) for k in given.numbers.pass_at
        )
        _out.print(
            "pass@k / pass^k: "
            + ", ".join(f"k={k} {100 * one:.2f} / {100 * both:.2f}" for k, one, both in pairs)
        )
    if given.input.incomplete:
        _out.print("[yellow]Incomplete: missing responses and errors count as 0 in value.[/yellow]")
    if given.input.crashed:
        _out.print(
            f"[yellow]The published code raises on {given.input.crashed} response(s).[/yellow]"
        )
    if given.input.not_selected:
        _out.print(f"{given.input.not_selected} submission(s) to items that were not selected")
    if given.input.tag_coverage:
        _out.print(f"Tags {escape(given.input.tag_coverage)}")
    warnings(given.input.warnings)
    if given.provenance.data.note:
        _out.print(f"[yellow]Data: {escape(given.provenance.data.note)}[/yellow]")
    _out.print(given.signature, style="dim", soft_wrap=True, markup=False)
    if given.auxiliary:
        _auxiliary(given.auxiliary)


def breakdown(given: Breakdown) -> None:
    """Print a metric by the values of a tag."""
    _out.print()
    print_table(_out, breakdown_table(given))
    blanked = sum(1 for cell in given.cells if cell.estimate is None)
    notes = [f"{given.covered} of {given.items} items have the tag"]
    if blanked:
        notes.append(f"{blanked} with fewer than {given.least} items left blank")
    _out.print("; ".join(notes))


def grid(given: Grid) -> None:
    """Print a metric by two tags crossed: in each cell its value, interval and items."""
    _out.print()
    _out.print(f"[bold]{escape(given.metric)}[/bold], percent")
    print_table(_out, grid_table(given))
    note = grid_note(given)
    if note:
        _out.print(escape(note))


def comparisons(found: Iterable[Comparison], changes: int) -> None:
    """Print what comparisons of runs found, with the items that changed most."""
    for number, one in enumerate(found):
        if number:
            _out.print()
        _out.print(f"[bold]{escape(sentence(one))}[/bold]")
        print_table(_out, runs_table(one))
        print_table(_out, tests_table(one))
        for table in cells_tables(one):
            print_table(_out, table)
        for remark in remarks(one):
            _out.print(escape(remark), style="yellow" if remark.startswith("note:") else "")
        _changed("gained", one.gained[:changes])
        _changed("lost", one.lost[:changes])


def consensus(found: Consensus, path: Path) -> None:
    """Print what votes decided, what they did not, and where it is frozen."""
    _out.print(f"{len(found.references)} references, {len(found.unresolved)} unresolved")
    for item_id, reason in list(found.unresolved.items())[:_FEW]:
        _out.print(f"  {item_id}: {reason}", markup=False)
    if len(found.unresolved) > _FEW:
        _out.print(f"  and {len(found.unresolved) - _FEW} more, in the file")
    _out.print(f"{path} sha256:{found.sha256[:16]}", style="dim", soft_wrap=True, markup=False)
    for problem in found.problems[:_FEW]:
        place = where(problem.file, problem.line, problem.field)
        _err.print(f"  {place}{problem.message}", markup=False, soft_wrap=True)


def problems(given: Report) -> None:
    """Print what was wrong with the input, the first of each kind in full."""
    if not given.input.problems:
        return
    total = sum(given.input.problem_counts.values())
    _err.print(f"[red]{total} problem(s) in the input; the rest was graded:[/red]")
    for problem in given.input.problems:
        place = where(problem.file, problem.line, problem.field)
        _err.print(f"  {place}{problem.message}", markup=False, soft_wrap=True)
    if total > len(given.input.problems):
        counts = ", ".join(
            f"{count} {kind.value}" for kind, count in given.input.problem_counts.items()
        )
        _err.print(f"  in all: {counts}")


def sample(found: Sample, path: Path) -> None:
    """Print what was drawn of each stratum, and where it is frozen."""
    rows: list[Sequence[str]] = []
    for stratum in found.design.strata:
        weight = f"{stratum.items / stratum.drawn:.2f}"
        rows.append((stratum.name, f"{stratum.items:,}", f"{stratum.drawn:,}", weight))
    names = (" x ".join(found.design.by), "items", "drawn", "each stands for")
    print_table(_out, figures(names, rows))
    _out.print(f"{len(found):,} of {found.design.items:,} items drawn: {found.allocation}")
    _out.print(f"{path} sha256:{found.sha256[:16]}", style="dim", soft_wrap=True, markup=False)


def plan(asked: Plan, found: Planned, spent: Costs) -> None:
    """Print how many items a plan needs, what they show and what they cost."""
    rows: list[Sequence[str]] = []
    if asked.half_width is not None:
        wanted = f"score known to +-{100 * asked.half_width:g} points"
        rows.append((wanted, f"{found.for_half_width:,}"))
    if asked.difference is not None:
        wanted = f"difference of {abs(100 * asked.difference):g} points found"
        rows.append((wanted, f"{found.for_difference:,}"))
    if rows:
        print_table(_out, figures(("", "items"), rows))
    if not found.enough:
        _out.print("[yellow]There are fewer items than that; with all of them:[/yellow]")
    width = f"{100 * found.half_width:.2f}"
    _out.print(f"{found.items:,} items: each score is known to +-{width} points")
    if found.detectable is not None:
        pairs = f" ({asked.comparisons} pairs, corrected)" if asked.comparisons > 1 else ""
        _out.print(
            f"  and {100 * asked.power:g} % of differences of {100 * found.detectable:.2f} points"
            f" are found{pairs}"
        )
    cost = [f"{spent.answers:,} answers of {asked.models} model{'s' if asked.models > 1 else ''}"]
    if spent.tokens is not None:
        cost.append(f"{spent.tokens:,} tokens")
    if spent.price is not None:
        cost.append(f"{spent.price:,.2f} at that price")
    _out.print(", ".join(cost))


def protocol_reports(given: ProtocolReports, key: str | None, partings: int) -> None:
    """Print one number a protocol, then each difference shared out among the parts."""
    keys = list(dict.fromkeys(key for one in given.reports.values() for key in one.metrics))
    rows: list[Sequence[str]] = []
    for name, one in given.reports.items():
        cells = [
            percent(one.metrics[key].as_published) if key in one.metrics else "" for key in keys
        ]
        rows.append((name, *cells))
    print_table(_out, figures(("protocol", *keys), rows))
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


def warnings(messages: Iterable[str]) -> None:
    """Print what a reader of the numbers must know."""
    for warning in messages:
        _out.print(f"[yellow]{escape(warning)}[/yellow]")


def _auxiliary(given: Mapping[str, Auxiliary]) -> None:
    """Print what judges say, apart from the score."""
    _out.print(f"\n[bold]{auxiliary.HEADING}[/bold]")
    print_table(_out, auxiliary.verdict_table(given))
    for name, one in given.items():
        if one.agreements:
            _out.print(
                f"which responses are correct, according to {name} and others:", markup=False
            )
            print_table(_out, auxiliary.agreement_table(one))
        for remark in auxiliary.remarks(one):
            _out.print(remark, style="yellow", markup=False, soft_wrap=True)
        _out.print(one.signature, style="dim", soft_wrap=True, markup=False)


def _changed(title: str, items: Iterable[ItemChange]) -> None:
    grid = _grid()
    for item in items:
        change = f"{100 * item.first:.2f} -> {100 * item.second:.2f}"
        grid.add_row("", title, escape(item.item_id), change)
    if grid.row_count:
        _out.print(grid)


def _explanation(given: Explanation) -> None:
    _out.print(
        f"\n[bold]{escape(given.first)} -> {escape(given.second)}[/bold] ({escape(given.key)}):"
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


def _partings(given: ProtocolReports, first: str, second: str, key: str | None, most: int) -> None:
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


def _grid() -> Table:
    return Table.grid(padding=(0, 2))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, no_wrap=number == 0)
    return table

"""Printing and saving a report, and how a command that made one ends."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from json import dumps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
import typer
from rich.markup import escape

from snellen.cli.options import PROBLEMS, check_folder, tag_names
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.models.estimates import LEAST, Breakdown
from snellen.grading.stats.over_tasks import NAME as TOTAL
from snellen.grading.stats.over_tasks import TaskMean, mean_over_tasks
from snellen.grading.table import Table, figures, to_markdown, to_plain
from snellen.sdk.files import PAGE, check_ending, write_atomically

if TYPE_CHECKING:
    from snellen.grading.protocols.grid import Grid
    from snellen.grading.protocols.summaries import Options
    from snellen.grading.table import Summary
    from snellen.sdk.report import Report

MAX_COLUMNS = 12
"""The largest number of values of a tag that is crossed with another in a table."""

_out = Terminal()
_err = Terminal(stderr=True)


def finish(
    report: "Report",
    output: list[Path] | None,
    *,
    json: bool = False,
    by: list[str] | None = None,
    least: int = LEAST,
    with_references: bool = False,
) -> None:
    """Print a report, save it, and end with the status that its problems ask for."""
    for path in output or ():
        is_page = path.suffix.lower() == PAGE
        report.save(path, with_references=with_references and is_page)
    breakdowns = {asked: report.by(*tag_names(asked), least=least) for asked in by or ()}
    if json:
        sys.stdout.write(json_of(report, list(breakdowns.values())) + "\n")
    else:
        print_report(report)
        for asked, breakdown in breakdowns.items():
            if (grid := _grid(report, tag_names(asked), least)) is None:
                print_breakdown(breakdown)
            else:
                print_grid(grid)
    problems(report)
    if report.input.problems:
        raise typer.Exit(PROBLEMS)


def json_of(report: "Report", breakdowns: list[Breakdown]) -> str:
    """Return a report as JSON, with what was asked for as `by`."""
    document = {"signature": report.signature, **report.model_dump(mode="json")}
    if breakdowns:
        document["by"] = [one.model_dump(mode="json") for one in breakdowns]
    return dumps(document, indent=2, ensure_ascii=False)


def _grid(report: "Report", tags: Sequence[str], least: int) -> "Grid | None":
    """Cross two tags with totals and intervals, if their values are few enough for a table."""
    if len(tags) != 2 or any(len(report.by(tag).cells) > MAX_COLUMNS for tag in tags):
        return None
    return report.grid(*tags, least=least)


def print_by_task(given: Sequence["Report"]) -> None:
    """Print one line a task and their mean, and end with the status that the problems ask for."""
    scores = [_score(one) for one in given]
    rows = [
        (one.task, one.numbers.primary, *_figures(score), f"{one.provenance.items:,}")
        for one, score in zip(given, scores, strict=True)
    ]
    rows.append((TOTAL, "", *_figures(mean_over_tasks(scores)), ""))
    names = ("task", "metric", "value", "95 % interval", "items")
    print_table(_out, figures(names, rows, texts=range(2)))
    for one in given:
        problems(one)
    if any(one.input.problems for one in given):
        raise typer.Exit(PROBLEMS)


def _score(given: "Report") -> TaskMean:
    found = given.numbers.estimates.get(given.numbers.primary)
    if found is None or found.interval is None:
        return TaskMean(given.value, None, None)
    return TaskMean(given.value, found.interval.low, found.interval.high)


def _figures(score: TaskMean) -> tuple[str, str]:
    interval = "-"
    if score.low is not None and score.high is not None:
        interval = f"{100 * score.low:.2f} to {100 * score.high:.2f}"
    return f"{100 * score.value:.2f}", interval


def print_report(given: "Report") -> None:
    """Print a report's numbers, outcomes and signature."""
    from snellen.grading.report.render import first_lines, metrics_table, sentences

    warnings(first_lines(given))
    print_table(_out, metrics_table(given))
    if given.numbers.population:
        from snellen.grading.report.population import population_table, sample_sentence

        _out.print(sample_sentence(given), markup=False)
        print_table(_out, population_table(given))
    *said, signature = sentences(given)
    for sentence in said:
        style = "yellow" if sentence.urgent else ""
        _out.print(sentence.text, style=style, markup=False)
    _out.print(signature.text, style="dim", soft_wrap=True, markup=False)


def print_breakdown(given: Breakdown) -> None:
    """Print a metric by the values of a tag."""
    from snellen.grading.report.render import breakdown_table, coverage

    _out.print()
    print_table(_out, breakdown_table(given))
    _out.print(coverage(given))


def print_grid(given: "Grid") -> None:
    """Print a metric by two tags crossed: in each cell its value, interval and items."""
    from snellen.grading.report.heat_map import grid_note, grid_table

    _out.print()
    _out.print(f"[bold]{escape(given.metric)}[/bold], percent")
    print_table(_out, grid_table(given))
    note = grid_note(given)
    if note:
        _out.print(escape(note))


def problems(given: "Report") -> None:
    """Print what was wrong with the input, the first of each kind in full."""
    from snellen.grading.report.render import problem_lines

    for number, line in enumerate(problem_lines(given)):
        _err.print(line, style="" if number else "red", markup=False, soft_wrap=True)


def warnings(messages: Iterable[str]) -> None:
    """Print what a reader of the numbers must know."""
    for warning in messages:
        _out.print(f"[yellow]{escape(warning)}[/yellow]")


# ---- Tables of papers ----------------------------------------------------------------------------


def print_tables(
    reports: Sequence[Path], options: "Options", output: Sequence[Path] | None, *, beside: bool
) -> None:
    """Print and save the tables of a paper, over the reports of one or more tasks."""
    from snellen.sdk.analysis.published import beside_tables
    from snellen.sdk.report import load_report
    from snellen.sdk.summaries import summarise

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
        _save(path, found, published)


def _print(given: Table) -> None:
    _out.print(f"[bold]{escape(given.title)}[/bold]")
    print_table(_out, given)
    for line in filter(None, (given.note, f"Source: {given.source}.")):
        _out.print(escape(line), style="dim")


def _save(path: Path, found: "Sequence[Summary]", published: Iterable[Table]) -> None:
    """Write summaries to a file, whole or not at all; its ending says how."""
    write = WRITERS[check_ending(path, WRITERS, "a summary")]
    write_atomically(path, write(found, tuple(published)))


def _json(found: "Sequence[Summary]", published: Sequence[Table]) -> Iterator[bytes]:
    document = {
        "summaries": [
            {
                "task": one.task,
                "tables": [to_plain(table) for table in one.tables],
                "values": [value._asdict() for value in one.values],
            }
            for one in found
        ],
        "published": [to_plain(table) for table in published],
    }
    yield msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _markdown(found: "Sequence[Summary]", published: Sequence[Table]) -> Iterator[bytes]:
    for table in (*(table for one in found for table in one.tables), *published):
        yield ("\n".join(to_markdown(table)) + "\n").encode()


WRITERS: "Mapping[str, Callable[[Sequence[Summary], Sequence[Table]], Iterator[bytes]]]" = (
    MappingProxyType({".json": _json, ".md": _markdown})
)

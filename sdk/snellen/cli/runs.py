"""The commands about runs of models: ask one, compare several, render a report."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field
from rich.markup import escape
from rich.table import Table

from snellen.cli import models
from snellen.cli.listing import task_names
from snellen.cli.messages import report_errors
from snellen.cli.options import (
    PROBLEMS,
    By,
    Cluster,
    Embedder,
    Images,
    Items,
    Json,
    Least,
    Output,
    Protocol,
    References,
    Show,
    Split,
    Tags,
    WithReferences,
    asked_ids,
    check,
    check_folder,
    check_tags,
    settings_of,
)
from snellen.cli.reports import finish, print_tables
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.errors import InputError
from snellen.grading.metrics.eqa import Missing, Reading
from snellen.grading.models.comparisons import ItemChange
from snellen.grading.models.estimates import LEAST
from snellen.sdk.files import check_ending

if TYPE_CHECKING:
    from snellen.sdk.analysis.compare import Comparison

_OF_TABLES: Mapping[str, Any] = {
    "limit": Annotated[float | None, Field(ge=1)],
    "missing": Missing | None,
    "reading": Reading | None,
}
_out = Terminal()


def compare(
    reports: Annotated[
        list[Path],
        typer.Argument(
            help="Two or more reports saved as JSON, runs with stored verdicts, or .eval logs."
        ),
    ],
    metric: Annotated[
        str | None,
        typer.Option(help="The metric to compare; by default the primary one."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Compare each run with this one (a file name without its extension)."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Also print the scores of the runs by this tag, such as template; may "
            "be repeated.",
            show_default=False,
        ),
    ] = None,
    show: Show = 5,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="Save the comparison: .json, .csv (items) or .md; may be repeated.",
        ),
    ] = None,
) -> None:
    """Compare runs over the same items: whether they differ, and on which items."""
    from snellen.grading.report.comparison import COMPARISON_RENDERERS
    from snellen.sdk.analysis.compare import compare as compare_runs
    from snellen.sdk.analysis.compare import named_runs
    from snellen.sdk.runs import report_of

    with report_errors():
        for path in output or ():
            check_ending(path, COMPARISON_RENDERERS, "comparisons")
            check_folder(path)
        found = compare_runs(
            named_runs([(path, report_of(path)) for path in reports]),
            metric=metric,
            baseline=baseline,
            by=by or (),
        )
        _print_comparisons(found, show)
        for path in output or ():
            found.save(path)


def report(
    saved: Annotated[
        list[Path],
        typer.Argument(
            help="A report saved as JSON; with --tables also several of one model, one per task."
        ),
    ],
    output: Output = None,
    by: By = None,
    least: Least = LEAST,
    tags: Tags = None,
    cluster: Cluster = None,
    data: Annotated[
        Path | None, typer.Option(help="The location of its data, if it moved.", show_default=False)
    ] = None,
    references: References = None,
    images: Images = None,
    with_references: WithReferences = False,
    json: Json = False,
    tables: Annotated[
        bool,
        typer.Option(
            "--tables",
            help="Print the tables of the benchmark's paper instead; save them as .json or .md.",
        ),
    ] = False,
    beside: Annotated[
        bool, typer.Option("--beside", help="With --tables: compare with published numbers.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="With --tables, L3, L4: limit, the steps after which an episode is a failure; "
            "missing, skip or zero: platforms without runs; reading, the EQA to compare. May be "
            "repeated.",
            metavar="KEY=VALUE",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print a saved report, break it down by tags, or write its page.

    The questions, tags and page need its data, which is loaded from the same path again.

    With --tables, VisualWebBench's seven tasks give its average, L2's two tasks its mean, L3 and
    L4 the table of losses.
    """
    from snellen.grading.protocols.summaries import Options
    from snellen.sdk.stored import reopen

    with report_errors():
        options = Options(**settings_of(settings, _OF_TABLES))
        if tables:
            others = (by, tags, cluster, data, references, images)
            if json or with_references or any(one is not None for one in others):
                raise InputError("--tables accepts only --beside, --set and --output")
            print_tables(saved, options, output, beside=beside)
            return
        if len(saved) > 1 or beside or settings:
            raise InputError("several reports, --beside and --set need --tables")
        check(output, with_references=with_references)
        found = reopen(
            saved[0], data=data, references=references, images=images, tags=tags, cluster=cluster
        )
        finish(found, output, json=json, by=by, least=least, with_references=with_references)


def evaluate(
    task: Annotated[
        str, typer.Argument(help="The task, such as screenqa/short.", autocompletion=task_names)
    ],
    model: models.Name,
    data: Annotated[
        Path,
        typer.Option(help="The benchmark's published folder or file, or an included exam's name."),
    ],
    run: Annotated[Path, typer.Option(help="A folder for the answers; use it again to resume.")],
    endpoint: models.Url = None,
    api: models.Api = "openai",
    images: Images = None,
    no_images: Annotated[
        bool, typer.Option("--no-images", help="Send no images, as a baseline.")
    ] = False,
    prompt: Annotated[
        str | None, typer.Option(help="The name of a prompt of the task; by default its first.")
    ] = None,
    split: Split = None,
    items: Items = None,
    sample_id: Annotated[
        str | None,
        typer.Option(
            help="Ask only these items: ids with commas between them.", show_default=False
        ),
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(help="Ask the first N items, or those of a range: 11-20.", show_default=False),
    ] = None,
    attempts: Annotated[int, typer.Option(help="Attempts per item.", min=1)] = 1,
    protocol: Protocol = None,
    embedder: Embedder = None,
    settings: models.Settings = None,
    recipe: models.Recipe = None,
    by: By = None,
    output: Output = None,
) -> None:
    """Query a model for every item of a task and grade its answers.

    Inspect AI asks it; --run has its logs. The key is read from OPENAI_API_KEY or
    ANTHROPIC_API_KEY, or as Inspect's provider says. Exit status: 0 if every item was answered, 1
    if some were not (the same command repeats these), 2 if the run stopped.
    """
    from snellen.sdk.inputs.selection import select
    from snellen.sdk.models.evaluate import evaluate as evaluate_model
    from snellen.tasks.benchmarks.table import load_task

    with report_errors():
        check(output)
        if no_images and images is not None:
            raise InputError("--images and --no-images exclude one another")
        if recipe and prompt:
            raise InputError("--recipe and --prompt exclude one another")
        target, options = models.asking(endpoint, model, api, settings, recipe)
        loaded = load_task(task, data, split=split, images=images, prompt=prompt)
        wanted = asked_ids(loaded.ids, items, sample_id, limit)
        # A misspelt tag must not cost the answers that were paid for.
        check_tags(by, select(None, loaded, items=wanted).tagging.tags)
        found = evaluate_model(
            task,
            model=target,
            data=loaded,
            images=False if no_images else None,
            items=wanted,
            attempts=attempts,
            protocol=protocol,
            embedder=embedder,
            run=run,
            **options,
        )
        finish(found, output, by=by)
        if found.input.incomplete:
            raise typer.Exit(PROBLEMS)


def _print_comparisons(found: "Iterable[Comparison]", show: int) -> None:
    """Print what comparisons of runs found, with the items that changed most."""
    for number, one in enumerate(found):
        if number:
            _out.print()
        result, *pieces = one.pieces()
        _out.print(f"[bold]{escape(str(result))}[/bold]")
        for piece in pieces:
            if isinstance(piece, str):
                _out.print(escape(piece), style="yellow" if piece.startswith("note:") else "")
            else:
                print_table(_out, piece)
        _changed("gained", one.gained[:show])
        _changed("lost", one.lost[:show])


def _changed(title: str, items: Iterable[ItemChange]) -> None:
    grid = Table.grid(padding=(0, 2))
    for item in items:
        change = f"{100 * item.first:.2f} -> {100 * item.second:.2f}"
        grid.add_row("", title, escape(item.item_id), change)
    if grid.row_count:
        _out.print(grid)

"""The commands about runs of models: ask one, compare several, render a report."""

from pathlib import Path
from typing import Annotated

import typer

from snellen.grading.breakdown import LEAST
from snellen.grading.errors import InputError
from snellen.grading.report.comparison import COMPARISON_RENDERERS
from snellen.grading.stats.compare import Correction
from snellen.sdk.analysis.compare import compare as compare_runs
from snellen.sdk.cli import models, show
from snellen.sdk.cli.listing import task_names
from snellen.sdk.cli.messages import report_errors
from snellen.sdk.cli.options import (
    PROBLEMS,
    By,
    Cluster,
    Embedder,
    Film,
    Grid,
    Images,
    Items,
    Json,
    Least,
    Map,
    Output,
    Protocol,
    References,
    Split,
    Tags,
    WithReferences,
    check,
    check_folder,
    check_tags,
    columns_of,
    finish,
    item_ids,
)
from snellen.sdk.data.consensus import PairRule, Rule, make_consensus
from snellen.sdk.data.selection import select
from snellen.sdk.files import check_ending
from snellen.sdk.models.settings import AskingOptions
from snellen.sdk.stored import reopen, retagged
from snellen.tasks.benchmarks.table import load_task

_LEVEL = typer.Option(help="Of the intervals and the verdicts.", min=0.5, max=0.9999)


def compare(
    reports: Annotated[list[Path], typer.Argument(help="Two or more reports saved as JSON.")],
    metric: Annotated[
        str | None,
        typer.Option(help="The metric to compare; the primary one when left out."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Compare each run with this one (a file's name without its ending)."),
    ] = None,
    correction: Annotated[
        Correction, typer.Option(help="How the p-values of several comparisons are corrected.")
    ] = "holm",
    level: Annotated[float, _LEVEL] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.", min=0)] = 0,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Set the runs beside each other by this tag, such as template; may be repeated.",
            show_default=False,
        ),
    ] = None,
    changes: Annotated[
        int, typer.Option(help="How many gained and lost items to show a pair.", min=0)
    ] = 5,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", "-o", help="Save it: .json, .csv (items) or .md; may be repeated."
        ),
    ] = None,
) -> None:
    """Say whether runs over the same items differ, and on which items."""
    with report_errors():
        for path in output or ():
            check_ending(path, COMPARISON_RENDERERS, "comparisons")
            check_folder(path)
        found = compare_runs(
            reports,
            metric=metric,
            baseline=baseline,
            correction=correction,
            level=level,
            seed=seed,
            by=by or (),
        )
        show.comparisons(found, changes)
        for path in output or ():
            found.save(path)


def report(
    saved: Annotated[Path, typer.Argument(help="A report saved as JSON.")],
    output: Output = None,
    by: By = None,
    grid: Grid = None,
    least: Least = LEAST,
    tags: Tags = None,
    cluster: Cluster = None,
    data: Annotated[
        Path | None, typer.Option(help="Where its data is now, when it moved.", show_default=False)
    ] = None,
    references: References = None,
    images: Images = None,
    with_references: WithReferences = False,
    film: Film = None,
    json: Json = False,
) -> None:
    """Read a saved report: print it, break it down by tags, make its page.

    Its data is loaded again where it was, for the questions, the tags and the page.
    """
    with report_errors():
        check(output, with_references=with_references, film=film)
        found = reopen(
            saved, data=data, references=references, images=images, tags=tags, cluster=cluster
        )
        finish(
            found,
            output,
            json=json,
            by=by,
            grid=grid,
            least=least,
            with_references=with_references,
            film=film,
        )


@models.asks_a_model
def evaluate(
    task: Annotated[str, typer.Argument(help="Such as screenqa/short.", autocompletion=task_names)],
    model: Annotated[str, typer.Option(help="The API's base URL: http://localhost:8000/v1.")],
    name: Annotated[str, typer.Option(help="The model's name there.")],
    data: Annotated[Path, typer.Option(help="The benchmark's published folder or file.")],
    run: Annotated[
        Path, typer.Option(help="A folder that keeps the answers; given again, asking goes on.")
    ],
    api: models.Api = "openai",
    images: Images = None,
    no_images: Annotated[
        bool, typer.Option("--no-images", help="Ask without any image, as a baseline.")
    ] = False,
    prompt: Annotated[
        str | None, typer.Option(help="A prompt of the task by name; its first when left out.")
    ] = None,
    split: Split = None,
    items: Items = None,
    attempts: Annotated[int, typer.Option(help="How often each item is asked.", min=1)] = 1,
    protocol: Protocol = None,
    embedder: Embedder = None,
    header: models.Header = None,
    *,
    asking: AskingOptions,
    tags: Tags = None,
    cluster: Cluster = None,
    by: By = None,
    least: Least = LEAST,
    output: Output = None,
    with_references: WithReferences = False,
    json: Json = False,
) -> None:
    """Ask a model every item of a task and grade its answers.

    The key is read from OPENAI_API_KEY or ANTHROPIC_API_KEY. Exit status: 0 when every item was
    answered, 1 when some were not (the same command asks these again), 2 when asking stopped.
    """
    from snellen.sdk.models.evaluate import evaluate as evaluate_model

    with report_errors():
        check(output, with_references=with_references)
        if no_images and images is not None:
            raise InputError("--images and --no-images exclude one another")
        loaded = load_task(task, data, split=split, images=images, prompt=prompt)
        wanted = item_ids(items)
        chosen = select(None, loaded, items=wanted, tags=tags, cluster=cluster)
        # A misspelt tag must not cost the answers that were paid for.
        check_tags(by, chosen.tagging.tags)
        asking["run"] = run
        found = evaluate_model(
            task,
            model=models.endpoint(model, name, api, header),
            data=loaded,
            images=False if no_images else None,
            items=wanted,
            attempts=attempts,
            protocol=protocol,
            embedder=embedder,
            **asking,
        )
        found = retagged(found, tags=tags, cluster=cluster)
        finish(found, output, json=json, by=by, least=least, with_references=with_references)
        if found.input.incomplete:
            raise typer.Exit(PROBLEMS)


def consensus(
    task: Annotated[
        str, typer.Argument(help="Such as webrssbench/color.", autocompletion=task_names)
    ],
    answers: Annotated[
        list[Path], typer.Argument(help="One file of answers a model, three or more.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The references file to freeze.")],
    rule: Annotated[
        Rule | None,
        typer.Option(help="How votes become references; by the task when left out."),
    ] = None,
    minimum_support: Annotated[
        int, typer.Option(help="How many voters a reference takes.", min=1)
    ] = 3,
    pairs: Annotated[
        PairRule, typer.Option(help="clean: before and after share a reference; each: they don't.")
    ] = "clean",
    embedder: Embedder = None,
    columns: Map = None,
) -> None:
    """Make references of several models' answers and freeze them in a file.

    Each file's name, without its ending, is the voter's. The file holds every vote, what stays
    unresolved and why, and is closed by a digest; grade against it with --references.
    """
    with report_errors():
        check_folder(output)
        voters = {path.stem: path for path in answers}
        if len(voters) < len(answers):
            raise InputError("two files of answers have one name; a voter is called by its file")
        found = make_consensus(
            voters,
            task=task,
            rule=rule,
            minimum_support=minimum_support,
            pairs=pairs,
            embedder=embedder,
            columns=columns_of(columns),
        )
        found.save(output)
        show.consensus(found, output)

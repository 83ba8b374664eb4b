"""The commands `grade` and `regrade`."""

from pathlib import Path
from typing import Annotated

import typer

from snellen.cli.messages import report_errors
from snellen.cli.options import (
    Answers,
    By,
    Cluster,
    Data,
    Embedder,
    Film,
    Grid,
    Items,
    Json,
    Least,
    Map,
    Output,
    Protocol,
    References,
    RunCode,
    Split,
    Tags,
    Task,
    WithReferences,
    check,
    columns_of,
    executor_of,
    item_ids,
)
from snellen.cli.reports import finish
from snellen.grading.breakdown import LEAST
from snellen.sdk.local import grade as grade_answers
from snellen.sdk.stored import regrade as regrade_answers


def grade(
    answers: Answers,
    task: Task,
    data: Data = None,
    references: References = None,
    protocol: Protocol = None,
    split: Split = None,
    items: Items = None,
    columns: Map = None,
    embedder: Embedder = None,
    run_code: RunCode = False,
    with_references: WithReferences = False,
    film: Film = None,
    tags: Tags = None,
    cluster: Cluster = None,
    by: By = None,
    grid: Grid = None,
    least: Least = LEAST,
    output: Output = None,
    json: Json = False,
) -> None:
    """Grade a file of answers.

    Exit status: 0 if all lines are valid, 1 if some are not (the rest is graded), 2 if nothing
    could be graded.
    """
    with report_errors():
        check(output, with_references=with_references, film=film)
        report = grade_answers(
            answers,
            task=task,
            data=data,
            references=references,
            protocol=protocol,
            split=split,
            items=item_ids(items),
            columns=columns_of(columns),
            embedder=embedder,
            executor=executor_of(run_code=run_code),
            tags=tags,
            cluster=cluster,
        )
        finish(
            report,
            output,
            json=json,
            by=by,
            grid=grid,
            least=least,
            with_references=with_references,
            film=film,
        )


def regrade(
    report: Annotated[str, typer.Argument(help="A report saved as JSON, or a file of answers.")],
    protocol: Protocol = None,
    task: Annotated[
        str | None, typer.Option(help="The task, if the file does not state it.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data, if it moved or the file does not state it.")
    ] = None,
    references: References = None,
    split: Split = None,
    columns: Map = None,
    embedder: Embedder = None,
    run_code: RunCode = False,
    output: Output = None,
    json: Json = False,
) -> None:
    """Grade stored answers again, with another protocol, without querying a model."""
    with report_errors():
        check(output)
        again = regrade_answers(
            report,
            protocol=protocol,
            task=task,
            data=data,
            references=references,
            split=split,
            columns=columns_of(columns),
            embedder=embedder,
            executor=executor_of(run_code=run_code),
        )
        finish(again, output, json=json)

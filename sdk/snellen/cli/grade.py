"""The command `grade`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from snellen.cli import options
from snellen.cli.listing import task_names
from snellen.cli.messages import report_errors
from snellen.cli.reports import finish, print_by_task
from snellen.grading.errors import InputError


def grade(
    answers: Annotated[
        str,
        typer.Argument(
            help="A file of answers: JSONL, JSON, CSV or parquet; - reads JSONL from standard "
            "input. Or results of another script: a file, a folder, a pattern. Or a report "
            "saved as JSON."
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(
            help="The task, such as screenqa/short, if the file does not name it.",
            autocompletion=task_names,
            show_default=False,
        ),
    ] = None,
    data: options.Data = None,
    points: Annotated[
        Path | None,
        typer.Option(
            help="Instead of --task and --data: any set of elements to point at, as JSON, JSON "
            "Lines, CSV or parquet, with a box, an instruction and an image in each row.",
            show_default=False,
        ),
    ] = None,
    references: options.References = None,
    protocol: options.Protocol = None,
    split: options.Split = None,
    items: options.Items = None,
    columns: options.Map = None,
    embedder: options.Embedder = None,
    run_code: options.RunCode = False,
    form: options.Format = None,
    space: options.Space = None,
    view: options.View = None,
    answer: options.Answer = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Whose answers count, in a file with those of several models.", show_default=False
        ),
    ] = None,
    corrections: options.Corrections = None,
    with_references: options.WithReferences = False,
    tags: options.Tags = None,
    cluster: options.Cluster = None,
    by: options.By = None,
    output: options.Output = None,
    json: options.Json = False,
) -> None:
    """Grade a file of answers.

    If the lines of a file name several tasks, as for an exam, each task is graded. The answers of a
    saved report are graded again, with its task and data and with another protocol, without
    querying a model.

    Exit status: 0 if all lines are valid, 1 if some are not (the rest is graded), 2 if nothing
    could be graded.
    """
    from snellen.sdk.local import grade as grade_answers
    from snellen.sdk.stored import read_saved, regrade, retagged
    from snellen.sdk.submissions.tasks import tasks_named

    with report_errors():
        options.check(output, with_references=with_references)
        given = (points, items, columns, form, space, view, answer, model)
        pattern = any(mark in answers for mark in "*?[")
        if answers != "-" and not pattern and not Path(answers).exists():
            raise InputError("there is no such file", file=answers)
        saved = read_saved(Path(answers))
        if saved is None:
            grade_one = partial(
                grade_answers,
                answers,
                data=data,
                references=references,
                protocol=protocol,
                split=split,
                items=options.item_ids(items),
                columns=options.columns_of(columns),
                embedder=embedder,
                executor=options.executor_of(run_code=run_code),
                tags=tags,
                cluster=cluster,
                format=form,
                space=space,
                view=options.view_of(view),
                answer=answer,
                model=model,
                points=points,
                corrections=corrections,
            )
            tasks = tasks_named(answers) if task is None and data is not None else []
            if len(tasks) > 1:
                if output or json or by or protocol:
                    raise InputError("--output, --json, --by and --protocol need one --task")
                print_by_task([grade_one(task=name) for name in tasks])
                return
            report = grade_one(task=task)
        else:
            if any(option is not None for option in given):
                raise InputError(
                    "a saved report allows no --points, --items, --map, --format, --space, --view,"
                    " --answer or --model"
                )
            report = regrade(
                saved,
                protocol=protocol,
                task=task,
                data=data,
                references=references,
                split=split,
                embedder=embedder,
                executor=options.executor_of(run_code=run_code),
                corrections=corrections,
            )
            if tags is not None or cluster is not None:
                report = retagged(report, tags=tags, cluster=cluster)
        finish(
            report,
            output,
            json=json,
            by=by,
            with_references=with_references,
        )
